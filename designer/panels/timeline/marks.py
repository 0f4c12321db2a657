"""Paint a checkpoint on its lane: a mark of 12 px whose shape shows its cause or its
state.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from designer.look.theme import Theme, mix
from designer.panels.widgets.glyphs import fill, polygon, stroke

RING = 10.5  # px, radius of the ring around the viewed checkpoint
REACH = {"superstep": 9.0, "viewed": RING + 2}  # px, half of the gap in the lane's line
_REACH = 10.0


class Ink(NamedTuple):
    """The theme, and the colour of marks that have no colour of their own."""

    theme: Theme
    plain: QColor


Paint = Callable[[QPainter, Ink], None]


def reach(kind: str) -> float:
    """Return the distance that the line of a lane keeps from the centre of a mark."""
    return REACH.get(kind, _REACH)


def paint_mark(
    painter: QPainter,
    kind: str,
    centre: QPointF,
    theme: Theme,
    *,
    colour: QColor | None = None,
    turn: float = 0.0,
) -> None:
    """Paint a mark around a point.

    `colour` replaces the colour of plain marks; `turn` (0 to 1) rotates the arc of the
    running superstep.
    """
    painter.save()
    painter.translate(centre)
    if kind == "running":
        _running(painter, theme, turn)
    else:
        _MARKS.get(kind, _superstep)(painter, Ink(theme, colour or theme.text2))
    painter.restore()


def paint_ring(painter: QPainter, centre: QPointF, theme: Theme) -> None:
    """Paint the ring around the viewed checkpoint; the mark is painted over it."""
    painter.setPen(QPen(theme.past, 1.5))
    painter.setBrush(theme.pastSoft)
    painter.drawEllipse(centre, RING, RING)


def paint_bookmark(painter: QPainter, top_left: QPointF, theme: Theme) -> None:
    """Paint a small ribbon, which marks a checkpoint that a person comes back to."""
    painter.save()
    painter.translate(top_left)
    fill(painter, theme.accent)
    painter.drawPolygon(_RIBBON)
    painter.restore()


_RIBBON = polygon((0, 0), (8, 0), (8, 11), (4, 7.5), (0, 11))
_INPUT = polygon((-6.5, -5), (6.5, -5), (0, 6.5))
_BUBBLE = polygon(
    (-6.5, -6), (6.5, -6), (6.5, 3.5), (-0.5, 3.5), (-4.5, 7), (-4.5, 3.5), (-6.5, 3.5)
)
_DIAMOND = polygon((0, -6.5), (6.5, 0), (0, 6.5), (-6.5, 0))
_OCTAGON = polygon(
    *(
        (6.8 * math.cos(a), 6.8 * math.sin(a))
        for a in (math.radians(22.5 + 45 * step) for step in range(8))
    )
)
_TICK = polygon((-3, 0.2), (-0.8, 2.5), (3.2, -2.3))


def _input(painter: QPainter, ink: Ink) -> None:
    fill(painter, ink.plain)
    painter.drawPolygon(_INPUT)


def _superstep(painter: QPainter, ink: Ink) -> None:
    fill(painter, ink.plain)
    painter.drawEllipse(QPointF(), 5, 5)


def _response(painter: QPainter, ink: Ink) -> None:
    fill(painter, ink.plain)
    painter.drawPolygon(_BUBBLE)


def _fork(painter: QPainter, ink: Ink) -> None:
    stroke(painter, ink.plain)
    painter.drawEllipse(QPointF(), 5.25, 5.25)
    fill(painter, ink.plain)
    painter.drawEllipse(QPointF(), 2, 2)


def _edit(painter: QPainter, ink: Ink) -> None:
    stroke(painter, ink.plain)
    painter.drawPolygon(_DIAMOND)


def _failed(painter: QPainter, ink: Ink) -> None:
    fill(painter, ink.theme.bad)
    painter.drawPolygon(_OCTAGON)
    stroke(painter, ink.theme.panel, 1.6)
    painter.drawLine(QPointF(-2.3, -2.3), QPointF(2.3, 2.3))
    painter.drawLine(QPointF(2.3, -2.3), QPointF(-2.3, 2.3))


def _dashed(painter: QPainter, colour: QColor) -> None:
    pen = QPen(colour, 1.6, Qt.PenStyle.CustomDashLine, Qt.PenCapStyle.FlatCap)
    around = 2 * math.pi * 5.25 / 1.6  # a pen measures dashes in its own width
    pen.setDashPattern([around / 12, around / 12])
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(QPointF(), 5.25, 5.25)


def _missed(painter: QPainter, ink: Ink) -> None:
    _dashed(painter, ink.theme.warn)


def _damaged(painter: QPainter, ink: Ink) -> None:
    _dashed(painter, ink.theme.bad)


def _stalled(painter: QPainter, ink: Ink) -> None:
    stroke(painter, ink.theme.warn)
    painter.setBrush(ink.theme.warnSoft)
    painter.drawEllipse(QPointF(), 5.25, 5.25)
    fill(painter, ink.theme.warn)
    painter.drawPie(QRectF(-5.25, -5.25, 10.5, 10.5), 90 * 16, 180 * 16)


def _finished(painter: QPainter, ink: Ink) -> None:
    fill(painter, ink.theme.ok)
    painter.drawRoundedRect(QRectF(-6, -6, 12, 12), 2, 2)
    stroke(painter, ink.theme.panel, 1.6)
    painter.drawPolyline(_TICK)


def _running(painter: QPainter, theme: Theme, turn: float) -> None:
    around = QRectF(-5.5, -5.5, 11, 11)
    stroke(painter, mix(theme.accent, theme.panel, 0.35), 1.8)
    painter.drawEllipse(around)
    stroke(painter, theme.accent, 1.8)
    painter.drawArc(around, round((90 - 360 * turn) * 16), -100 * 16)


_MARKS: dict[str, Paint] = {
    "input": _input,
    "superstep": _superstep,
    "response": _response,
    "fork": _fork,
    "edit": _edit,
    "failed": _failed,
    "missed": _missed,
    "damaged": _damaged,
    "stalled": _stalled,
    "finished": _finished,
}


def paint_outcomes(painter: QPainter, place: QPointF, theme: Theme) -> None:
    """Paint the mark of a superstep that has several outcomes: two ways that part."""
    painter.setPen(QPen(theme.warn, 2, c=Qt.PenCapStyle.RoundCap))
    for end in (QPointF(6, -4), QPointF(6, 4)):
        painter.drawLine(place, place + end)
