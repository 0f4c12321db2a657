"""Where the nodes stand, and what of them is in a wire's way."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath

from designer.canvas.drawing import routes
from designer.canvas.drawing.detours import passage
from designer.canvas.drawing.figures import Figure, figure_of
from designer.canvas.drawing.geometry import Box, Grid, Topology
from designer.canvas.drawing.strokes import polyline_meets
from designer.model.design import Points
from runtime.document.definition import EdgeDefinition

ASIDE = 240.0  # how far above and below its ends a wire is led round nodes
# nodes of a drawing in which there is time for every wire, however long it is
FEW = 300
# in a larger one, nodes near a wire from which it is not led round any, and its length
CROWD = 40
LONGEST = 1600.0


class Ground:
    """`boxes` by id. `looked` grows by every place that a wire asks for: it may have to run elsewhere when a node comes
    or goes there. `hasty` while many wires are drawn for a single frame.
    """

    def __init__(self) -> None:
        self.boxes: dict[str, Box] = {}
        self.looked = QRectF()
        self.hasty = False
        self._grid = Grid()

    @property
    def longest(self) -> float:
        return LONGEST if len(self.boxes) > FEW else 1e9

    def put(self, box: Box) -> None:
        self.boxes[box.id] = box
        self._grid.put(box.id, box.rect)

    def drop(self, node: str) -> None:
        del self.boxes[node]
        self._grid.drop(node)

    def near(self, rect: QRectF) -> list[str]:
        """Nodes whose boxes meet a rectangle, in the order in which they came."""
        boxes = self.boxes
        return [
            node for node in self._grid.near(rect) if boxes[node].rect.intersects(rect)
        ]

    def about(self, rect: QRectF) -> list[str]:
        """The same with some that are near."""
        return self._grid.near(rect)

    def looking(
        self, edge: EdgeDefinition, topology: Topology, dots: Mapping[str, Points]
    ) -> tuple[QRectF, Figure | None]:
        """The figure of an edge, and where it looked for nodes."""
        self.looked = QRectF()
        figure = figure_of(edge, self.boxes, topology, self, dots)
        return self.looked, figure

    def clear_level(self, x0: float, x1: float, y: float) -> float:
        """A level at or below `y` where a line from x0 to x1 meets no node; `y` in a crowd, where there is none."""
        level = y
        for _ in range(24):
            hit = self._hit(QRectF(x0, level - 12, x1 - x0, 24))
            if hit is None:
                return y
            if not hit:
                break
            level = max(rect.bottom() for rect in hit) + routes.LOW * 0.7
        return level

    def in_the_way(self, path: QPainterPath, but: tuple[str, ...]) -> QRectF:
        """What a path crosses of nodes other than `but`, as one rectangle; empty for nothing, and in a crowd, where
        there is no way round.
        """
        rects = self._hit(path.controlPointRect().adjusted(0, -1, 0, 1), but)
        found = QRectF()
        if rects:
            line = [
                point.toTuple()
                for polygon in path.toSubpathPolygons()
                for point in polygon.toList()
            ]
            for rect in rects:
                if polyline_meets(line, rect.adjusted(-4, -6, 4, 6)):
                    found = found.united(rect)
        return found

    def passage(
        self, start: QPointF, end: QPointF, but: tuple[str, ...]
    ) -> list[QPointF] | None:
        """The points of a way from left to right round all nodes other than `but`; None where there is none, or no time
        to look for one.
        """
        if self.hasty or len(self.boxes) > FEW:
            return None
        top = min(start.y(), end.y()) - ASIDE
        bottom = max(start.y(), end.y()) + ASIDE
        rects = self._hit(
            QRectF(start.x(), top, end.x() - start.x(), bottom - top), but
        )
        spread = (start.y() + end.y()) // 8 % 3 * 4
        return passage(start, end, rects, spread) if rects else None

    def free(self, rect: QRectF) -> bool:
        """No node is in this place."""
        self.looked |= rect
        return not self.near(rect)

    def _hit(self, area: QRectF, but: Collection[str] = ()) -> list[QRectF] | None:
        """The boxes in an area that a wire wants to know of; None for a crowd."""
        self.looked |= area
        found: list[QRectF] = []
        boxes = self.boxes
        near = self._grid.about(area)
        crowd = CROWD if len(boxes) > FEW else FEW
        for node in boxes if near is None else near:
            rect = boxes[node].rect
            if rect.intersects(area) and node not in but:
                found.append(rect)
                if len(found) > crowd:
                    return None
        return found


class Watches:
    """Where wires of edges keep clear of nodes, to know which have to be led anew."""

    def __init__(self) -> None:
        self._areas: dict[str, QRectF] = {}
        self._grid = Grid()

    def __contains__(self, edge: object) -> bool:
        return edge in self._areas

    def put(self, edge: str, looked: QRectF) -> None:
        """A null rectangle for an edge that keeps clear of nothing."""
        if not looked.isNull():
            self._areas[edge] = looked.adjusted(-1, -1, 1, 1)
            self._grid.put(edge, self._areas[edge])
        elif self._areas.pop(edge, None) is not None:
            self._grid.drop(edge)

    def at(self, rects: Sequence[QRectF]) -> set[str]:
        """The edges that look at one of these places; of many places, at what is between them too."""
        if len(rects) > CROWD:
            whole = QRectF()
            for rect in rects:
                whole |= rect
            rects = [whole]
        areas = self._areas
        return {
            edge
            for rect in rects
            for edge in self._grid.near(rect)
            if areas[edge].intersects(rect)
        }
