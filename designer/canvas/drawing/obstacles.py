"""Where the nodes are, and which of them are in the way of a wire.

What pays for it: `python -m tests.benchmarks.window --only canvas5000`, rows "open,
first", "drag one node" and "undo a move of 500 nodes". Each wire has to know which
nodes it would cross, and to ask all nodes of the drawing for each would take seconds.
Three tricks keep that small, and each stands alone:

- Boxes are in a `Grid` of square cells, so that a wire meets only the nodes near it.
- `looked` collects every place that a wire asked about while it was drawn. `Watches`
  keeps it, so that when a node comes or goes only the wires that looked there are drawn
  again.
- In a drawing of more than `FEW` nodes, a wire that is very long or runs through a crowd
  is not led round anything: there is hardly a way, and to look for one takes longest. That
  alone makes the undo of a move of 500 nodes a third faster.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath

from designer.canvas.drawing import routes
from designer.canvas.drawing.detours import detour
from designer.canvas.drawing.figures import Figure, figure_of
from designer.canvas.drawing.geometry import Box, Grid, Topology
from designer.canvas.drawing.strokes import polyline_meets
from designer.model.design import Points
from runtime.document.definition import EdgeDefinition

ASIDE = 240.0  # how far above and below its ends a wire is led round nodes
# So many nodes leave time for every wire, however long it is.
FEW = 300
# In a larger drawing: how many nodes near a wire are a crowd, and how long a wire can
# be that is still led round nodes.
CROWD = 40
LONGEST = 1600.0
NO_LIMIT = 1e9
LEVEL_TRIES = 24  # levels that are tried for the way back under the nodes
# how far from its nominal level a wire runs, by turns, so that not all lie in one line
SPREADS = 3
SPREAD = 4


class Obstacles:
    """The `boxes` of all nodes by id, and the questions that a wire asks about them.

    `looked` grows by every place that is asked about: a wire may have to run elsewhere
    when a node comes or goes there.
    """

    def __init__(self) -> None:
        self.boxes: dict[str, Box] = {}
        self.looked = QRectF()
        self._grid = Grid()

    @property
    def longest(self) -> float:
        """How long a wire can be that is led round nodes."""
        return LONGEST if len(self.boxes) > FEW else NO_LIMIT

    def put(self, box: Box) -> None:
        """Add a node, or move it."""
        self.boxes[box.id] = box
        self._grid.put(box.id, box.rect)

    def drop(self, node: str) -> None:
        """Remove a node."""
        del self.boxes[node]
        self._grid.drop(node)

    def near(self, rect: QRectF) -> list[str]:
        """Return the nodes whose boxes meet a rectangle, in the order they were added."""
        boxes = self.boxes
        return [
            node for node in self._grid.near(rect) if boxes[node].rect.intersects(rect)
        ]

    def about(self, rect: QRectF) -> list[str]:
        """Return the same and some more that are near: what the cells of the grid hold."""
        return self._grid.near(rect)

    def looking(
        self, edge: EdgeDefinition, topology: Topology, dots: Mapping[str, Points]
    ) -> tuple[QRectF, Figure | None]:
        """Return where an edge looked for nodes while it was drawn, and its figure."""
        self.looked = QRectF()
        figure = figure_of(edge, self.boxes, topology, self, dots)
        return self.looked, figure

    def clear_level(self, x0: float, x1: float, y: float) -> float:
        """Return a level at or below `y` where a line from x0 to x1 meets no node.

        In a crowd, where there is none, that is `y`.
        """
        level = y
        for _ in range(LEVEL_TRIES):
            rects = self._rects_in(QRectF(x0, level - 12, x1 - x0, 24))
            if rects is None:
                return y
            if not rects:
                break
            level = max(rect.bottom() for rect in rects) + routes.LOW * 0.7
        return level

    def in_the_way(self, path: QPainterPath, but: tuple[str, ...]) -> QRectF:
        """Return what a path crosses of nodes other than `but`, as one rectangle.

        It is empty when nothing is crossed, and in a crowd, where there is no way
        round.
        """
        crossed = QRectF()
        rects = self._rects_in(path.controlPointRect().adjusted(0, -1, 0, 1), but)
        if not rects:
            return crossed
        points = []
        for polygon in path.toSubpathPolygons():
            points += [point.toTuple() for point in polygon.toList()]
        for rect in rects:
            if polyline_meets(points, rect.adjusted(-4, -6, 4, 6)):
                crossed = crossed.united(rect)
        return crossed

    def detour(
        self, start: QPointF, end: QPointF, but: tuple[str, ...]
    ) -> list[QPointF] | None:
        """Return the points of a way from left to right round all nodes other than
        `but`.

        None where there is none, or no time to look for one.
        """
        if len(self.boxes) > FEW:
            return None
        top = min(start.y(), end.y()) - ASIDE
        bottom = max(start.y(), end.y()) + ASIDE
        area = QRectF(start.x(), top, end.x() - start.x(), bottom - top)
        rects = self._rects_in(area, but)
        if not rects:
            return None
        spread = (start.y() + end.y()) // 8 % SPREADS * SPREAD
        return detour(start, end, rects, spread)

    def free(self, rect: QRectF) -> bool:
        """Return whether no node is in this place."""
        self.looked |= rect
        return not self.near(rect)

    def _rects_in(self, area: QRectF, but: Collection[str] = ()) -> list[QRectF] | None:
        """Return the boxes in an area that a wire looks at; None for a crowd."""
        self.looked |= area
        boxes = self.boxes
        nodes = self._grid.about(area)
        crowd = CROWD if len(boxes) > FEW else FEW
        rects: list[QRectF] = []
        for node in boxes if nodes is None else nodes:
            rect = boxes[node].rect
            if rect.intersects(area) and node not in but:
                rects.append(rect)
                if len(rects) > crowd:
                    return None
        return rects


class Watches:
    """Where the wires of each edge looked for nodes, to know which to draw again."""

    def __init__(self) -> None:
        self._areas: dict[str, QRectF] = {}
        self._grid = Grid()

    def __contains__(self, edge: object) -> bool:
        return edge in self._areas

    def put(self, edge: str, looked: QRectF) -> None:
        """Remember where an edge looked; a null rectangle for nowhere."""
        if not looked.isNull():
            self._areas[edge] = looked.adjusted(-1, -1, 1, 1)
            self._grid.put(edge, self._areas[edge])
        elif self._areas.pop(edge, None) is not None:
            self._grid.drop(edge)

    def at(self, rects: Sequence[QRectF]) -> set[str]:
        """Return the edges that looked at one of these places.

        Of many places it is what is between them too, because one question is cheaper.
        """
        if len(rects) > CROWD:
            hull = QRectF()
            for rect in rects:
                hull |= rect
            rects = [hull]
        areas = self._areas
        return {
            edge
            for rect in rects
            for edge in self._grid.near(rect)
            if areas[edge].intersects(rect)
        }
