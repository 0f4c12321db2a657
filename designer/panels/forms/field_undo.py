"""Undo and redo keys in a text field: they undo the typing in the field first, then
steps of the document.

This is needed because Qt's text fields take these keys even when they have nothing to
undo, so undo would end in them. A committed text is a step of the document. If the
field undid it by itself, that would add a step that reverses another step.
"""

from __future__ import annotations

from typing import cast

import shiboken6
from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt
from PySide6.QtGui import QKeyEvent, QUndoStack
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QWidget

_CTRL = Qt.KeyboardModifier.ControlModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier
# All keys for redo on each system, because Qt's own key differs from system to system.
_KEYS = {
    (Qt.Key.Key_Z, _CTRL): "undo",
    (Qt.Key.Key_Y, _CTRL): "redo",
    (Qt.Key.Key_Z, _CTRL | _SHIFT): "redo",
}


class FieldUndo(QObject):
    """Watches the focused text field inside `area`. Call `forget` when the text was
    committed.
    """

    def __init__(self, area: QWidget, stack: QUndoStack) -> None:
        super().__init__(area)
        self._area = area
        self._stack = stack
        self._base = (
            0  # index of the document's undo stack when the field's history began
        )
        self._field: QLineEdit | QPlainTextEdit | None = None
        self._application = cast("QApplication", QApplication.instance())
        self._application.focusChanged.connect(self._on_focus)
        stack.destroyed.connect(self._stop)

    def forget(self) -> None:
        """Clear the undo history of the field, because its text was committed."""
        if not shiboken6.isValid(self._stack):
            # At the end of the program the document may be destroyed before the field.
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
        action = _KEYS.get((Qt.Key(event.key()), event.modifiers()))
        if action is None:
            return False
        event.setAccepted(self._can(action))
        if (
            event.isAccepted()
            and event.type() == QEvent.Type.KeyPress
            and self._field is not None
        ):
            self._field.undo() if action == "undo" else self._field.redo()
        return True

    def _can(self, action: str) -> bool:
        # Typing is one step of the document. With more steps the field's history is no
        # longer the newest.
        if not self._base <= self._stack.index() <= self._base + 1:
            self.forget()
        field = self._field
        if field is None or field.isReadOnly():
            return False
        history = field.document() if isinstance(field, QPlainTextEdit) else field
        if action == "undo":
            return history.isUndoAvailable()
        return history.isRedoAvailable()

    def _on_focus(self, _old: QWidget | None, focused: QWidget | None) -> None:
        if focused is self._field:
            return
        if self._field is not None:
            self._field.removeEventFilter(self)
            self._field.destroyed.disconnect(self._on_gone)
        self._field = None
        if focused is None or not self._area.isAncestorOf(focused):
            return
        if isinstance(focused, (QLineEdit, QPlainTextEdit)):
            self._field = focused
            focused.installEventFilter(self)
            focused.destroyed.connect(self._on_gone)
            self.forget()

    def _stop(self) -> None:
        """Stop watching, because the document is destroyed before the widgets, whose
        end moves the focus around.
        """
        self._application.focusChanged.disconnect(self._on_focus)

    def _on_gone(self) -> None:
        self._field = None


def _clear_history(field: QLineEdit) -> None:
    """Clear the undo history: setting a text does so. Keep cursor and selection."""
    cursor = field.cursorPosition()
    start = field.selectionStart()
    length = len(field.selectedText())
    with QSignalBlocker(field):
        field.setText(field.text())
        field.setCursorPosition(cursor)
        if start >= 0:
            field.setSelection(start, length)
