"""Watches: expressions that are evaluated at the moment that is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QWidget

from designer.look.fonts import data_font
from designer.look.theme import Look
from designer.model.breakpoint_trial import (
    AtHand,
    Trial,
    evaluated,
    missing_of,
    mistake_in,
)
from designer.panels.widgets.basic import icon_button
from designer.panels.widgets.tables import Columns, Table
from designer.qt.indexes import ROOT, AnyIndex
from designer.qt.layouts import column, put, row

MOST = 200  # watches; more of them would make each step slow
EXPRESSION, VALUE = range(2)


class WatchRows(Columns):
    """`renamed` carries the row and the new text of an expression."""

    heads = ("Watch", "Value")
    renamed = Signal(int, str)

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self.watches: tuple[str, ...] = ()
        self.answers: list[Trial] = []
        self.before: dict[str, str] = {}

    def show(self, watches: Sequence[str], answers: Sequence[Trial]) -> None:
        """Show watches with their values. A value that differs from the one of the
        moment before is marked.
        """
        self.before = {
            text: answer.words
            for text, answer in zip(self.watches, self.answers, strict=True)
        }
        if len(watches) == len(self.watches):
            self.watches = tuple(watches)
            self.answers = list(answers)
            if watches:
                last = self.index(len(watches) - 1, VALUE)
                self.dataChanged.emit(self.index(0, 0), last)
            return
        self.beginResetModel()
        self.watches = tuple(watches)
        self.answers = list(answers)
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self.watches)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        flags = super().flags(index)
        if index.column() == EXPRESSION:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        text = self.watches[index.row()]
        answer = self.answers[index.row()]
        is_value = index.column() == VALUE
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return answer.words if is_value else text
            case Qt.ItemDataRole.ToolTipRole:
                return answer.words if is_value else text
            case Qt.ItemDataRole.FontRole:
                return data_font()
            case Qt.ItemDataRole.ForegroundRole if is_value:
                return self._colour(text, answer)
        return None

    def _colour(self, text: str, answer: Trial) -> Any:
        theme = self._look.theme
        if answer.answer == "error":
            return theme.bad
        if answer.answer == "unknown":
            return theme.text3
        is_changed = self.before.get(text, answer.words) != answer.words
        return theme.warn if is_changed else theme.text

    def setData(
        self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        if role != Qt.ItemDataRole.EditRole or index.column() != EXPRESSION:
            return False
        self.renamed.emit(index.row(), str(value).strip())
        return True


class WatchTable(Table):
    """`deleted` carries the row of a watch."""

    deleted = Signal(int)

    def __init__(self, model: WatchRows) -> None:
        super().__init__(model, "Watches", (136, 0))
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_delete = event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
        if is_delete and self.currentIndex().isValid():
            self.deleted.emit(self.currentIndex().row())
            return
        super().keyPressEvent(event)


class Watches(QWidget):
    """`edited` carries all watches when the user has changed them.

    `load` asks for the values of keys of the state that are not in the window.
    """

    edited = Signal(tuple)

    def __init__(
        self, look: Look, load: Callable[[frozenset[str]], object] = lambda _keys: None
    ) -> None:
        super().__init__()
        self._load = load
        self._watches: tuple[str, ...] = ()
        self._hand: AtHand | None = None
        self.rows = WatchRows(look, self)
        self.table = WatchTable(self.rows)
        self.field = QLineEdit()
        self.field.setFont(data_font())
        self.field.setPlaceholderText('Add a watch, such as state["verdict"]')
        self.field.setAccessibleName("Add a watch")
        self.add_button = icon_button(look, "plus", "Add this watch", self._add)
        self.remove_button = icon_button(
            look, "trash", "Remove the selected watch", self._remove_current
        )
        layout = column(self)
        layout.addWidget(self.table, 1)
        tools = row(
            (self.field, 1),
            self.add_button,
            self.remove_button,
            gap=4,
            margins=(8, 4, 8, 6),
        )
        put(layout, tools)
        self.field.returnPressed.connect(self._add)
        self.rows.renamed.connect(self._rename)
        self.table.deleted.connect(self._remove)

    def show_watches(self, watches: Sequence[str], hand: AtHand | None) -> None:
        """Show watches at a moment; None for no moment."""
        self._watches = tuple(watches)
        self._hand = hand
        self.rows.show(self._watches[:MOST], [*map(self._answer, self._watches[:MOST])])
        self.remove_button.setEnabled(bool(self._watches))
        if hand is not None:
            missing = [missing_of(text, hand) for text in self._watches[:MOST]]
            wanted = frozenset().union(*missing) if missing else frozenset()
            if wanted:
                self._load(wanted)

    def _answer(self, text: str) -> Trial:
        mistake = mistake_in(text)
        if mistake is not None:
            # A watch is a short line: its place takes the room of what is wrong.
            place = f"Line 1, column {mistake.column}: "
            return Trial("error", mistake.message.removeprefix(place))
        if self._hand is None:
            return Trial("unknown", "no run is shown")
        return evaluated(text, self._hand)

    def _add(self) -> None:
        text = self.field.text().strip()
        if text and text not in self._watches:
            self.field.clear()
            self.edited.emit((*self._watches, text))
        elif text:
            self.table.selectRow(self._watches.index(text))
            self.field.clear()

    def _rename(self, place: int, text: str) -> None:
        """Take the new text of a watch; an empty one removes it."""
        watches = list(self._watches)
        watches[place : place + 1] = [text] if text else []
        self.edited.emit(tuple(dict.fromkeys(watches)))

    def _remove_current(self) -> None:
        index = self.table.currentIndex()
        if index.isValid():
            self._remove(index.row())

    def _remove(self, place: int) -> None:
        watches = list(self._watches)
        del watches[place]
        self.edited.emit(tuple(watches))
