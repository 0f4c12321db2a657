"""A map of texts, or of lists of texts, as a table: headers, query, parameters, entries
and exits of a sub-workflow.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from designer.look.fonts import data_font
from designer.look.theme import Look
from designer.panels.code.completer import Completer, Line, Offers
from designer.panels.fields.plain import MISSING, TypedField
from designer.panels.widgets.basic import button, icon_button, set_style
from designer.qt.layouts import column, put, row

HEADERS = (
    "Accept", "Accept-Language", "Authorization", "Cache-Control", "Content-Type", "Idempotency-Key",
    "If-Modified-Since", "If-None-Match", "Origin", "Prefer", "Referer", "User-Agent", "X-API-Key", "X-Request-ID",
)  # fmt: skip
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class _Line(NamedTuple):
    holder: QWidget
    name: QLineEdit
    text: QLineEdit
    # The name and the value of the row, each in a list that typing empties. They are
    # kept because a line cannot show every text, and a value may be no text.
    named: list[str]
    shown: list[Any]


class TableField(TypedField):
    """A name and a text in each row. Enter goes on, from the last text to a new row; an
    empty row does not count.

    `hint` describes the texts, `head` the names; `names` and `texts` complete them.
    With `lists` a text is a list of texts with commas between them.
    """

    wide = True

    def __init__(
        self,
        look: Look,
        hint: str = "",
        names: Offers | None = None,
        *,
        head: str = "Name",
        lists: bool = False,
        texts: Offers | None = None,
    ) -> None:
        super().__init__()
        self._head = head
        self._lists = lists
        self._texts = texts
        self._look = look
        self._hint = hint
        self._names = names
        self._present = False
        self._read_only = False
        self._lines: list[_Line] = []
        self._table = QWidget()
        self._rows = column(self._table, gap=4)
        self.add = button("Add", self._on_add, small=True)
        self._table.setFocusProxy(self.add)
        layout = column(self, gap=4)
        layout.addWidget(self._table)
        put(layout, row(self.add, None))

    def editor(self) -> QWidget:
        return self._table

    @property
    def lines(self) -> list[tuple[QLineEdit, QLineEdit]]:
        """The fields of each row: name and text."""
        return [(line.name, line.text) for line in self._lines]

    def value(self) -> Any:
        table: dict[str, Any] = {}
        for line in self._lines:
            name = line.named[0] if line.named else line.name.text().strip()
            if not name and not line.text.text():
                continue
            if not name:
                raise ValueError(f"“{line.text.text()}” needs a name before it.")
            if name in table:
                raise ValueError(f"'{name}' is there twice.")
            if line.shown:
                table[name] = line.shown[0]
            else:
                table[name] = self._read(name, line.text.text())
        return table if table or self._present else MISSING

    def _read(self, name: str, text: str) -> Any:
        if not self._lists:
            return text
        parts = [part.strip() for part in text.split(",") if part.strip()]
        if not parts:
            raise ValueError(f"'{name}' needs something beside it.")
        return parts

    def _written(self, value: Any) -> str:
        if isinstance(value, str):
            return value
        if self._lists and _can_be_joined(value):
            return ", ".join(value)
        return json.dumps(value, ensure_ascii=False)

    def put(self, value: Any) -> None:
        self._fill(list(value.items()) if isinstance(value, Mapping) else [])
        self._present = isinstance(value, Mapping)

    def text(self) -> str:
        return json.dumps(
            [[line.name.text(), line.text.text()] for line in self._lines]
        )

    def type_in(self, draft: str) -> None:
        self._fill([(name, text) for name, text in json.loads(draft)])
        if self._lists:
            for line in self._lines:
                line.shown.clear()  # because the typed text stands for a list
        self.edited.emit()

    def set_read_only(self, on: bool) -> None:
        self._read_only = on
        self.add.setEnabled(not on)
        for line in self._lines:
            _lock(line, on)

    def set_invalid(self, on: bool) -> None:
        for line in self._lines:
            set_style(line.text, invalid=on)

    def mark(self, names: Collection[str]) -> None:
        """Mark the texts of these names as wrong, and no others."""
        for line in self._lines:
            set_style(line.text, invalid=line.name.text() in names)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and not self._read_only
        ):
            lines = [line for line in self._lines if watched in (line.name, line.text)]
            if lines and self._takes(lines[0], watched, Qt.Key(event.key())):
                return True
        return super().eventFilter(watched, event)

    # --- inside

    def _takes(self, line: _Line, watched: QObject, key: Qt.Key) -> bool:
        is_empty = not line.name.text() and not line.text.text()
        if key == Qt.Key.Key_Backspace and watched is line.name and is_empty:
            index = self._lines.index(line)
            self._on_remove(line)
            before = self._lines[max(0, index - 1)].text if self._lines else self.add
            before.setFocus()
            return True
        if key not in _ENTER:
            return False
        self.committed.emit()
        if watched is line.name:
            line.text.setFocus()
        elif line is not self._lines[-1]:
            self._lines[self._lines.index(line) + 1].name.setFocus()
        elif line.name.text():
            self._on_add()
        return True

    def _fill(self, items: Sequence[tuple[str, Any]]) -> None:
        while len(self._lines) > len(items):
            self._drop(self._lines[-1])
        while len(self._lines) < len(items):
            self._append()
        for line, (name, value) in zip(self._lines, items, strict=True):
            shown = self._written(value)
            line.named[:] = [name]
            line.shown[:] = [value]
            for edit, text in ((line.name, name), (line.text, shown)):
                if edit.text() != text:
                    edit.setText(text)
                    edit.setCursorPosition(0)

    def _append(self) -> _Line:
        name = QLineEdit()
        text = QLineEdit()
        number = len(self._lines) + 1
        name.setPlaceholderText(self._head)
        text.setPlaceholderText(self._hint)
        name.setAccessibleName(f"{self._head} {number}")
        text.setAccessibleName(f"Value {number}")
        holder = QWidget()
        line = _Line(holder, name, text, [], [])
        remove = icon_button(
            self._look, "x", f"Remove row {number}", lambda: self._on_remove(line)
        )
        put(holder, row((name, 2), (text, 3), remove, gap=4))
        for edit in (name, text):
            edit.setFont(data_font())
            edit.installEventFilter(self)
            edit.editingFinished.connect(self.committed)
        name.textEdited.connect(lambda _text: self._on_typed(line.named))
        text.textEdited.connect(lambda _text: self._on_typed(line.shown))
        for edit, offers in ((name, self._names), (text, self._texts)):
            if offers is not None:
                Completer(Line(edit), self._look, offers, opens_after="_-.( ")
        self._lines.append(line)
        self._rows.addWidget(holder)
        _lock(line, self._read_only)
        self._table.setFocusProxy(self._lines[0].name)
        return line

    def _drop(self, line: _Line) -> None:
        self._lines.remove(line)
        self._rows.removeWidget(line.holder)
        line.holder.hide()
        line.holder.deleteLater()
        self._table.setFocusProxy(self._lines[0].name if self._lines else self.add)

    def _on_typed(self, was: list[Any]) -> None:
        was.clear()
        self._tell()

    def _on_add(self) -> None:
        self._append().name.setFocus()

    def _on_remove(self, line: _Line) -> None:
        self._drop(line)
        self._tell()
        self.committed.emit()

    def _tell(self) -> None:
        self._present = bool(self._lines)
        self.edited.emit()


def _can_be_joined(value: Any) -> bool:
    """Return whether a value is a list of texts that can be split at commas again."""
    return isinstance(value, list) and all(
        isinstance(text, str) and "," not in text for text in value
    )


def _lock(line: _Line, on: bool) -> None:
    for edit in (line.name, line.text):
        edit.setReadOnly(on)
    for tool in line.holder.findChildren(QWidget):
        if not isinstance(tool, QLineEdit):
            tool.setEnabled(not on)
