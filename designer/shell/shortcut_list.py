"""The cheat sheet: every key of the window in its groups, found by typing, and copied as text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QGridLayout, QLabel, QScrollArea, QWidget

from designer.look.theme import Look
from designer.panels.widgets import SearchField, button, column, copy_text, hairline, label, row
from designer.shell.key_rows import KeyRow


class ShortcutList(QDialog):
    """`change_requested` when a person wants other keys."""

    change_requested = Signal()

    def __init__(self, look: Look, rows: Sequence[KeyRow], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keyboard shortcuts")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._rows: list[tuple[KeyRow, list[QLabel]]] = []
        self._heads: dict[str, QLabel] = {}
        self.search = SearchField(look, "Find a command or a key")
        self.search.textChanged.connect(self._filter)
        self.nothing = label("No command and no key has these words.", "secondary")
        self.nothing.hide()
        self.copy_button, self.change_button = button("Copy as text"), button("Change…")
        self.copy_button.clicked.connect(lambda: copy_text(self.as_text()))
        self.change_button.clicked.connect(self.change_requested)
        scroll = QScrollArea(widgetResizable=True)
        scroll.setWidget(self._grid(rows))
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        layout = column(self)
        layout.addLayout(row(self.search, self.copy_button, self.change_button, gap=8, margins=(12, 12, 12, 12)))
        layout.addWidget(hairline())
        layout.addWidget(scroll, 1)
        self.search.setFocus()

    def sizeHint(self) -> QSize:
        return QSize(640, 720)

    @property
    def shown(self) -> list[str]:
        """The commands that match what was typed."""
        return [entry.text for entry, labels in self._rows if not labels[0].isHidden()]

    def as_text(self) -> str:
        """What is shown, one line a key under the name of its group."""
        seen = [entry for entry, labels in self._rows if not labels[0].isHidden()]
        groups = (
            [group, *(f"  {entry.keys:<28}{entry.text}" for entry in entries)]
            for group, entries in groupby(seen, lambda entry: entry.group)
        )
        return "\n\n".join("\n".join(lines) for lines in groups) + "\n"

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return  # there is nothing to confirm
        super().keyPressEvent(event)

    def _grid(self, rows: Sequence[KeyRow]) -> QWidget:
        inner = QWidget()
        inner.setProperty("role", "panel")
        grid = QGridLayout(inner)
        grid.setContentsMargins(16, 8, 16, 12)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(0, 1)
        grid.addWidget(self.nothing, 0, 0)
        # Groups come together, in the order in which they are met first.
        for group in dict.fromkeys(entry.group for entry in rows):
            self._add_group(grid, group, [entry for entry in rows if entry.group == group])
        grid.setRowStretch(grid.rowCount(), 1)
        return inner

    def _add_group(self, grid: QGridLayout, group: str, entries: Sequence[KeyRow]) -> None:
        head = self._heads[group] = label(group, "head")
        head.setContentsMargins(0, 10, 0, 2)
        grid.addWidget(head, grid.rowCount(), 0)
        for entry in entries:
            labels = [label(entry.text, wrap=True), QLabel(entry.keys)]
            labels[1].setProperty("role", "cap")
            at = grid.rowCount()
            grid.addWidget(labels[0], at, 0)
            grid.addWidget(labels[1], at, 1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
            self._rows.append((entry, labels))

    def _filter(self, wanted: str) -> None:
        words = wanted.casefold().split()
        for entry, labels in self._rows:
            fits = all(word in " ".join(entry).casefold() for word in words)
            for made in labels:
                made.setVisible(fits)
        shown = {entry.group for entry, labels in self._rows if not labels[0].isHidden()}
        for group, head in self._heads.items():
            head.setVisible(group in shown)
        self.nothing.setVisible(not shown)
