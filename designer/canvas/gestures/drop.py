"""Dropping a node type from the palette onto the canvas."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QMimeData, QRectF, Qt
from PySide6.QtGui import QDragMoveEvent, QDropEvent, QPainter

from designer.canvas.base import Canvas
from designer.canvas.gestures.splice import SpliceLight

MIME = "application/x-stepwell-node"


class PaletteDrop:
    """Takes node types while editing, and nothing else.

    A wire under the pointer is lit and takes the new node, unless Alt is held.
    """

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        self.splice = SpliceLight(canvas)

    def over(self, event: QDragMoveEvent) -> None:
        """Follow something that is dragged over the canvas."""
        if not self._takes(event.mimeData()):
            event.ignore()
            return
        event.acceptProposedAction()
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.splice.clear()
            return
        point = self.canvas.mapToScene(event.position().toPoint())
        info = self.canvas.session.infos.get(_type(event.mimeData()))
        fits = partial(self.canvas.wiring().splices_type, info)
        self.splice.over(QRectF(point, point).adjusted(-1, -1, 1, 1), fits)

    def leave(self) -> None:
        """Forget what was dragged: it left the canvas, or there is a run now."""
        self.splice.clear()

    def drop(self, event: QDropEvent) -> None:
        """Add the node where it was dropped."""
        if not self._takes(event.mimeData()):
            return
        spot = self.splice.take()
        point = self.canvas.mapToScene(event.position().toPoint())
        node = self.canvas.commands.add_node(_type(event.mimeData()), point, spot=spot)
        if node:
            event.acceptProposedAction()
            self.canvas.widget.setFocus()

    def paint(self, painter: QPainter) -> None:
        """Paint the wire that would take the node."""
        self.splice.paint(painter)

    def _takes(self, data: QMimeData) -> bool:
        return self.canvas.editable and data.hasFormat(MIME)


def _type(data: QMimeData) -> str:
    return bytes(data.data(MIME).data()).decode("utf-8", "replace")
