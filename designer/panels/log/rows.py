"""The rows of the log as a Qt model, and the choice of kinds that it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QObject, Qt

from designer.look.fonts import data_font
from designer.look.theme import Look
from designer.panels.widgets.tables import Columns
from designer.qt.indexes import ROOT, AnyIndex
from runtime.debug.protocol import EventItem

# Faults that are no errors, such as an undelivered message.
WARNINGS = frozenset({"warning", "dropped", "starves", "checkpoint_missed"})
EVERYTHING = "everything"
# The kinds of recorded lines, and of the events of a live run.
KINDS: Mapping[str, frozenset[str]] = {
    EVERYTHING: frozenset(),
    "messages": frozenset({"message", "dropped"}),
    "drops": frozenset({"dropped"}),
    "calls": frozenset(
        {"after", "failure", "handler_started", "handler_ended", "handler_failed"}
        | {"attempt_failed", "handler_cancelled"}
    ),
    "writes": frozenset({"write", "state_written"}),
    "joins": frozenset({"fires", "starves", "join_released"}),
    "questions": frozenset(
        {"question", "answer", "request_asked", "request_answered"}
        | {"request_cancelled"}
    ),
    "outputs": frozenset({"output", "yielded", "withdrawn", "told"}),
    "failures": frozenset({"failure", "attempt_failed", "handler_failed"}),
    "warnings": frozenset({"warning", "starves", "checkpoint_missed"}),
    "checkpoints": frozenset(
        {"checkpoint", "superstep", "checkpoint_saved", "checkpoint_missed"}
    ),
}
# What a person calls the kinds of facts.
KIND_WORDS: Mapping[str, str] = {
    "after": "call",
    "fires": "join fires",
    "starves": "join starves",
}
CHECKPOINT, SUPERSTEP, KIND, TEXT = range(4)


class LogRows(Columns):
    """`name` returns the name of a checkpoint, `viewed` the id of the viewed one, whose
    rows stand out.
    """

    heads = ("Checkpoint", "Superstep", "Kind", "What happened")
    numbers = frozenset({CHECKPOINT, SUPERSTEP})

    def __init__(
        self,
        look: Look,
        name: Callable[[str | None], str],
        viewed: Callable[[], str | None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._look = look
        self._name = name
        self._viewed = viewed
        self._items: list[EventItem] = []

    def show(self, items: list[EventItem]) -> None:
        if items == self._items:
            # The viewed checkpoint may be another one. A reset would scroll to the top.
            self.layoutChanged.emit()
            return
        self.beginResetModel()
        self._items = items
        self.endResetModel()

    def at(self, row: int) -> EventItem:
        return self._items[row]

    def last_of(self, checkpoint_id: str) -> int | None:
        """Return the last row of a checkpoint."""
        for row in range(len(self._items) - 1, -1, -1):
            if self._items[row].checkpoint_id == checkpoint_id:
                return row
        return None

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        item = self._items[index.row()]
        column = index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(item, column)
            case Qt.ItemDataRole.ToolTipRole if column == TEXT:
                return item.text
            case Qt.ItemDataRole.FontRole:
                return data_font()
            case Qt.ItemDataRole.ForegroundRole:
                return self._colour(item, column)
            case Qt.ItemDataRole.TextAlignmentRole if column in self.numbers:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def _text(self, item: EventItem, column: int) -> str:
        match column:
            case 0:  # CHECKPOINT
                return self._name(item.checkpoint_id) if item.checkpoint_id else ""
            case 1:  # SUPERSTEP
                return f"s{item.superstep}"
            case 2:  # KIND
                return KIND_WORDS.get(item.kind, item.kind)
        where = f"{' › '.join(item.path)}: " if item.path else ""
        return where + item.text

    def _colour(self, item: EventItem, column: int) -> Any:
        theme = self._look.theme
        is_place = column in (CHECKPOINT, SUPERSTEP)
        if is_place and item.checkpoint_id and item.checkpoint_id == self._viewed():
            return theme.past
        if column == KIND and "fail" in item.kind:
            return theme.bad
        if column == KIND and (item.kind in WARNINGS or " dropped" in item.text):
            return theme.warn
        return theme.text if column == TEXT else theme.text2
