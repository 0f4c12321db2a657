"""The drawing above 35 %: every node is painted by its item, but not through the scene.

Up to five hundred nodes are in view, and what the scene does for each of them (an option, a saved painter, a transform)
costs half as much as the node itself. Items stay for hit tests and dragging.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from designer.canvas.geometry import LABEL_MAX
from designer.canvas.node_item import BADGE_ABOVE, BADGE_LEFT, EDGE_ROOM

if TYPE_CHECKING:
    from designer.canvas.scene import CanvasScene


def paint_near(painter: QPainter, scene: CanvasScene, exposed: QRectF) -> None:
    """Edges, then nodes in the order in which they came. The painter has the view's transform, and keeps it."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    scene.edges.paint_part(painter, exposed)
    transform, device = painter.worldTransform(), painter.device()
    zoom, dx, dy = transform.m11(), transform.dx(), transform.dy()
    ratio = device.devicePixelRatio() if device is not None else 1.0
    painter.resetTransform()
    for item in scene.nodes_near(exposed.adjusted(-EDGE_ROOM - LABEL_MAX, -EDGE_ROOM, BADGE_LEFT, BADGE_ABOVE)):
        corner = item.box.rect
        x, y = corner.x() * zoom + dx, corner.y() * zoom + dy
        if item.is_plain_at(zoom):
            item.paint_flat(painter, x, y, zoom, ratio)
        else:
            painter.save()
            painter.translate(x, y)
            painter.scale(zoom, zoom)
            item.paint_here(painter)
            painter.restore()
    painter.setWorldTransform(transform)
