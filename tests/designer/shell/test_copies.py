"""Nodes as text from one window to another, and several nodes put in line from their
properties.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from designer.model import edits, frames
from designer.session.session import DebugSession
from designer.shell.find.command_palette import CommandPalette
from tests.designer.fakes import RecordingLink
from tests.designer.shell.support import Hand, draw, opened

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
K = Qt.Key
CTRL = Qt.KeyboardModifier.ControlModifier


def test_nodes_and_frames_travel_to_another_window_as_text(
    desk: Hand, qtbot: QtBot, tmp_path: Path
) -> None:
    workspace = draw(desk)
    design, _ = frames.add(
        workspace.document.design, "note", (-300, 0, 200, 96), "Read me"
    )
    workspace.document.apply("x", design)
    workspace.canvas.setFocus()
    desk.key(K.Key_A, CTRL)
    desk.key(K.Key_C, CTRL)
    assert QGuiApplication.clipboard().text().startswith('{"stepwell"')
    other = tmp_path / "other"
    other.mkdir()
    with opened(qtbot, other, lambda: DebugSession(RecordingLink())) as second:
        there = second.window.new_document()
        there.canvas.setFocus()
        second.key(K.Key_V, CTRL)
        pasted = there.document.design
        assert [node.model_dump() for node in pasted.workflow.nodes] == [
            node.model_dump() for node in design.workflow.nodes
        ]
        assert [edge.kind for edge in pasted.workflow.edges] == [
            edge.kind for edge in design.workflow.edges
        ]
        assert [frame.text for frame in frames.frames_of(pasted)] == ["Read me"]
        second.key(K.Key_Z, CTRL)
        assert not there.document.design.workflow.nodes


@pytest.mark.parametrize("by_key", [False, True])
def test_the_properties_of_several_nodes_put_them_in_line(
    desk: Hand, *, by_key: bool
) -> None:
    workspace = draw(desk)
    nodes = [node.id for node in workspace.document.design.workflow.nodes][:3]
    places = {node: (float(at * 30), float(at * 200)) for at, node in enumerate(nodes)}
    design = edits.rename(
        edits.move(workspace.document.design, places),
        nodes[0],
        "A name that makes a node wider",
    )
    workspace.document.apply("x", design)
    workspace.document.select(set(nodes))
    steps = workspace.document.undo_stack.index()
    right = desk.button("Right", workspace.panels["Properties"])
    if by_key:
        right.setFocus()
        desk.key(K.Key_Space)
    else:
        desk.click(right, QPoint(6, 6))
    assert (
        len({workspace.canvas.scene().boxes[node].rect.right() for node in nodes}) == 1
    )
    assert (
        len({workspace.canvas.scene().boxes[node].rect.left() for node in nodes}) > 1
    ), "it judges by corners"
    assert workspace.document.undo_stack.index() == steps + 1


def test_nodes_are_put_in_line_by_the_command_palette(hand: Hand) -> None:
    workspace = draw(hand)
    nodes = [node.id for node in workspace.document.design.workflow.nodes][:3]
    design = edits.move(
        workspace.document.design,
        {node: (float(at * 30), at * 200.0) for at, node in enumerate(nodes)},
    )
    workspace.document.apply("x", design)
    workspace.document.select(set(nodes))
    workspace.canvas.setFocus()
    hand.key(K.Key_K, CTRL)
    palette = hand.window.findChild(CommandPalette)
    assert palette is not None
    QTest.keyClicks(palette.search, "align left")
    QTest.keyClick(palette.search, K.Key_Return)
    assert {workspace.document.design.positions[node][0] for node in nodes} == {0.0}
