"""Wires whose other end is at the pointer, or where a node is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPainterPath

from designer.canvas.drawing import routes
from designer.canvas.drawing.figures import error_port
from designer.canvas.drawing.geometry import Box

if TYPE_CHECKING:
    from designer.canvas.drawing.scene import CanvasScene

DOT_RADIUS = 4.5


def paint_loose_wires(
    painter: QPainter,
    scene: CanvasScene,
    nodes: Sequence[str],
    side: str,
    end: QPointF,
    role: str = "accent",
) -> None:
    """Paint wires from a port of these nodes to a place: dashed, with dots at both
    ends.

    `side` is the port: "in", "out" or "error". `role` is the colour.
    """
    style = scene.style_
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
    boxes = [scene.boxes[node] for node in nodes if node in scene.boxes]
    ports = [_port(box, side) for box in boxes]
    painter.setPen(style.pen(role, 1.75, "6 3"))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for port in ports:
        if side == "in":
            painter.drawPath(_path(end, port))
        else:
            painter.drawPath(_path(port, end))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(style.brush(role))
    for point in (*ports, end):
        painter.drawEllipse(point, DOT_RADIUS, DOT_RADIUS)


def _port(box: Box, side: str) -> QPointF:
    match side:
        case "in":
            return box.inlet
        case "error":
            return error_port(box)
    return box.outlet


def _path(start: QPointF, end: QPointF) -> QPainterPath:
    if end.x() - start.x() > 8:
        return routes.forward(start, end)
    return routes.between(start, end, (start.y() + end.y()) / 2)
