"""The signs of states: 12 x 12, drawn from kept paths, so that a state is shown by
shape as well as by colour and words.

A glyph is a list of parts; a part is a path, and whether it is filled, stroked, or cut
out in the ground's colour.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, lru_cache, partial

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QPolygonF,
)

from designer.canvas.drawing.style import is_vector, picture_of, set_picture
from designer.look.difference_marks import SIGNS
from designer.look.icons import icon_pixmap, paint_icon
from designer.look.theme import mix

FILL = "fill"
LINE = "line"
CUT = "cut"
Part = tuple[str, QPainterPath, float]  # how, path, stroke width
TURN_MS = 900


def _line(*points: tuple[float, float], close: bool = False) -> QPainterPath:
    path = QPainterPath(QPointF(*points[0]))
    for point in points[1:]:
        path.lineTo(*point)
    if close:
        path.closeSubpath()
    return path


def _ring(radius: float, x: float = 6.0, y: float = 6.0) -> QPainterPath:
    path = QPainterPath()
    path.addEllipse(QPointF(x, y), radius, radius)
    return path


def octagon(radius: float, x: float = 6.0, y: float = 6.0) -> QPainterPath:
    turn = math.pi / 8
    points = [
        (
            x + radius * math.cos(turn + k * math.pi / 4),
            y + radius * math.sin(turn + k * math.pi / 4),
        )
        for k in range(8)
    ]
    return _line(*points, close=True)


def _joined(*paths: QPainterPath) -> QPainterPath:
    whole = QPainterPath()
    for path in paths:
        whole.addPath(path)
    return whole


def _idle() -> list[Part]:
    return [(LINE, _ring(4), 1.4)]


def _queued() -> list[Part]:
    return [
        (
            LINE,
            _joined(
                _line((1, 2.5), (11, 2.5)),
                _line((1, 6), (11, 6)),
                _line((1, 9.5), (7.5, 9.5)),
            ),
            1.5,
        )
    ]


def _tick() -> list[Part]:
    return [(LINE, _line((1.8, 6.6), (4.6, 9.4), (10.4, 3)), 1.7)]


def _next() -> list[Part]:
    return [(FILL, _line((2.5, 1.8), (10.5, 6), (2.5, 10.2), close=True), 0)]


def _waiting() -> list[Part]:
    glass = _line(
        (2.6, 1.2),
        (9.4, 1.2),
        (9.4, 2.4),
        (6.7, 6),
        (9.4, 9.6),
        (9.4, 10.8),
        (2.6, 10.8),
        (2.6, 9.6),
        (5.3, 6),
        (2.6, 2.4),
        close=True,
    )
    return [
        (LINE, glass, 1.3),
        (FILL, _line((4.2, 9.9), (6, 7.6), (7.8, 9.9), close=True), 0),
    ]


def _bubble() -> list[Part]:
    bubble = _line(
        (1.2, 1.8),
        (10.8, 1.8),
        (10.8, 8),
        (6.2, 8),
        (3.6, 10.6),
        (3.6, 8),
        (1.2, 8),
        close=True,
    )
    return [(LINE, bubble, 1.5)]


def _failed() -> list[Part]:
    cross = _joined(_line((4.1, 4.1), (7.9, 7.9)), _line((7.9, 4.1), (4.1, 7.9)))
    return [(FILL, octagon(5.4), 0), (CUT, cross, 1.5)]


def _stalled() -> list[Part]:
    half = QPainterPath(QPointF(6, 1.6))
    half.arcTo(QRectF(1.6, 1.6, 8.8, 8.8), 90, 180)
    half.closeSubpath()
    return [(LINE, _ring(4.4), 1.4), (FILL, half, 0)]


def _dash() -> list[Part]:
    return [(LINE, _line((1.8, 6), (10.2, 6)), 1.6)]


def _struck() -> list[Part]:
    return [(LINE, _joined(_ring(4.4), _line((2.9, 9.1), (9.1, 2.9))), 1.4)]


def _triangle() -> list[Part]:
    body = _line((6, 1.2), (11.2, 10.6), (0.8, 10.6), close=True)
    return [
        (LINE, body, 1.4),
        (LINE, _line((6, 4.6), (6, 7.2)), 1.4),
        (FILL, _ring(0.8, 6, 8.9), 0),
    ]


def _off() -> list[Part]:
    """Return the sign of a disabled node: the one on power switches."""
    ring = QPainterPath()
    ring.arcMoveTo(QRectF(1.8, 2.2, 8.4, 8.4), 130)
    ring.arcTo(QRectF(1.8, 2.2, 8.4, 8.4), 130, 280)
    return [(LINE, _joined(ring, _line((6, 1), (6, 5.6))), 1.4)]


def _bypass() -> list[Part]:
    """Return the sign of a bypassed node: a way past a dot."""
    way = QPainterPath(QPointF(1, 7.4))
    way.cubicTo(2.4, 1.4, 8, 1.4, 10.4, 6)
    return [
        (LINE, _joined(way, _line((7.1, 6.1), (10.6, 6.5), (11.2, 3))), 1.4),
        (FILL, _ring(1.7, 6, 9.4), 0),
    ]


def _cross() -> list[Part]:
    return [(LINE, _joined(_line((3, 3), (9, 9)), _line((9, 3), (3, 9))), 1.6)]


def _shuffle() -> list[Part]:
    """Return the sign in the diamond of a switch: two ways that cross."""
    ways = _joined(
        _line((0.5, 2.6), (3.2, 2.6), (8.2, 9.4), (11.5, 9.4)),
        _line((0.5, 9.4), (3.2, 9.4), (4.5, 7.6)),
    )
    tail = _joined(
        _line((6.9, 4.4), (8.2, 2.6), (11.5, 2.6)),
        _line((9.7, 0.9), (11.5, 2.6), (9.7, 4.3)),
    )
    return [
        (LINE, _joined(ways, tail, _line((9.7, 7.7), (11.5, 9.4), (9.7, 11.1))), 1.1)
    ]


def _difference(kind: str) -> list[Part]:
    return [(LINE, _joined(*(_line(*line) for line in SIGNS[kind].lines)), 1.6)]


_GLYPHS: dict[str, Callable[[], list[Part]]] = {
    "idle": _idle,
    "queued": _queued,
    "tick": _tick,
    "next": _next,
    "waiting": _waiting,
    "bubble": _bubble,
    "failed": _failed,
    "stalled": _stalled,
    "dash": _dash,
    "struck": _struck,
    "warning": _triangle,
    "off": _off,
    "bypass": _bypass,
    "cross": _cross,
    "shuffle": _shuffle,
    **{kind: partial(_difference, kind) for kind in SIGNS},
}


@cache
def _parts(name: str) -> list[Part]:
    return _GLYPHS[name]()


@cache
def _pen(colour: str, width: float) -> QPen:
    cap = Qt.PenCapStyle.RoundCap
    join = Qt.PenJoinStyle.RoundJoin
    return QPen(QColor(colour), width, Qt.PenStyle.SolidLine, cap, join)


def paint_glyph(
    painter: QPainter,
    name: str,
    x: float,
    y: float,
    colour: QColor,
    ground: QColor,
    size: float = 12,
) -> None:
    """Draw a glyph into the square at (x, y). "running" is the ring of a handler at
    work, without its turning arc.
    """
    if is_vector(painter):
        _paint_parts(painter, name, x, y, size, colour, ground)
        return
    colours = colour.name(), ground.name()
    set_picture(
        painter,
        x - 1,
        y - 1,
        lambda scale, ratio: _glyph(name, *colours, size, scale, ratio),
    )


@lru_cache(maxsize=600)
def _glyph(
    name: str, colour: str, ground: str, size: float, scale: float, ratio: float
) -> QPixmap:
    """Return the picture of a glyph, with a rim of one pixel.

    To stroke the paths each time costs twenty times as much.
    """
    picture, painter = picture_of(size + 2, size + 2, scale, ratio)
    _paint_parts(painter, name, 1, 1, size, QColor(colour), QColor(ground))
    painter.end()
    return picture


def _paint_parts(
    painter: QPainter,
    name: str,
    x: float,
    y: float,
    size: float,
    colour: QColor,
    ground: QColor,
) -> None:
    painter.save()
    painter.translate(x, y)
    painter.scale(size / 12, size / 12)
    if name == "running":
        paint_arc(painter, colour, ground, 0)
    else:
        for how, path, width in _parts(name):
            _paint_part(painter, how, path, width, colour, ground)
    painter.restore()


def _paint_part(
    painter: QPainter,
    how: str,
    path: QPainterPath,
    width: float,
    colour: QColor,
    ground: QColor,
) -> None:
    if how == FILL:
        painter.fillPath(path, QBrush(colour))
    else:
        painter.strokePath(path, _pen((ground if how == CUT else colour).name(), width))


def paint_arc(
    painter: QPainter, colour: QColor, ground: QColor, elapsed_ms: int
) -> None:
    """Paint the running glyph at the origin: three quarters of a faint ring, and an arc
    that turns once in 900 ms.
    """
    start = 90 - 360 * (elapsed_ms % TURN_MS) / TURN_MS
    faint = mix(colour, ground, 0.35)
    area = QRectF(1.4, 1.4, 9.2, 9.2)
    painter.setPen(_pen(faint.name(), 1.7))
    painter.drawArc(area, round((start - 90) * 16), -180 * 16)
    painter.setPen(_pen(colour.name(), 1.7))
    painter.drawArc(area, round(start * 16), -90 * 16)


@lru_cache(maxsize=20_000)
def arrow_head(x: float, y: float, *, leftward: bool = False) -> QPolygonF:
    """Return the head of an arrow, 7 x 8, whose tip is at (x, y)."""
    back = x + 7 if leftward else x - 7
    return QPolygonF([QPointF(x, y), QPointF(back, y - 4), QPointF(back, y + 4)])


def paint_zoomed_icon(painter: QPainter, name: str, rect: QRectF, colour: str) -> None:
    """Paint an icon as a picture of as many pixels as it covers: sharp at every zoom."""
    if is_vector(painter):
        paint_icon(painter, name, rect, QColor(colour))
        return
    transform = painter.worldTransform()
    device = painter.device()
    ratio = device.devicePixelRatio() if device is not None else 1.0
    corner = transform.map(rect.topLeft())
    painter.resetTransform()
    paint_flat_icon(
        painter, name, corner.toTuple(), rect.width(), colour, ratio, transform.m11()
    )
    painter.setWorldTransform(transform)


def paint_flat_icon(
    painter: QPainter,
    name: str,
    corner: tuple[float, float],
    size: float,
    colour: str,
    ratio: float,
    zoom: float = 1.0,
) -> None:
    """Do the same on a painter that is not transformed; `corner` is on the screen."""
    pixels = max(1, round(size * zoom * ratio))
    pixmap = icon_pixmap(name, colour, round(size), pixels / size)
    side = pixels / ratio
    place = QRectF(
        round(corner[0] * ratio) / ratio, round(corner[1] * ratio) / ratio, side, side
    )
    painter.drawPixmap(place, pixmap, QRectF(pixmap.rect()))
