"""The hands of somebody who has no mouse: key events alone, to whatever has the focus."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from designer.panels.properties.node_editor import NodeEditor
from designer.panels.properties.workflow_editor import WorkflowEditor
from tests.designer.shell.support import Hand
from tests.end_to_end.builder import CTRL, SHIFT, editor_of


class Keys:
    """`hand` is used for its keys only."""

    def __init__(self, hand: Hand) -> None:
        self.hand = hand

    def add(self, words: str) -> None:
        """Tab on the canvas, a search, Enter."""
        self.hand.key(Qt.Key.Key_Tab)
        self.hand.type(words)
        self.hand.key(Qt.Key.Key_Return)

    def lead_to_new(self, words: str, name: str = "", text: str = "") -> None:
        """A wire from the node that is selected to a new one: C, then Tab; name and
        text, then back to the canvas.
        """
        self.hand.key(Qt.Key.Key_C)
        self.add(words)
        if name:
            self.hand.key(Qt.Key.Key_F2)
            self.hand.type(name)
            self.hand.key(Qt.Key.Key_Return)
            self.tab_to(self.param("text"))
            self.hand.key(Qt.Key.Key_A, CTRL)
            self.hand.type(text)
            self.hand.key(Qt.Key.Key_Escape)

    def go(self, *ways: str) -> None:
        """Arrow keys on the canvas: `left`, or `shift right` to choose that node as
        well.
        """
        for way in ways:
            shift, _, arrow = way.rpartition(" ")
            key = Qt.Key[f"Key_{arrow.capitalize()}"]
            self.hand.key(key, SHIFT if shift else Qt.KeyboardModifier.NoModifier)

    def give_input(self, text: str) -> None:
        """With nothing selected: Enter for the properties of the workflow, its default
        input, Escape.
        """
        self.hand.key(Qt.Key.Key_Return)
        editor = editor_of(self.hand)
        assert isinstance(editor, WorkflowEditor)
        self.tab_to(editor.input.editor())
        self.hand.type(text)
        self.hand.key(Qt.Key.Key_Escape)

    def param(self, name: str) -> QWidget:
        editor = editor_of(self.hand)
        assert isinstance(editor, NodeEditor)
        assert editor.form is not None
        return editor.form.field(name).editor()

    def tab_to(self, wanted: QWidget, most: int = 10) -> None:
        """Tab until a widget has the focus."""
        for _ in range(most):
            if wanted.hasFocus():
                return
            self.hand.key(Qt.Key.Key_Tab)
        raise AssertionError(
            f"{most} times Tab, and {QApplication.focusWidget()} has the focus"
        )
