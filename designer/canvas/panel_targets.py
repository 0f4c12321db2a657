"""Which panel has more about what is drawn at a place: Messages for a queue, and so on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF

from designer.canvas.base import Canvas
from designer.canvas.drawing.node_item import badge_width

if TYPE_CHECKING:
    from designer.canvas.base import Canvas
    from designer.canvas.drawing.node_item import NodeItem

BADGE = 9.0  # px above and below the upper side of a node


def panel_at(canvas: Canvas, point: QPointF) -> str:
    """Return the title of the panel, or "" where the place means the thing itself."""
    for mark in canvas.scene().marks:
        if mark.path is None and mark.rect.contains(point):
            return "Joins" if mark.leader is not None else "Messages"
    for node in canvas.scene().nodes.values():
        badge = _badge_of(node, min(1.0, canvas.zoom))
        if badge is not None and badge.contains(point):
            return "Problems" if node.face is None else "Requests"
    figure = canvas.scene().figure(canvas.thing_at(point))
    if figure is not None and figure.segments and not canvas.editable:
        return "Joins"
    return ""


def _badge_of(node: NodeItem, zoom: float) -> QRectF | None:
    """Return where the badges at the upper right corner are, or None.

    They are of problems while editing, and of questions in a run.
    """
    texts: list[str] = []
    if node.face is None:
        texts = [str(count) for count in node.problems if count]
    elif node.face.questions:
        texts = [f"{node.face.questions} questions"]
    if not texts:
        return None
    rect = node.box.rect
    right = rect.right() - 6 + (12 if node.box.diamond else 0)
    width = sum(badge_width(text) + 4 for text in texts) / zoom
    return QRectF(right - width, rect.top() - BADGE / zoom, width, 2 * BADGE / zoom)
