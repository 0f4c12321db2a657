"""State glyphs of lists, 12 to 16 px. They are solid shapes, so that an icon never
looks like a state.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF


class _Ink(NamedTuple):
    """The colour of the shape, and the colour of the sign on it."""

    colour: QColor
    on: QColor


_Paint = Callable[[QPainter, _Ink], None]


def paint_glyph(
    painter: QPainter, name: str, rect: QRectF, colour: QColor, on: QColor
) -> bool:
    """Paint a state glyph into a square; `on` is the colour of the sign on it. Return
    False for an unknown name.
    """
    paint = _GLYPHS.get(name)
    if paint is None:
        return False
    painter.save()
    painter.translate(rect.topLeft())
    painter.scale(rect.width() / 16, rect.height() / 16)
    paint(painter, _Ink(colour, on))
    painter.restore()
    return True


def stroke(painter: QPainter, colour: QColor, width: float = 1.5) -> None:
    cap = Qt.PenCapStyle.RoundCap
    join = Qt.PenJoinStyle.RoundJoin
    painter.setPen(QPen(colour, width, Qt.PenStyle.SolidLine, cap, join))
    painter.setBrush(Qt.BrushStyle.NoBrush)


def fill(painter: QPainter, colour: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)


def polygon(*points: tuple[float, float]) -> QPolygonF:
    return QPolygonF([QPointF(x, y) for x, y in points])


def _failed(painter: QPainter, ink: _Ink) -> None:
    fill(painter, ink.colour)
    angles = [math.radians(22.5 + 45 * step) for step in range(8)]
    painter.drawPolygon(
        polygon(
            *((8 + 6 * math.cos(angle), 8 + 6 * math.sin(angle)) for angle in angles)
        )
    )
    stroke(painter, ink.on)
    painter.drawLine(QPointF(6, 6), QPointF(10, 10))
    painter.drawLine(QPointF(10, 6), QPointF(6, 10))


def _done(painter: QPainter, ink: _Ink) -> None:
    stroke(painter, ink.colour, 1.8)
    painter.drawPolyline(polygon((3, 8.5), (6.5, 12), (13, 4.5)))


def _waiting(painter: QPainter, ink: _Ink) -> None:
    stroke(painter, ink.colour, 1.4)
    painter.drawPolygon(
        polygon((4, 2.5), (12, 2.5), (8, 8), (12, 13.5), (4, 13.5), (8, 8))
    )
    painter.drawLine(QPointF(3, 2.5), QPointF(13, 2.5))
    painter.drawLine(QPointF(3, 13.5), QPointF(13, 13.5))


def _asking(painter: QPainter, ink: _Ink) -> None:
    stroke(painter, ink.colour, 1.5)
    painter.drawPolygon(
        polygon(
            (2.5, 3.5),
            (13.5, 3.5),
            (13.5, 10.5),
            (8, 10.5),
            (5, 13.5),
            (5, 10.5),
            (2.5, 10.5),
        )
    )


def _stalled(painter: QPainter, ink: _Ink) -> None:
    stroke(painter, ink.colour)
    painter.drawEllipse(QPointF(8, 8), 5.2, 5.2)
    fill(painter, ink.colour)
    painter.drawPie(QRectF(2.8, 2.8, 10.4, 10.4), 90 * 16, 180 * 16)


def _next(painter: QPainter, ink: _Ink) -> None:
    fill(painter, ink.colour)
    painter.drawPolygon(polygon((4.5, 3), (12.5, 8), (4.5, 13)))


def _idle(painter: QPainter, ink: _Ink) -> None:
    stroke(painter, ink.colour)
    painter.drawEllipse(QPointF(8, 8), 4.5, 4.5)


def _queued(painter: QPainter, ink: _Ink) -> None:
    stroke(painter, ink.colour)
    for y in (4.5, 8.0, 11.5):
        painter.drawLine(QPointF(3, y), QPointF(13, y))


def _running(painter: QPainter, ink: _Ink) -> None:
    stroke(painter, ink.colour, 1.8)
    painter.drawArc(QRectF(3, 3, 10, 10), 0, 270 * 16)


def _not_taken(painter: QPainter, ink: _Ink) -> None:
    stroke(painter, ink.colour)
    painter.drawLine(QPointF(4, 8), QPointF(12, 8))


def _cancelled(painter: QPainter, ink: _Ink) -> None:
    _idle(painter, ink)
    painter.drawLine(QPointF(4.8, 11.2), QPointF(11.2, 4.8))


def _stopped(painter: QPainter, ink: _Ink) -> None:
    """Paint the mark of a breakpoint at which the run stands."""
    fill(painter, ink.colour)
    angles = [math.radians(22.5 + 45 * step) for step in range(8)]
    corners = [(math.cos(angle), math.sin(angle)) for angle in angles]
    painter.drawPolygon(polygon(*((8 + 7 * x, 8 + 7 * y) for x, y in corners)))
    fill(painter, ink.on)
    painter.drawPolygon(polygon((5.8, 4.6), (11.8, 8), (5.8, 11.4)))


_GLYPHS: dict[str, _Paint] = {
    "idle": _idle,
    "queued": _queued,
    "running": _running,
    "ran": _done,
    "done": _done,
    "next": _next,
    "waiting": _waiting,
    "asking": _asking,
    "failed": _failed,
    "stalled": _stalled,
    "not_taken": _not_taken,
    "cancelled": _cancelled,
    "stopped": _stopped,
}

STATE_WORDS = {
    "idle": "Not started",
    "queued": "Queued",
    "running": "Running",
    "ran": "Ran now",
    "done": "Done",
    "next": "Runs next",
    "waiting": "Waiting",
    "asking": "Waiting for answer",
    "failed": "Failed",
    "stalled": "Stalled",
    "not_taken": "Branch not taken",
    "cancelled": "Cancelled",
}
