"""The cheat sheet: every key of the window in groups, to search, to copy as text, or to
save for printing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QBuffer, QIODevice, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPdfWriter, QTextDocument
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QScrollArea, QWidget

from designer.look.theme import Look
from designer.panels.widgets.basic import (
    SearchField,
    button,
    copy_text,
    hairline,
    label,
)
from designer.panels.widgets.dialog import Dialog
from designer.qt.layouts import column, put, row
from designer.shell.keys.rows import KeyRow
from runtime.document.files import write_bytes


class Line(NamedTuple):
    """A command or gesture, and all its keys."""

    group: str
    text: str
    keys: tuple[str, ...]

    def fits(self, words: Sequence[str]) -> bool:
        text = " ".join((self.group, self.text, *self.keys)).casefold()
        return all(word in text for word in words)


def _lines(rows: Sequence[KeyRow]) -> list[Line]:
    """Return one line for each command, group by group, in the order of the first rows."""
    groups = list(dict.fromkeys(row.group for row in rows))
    keys_of: dict[tuple[str, str], list[str]] = {}
    for entry in sorted(rows, key=lambda entry: groups.index(entry.group)):
        keys_of.setdefault((entry.group, entry.text), []).append(entry.keys)
    lines = []
    for (group, text), keys in keys_of.items():
        lines.append(Line(group, text, tuple(dict.fromkeys(keys))))
    return lines


class ShortcutList(Dialog):
    """Emits `change_requested` to change keys, and `save_requested` to save the sheet."""

    change_requested = Signal()
    save_requested = Signal()

    def __init__(
        self, look: Look, rows: Sequence[KeyRow], parent: QWidget, preset: str = ""
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(" — ".join(filter(None, ("Keyboard shortcuts", preset))))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._rows: list[tuple[Line, list[QWidget]]] = []
        self._heads: dict[str, QLabel] = {}
        self.search = SearchField(look, "Find a command or a key")
        self.search.textChanged.connect(self._filter)
        self.nothing = label("No command and no key has these words.", "secondary")
        self.nothing.hide()
        self.copy_button = button("Copy as text")
        self.change_button = button("Change…")
        self.save_button = button("Save…", self.save_requested.emit)
        self.save_button.setToolTip("Save as HTML or PDF, to be printed")
        self.copy_button.clicked.connect(lambda: copy_text(self.as_text()))
        self.change_button.clicked.connect(self.change_requested)
        scroll = QScrollArea(widgetResizable=True)
        scroll.setAccessibleName("Commands and their keys")
        scroll.setWidget(self._grid(_lines(rows)))
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        layout = column(self)
        tools = (self.search, self.copy_button, self.save_button, self.change_button)
        put(layout, row(*tools, gap=8, margins=(12, 12, 12, 12)))
        layout.addWidget(hairline())
        layout.addWidget(scroll, 1)
        self.search.setFocus()

    def sizeHint(self) -> QSize:
        return QSize(640, 720)

    @property
    def shown(self) -> list[str]:
        """The commands that match the search."""
        return [entry.text for entry, parts in self._rows if not parts[0].isHidden()]

    def as_text(self) -> str:
        """Return the lines that are shown, under the names of their groups."""
        groups = []
        for group, entries in self._visible():
            lines = [f"  {', '.join(line.keys):<40}{line.text}" for line in entries]
            groups.append("\n".join([group, *lines]))
        return "\n\n".join(groups) + "\n"

    def _visible(self) -> Iterator[tuple[str, Iterator[Line]]]:
        lines = [entry for entry, parts in self._rows if not parts[0].isHidden()]
        return groupby(lines, lambda entry: entry.group)

    def save(self, path: Path) -> None:
        """Write the lines that are shown: as PDF if the name says so, otherwise as
        HTML. Raise `OSError`.
        """
        html = self._as_html()
        is_pdf = path.suffix.lower() == ".pdf"
        write_bytes(path, _pdf(html) if is_pdf else html.encode())

    def _as_html(self) -> str:
        title = escape(self.windowTitle())
        parts = [f'<!doctype html><meta charset="utf-8"><title>{title}</title>']
        parts.append(f"<h1>{title}</h1>")
        for group, entries in self._visible():
            parts.append(f'<h2>{escape(group)}</h2><table cellpadding="3">')
            for entry in entries:
                keys = ", ".join(map(_as_code, entry.keys))
                parts.append(f"<tr><td>{escape(entry.text)}</td><td>{keys}</td></tr>")
            parts.append("</table>")
        return "".join(parts)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return  # there is nothing to confirm
        super().keyPressEvent(event)

    def _grid(self, lines: Sequence[Line]) -> QWidget:
        inner = QWidget()
        inner.setProperty("role", "panel")
        grid = QGridLayout(inner)
        grid.setContentsMargins(16, 8, 16, 12)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(0, 1)
        grid.addWidget(self.nothing, 0, 0)
        for group, entries in groupby(lines, lambda entry: entry.group):
            self._add_group(grid, group, entries)
        grid.setRowStretch(grid.rowCount(), 1)
        return inner

    def _add_group(
        self, grid: QGridLayout, group: str, entries: Iterable[Line]
    ) -> None:
        head = self._heads[group] = label(group, "head")
        head.setContentsMargins(0, 10, 0, 2)
        grid.addWidget(head, grid.rowCount(), 0)
        for entry in entries:
            parts = [label(entry.text, wrap=True), _caps(entry.keys)]
            place = grid.rowCount()
            corner = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
            grid.addWidget(parts[0], place, 0)
            grid.addWidget(parts[1], place, 1, corner)
            self._rows.append((entry, parts))

    def _filter(self, pattern: str) -> None:
        words = pattern.casefold().split()
        for entry, parts in self._rows:
            for part in parts:
                part.setVisible(entry.fits(words))
        shown = {entry.group for entry, _ in self._rows if entry.fits(words)}
        for group, head in self._heads.items():
            head.setVisible(group in shown)
        self.nothing.setVisible(not shown)


def _caps(keys: Sequence[str]) -> QWidget:
    caps = QWidget()
    line = QHBoxLayout(caps)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(4)
    for key in keys:
        cap = QLabel(key)
        cap.setProperty("role", "cap")
        line.addWidget(cap)
    return caps


def _as_code(keys: str) -> str:
    return f"<code>{escape(keys)}</code>"


def _pdf(html: str) -> bytes:
    document = QTextDocument()
    buffer = QBuffer()
    document.setHtml(html)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    document.print_(writer)
    del writer  # because it writes the end of the file when it is deleted
    return bytes(buffer.data().data())
