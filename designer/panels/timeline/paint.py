"""Paint the timeline strip: head, lanes, marks, tags, and the scrubber.

Only the area of the paint event is painted, because a run may have thousands of
checkpoints.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QPainterPath,
    QPen,
    QPolygonF,
)

from designer.look.fonts import data_font, ui_font
from designer.look.proof_marks import MARKS, WORST_FIRST
from designer.look.theme import mix
from designer.panels.timeline.brush import GUTTER, HEAD, StripBrush
from designer.panels.timeline.drafts import DraftPainter
from designer.panels.timeline.handles import (
    paint_bracket,
    paint_chips,
)
from designer.panels.timeline.hit_marks import HitTag
from designer.panels.timeline.lane_end import LaneEndPainter
from designer.panels.timeline.layout import Mark
from designer.panels.timeline.marks import (
    paint_bookmark,
    paint_mark,
    paint_outcomes,
    paint_ring,
    reach,
)
from designer.panels.timeline.overview import OverviewPainter
from designer.panels.timeline.words import (
    counts_caption,
    is_bookmarked,
    is_foreign,
    mark_caption,
    mark_kind,
    newest_row,
)
from designer.panels.widgets.glyphs import paint_glyph
from designer.session.timeline_model import MISSED
from runtime.debug.protocol import ProofOutcome

START = 18  # px of the dotted line before a lane whose beginning was removed
BAND = 13  # px around a mark that the band of the selection covers
OUTCOMES = QPointF(8, -12)  # px from the middle of a mark
PALE = 0.4  # of a mark of another graph
STUB = 13  # px down that the curve of a folded branch goes
TAG = 16  # px of the tag of a hit, with the gap to the next one
PROOF = 12  # px of the mark of a restore proof
PROOF_BELOW = 19  # px from the middle of a mark down to it
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class StripPainter(StripBrush):
    """Paints all but the gutter."""

    def paint(self) -> None:
        self.p.fillRect(self.area, self.theme.panel)
        self.clip(
            QRect(GUTTER, 0, self.view.width() - GUTTER, self.view.height()),
            self._paint_time,
        )

    # --- the ground ---------------------------------------------------------------------------------------------

    def _paint_time(self) -> None:
        first, last = self.columns()
        self._paint_tint()
        self._paint_grid(first, last)
        body = QRect(
            GUTTER, HEAD, self.view.width() - GUTTER, self.view.height() - HEAD
        )
        self.clip(body, lambda: self._paint_lanes(first, last))
        self._paint_numbers(first, last)
        self._paint_flags()

    def _paint_tint(self) -> None:
        row = self.state.viewed
        if row is None or self.layout.is_overview:
            return
        left = round(self.x(self.model.column_of(row) * self.layout.column))
        place = QRect(left, HEAD, round(self.layout.column), self.view.height() - HEAD)
        self.p.fillRect(place, self._tint)

    @property
    def _tint(self) -> QColor:
        soft = self.theme.pastSoft if self.state.past else self.theme.accentSoft
        return mix(soft, self.theme.panel, 0.6)

    def _every(self) -> int:
        """Return the step between two column numbers that keeps the numbers from
        touching.
        """
        power = 1
        while True:
            for factor in (1, 2):
                step = factor * power
                if step * self.layout.column >= 34:
                    return step
            power *= 10

    def _paint_grid(self, first: int, last: int) -> None:
        line = self.theme.line
        every = self._every()
        for column in range(first - first % every, last + every, every):
            edge = round(self.x((column + 1) * self.layout.column))
            self.p.fillRect(QRect(edge, HEAD, 1, self.view.height() - HEAD), line)
        self.p.fillRect(QRect(GUTTER, HEAD - 1, self.view.width(), 1), line)
        for lane in self.lanes():
            self.p.fillRect(QRect(GUTTER, self.below(lane), self.view.width(), 1), line)

    def _paint_numbers(self, first: int, last: int) -> None:
        self.p.setFont(data_font(12))
        every = self._every()
        columns = self.model.columns + self.state.running
        live = -1
        if self.state.head is not None:
            live = self.model.column_of(self.state.head)
        live = -1 if self.state.past else live + self.state.running
        for column in range(first - first % every, min(last + every, columns), every):
            self.p.setPen(self.theme.accent if column == live else self.theme.text2)
            centre = self.x(self.layout.centre(column))
            self.p.drawText(
                QRectF(centre - 40, 0, 80, HEAD - 1),
                Qt.AlignmentFlag.AlignCenter,
                str(column),
            )

    # --- lanes --------------------------------------------------------------------------------------------------

    def _paint_lanes(self, first: int, last: int) -> None:
        self._paint_selection()
        self._paint_scrubber()
        lanes = self.lanes()
        # All lanes, because a curve may cross the area although it starts and ends
        # outside.
        places = self.places()
        for lane in range(self.model.branch_count):
            self._paint_fork(lane, places)
        overview = OverviewPainter(self)
        end = LaneEndPainter(self)
        for lane in lanes:
            if self.layout.is_overview:
                overview.paint(lane, first, last)
            else:
                self._paint_lane(lane, first, last)
            end.paint(lane)
            if not self.layout.is_overview:
                self._paint_hits(lane, first, last)
        overview.paint_viewed()
        DraftPainter(self).paint_branches()
        self._paint_handles()

    def _paint_handles(self) -> None:
        handles = self.state.handles
        if handles.equal is not None:
            lane = self.model.lane_of(handles.equal)
            start = self._mark_point(self.model.lanes[lane].first_row)
            paint_bracket(self.p, start, self._mark_point(handles.equal), self.theme)
        marks = {side: self._mark_point(row) for side, row in handles.places()}
        paint_chips(self.p, marks, handles, self.theme)

    def _mark_point(self, row: int) -> QPointF:
        row = self.layout.shown_row(row)
        return QPointF(self.x(self.layout.x_of(row)), self.y(self.model.lane_of(row)))

    def _paint_fork(self, lane: int, seen: range) -> None:
        place = self.branches.place_of(lane)
        if self.layout.is_overview and place not in seen:
            return
        fork = self.layout.fork_of(lane)
        if fork is None:
            return
        parent, from_x, to_x = fork
        parent_place = self.branches.place_of(parent)
        if not self.branches.is_shown(lane):
            if self.branches.is_shown(parent) and parent_place in seen:
                self._paint_stub(parent, from_x)
            return
        if max(parent_place, place) < seen.start:
            return
        if min(parent_place, place) >= seen.stop:
            return
        start = QPointF(self.x(from_x) + 8, self.y(parent))
        end = QPointF(self.x(to_x) - 9, self.y(lane))
        left, right = sorted((start.x(), end.x()))
        if right < self.area.left() - 40 or left > self.area.right() + 40:
            return
        path = QPainterPath(start)
        bend = max(18.0, min(40.0, abs(end.x() - start.x()) / 2))
        path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end)
        self.pen(self.theme.edge, 2)
        self.p.drawPath(path)

    def _paint_stub(self, lane: int, content_x: float) -> None:
        """Paint where a folded branch leaves a lane."""
        start = QPointF(self.x(content_x) + 8, self.y(lane))
        path = QPainterPath(start)
        path.quadTo(start + QPointF(8, 0), start + QPointF(9, STUB))
        self.pen(self.theme.text3, 2)
        self.p.drawPath(path)

    def _paint_lane(self, lane: int, first: int, last: int) -> None:
        marks = self.layout.marks_between(lane, first, last)
        y = self.y(lane)
        kinds = [self._kind(mark) for mark in marks]
        reaches: list[float] = []
        for mark, kind in zip(marks, kinds, strict=True):
            reaches.append(reach("viewed" if self._is_viewed(mark) else kind))
        # Lines end at the marks, because a mark may be hollow.
        solid: list[QLineF] = []
        dotted: list[QLineF] = []
        for place, (mark, next_mark) in enumerate(pairwise(marks)):
            start = self.x(mark.x) + reaches[place]
            end = self.x(next_mark.x) - reaches[place + 1]
            if end > start:
                lines = dotted if self._is_after_gap(next_mark) else solid
                lines.append(QLineF(start, y, end, y))
        lane_start = self.model.lanes[lane].first_row
        if marks and marks[0].first == lane_start and self._is_after_gap(marks[0]):
            end = self.x(marks[0].x) - reaches[0]
            dotted.append(QLineF(end - START, y, end, y))
        self.pen(self.theme.edge, 2)
        self.p.drawLines(solid)
        self.pen(self.theme.text3, 2, dots=True)
        self.p.drawLines(dotted)
        self._paint_graph_changes(marks, y)
        for mark, kind in zip(marks, kinds, strict=True):
            self._paint_mark(mark, kind, y)

    def _is_after_gap(self, mark: Mark) -> bool:
        return mark.incident is None and self.model.is_after_gap(mark.first)

    def _kind(self, mark: Mark) -> str:
        if mark.incident is not None:
            return mark.incident.kind
        return mark_kind(self.model, mark.row)

    def _is_viewed(self, mark: Mark) -> bool:
        viewed = self.state.viewed
        return (
            self.state.past
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
        # Paler, because a run cannot just go on from it.
        self.p.setOpacity(PALE if self._is_foreign(mark) else 1.0)
        paint_mark(self.p, kind, centre, self.theme, colour=colour)
        self.p.setOpacity(1.0)
        if self._is_bookmarked(mark):
            paint_bookmark(self.p, centre + QPointF(-13, -20), self.theme)
        if self._outcomes(mark) > 1:
            paint_outcomes(self.p, centre + OUTCOMES, self.theme)
        text, role = self._words(mark)
        if text and self._is_viewed(mark):
            # The line of the scrubber would strike its words out.
            self.p.fillRect(QRectF(centre.x() - 2, centre.y() + 11, 4, 12), self._tint)
        width = 0.0
        if text:
            width = self._caption(centre, text, getattr(self.theme, role))
        self._paint_proof(mark, centre, width)

    def _paint_proof(self, mark: Mark, centre: QPointF, caption: float) -> None:
        """Paint what restore proofs say below a mark, before its caption."""
        outcome = self._proof_of(mark)
        if outcome is None:
            return
        centre = centre + QPointF(0, PROOF_BELOW)
        size = PROOF
        if caption:
            centre -= QPointF(caption / 2 + size / 2 + 2, 2)
        elif self.layout.lane_height < 44:
            # Beside the mark, because there is no room below.
            centre += QPointF(10, 9 - PROOF_BELOW)
            size = PROOF - 3
        box = QRectF(centre.x() - size / 2, centre.y() - size / 2, size, size)
        if self._is_viewed(mark):
            # The line of the scrubber would strike it out.
            self.p.fillRect(box.adjusted(-1, 0, 1, 0), self._tint)
        shown = MARKS[outcome]
        paint_glyph(
            self.p, shown.glyph, box, getattr(self.theme, shown.role), self.theme.panel
        )

    def _proof_of(self, mark: Mark) -> ProofOutcome | None:
        """Return the worst outcome of the checkpoints under a mark."""
        if mark.incident is not None:
            return None
        rows = range(mark.first, mark.row + 1) if mark.count > 1 else (mark.row,)
        outcomes = {self.state.proofs(self.model.header_at(row).id) for row in rows}
        for outcome in WORST_FIRST:
            if outcome in outcomes:
                return outcome
        return None

    def _outcomes(self, mark: Mark) -> int:
        """Return how many outcomes a superstep has that follows on a checkpoint of a
        mark.
        """
        if mark.incident is not None:
            return 0
        rows = range(mark.first, mark.row + 1) if mark.count > 1 else (mark.row,)
        return max(self.state.outcomes(self.model.header_at(row).id) for row in rows)

    def _is_foreign(self, mark: Mark) -> bool:
        newest = newest_row(self.model, self.state.head)
        if mark.incident is not None or newest is None:
            return False
        header_at = self.model.header_at
        return is_foreign(header_at(mark.row), header_at(newest))

    def _paint_graph_changes(self, marks: Sequence[Mark], y: float) -> None:
        """Paint a dashed line across the lane where the graph of the run changed."""
        self.p.setPen(QPen(self.theme.warn, 1.5, Qt.PenStyle.DashLine))
        header_at = self.model.header_at
        for mark, next_mark in pairwise(marks):
            if next_mark.incident is not None:
                continue
            if is_foreign(header_at(mark.row), header_at(next_mark.first)):
                x = (self.x(mark.x) + self.x(next_mark.x)) / 2
                reach_y = self.layout.lane_height / 2 - 4
                self.p.drawLine(QLineF(x, y - reach_y, x, y + reach_y))

    def _is_bookmarked(self, mark: Mark) -> bool:
        if mark.incident is not None:
            return False
        rows = range(mark.first, mark.row + 1) if mark.count > 1 else (mark.row,)
        return any(is_bookmarked(self.model.header_at(row)) for row in rows)

    def _paint_hits(self, lane: int, first: int, last: int) -> None:
        """Paint the tags of a lane, over the tags at its end."""
        hits = self.state.hits
        if hits is None or hits.is_empty:
            return
        for mark in self.layout.marks_between(lane, first, last):
            if mark.incident is None:
                centre = QPointF(self.x(mark.x), self.y(lane))
                self._paint_tags(hits.at_rows(lane, mark.first, mark.row), centre)

    def _paint_tags(self, tags: list[HitTag], centre: QPointF) -> None:
        """Paint the numbers of the questions that have a hit at a mark, above it."""
        if not tags:
            return
        is_tall = self.layout.lane_height >= 44
        height = 15 if is_tall else 11
        top = round(centre.y() - (28 if is_tall else self.layout.lane_height / 2 - 1))
        left = round(centre.x() - TAG * len(tags) / 2)
        for place, tag in enumerate(tags):
            box = QRectF(left + TAG * place + 0.5, top + 0.5, TAG - 2, height)
            fill = self.theme.accentFill if tag.is_active else self.theme.raised
            text = self.theme.on if tag.is_active else self.theme.text2
            border = self.theme.accentFill if tag.is_active else self.theme.line2
            self.p.setPen(QPen(border, 1))
            self.p.setBrush(fill)
            self.p.drawRoundedRect(box, 3, 3)
            self.text(box, str(tag.number), text, data_font(10))

    def _words(self, mark: Mark) -> tuple[str, str]:
        """Return the text under a mark, and its colour role."""
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
        outcomes = self._outcomes(mark)
        if outcomes > 1:
            return f"{outcomes} outcomes", "warn"
        header = self.model.header_at(mark.row)
        caption = mark_caption(header)
        counts = self.state.counts(header.id)
        if caption or counts is None:
            return caption, role
        return counts_caption(counts)

    def _caption(self, centre: QPointF, text: str, colour: QColor) -> float:
        """Paint the words under a mark. Return how wide they are; 0 without room."""
        font = ui_font(11)
        width = self.layout.column - 8
        if self.layout.lane_height < 44 or (width < 40 and len(text) > 3):
            return 0.0  # no room; the tool tip has the text
        metrics = QFontMetricsF(font)
        text = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, width)
        self.p.setFont(font)
        self.p.setPen(colour)
        self.p.drawText(
            QRectF(centre.x() - 60, centre.y() + 9, 120, 16),
            Qt.AlignmentFlag.AlignCenter,
            text,
        )
        return metrics.horizontalAdvance(text)

    # --- the selection and the scrubber ---

    def _paint_selection(self) -> None:
        """Paint a band behind the marks of the selected checkpoints of each lane."""
        ends: dict[int, tuple[int, int]] = {}
        for row in self.state.selected:
            lane = self.model.lane_of(row)
            ends[lane] = (ends.get(lane, (row, row))[0], row)
        self.p.setPen(QPen(self.theme.accent, 1))
        self.p.setBrush(self.theme.accentSoft)
        for lane, (first, last) in ends.items():
            if self.branches.is_shown(lane):
                left = self.x(self.layout.x_of(first)) - BAND
                right = self.x(self.layout.x_of(last)) + BAND
                box = QRectF(left, self.y(lane) - BAND, right - left, 2 * BAND)
                self.p.drawRoundedRect(box, BAND, BAND)

    def _paint_scrubber(self) -> None:
        row = self.state.viewed
        if row is not None and self.state.past:
            x = round(self.x(self.layout.x_of(row)))
            self.p.fillRect(
                QRect(x - 1, HEAD - 6, 2, self.view.height()), self.theme.past
            )

    def _paint_flags(self) -> None:
        if self.state.viewed is not None and self.state.past:
            self._flag(self.state.viewed)

    def _flag(self, row: int) -> None:
        fill = self.theme.past
        x = round(self.x(self.layout.x_of(row)))
        name = f"#{row + 1}"
        width = round(QFontMetricsF(data_font(12)).horizontalAdvance(name) / 2) + 10
        box = QRectF(x - width, 2, 2 * width, 21)
        # The number of the superstep has the same place, so the flag covers all of it.
        self.p.fillRect(
            box.adjusted(-2, 0, 2, HEAD - 1 - box.bottom()), self.theme.panel
        )
        self.p.setPen(QPen(fill, 1))
        self.p.setBrush(fill)
        self.p.drawPolygon(
            QPolygonF([QPointF(x - 5, 22), QPointF(x + 5, 22), QPointF(x, 27)])
        )
        self.p.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        self.p.fillRect(QRect(x - 1, 22, 2, HEAD - 22), fill)
        self.text(box, name, self.theme.window, data_font(12))
