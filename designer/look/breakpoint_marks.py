"""The marks of breakpoints, painted alike on the canvas, in lists and in trees."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF

from designer.look.theme import Theme
from designer.model.breakpoint_words import BreakpointMark

RADIUS = 7.0
_TURN = math.pi / 8


def paint_breakpoint(
    painter: QPainter,
    mark: BreakpointMark,
    centre: QPointF,
    theme: Theme,
    ground: QColor,
    scale: float = 1.0,
) -> None:
    """Paint a mark around a point. `ground` is the colour around it, which sets it off
    from a border below; `scale` is 1 for its usual size.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(centre)
    painter.scale(scale, scale)
    colour = theme.bad if mark.verified else theme.text3
    shape = _diamond if mark.shape == "diamond" else _octagon
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawPolygon(shape(RADIUS + 1.5))
    if mark.filled:
        painter.setBrush(colour)
        painter.drawPolygon(shape(RADIUS))
    else:
        painter.setBrush(ground)
        painter.setPen(QPen(colour, 1.5))
        painter.drawPolygon(shape(RADIUS - 0.75))
    _paint_sign(painter, mark, ground if mark.filled else colour)
    painter.restore()


def _paint_sign(painter: QPainter, mark: BreakpointMark, colour: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    if mark.sign == "bars":
        half = 2.2 if mark.shape == "diamond" else 3.2
        for top in (-2.4, 0.9):
            painter.drawRect(QRectF(-half, top, 2 * half, 1.5))
    elif mark.sign == "triangle":
        corners = [QPointF(-2.2, -3.4), QPointF(3.8, 0), QPointF(-2.2, 3.4)]
        painter.drawPolygon(QPolygonF(corners))


def _octagon(radius: float) -> QPolygonF:
    angles = [_TURN + step * math.pi / 4 for step in range(8)]
    corners = [QPointF(math.cos(angle), math.sin(angle)) * radius for angle in angles]
    return QPolygonF(corners)


def _diamond(radius: float) -> QPolygonF:
    return QPolygonF(
        [
            QPointF(0, -radius),
            QPointF(radius, 0),
            QPointF(0, radius),
            QPointF(-radius, 0),
        ]
    )


def breakpoint_icon(
    mark: BreakpointMark, theme: Theme, ratio: float, ground: QColor | None = None
) -> QIcon:
    """Return a mark as an icon of 16 px for a list; selected rows keep its colours."""
    pixmap = QPixmap(round(16 * ratio), round(16 * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    paint_breakpoint(painter, mark, QPointF(8, 8), theme, ground or theme.panel, 0.95)
    painter.end()
    icon = QIcon(pixmap)
    icon.addPixmap(pixmap, QIcon.Mode.Selected)
    return icon
