"""Where something goes on the canvas when it was asked for without a place."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QCursor

from designer.canvas.base import Canvas
from designer.canvas.drawing.geometry import NODE_W

# from the port of one node to the middle of the next
BESIDE = QPointF(64 + NODE_W / 2, 0)


def paste_place(canvas: Canvas) -> QPointF:
    """Return the pointer when it is over the canvas, else the middle of the view."""
    place = _under_pointer(canvas)
    return canvas.camera.centre() if place is None else place


def add_place(canvas: Canvas) -> QPointF:
    """Return where the middle of an added node goes.

    That is where pasted things go, but beside what is selected before the middle.
    """
    chosen = canvas.chosen_nodes()
    if chosen and _under_pointer(canvas) is None:
        return canvas.scene().boxes[chosen[-1]].outlet + BESIDE
    return paste_place(canvas)


def chosen_place(canvas: Canvas) -> QPointF | None:
    """Return a place on what was selected last; None when nothing is."""
    scene = canvas.scene()
    chosen = next(reversed(canvas.order), "")
    if chosen in scene.boxes:
        return scene.boxes[chosen].rect.center()
    if chosen in scene.backdrop.frames:
        return scene.backdrop.rect(chosen).topLeft() + QPointF(12, 12)
    figure = scene.figure(chosen)
    if figure is None:
        return None
    return figure.wires[0].path.pointAtPercent(0.5)


def _under_pointer(canvas: Canvas) -> QPointF | None:
    viewport = canvas.widget.viewport()
    place = viewport.mapFromGlobal(QCursor.pos())
    if viewport.rect().contains(place) and canvas.widget.underMouse():
        return canvas.mapToScene(place)
    return None
