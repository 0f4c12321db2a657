"""Node types dropped from the palette."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QDragMoveEvent, QDropEvent

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView

MIME = "application/x-stepwell-node"


def welcome(view: CanvasView, event: QDragMoveEvent) -> None:
    """Take a node type while editing, and nothing else."""
    if view.editable and event.mimeData().hasFormat(MIME):
        event.acceptProposedAction()
    else:
        event.ignore()


def drop(view: CanvasView, event: QDropEvent) -> None:
    data = event.mimeData()
    if view.editable and data.hasFormat(MIME):
        type = bytes(data.data(MIME).data()).decode("utf-8", "replace")
        if view.commands.add_node(type, view.mapToScene(event.position().toPoint())):
            event.acceptProposedAction()
            view.setFocus()
