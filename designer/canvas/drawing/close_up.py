"""The drawing above 35 %: every node is painted by its item, but not through the scene.

Up to five hundred nodes are in view, and what the scene does for each of them (an option, a saved painter, a transform)
costs half as much as the node itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from designer.canvas.drawing.geometry import LABEL_MAX
from designer.canvas.drawing.node_item import BADGE_ABOVE, BADGE_LEFT, EDGE_ROOM

if TYPE_CHECKING:
    from designer.canvas.drawing.scene import CanvasScene, Carried


def paint_near(painter: QPainter, scene: CanvasScene, exposed: QRectF) -> None:
    """Edges, then nodes in the order in which they came. The painter has the view's transform, and keeps it."""
    carried = scene.carried
    if carried is None:
        _paint(painter, scene, exposed)
        return
    _paint(painter, scene, exposed, but=carried)
    painter.translate(carried.shift)
    _paint(painter, scene, exposed.translated(-carried.shift), only=carried)
    painter.translate(-carried.shift)


def _paint(
    painter: QPainter,
    scene: CanvasScene,
    exposed: QRectF,
    *,
    but: Carried | None = None,
    only: Carried | None = None,
) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    figures = scene.edges.near(exposed)
    items = scene.nodes_near(
        exposed.adjusted(-EDGE_ROOM - LABEL_MAX, -EDGE_ROOM, BADGE_LEFT, BADGE_ABOVE)
    )
    if but is not None:
        figures = [figure for figure in figures if figure.id not in but.edges]
        items = [item for item in items if item.id not in but.nodes]
    if only is not None:
        figures = [figure for figure in figures if figure.id in only.edges]
        items = [item for item in items if item.id in only.nodes]
    scene.edges.paint_figures(painter, figures)
    transform = painter.worldTransform()
    device = painter.device()
    zoom = transform.m11()
    dx = transform.dx()
    dy = transform.dy()
    ratio = device.devicePixelRatio() if device is not None else 1.0
    painter.resetTransform()
    for item in items:
        corner = item.box.rect
        x = corner.x() * zoom + dx
        y = corner.y() * zoom + dy
        if item.is_plain_at(zoom):
            item.paint_flat(painter, x, y, zoom, ratio)
        else:
            painter.save()
            painter.translate(x, y)
            painter.scale(zoom, zoom)
            item.paint_here(painter)
            painter.restore()
    painter.setWorldTransform(transform)
