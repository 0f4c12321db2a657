"""Paint the lanes of the timeline from afar: several supersteps in a pixel."""

from __future__ import annotations

from collections import defaultdict

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt

from designer.panels.timeline.brush import StripBrush
from designer.panels.timeline.hit_marks import HitMarks
from designer.panels.timeline.marks import (
    paint_bookmark,
    paint_mark,
    paint_ring,
)
from designer.panels.timeline.words import is_bookmarked
from designer.session.timeline_model import LaneRows, Rank

BAR = 6  # px of a bar
RIBBON = 8  # px, width of a bookmark
ABOVE = 20  # px from the top of a bookmark down to the line of the lane
_RANK_ROLES = {
    Rank.PLAIN: "text3",
    Rank.FORK: "text2",
    Rank.QUESTION: "ask",
    Rank.STALLED: "warn",
    Rank.DAMAGED: "bad",
}


class OverviewPainter:
    """Paints lanes as lines with a bar at everything that needs attention."""

    def __init__(self, brush: StripBrush) -> None:
        self._brush = brush

    def paint(self, lane: int, first: int, last: int) -> None:
        """Paint a lane with several supersteps per pixel: one line, and a bar at
        everything that needs attention.
        """
        rows = self._brush.model.lane_rows[lane]
        y = self._brush.y(lane)
        if not rows.rows or rows.columns[0] > last or rows.columns[-1] < first:
            return
        left = self._brush.x(self._brush.layout.centre(rows.columns[0]))
        right = self._brush.x(self._brush.layout.centre(rows.columns[-1]))
        view_left = float(self._brush.area.left()) - 4
        view_right = float(self._brush.area.right()) + 4
        self._brush.pen(self._brush.theme.edge, 2)
        self._brush.p.drawLine(
            QLineF(max(left, view_left), y, min(right, view_right), y)
        )
        bars = self._bars(rows, first, last, y)
        self._brush.p.setPen(Qt.PenStyle.NoPen)
        # Sorted by rank, because a bar of a higher rank is painted over the others.
        for rank, rects in sorted(bars.items()):
            self._brush.p.setBrush(getattr(self._brush.theme, _RANK_ROLES[Rank(rank)]))
            self._brush.p.drawRects(rects)
        self._paint_bookmarks(rows, first, last, y)
        self._paint_failures(lane, first, last, y)
        hits = self._brush.state.hits
        if hits is not None and not hits.is_empty:
            self._paint_hit_bars(hits, lane, first, last)

    def _paint_failures(self, lane: int, first: int, last: int, y: float) -> None:
        """Paint a bar below the lane at each checkpoint whose restore proof has failed."""
        brush = self._brush
        brush.p.setPen(Qt.PenStyle.NoPen)
        brush.p.setBrush(brush.theme.bad)
        for row in brush.state.failures:
            column = brush.model.column_of(row)
            if brush.model.lane_of(row) == lane and first <= column <= last:
                x = brush.x(brush.layout.centre(column))
                brush.p.drawRect(QRectF(x - 1.5, y + 8, 3, 8))

    def _paint_hit_bars(self, hits: HitMarks, lane: int, first: int, last: int) -> None:
        """Paint a bar above the lane wherever one of the checkpoints of a bar is a hit,
        those of the active question last.
        """
        per_bar = max(1, round(BAR / self._brush.layout.column))
        top = self._brush.y(lane) - min(22, self._brush.layout.lane_height / 2 - 1)
        bars: dict[bool, list[QRectF]] = {False: [], True: []}
        for column in range(first // per_bar * per_bar, last + 1, per_bar):
            tags = hits.at_columns(lane, column, column + per_bar - 1)
            if tags:
                x = self._brush.x(self._brush.layout.centre(column))
                is_active = any(tag.is_active for tag in tags)
                bars[is_active].append(QRectF(x - 1.5, top, 3, 9))
        for is_active, rects in bars.items():
            self._brush.p.setBrush(
                self._brush.theme.accent if is_active else self._brush.theme.text3
            )
            self._brush.p.drawRects(rects)

    def _paint_bookmarks(self, rows: LaneRows, first: int, last: int, y: float) -> None:
        model = self._brush.model
        for row in rows.tagged:
            column = model.column_of(row)
            if first <= column <= last and is_bookmarked(model.header_at(row)):
                x = self._brush.x(self._brush.layout.centre(column))
                top_left = QPointF(x - RIBBON / 2, y - ABOVE)
                paint_bookmark(self._brush.p, top_left, self._brush.theme)

    def _bars(
        self, rows: LaneRows, first: int, last: int, y: float
    ) -> dict[int, list[QRectF]]:
        """Return the bars of a lane in columns `first` to `last`, by rank."""
        bars: dict[int, list[QRectF]] = defaultdict(list)
        per_bar = max(1, round(BAR / self._brush.layout.column))
        # Each bar starts at a multiple, so that bars do not flicker on scrolling.
        start = max(first, rows.columns[0]) // per_bar * per_bar
        stop = min(last, rows.columns[-1]) + 1
        for column in range(start, stop, per_bar):
            places = rows.between(column, column + per_bar - 1)
            if places:
                rank = max(rows.ranks[places.start : places.stop])
                x = self._brush.x(self._brush.layout.centre(column))
                size = 4 if rank == Rank.PLAIN else 7
                bars[rank].append(QRectF(x - 1.5, y - size, 3, 2 * size))
        for incident in rows.incidents:
            if first <= incident.column <= last:
                x = self._brush.x(self._brush.layout.centre(incident.column))
                bars[Rank.DAMAGED].append(QRectF(x - 1.5, y - 7, 3, 14))
        return bars

    def paint_viewed(self) -> None:
        row = self._brush.state.viewed
        if row is None or not self._brush.layout.is_overview:
            return
        if not self._brush.branches.is_shown(self._brush.model.lane_of(row)):
            return
        centre = QPointF(
            self._brush.x(self._brush.layout.x_of(row)),
            self._brush.y(self._brush.model.lane_of(row)),
        )
        if self._brush.state.past:
            paint_ring(self._brush.p, centre, self._brush.theme)
        paint_mark(
            self._brush.p,
            "superstep",
            centre,
            self._brush.theme,
            colour=self._brush.theme.past if self._brush.state.past else None,
        )
