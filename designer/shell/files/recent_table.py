"""The recent workflows: their folder, the checkpoints of their runs, and the last
outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
)

from designer.look.fonts import data_font
from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.shell.runs.words import day
from designer.shell.settings.settings import Recent
from runtime.document.definition import FILE_SUFFIX
from runtime.system.user_folders import is_shipped
from runtime.values.words import counted

HEAD = 28
ROW = 44
COLUMNS = (
    ("Workflow", 200),
    ("", 260),
    ("History", 300),
    ("Last run", 0),
    ("Opened", 160),
)
# The column "Last run" takes the room that the others leave. If that is less than this,
# all columns shrink in proportion.
LAST_RUN = 200
NATURAL = sum(width for _name, width in COLUMNS) + LAST_RUN
OUTCOMES = {
    "IDLE": ("check", "ok"),
    "IDLE_WITH_PENDING_REQUESTS": ("ask", "ask"),
    "IDLE_WITH_STALLED_JOINS": ("warn", "warn"),
    "FAILED": ("error", "bad"),
}


class RecentTable(QTableWidget):
    """A click or Enter on a row emits its path. The table is as high as its rows."""

    path_requested = Signal(Path)

    def __init__(self, look: Look) -> None:
        super().__init__(0, len(COLUMNS))
        self._look = look
        self._entries: Sequence[Recent] = ()
        self.setProperty("role", "recent")
        self.setAccessibleName("Recent workflows")
        for index, (name, _width) in enumerate(COLUMNS):
            head = QTableWidgetItem(name)
            head.setTextAlignment(_RIGHT if index == len(COLUMNS) - 1 else _LEFT)
            self.setHorizontalHeaderItem(index, head)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW)
        self.setShowGrid(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        header = self.horizontalHeader()
        header.setFixedHeight(HEAD)
        header.setHighlightSections(False)
        for index, (_name, width) in enumerate(COLUMNS):
            if width:
                mode = QHeaderView.ResizeMode.Fixed
            else:
                mode = QHeaderView.ResizeMode.Stretch
            header.setSectionResizeMode(index, mode)
        self.cellClicked.connect(self._request)
        self.cellActivated.connect(self._request)
        look.changed.connect(self._restyle)

    def show_entries(self, entries: Sequence[Recent]) -> None:
        self._entries = entries
        self.setRowCount(len(entries))
        now = datetime.now(UTC).timestamp()
        for row, entry in enumerate(entries):
            for column, cell in enumerate(self._cells(entry, now)):
                cell.setToolTip(entry.path)
                self.setItem(row, column, cell)
        self.setFixedHeight(HEAD + ROW * len(entries) + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        share = min(1.0, self.viewport().width() / NATURAL)
        for index, (_name, width) in enumerate(COLUMNS):
            if width:
                self.horizontalHeader().resizeSection(index, int(width * share))

    def _restyle(self) -> None:
        # A method, because Qt disconnects it when the table is deleted, unlike a
        # lambda.
        self.show_entries(self._entries)

    def _cells(self, entry: Recent, now: float) -> list[QTableWidgetItem]:
        path = Path(entry.path)
        theme = self._look.theme
        name = QTableWidgetItem(
            themed_icon("graph", self._look), path.name.removesuffix(FILE_SUFFIX)
        )
        folder = QTableWidgetItem(
            "shipped example" if is_shipped(path) else home(path.parent)
        )
        folder.setFont(data_font())
        history = QTableWidgetItem(_history(entry))
        opened = QTableWidgetItem(day(entry.opened, now))
        for cell in (folder, history, opened):
            cell.setForeground(theme.text2)
        icon, role = OUTCOMES.get(entry.status, ("minus", "text3"))
        outcome = QTableWidgetItem(
            themed_icon(icon, self._look, role), entry.outcome or "Not run"
        )
        outcome.setForeground(getattr(theme, role))
        opened.setTextAlignment(_RIGHT)
        return [name, folder, history, outcome, opened]

    def _request(self, row: int, _column: int = 0) -> None:
        self.path_requested.emit(Path(self._entries[row].path))


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def _history(entry: Recent) -> str:
    if not entry.checkpoints:
        return "No runs yet"
    branches = f", {entry.branches} branches" if entry.branches > 1 else ""
    return counted(entry.checkpoints, "checkpoint") + branches


def home(folder: Path) -> str:
    """Return a folder as people write it, with "~" for their home."""
    try:
        return str(Path("~") / folder.relative_to(Path.home()))
    except ValueError:
        return str(folder)
