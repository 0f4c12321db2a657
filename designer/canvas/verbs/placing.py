"""Where something goes on the canvas when it was asked for without a place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF
from PySide6.QtGui import QCursor

from designer.canvas.drawing.geometry import NODE_W

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView

# from the port of one node to the middle of the next
BESIDE = QPointF(64 + NODE_W / 2, 0)


def paste_place(view: CanvasView) -> QPointF:
    """Where pasted things go: at the pointer if it is over the canvas, else in the middle."""
    under = _under_pointer(view)
    return view.centre() if under is None else under


def add_place(view: CanvasView) -> QPointF:
    """Where added nodes have their middle: as pasted ones, but beside what is selected before the middle."""
    chosen = view.chosen_nodes()
    if chosen and _under_pointer(view) is None:
        return view.scene().boxes[chosen[-1]].outlet + BESIDE
    return paste_place(view)


def chosen_place(view: CanvasView) -> QPointF | None:
    """A place on what was selected last; None when nothing is."""
    chosen = next(reversed(view.order), "")
    if chosen in view.scene().boxes:
        return view.scene().boxes[chosen].rect.center()
    if chosen in view.scene().backdrop.frames:
        return view.scene().backdrop.rect(chosen).topLeft() + QPointF(12, 12)
    figure = view.scene().figure(chosen)
    return figure.wires[0].path.pointAtPercent(0.5) if figure is not None else None


def _under_pointer(view: CanvasView) -> QPointF | None:
    at = view.viewport().mapFromGlobal(QCursor.pos())
    if view.viewport().rect().contains(at) and view.underMouse():
        return view.mapToScene(at)
    return None
