"""Makes commands with Ctrl and a letter work while a text field has the focus.

On X11 a line edit handles the keys of Emacs, such as Ctrl+E for the end of the line, so
that a command of the window with the same key would not work. The common keys of fields
stay theirs: copy, cut, paste, undo, redo and select all.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

_FIELDS = (QLineEdit, QPlainTextEdit, QTextEdit, QAbstractSpinBox, QComboBox)
_LETTERS = range(Qt.Key.Key_A, Qt.Key.Key_Z + 1)
_OF_FIELDS = {
    Qt.Key.Key_A,
    Qt.Key.Key_C,
    Qt.Key.Key_V,
    Qt.Key.Key_X,
    Qt.Key.Key_Y,
    Qt.Key.Key_Z,
}


class FieldKeys(QObject):
    """Watches the field of the window that has the focus. `action_of` returns the
    command of a key, if the window has one that can be done now.
    """

    def __init__(
        self, window: QWidget, action_of: Callable[[QKeyEvent], QAction | None]
    ) -> None:
        super().__init__(window)
        self._window = window
        self._action_of = action_of
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._on_focus)

    def _on_focus(self, before: QWidget | None, after: QWidget | None) -> None:
        if isinstance(before, _FIELDS):
            before.removeEventFilter(self)
        if isinstance(after, _FIELDS) and self._window.isAncestorOf(after):
            after.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.ShortcutOverride:
            return False
        if not isinstance(event, QKeyEvent) or not self._is_command(event):
            return False
        # The field cannot take the key, so it stays a shortcut.
        event.ignore()
        return True

    def _is_command(self, event: QKeyEvent) -> bool:
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return False
        if event.key() not in _LETTERS or event.key() in _OF_FIELDS:
            return False
        return self._action_of(event) is not None
