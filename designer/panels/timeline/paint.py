"""Paints the timeline strip: head, gutter, lanes, marks, tags, and the scrubber. Only what the given area shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPen,
    QPolygonF,
)

from designer.look.fonts import data_font, ui_font
from designer.look.icons import paint_icon
from designer.look.theme import Theme, mix
from designer.panels.timeline.layout import Mark, TimelineLayout
from designer.panels.timeline.marks import paint_mark, paint_ring, reach
from designer.panels.timeline.words import end_tag, lane_caption, mark_kind
from designer.session.timeline_model import MISSED, Rank

GUTTER = 164
HEAD = 32
START = 18  # px of the dotted line before a lane whose beginning was removed
BAR = 6  # px of a bar in the overview
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RANK_ROLES = {
    Rank.PLAIN: "text3",
    Rank.FORK: "text2",
    Rank.QUESTION: "ask",
    Rank.STALLED: "warn",
    Rank.DAMAGED: "bad",
}


@dataclass(frozen=True, slots=True)
class Standing:
    """What is looked at and where the run is: ids of checkpoints, or None."""

    viewed: int | None = None
    head: int | None = None
    base: int | None = None
    past: bool = False
    running: bool = False
    ended: bool = False
    turn: float = 0.0


class StripPainter:
    """One paint event. `scroll` is what is scrolled away; `size` the viewport's."""

    def __init__(
        self,
        painter: QPainter,
        layout: TimelineLayout,
        standing: Standing,
        theme: Theme,
        area: QRect,
        view: QRect,
    ) -> None:
        self.p = painter
        self.layout = layout
        self.model = layout.model
        self.standing = standing
        self.theme = theme
        self.area = area
        self.view = view
        self.scroll_x = self.scroll_y = 0
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def paint(self) -> None:
        self.p.fillRect(self.area, self.theme.panel)
        self._clip(
            QRect(GUTTER, 0, self.view.width() - GUTTER, self.view.height()),
            self._paint_time,
        )
        self._clip(
            QRect(0, HEAD, GUTTER, self.view.height() - HEAD), self._paint_gutter
        )
        self._paint_corner()

    def _clip(self, rect: QRect, paint: Callable[[], None]) -> None:
        self.p.save()
        self.p.setClipRect(rect & self.area)
        paint()
        self.p.restore()

    # --- places -------------------------------------------------------------------------------------------------

    def x(self, content: float) -> float:
        return GUTTER + content - self.scroll_x

    def y(self, lane: int) -> float:
        return HEAD + self.layout.lane_y(lane) - self.scroll_y

    def _columns(self) -> tuple[int, int]:
        """The first and the last superstep that the area shows."""
        left = max(self.area.left(), GUTTER) - GUTTER + self.scroll_x
        right = self.area.right() + 1 - GUTTER + self.scroll_x
        return self.layout.column_at(left), self.layout.column_at(right)

    def _lanes(self) -> range:
        height = self.layout.lane_height
        first = (max(self.area.top(), HEAD) - HEAD + self.scroll_y) // height
        last = (self.area.bottom() - HEAD + self.scroll_y) // height
        return range(max(0, first), min(self.model.branch_count, last + 1))

    # --- the ground ---------------------------------------------------------------------------------------------

    def _paint_time(self) -> None:
        first, last = self._columns()
        self._paint_tint()
        self._paint_grid(first, last)
        body = QRect(
            GUTTER, HEAD, self.view.width() - GUTTER, self.view.height() - HEAD
        )
        self._clip(body, lambda: self._paint_lanes(first, last))
        self._paint_numbers(first, last)
        self._paint_flags()

    def _paint_tint(self) -> None:
        row = self.standing.viewed
        if row is None or self.layout.is_overview:
            return
        soft = self.theme.pastSoft if self.standing.past else self.theme.accentSoft
        left = round(self.x(self.model.column_of(row) * self.layout.column))
        width = round(self.layout.column)
        tint = mix(soft, self.theme.panel, 0.6)
        self.p.fillRect(QRect(left, HEAD, width, self.view.height() - HEAD), tint)

    def _every(self) -> int:
        """How many supersteps lie between two numbers, so that numbers do not touch."""
        step = 1
        while step * self.layout.column < 34:
            step = step * 5 if str(step)[0] == "2" else step * 2
            step = step if str(step)[0] in "125" else 10 ** len(str(step))
        return step

    def _paint_grid(self, first: int, last: int) -> None:
        line = self.theme.line
        every = self._every()
        for column in range(first - first % every, last + every, every):
            edge = round(self.x((column + 1) * self.layout.column))
            self.p.fillRect(QRect(edge, HEAD, 1, self.view.height() - HEAD), line)
        self.p.fillRect(QRect(GUTTER, HEAD - 1, self.view.width(), 1), line)
        for lane in self._lanes():
            self.p.fillRect(
                QRect(GUTTER, self._below(lane), self.view.width(), 1), line
            )

    def _below(self, lane: int) -> int:
        return HEAD + (lane + 1) * self.layout.lane_height - self.scroll_y - 1

    def _paint_numbers(self, first: int, last: int) -> None:
        self.p.setFont(data_font(12))
        every = self._every()
        columns = self.model.columns + self.standing.running
        if self.standing.head is not None:
            live = self.model.column_of(self.standing.head)
        else:
            live = -1
        live += self.standing.running
        for column in range(first - first % every, min(last + every, columns), every):
            self.p.setPen(
                self.theme.accent
                if column == live and not self.standing.past
                else self.theme.text2
            )
            centre = self.x(self.layout.centre(column))
            self.p.drawText(
                QRectF(centre - 40, 0, 80, HEAD - 1),
                Qt.AlignmentFlag.AlignCenter,
                str(column),
            )

    # --- lanes --------------------------------------------------------------------------------------------------

    def _paint_lanes(self, first: int, last: int) -> None:
        self._paint_scrubber()
        lanes = self._lanes()
        # A curve may cross lanes that are seen although it begins and ends elsewhere.
        for lane in range(self.model.branch_count):
            self._paint_fork(lane, lanes)
        for lane in lanes:
            if self.layout.is_overview:
                self._paint_bars(lane, first, last)
            else:
                self._paint_lane(lane, first, last)
            self._paint_end(lane)
        self._paint_viewed_in_overview()

    def _paint_fork(self, lane: int, seen: range) -> None:
        if self.layout.is_overview and lane not in seen:
            return
        fork = self.layout.fork_of(lane)
        if (
            fork is None
            or max(fork[0], lane) < seen.start
            or min(fork[0], lane) >= seen.stop
        ):
            return
        above, from_x, to_x = fork
        start = QPointF(self.x(from_x) + 8, self.y(above))
        end = QPointF(self.x(to_x) - 9, self.y(lane))
        if (
            max(start.x(), end.x()) < self.area.left() - 40
            or min(start.x(), end.x()) > self.area.right() + 40
        ):
            return
        path = QPainterPath(start)
        bend = max(18.0, min(40.0, abs(end.x() - start.x()) / 2))
        path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end)
        self._pen(self.theme.edge, 2)
        self.p.drawPath(path)

    def _paint_lane(self, lane: int, first: int, last: int) -> None:
        marks = self.layout.marks_between(lane, first, last)
        y = self.y(lane)
        kinds = [self._kind(mark) for mark in marks]
        reaches = [
            reach("viewed" if self._is_viewed(mark) else kind)
            for mark, kind in zip(marks, kinds, strict=True)
        ]
        solid: list[QLineF] = []
        broken: list[QLineF] = []
        for place, (a, b) in enumerate(pairwise(marks)):
            if b.x - a.x > reaches[place] + reaches[place + 1]:
                line = QLineF(
                    self.x(a.x) + reaches[place], y, self.x(b.x) - reaches[place + 1], y
                )
                (broken if self._is_after_gap(b) else solid).append(line)
        if (
            marks
            and self._is_after_gap(marks[0])
            and marks[0].first == self.model.lanes[lane].first_row
        ):
            to = self.x(marks[0].x) - reaches[0]
            broken.append(QLineF(to - START, y, to, y))
        self._pen(self.theme.edge, 2)
        self.p.drawLines(solid)
        self._pen(self.theme.text3, 2, dots=True)
        self.p.drawLines(broken)
        for mark, kind in zip(marks, kinds, strict=True):
            self._paint_mark(mark, kind, y)

    def _is_after_gap(self, mark: Mark) -> bool:
        return mark.incident is None and self.model.is_after_gap(mark.first)

    def _kind(self, mark: Mark) -> str:
        if mark.incident is not None:
            return mark.incident.kind
        return mark_kind(self.model, mark.row)

    def _is_viewed(self, mark: Mark) -> bool:
        viewed = self.standing.viewed
        return (
            self.standing.past
            and mark.incident is None
            and viewed is not None
            and mark.first <= viewed <= mark.row
        )

    def _paint_mark(self, mark: Mark, kind: str, y: float) -> None:
        centre = QPointF(self.x(mark.x), y)
        colour = None
        if self._is_viewed(mark):
            paint_ring(self.p, centre, self.theme)
            colour = self.theme.past
        paint_mark(self.p, kind, centre, self.theme, colour=colour)
        text, role = self._words(mark)
        if text:
            self._caption(centre, text, getattr(self.theme, role))

    def _words(self, mark: Mark) -> tuple[str, str]:
        """What stands under a mark, and its colour role."""
        incident = mark.incident or mark.hides
        if incident is None:
            role = "text2"
        elif incident.kind == MISSED:
            role = "warn"
        else:
            role = "bad"
        if mark.count > 1:
            return f"×{mark.count}", role
        if incident is not None:
            return "not saved" if incident.kind == MISSED else "failed", role
        tags = self.model.header_at(mark.row).tags
        return tags[0] if tags else "", role

    def _caption(self, centre: QPointF, text: str, colour: QColor) -> None:
        font = ui_font(11)
        width = self.layout.column - 8
        if self.layout.lane_height < 44 or (width < 40 and len(text) > 3):
            return  # the tool tip says it
        text = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideMiddle, width)
        self.p.setFont(font)
        self.p.setPen(colour)
        self.p.drawText(
            QRectF(centre.x() - 60, centre.y() + 9, 120, 16),
            Qt.AlignmentFlag.AlignCenter,
            text,
        )

    def _paint_bars(self, lane: int, first: int, last: int) -> None:
        """Many supersteps a pixel: a line for the lane, and a bar wherever something asks for attention."""
        rows = self.model.lane_rows[lane]
        y = self.y(lane)
        if not rows.rows or rows.columns[0] > last or rows.columns[-1] < first:
            return
        left = self.x(self.layout.centre(rows.columns[0]))
        right = self.x(self.layout.centre(rows.columns[-1]))
        view_left = float(self.area.left()) - 4
        view_right = float(self.area.right()) + 4
        self._pen(self.theme.edge, 2)
        self.p.drawLine(QLineF(max(left, view_left), y, min(right, view_right), y))
        bars: dict[int, list[QRectF]] = {}
        per = max(1, round(BAR / self.layout.column))
        for column in range(
            max(first, rows.columns[0]) // per * per,
            min(last, rows.columns[-1]) + 1,
            per,
        ):
            places = rows.between(column, column + per - 1)
            if places:
                rank = max(rows.ranks[places.start : places.stop])
                x = self.x(self.layout.centre(column))
                size = 4 if rank == Rank.PLAIN else 7
                bars.setdefault(rank, []).append(QRectF(x - 1.5, y - size, 3, 2 * size))
        failed = [
            incident.column
            for incident in rows.incidents
            if first <= incident.column <= last
        ]
        bars.setdefault(Rank.DAMAGED, []).extend(
            QRectF(self.x(self.layout.centre(column)) - 1.5, y - 7, 3, 14)
            for column in failed
        )
        self.p.setPen(Qt.PenStyle.NoPen)
        for rank, rects in sorted(bars.items()):
            self.p.setBrush(getattr(self.theme, _RANK_ROLES[Rank(rank)]))
            self.p.drawRects(rects)

    def _paint_viewed_in_overview(self) -> None:
        row = self.standing.viewed
        if row is None or not self.layout.is_overview:
            return
        centre = QPointF(self.x(self.layout.x_of(row)), self.y(self.model.lane_of(row)))
        if self.standing.past:
            paint_ring(self.p, centre, self.theme)
        paint_mark(
            self.p,
            "superstep",
            centre,
            self.theme,
            colour=self.theme.past if self.standing.past else None,
        )

    # --- the end of a lane --------------------------------------------------------------------------------------

    def _paint_end(self, lane: int) -> None:
        row = self.model.lanes[lane].last_row
        x = self.x(self.layout.x_of(row))
        y = self.y(lane)
        live = (
            self.standing.head is not None
            and self.model.lane_of(self.standing.head) == lane
        )
        if live and self.standing.running:
            x = self._paint_running(row, x, y)
        x += 15
        incidents = self.model.lane_rows[lane].incidents
        # a failure after the head has its mark to the right of it
        if incidents and not self.layout.is_overview:
            last = self.layout.marks_of(lane, incidents[-1].column)[-1]
            x = max(x, self.x(last.x) + 15)
        if live and not self.standing.ended:
            x = self._tag(x, y, "live", "accent")
        tag = end_tag(self.model.header_at(row))
        if tag is not None and not (live and self.standing.running):
            self._tag(x, y, *tag)

    def _paint_running(self, row: int, x: float, y: float) -> float:
        next_x = self.x(self.layout.centre(self.model.column_of(row) + 1))
        if not self.layout.is_overview:
            self._pen(self.theme.edge, 2)
            gap = reach(
                "viewed"
                if self.standing.past and self.standing.viewed == row
                else "superstep"
            )
            self.p.drawLine(QLineF(x + gap, y, next_x - reach("running"), y))
        paint_mark(
            self.p, "running", QPointF(next_x, y), self.theme, turn=self.standing.turn
        )
        return next_x

    def _tag(self, x: float, y: float, text: str, role: str) -> float:
        """A tag with a border; returns where the next one may stand."""
        colour: QColor = getattr(self.theme, role)
        font = ui_font(12)
        box = QRectF(
            round(x) + 0.5,
            round(y) - 10.5,
            round(QFontMetricsF(font).horizontalAdvance(text)) + 15,
            21,
        )
        if box.left() < self.area.right() + 1 and box.right() > self.area.left():
            self.p.setPen(QPen(colour, 1))
            self.p.setBrush(getattr(self.theme, f"{role}Soft"))
            self.p.drawRoundedRect(box, 4, 4)
            self._text(box, text, colour, font)
        return box.right() + 8

    # --- the scrubber -------------------------------------------------------------------------------------------

    def _paint_scrubber(self) -> None:
        row = self.standing.viewed
        if row is not None and self.standing.past:
            x = round(self.x(self.layout.x_of(row)))
            self.p.fillRect(
                QRect(x - 1, HEAD - 6, 2, self.view.height()), self.theme.past
            )

    def _paint_flags(self) -> None:
        if (
            self.standing.base is not None
            and self.standing.base != self.standing.viewed
        ):
            self._flag(
                self.standing.base, self.theme.raised, self.theme.text, self.theme.line2
            )
        if self.standing.viewed is not None and self.standing.past:
            self._flag(
                self.standing.viewed,
                self.theme.past,
                self.theme.window,
                self.theme.past,
            )

    def _flag(self, row: int, fill: QColor, text: QColor, border: QColor) -> None:
        x = round(self.x(self.layout.x_of(row)))
        name = f"#{row + 1}"
        width = round(QFontMetricsF(data_font(12)).horizontalAdvance(name) / 2) + 10
        box = QRectF(x - width, 2, 2 * width, 21)
        # The number of the superstep stands in the same place: the flag covers it whole.
        self.p.fillRect(
            box.adjusted(-2, 0, 2, HEAD - 1 - box.bottom()), self.theme.panel
        )
        self.p.setPen(QPen(border, 1))
        self.p.setBrush(fill)
        self.p.drawPolygon(
            QPolygonF([QPointF(x - 5, 22), QPointF(x + 5, 22), QPointF(x, 27)])
        )
        self.p.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        if fill == self.theme.past:
            self.p.fillRect(QRect(x - 1, 22, 2, HEAD - 22), fill)
        self._text(box, name, text, data_font(12))

    # --- the gutter ---------------------------------------------------------------------------------------------

    def _paint_gutter(self) -> None:
        theme = self.theme
        self.p.fillRect(QRect(0, HEAD, GUTTER, self.view.height()), theme.panel)
        for lane in self._lanes():
            self._paint_name(lane)
            self.p.fillRect(QRect(0, self._below(lane), GUTTER, 1), theme.line)

    def _paint_name(self, number: int) -> None:
        lane = self.model.lanes[number]
        theme = self.theme
        middle = self.y(number)
        tall = self.layout.lane_height >= 44
        if self.standing.head is None:
            shown_row = self.standing.viewed
        else:
            shown_row = self.standing.head
        current = shown_row is not None and self.model.lane_of(shown_row) == number
        icon_y = middle - (8 if not tall else 16)
        paint_icon(
            self.p,
            "branch",
            QRectF(8, icon_y, 16, 16),
            theme.accent if current else theme.text2,
        )
        font = ui_font(13, QFont.Weight.DemiBold if current else QFont.Weight.Medium)
        width = GUTTER - 36 - 8
        top = middle - 20 if tall else middle - 10
        self._line(QRectF(36, top, width, 20), lane.branch, theme.text, font)
        if tall:
            self._line(
                QRectF(36, middle, width, 18),
                lane_caption(self.model, number),
                theme.text3,
                ui_font(12),
            )

    def _paint_corner(self) -> None:
        self.p.fillRect(QRect(0, 0, GUTTER, HEAD) & self.area, self.theme.panel)
        self.p.fillRect(QRect(0, HEAD - 1, GUTTER, 1), self.theme.line)
        self.p.fillRect(QRect(GUTTER - 1, 0, 1, self.view.height()), self.theme.line)
        self.p.setFont(ui_font(11, QFont.Weight.DemiBold))
        self.p.setPen(self.theme.text2)
        self.p.drawText(QRectF(12, 0, GUTTER - 12, HEAD - 1), _LEFT, "Superstep")

    # --- small --------------------------------------------------------------------------------------------------

    def _pen(self, colour: QColor, width: float, *, dots: bool = False) -> None:
        style = Qt.PenStyle.DotLine if dots else Qt.PenStyle.SolidLine
        self.p.setPen(QPen(colour, width, style, Qt.PenCapStyle.FlatCap))
        self.p.setBrush(Qt.BrushStyle.NoBrush)

    def _text(self, box: QRectF, text: str, colour: QColor, font: QFont) -> None:
        self.p.setFont(font)
        self.p.setPen(colour)
        self.p.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _line(self, box: QRectF, text: str, colour: QColor, font: QFont) -> None:
        self.p.setFont(font)
        self.p.setPen(colour)
        elided = QFontMetricsF(font).elidedText(
            text, Qt.TextElideMode.ElideMiddle, box.width()
        )
        self.p.drawText(box, _LEFT, elided)
