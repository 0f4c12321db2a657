"""Where the marks of breakpoints are on the canvas, how they are painted, and which one
is at a point.

They keep their size on the screen when one looks from far away: a breakpoint that
cannot be seen is one that surprises.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from designer.canvas.drawing.style import COMPACT
from designer.look.breakpoint_marks import RADIUS, paint_breakpoint
from designer.model.breakpoint_words import GHOST

if TYPE_CHECKING:
    from designer.canvas.drawing.scene import CanvasScene

REACH = RADIUS + 2
_CORNER = QPointF(2, 1)
_DIAMOND_CORNER = QPointF(8, 8)
_ABOVE_BAR = QPointF(0, -5)


def place_of_mark(scene: CanvasScene, key: str) -> QPointF | None:
    """Return the middle of the mark of an element: at the corner of a node, above the
    bar of a join, in the middle of another edge. None for what is not drawn.
    """
    box = scene.boxes.get(key)
    if box is not None:
        corner = _DIAMOND_CORNER if box.diamond else _CORNER
        return box.rect.topLeft() + corner
    figure = scene.figure(key)
    if figure is None:
        return None
    if figure.segments:
        first = figure.segments[0]
        return QPointF(first.center().x(), first.top()) + _ABOVE_BAR
    shared = [wire for wire in figure.wires if not (wire.source and wire.target)]
    path = (shared or figure.wires)[0].path
    return _beside_tags(scene, path.pointAtPercent(0.5))


def _beside_tags(scene: CanvasScene, point: QPointF) -> QPointF:
    """Return the point, or one to the left of a tag of the run that is there."""
    area = QRectF(point.x() - RADIUS, point.y() - RADIUS, 2 * RADIUS, 2 * RADIUS)
    for mark in scene.marks:
        if mark.path is None and mark.rect.intersects(area):
            return QPointF(mark.rect.left() - RADIUS - 2, point.y())
    return point


def scale_at(zoom: float) -> float:
    """Return how much larger than usual a mark is in the scene."""
    return max(1.0, COMPACT / zoom)


def mark_area(scene: CanvasScene, key: str, zoom: float) -> QRectF:
    """Return where the mark of an element paints."""
    place = place_of_mark(scene, key)
    if place is None:
        return QRectF()
    reach = (RADIUS + 3) * scale_at(zoom)
    return QRectF(place.x() - reach, place.y() - reach, 2 * reach, 2 * reach)


def paint_breakpoints(
    painter: QPainter, scene: CanvasScene, exposed: QRectF, zoom: float, ghost: str
) -> None:
    """Paint all marks in a rectangle; `ghost` is a node without one under the pointer."""
    scale = scale_at(zoom)
    room = (RADIUS + 3) * scale
    around = exposed.adjusted(-room, -room, room, room)
    theme = scene.style_.theme
    ground = theme.canvas
    marks = [*scene.breakpoints.items()]
    if ghost and ghost not in scene.breakpoints:
        marks.append((ghost, GHOST))
    for key, mark in marks:
        place = place_of_mark(scene, key)
        if place is not None and around.contains(place):
            paint_breakpoint(painter, mark, place, theme, ground, scale)


def breakpoint_at(scene: CanvasScene, point: QPointF, zoom: float) -> str:
    """Return the element whose mark is at a point; "" for none."""
    reach = REACH * scale_at(zoom)
    for key in reversed(list(scene.breakpoints)):
        place = place_of_mark(scene, key)
        if place is not None and _distance(place, point) <= reach:
            return key
    return ""


def gutter_at(scene: CanvasScene, point: QPointF, zoom: float) -> str:
    """Return the node at whose corner a click sets a breakpoint; "" for none."""
    if zoom <= COMPACT:
        return ""
    for node in _nodes_around(scene, point):
        place = place_of_mark(scene, node)
        if place is not None and _distance(place, point) <= REACH:
            return node
    return ""


def _nodes_around(scene: CanvasScene, point: QPointF) -> Iterator[str]:
    area = QRectF(point.x() - REACH, point.y() - REACH, 2 * REACH, 2 * REACH)
    yield from reversed(scene.obstacles.near(area))


def _distance(place: QPointF, point: QPointF) -> float:
    away = place - point
    return math.hypot(away.x(), away.y())
