"""The first thing one sees: examples that run at once, recent workflows with how their last run stood."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from designer.canvas.thumbnail import paint_thumbnail
from designer.look.icons import icon_pixmap, themed_icon
from designer.look.theme import Look
from designer.model import files
from designer.model.design import Design
from designer.shell.settings import Recent, Settings
from resources import Example

WIDTH = 1200
_OUTCOMES = {
    "IDLE": ("check", "ok"),
    "IDLE_WITH_PENDING_REQUESTS": ("ask", "ask"),
    "IDLE_WITH_STALLED_JOINS": ("warn", "warn"),
    "FAILED": ("error", "bad"),
}


class _Thumbnail(QWidget):
    def __init__(self, design: Design, look: Look) -> None:
        super().__init__()
        self._design, self._look = design, look
        self.setFixedHeight(132)
        look.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), self._look.theme.canvas)
        paint_thumbnail(painter, QRectF(self.rect()).adjusted(8, 8, -8, -8), self._design, self._look.theme)


class ExampleCard(QFrame):
    """A picture of the workflow, what it shows, and the two things one can do with it."""

    run_requested = Signal(Path)
    open_requested = Signal(Path)

    def __init__(self, example: Example, look: Look, *, first: bool) -> None:
        super().__init__()
        self.example = example
        self.setObjectName("card")
        design = files.load(example.path)
        self.run_button = QPushButton(themed_icon("play", look, "on" if first else "text"), "Run")
        self.run_button.setProperty("primary", first)
        self.open_button = QPushButton("Open")
        self.run_button.clicked.connect(lambda: self.run_requested.emit(example.path))
        self.open_button.clicked.connect(lambda: self.open_requested.emit(example.path))
        title = QLabel(example.title)
        title.setStyleSheet("font-weight: 600;")
        text = QLabel(example.description, wordWrap=True)
        text.setProperty("role", "secondary")
        text.setAlignment(Qt.AlignmentFlag.AlignTop)
        tags = QLabel(", ".join(example.tags))
        tags.setProperty("role", "caption")
        count = QLabel(f"{len(design.workflow.nodes)} nodes")
        count.setProperty("role", "caption")
        buttons = QHBoxLayout()
        buttons.addWidget(self.run_button)
        buttons.addWidget(self.open_button)
        buttons.addStretch(1)
        buttons.addWidget(count)
        below = QVBoxLayout()
        below.setContentsMargins(12, 10, 12, 12)
        below.setSpacing(6)
        for widget in (title, text, tags):
            below.addWidget(widget)
        below.addStretch(1)
        below.addLayout(buttons)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 1)
        column.addWidget(_Thumbnail(design, look))
        column.addLayout(below, 1)
        self.setFixedHeight(290)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.open_requested.emit(self.example.path)


class StartPage(QScrollArea):
    """Signals say what was chosen; the window acts."""

    new_requested = Signal()
    open_requested = Signal()
    path_requested = Signal(Path)
    run_requested = Signal(Path)

    def __init__(self, settings: Settings, look: Look, examples: Sequence[Example]) -> None:
        super().__init__()
        self._settings, self._look = settings, look
        self.setWidgetResizable(True)
        page = QWidget()
        page.setProperty("role", "panel")
        inner = QWidget()
        inner.setMaximumWidth(WIDTH)
        row = QHBoxLayout(page)
        row.addStretch(1)
        row.addWidget(inner, 20)
        row.addStretch(1)
        column = QVBoxLayout(inner)
        column.setContentsMargins(24, 40, 24, 24)
        column.setSpacing(12)
        column.addLayout(self._head())
        column.addSpacing(24)
        column.addLayout(_section("Examples", "each runs at once, offline, with real input"))
        column.addLayout(self._cards(examples))
        column.addSpacing(24)
        column.addLayout(self._recent_head())
        self.table = self._table()
        column.addWidget(self.table)
        self.empty = QLabel("Nothing opened yet. Workflows that you open or save stand here.")
        self.empty.setProperty("role", "secondary")
        column.addWidget(self.empty)
        column.addStretch(1)
        column.addLayout(self._foot())
        self.setWidget(page)
        look.changed.connect(self._restyle)
        self._restyle()
        self.refresh()

    def _head(self) -> QHBoxLayout:
        logo = QLabel()
        logo.setFixedSize(44, 44)
        self._logo = logo
        title, text = (
            QLabel("Stepwell"),
            QLabel("Draw a workflow, run it step by step, and go back to any moment of any run."),
        )
        title.setProperty("role", "title")
        text.setProperty("role", "secondary")
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(title)
        words.addWidget(text)
        self.open_button = QPushButton(themed_icon("open", self._look, "text"), "Open…")
        self.open_button.setToolTip("Open a workflow file (Ctrl+O)")
        self.new_button = QPushButton(themed_icon("plus", self._look, "on"), "New workflow")
        self.new_button.setProperty("primary", True)
        self.open_button.clicked.connect(self.open_requested)
        self.new_button.clicked.connect(self.new_requested)
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addWidget(logo)
        row.addLayout(words)
        row.addStretch(1)
        row.addWidget(self.open_button)
        row.addWidget(self.new_button)
        return row

    def _cards(self, examples: Sequence[Example]) -> QGridLayout:
        grid = QGridLayout()
        grid.setSpacing(16)
        self.cards = [ExampleCard(example, self._look, first=index == 0) for index, example in enumerate(examples)]
        for index, card in enumerate(self.cards):
            card.run_requested.connect(self.run_requested)
            card.open_requested.connect(self.path_requested)
            grid.addWidget(card, index // 4, index % 4)
            grid.setColumnStretch(index % 4, 1)
        return grid

    def _recent_head(self) -> QHBoxLayout:
        row = _section("Recent", "")
        self.filter = QLineEdit(placeholderText="Filter", clearButtonEnabled=True)
        self.filter.setFixedWidth(240)
        self.filter.setAccessibleName("Filter recent workflows")
        self.filter.textChanged.connect(self.refresh)
        row.addWidget(self.filter)
        return row

    def _table(self) -> QTableWidget:
        table = QTableWidget(0, 4)
        table.setAccessibleName("Recent workflows")
        table.setHorizontalHeaderLabels(["Workflow", "Folder", "Last run", "Opened"])
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(44)
        table.setShowGrid(False)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        header = table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        table.cellActivated.connect(self._open_row)
        table.cellClicked.connect(self._open_row)
        return table

    def _foot(self) -> QHBoxLayout:
        row = QHBoxLayout()
        for text in (
            "Opening a file never runs code in it.",
            "Tab adds a node · ? all shortcuts · Ctrl+Shift+P every command",
        ):
            label = QLabel(text)
            label.setProperty("role", "caption")
            row.addWidget(label)
            row.addStretch(1)
        row.takeAt(row.count() - 1)
        return row

    def refresh(self) -> None:
        """Show the recent workflows that match the filter."""
        wanted = self.filter.text().casefold()
        self._shown = [entry for entry in self._settings.values.recent if wanted in entry.path.casefold()]
        self.table.setRowCount(len(self._shown))
        for row, entry in enumerate(self._shown):
            for column, item in enumerate(self._cells(entry)):
                self.table.setItem(row, column, item)
        self.table.setFixedHeight(30 + 44 * len(self._shown))
        self.table.setVisible(bool(self._shown))
        self.empty.setVisible(not self._shown)

    def _cells(self, entry: Recent) -> list[QTableWidgetItem]:
        path = Path(entry.path)
        name = QTableWidgetItem(themed_icon("graph", self._look), path.name.removesuffix(".stepwell.json"))
        icon, role = _OUTCOMES.get(entry.status, ("minus", "text3"))
        outcome = QTableWidgetItem(themed_icon(icon, self._look, role), entry.outcome or "Not run")
        outcome.setForeground(getattr(self._look.theme, role))
        opened = QTableWidgetItem(_day(entry.opened, datetime.now(UTC).timestamp()))
        for item in (name, outcome):
            item.setToolTip(entry.path)
        return [name, QTableWidgetItem(_home(path.parent)), outcome, opened]

    def _open_row(self, row: int, _column: int = 0) -> None:
        self.path_requested.emit(Path(self._shown[row].path))

    def _restyle(self) -> None:
        theme = self._look.theme
        self._logo.setStyleSheet(f"background: {theme.accentFill.name()}; border-radius: 8px;")
        self._logo.setPixmap(icon_pixmap("steps", theme.on.name(), 28, self.devicePixelRatioF()))
        self._logo.setAlignment(Qt.AlignmentFlag.AlignCenter)
        for card in self.cards:
            line = theme.accent if card is self.cards[0] else theme.line
            card.setStyleSheet(
                f"#card {{ background: {theme.node.name()}; border: 1px solid {line.name()}; border-radius: 8px; }}"
            )
        self.table.setStyleSheet(
            f"QTableWidget {{ background: {theme.node.name()};"
            f" border: 1px solid {theme.line.name()}; border-radius: 8px; }}"
        )


def _section(title: str, text: str) -> QHBoxLayout:
    row = QHBoxLayout()
    head, note = QLabel(title), QLabel(text)
    head.setProperty("role", "section")
    note.setProperty("role", "secondary")
    row.addWidget(head)
    row.addSpacing(8)
    row.addWidget(note)
    row.addStretch(1)
    return row


def _home(folder: Path) -> str:
    try:
        return str(Path("~") / folder.relative_to(Path.home()))
    except ValueError:
        return str(folder)


def _day(when: float, now: float) -> str:
    """Today and yesterday with words, else the date; local time."""
    then, today = datetime.fromtimestamp(when).astimezone(), datetime.fromtimestamp(now).astimezone()
    days = (today.date() - then.date()).days
    if days == 0:
        return f"Today, {then:%H:%M}"
    return f"Yesterday, {then:%H:%M}" if days == 1 else f"{then.day} {then:%B %Y}"
