"""Undo and redo keys in a text field: first what is being typed there, and with none of that left the document's.

Qt's text fields take these keys also when they have nothing to undo, so that undo got stuck in them. What is settled is
a step of the document: a field that went on to undo it by itself would add a step that takes back another.
"""

from __future__ import annotations

from typing import cast

import shiboken6
from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt
from PySide6.QtGui import QKeyEvent, QUndoStack
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QWidget

_CTRL = Qt.KeyboardModifier.ControlModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier
# Qt's own key for redo is another one on each system: here all of them are known on each.
_KEYS = {
    (Qt.Key.Key_Z, _CTRL): "undo",
    (Qt.Key.Key_Y, _CTRL): "redo",
    (Qt.Key.Key_Z, _CTRL | _SHIFT): "redo",
}


class FieldUndo(QObject):
    """Watches the text field inside of `area` that has the focus. `forget` when what was typed there is settled."""

    def __init__(self, area: QWidget, stack: QUndoStack) -> None:
        super().__init__(area)
        self._area = area
        self._stack = stack
        self._base = 0  # steps of the document when the history of the field began
        self._field: QLineEdit | QPlainTextEdit | None = None
        self._application = cast("QApplication", QApplication.instance())
        self._application.focusChanged.connect(self._on_focus)
        stack.destroyed.connect(self._stop)

    def forget(self) -> None:
        """Nothing that was typed so far is undone in the field any more."""
        if not shiboken6.isValid(self._stack):
            # at the end of the program the document may go first, without a word
            return
        self._base = self._stack.index()
        if isinstance(self._field, QPlainTextEdit):
            self._field.document().clearUndoRedoStacks()
        elif self._field is not None:
            _clear_history(self._field)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kinds = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        if event.type() not in kinds or not isinstance(event, QKeyEvent):
            return False
        deed = _KEYS.get((Qt.Key(event.key()), event.modifiers()))
        if deed is None:
            return False
        event.setAccepted(self._can(deed))
        if (
            event.isAccepted()
            and event.type() == QEvent.Type.KeyPress
            and self._field is not None
        ):
            self._field.undo() if deed == "undo" else self._field.redo()
        return True

    def _can(self, deed: str) -> bool:
        # What is typed is one step of the document. With more, something else was done meanwhile, and is undone first.
        if not self._base <= self._stack.index() <= self._base + 1:
            self.forget()
        field = self._field
        if field is None or field.isReadOnly():
            return False
        history = field.document() if isinstance(field, QPlainTextEdit) else field
        if deed == "undo":
            return history.isUndoAvailable()
        return history.isRedoAvailable()

    def _on_focus(self, _old: QWidget | None, focused: QWidget | None) -> None:
        if focused is self._field:
            return
        if self._field is not None:
            self._field.removeEventFilter(self)
            self._field.destroyed.disconnect(self._on_gone)
        inside = isinstance(
            focused, (QLineEdit, QPlainTextEdit)
        ) and self._area.isAncestorOf(focused)
        if inside and isinstance(focused, (QLineEdit, QPlainTextEdit)):
            self._field = focused
        else:
            self._field = None
        if self._field is not None:
            self._field.installEventFilter(self)
            self._field.destroyed.connect(self._on_gone)
            self.forget()

    def _stop(self) -> None:
        """The document goes before the widgets do, which then hand the focus round among them."""
        self._application.focusChanged.disconnect(self._on_focus)

    def _on_gone(self) -> None:
        self._field = None


def _clear_history(field: QLineEdit) -> None:
    """A text that is set has no history; cursor and selection stay."""
    cursor = field.cursorPosition()
    start = field.selectionStart()
    length = len(field.selectedText())
    with QSignalBlocker(field):
        field.setText(field.text())
        field.setCursorPosition(cursor)
        if start >= 0:
            field.setSelection(start, length)
