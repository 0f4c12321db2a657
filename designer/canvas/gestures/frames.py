"""The gestures of frames and notes: drag one with what stands on it, drag a side or corner to make it larger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt

from designer.canvas.drawing.frames import Sides
from designer.canvas.drawing.geometry import on_grid
from designer.canvas.gestures.tools import ALT, MoveSelected, Pointer, Tool
from designer.model.frames import LEAST

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView
    from designer.model.design import Position

_C = Qt.CursorShape


def frame_tool(view: CanvasView, at: Pointer, key: str) -> Tool:
    """What a press on a frame or note begins."""
    sides = view.scene().backdrop.sides_at(key, at.scene, view.zoom)
    if sides and not at.modifiers & ALT:
        return ResizeFrame(view, at, key, sides)
    return MoveFrames(view, at, key)


def cursor_of(sides: Sides) -> Qt.CursorShape:
    if not sides:
        return _C.SizeAllCursor
    if len(sides) == 1:
        return _C.SizeHorCursor if sides & {"left", "right"} else _C.SizeVerCursor
    if sides in ({"left", "top"}, {"right", "bottom"}):
        return _C.SizeFDiagCursor
    return _C.SizeBDiagCursor


class MoveFrames(MoveSelected):
    """Drags what is selected, when a frame is: frames take what stands on them along."""

    def __init__(self, view: CanvasView, at: Pointer, key: str) -> None:
        super().__init__(view, at, key)
        chosen = self.scene.selection
        frames, nodes = view.frames.with_content(chosen)
        if self.copying:  # what is copied is what is selected, by keys too
            frames = [key for key in frames if key in chosen]
            nodes = [key for key in nodes if key in chosen]
        self.frames = {key: self.scene.backdrop.rect(key) for key in frames}
        self.nodes = {key: self.scene.boxes[key].rect.topLeft() for key in nodes}

    def drag(self) -> None:
        if self.key not in self.scene.selection:
            return
        old = self.shift
        self.shift = _shift(self)
        if self.shift == old:
            return
        if not self.copying:
            moved = {
                key: rect.translated(self.shift) for key, rect in self.frames.items()
            }
            self.scene.backdrop.preview.update(moved)
            self.scene.preview(self.moved())
        self.scene.update()

    def moved(self) -> dict[str, Position]:
        return {
            key: (at.x() + self.shift.x(), at.y() + self.shift.y())
            for key, at in self.nodes.items()
        }

    def release(self) -> None:
        shift = QPointF(self.shift)
        self.cancel()
        if self.started and not shift.isNull():
            if self.copying:
                self.view.commands.duplicate(shift.x(), shift.y())
            else:
                self.view.frames.shift(self.frames, self.nodes, shift)
        else:
            super().release()

    def cancel(self) -> None:
        self.scene.backdrop.preview.clear()
        self.scene.end_preview()
        self.scene.update()

    def places_now(self) -> list[QRectF]:
        return [
            *self.frames.values(),
            *(self.scene.boxes[key].rect for key in self.nodes),
        ]


class ResizeFrame(Tool):
    """Moves one side or two of a frame; what stands on it stays where it is."""

    def __init__(self, view: CanvasView, at: Pointer, key: str, sides: Sides) -> None:
        super().__init__(view, at)
        self.key = key
        self.sides = sides
        self.cursor = cursor_of(sides)
        self.rect = self.scene.backdrop.rect(key)
        view.select(frozenset({key}))

    def drag(self) -> None:
        self.scene.backdrop.preview[self.key] = self._resized()
        self.scene.update()

    def _resized(self) -> QRectF:
        rect = QRectF(self.rect)
        shift = _shift(self)
        x = shift.x()
        y = shift.y()
        if "left" in self.sides:
            rect.setLeft(min(rect.left() + x, rect.right() - LEAST[0]))
        if "right" in self.sides:
            rect.setRight(max(rect.right() + x, rect.left() + LEAST[0]))
        if "top" in self.sides:
            rect.setTop(min(rect.top() + y, rect.bottom() - LEAST[1]))
        if "bottom" in self.sides:
            rect.setBottom(max(rect.bottom() + y, rect.top() + LEAST[1]))
        return rect

    def release(self) -> None:
        rect = self._resized()
        started = self.started
        self.cancel()
        if started and rect != self.rect:
            self.view.frames.resize(self.key, rect)

    def cancel(self) -> None:
        self.scene.backdrop.preview.clear()
        self.scene.update()


def _shift(tool: Tool) -> QPointF:
    """How far the pointer went, in steps of the grid when things snap to it."""
    away = tool.at.scene - tool.began.scene
    if tool.view.snap:
        return QPointF(*on_grid(away.x(), away.y()))
    return QPointF(round(away.x()), round(away.y()))
