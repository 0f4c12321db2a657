"""Node types dropped from the palette."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QRectF, Qt
from PySide6.QtGui import QDragMoveEvent, QDropEvent

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView

MIME = "application/x-stepwell-node"


def welcome(view: CanvasView, event: QDragMoveEvent) -> None:
    """Take a node type while editing, and nothing else. A wire under it is lit, and takes it, unless Alt is held."""
    if view.editable and event.mimeData().hasFormat(MIME):
        event.acceptProposedAction()
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            view.splicing.clear()
        else:
            at = view.mapToScene(event.position().toPoint())
            fits = view.splicing.fits_type(
                view.session.infos.get(_type(event.mimeData()))
            )
            view.splicing.over(QRectF(at, at).adjusted(-1, -1, 1, 1), fits)
    else:
        event.ignore()


def drop(view: CanvasView, event: QDropEvent) -> None:
    data = event.mimeData()
    if view.editable and data.hasFormat(MIME):
        spot = view.splicing.take()
        if view.commands.add_node(
            _type(data), view.mapToScene(event.position().toPoint()), spot=spot
        ):
            event.acceptProposedAction()
            view.setFocus()


def _type(data: QMimeData) -> str:
    return bytes(data.data(MIME).data()).decode("utf-8", "replace")
