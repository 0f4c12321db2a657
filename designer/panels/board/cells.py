"""Paint one cell of the board: the time of a handler, and what it waited for."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QStaticText

from designer.look.fonts import data_font, ui_font
from designer.look.icons import paint_icon
from designer.look.theme import Theme
from designer.panels.board.columns import Column, Group
from designer.panels.board.places import PAD, BoardPlaces
from designer.panels.board.words import held_words, took
from designer.panels.widgets.glyphs import paint_glyph
from runtime.debug.protocol import BoardCell, BoardJoin

BAR = 14
RADIUS = 3
CHIP = 17
TEXT_PAD = 5
LEAST_BAR = 3.0  # px, so that the shortest call is seen
# px of a column below which it has no texts
TEXT_LEAST = 84
_ICONS = ("record", "pin")
STOP = 4  # px above and below the line, where the waiting ends


@cache
def _width(text: str, *, is_data: bool) -> float:
    font = data_font(12) if is_data else ui_font(11)
    return QFontMetricsF(font).horizontalAdvance(text)


@cache
def _static(text: str) -> QStaticText:
    """Return a laid out text, because the same few times are painted in each frame."""
    static = QStaticText(text)
    static.setTextFormat(Qt.TextFormat.PlainText)
    static.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
    static.prepare(font=data_font(12))
    return static


class CellPainter:
    """Paints cells with one painter; `places` are in content pixels, `shift` moves them
    into the viewport.
    """

    def __init__(
        self, painter: QPainter, places: BoardPlaces, theme: Theme, shift: float
    ) -> None:
        self.p = painter
        self.places = places
        self.theme = theme
        self.shift = shift

    def paint(self, column: Column, name: str, y: float) -> None:
        cell = column.cells.get(name)
        group = column.groups.get(name)
        if cell is not None and group is None:
            self._cell(column, cell, y)
        elif group is not None:
            self._group(column, name, group, y)
        join = column.held.get(name)
        if join is not None and cell is None:
            self._held(column.superstep, join, y)

    def branch(self, column: Column, y: float) -> None:
        """Paint a whole superstep of a branch that is folded."""
        asked = sum(cell.asked for cell in column.cells.values())
        left, right = self._span(column, 0.0, column.length)
        self._bar(left, right, y, self.theme.line2)
        if asked:
            self._asked(left, right, y)

    # --- what a cell has ----------------------------------------------------------------------------------------

    def _cell(self, column: Column, cell: BoardCell, y: float) -> None:
        theme = self.theme
        left, right = self._span(column, cell.started, cell.ended)
        is_critical = cell.executor == column.longest
        for started, seconds in cell.failed:
            self._failed_bar(*self._span(column, started, started + seconds), y)
        if cell.is_failed:
            end = self._label_failed(right, y)
        elif cell.asked:
            end = self._asked(left, right, y)
        elif cell.recorded or cell.pinned:
            end = self._not_called(column, cell, y)
        else:
            if cell.failed:
                left = self._after_failed(column, cell, y)
                right = max(right, left + LEAST_BAR)
            fill = theme.accentFill if is_critical else theme.line2
            self._bar(left, right, y, fill)
            ink = theme.on if is_critical else theme.text
            end = self._time(left, right, y, took(cell.seconds), ink, column)
        if cell.executor != column.last:
            self._waiting(end, self._barrier(column), y)

    def _after_failed(self, column: Column, cell: BoardCell, y: float) -> float:
        """Paint the mark of failed attempts; return where the last attempt begins."""
        started, seconds = cell.failed[-1]
        _, right = self._span(column, started, started + seconds)
        end = self._label_failed(right, y) + 4
        begin, _ = self._span(column, started + seconds, cell.ended)
        return max(begin, end) if self._has_room(column.superstep) else begin

    def _group(self, column: Column, name: str, group: Group, y: float) -> None:
        theme = self.theme
        left, right = self._span(column, group.started, group.ended)
        is_critical = column.longest.startswith((f"{name}/", f"{name}#"))
        fill = theme.accentFill if is_critical else theme.line2
        if group.asked:
            end = self._asked(left, right, y)
        else:
            self._bar(left, right, y, fill)
            ink = theme.on if is_critical else theme.text
            end = self._time(
                left, right, y, took(group.ended - group.started), ink, column
            )
        if group.failed:
            end = self._label_failed(end, y)
        if not column.last.startswith((f"{name}/", f"{name}#")):
            self._waiting(end, self._barrier(column), y)

    def _held(self, superstep: int, join: BoardJoin, y: float) -> None:
        left = self.shift + self.places.left(superstep) + PAD
        right = self.shift + self.places.barrier(superstep)
        pen = QPen(self.theme.warn, 1.5, Qt.PenStyle.CustomDashLine)
        pen.setDashPattern([2.5, 2.0])
        self.p.setPen(pen)
        self.p.drawLine(QLineF(left, y, right, y))
        if self._has_room(superstep):
            text = held_words(join)
            box = self._chip(left + 12, y, text, "warn", "waiting", most=right - 4)
            self.p.setPen(pen)
            if box.right() < right:
                self.p.drawLine(QLineF(box.right() + 2, y, right, y))

    def running(self, superstep: int, text: str, y: float, *, is_done: bool) -> None:
        """Paint an executor in the superstep that runs now."""
        left = self.shift + self.places.left(superstep) + PAD
        role = "ok" if is_done else "accent"
        self._chip(left, y, text, role, "done" if is_done else "running", most=1e9)

    def failure(self, superstep: int, y: float) -> None:
        """Paint a superstep that failed, and so has no checkpoint."""
        left = self.shift + self.places.left(superstep) + PAD
        self._failed_bar(left, left + 12, y)
        self._label_failed(left + 12, y)

    # --- parts --------------------------------------------------------------------------------------------------

    def _has_room(self, superstep: int) -> bool:
        places = self.places
        return places.barrier(superstep) - places.left(superstep) >= TEXT_LEAST

    def _barrier(self, column: Column) -> float:
        return self.shift + self.places.barrier(column.superstep) - PAD

    def _span(
        self, column: Column, started: float, ended: float
    ) -> tuple[float, float]:
        step = column.superstep
        left = self.shift + self.places.x_of(step, started, column.length)
        right = self.shift + self.places.x_of(step, ended, column.length)
        return left, max(right, left + LEAST_BAR)

    def _bar(self, left: float, right: float, y: float, colour: QColor) -> None:
        self.p.setPen(Qt.PenStyle.NoPen)
        self.p.setBrush(colour)
        rect = QRectF(left, y - BAR / 2, right - left, BAR)
        self.p.drawRoundedRect(rect, RADIUS, RADIUS)

    def _time(
        self,
        left: float,
        right: float,
        y: float,
        text: str,
        ink: QColor,
        column: Column,
    ) -> float:
        """Write a time into its bar, or beside it. Return where the cell ends."""
        if not self._has_room(column.superstep):
            return right
        width = _width(text, is_data=True)
        x = left + TEXT_PAD
        if width + 2 * TEXT_PAD > right - left:
            ink = self.theme.text2
            x = right + TEXT_PAD
            if x + width > self.shift + self.places.barrier(column.superstep) - 2:
                return right  # no room; the tool tip has the time
        self.p.setPen(ink)
        self.p.setFont(data_font(12))
        self.p.drawStaticText(QPointF(x, y - 8), _static(text))
        return max(right, x + width + 3)

    def _waiting(self, start: float, end: float, y: float) -> None:
        """Paint the time that an executor waited at the barrier."""
        if end - start < 6:
            return
        self.p.setPen(QPen(self.theme.edge, 1))
        lines = [
            QLineF(start + 2, y, end, y),
            QLineF(end, y - STOP, end, y + STOP),
        ]
        self.p.drawLines(lines)

    def _failed_bar(self, left: float, right: float, y: float) -> None:
        rect = QRectF(left, y - BAR / 2, right - left, BAR)
        self.p.setPen(QPen(self.theme.bad, 1))
        self.p.setBrush(self.theme.badSoft)
        self.p.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)

    def _label_failed(self, x: float, y: float) -> float:
        theme = self.theme
        square = QRectF(x + 4, y - 6, 12, 12)
        paint_glyph(self.p, "failed", square, theme.bad, theme.panel)
        self.p.setFont(ui_font(11))
        self.p.setPen(theme.bad)
        width = _width("failed", is_data=False)
        box = QRectF(x + 19, y - 8, width + 2, 16)
        self.p.drawText(box, Qt.AlignmentFlag.AlignVCenter, "failed")
        return box.right()

    def _asked(self, left: float, right: float, y: float) -> float:
        text = "asked a question"
        if right - left < _width(text, is_data=False) + 28:
            text = "asked"
        box = self._chip(left, y, text, "ask", "asking", least=right - left, most=1e9)
        return box.right()

    def _not_called(self, column: Column, cell: BoardCell, y: float) -> float:
        """Paint that a result was recorded or pinned, so that its time says little."""
        left, right = self._span(column, cell.started, cell.ended)
        if not self._has_room(column.superstep):
            self._bar(left, right, y, self.theme.pastSoft)
            return right
        text, icon = ("pinned", "pin") if cell.pinned else ("recorded", "record")
        left = self.shift + self.places.left(column.superstep) + PAD
        box = self._chip(left, y, text, "past", icon, most=self._barrier(column))
        return box.right()

    def _chip(
        self,
        left: float,
        y: float,
        text: str,
        role: str,
        glyph: str,
        *,
        least: float = 0.0,
        most: float,
    ) -> QRectF:
        """Paint words with a glyph in a frame; `most` is the x where it must end."""
        theme = self.theme
        colour: QColor = getattr(theme, role)
        width = max(least, _width(text, is_data=False) + 28)
        box = QRectF(round(left) + 0.5, round(y - CHIP / 2) + 0.5, width, CHIP)
        if box.right() > most:
            box.setRight(most)
        self.p.setPen(QPen(colour, 1))
        self.p.setBrush(getattr(theme, f"{role}Soft"))
        self.p.drawRoundedRect(box, 4, 4)
        square = QRectF(box.left() + 5, box.center().y() - 6, 12, 12)
        if not paint_glyph(
            self.p, glyph, square, colour, getattr(theme, f"{role}Soft")
        ):
            icon = glyph if glyph in _ICONS else "clock"
            paint_icon(self.p, icon, square, colour)
        self.p.setFont(ui_font(11))
        self.p.setPen(colour)
        room = box.adjusted(21, 0, -3, 0)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        self.p.drawText(room, flags, text)
        return box
