"""Selecting by mouse: a rubber band over empty canvas, or a click on one thing."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from designer.canvas.base import CTRL, SHIFT, Canvas, Gesture, Pointer, Press


class RubberBand(Gesture):
    """Selects what it touches; Shift adds, Ctrl removes. A click selects nothing."""

    edits = False

    def __init__(self, canvas: Canvas, pointer: Pointer) -> None:
        super().__init__(canvas, pointer)
        self.before = self.scene.selection
        self.band = QRectF()

    @classmethod
    def start(cls, canvas: Canvas, press: Press) -> Gesture | None:
        return cls(canvas, press.pointer) if press.is_left else None

    def drag(self) -> None:
        self._repaint()
        self.band = QRectF(self.began.scene, self.pointer.scene).normalized()
        self._repaint()
        self.canvas.select(self._selection())

    def _selection(self) -> frozenset[str]:
        touched = self.scene.inside(self.band)
        if self.pointer.modifiers & CTRL:
            return self.before - touched
        if self.pointer.modifiers & SHIFT:
            return self.before | touched
        return touched

    def release(self) -> None:
        if not self.started and not self.pointer.modifiers & (SHIFT | CTRL):
            self.canvas.select(frozenset())
        self._clear()

    def cancel(self) -> None:
        self.canvas.select(self.before)
        self._clear()

    def _clear(self) -> None:
        self._repaint()
        self.band = QRectF()

    def _repaint(self) -> None:
        self.scene.update(self.band.adjusted(-2, -2, 2, 2))

    def paint(self, painter: QPainter, zoom: float) -> None:
        if self.band.isEmpty():
            return
        pen = self.scene.style_.pen("accent", 1)
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(self.band)


class Pick(Gesture):
    """A click on an edge group, or on anything while a run is shown. A drag is refused."""

    def __init__(self, canvas: Canvas, pointer: Pointer, key: str) -> None:
        super().__init__(canvas, pointer)
        if pointer.modifiers & (SHIFT | CTRL):
            canvas.select(self.scene.selection ^ {key})
        else:
            canvas.select(frozenset({key}))
        self.refused = False

    @classmethod
    def start(cls, canvas: Canvas, press: Press) -> Gesture | None:
        if press.is_left and press.thing:
            return cls(canvas, press.pointer, press.thing)
        return None

    def drag(self) -> None:
        # once for each drag, although the pointer goes on
        self.refused = self.refused or self.canvas.refuse_edit()
