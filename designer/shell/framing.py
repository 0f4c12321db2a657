"""Keeps the drawing in place on the screen, and in view, when the parts around the
canvas change.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import QLayout, QWidget

from designer.canvas.view import CanvasView


class Framing:
    """For one canvas. `around` is the widget in whose coordinates the drawing stays."""

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
        """Make a change to `layout` without moving the drawing on the screen. A drawing
        that was wholly in view is so afterwards; with `refit` it is zoomed to the new
        room.
        """
        canvas = self._canvas
        saw_all = canvas.isVisible() and self.sees_all()
        corner_before = self._corner()
        change()
        layout.activate()
        canvas.camera.stay(self._corner() - corner_before)
        if saw_all and (refit or not self.sees_all()):
            # Later, because the splitter has not shared the room yet.
            QTimer.singleShot(0, canvas, lambda: canvas.camera.fit_all(glide=False))

    def show(self, ids: Collection[str]) -> None:
        """Bring nodes into view that were not moved by hand. Scroll if they fit into
        the view; otherwise show everything if most of them are out of sight.
        """
        canvas = self._canvas
        scene = canvas.scene()
        boxes = [scene.boxes[id].rect for id in ids if id in scene.boxes]
        if not boxes:
            return
        view = canvas.mapToScene(canvas.viewport().rect()).boundingRect()
        rect = scene.drawing_rect(ids)
        if rect.width() <= view.width() and rect.height() <= view.height():
            canvas.camera.reveal(rect)
        elif sum(view.contains(box) for box in boxes) * 2 < len(boxes):
            canvas.camera.fit_all()

    def _corner(self) -> QPoint:
        return self._canvas.viewport().mapTo(self._around, QPoint())
