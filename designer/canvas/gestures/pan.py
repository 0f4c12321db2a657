"""Moving the view: a drag with the middle button, or with Space held."""

from __future__ import annotations

from PySide6.QtCore import Qt

from designer.canvas.base import Canvas, Gesture, Pointer, Press


class Pan(Gesture):
    """Scrolls the view along with the pointer."""

    cursor = Qt.CursorShape.ClosedHandCursor
    cursor_at_press = Qt.CursorShape.ClosedHandCursor
    edits = False
    scrolls = False

    @classmethod
    def start(cls, canvas: Canvas, press: Press) -> Gesture | None:
        middle = press.button == Qt.MouseButton.MiddleButton
        left = press.button == Qt.MouseButton.LeftButton
        if middle or (left and press.panning):
            return cls(canvas, press.pointer)
        return None

    def move(self, pointer: Pointer) -> None:
        step = pointer.view - self.pointer.view
        self.started = self.started or not step.isNull()
        self.pointer = pointer
        self.canvas.camera.scroll(-step)
