"""A run gives a wrong answer or fails, the graph is edited, and the run goes on with it
from before the fault.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from designer.model import edits
from designer.shell.runs.change_dialog import ChangeDialog
from designer.shell.runs.mapping_form import Entry
from designer.shell.workspace import Workspace
from runtime.debug.protocol import Header
from tests.designer.shell.support import Hand


def template(id: str, text: str) -> dict[str, Any]:
    return {"id": id, "type": "template", "params": {"text": text}}


def direct(source: str, target: str, condition: str = "") -> dict[str, Any]:
    edge = {"id": f"{source}{target}", "kind": "direct", "source": source}
    return {**edge, "target": target, "condition": condition}


def document(folder: Path, nodes: list[Any], edges: list[Any]) -> Path:
    workflow = {
        "name": "orders",
        "start": "start",
        "input": {"total": 120},
        "nodes": [{"id": "start", "type": "input"}, *nodes],
        "edges": edges,
    }
    path = folder / "orders.stepwell.json"
    path.write_text(json.dumps({"format": 1, "workflow": workflow}), "utf-8")
    return path


def wrong_way(folder: Path) -> Path:
    """A big order takes the way of the small ones."""
    nodes = [
        template("load", "order of {message.total}"),
        template("check", "{message}, checked"),
        template("small", "small: {message}"),
        template("big", "big: {message}"),
        {"id": "end", "type": "output"},
    ]
    edges = [
        direct("start", "load"),
        direct("load", "check"),
        direct("check", "small"),
        direct("check", "big", "size(message) > 1000"),
        direct("small", "end"),
        direct("big", "end"),
    ]
    return document(folder, nodes, edges)


def opened(hand: Hand, path: Path) -> Workspace:
    hand.window.files.open(path)
    workspace = hand.workspace
    hand.wait(lambda: bool(workspace.session.infos))
    return workspace


def run(hand: Hand, *reasons: str) -> None:
    hand.click(hand.window.toolbar.buttons["run"])
    hand.wait_stopped(*(reasons or ("finished",)))


def edit(hand: Hand) -> None:
    hand.click(hand.window.toolbar.buttons["edit"])
    assert hand.workspace.session.mode == "edit"


def change(workspace: Workspace, edge: str, condition: str) -> None:
    design = workspace.document.design
    changed = edits.set_edge(design, edge, condition=condition)
    workspace.document.apply("Change condition", changed)


def look_at(hand: Hand, superstep: int) -> None:
    """Click a checkpoint on the timeline."""
    workspace = hand.workspace
    strip = hand.show("Timeline").strip  # type: ignore[attr-defined]
    timeline = workspace.session.timeline
    timeline.flush()
    headers = [timeline.header_at(row) for row in range(timeline.rowCount())]
    chosen = next(header for header in headers if header.superstep == superstep)
    hand.click(strip.viewport(), strip.point_of(chosen.id))
    hand.wait(lambda: workspace.session.moment is not None)
    assert workspace.session.viewing == chosen.id


def the_edit(workspace: Workspace) -> Header:
    """The first checkpoint of the run that goes on with a changed graph."""
    timeline = workspace.session.timeline
    timeline.flush()
    headers = [timeline.header_at(row) for row in range(timeline.rowCount())]
    (edited,) = [header for header in headers if header.cause == "edit"]
    return edited


def test_a_wrong_condition_is_corrected_and_the_run_goes_on_from_before_it(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = opened(hand, wrong_way(tmp_path))
    run(hand)
    assert workspace.session.head is not None
    old_head = workspace.session.head.id
    edit(hand)
    change(workspace, "checkbig", "size(message) > 10")
    hand.wait(lambda: not workspace.banner.isHidden())
    assert "1 change since #6" in workspace.banner.text
    assert "no difference until #4" in workspace.banner.text
    hand.press("Go on from #4", workspace.banner)
    hand.wait(lambda: workspace.session.head.id != old_head)
    hand.wait_stopped("finished")
    edited = the_edit(workspace)
    timeline = workspace.session.timeline
    assert edited.branch == workspace.session.head.branch
    assert timeline.name(edited.parent) == "#4"
    assert "checkbig" in edited.changed


def test_a_past_checkpoint_goes_on_with_the_changed_graph_by_two_clicks(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = opened(hand, wrong_way(tmp_path))
    run(hand)
    edit(hand)
    change(workspace, "checkbig", "size(message) > 10")
    look_at(hand, 2)
    hand.click(hand.window.toolbar.buttons["run"])
    hand.wait(lambda: workspace.session.timeline.branch_count > 1)
    hand.wait_stopped("finished")
    assert workspace.session.timeline.name(the_edit(workspace).parent) == "#3"


def joined(folder: Path) -> Path:
    """A join holds the price while the stock is checked."""
    nodes = [
        template("load", "order of {message.total}"),
        template("price", "{message}, priced"),
        template("stock", "{message}, in stock"),
        template("check", "{message}, checked"),
        template("merge", "{message}"),
        {"id": "end", "type": "output"},
    ]
    edges = [
        direct("start", "load"),
        {
            "id": "out",
            "kind": "fan_out",
            "source": "load",
            "targets": ["price", "stock"],
        },
        direct("stock", "check"),
        {
            "id": "both",
            "kind": "fan_in",
            "sources": ["price", "check"],
            "target": "merge",
        },
        direct("merge", "end"),
    ]
    return document(folder, nodes, edges)


def test_what_a_join_holds_that_is_gone_is_decided_in_the_dialog(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = opened(hand, joined(tmp_path))
    run(hand)
    edit(hand)
    design = edits.remove(workspace.document.design, {"both"})
    design, _ = edits.connect(design, "check", "merge")
    workspace.document.apply("Replace the join", design)
    look_at(hand, 4)
    hand.click(hand.window.toolbar.buttons["run"])
    hand.wait(lambda: bool(workspace.findChildren(ChangeDialog)))
    (dialog,) = workspace.findChildren(ChangeDialog)
    hand.wait(lambda: dialog.plan is not None)
    assert not dialog.go_button.isEnabled()
    assert any("join 'both' holds" in thing.text for thing in dialog.plan.problems)
    box = dialog.form.choices[Entry((), "join", "both")]
    box.setFocus()
    hand.qtbot.keyClicks(box, "d")
    hand.wait(dialog.go_button.isEnabled)
    assert "that join 'both' holds" in dialog.plan.dropped[0].text
    hand.press("Go on", dialog)
    hand.wait(lambda: workspace.session.timeline.branch_count > 1)
    hand.wait_stopped("finished")
    assert "both" in the_edit(workspace).changed
