"""Edge groups in the real window: its shortcuts and the keys of fields and canvas leave
each other alone; what is made survives save and reopen.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication

from designer.model.edits import conditions_of
from designer.panels.properties.panel import PropertiesPanel
from designer.shell.workspace import Workspace
from tests.designer.shell.support import Hand, draw

ALT = Qt.KeyboardModifier.AltModifier
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def switch(workspace: Workspace) -> Any:
    return next(
        edge
        for edge in workspace.document.design.workflow.edges
        if edge.kind == "switch"
    )


def cases(hand: Hand, workspace: Workspace) -> Any:
    workspace.document.select({switch(workspace).id})
    panel = hand.show("Properties")
    assert isinstance(panel, PropertiesPanel)
    hand.wait(lambda: panel.editor is not None and hasattr(panel.editor, "cases"))
    QApplication.processEvents()
    return panel.editor.cases  # type: ignore[union-attr]


def test_alt_and_arrows_order_cases_also_where_the_window_has_that_key(
    hand: Hand,
) -> None:
    workspace = draw(hand)
    made = cases(hand, workspace)
    elsewhere = []
    for key in ("Alt+Up", "Alt+Down"):
        QShortcut(QKeySequence(key), hand.window).activated.connect(
            lambda: elsewhere.append(True)
        )
    before = [case.name for case in switch(workspace).cases]
    for part in (0, 2):
        made.cards[0].parts()[part].setFocus()
        hand.key(Qt.Key.Key_Down, ALT)
        assert [case.name for case in switch(workspace).cases] == before[::-1]
        hand.key(Qt.Key.Key_Up, ALT)
        assert [case.name for case in switch(workspace).cases] == before
    assert workspace.document.undo_stack.count() == 5  # with the drawing
    assert elsewhere == []


def test_escape_in_a_condition_closes_the_list_of_words_before_anything_else(
    desk: Hand,
) -> None:
    workspace = draw(desk)
    when = cases(desk, workspace).cards[0].when
    when.editor.setFocus()
    when.editor.selectAll()
    desk.type("message.li")
    assert when.completer.is_open
    desk.key(Qt.Key.Key_Escape)
    assert not when.completer.is_open
    assert workspace.document.selection == {switch(workspace).id}
    desk.type("cence ")
    assert switch(workspace).cases[0].when == "message.licence "


def test_a_condition_edited_on_the_canvas_is_kept_in_the_file(
    desk: Hand, tmp_path: Path
) -> None:
    workspace = draw(desk)
    workspace.canvas.setFocus()
    workspace.canvas.select({switch(workspace).id})
    desk.key(Qt.Key.Key_W)
    place = workspace.canvas.conditions
    assert place.field is not None
    place.field.editor.selectAll()  # type: ignore[attr-defined]
    desk.type("message.kept ")
    desk.key(Qt.Key.Key_Return)
    assert workspace.canvas.hasFocus()
    desk.key(Qt.Key.Key_S, CTRL)
    desk.somebody.open_from = desk.somebody.save_to
    desk.key(Qt.Key.Key_W, CTRL)
    desk.key(Qt.Key.Key_O, CTRL)
    assert conditions_of(switch(desk.workspace))[0] == "message.kept "


def test_groups_are_made_and_unmade_on_the_canvas_by_keys_alone(hand: Hand) -> None:
    workspace = draw(hand)
    document = workspace.document
    canvas = workspace.canvas
    canvas.setFocus()
    count = len(document.design.workflow.nodes)
    fan = next(
        edge for edge in document.design.workflow.edges if edge.kind == "fan_out"
    )
    canvas.select({fan.targets[0]})
    steps = document.undo_stack.index()
    hand.key(Qt.Key.Key_Right, CTRL | SHIFT)
    assert len(document.selection) > 1
    canvas.select({fan.targets[0]})
    hand.key(Qt.Key.Key_Delete, CTRL)
    assert len(document.design.workflow.nodes) == count - 1
    hand.key(Qt.Key.Key_Z, CTRL)
    assert len(document.design.workflow.nodes) == count
    canvas.select({fan.id})
    hand.key(Qt.Key.Key_C)
    assert canvas.gesture is not None
    hand.key(Qt.Key.Key_Escape)
    assert [canvas.gesture, document.undo_stack.index()] == [None, steps]
