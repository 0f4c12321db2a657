"""Paint the end of a lane of the timeline: the superstep that runs, and the tags."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QPen,
)

from designer.look.fonts import ui_font
from designer.panels.timeline.brush import StripBrush
from designer.panels.timeline.marks import (
    paint_mark,
    reach,
)
from designer.panels.timeline.words import (
    end_tag,
)


class LaneEndPainter:
    """Paints what is right of the newest checkpoint of a lane."""

    def __init__(self, brush: StripBrush) -> None:
        self._brush = brush

    def paint(self, lane: int) -> None:
        row = self._brush.model.lanes[lane].last_row
        x = self._brush.x(self._brush.layout.x_of(row))
        y = self._brush.y(lane)
        live = (
            self._brush.state.head is not None
            and self._brush.model.lane_of(self._brush.state.head) == lane
        )
        if live and self._brush.state.running:
            x = self._paint_running(row, x, y)
        x += 15
        incidents = self._brush.model.lane_rows[lane].incidents
        # Tags begin after the last incident, because a failure's mark is right of the
        # head.
        if incidents and not self._brush.layout.is_overview:
            last = self._brush.layout.marks_of(lane, incidents[-1].column)[-1]
            x = max(x, self._brush.x(last.x) + 15)
        if live and not self._brush.state.ended:
            x = self._tag(x, y, "live", "accent")
        tag = end_tag(self._brush.model.header_at(row))
        if tag is not None and not (live and self._brush.state.running):
            self._tag(x, y, *tag)

    def _paint_running(self, row: int, x: float, y: float) -> float:
        next_x = self._brush.x(
            self._brush.layout.centre(self._brush.model.column_of(row) + 1)
        )
        if not self._brush.layout.is_overview:
            self._brush.pen(self._brush.theme.edge, 2)
            is_viewed = self._brush.state.past and self._brush.state.viewed == row
            gap = reach("viewed" if is_viewed else "superstep")
            self._brush.p.drawLine(QLineF(x + gap, y, next_x - reach("running"), y))
        paint_mark(
            self._brush.p,
            "running",
            QPointF(next_x, y),
            self._brush.theme,
            turn=self._brush.state.turn,
        )
        return next_x

    def _tag(self, x: float, y: float, text: str, role: str) -> float:
        """Paint a tag with a border. Return the x at which the next tag may start."""
        colour: QColor = getattr(self._brush.theme, role)
        font = ui_font(12)
        box = QRectF(
            round(x) + 0.5,
            round(y) - 10.5,
            round(QFontMetricsF(font).horizontalAdvance(text)) + 15,
            21,
        )
        if (
            box.left() < self._brush.area.right() + 1
            and box.right() > self._brush.area.left()
        ):
            self._brush.p.setPen(QPen(colour, 1))
            self._brush.p.setBrush(getattr(self._brush.theme, f"{role}Soft"))
            self._brush.p.drawRoundedRect(box, 4, 4)
            self._brush.text(box, text, colour, font)
        return box.right() + 8
