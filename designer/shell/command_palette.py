"""Ctrl+Shift+P: every command and every node of the workflow, found by typing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QIcon, QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

WIDTH, ROWS = 520, 12


@dataclass(frozen=True)
class Entry:
    """Something to choose: what it says, a word on the right, and what happens."""

    text: str
    hint: str
    icon: QIcon
    choose: Callable[[], None]


def matches(query: str, text: str) -> bool:
    """Whether all letters of the query stand in the text in this order."""
    letters = iter(text.casefold())
    return all(letter in letters for letter in query.casefold() if not letter.isspace())


class CommandPalette(QFrame):
    """A popup over the window: type, Up and Down, Enter; Esc leaves everything as it was."""

    def __init__(self, entries: Sequence[Entry], parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._entries, self._window = list(entries), parent
        self.search = QLineEdit(placeholderText="Find a command or a node")
        self.search.setAccessibleName("Find a command or a node")
        self.found = QListWidget()
        self.found.setAccessibleName("What was found")
        self.found.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addWidget(self.search)
        column.addWidget(self.found)
        self.search.textChanged.connect(self._show)
        self.search.returnPressed.connect(self._choose)
        self.found.itemClicked.connect(self._choose)
        self.search.installEventFilter(self)
        self.setFixedSize(WIDTH, 60 + ROWS * 28)
        self._show("")

    def popup(self) -> None:
        window = self._window
        corner = window.mapToGlobal(window.rect().topRight())
        self.move(corner.x() - WIDTH - 12, corner.y() + 76)
        self.show()
        self.search.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step is not None and self.found.count():
                self.found.setCurrentRow((self.found.currentRow() + step) % self.found.count())
                return True
        return super().eventFilter(watched, event)

    def _show(self, query: str) -> None:
        self.found.clear()
        for index, entry in enumerate(self._entries):
            if matches(query, entry.text):
                item = QListWidgetItem(entry.icon, f"{entry.text}    {entry.hint}" if entry.hint else entry.text)
                item.setData(Qt.ItemDataRole.UserRole, index)
                self.found.addItem(item)
        self.found.setCurrentRow(0)

    def _choose(self) -> None:
        item = self.found.currentItem()
        if item is not None:
            entry = self._entries[item.data(Qt.ItemDataRole.UserRole)]
            self.close()
            entry.choose()
