"""The pieces of a streamed answer are read in the window while they come; a real host, and a model on loopback."""

import json
from threading import Event

import pytest
from PySide6.QtCore import Qt

from runtime.definition import WorkflowDefinition, WorkflowFile
from runtime.files import write_file
from tests.designer.shell.support import opened
from tests.end_to_end.chat_server import chat_server

PIECES = ("Hel", "lo ", "you")


@pytest.fixture
def hand(qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("OPENAI_API_KEY", "very-secret")
    with opened(qtbot, tmp_path) as hand:
        yield hand


def document(folder, url):
    params = {"model": "m", "base_url": f"{url}/v1", "retries": 0, "prompt": "{message}"}
    nodes = [{"id": "chat", "type": "chat_model", "name": "Model", "params": params}, {"id": "out", "type": "output"}]
    edges = [{"id": "e", "kind": "direct", "source": "chat", "target": "out"}]
    workflow = WorkflowDefinition.model_validate({"start": "chat", "input": "hi", "nodes": nodes, "edges": edges})
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
    told = [item.text for item in hand.workspace.panels["Events"].items if item.kind == "told"]
    assert [json.loads(text.partition("data ")[2].replace("'", '"')) for text in told] == list(PIECES)
