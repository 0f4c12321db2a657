"""The fields in which a value of a checkpoint is typed: a line for a number, a text or a
word, JSON for everything else.

Every text means a value: what is no number where a number stood is sent as a text, and
the host says that it does not fit. So nothing that was typed is ever lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from designer.panels.fields.plain import (
    MISSING,
    JsonField,
    LongTextField,
    TextField,
    TypedField,
    parse_json,
    write_json,
)
from designer.panels.fields.typed_numbers import read_number
from designer.panels.surgery.rows import SCALARS
from designer.panels.widgets.basic import set_style

_CTRL = Qt.KeyboardModifier.ControlModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_WORDS = {"True": True, "False": False, "None": None}
# The keys that the task has also while one types.
KEYS = {
    (Qt.Key.Key_Z, _CTRL): "undo",
    (Qt.Key.Key_Y, _CTRL): "redo",
    (Qt.Key.Key_Z, _CTRL | _SHIFT): "redo",
    (Qt.Key.Key_D, _CTRL): "duplicate",
}
LONG = 60  # characters of a text that still are one line


def read_typed(text: str, kind: str) -> Any:
    """Return the value that was typed in the place of a value of a type."""
    if kind == "str":
        return text
    if kind in ("int", "float"):
        try:
            return read_number(text, whole=kind == "int")
        except ValueError:
            pass
    stripped = text.strip()
    if stripped in _WORDS:
        return _WORDS[stripped]
    try:
        return parse_json(text)
    except ValueError:
        return text


def typed_text(value: Any, kind: str) -> str:
    """Return a value as it is typed in the place of a value of a type."""
    if isinstance(value, str):
        return value
    if value is None and kind == "None":
        return "None"
    return write_json(value)


class LineField(TextField):
    """One line for a value of a type."""

    def __init__(self, kind: str, is_quiet: bool) -> None:
        super().__init__(data=True)
        self._kind = kind
        set_style(self.editor(), bare=is_quiet)

    def value(self) -> Any:
        return read_typed(self.editor().text(), self._kind)

    def put(self, value: Any) -> None:
        self.editor().setText("" if value is MISSING else typed_text(value, self._kind))
        self.editor().setCursorPosition(0)

    def be_quiet(self, *, on: bool) -> None:
        """Look like a text until the user comes to it."""
        set_style(self.editor(), bare=on)


class LinesField(LongTextField):
    """A text of several lines."""

    def value(self) -> Any:
        return self.text()


class AnyField(JsonField):
    """Any value as JSON. A text that is no JSON is one that the host refuses."""

    def value(self) -> Any:
        try:
            return super().value()
        except ValueError:
            return self.text()


def field_for(value: Any, kind: str, *, is_quiet: bool = False) -> TypedField:
    """Return an empty field for a value in the place of a value of a type."""
    if isinstance(value, dict | list):
        return AnyField(least=3)
    if not kind:
        return AnyField(least=1)
    is_long = isinstance(value, str) and ("\n" in value or len(value) > LONG)
    if is_long and kind == "str":
        return LinesField(data=True, least=3)
    return LineField(kind if kind in SCALARS else "", is_quiet)


def fits(field: TypedField, value: Any) -> bool:
    """Return whether a field can show a value."""
    return isinstance(field, AnyField) or not isinstance(value, dict | list)


class TaskKeys(QObject):
    """Gives the keys of the task to it while a field of it has the focus, because
    fields take them even if they have nothing to undo.
    """

    def __init__(self, field: QWidget, act: Callable[[str], object]) -> None:
        super().__init__(field)
        self._act = act
        field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kinds = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        if event.type() not in kinds or not isinstance(event, QKeyEvent):
            return False
        action = KEYS.get((Qt.Key(event.key()), event.modifiers()))
        if action is None:
            return False
        event.accept()
        if event.type() == QEvent.Type.KeyPress:
            self._act(action)
        return True
