"""Strokes as numbers: how far a point is from one, whether it meets a rectangle, and
how little of it one sees from afar.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QPainterPath

from designer.canvas.drawing.figures import Figure, Wire, look_of
from designer.canvas.drawing.geometry import sides

Place = tuple[float, float]


def hairlines_of(figure: Figure) -> list[QLineF]:
    """Return what is left of a figure from far away: each wire as one straight line, or
    as lines from dot to dot, and then the tags as lines.
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
    """Yield each dot's wire, its place in the order of that wire, and where it is."""
    if figure.dotted:
        for wire in figure.wires:
            for k, dot in enumerate(wire.dots):
                yield wire, k, dot


def wire_lines(wire: Wire) -> list[QLineF]:
    """Return a wire as it is seen from far away."""
    if not wire.dots:
        return [_ends(wire.path)]
    straight = _ends(wire.path)
    return [
        QLineF(a, b) for a, b in pairwise([straight.p1(), *wire.dots, straight.p2()])
    ]


def _ends(path: QPainterPath) -> QLineF:
    """Return the line from start to end. To ask for the first element costs a tenth of
    asking for the point at 0 %.
    """
    first = path.elementAt(0)
    last = path.currentPosition()
    return QLineF(first.x, first.y, last.x(), last.y())


def solid(figure: Figure) -> list[QRectF]:
    """Return what of a figure a click can hit besides its wires: hub, bar and tags."""
    parts = [*figure.segments, *(tag.rect for tag in figure.tags)]
    if figure.hub is not None and figure.own_hub:
        half = look_of(figure.kind).hub_half
        parts.append(
            QRectF(figure.hub.x() - half, figure.hub.y() - half, 2 * half, 2 * half)
        )
    return parts


def path_distance(path: QPainterPath, point: QPointF) -> float:
    """Return how far a point is from a stroke."""
    x, y = point.x(), point.y()
    distances = [segment_distance(x, y, start, end) for start, end in _pieces(path)]
    return min(distances, default=1e9)


def on_path(path: QPainterPath, point: QPointF) -> QPointF:
    """Return the place on a stroke that is nearest to a point."""
    x, y = point.x(), point.y()
    (x0, y0), (x1, y1) = min(
        _pieces(path), key=lambda piece: segment_distance(x, y, *piece)
    )
    share = _nearest_share(x, y, (x0, y0), (x1, y1))
    return QPointF(x0 + share * (x1 - x0), y0 + share * (y1 - y0))


def _pieces(path: QPainterPath) -> list[tuple[Place, Place]]:
    """Return a stroke as straight pieces."""
    pieces: list[tuple[Place, Place]] = []
    for polygon in path.toSubpathPolygons():
        corners = [corner.toTuple() for corner in polygon.toList()]
        pieces += pairwise(corners)
    return pieces


def segment_distance(x: float, y: float, start: Place, end: Place) -> float:
    """Return how far a point is from a straight piece."""
    share = _nearest_share(x, y, start, end)
    dx = start[0] + share * (end[0] - start[0]) - x
    dy = start[1] + share * (end[1] - start[1]) - y
    return float((dx * dx + dy * dy) ** 0.5)


def _nearest_share(x: float, y: float, start: Place, end: Place) -> float:
    """Return where on a straight piece, from 0 to 1, it is nearest to a point."""
    dx = end[0] - start[0]
    dy = end[1] - start[1]
    square = dx * dx + dy * dy
    if not square:
        return 0.0
    share = ((x - start[0]) * dx + (y - start[1]) * dy) / square
    return max(0.0, min(1.0, share))


def polyline_meets(line: list[Place], rect: QRectF) -> bool:
    """Return whether a line of straight pieces runs through a rectangle."""
    left, top, right, bottom = sides(rect)
    for a, b in pairwise(line):
        # Most pieces lie on one side of the rectangle, where nothing has to be cut.
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
    """Return whether any of a segment is inside a rectangle, by Liang and Barsky."""
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
