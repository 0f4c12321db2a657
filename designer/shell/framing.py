"""Keeps the drawing where it is on the screen, and as a whole in view, when what stands around the canvas changes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QTimer
from PySide6.QtWidgets import QLayout, QWidget

from designer.canvas.view import CanvasView


class Framing:
    def __init__(self, canvas: CanvasView, around: QWidget) -> None:
        self._canvas, self._around = canvas, around

    def sees_all(self) -> bool:
        """Whether the whole drawing is in view."""
        canvas = self._canvas
        seen = canvas.mapToScene(canvas.viewport().rect()).boundingRect()
        return seen.contains(canvas.canvas.drawing_rect())

    def keep(self, change: Callable[[], object], layout: QLayout, *, refit: bool = False) -> None:
        """Make a change to `layout` around the canvas without moving the drawing on the screen. One that was in view
        as a whole is so afterwards; with `refit` it then uses the new room.
        """
        canvas = self._canvas
        whole = canvas.isVisible() and self.sees_all()
        before = self._corner()
        change()
        layout.activate()
        canvas.scroll_by(self._corner() - before)
        if whole and (refit or not self.sees_all()):
            # After the splitter has given out the room.
            QTimer.singleShot(0, canvas, lambda: canvas.zoom_to_fit(glide=False))

    def _corner(self) -> QPoint:
        return self._canvas.viewport().mapTo(self._around, QPoint())
