"""Moving nodes: what is selected follows the pointer; with Alt, copies of it do."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from designer.canvas.base import ALT, CTRL, SHIFT, Canvas, Gesture, Pointer, Press
from designer.canvas.drawing.geometry import SNAP, on_grid
from designer.canvas.drawing.spots import Fits
from designer.canvas.drawing.style import COMPACT, rounded
from designer.canvas.gestures.splice import SpliceLight
from designer.canvas.speech.graph_walk import neighbours

if TYPE_CHECKING:
    from designer.model.design import Position

# From so many nodes on, a dragged group is drawn as it is, and its wires are led round
# other nodes only when it is released: a drag would stutter otherwise.
CARRIED = 20


class MoveSelected(Gesture):
    """The press selects a thing, and the drag moves all that is selected.

    It is one undo step at the release. With Alt held at the start, copies are made.
    """

    cursor = Qt.CursorShape.SizeAllCursor

    def __init__(self, canvas: Canvas, pointer: Pointer, key: str) -> None:
        super().__init__(canvas, pointer)
        self.key = key
        self.was_selected = key in self.scene.selection
        if pointer.modifiers & (SHIFT | CTRL):
            canvas.select(self.scene.selection ^ {key})
        elif not self.was_selected:
            canvas.select(frozenset({key}))
        self.copying = bool(pointer.modifiers & ALT)
        self.shift = QPointF()

    def places_now(self) -> list[QRectF]:
        """Return where that which moves is in the design."""
        raise NotImplementedError

    def release(self) -> None:
        """After a click on one of several that were selected, select it alone."""
        extended = self.began.modifiers & (SHIFT | CTRL)
        if self.was_selected and not self.started and not extended:
            self.canvas.select(frozenset({self.key}))

    def paint(self, painter: QPainter, zoom: float) -> None:
        """Paint the outlines of the copies."""
        if not self.copying or self.shift.isNull():
            return
        painter.setPen(self.scene.style_.pen("accent", 1.5, "5 3"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for rect in self.places_now():
            outline = rounded(rect.width(), rect.height(), 8)
            painter.drawPath(outline.translated(rect.topLeft() + self.shift))


class MoveNodes(MoveSelected):
    """Drags nodes. One without wires goes into the wire on which it is released."""

    def __init__(self, canvas: Canvas, pointer: Pointer, node: str) -> None:
        super().__init__(canvas, pointer, node)
        boxes = self.scene.boxes
        self.places = {
            key: (boxes[key].rect.x(), boxes[key].rect.y())
            for key in self.scene.selection
            if key in boxes
        }
        self.group = frozenset(self.places)
        before, after = neighbours(self.scene.topology, node)
        linked = (before | after) & boxes.keys()
        # neighbours that do not move, with which the node can be level
        self.fixed = [key for key in linked if key not in self.places]
        self.splice = SpliceLight(canvas)
        # Only one node without wires, which is not copied, can go into a wire.
        self.fits: Fits | None = None
        is_loose = not self.scene.topology.touching.get(node)
        if self.group == {node} and is_loose and not self.copying:
            self.fits = partial(canvas.wiring().splices_node, node)

    @classmethod
    def start(cls, canvas: Canvas, press: Press) -> Gesture | None:
        if press.edits and press.node:
            return cls(canvas, press.pointer, press.node)
        return None

    def drag(self) -> None:
        if self.key not in self.places:
            return
        before = self.shift
        self.shift = self._snapped(self.pointer.scene - self.began.scene)
        self._look_for_wire()
        if self.shift == before:
            return
        if self.copying:
            self.scene.update()
        elif len(self.group) > CARRIED or self.canvas.zoom <= COMPACT:
            self.scene.carry(self.group, self.shift)
        else:
            self.scene.preview(self.moved())

    def _look_for_wire(self) -> None:
        """Light the wire that takes the node, unless Alt is held."""
        if self.fits is None:
            return
        if self.pointer.modifiers & ALT:
            self.splice.clear()
        else:
            corner = QPointF(*self.moved()[self.key])
            size = self.scene.boxes[self.key].rect.size()
            self.splice.over(QRectF(corner, size), self.fits)

    def _snapped(self, shift: QPointF) -> QPointF:
        """Return a shift in steps of the grid from where the node was, so that what was
        in line stays in line; and level with a neighbour when that is near, so that the
        wire between them is straight.
        """
        if not self.canvas.snap:
            return QPointF(round(shift.x()), round(shift.y()))
        step = QPointF(*on_grid(shift.x(), shift.y()))
        height = self.scene.boxes[self.key].rect.height()
        level = self.places[self.key][1] + height / 2 + step.y()
        gaps = [self.scene.boxes[other].inlet.y() - level for other in self.fixed]
        gap = min(gaps, key=abs, default=SNAP)
        if abs(gap) <= SNAP / 2:
            step += QPointF(0, gap)
        return step

    def moved(self) -> dict[str, Position]:
        """Return where the nodes are now."""
        return {
            key: (x + self.shift.x(), y + self.shift.y())
            for key, (x, y) in self.places.items()
        }

    def release(self) -> None:
        spot = self.splice.take()
        if not self.started or self.shift.isNull():
            self.scene.end_preview()
            super().release()
        elif self.copying:
            self.canvas.commands.duplicate(self.shift.x(), self.shift.y())
        elif spot is not None and not self.pointer.modifiers & ALT:
            self.canvas.commands.splice(self.key, spot, self.moved())
        else:
            self.canvas.commands.move(self.moved())

    def cancel(self) -> None:
        self.splice.clear()
        self.scene.end_preview()
        self.scene.update()

    def places_now(self) -> list[QRectF]:
        return [self.scene.boxes[key].rect for key in self.places]

    def paint(self, painter: QPainter, zoom: float) -> None:
        self.splice.paint(painter)
        super().paint(painter, zoom)
