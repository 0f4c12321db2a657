"""Frames and notes by mouse: a drag moves one with all that is on it, or resizes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF

from designer.canvas.base import ALT, Canvas, Gesture, Pointer, Press
from designer.canvas.drawing.frames import Sides, cursor_of
from designer.canvas.drawing.geometry import on_grid
from designer.canvas.gestures.move import MoveSelected
from designer.model.frames import LEAST

if TYPE_CHECKING:
    from designer.model.design import Position


class MoveFrames(MoveSelected):
    """Drags all that is selected, when a frame is: frames take along what is on them."""

    def __init__(self, canvas: Canvas, pointer: Pointer, key: str) -> None:
        super().__init__(canvas, pointer, key)
        selection = self.scene.selection
        frames, nodes = canvas.frames.with_content(selection)
        if self.copying:
            # Copies are made of what is selected, as they are by keys.
            frames = [frame for frame in frames if frame in selection]
            nodes = [node for node in nodes if node in selection]
        self.frames = {frame: self.scene.backdrop.rect(frame) for frame in frames}
        self.nodes = {node: self.scene.boxes[node].rect.topLeft() for node in nodes}

    @classmethod
    def start(cls, canvas: Canvas, press: Press) -> Gesture | None:
        if not press.edits:
            return None
        if press.frame:
            return cls(canvas, press.pointer, press.frame)
        # A selected node goes along with a selected frame.
        frames = canvas.scene().backdrop.frames
        has_frame = not canvas.selection.isdisjoint(frames)
        if press.node in canvas.selection and has_frame:
            return cls(canvas, press.pointer, press.node)
        return None

    def drag(self) -> None:
        if self.key not in self.scene.selection:
            return
        before = self.shift
        self.shift = _snapped_shift(self)
        if self.shift == before:
            return
        if not self.copying:
            for frame, rect in self.frames.items():
                self.scene.backdrop.preview[frame] = rect.translated(self.shift)
            self.scene.preview(self.moved())
        self.scene.update()

    def moved(self) -> dict[str, Position]:
        """Return where the nodes on the frames are now."""
        return {
            node: (corner + self.shift).toTuple() for node, corner in self.nodes.items()
        }

    def release(self) -> None:
        shift = QPointF(self.shift)
        self.cancel()
        if not self.started or shift.isNull():
            super().release()
        elif self.copying:
            self.canvas.commands.duplicate(shift.x(), shift.y())
        else:
            self.canvas.frames.shift(self.frames, self.nodes, shift)

    def cancel(self) -> None:
        self.scene.backdrop.preview.clear()
        self.scene.end_preview()
        self.scene.update()

    def places_now(self) -> list[QRectF]:
        nodes = [self.scene.boxes[node].rect for node in self.nodes]
        return [*self.frames.values(), *nodes]


class ResizeFrame(Gesture):
    """Moves one side of a frame, or two at a corner. What is on it stays where it is."""

    def __init__(
        self, canvas: Canvas, pointer: Pointer, key: str, sides: Sides
    ) -> None:
        super().__init__(canvas, pointer)
        self.key = key
        self.sides = sides
        self.cursor = cursor_of(sides)
        self.rect = self.scene.backdrop.rect(key)
        canvas.select(frozenset({key}))

    @classmethod
    def start(cls, canvas: Canvas, press: Press) -> Gesture | None:
        if not press.edits or press.modifiers & ALT or not press.frame:
            return None
        point = press.pointer.scene
        sides = canvas.scene().backdrop.sides_at(press.frame, point, canvas.zoom)
        return cls(canvas, press.pointer, press.frame, sides) if sides else None

    def drag(self) -> None:
        self.scene.backdrop.preview[self.key] = self._resized()
        self.scene.update()

    def _resized(self) -> QRectF:
        rect = QRectF(self.rect)
        shift = _snapped_shift(self)
        width, height = LEAST
        if "left" in self.sides:
            rect.setLeft(min(rect.left() + shift.x(), rect.right() - width))
        if "right" in self.sides:
            rect.setRight(max(rect.right() + shift.x(), rect.left() + width))
        if "top" in self.sides:
            rect.setTop(min(rect.top() + shift.y(), rect.bottom() - height))
        if "bottom" in self.sides:
            rect.setBottom(max(rect.bottom() + shift.y(), rect.top() + height))
        return rect

    def release(self) -> None:
        rect = self._resized()
        started = self.started
        self.cancel()
        if started and rect != self.rect:
            self.canvas.frames.resize(self.key, rect)

    def cancel(self) -> None:
        self.scene.backdrop.preview.clear()
        self.scene.update()


def _snapped_shift(gesture: Gesture) -> QPointF:
    """Return how far the pointer went, in steps of the grid when things snap to it."""
    shift = gesture.pointer.scene - gesture.began.scene
    if gesture.canvas.snap:
        return QPointF(*on_grid(shift.x(), shift.y()))
    return QPointF(round(shift.x()), round(shift.y()))
