"""From a wrong output, a starved join and a lost message to the cause, in one or two
clicks, by real runs.
"""

from __future__ import annotations

from pathlib import Path

from designer.panels.joins import JoinsPanel, SourceRow
from designer.panels.messages import MessagesPanel
from designer.panels.outputs import OutputsPanel
from designer.panels.selected import SelectedPanel
from designer.panels.values.model import Node
from designer.shell.workspace import Workspace
from tests.designer.shell.support import Hand
from tests.end_to_end.hunts.planted import (
    LOST_BRANCH,
    STALE_ANSWER,
    STARVED_JOIN,
    Planted,
)


def run(hand: Hand, planted: Planted, folder: Path, ending: str) -> Workspace:
    hand.window.files.open(planted.write(folder))
    workspace = hand.workspace
    hand.wait(lambda: bool(workspace.session.infos))
    hand.click(hand.window.toolbar.buttons["run"])
    hand.wait_stopped(ending)
    hand.wait(lambda: workspace.session.moment is not None)
    return workspace


def rows(node: Node) -> list[str]:
    return [f"{row.title} {row.tail}".strip() for row in node.walk()]


def test_from_a_starved_join_to_the_case_that_was_taken_in_two_clicks(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = run(hand, STARVED_JOIN, tmp_path, "stalled")
    joins = hand.show("Joins")
    assert isinstance(joins, JoinsPanel)

    def silent_rows() -> list[SourceRow]:
        return [row for row in joins.findChildren(SourceRow) if row.why.isVisible()]

    hand.wait(lambda: bool(silent_rows()))
    [silent] = silent_rows()
    assert "start took the default in superstep 2" in silent._reason.text()
    hand.click(silent.why)
    selected = workspace.panels["Selected"]
    assert isinstance(selected, SelectedPanel)
    assert workspace.document.selection == {"by-price"}
    hand.wait(lambda: "message 7" in rows(selected.tree.values.root))
    shown = rows(selected.tree.values.root)
    assert "case 1 → dear: message > 100 false" in shown
    assert "default → cheap taken" in shown


def test_from_a_wrong_output_to_who_made_it_in_two_clicks(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = run(hand, STALE_ANSWER, tmp_path, "finished")
    output = workspace.panels["Output"]
    assert isinstance(output, OutputsPanel)
    hand.wait(output.origin_button.isVisible)
    hand.click(output.origin_button)
    selected = workspace.panels["Selected"]
    assert isinstance(selected, SelectedPanel)
    tree = selected.origin.tree
    hand.wait(lambda: len(tree.values.root.children) == 8)
    shown = [row.title for row in tree.values.root.children]
    assert shown == [
        "8 · end yielded",
        "7 · read sent",
        "6 · new sent",
        "5 · raise sent",
        "4 · old wrote price",
        "3 · old sent",
        "2 · start sent",
        "1 · Input of the run",
    ]
    assert workspace.canvas.scene().origin.numbers["old"] == (3, 4)
    hand.click(tree.viewport(), tree.visualRect(tree.values.index(1, 0)).center())
    assert workspace.document.selection == {"read"}
    hand.wait(lambda: workspace.session.moment.superstep == 5)


def test_a_message_that_an_edge_stopped_says_why_with_its_values(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = run(hand, LOST_BRANCH, tmp_path, "finished")
    workspace.session.view(workspace.session.timeline.header_at(2).id)
    messages = hand.show("Messages")
    assert isinstance(messages, MessagesPanel)
    hand.wait(lambda: "message.kind 'public'" in rows(messages.tree.values.root))
    assert "message.kind == 'Public' false" in rows(messages.tree.values.root)
