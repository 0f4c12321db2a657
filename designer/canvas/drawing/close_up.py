"""The drawing as it is from near, above 35 %: every node is painted by its item, but
not through Qt's scene.

What pays for it: `python -m tests.benchmarks.window --only canvas5000`, rows "zoom,
worst step" and "pan at 1:1, everything painted". Up to five hundred nodes are in view,
and what Qt's scene does for each item before it paints it (an option, a sorted list, a
saved painter) costs half as much as the node itself. So the scene holds one item for
all edges and none for the nodes: this module asks the grids of the scene what is in
view, and paints it in order. Nodes stay plain objects with a box and a `paint_here`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from designer.canvas.drawing.geometry import LABEL_MAX
from designer.canvas.drawing.node_item import BADGE_ABOVE, BADGE_LEFT, EDGE_ROOM

if TYPE_CHECKING:
    from designer.canvas.drawing.figures import Figure
    from designer.canvas.drawing.node_item import NodeItem
    from designer.canvas.drawing.scene import CanvasScene


def paint_close_up(painter: QPainter, scene: CanvasScene, exposed: QRectF) -> None:
    """Paint edges, then nodes in the order in which they were added.

    The painter has the transform of the view, and keeps it.
    """
    carried = scene.carried
    figures = scene.edges.near(exposed)
    items = _items_near(scene, exposed)
    if carried is None:
        _paint(painter, scene, figures, items)
        return
    # A group that is dragged is painted where it is now. Its boxes are where it was.
    _paint(
        painter,
        scene,
        [figure for figure in figures if figure.id not in carried.edges],
        [item for item in items if item.id not in carried.nodes],
    )
    before = exposed.translated(-carried.shift)
    painter.translate(carried.shift)
    _paint(
        painter,
        scene,
        [figure for figure in scene.edges.near(before) if figure.id in carried.edges],
        [item for item in _items_near(scene, before) if item.id in carried.nodes],
    )
    painter.translate(-carried.shift)


def _items_near(scene: CanvasScene, exposed: QRectF) -> list[NodeItem]:
    """Return the nodes of which a label, a badge or a ring may be in a rectangle."""
    return scene.nodes_near(
        exposed.adjusted(-EDGE_ROOM - LABEL_MAX, -EDGE_ROOM, BADGE_LEFT, BADGE_ABOVE)
    )


def _paint(
    painter: QPainter,
    scene: CanvasScene,
    figures: list[Figure],
    items: list[NodeItem],
) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    scene.edges.paint_figures(painter, figures)
    for item in items:
        painter.save()
        painter.translate(item.box.rect.topLeft())
        item.paint_here(painter)
        painter.restore()
