"""Paint the arrows of messages: from the executor that sent, over the barrier, to the
one that took in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from designer.look.theme import Theme
from designer.panels.board.columns import Column
from designer.panels.board.model import BoardModel, Spot, around
from designer.panels.board.places import PAD
from runtime.debug.protocol import BoardArrow

HEAD = 6.0
MOST = 600  # arrows in one frame


@dataclass(frozen=True, slots=True)
class Way:
    """An arrow: the rows at its ends, and the superstep that begins at its end."""

    source: int
    target: int
    superstep: int
    arrow: BoardArrow
    ends_at_bar: bool


def ways(
    lane: int, column: Column, places: dict[tuple[int, str], int]
) -> Iterator[Way]:
    """Yield the arrows into a superstep. An end in a folded row is at that row."""
    for arrow in column.arrows:
        source = _shown(places, lane, arrow.source)
        target = _shown(places, lane, arrow.target)
        if source is not None and target is not None:
            name = arrow.target
            has_bar = name in column.cells or name in column.groups
            yield Way(source, target, column.superstep, arrow, has_bar)


def touches(way: Way, place: int, superstep: int) -> bool:
    """Return whether an arrow begins or ends in a cell."""
    if way.superstep == superstep:
        return way.target == place
    return way.superstep == superstep + 1 and way.source == place


def _shown(places: dict[tuple[int, str], int], lane: int, name: str) -> int | None:
    while name:
        place = places.get((lane, name))
        if place is not None:
            return place
        name = around(name)
    return None


class ArrowPainter:
    def __init__(
        self,
        painter: QPainter,
        model: BoardModel,
        theme: Theme,
        shift: tuple[float, float],
    ) -> None:
        self.p = painter
        self.model = model
        self.theme = theme
        self.shift_x, self.shift_y = shift

    def paint(self, way: Way, *, strong: bool) -> None:
        places = self.model.places
        barrier = self.shift_x + places.left(way.superstep)
        y_from = self.shift_y + places.middle(way.source)
        y_to = self.shift_y + places.middle(way.target)
        start = QPointF(barrier - PAD + 2, y_from)
        end = QPointF(barrier + PAD - 2, y_to)
        colour = self._colour(way.arrow, strong=strong)
        pen = QPen(colour, 1.5 if strong else 1)
        if way.arrow.kind == "dropped":
            pen.setStyle(Qt.PenStyle.DashLine)
        path = QPainterPath(start)
        bend = QPointF(PAD - 2, 0)
        tip = end - QPointF(HEAD, 0)
        path.cubicTo(start + bend, tip - bend, tip)
        self.p.setPen(pen)
        self.p.setBrush(Qt.BrushStyle.NoBrush)
        self.p.drawPath(path)
        self.p.setPen(Qt.PenStyle.NoPen)
        self.p.setBrush(colour)
        self.p.drawPolygon(
            QPolygonF([end, end + QPointF(-HEAD, -3.5), end + QPointF(-HEAD, 3.5)])
        )

    def _colour(self, arrow: BoardArrow, *, strong: bool) -> QColor:
        if arrow.kind == "dropped":
            return self.theme.bad
        return self.theme.accent if strong else self.theme.edge


def arrows_in_view(
    model: BoardModel, lane: int, first: int, last: int
) -> Iterator[Way]:
    """Yield the arrows of a branch in some supersteps, at most as many as can be told
    apart.
    """
    places = {row.key: place for place, row in enumerate(model.places.rows)}
    count = 0
    for superstep in range(max(1, first), last + 1):
        column = model.column(lane, superstep)
        for way in ways(lane, column, places) if column is not None else ():
            count += 1
            if count > MOST:
                return
            yield way


def arrows_of(model: BoardModel, spot: Spot) -> Iterator[Way]:
    """Yield the arrows into a cell and out of it."""
    place = model.place_of(spot)
    if place is None:
        return
    for way in arrows_in_view(model, spot.lane, spot.superstep, spot.superstep + 1):
        if touches(way, place, spot.superstep):
            yield way
