"""What a superstep puts out is read in the window while it runs; a real host, and a
model on loopback.

The pieces of a streamed answer, and outputs that count when the superstep is done, or
are taken back.
"""

import json
from threading import Event

import pytest
from PySide6.QtCore import Qt

from designer.panels.outputs import ITEM
from designer.panels.values.output_list import STRUCK, TAIL
from runtime.document.definition import WorkflowDefinition, WorkflowFile
from runtime.document.files import write_file
from tests.designer.shell.support import opened
from tests.end_to_end.chat_server import chat_server

PIECES = ("Hel", "lo ", "you")


@pytest.fixture
def hand(qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("OPENAI_API_KEY", "very-secret")
    with opened(qtbot, tmp_path, painted=False) as hand:
        yield hand


def document(folder, url):
    params = {
        "model": "m",
        "base_url": f"{url}/v1",
        "retries": 0,
        "prompt": "{message}",
    }
    nodes = [
        {"id": "chat", "type": "chat_model", "name": "Model", "params": params},
        {"id": "out", "type": "output"},
    ]
    edges = [{"id": "e", "kind": "direct", "source": "chat", "target": "out"}]
    workflow = WorkflowDefinition.model_validate(
        {"start": "chat", "input": "hi", "nodes": nodes, "edges": edges}
    )
    write_file(folder / "it.stepwell.json", WorkflowFile(workflow=workflow))
    return folder / "it.stepwell.json"


def test_each_piece_is_read_before_the_next_is_sent(hand, tmp_path):
    go_on = Event()
    with chat_server(PIECES, go_on) as url:
        hand.window.files.open(document(tmp_path, url))
        panel = hand.workspace.panels["Output"]
        hand.workspace.canvas.setFocus()
        hand.key(Qt.Key.Key_F5)
        for number in range(1, len(PIECES) + 1):
            so_far = "".join(PIECES[:number])
            hand.wait(lambda so_far=so_far: panel.reader.text == so_far)
            assert panel.isVisible()
            assert hand.workspace.session.running
            assert panel._items.item(0).text() == "Model"
            go_on.set()
        hand.wait_stopped("finished")
    hand.wait(lambda: panel.item is not None and panel.item.checkpoint_id != "")
    assert (panel.reader.text, panel._items.rowCount()) == ("Hello you", 1)
    told = [
        item.text for item in hand.workspace.panels["Log"].items if item.kind == "told"
    ]
    assert [
        json.loads(text.partition("data ")[2].replace("'", '"')) for text in told
    ] == list(PIECES)


WRITER = """
import time
from pathlib import Path

HERE = Path(__file__).parent.parent


def writer(text: str, ctx) -> None:
    "Puts out two lines, the second when it is let, and fails unless it is mended."
    ctx.yield_output("one")
    while not (HERE / "go").exists():
        time.sleep(0.005)
    (HERE / "go").unlink()
    ctx.yield_output("two")
    while not (HERE / "go").exists():
        time.sleep(0.005)
    if not (HERE / "mended").exists():
        (HERE / "go").unlink()
        raise ValueError("out of ink")
"""


@pytest.fixture
def writing(tmp_path):
    folder = tmp_path / "work"
    (folder / "nodes").mkdir(parents=True)
    (folder / "nodes" / "writer.py").write_text(WRITER)
    nodes = [
        {"id": "name", "type": "input"},
        {"id": "writer", "type": "nodes.writer:writer", "name": "Writer"},
    ]
    edges = [{"id": "e", "kind": "direct", "source": "name", "target": "writer"}]
    workflow = WorkflowDefinition.model_validate(
        {"start": "name", "input": "hi", "nodes": nodes, "edges": edges}
    )
    write_file(folder / "it.stepwell.json", WorkflowFile(workflow=workflow))
    return folder


def test_an_output_is_read_before_its_handler_ends_and_taken_back_when_that_fails(
    hand, writing
):
    hand.window.files.open(writing / "it.stepwell.json")
    hand.wait(lambda: "nodes.writer:writer" in hand.workspace.session.infos)
    panel = hand.workspace.panels["Output"]
    session = hand.workspace.session

    def rows():
        found = [panel._items.item(at) for at in range(panel._items.rowCount())]
        return [(item.data(TAIL), bool(item.data(STRUCK))) for item in found]

    def read(words):
        hand.wait(
            lambda: session.running and panel.isVisible() and panel.reader.text == words
        )

    hand.workspace.canvas.setFocus()
    hand.key(Qt.Key.Key_F5)
    hand.workspace.show_panel("Output")
    read("one")
    assert rows() == [("uncommitted", False)]
    (writing / "go").touch()
    read("two")
    (writing / "go").touch()
    hand.wait_stopped("failed")
    hand.wait(lambda: rows() == [("taken back", True)] * 2)
    assert "taken back: superstep 2 failed" in panel._what.text()
    (writing / "mended").touch()
    session.continue_()
    read("one")
    (writing / "go").touch()
    read("two")
    assert rows() == [("uncommitted", False)] * 2
    (writing / "go").touch()
    hand.wait_stopped("finished")
    hand.wait(
        lambda: (
            rows() == [("s2", False)] * 2
            and all(panel._items.item(at).data(ITEM).checkpoint_id for at in (0, 1))
        )
    )
