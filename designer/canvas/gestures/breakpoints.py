"""A click on the corner of a node, or on the mark of a breakpoint."""

from __future__ import annotations

from PySide6.QtCore import Qt

from designer.canvas.base import ALT, CTRL, SHIFT, Canvas, Gesture, Pointer, Press
from designer.canvas.gestures.move import MoveNodes


class ClickBreakpoint(Gesture):
    """Sets a breakpoint, or turns the one that is there off and on. A drag moves the
    node, as from any other place on it.
    """

    edits = False
    cursor_at_press = Qt.CursorShape.PointingHandCursor

    def __init__(self, canvas: Canvas, press: Press, key: str) -> None:
        super().__init__(canvas, press.pointer)
        self._press = press
        self._key = key

    @classmethod
    def start(cls, canvas: Canvas, press: Press) -> Gesture | None:
        if not press.is_left or press.modifiers & (ALT | CTRL | SHIFT):
            return None
        key = canvas.breakpoints.key_at(press.pointer.scene)
        return cls(canvas, press, key) if key else None

    def move(self, pointer: Pointer) -> None:
        super().move(pointer)
        if not self.started or self.canvas.gesture is not self:
            return
        drag = MoveNodes.start(self.canvas, self._press)
        if drag is not None:
            self.canvas.hand_over(drag)
            drag.move(pointer)

    def release(self) -> None:
        if not self.started:
            self.canvas.breakpoints.click(self._key)
