"""Cutting wires: a line drawn across them with Ctrl and the right button."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QPainter, QPolygonF

from designer.canvas.base import CTRL, Canvas, Gesture, Pointer, Press
from designer.canvas.drawing.figures import Wire
from designer.model.edits import Way

_BOUNDED = QLineF.IntersectionType.BoundedIntersection
_SHORTEST = 2  # scene pixels; a shorter step of the pointer waits for the next


class CutWires(Gesture):
    """Cuts the wires that the line crosses, as one undo step at the release.

    Until then they are lit.
    """

    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, canvas: Canvas, pointer: Pointer) -> None:
        super().__init__(canvas, pointer)
        self.line = [pointer.scene]
        # by edge group and way, with the wires that draw it
        self.crossed: dict[str, dict[Way, list[Wire]]] = {}

    @classmethod
    def start(cls, canvas: Canvas, press: Press) -> Gesture | None:
        right = press.button == Qt.MouseButton.RightButton
        if not (right and press.modifiers & CTRL) or canvas.refuse_edit():
            return None
        return cls(canvas, press.pointer)

    def drag(self) -> None:
        step = QLineF(self.line[-1], self.pointer.scene)
        if step.length() < _SHORTEST:
            return
        self.line.append(self.pointer.scene)
        for figure in self.scene.edges.near(_area_of(step)):
            for wire in figure.wires:
                if _crosses(wire, step):
                    self._light(figure.id, wire)
        count = sum(map(len, self.crossed.values()))
        wires = "wire" if count == 1 else "wires"
        self.canvas.status.emit(f"Release to cut {count} {wires}; Esc cancels")
        self.scene.update(self._area())

    def _light(self, edge: str, wire: Wire) -> None:
        ways = self.crossed.setdefault(edge, defaultdict(list))
        ways[Way(wire.source, wire.target, wire.way)].append(wire)
        self.scene.edges.repaint([edge])

    def release(self) -> None:
        crossed = {edge: list(ways) for edge, ways in self.crossed.items()}
        self.cancel()
        if crossed:
            self.canvas.commands.cut_wires(crossed)
        elif self.started:
            self.canvas.tell("No wire was crossed. Draw the line across the wires.")

    def cancel(self) -> None:
        self.scene.edges.repaint(self.crossed)
        self.scene.update(self._area())
        self.crossed = {}
        self.line = [self.pointer.scene]

    def _area(self) -> QRectF:
        return QPolygonF(self.line).boundingRect().adjusted(-3, -3, 3, 3)

    def paint(self, painter: QPainter, zoom: float) -> None:
        if len(self.line) < 2:
            return
        style = self.scene.style_
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(style.pen("bad", 2.25))
        for ways in self.crossed.values():
            for wires in ways.values():
                for wire in wires:
                    painter.drawPath(wire.path)
        painter.setPen(style.pen("bad", 1.5 / min(1.0, zoom), "4 3"))
        painter.drawPolyline(QPolygonF(self.line))


def _area_of(step: QLineF) -> QRectF:
    return QRectF(step.p1(), step.p2()).normalized().adjusted(-1, -1, 1, 1)


def _crosses(wire: Wire, step: QLineF) -> bool:
    bounds = wire.path.controlPointRect().adjusted(-1, -1, 1, 1)
    if not bounds.intersects(_area_of(step)):
        return False
    for polygon in wire.path.toSubpathPolygons():
        for start, end in pairwise(polygon.toList()):
            if step.intersects(QLineF(start, end))[0] == _BOUNDED:
                return True
    return False
