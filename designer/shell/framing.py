"""Keeps the drawing where it is on the screen, and as a whole in view, when what stands around the canvas changes."""

from __future__ import annotations

from collections.abc import Callable, Collection

from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import QLayout, QWidget

from designer.canvas.view import CanvasView


class Framing:
    def __init__(self, canvas: CanvasView, around: QWidget) -> None:
        self._canvas = canvas
        self._around = around

    def sees_all(self) -> bool:
        """Whether the whole drawing is in view."""
        canvas = self._canvas
        seen = canvas.mapToScene(canvas.viewport().rect()).boundingRect()
        return seen.contains(canvas.scene().drawing_rect())

    def keep(
        self, change: Callable[[], object], layout: QLayout, *, refit: bool = False
    ) -> None:
        """Make a change to `layout` around the canvas without moving the drawing on the screen. One that was in view
        as a whole is so afterwards; with `refit` it then uses the new room.
        """
        canvas = self._canvas
        whole = canvas.isVisible() and self.sees_all()
        before = self._corner()
        change()
        layout.activate()
        canvas.camera.stay(self._corner() - before)
        if whole and (refit or not self.sees_all()):
            # After the splitter has given out the room.
            QTimer.singleShot(0, canvas, lambda: canvas.zoom_to_fit(glide=False))

    def show(self, ids: Collection[str]) -> None:
        """Bring nodes into view that were moved by something else than the hand: by scrolling, or where they are too
        far apart for that and most of them are out of sight, by showing everything.
        """
        canvas = self._canvas
        boxes = [
            canvas.scene().boxes[key].rect for key in ids if key in canvas.scene().boxes
        ]
        if not boxes:
            return
        seen = canvas.mapToScene(canvas.viewport().rect()).boundingRect()
        rect = canvas.scene().drawing_rect(ids)
        if rect.width() <= seen.width() and rect.height() <= seen.height():
            canvas.camera.reveal(rect)
        elif sum(seen.contains(box) for box in boxes) * 2 < len(boxes):
            canvas.zoom_to_fit()

    def _corner(self) -> QPoint:
        return self._canvas.viewport().mapTo(self._around, QPoint())
