"""The past is asked in the whole window with a real host: by keys and mouse, with a
breakpoint, and of a run that was opened again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from designer.model import files
from designer.model.design import Design
from designer.panels.log.panel import LogPanel
from designer.panels.timeline.panel import TimelinePanel
from runtime.document.definition import (
    DirectEdge,
    NodeDefinition,
    WorkflowDefinition,
)
from tests.designer.shell.support import Hand, opened

K = Qt.Key
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
CODE = """
def count(message: int, ctx) -> int:
    ctx.set_state("seen", message)
    return message + 1
"""


@pytest.fixture
def hand(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Hand]:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "data"))
    with opened(qtbot, tmp_path) as hand:
        yield hand
        assert hand.somebody.told == []


def document(folder: Path) -> Path:
    """Two nodes that count to twelve in turn."""
    (folder / "counting.py").write_text(CODE)
    nodes = tuple(
        NodeDefinition(
            id=node,
            type="python_function",
            name=node.title(),
            params={"function": "counting:count"},
        )
        for node in ("ping", "pong")
    )
    edges = (
        DirectEdge(id="there", source="ping", target="pong", condition="message < 12"),
        DirectEdge(id="back", source="pong", target="ping"),
    )
    workflow = WorkflowDefinition(
        name="counting", start="ping", input=0, nodes=nodes, edges=edges
    )
    path = folder / "counting.stepwell.json"
    files.save(path, Design(workflow, {"ping": (0.0, 0.0), "pong": (300.0, 0.0)}))
    return path


def timeline(hand: Hand) -> TimelinePanel:
    panel = hand.workspace.panels["Timeline"]
    assert isinstance(panel, TimelinePanel)
    return panel


def ask(hand: Hand, text: str) -> list[str]:
    """Ask by the keyboard. Return what the list of hits says."""
    hand.key(K.Key_F, CTRL | SHIFT)
    editor = timeline(hand).search.field.editor
    editor.selectAll()
    hand.type(text)
    timeline(hand).search.field.completer.close()
    hand.key(K.Key_Return)
    past = hand.workspace.session.past
    hand.wait(lambda: past.active is not None)
    question = past.active
    assert question is not None
    hand.wait(lambda: question.is_done)
    rows = timeline(hand).hits.rows
    hand.wait(lambda: rows.rowCount() == len(question.hits))
    return [rows.index(row, 2).data() for row in range(rows.rowCount())]


def test_when_it_happened_is_asked_and_run_back_to_also_when_opened_again(
    hand: Hand, tmp_path: Path
) -> None:
    hand.window.files.open(document(tmp_path))
    workspace = hand.workspace
    session = workspace.session
    hand.wait(lambda: bool(session.infos))
    hand.key(K.Key_F5)
    hand.wait_stopped("finished")
    # The write of one key, as a question.
    assert ask(hand, "write seen: value == 7") == ["pong wrote seen: 6 → 7"]
    table = timeline(hand).hits.table
    where = table.visualRect(timeline(hand).hits.rows.index(0, 2)).center()
    hand.qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=where)
    hand.wait(lambda: session.mode == "past")
    header = session.timeline.header(session.viewing)
    assert header is not None
    assert header.superstep == 8
    hand.wait(lambda: "hit 1 of 1" in workspace.banner.text)
    hand.click(timeline(hand).search.close_button)
    # A breakpoint that was set after the run stops in its past.
    workspace.document.select({"ping"})
    workspace.canvas.setFocus()
    hand.key(K.Key_F9)
    hand.key(K.Key_F5, SHIFT | ALT)
    hand.wait(lambda: not session.past.reversing and session.viewing != header.id)
    before = session.timeline.header(session.viewing)
    assert before is not None
    assert before.superstep == 7
    # The same of the store alone, in a window that has run nothing.
    hand.window.close_page()
    hand.window.files.open(tmp_path / "counting.stepwell.json")
    hand.wait(lambda: hand.workspace.session.timeline.rowCount() >= 13)
    assert ask(hand, "state.seen == 5") == ["seen: 5"]
    hand.key(K.Key_F3)
    hand.wait(lambda: hand.workspace.session.mode == "past")
    log = hand.show("Log")
    assert isinstance(log, LogPanel)
    hand.wait(lambda: any("pong wrote seen: 4 → 5" in each.text for each in log.items))
