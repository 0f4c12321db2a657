"""Paint the board: head, gutter, rows, barriers, cells and arrows.

Only the area of a paint event is painted, because a board may have millions of cells.
Paid for by `python -m tests.benchmarks.window --only board`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from designer.look.fonts import data_font, ui_font
from designer.look.icons import paint_icon
from designer.look.theme import Theme, mix
from designer.panels.board.arrows import (
    ArrowPainter,
    Way,
    arrows_in_view,
    arrows_of,
)
from designer.panels.board.cells import CellPainter
from designer.panels.board.columns import Column
from designer.panels.board.model import BoardModel, Spot
from designer.panels.board.places import PAD
from designer.panels.board.rows import Row
from designer.panels.board.words import took
from designer.session.timeline_model import FAILED
from runtime.debug.protocol import Header

HEAD = 32
INDENT = 12
FLAG = 18  # px beside a barrier that the name of the viewed checkpoint covers
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
Arrows = Literal["selected", "all", "none"]


@dataclass(frozen=True, slots=True)
class BoardState:
    """What is painted beside the facts.

    viewed    the checkpoint that is viewed, or the head of the live run
    failed    the executor that failed, if the run stands after a failed superstep
    running   (seconds, done) by executor, of the superstep that runs now
    """

    gutter: int
    scroll_x: int = 0
    scroll_y: int = 0
    viewed: Header | None = None
    past: bool = False
    selected: Spot | None = None
    arrows: Arrows = "selected"
    failed: str = ""
    running: Mapping[str, tuple[float, bool]] = field(default_factory=dict)
    has_focus: bool = False


class BoardPainter:
    """The painter of one paint event."""

    def __init__(
        self,
        painter: QPainter,
        model: BoardModel,
        state: BoardState,
        theme: Theme,
        area: QRect,
        view: QRect,
    ) -> None:
        self.p = painter
        self.model = model
        self.places = model.places
        self.state = state
        self.theme = theme
        self.area = area
        self.view = view
        self.shift_x = state.gutter - state.scroll_x
        self.shift_y = HEAD - state.scroll_y
        # Looked up once for each paint event, because all rows of a branch need them.
        self._columns: dict[int, list[tuple[int, Column]]] = {}
        lanes = model.timeline.lanes
        self._left = frozenset(lane.forked_from for lane in lanes if lane.forked_from)
        self.cells = CellPainter(painter, self.places, theme, self.shift_x)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def paint(self) -> None:
        gutter = self.state.gutter
        width = self.view.width()
        height = self.view.height()
        self.p.fillRect(self.area, self.theme.panel)
        body = QRect(gutter, HEAD, width - gutter, height - HEAD)
        self._clip(body, self._paint_body)
        self._clip(QRect(gutter, 0, width - gutter, height), self._paint_head)
        self._clip(QRect(0, HEAD, gutter, height - HEAD), self._paint_gutter)
        self._clip(QRect(0, 0, gutter, HEAD), self._paint_corner)
        self.p.fillRect(QRect(gutter - 1, 0, 1, height), self.theme.line)
        self.p.fillRect(QRect(0, HEAD - 1, width, 1), self.theme.line)

    def _clip(self, rect: QRect, paint: Callable[[], None]) -> None:
        clipped = rect & self.area
        if not clipped.isEmpty():
            self.p.save()
            self.p.setClipRect(clipped)
            paint()
            self.p.restore()

    # --- what is in view ----------------------------------------------------------------------------------------

    def supersteps(self) -> range:
        """Return the supersteps that the area shows."""
        left = max(self.area.left(), self.state.gutter) - self.shift_x
        right = self.area.right() - self.shift_x
        first = self.places.column_at(left)
        last = min(self.places.count, self.places.column_at(right))
        return range(first, last + 1)

    def columns(self, lane: int, supersteps: range) -> list[tuple[int, Column]]:
        """Return the columns of a branch in view, as far as they are read."""
        columns = self._columns.get(lane)
        if columns is None:
            extent = self.model.shown_supersteps(lane)
            first = max(1, supersteps.start, extent.start)
            columns = []
            for superstep in range(first, min(supersteps.stop, extent.stop)):
                column = self.model.column(lane, superstep)
                if column is not None:
                    columns.append((superstep, column))
            self._columns[lane] = columns
        return columns

    def rows(self) -> range:
        top = max(self.area.top(), HEAD) - self.shift_y
        return self.places.rows_between(top, self.area.bottom() - self.shift_y)

    def y(self, place: int) -> float:
        return self.shift_y + self.places.middle(place)

    # --- the body -----------------------------------------------------------------------------------------------

    def _paint_body(self) -> None:
        supersteps = self.supersteps()
        rows = self.rows()
        self._paint_ground(rows)
        self._paint_barriers(rows, supersteps)
        self._paint_arrows(rows, supersteps, strong=False)
        for place in rows:
            self._paint_row(place, self.places.rows[place], supersteps)
        self._paint_arrows(rows, supersteps, strong=True)
        self._paint_selected()
        self._paint_scrubber()

    def _paint_ground(self, rows: range) -> None:
        theme = self.theme
        viewed = self.state.viewed
        if viewed is not None and viewed.superstep > 0:
            left = round(self.shift_x + self.places.left(viewed.superstep))
            right = round(self.shift_x + self.places.barrier(viewed.superstep))
            soft = theme.pastSoft if self.state.past else theme.accentSoft
            tint = mix(soft, theme.panel, 0.6)
            self.p.fillRect(QRect(left, HEAD, right - left, self.view.height()), tint)
        for place in rows:
            top = self.shift_y + self.places.top(place)
            below = self.shift_y + self.places.top(place + 1) - 1
            if self.places.rows[place].kind == "branch":
                band = QRect(self.state.gutter, top, self.view.width(), below - top)
                self.p.fillRect(band, theme.window)
            self.p.fillRect(
                QRect(self.state.gutter, below, self.view.width(), 1), theme.line
            )

    def _paint_barriers(self, rows: range, supersteps: range) -> None:
        """Paint a line for each barrier, as high as the rows of its branch."""
        spans: dict[int, tuple[int, int]] = {}
        for place in rows:
            lane = self.places.rows[place].lane
            first, _ = spans.get(lane, (place, place))
            spans[lane] = (first, place)
        lines = []
        for lane, (first, last) in spans.items():
            top = self.shift_y + self.places.top(first)
            bottom = self.shift_y + self.places.top(last + 1)
            extent = self.model.shown_supersteps(lane)
            start = max(supersteps.start - 1, extent.start)
            for superstep in range(start, min(supersteps.stop, extent.stop)):
                x = round(self.shift_x + self.places.barrier(superstep))
                lines.append(QRect(x, top, 1, bottom - top))
        for line in lines:
            self.p.fillRect(line, self.theme.edge)

    def _paint_row(self, place: int, row: Row, supersteps: range) -> None:
        y = self.y(place)
        for superstep, column in self.columns(row.lane, supersteps):
            if row.kind == "branch":
                if not row.is_open:
                    self.cells.branch(column, y)
            elif row.kind == "invocation" and row.is_open:
                self._paint_own(row.name, superstep, column.own, y)
            else:
                self.cells.paint(column, row.name, y)
        if row.kind == "branch":
            self._paint_branch(row, y, supersteps)
        self._paint_live(row, y)

    def _paint_own(
        self, name: str, superstep: int, own: Mapping[str, int], y: float
    ) -> None:
        """Write the number that a superstep has in an invocation."""
        number = own.get(name)
        if not number:
            return
        left = self.shift_x + self.places.left(superstep) + PAD
        right = self.shift_x + self.places.barrier(superstep) - PAD
        self.p.setFont(data_font(11))
        self.p.setPen(self.theme.text2)
        box = QRectF(left, y - 11, right - left, 16)
        self.p.drawText(box, Qt.AlignmentFlag.AlignCenter, f"its s{number}")
        line = QRectF(left, y + 7, right - left, 1.5)
        self.p.fillRect(line, self.theme.edge)

    def _paint_live(self, row: Row, y: float) -> None:
        """Paint the superstep that runs now, or the one that failed."""
        model = self.model
        lane = model.timeline.lane_rows[row.lane]
        for incident in lane.incidents:
            is_here = row.kind == "branch" or row.name == self.state.failed
            if incident.kind == FAILED and is_here:
                self.cells.failure(incident.column, y)
        if row.lane != model.running_lane or not lane.columns:
            return
        superstep = lane.columns[-1] + 1
        if row.kind == "branch":
            self.cells.running(superstep, "live", y, is_done=False)
            return
        seconds, is_done = self.state.running.get(row.name, (-1.0, False))
        if seconds >= 0:
            self.cells.running(superstep, took(seconds), y, is_done=is_done)

    # --- a branch -----------------------------------------------------------------------------------------------

    def _paint_branch(self, row: Row, y: float, supersteps: range) -> None:
        """Paint the marks at the barriers of a branch: input, fork, answer, edit."""
        lane = self.model.timeline.lanes[row.lane]
        extent = self.model.supersteps(row.lane)
        start = max(extent.start, supersteps.start - 1)
        for superstep in range(start, min(extent.stop, supersteps.stop)):
            x = self.shift_x + self.places.barrier(superstep)
            for header in self.model.at_barrier(row.lane, superstep):
                self._paint_mark(header, x, y, is_open=bool(row.is_open))
        if lane.forked_from is not None and extent.start in supersteps:
            name = self.model.timeline.name(lane.forked_from)
            x = self.shift_x + self.places.barrier(extent.start)
            if name:
                box = QRectF(x - 110, y - 8, 98, 16)
                self._words(box, f"fork of {name}", self.theme.text2, _RIGHT)

    def _paint_mark(self, header: Header, x: float, y: float, *, is_open: bool) -> None:
        theme = self.theme
        if header.cause == "input":
            self.p.setPen(Qt.PenStyle.NoPen)
            self.p.setBrush(theme.text2)
            x -= 26
            triangle = [QPointF(x - 6, y - 4), QPointF(x + 6, y - 4), QPointF(x, y + 6)]
            self.p.drawPolygon(QPolygonF(triangle))
        elif header.cause in ("fork", "edit"):
            self._dot(x, y)
        elif header.cause == "response":
            self._paint_answer(header, x, y, says_when=is_open)
        if header.id in self._left:
            self._dot(x, y)

    def _dot(self, x: float, y: float) -> None:
        self.p.setPen(QPen(self.theme.text2, 1.5))
        self.p.setBrush(self.theme.panel)
        self.p.drawEllipse(QPointF(x + 0.5, y), 5, 5)
        self.p.setPen(Qt.PenStyle.NoPen)
        self.p.setBrush(self.theme.text2)
        self.p.drawEllipse(QPointF(x + 0.5, y), 2, 2)

    def _paint_answer(
        self, header: Header, x: float, y: float, *, says_when: bool
    ) -> None:
        """Paint the mark of an answer; in a folded row short, beside the bars."""
        parent = self.model.timeline.header(header.parent)
        words = "answered"
        if says_when and parent is not None and header.time > parent.time > 0:
            words += f" after {took(header.time - parent.time)}"
        theme = self.theme
        width = QFontMetricsF(ui_font(11)).horizontalAdvance(words) + 12
        box = QRectF(round(x - width / 2) + 0.5, round(y) - 8.5, round(width), 17)
        self.p.setPen(QPen(theme.ask, 1))
        self.p.setBrush(theme.askSoft)
        self.p.drawRoundedRect(box, 4, 4)
        self._words(box, words, theme.ask, Qt.AlignmentFlag.AlignCenter)

    def _words(
        self, box: QRectF, text: str, colour: QColor, where: Qt.AlignmentFlag
    ) -> None:
        self.p.setFont(ui_font(11))
        self.p.setPen(colour)
        self.p.drawText(box, where, text)

    # --- over the cells -----------------------------------------------------------------------------------------

    def _paint_arrows(self, rows: range, supersteps: range, *, strong: bool) -> None:
        """Paint all arrows below the cells, and those of the selected cell above."""
        if self.state.arrows == "none":
            return
        shift = (float(self.shift_x), float(self.shift_y))
        painter = ArrowPainter(self.p, self.model, self.theme, shift)
        selected = self.state.selected
        shown: list[Way] = []
        if strong and selected is not None:
            shown = list(arrows_of(self.model, selected))
        elif not strong and self.state.arrows == "all":
            for lane in {self.places.rows[place].lane for place in rows}:
                last = supersteps.stop
                shown += arrows_in_view(self.model, lane, supersteps.start, last)
        for way in shown:
            low, high = sorted((way.source, way.target))
            if high >= rows.start and low < rows.stop:
                painter.paint(way, strong=strong)

    def _paint_selected(self) -> None:
        spot = self.state.selected
        place = self.model.place_of(spot) if spot is not None else None
        if spot is None or place is None or spot.superstep < 1:
            return
        left = round(self.shift_x + self.places.left(spot.superstep)) + 5.5
        right = round(self.shift_x + self.places.barrier(spot.superstep)) - 4.5
        top = self.shift_y + self.places.top(place) + 3.5
        bottom = self.shift_y + self.places.top(place + 1) - 4.5
        pen = QPen(self.theme.accent, 1.5)
        if not self.state.has_focus:
            pen.setWidthF(1.0)
        self.p.setPen(pen)
        self.p.setBrush(Qt.BrushStyle.NoBrush)
        self.p.drawRoundedRect(QRectF(left, top, right - left, bottom - top), 5, 5)

    def _paint_scrubber(self) -> None:
        viewed = self.state.viewed
        if viewed is not None and self.state.past:
            x = round(self.shift_x + self.places.barrier(viewed.superstep))
            self.p.fillRect(QRect(x - 1, HEAD, 2, self.view.height()), self.theme.past)

    # --- the head -----------------------------------------------------------------------------------------------

    def _paint_head(self) -> None:
        theme = self.theme
        self.p.fillRect(QRect(0, 0, self.view.width(), HEAD), theme.panel)
        viewed = self.state.viewed
        lane = self.model.current_lane
        for superstep in self.supersteps():
            left = self.shift_x + self.places.left(superstep)
            right = self.shift_x + self.places.barrier(superstep)
            is_viewed = viewed is not None and viewed.superstep == superstep
            weight = QFont.Weight.DemiBold if is_viewed else QFont.Weight.Normal
            self.p.setFont(ui_font(12, weight))
            self.p.setPen(theme.text if is_viewed else theme.text2)
            box = QRectF(left + 7, 0, right - left - 12, HEAD - 1)
            if is_viewed and self.state.past:
                box.setRight(box.right() - FLAG)
            elif viewed is not None and viewed.superstep == superstep - 1:
                box.setLeft(box.left() + FLAG * self.state.past)
            self.p.drawText(box, _LEFT, str(superstep))
            column = None
            if self.model.timeline.branch_count:
                column = self.model.column(lane, superstep)
            if column is not None and right - left >= 84 and column.cells:
                self.p.setFont(data_font(11))
                self.p.setPen(theme.text2)
                self.p.drawText(box, _RIGHT, took(column.length))
            if superstep:
                line = QRect(round(left), HEAD - 7, 1, 6)
                self.p.fillRect(line, theme.edge)
        self._paint_flag()

    def _paint_flag(self) -> None:
        viewed = self.state.viewed
        if viewed is None or not self.state.past:
            return
        x = round(self.shift_x + self.places.barrier(viewed.superstep))
        name = self.model.timeline.name(viewed.id)
        width = round(QFontMetricsF(data_font(12)).horizontalAdvance(name) / 2) + 10
        box = QRectF(x - width, 3, 2 * width, 20)
        self.p.setPen(Qt.PenStyle.NoPen)
        self.p.setBrush(self.theme.past)
        self.p.drawRoundedRect(box, 4, 4)
        self.p.fillRect(QRect(x - 1, 23, 2, HEAD - 23), self.theme.past)
        self.p.setFont(data_font(12))
        self.p.setPen(self.theme.window)
        self.p.drawText(box, Qt.AlignmentFlag.AlignCenter, name)

    # --- the gutter ---------------------------------------------------------------------------------------------

    def _paint_corner(self) -> None:
        self.p.fillRect(QRect(0, 0, self.state.gutter, HEAD), self.theme.panel)
        self.p.setFont(ui_font(11, QFont.Weight.DemiBold))
        self.p.setPen(self.theme.text2)
        box = QRectF(12, 0, self.state.gutter - 12, HEAD - 1)
        self.p.drawText(box, _LEFT, "Executor")

    def _paint_gutter(self) -> None:
        self.p.fillRect(
            QRect(0, HEAD, self.state.gutter, self.view.height()), self.theme.panel
        )
        for place in self.rows():
            self._paint_name(place, self.places.rows[place])

    def _paint_name(self, place: int, row: Row) -> None:
        theme = self.theme
        gutter = self.state.gutter
        top = self.shift_y + self.places.top(place)
        below = self.shift_y + self.places.top(place + 1) - 1
        y = self.y(place)
        selected = self.state.selected
        is_selected = selected is not None and row.key == (selected.lane, selected.name)
        if is_selected:
            band = QRect(0, top, gutter, below - top)
            self.p.fillRect(band, theme.accentSoft)
        elif row.kind == "branch":
            self.p.fillRect(QRect(0, top, gutter, below - top), theme.window)
        self.p.fillRect(QRect(0, below, gutter, 1), theme.line)
        x = 4 + row.depth * INDENT
        if row.is_open is not None:
            icon = "chev" if row.is_open else "chevr"
            paint_icon(self.p, icon, QRectF(x, y - 6, 12, 12), theme.text2)
        x += 18
        is_strong = row.kind == "branch" and row.lane == self.model.current_lane
        colour = theme.accent if is_strong else theme.text2
        paint_icon(self.p, row.icon, QRectF(x, y - 7, 14, 14), colour)
        weight = (
            QFont.Weight.DemiBold if row.kind != "executor" else QFont.Weight.Normal
        )
        font = ui_font(12, weight)
        box = QRectF(x + 20, y - 10, gutter - x - 26, 20)
        middle = Qt.TextElideMode.ElideMiddle
        text = QFontMetricsF(font).elidedText(row.title, middle, box.width())
        self.p.setFont(font)
        self.p.setPen(theme.text)
        self.p.drawText(box, _LEFT, text)
