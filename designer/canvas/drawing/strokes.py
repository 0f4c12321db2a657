"""Strokes as numbers: how far a point is from one, whether it meets a rectangle, and what is left of it from afar."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QPainterPath

from designer.canvas.drawing.figures import Figure, Wire, look_of
from designer.canvas.drawing.geometry import sides


def hairlines_of(figure: Figure) -> list[QLineF]:
    """Each wire as one straight line, from dot to dot if it has any, and then the tags as lines too: what is left of a
    figure from far away.
    """
    if figure.dotted:
        lines = [line for wire in figure.wires for line in wire_lines(wire)]
    else:
        lines = []
    lines = lines or [_ends(wire.path) for wire in figure.wires]
    for tag in figure.tags:
        middle = tag.rect.center().y()
        lines.append(QLineF(tag.rect.left(), middle, tag.rect.right(), middle))
    return lines


def dots_of(figure: Figure) -> Iterator[tuple[Wire, int, QPointF]]:
    """Each dot with its wire, and which it is of that."""
    if figure.dotted:
        for wire in figure.wires:
            for k, at in enumerate(wire.dots):
                yield wire, k, at


def wire_lines(wire: Wire) -> list[QLineF]:
    """A wire from far away."""
    if not wire.dots:
        return [_ends(wire.path)]
    whole = _ends(wire.path)
    return [QLineF(a, b) for a, b in pairwise([whole.p1(), *wire.dots, whole.p2()])]


def _ends(path: QPainterPath) -> QLineF:
    """From its start to its end; the first element costs a tenth of the point at 0 %."""
    first = path.elementAt(0)
    last = path.currentPosition()
    return QLineF(first.x, first.y, last.x(), last.y())


def solid(figure: Figure) -> list[QRectF]:
    """What can be taken hold of besides the wires."""
    parts = [*figure.segments, *(tag.rect for tag in figure.tags)]
    if figure.hub is not None and figure.own_hub:
        half = look_of(figure.kind).hub_half
        parts.append(
            QRectF(figure.hub.x() - half, figure.hub.y() - half, 2 * half, 2 * half)
        )
    return parts


def path_distance(path: QPainterPath, point: QPointF) -> float:
    """How far a point is from a stroke."""
    x = point.x()
    y = point.y()
    lines = (
        [at.toTuple() for at in polygon.toList()]
        for polygon in path.toSubpathPolygons()
    )
    return min(
        (segment_distance(x, y, a, b) for line in lines for a, b in pairwise(line)),
        default=1e9,
    )


def on_path(path: QPainterPath, point: QPointF) -> QPointF:
    """The place on a stroke that is nearest to a point."""
    lines = (
        [at.toTuple() for at in polygon.toList()]
        for polygon in path.toSubpathPolygons()
    )
    pieces = [piece for line in lines for piece in pairwise(line)]
    a, b = min(pieces, key=lambda piece: segment_distance(point.x(), point.y(), *piece))
    dx = b[0] - a[0]
    dy = b[1] - a[1]
    square = dx * dx + dy * dy
    if square:
        share = max(
            0.0, min(1.0, ((point.x() - a[0]) * dx + (point.y() - a[1]) * dy) / square)
        )
    else:
        share = 0.0
    return QPointF(a[0] + share * dx, a[1] + share * dy)


def segment_distance(
    x: float, y: float, a: tuple[float, float], b: tuple[float, float]
) -> float:
    dx = b[0] - a[0]
    dy = b[1] - a[1]
    square = dx * dx + dy * dy
    if not square:
        t = 0.0
    else:
        t = max(0.0, min(1.0, ((x - a[0]) * dx + (y - a[1]) * dy) / square))
    return float(((a[0] + t * dx - x) ** 2 + (a[1] + t * dy - y) ** 2) ** 0.5)


def polyline_meets(line: list[tuple[float, float]], rect: QRectF) -> bool:
    left, top, right, bottom = sides(rect)
    for a, b in pairwise(line):
        # Most of a curve lies on one side of the rectangle: nothing has to be cut there.
        if (a[0] < left and b[0] < left) or (a[0] > right and b[0] > right):
            continue
        if (a[1] < top and b[1] < top) or (a[1] > bottom and b[1] > bottom):
            continue
        if _segment_meets(a, b, left, top, right, bottom):
            return True
    return False


def _segment_meets(
    a: tuple[float, float],
    b: tuple[float, float],
    left: float,
    top: float,
    right: float,
    bottom: float,
) -> bool:
    """Liang-Barsky: is any of the segment inside of the rectangle?"""
    low = 0.0
    high = 1.0
    dx = b[0] - a[0]
    dy = b[1] - a[1]
    for step, gap in (
        (-dx, a[0] - left),
        (dx, right - a[0]),
        (-dy, a[1] - top),
        (dy, bottom - a[1]),
    ):
        if step == 0:
            if gap < 0:
                return False
        elif step < 0:
            low = max(low, gap / step)
        else:
            high = min(high, gap / step)
    return low <= high
