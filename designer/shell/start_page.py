"""The first page: examples to run, and recent workflows with the outcome of their last
run.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPainterPath, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from designer.canvas.drawing.thumbnail import paint_thumbnail
from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.model import files
from designer.model.design import Design
from designer.panels.widgets.basic import Glyph, SearchField, label
from designer.qt.layouts import Item, Plan, column, put, put_empty, row, stack
from designer.shell.files.recent_table import RecentTable
from designer.shell.settings.settings import Settings
from resources import Example
from runtime.values.words import counted

WIDTH = 1200
MARGIN = 24
CARD_HEIGHT = 288
PICTURE_HEIGHT = 132
COLUMNS = 4
# px; on a narrower card a description would need more than three lines
NARROWEST_CARD = 244
GAP = 16
# Shares of the width: the content, and the space on each side of it.
_INNER = 20
_BESIDE = 1
RADIUS = 8
_ICON_BESIDE_TEXT = QSize(20, 16)


class _Thumbnail(QWidget):
    def __init__(self, design: Design, look: Look) -> None:
        super().__init__()
        self._design = design
        self._look = look
        self.setFixedHeight(PICTURE_HEIGHT)
        look.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._look.theme
        rect = QRectF(self.rect())
        # Round corners above, like those of the card; straight ones below.
        shape = QPainterPath()
        shape.addRoundedRect(rect.adjusted(0, 0, 0, RADIUS), RADIUS - 1, RADIUS - 1)
        painter.setClipPath(shape)
        painter.fillRect(rect, theme.canvas)
        paint_thumbnail(painter, rect.adjusted(10, 8, -10, -8), self._design, theme)
        painter.fillRect(QRectF(0, rect.height() - 1, rect.width(), 1), theme.line)


class _Logo(QWidget):
    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.setFixedSize(44, 44)
        glyph = Glyph(look, "steps", "on", 28)
        column(self, margins=(8, 8, 8, 8)).addWidget(glyph)
        look.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._look.theme.accentFill)
        painter.drawRoundedRect(self.rect(), RADIUS, RADIUS)


class ExampleCard(QFrame):
    """A picture of an example, its description, and buttons to run and to open it."""

    run_requested = Signal(Path)
    open_requested = Signal(Path)

    def __init__(self, example: Example, look: Look, *, first: bool) -> None:
        super().__init__()
        self.example = example
        self.setProperty("role", "example")
        self.setProperty("first", first)
        self.setFixedHeight(CARD_HEIGHT)
        design = files.load(example.path)
        self.run_button = QPushButton(
            themed_icon("play", look, "on" if first else "text"), "Run"
        )
        self.run_button.setIconSize(_ICON_BESIDE_TEXT)
        self.run_button.setProperty("primary", first)
        self.run_button.setAccessibleName(f"Run {example.title}")
        self.open_button = QPushButton("Open")
        self.open_button.setAccessibleName(f"Open {example.title}")
        self.run_button.clicked.connect(lambda: self.run_requested.emit(example.path))
        self.open_button.clicked.connect(lambda: self.open_requested.emit(example.path))
        nodes = label(counted(len(design.workflow.nodes), "node"), "caption")
        below = stack(
            label(example.title, "strong"),
            label(example.description, "secondary", wrap=True),
            label(", ".join(example.tags), "caption", wrap=True),
            None,
            row(self.run_button, self.open_button, None, nodes),
            margins=(12, 10, 12, 12),
            gap=6,
        )
        put(self, stack(_Thumbnail(design, look), (below, 1), margins=(1, 1, 1, 1)))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.open_requested.emit(self.example.path)


class StartPage(QScrollArea):
    """Emits what the user chose; the window acts."""

    new_requested = Signal()
    open_requested = Signal()
    path_requested = Signal(Path)
    run_requested = Signal(Path)
    tour_requested = Signal()

    def __init__(
        self, settings: Settings, look: Look, examples: Sequence[Example]
    ) -> None:
        super().__init__()
        self._settings = settings
        self._look = look
        self.setAccessibleName("Start page")
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        page = QWidget()
        inner = QWidget()
        page.setProperty("role", "panel")
        inner.setMaximumWidth(WIDTH + 2 * MARGIN)
        put(page, row(None, (inner, _INNER), None, gap=0))
        self._fill(column(inner, margins=(MARGIN, 48, MARGIN, MARGIN)), examples)
        self.setWidget(page)
        self.refresh()

    def _fill(self, layout: QVBoxLayout, examples: Sequence[Example]) -> None:
        put(layout, self._head())
        layout.addSpacing(36)
        put(layout, _section("Examples", "each runs offline, with real input"))
        layout.addSpacing(12)
        self._grid = put_empty(layout, QGridLayout())
        self._fill_cards(examples)
        layout.addSpacing(32)
        put(layout, self._recent_head())
        layout.addSpacing(8)
        self.table = RecentTable(self._look)
        self.table.path_requested.connect(self.path_requested)
        self.empty = label("", "secondary")
        layout.addWidget(self.table)
        layout.addWidget(self.empty)
        layout.addSpacing(20)
        put(layout, self._foot())
        layout.addStretch(1)

    def _head(self) -> Plan[QHBoxLayout]:
        promise = "Draw a workflow, run it step by step, and go back to any moment of any run."
        words = stack(
            label("Stepwell", "title"), label(promise, "body", wrap=True), gap=2
        )
        self.open_button = QPushButton(themed_icon("open", self._look, "text"), "Open…")
        self.open_button.setToolTip("Open a workflow file (Ctrl+O)")
        self.new_button = QPushButton(
            themed_icon("plus", self._look, "on"), "New workflow"
        )
        self.new_button.setToolTip("An empty canvas (Ctrl+N)")
        self.new_button.setProperty("primary", True)
        self.tour_button = QPushButton(themed_icon("eye", self._look, "text"), "Tour")
        self.tour_button.setToolTip(
            "The parts of the window, in a minute; Esc leaves it"
        )
        for button in (self.tour_button, self.open_button, self.new_button):
            button.setIconSize(_ICON_BESIDE_TEXT)
        self.tour_button.clicked.connect(self.tour_requested)
        self.open_button.clicked.connect(self.open_requested)
        self.new_button.clicked.connect(self.new_requested)
        return row(
            _Logo(self._look),
            8,
            (words, 1),
            self.tour_button,
            self.open_button,
            self.new_button,
        )

    def _fill_cards(self, examples: Sequence[Example]) -> None:
        self._columns = 0
        self._grid.setSpacing(GAP)
        self.cards = [
            ExampleCard(example, self._look, first=index == 0)
            for index, example in enumerate(examples)
        ]
        for card in self.cards:
            card.run_requested.connect(self.run_requested)
            card.open_requested.connect(self.path_requested)
        self._place_cards()

    def _place_cards(self) -> None:
        """Place as many cards in a row as have room for their text."""
        share = self.viewport().width() * _INNER // (_INNER + 2 * _BESIDE)
        width = min(WIDTH, share - 2 * MARGIN)
        fitting = (width + GAP) // (NARROWEST_CARD + GAP)
        columns = max(1, min(COLUMNS, len(self.cards), fitting))
        if columns == self._columns:
            return
        self._columns = columns
        for index, card in enumerate(self.cards):
            self._grid.addWidget(card, index // columns, index % columns)
        for place in range(COLUMNS):
            self._grid.setColumnStretch(place, int(place < columns))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_cards()

    def _recent_head(self) -> Plan[QHBoxLayout]:
        self.filter = SearchField(self._look, "Filter")
        self.filter.setAccessibleName("Filter recent workflows")
        self.filter.setFixedWidth(240)
        self.filter.textChanged.connect(self.refresh)
        return _section("Recent", "", self.filter)

    def _foot(self) -> Plan[QHBoxLayout]:
        safe = label("Opening a file never runs code in it.", "secondary")
        parts: list[Item] = [Glyph(self._look, "eye", "text3"), safe, None]
        for keys, text in (
            ("Tab", "add a node"),
            ("?", "all shortcuts"),
            ("Ctrl+Shift+P", "every command"),
        ):
            cap = QLabel(keys)
            cap.setProperty("role", "cap")
            parts += [12, cap, label(text, "secondary")]
        return row(*parts, gap=8)

    def refresh(self) -> None:
        """Show the recent workflows that match the filter."""
        pattern = self.filter.text().casefold()
        recent = self._settings.values.recent
        matches = [entry for entry in recent if pattern in entry.path.casefold()]
        self.table.show_entries(matches)
        self.table.setVisible(bool(matches))
        self.empty.setVisible(not matches)
        if recent:
            self.empty.setText(f"No recent workflow matches “{self.filter.text()}”.")
        else:
            self.empty.setText(
                "Nothing opened yet. Workflows that you open or save are listed here, with the end of their last run."
            )


def _section(title: str, text: str, *tools: QWidget) -> Plan[QHBoxLayout]:
    return row(label(title, "section"), label(text, "secondary"), None, *tools)
