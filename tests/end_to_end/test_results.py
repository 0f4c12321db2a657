"""A run goes on from the past, and the requests at a server on loopback are counted: a
recorded or pinned result makes none, and one that nobody asked for is not made.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from PySide6.QtCore import QPoint

from designer.model import edits
from designer.panels.selected import SelectedPanel
from designer.shell.workspace import Workspace
from tests.designer.shell.support import Hand


@contextmanager
def counting_server(hits: list[str]) -> Iterator[str]:
    """Its address. It notes the path of each request, and answers with their number."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hits.append(self.path)
            body = json.dumps({"number": len(hits)}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing is printed."""

    server = HTTPServer(("127.0.0.1", 0), Answer)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def hits() -> list[str]:
    return []


@pytest.fixture
def workspace(hand: Hand, tmp_path: Path, hits: list[str]) -> Iterator[Workspace]:
    """A finished run that has made one request."""
    with counting_server(hits) as address:
        params = {"url": f"{address}/items/{{message.id}}"}
        nodes = [
            {"id": "start", "type": "input"},
            {"id": "fetch", "type": "http_request", "name": "Fetch", "params": params},
            {"id": "end", "type": "output"},
        ]
        workflow: dict[str, Any] = {
            "name": "items",
            "start": "start",
            "input": {"id": 7},
            "nodes": nodes,
            "edges": [direct("start", "fetch"), direct("fetch", "end")],
        }
        path = tmp_path / "items.stepwell.json"
        path.write_text(json.dumps({"format": 1, "workflow": workflow}), "utf-8")
        hand.window.files.open(path)
        hand.wait(lambda: bool(hand.workspace.session.infos))
        hand.click(hand.window.toolbar.buttons["run"])
        hand.wait_stopped("finished")
        assert hits == ["/items/7"]
        yield hand.workspace


def direct(source: str, target: str) -> dict[str, str]:
    return {
        "id": f"{source}-{target}",
        "kind": "direct",
        "source": source,
        "target": target,
    }


def look_at_input(hand: Hand) -> None:
    """View the first checkpoint, and wait for what would happen outside from there."""
    session = hand.workspace.session
    session.timeline.flush()
    session.view(session.timeline.header_at(0).id)
    hand.wait(lambda: session.results.plan is not None)


def run_from_input(hand: Hand) -> None:
    """Press Run in the past, and wait for the end of the new branch."""
    timeline = hand.workspace.session.timeline
    branches = timeline.branch_count
    hand.click(hand.window.toolbar.buttons["run"])
    hand.wait(lambda: timeline.branch_count > branches)
    hand.wait_stopped("finished", "outside")


def number_put_out(hand: Hand) -> str:
    session = hand.workspace.session
    hand.wait(lambda: session.moment is not None and bool(session.moment.outputs))
    [(_, value)] = session.moment.outputs
    [(key, number)] = value.children or ()
    assert key == "number"
    return number.text


def origins(hand: Hand, superstep: int) -> Sequence[str]:
    """Show Fetch in a superstep of the newest branch; return what its calls say."""
    workspace = hand.workspace
    checkpoint_id = workspace.session.checkpoint_in(superstep)
    assert checkpoint_id is not None
    workspace.session.view(checkpoint_id)
    workspace.document.select({"fetch"})
    panel = hand.show("Selected")
    assert isinstance(panel, SelectedPanel)
    hand.wait(
        lambda: panel.body is not None and panel.body.checkpoint_id == checkpoint_id
    )
    return [call.origin for call in panel.body.calls]


def new_run(hand: Hand) -> None:
    session = hand.workspace.session
    before = session.run_id
    hand.click(hand.window.toolbar.buttons["edit"])
    hand.click(hand.window.toolbar.buttons["run"])
    hand.wait(lambda: session.run_id != before)
    hand.wait_stopped("finished")


def test_recorded_live_and_pinned_make_no_one_and_no_request(
    hand: Hand, workspace: Workspace, hits: list[str]
) -> None:
    look_at_input(hand)
    assert "1 recorded" in workspace.banner.text
    run_from_input(hand)
    assert len(hits) == 1
    assert origins(hand, 2) == ["recorded"]

    selected = workspace.panels["Selected"]
    hand.click(selected.results.choice.buttons["live"])
    look_at_input(hand)
    assert "1 live" in workspace.banner.text
    run_from_input(hand)
    assert len(hits) == 2
    assert origins(hand, 2) == ["live"]

    hand.click(selected.results.pin)
    hand.wait(lambda: workspace.pinning.dialog is not None)
    dialog = workspace.pinning.dialog
    form = dialog.form.editors["sent"][0].form
    number = form.field("number").editor()
    assert number.text() == "2", "a pin begins with what is shown"
    number.selectAll()
    hand.qtbot.keyClicks(number, "41")
    hand.click(dialog.keep)
    look_at_input(hand)
    assert "1 pinned" in workspace.banner.text
    run_from_input(hand)
    assert len(hits) == 2
    assert number_put_out(hand) == "41"
    assert origins(hand, 2) == ["pinned"]

    new_run(hand)
    assert len(hits) == 3, "a new run uses a pin only if that is ticked"
    workspace.session.results.edit("fetch")
    dialog = workspace.pinning.dialog
    hand.click(dialog.in_new_runs, QPoint(8, dialog.in_new_runs.height() // 2))
    hand.click(dialog.keep)
    new_run(hand)
    assert len(hits) == 3
    assert number_put_out(hand) == "41"
    assert workspace.session.timeline.branch_count == 1


def test_a_call_that_does_not_fit_is_made_only_on_request(
    hand: Hand, workspace: Workspace, hits: list[str]
) -> None:
    hand.click(hand.window.toolbar.buttons["edit"])
    design = workspace.document.design
    node = design.workflow.node("fetch")
    assert node is not None
    params = {**node.params, "headers": {"Accept": "application/json"}}
    workspace.document.apply(
        "Change headers", edits.set_params(design, "fetch", params)
    )
    session = workspace.session
    look_at_input(hand)
    hand.wait(lambda: bool(session.difference.changes))
    hand.click(hand.window.toolbar.buttons["run"])
    hand.wait(lambda: workspace.outside.dialog is not None)
    hand.press("Run from #1", workspace.outside.dialog)
    hand.wait_stopped("outside")
    assert session.stopped is not None
    assert session.stopped.reason == "outside"
    assert "Fetch would reach outside again" in workspace.banner.text
    assert "its code or its parameters have changed" in workspace.banner.text

    hand.press("Stop", workspace.banner)
    hand.wait_stopped("cancelled")
    hand.click(hand.window.toolbar.buttons["run"])
    hand.wait_stopped("outside")
    hand.press("Pin a result…", workspace.banner)
    hand.wait(lambda: workspace.pinning.dialog is not None)
    dialog = workspace.pinning.dialog
    assert dialog is not None
    hand.wait(lambda: bool(dialog.form.editors["sent"]))  # the recorded result
    hand.click(dialog.form.editors["sent"][0].remove)
    hand.click(dialog.form.add_buttons["sent"])
    [editor] = dialog.form.editors["sent"]
    hand.qtbot.keyClicks(editor.json.editor(), "[1]")
    hand.click(dialog.keep)
    assert "Your pinned result is used" in workspace.banner.text
    hand.press("Continue", workspace.banner)
    hand.wait_stopped("finished")
    assert len(hits) == 1

    workspace.document.breakpoints.unpin("fetch")
    look_at_input(hand)
    hand.press("Restore here", workspace.banner)
    assert workspace.outside.dialog is not None
    hand.press("Restore here", workspace.outside.dialog)
    hand.wait_stopped("restored")
    hand.click(hand.window.toolbar.buttons["run"])
    hand.wait_stopped("outside")
    hand.press("Run it live", workspace.banner)
    hand.wait_stopped("finished")
    assert len(hits) == 2
