"""Drafts on the timeline: a dashed branch, below all others, for each checkpoint over
which changes are staged.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainterPath, QPen

from designer.look.fonts import ui_font
from designer.look.icons import paint_icon
from designer.panels.timeline.brush import GUTTER, HEAD, StripBrush
from designer.panels.timeline.draft_lanes import DraftLane
from designer.panels.timeline.layout import TimelineLayout
from designer.panels.timeline.marks import paint_mark

TALL = 44  # px of a lane whose name has a second line
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


def draft_at(
    layout: TimelineLayout, drafts: tuple[DraftLane, ...], point: QPoint, scroll_y: int
) -> DraftLane | None:
    """Return the draft at a point of the viewport."""
    place = (point.y() - HEAD + scroll_y) // layout.lane_height
    number = place - len(layout.branches.shown)
    return drafts[number] if 0 <= number < len(drafts) else None


class DraftPainter:
    """Paints the drafts with what the strip knows of the paint event."""

    def __init__(self, brush: StripBrush) -> None:
        self._brush = brush
        self._p = brush.p
        self._theme = brush.theme

    def paint_branches(self) -> None:
        for number, draft in enumerate(self._brush.state.drafts):
            self._paint_branch(draft, self._y(number))

    def paint_names(self) -> None:
        for number, draft in enumerate(self._brush.state.drafts):
            self._paint_name(draft, self._y(number))

    def _y(self, number: int) -> float:
        layout = self._brush.layout
        place = len(layout.branches.shown) + number
        middle = place * layout.lane_height + layout.lane_height / 2
        return HEAD + middle - self._brush.scroll_y

    def _paint_branch(self, draft: DraftLane, y: float) -> None:
        brush = self._brush
        layout = brush.layout
        row = layout.shown_row(draft.row)
        start = QPointF(
            brush.x(layout.x_of(row)), brush.y(brush.model.lane_of(row)) + 9
        )
        fork = QPointF(start.x() + 28, y)
        path = QPainterPath(start)
        path.cubicTo(
            start + QPointF(6, 24), fork - QPointF(24, 0), fork - QPointF(7, 0)
        )
        colour = self._theme.accent if draft.is_current else self._theme.text3
        self._p.setPen(QPen(colour, 2, Qt.PenStyle.DashLine))
        self._p.setBrush(Qt.BrushStyle.NoBrush)
        self._p.drawPath(path)
        column = brush.model.column_of(row) + 1
        following = QPointF(brush.x(layout.centre(column)), y)
        following.setX(max(following.x(), fork.x() + 34))
        tag = f"superstep {column}, preview"
        if not layout.is_overview:
            self._p.drawLine(fork + QPointF(8, 0), following - QPointF(9, 0))
            self._p.drawLine(following + QPointF(9, 0), following + QPointF(24, 0))
            paint_mark(self._p, "edit", following, self._theme, colour=colour)
        paint_mark(self._p, "fork", fork, self._theme, colour=colour)
        if draft.is_current:
            self._tag(following.x() + 24, y, tag, colour)

    def _tag(self, x: float, y: float, text: str, colour: QColor) -> None:
        font = ui_font(12)
        width = round(QFontMetricsF(font).horizontalAdvance(text)) + 15
        box = QRectF(round(x) + 0.5, round(y) - 10.5, width, 21)
        self._p.setPen(QPen(colour, 1))
        self._p.setBrush(self._theme.accentSoft)
        self._p.drawRoundedRect(box, 4, 4)
        self._brush.text(box, text, colour, font)

    def _paint_name(self, draft: DraftLane, y: float) -> None:
        height = self._brush.layout.lane_height
        is_tall = height >= TALL
        colour = self._theme.accent if draft.is_current else self._theme.text2
        top = y - (20 if is_tall else 10)
        paint_icon(self._p, "pencil", QRectF(8, top + 2, 16, 16), colour)
        weight = QFont.Weight.DemiBold if draft.is_current else QFont.Weight.Medium
        font = ui_font(13, weight)
        self._line(QRectF(36, top, GUTTER - 44, 20), draft.name, self._theme.text, font)
        if is_tall:
            room = QRectF(36, y, GUTTER - 44, 18)
            self._line(room, draft.words, self._theme.text3, ui_font(12))
        below = round(y + height / 2) - 1
        line = QRectF(0, below, GUTTER, 1)
        self._p.fillRect(line, self._theme.line)

    def _line(self, box: QRectF, text: str, colour: QColor, font: QFont) -> None:
        self._p.setFont(font)
        self._p.setPen(colour)
        right = Qt.TextElideMode.ElideRight
        elided = QFontMetricsF(font).elidedText(text, right, box.width())
        self._p.drawText(box, _LEFT, elided)
