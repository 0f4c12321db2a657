"""The sizes of the parts of a checkpoint: a table for the viewed checkpoint, and a chart
of how they grew along its branch.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QWidget

from designer.look.fonts import data_font, ui_font
from designer.look.theme import Look
from designer.panels.timeline.size_series import PartName, SizeSeries
from designer.panels.timeline.words import size
from designer.panels.widgets.basic import label
from designer.panels.widgets.tables import Columns, Table
from designer.qt.indexes import ROOT, AnyIndex
from designer.qt.layouts import column
from designer.session.session import DebugSession
from runtime.values.words import counted

CHART_HEIGHT = 84
TOP = 14  # px of the chart for the largest size
BOTTOM = 15  # px for the supersteps
EDGE = 4
TABLE_HEIGHT = 104  # px at least: the head and three parts


class PartTable(Columns):
    """The parts of one checkpoint, the largest first."""

    heads = ("Part", "Size", "Before")
    numbers = frozenset((1, 2))

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[tuple[PartName, int]] = []
        self._before: dict[PartName, int] = {}

    def show_parts(
        self, sizes: dict[PartName, int], before: dict[PartName, int]
    ) -> None:
        self.beginResetModel()
        self.parts = sorted(sizes.items(), key=lambda part: (-part[1], part[0]))
        self._before = before
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self.parts)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        name, part_size = self.parts[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.ToolTipRole:
                before = self._before.get(name)
                was = size(before) if before is not None else "new"
                return (name.words, size(part_size), was)[index.column()]
            case Qt.ItemDataRole.TextAlignmentRole if index.column() in self.numbers:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            case Qt.ItemDataRole.FontRole if index.column() in self.numbers:
                return data_font(12)
            case _:
                return None


class SizeChart(QWidget):
    """The whole size along a branch as an area, and that of the chosen part in it. A
    click views the nearest measured checkpoint.
    """

    chosen = Signal(int)  # row

    def __init__(self, session: DebugSession, look: Look, series: SizeSeries) -> None:
        super().__init__()
        self._model = session.timeline
        self._look = look
        self._series = series
        self.part: PartName | None = None
        self.viewed: int | None = None
        self.setFixedHeight(CHART_HEIGHT)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName("Sizes along the branch")
        look.changed.connect(self.update)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        known = [row for row, _ in self._series.known()]
        if known and event.button() == Qt.MouseButton.LeftButton:
            x = event.position().x()
            self.chosen.emit(min(known, key=lambda row: abs(self.x_of(row) - x)))

    def x_of(self, row: int) -> float:
        """Return the x of a checkpoint: supersteps are equally wide."""
        rows = self._series.rows
        first = self._model.column_of(rows[0])
        last = max(first + 1, self._model.column_of(rows[-1]))
        share = (self._model.column_of(row) - first) / (last - first)
        return EDGE + share * (self.width() - 2 * EDGE)

    def paintEvent(self, event: QPaintEvent) -> None:
        known = self._series.known()
        if not known:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._look.theme
        totals = [(row, sum(sizes.values())) for row, sizes in known]
        most = max(1, *(total for _, total in totals))
        self._paint_viewed(painter)
        self._paint_area(painter, totals, most, theme.line2, theme.edge)
        if self.part is not None:
            part = self.part
            sizes_of_part = [(row, sizes.get(part, 0)) for row, sizes in known]
            soft = theme.accentSoft
            self._paint_area(painter, sizes_of_part, most, soft, theme.accentFill)
        self._paint_words(painter, most)

    def _paint_viewed(self, painter: QPainter) -> None:
        if self.viewed is not None:
            x = round(self.x_of(self.viewed))
            height = self.height() - TOP - BOTTOM
            painter.fillRect(QRectF(x - 1, TOP, 2, height), self._look.theme.past)

    def _paint_area(
        self,
        painter: QPainter,
        values: list[tuple[int, int]],
        most: int,
        fill: QColor,
        line: QColor,
    ) -> None:
        bottom = self.height() - BOTTOM
        height = bottom - TOP
        points: list[QPointF] = []
        for row, value in values:
            x = self.x_of(row)
            # A size is that of the barrier until the next one, so the line has steps.
            if points:
                points.append(QPointF(x, points[-1].y()))
            points.append(QPointF(x, bottom - height * value / most))
        if len(points) == 1:
            points.append(QPointF(self.width() - EDGE, points[0].y()))
        first = QPointF(points[0].x(), bottom)
        last = QPointF(points[-1].x(), bottom)
        painter.setPen(Qt.PenStyle.NoPen)
        area = QColor(fill)
        area.setAlphaF(0.6)
        painter.setBrush(area)
        painter.drawPolygon(QPolygonF([first, *points, last]))
        painter.setPen(QPen(line, 1.5))
        painter.drawPolyline(QPolygonF(points))

    def _paint_words(self, painter: QPainter, most: int) -> None:
        theme = self._look.theme
        rows = self._series.rows
        painter.setFont(ui_font(11))
        painter.setPen(theme.text3)
        top = QRectF(0, 0, self.width(), TOP)
        below = QRectF(0, self.height() - BOTTOM, self.width(), BOTTOM)
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(top, left, size(most))
        painter.drawText(below, left, f"s{self._model.column_of(rows[0])}")
        painter.drawText(below, right, f"s{self._model.column_of(rows[-1])}")


class SizesPane(QWidget):
    """Chart and table. `chosen` carries the row of the checkpoint that was clicked."""

    chosen = Signal(int)

    def __init__(self, session: DebugSession, look: Look) -> None:
        super().__init__()
        self._model = session.timeline
        self._row: int | None = None
        self.series = SizeSeries(session, self)
        self.total = label("", "secondary", wrap=True)
        self.chart = SizeChart(session, look, self.series)
        self.parts = PartTable()
        self.table = Table(self.parts, "Sizes of the parts", (0, 74, 74))
        self.table.setFrameShape(Table.Shape.NoFrame)
        self.table.setMinimumHeight(TABLE_HEIGHT)
        layout = column(self, gap=4)
        layout.addWidget(self.total)
        layout.addWidget(self.chart)
        layout.addWidget(self.table, 1)
        self.series.changed.connect(self._refresh)
        self.chart.chosen.connect(self.chosen)
        self.table.selectionModel().currentRowChanged.connect(self._choose)

    def show_checkpoint(self, row: int | None) -> None:
        """Show the sizes at a checkpoint, and those on its branch."""
        self._row = row
        if row is not None:
            self.series.show_lane(self._model.lane_of(row))
        self._refresh()

    def _refresh(self) -> None:
        row = self._row
        if row is None or row >= self._model.rowCount():
            return
        header = self._model.header_at(row)
        self.total.setText(f"{size(header.size)}, of which {size(header.new_size)} new")
        known = self.series.known()
        sizes = self.series.sizes_at(row) or {}
        before = [older for place, older in known if place < row]
        part = self.chart.part
        if dict(self.parts.parts) != sizes:
            self.parts.show_parts(sizes, before[-1] if before else {})
        if sizes:
            self.total.setText(f"{self.total.text()}, {counted(len(sizes), 'part')}")
        self._select(part)
        self.chart.viewed = row
        self.chart.update()

    def _select(self, part: PartName | None) -> None:
        for place, (name, _) in enumerate(self.parts.parts):
            if name == part and self.table.currentIndex().row() != place:
                self.table.selectRow(place)

    def _choose(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid():
            self.chart.part = self.parts.parts[current.row()][0]
            self.chart.update()
