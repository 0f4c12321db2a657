"""How a wire runs from one point to another: forward, back below the nodes, or in a
loop.

All functions are pure; points are in scene pixels. A path ends where its arrow begins,
so that the stroke never shows in front of the tip.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath

ARROW = 6.0  # of its 7 px length; the last one is under the head
# how far a back edge runs below and beside its nodes
LOW = 28.0
SIDE = 32.0
AROUND = 18.0  # how far a wire stays from a node that it runs round
LONG = 220.0  # a shorter wire has no room for a node in its way


class Obstacles(Protocol):
    """What a route may ask about the nodes in its way.

    A wire that is longer than `longest` has too many of them.
    """

    @property
    def longest(self) -> float: ...

    def clear_level(self, x0: float, x1: float, y: float) -> float:
        """Return a y at or below `y` where a level line from x0 to x1 meets no node."""

    def free(self, rect: QRectF) -> bool:
        """Return whether no node is in this place."""

    def detour(
        self, start: QPointF, end: QPointF, but: tuple[str, ...]
    ) -> list[QPointF] | None:
        """Return the points of a way from left to right round all nodes other than
        `but`; None where there is none.
        """

    def in_the_way(self, path: QPainterPath, but: tuple[str, ...]) -> QRectF:
        """Return what a path crosses of nodes other than `but`, as one rectangle."""


def forward(start: QPointF, end: QPointF, bow: float = 0.0) -> QPainterPath:
    """Return a path from left to right. `bow` lifts its middle, beside a parallel wire.

    A steep one runs straight up between two bends.
    """
    sx = start.x()
    sy = start.y()
    ex = end.x()
    ey = end.y()
    width = ex - sx
    height = ey - sy
    path = QPainterPath(start)
    if abs(height) < 0.5 and not bow:
        path.lineTo(ex, ey)
    elif width < 4:
        # too near for a bend
        path.lineTo(ex, ey)
    elif abs(height) > 2.2 * width:
        _steep(path, sx, sy, ex, ey)
    else:
        # The middle of a cubic goes three quarters of the way to its control points.
        lift = bow * 4 / 3
        path.cubicTo(sx + width * 0.5, sy + lift, ex - width * 0.5, ey + lift, ex, ey)
    return path


def _steep(path: QPainterPath, sx: float, sy: float, ex: float, ey: float) -> None:
    middle = (sx + ex) / 2
    sign = 1 if ey > sy else -1
    bend = min(abs(ey - sy) / 2, 40.0)
    path.cubicTo(
        sx + (ex - sx) * 0.42,
        sy,
        middle,
        sy + sign * bend * 0.25,
        middle,
        sy + sign * bend,
    )
    path.lineTo(middle, ey - sign * bend)
    path.cubicTo(middle, ey - sign * bend * 0.25, ex - (ex - sx) * 0.42, ey, ex, ey)


def below(start: QPointF, end: QPointF, low: float) -> QPainterPath:
    """Return a path from right to left, under the nodes at height `low`."""
    sx = start.x()
    sy = start.y()
    ex = end.x()
    ey = end.y()
    path = QPainterPath(start)
    path.cubicTo(
        sx + SIDE * 0.75,
        sy,
        sx + SIDE,
        sy + (low - sy) * 0.25,
        sx + SIDE,
        sy + (low - sy) * 0.5,
    )
    path.cubicTo(
        sx + SIDE, low - (low - sy) * 0.12, sx + SIDE * 0.5, low, sx - SIDE * 0.6, low
    )
    path.lineTo(min(ex + SIDE * 0.6, sx - SIDE * 0.6), low)
    path.cubicTo(
        ex - SIDE * 0.5,
        low,
        ex - SIDE,
        low - (low - ey) * 0.12,
        ex - SIDE,
        ey + (low - ey) * 0.5,
    )
    path.cubicTo(ex - SIDE, ey + (low - ey) * 0.25, ex - SIDE * 0.75, ey, ex, ey)
    return path


def round_box(start: QPointF, end: QPointF, box: QRectF) -> tuple[QPainterPath, ...]:
    """Return paths from left to right over and under a box, the shorter one first."""
    sx = start.x()
    ex = end.x()
    enter = max(sx + 16, box.left() - 28)
    leave = min(ex - 16, box.right() + 28)
    levels = (box.top() - AROUND, box.bottom() + AROUND)
    paths = []
    for level in sorted(levels, key=lambda y: abs(y - start.y()) + abs(y - end.y())):
        path = forward(start, QPointF(enter, level))
        path.lineTo(leave, level)
        path.connectPath(forward(QPointF(leave, level), end))
        paths.append(path)
    return tuple(paths)


def between(start: QPointF, end: QPointF, middle: float) -> QPainterPath:
    """Return a path from right to left between two rows of nodes: to a level, back, and
    on.
    """
    sx = start.x()
    sy = start.y()
    ex = end.x()
    ey = end.y()
    r = min(20.0, abs(ey - sy) / 4)
    path = QPainterPath(start)
    path.cubicTo(sx + r * 1.3, sy, sx + r * 1.3, middle, sx - r * 0.4, middle)
    path.lineTo(min(ex + r * 0.4, sx - r * 0.4), middle)
    path.cubicTo(ex - r * 1.6, middle, ex - r * 1.6, ey, ex, ey)
    return path


def through(start: QPointF, points: Sequence[QPointF], end: QPointF) -> QPainterPath:
    """Return a path through dots in their order, one cubic for each leg between them.

    Each coordinate turns only at a dot (the tangents of Fritsch and Carlson), so that
    level dots give a level wire and nothing swings out beyond what was drawn.
    """
    way = [start, *points, end]
    path = QPainterPath(start)
    leave = QPointF(_lead(start, way[1]), 0)
    for before, dot, after in zip(way, way[1:], [*way[2:], None], strict=False):
        span = dot - before
        if after is None:
            arrive = QPointF(_lead(before, end), 0)
            onward = QPointF()
        else:
            arrive, onward = _bend(span, after - dot)
        path.cubicTo(before + leave, dot - arrive, dot)
        leave = onward
    return path


def _lead(start: QPointF, end: QPointF) -> float:
    """Return how far a wire runs straight out of a port, or into one: further when it
    has to turn back beside its node.
    """
    ahead = end.x() - start.x()
    aside = abs(end.y() - start.y())
    return max(ahead / 2, min(24.0 if ahead >= 0 else 80.0, (abs(ahead) + aside) / 2))


def _bend(before: QPointF, after: QPointF) -> tuple[QPointF, QPointF]:
    """Return the control points on both sides of a dot, relative to it; the one before
    it is turned round.
    """
    first = _length(before)
    second = _length(after)
    if not (first and second):
        return QPointF(), QPointF()
    slope = QPointF(
        _between(before.x() / first, after.x() / second),
        _between(before.y() / first, after.y() / second),
    )
    if slope.isNull():
        # The wire turns back on itself: across, so that there is no corner.
        slope = before / first + after / second
        return slope * (first / 3), slope * (second / 3)
    slope /= _length(slope)
    return slope * _reach(before, slope), slope * _reach(after, slope)


def _reach(leg: QPointF, slope: QPointF) -> float:
    """Return how far along a tangent a control point may be: not past the other end of
    its leg, in either coordinate.
    """
    sides = [
        abs(way / part)
        for way, part in ((leg.x(), slope.x()), (leg.y(), slope.y()))
        if abs(part) > 1e-6
    ]
    return min(0.4 * _length(leg), *sides)


def _between(a: float, b: float) -> float:
    """Return the harmonic mean of two slopes, 0 where they have different signs."""
    return 2 * a * b / (a + b) if a * b > 0 else 0.0


def _length(way: QPointF) -> float:
    return math.hypot(way.x(), way.y())


def legs(path: QPainterPath) -> list[QPainterPath]:
    """Return the legs of a path that `through` has made."""
    elements = [path.elementAt(k) for k in range(path.elementCount())]
    points = [QPointF(element.x, element.y) for element in elements]
    paths = []
    for k in range(0, len(points) - 1, 3):
        leg = QPainterPath(points[k])
        leg.cubicTo(points[k + 1], points[k + 2], points[k + 3])
        paths.append(leg)
    return paths


def over(start: QPointF, end: QPointF, top: float, reach: float) -> QPainterPath:
    """Return a self-loop above the node: out at the right, in at the left."""
    middle = (start.x() + end.x()) / 2
    path = QPainterPath(start)
    path.cubicTo(
        start.x() + reach * 1.35, start.y(), start.x() + reach, top, middle, top
    )
    path.cubicTo(
        end.x() - reach, top, end.x() - reach * 1.35, end.y(), end.x(), end.y()
    )
    return path
