"""Fields for code: Python and SQL with colours, and JSON that knows its schema. Each
can open in a larger window.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from designer.look.theme import Look
from designer.panels.code.colours import Language
from designer.panels.code.json_positions import place_of
from designer.panels.code.text import CodeText
from designer.panels.code.window import CodeWindow
from designer.panels.fields.plain import (
    MISSING,
    JsonError,
    JsonField,
    LongTextField,
    parse_json,
)
from designer.panels.fields.schema import Schema, first_fault
from designer.panels.widgets.basic import icon_button


class Enlarger(QObject):
    """Opens the `CodeText` of a field in a window of its own.

    Each change goes to the form at once. So nothing is lost however the window is
    closed, and the check shows the same problems in both. Ctrl+Enter commits: the next
    change is another undo step.
    """

    def __init__(
        self, field: LongTextField, edit: CodeText, look: Look, language: Language
    ) -> None:
        super().__init__(field)
        self._field = field
        self._edit = edit
        self._look = look
        self._language = language
        self.window: CodeWindow | None = None
        self._error = ""
        self._place = (0, 0)
        self.button = icon_button(
            look, "fit", "Open in a larger window (Alt+Enter)", self.open
        )
        edit.enlarge.connect(self.open)
        edit.left.connect(edit.go_on)
        edit.finished.connect(self._finish)
        field.destroyed.connect(self._forget)

    def open(self) -> None:
        if self.window is not None:
            return
        title = self._edit.accessibleName() or "Code"
        window = CodeWindow(
            self._look, self._field.window(), title, self._language, self._edit.text()
        )
        window.set_read_only(self._edit.isReadOnly())
        cursor = self._edit.textCursor()
        window.text.go_to(cursor.blockNumber() + 1, cursor.positionInBlock() + 1)
        window.edited.connect(self._edit.take)
        window.finished_writing.connect(self._field.committed)
        window.finished.connect(self._closed)
        self.window = window
        self._tell_window()
        window.open()
        window.text.setFocus()

    def say(self, error: str) -> None:
        self._error = error
        self._tell_window()

    def mark(self, line: int, column: int) -> None:
        self._place = (line, column)
        self._edit.mark_place(line, column)
        self._tell_window()

    def _tell_window(self) -> None:
        if self.window is not None:
            self.window.say(self._error, *self._place)

    def _finish(self) -> None:
        self._field.committed.emit()
        self._edit.go_on()

    def _closed(self, _result: int) -> None:
        window = self.window
        self.window = None
        if window is not None:
            cursor = window.text.textCursor()
            self._edit.go_to(cursor.blockNumber() + 1, cursor.positionInBlock() + 1)
            self._edit.setFocus()

    def _forget(self) -> None:
        window = self.window
        self.window = None
        if window is not None:
            window.edited.disconnect()
            window.reject()


class CodeField(LongTextField):
    """Source code. Without a value it shows the default, as a text to change."""

    def __init__(self, look: Look, language: Language) -> None:
        is_python = language == "python"
        self.code = CodeText(
            look, language, least=6 if is_python else 3, numbers=is_python
        )
        super().__init__(data=True, edit=self.code)
        self._default = ""
        self.large = Enlarger(self, self.code, look, language)

    def tools(self) -> Sequence[QWidget]:
        return (self.large.button,)

    def value(self) -> Any:
        text = self.text()
        return MISSING if text == self._default else text

    def put(self, value: Any) -> None:
        super().put(self._default if value is MISSING or value is None else value)

    def set_default(self, value: Any) -> None:
        self._default = value if isinstance(value, str) else ""
        if self._shown is MISSING:
            self.put(MISSING)

    def set_hint(self, text: str) -> None:
        if not self._default:
            super().set_hint(text)

    def say(self, error: str) -> None:
        self.large.say(error)

    def mark_place(self, line: int, column: int) -> None:
        self.large.mark(line, column)

    def _holds(self, value: Any) -> bool:
        if value is MISSING or value is None:
            value = self._default
        return bool(self.text() == value)


class JsonEdit(JsonField):
    """JSON with colours. A mistake in the JSON or against the schema is marked at its
    place.
    """

    def __init__(
        self, look: Look, schema: Schema | None = None, least: int = 3
    ) -> None:
        self.code = CodeText(look, "json", least=least, numbers=False)
        self.code.setTabChangesFocus(True)
        super().__init__(edit=self.code)
        self._schema = schema
        self.large = Enlarger(self, self.code, look, "json")

    def tools(self) -> Sequence[QWidget]:
        return (self.large.button,)

    def say(self, error: str) -> None:
        self.large.say(error)
        self.large.mark(*(self._fault() if error else (0, 0)))

    def _fault(self) -> tuple[int, int]:
        text = self.text()
        try:
            value = parse_json(text)
        except JsonError as error:
            return error.line, error.column
        if self._schema is None:
            return 0, 0
        path = first_fault(value, self._schema)
        return place_of(text, path) if path is not None else (0, 0)
