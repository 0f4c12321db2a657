"""Where something goes on the canvas when it was asked for without a place."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QCursor

from designer.canvas.base import Canvas
from designer.canvas.drawing.geometry import NODE_W

# from the port of one node to the middle of the next
BESIDE = QPointF(64 + NODE_W / 2, 0)


def paste_place(canvas: Canvas) -> QPointF:
    """Where pasted things go: at the pointer if it is over the canvas, else in the middle."""
    under = _under_pointer(canvas)
    return canvas.camera.centre() if under is None else under


def add_place(canvas: Canvas) -> QPointF:
    """Where added nodes have their middle: as pasted ones, but beside what is selected before the middle."""
    chosen = canvas.chosen_nodes()
    if chosen and _under_pointer(canvas) is None:
        return canvas.scene().boxes[chosen[-1]].outlet + BESIDE
    return paste_place(canvas)


def chosen_place(canvas: Canvas) -> QPointF | None:
    """A place on what was selected last; None when nothing is."""
    chosen = next(reversed(canvas.order), "")
    if chosen in canvas.scene().boxes:
        return canvas.scene().boxes[chosen].rect.center()
    if chosen in canvas.scene().backdrop.frames:
        return canvas.scene().backdrop.rect(chosen).topLeft() + QPointF(12, 12)
    figure = canvas.scene().figure(chosen)
    return figure.wires[0].path.pointAtPercent(0.5) if figure is not None else None


def _under_pointer(canvas: Canvas) -> QPointF | None:
    at = canvas.widget.viewport().mapFromGlobal(QCursor.pos())
    if canvas.widget.viewport().rect().contains(at) and canvas.widget.underMouse():
        return canvas.mapToScene(at)
    return None
