"""Two orders side by side: who was at work when."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from designer.look.fonts import ui_font
from designer.look.theme import Look
from designer.panels.widgets.glyphs import paint_glyph
from runtime.debug.protocol import ExploredBody, ExploredLane

ROW = 22
HEAD = 20
BAR = 12
GAP = 14  # px between the two orders, and before the first
MARGIN = 12
MOST = 10  # rows; the others are counted
NAME_SHARE = 0.36


class LaneRow(NamedTuple):
    """A call, and its lanes in the orders that are shown."""

    title: str
    lanes: tuple[ExploredLane | None, ...]


def rows_of(body: ExploredBody, outcomes: tuple[int, ...]) -> tuple[list[LaneRow], int]:
    """Return the calls with their lanes, and how many are left out: those that are at
    work at the same time in both orders, if there are many.
    """
    lanes = [
        {lane.call: lane for lane in body.outcomes[place].lanes} for place in outcomes
    ]
    rows = [
        LaneRow(call.title, tuple(of_order.get(place) for of_order in lanes))
        for place, call in enumerate(body.calls)
    ]
    if len(rows) <= MOST:
        return rows, 0
    differing = [row for row in rows if len(set(row.lanes)) > 1]
    shown = (differing or rows)[:MOST]
    return shown, len(rows) - len(shown)


class OrderLanes(QWidget):
    """Paints the lanes of one order, or of two."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.rows: list[LaneRow] = []
        self.heads: tuple[str, ...] = ()
        self._ticks = 1
        self._left_out = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Orders")
        look.changed.connect(self.update)

    def show_orders(self, body: ExploredBody, outcomes: tuple[int, ...]) -> None:
        self.rows, self._left_out = rows_of(body, outcomes)
        self.heads = tuple(f"Outcome {place + 1}" for place in outcomes)
        ends = [
            end
            for row in self.rows
            for lane in row.lanes
            if lane is not None
            for _, end in lane.work
        ]
        self._ticks = max(ends, default=1)
        self.setAccessibleDescription(self.words())
        self.updateGeometry()
        self.update()

    def words(self) -> str:
        """Return the orders in words: who began or went on, one after the other."""
        lines = []
        for place, head in enumerate(self.heads):
            starts = sorted(
                (start, row.title)
                for row in self.rows
                for lane in row.lanes[place : place + 1]
                if lane is not None
                for start, _ in lane.work
            )
            lines.append(f"{head}: {', '.join(title for _, title in starts)}")
        return "\n".join(lines)

    def sizeHint(self) -> QSize:
        rows = len(self.rows) + bool(self._left_out)
        return QSize(240, HEAD + rows * ROW + 8)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    # --- painting -------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._look.theme
        columns = self._columns()
        painter.setFont(ui_font(12))
        painter.setPen(theme.text2)
        for head, column in zip(self.heads, columns, strict=True):
            place = QRectF(column.left(), 0, column.width(), HEAD)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, head)
        for number, row in enumerate(self.rows):
            top = HEAD + number * ROW
            self._paint_title(painter, row.title, top, columns)
            for lane, column in zip(row.lanes, columns, strict=True):
                self._paint_lane(painter, lane, column, top)
        if self._left_out:
            painter.setPen(theme.text3)
            top = HEAD + len(self.rows) * ROW
            place = QRectF(MARGIN, top, self.width() - 2 * MARGIN, ROW)
            calls = "call is" if self._left_out == 1 else "calls are"
            text = f"{self._left_out:,} more {calls} not shown"
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, text)

    def _columns(self) -> list[QRectF]:
        """Return where the lanes of each order are."""
        count = max(1, len(self.heads))
        names = self.width() * NAME_SHARE
        room = self.width() - MARGIN - names
        width = room / count - GAP
        return [
            QRectF(names + place * (width + GAP), 0, width, self.height())
            for place in range(len(self.heads))
        ]

    def _paint_title(
        self, painter: QPainter, title: str, top: float, columns: list[QRectF]
    ) -> None:
        room = columns[0].left() - MARGIN - 8 if columns else self.width()
        font = ui_font(13)
        text = QFontMetrics(font).elidedText(
            title, Qt.TextElideMode.ElideRight, round(room)
        )
        painter.setFont(font)
        painter.setPen(self._look.theme.text)
        place = QRectF(MARGIN, top, room, ROW)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_lane(
        self, painter: QPainter, lane: ExploredLane | None, column: QRectF, top: float
    ) -> None:
        theme = self._look.theme
        middle = top + ROW / 2
        painter.setPen(QPen(theme.line, 1))
        painter.drawLine(
            QPointF(column.left(), middle), QPointF(column.right(), middle)
        )
        if lane is None or not lane.work:
            return
        tick = column.width() / self._ticks
        first, last = lane.work[0][0], lane.work[-1][1]
        if len(lane.work) > 1:
            # It waits in between, while others are at work.
            painter.setPen(QPen(theme.text2, 1.5, Qt.PenStyle.DotLine))
            painter.drawLine(
                QPointF(column.left() + first * tick, middle),
                QPointF(column.left() + last * tick, middle),
            )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._colour(lane))
        for start, end in lane.work:
            left = column.left() + start * tick
            width = max(4.0, (end - start) * tick - 2)
            painter.drawRoundedRect(QRectF(left, middle - BAR / 2, width, BAR), 3, 3)
        if lane.end == "failed":
            box = QRectF(column.left() + last * tick - 12, middle - 6, 12, 12)
            paint_glyph(painter, "failed", box, theme.bad, theme.panel)

    def _colour(self, lane: ExploredLane) -> QColor:
        theme = self._look.theme
        return theme.badSoft if lane.end == "failed" else theme.accentFill
