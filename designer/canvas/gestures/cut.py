"""Cutting wires: a line drawn across them with Ctrl and the right button."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QPainter, QPolygonF

from designer.canvas.drawing.figures import Wire
from designer.canvas.gestures.tools import Pointer, Tool
from designer.model.edits import Way

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView

_MEETS = QLineF.IntersectionType.BoundedIntersection


class CutWires(Tool):
    """Cuts the wires that the drawn line crosses, as one step. They are lit until the button is let go."""

    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, view: CanvasView, at: Pointer) -> None:
        super().__init__(view, at)
        self.line = [at.scene]
        self.found: dict[str, dict[Way, list[Wire]]] = {}

    def drag(self) -> None:
        step = QLineF(self.line[-1], self.at.scene)
        if step.length() < 2:
            return
        self.line.append(self.at.scene)
        for figure in self.scene.edges.near(
            QRectF(step.p1(), step.p2()).normalized().adjusted(-1, -1, 1, 1)
        ):
            for wire in figure.wires:
                if _crosses(wire, step):
                    way = Way(wire.source, wire.target, wire.way)
                    self.found.setdefault(figure.id, {}).setdefault(way, []).append(
                        wire
                    )
                    self.scene.edges.repaint([figure.id])
        count = sum(map(len, self.found.values()))
        self.view.status.emit(
            f"Let go to cut {count} {'wire' if count == 1 else 'wires'}; Esc leaves them"
        )
        self.scene.update(self._area())

    def release(self) -> None:
        found = {edge: list(ways) for edge, ways in self.found.items()}
        self.cancel()
        if found:
            self.view.commands.cut_wires(found)
        elif self.started:
            self.view.tell(
                "No wire was crossed. Draw the line across the wires that should go."
            )

    def cancel(self) -> None:
        self.scene.edges.repaint(self.found)
        self.scene.update(self._area())
        self.found = {}
        self.line = [self.at.scene]

    def _area(self) -> QRectF:
        return QPolygonF(self.line).boundingRect().adjusted(-3, -3, 3, 3)

    def paint(self, painter: QPainter, zoom: float) -> None:
        if len(self.line) < 2:
            return
        style = self.scene.style_
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(style.pen("bad", 2.25))
        for ways in self.found.values():
            for wires in ways.values():
                for wire in wires:
                    painter.drawPath(wire.path)
        painter.setPen(style.pen("bad", 1.5 / min(1.0, zoom), "4 3"))
        painter.drawPolyline(QPolygonF(self.line))


def _crosses(wire: Wire, step: QLineF) -> bool:
    bounds = wire.path.controlPointRect().adjusted(-1, -1, 1, 1)
    if not bounds.intersects(
        QRectF(step.p1(), step.p2()).normalized().adjusted(-1, -1, 1, 1)
    ):
        return False
    return any(
        step.intersects(QLineF(a, b))[0] == _MEETS
        for polygon in wire.path.toSubpathPolygons()
        for a, b in pairwise(polygon.toList())
    )
