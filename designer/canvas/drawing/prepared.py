"""The drawing of a layout, made before it is shown, in slices between the window's
events.

What pays for it: `python -m tests.benchmarks.window --only layout5000`, row "longest
stall until it is there": without this module the window stands still twice as long.

Leading the wires of thousands of nodes takes seconds, and must happen in the window's
thread, since it measures texts. A layout changes the places of all nodes, but not which
nodes and edges there are. So everything that the scene derives from the places (boxes,
figures, hairlines, and the grids of both) is made here for the places to come, by a
generator that yields every few milliseconds. `Slices` runs it from a timer, so that the
window handles its events meanwhile. When the layout is applied, `CanvasScene.show` asks
`fits` whether this is the drawing of the new design, and takes it over whole. An edit
in between makes it another design; then the scene draws as usual and this one is
dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from PySide6.QtCore import QElapsedTimer, QLineF, QObject, QTimer

from designer.canvas.drawing.figures import Figure
from designer.canvas.drawing.geometry import Box, Grid, Topology, drawn_at
from designer.canvas.drawing.obstacles import Obstacles, Watches
from designer.canvas.drawing.strokes import hairlines_of
from designer.model.design import Design
from runtime.document.definition import NodeInfo

SLICE_MS = 8
# boxes and edges between two looks at the clock
_BOXES = 200
_EDGES = 20


class PreparedDrawing:
    """What will be drawn when the nodes of a design are at its positions, with its
    dots.

    `boxes` are the nodes as they are drawn now.
    """

    def __init__(
        self,
        design: Design,
        infos: Mapping[str, NodeInfo],
        topology: Topology,
        boxes: Mapping[str, Box],
    ) -> None:
        self.workflow = design.workflow
        self.infos = infos
        self.positions = design.positions
        self.dots = design.dots
        self.obstacles = Obstacles()
        self.watches = Watches()
        self.figures: dict[str, Figure] = {}
        self.hairlines: dict[str, list[QLineF]] = {}
        self.grid = Grid()
        self.complete = False
        self._topology = topology
        self._boxes = dict(boxes)

    def fits(self, design: Design, infos: Mapping[str, NodeInfo]) -> bool:
        """Return whether this is the drawing of a design, and is complete."""
        if not self.complete or infos is not self.infos:
            return False
        if design.workflow is not self.workflow or design.dots != self.dots:
            return False
        return all(
            design.positions.get(node) == position
            for node, position in self.positions.items()
        )

    def steps(self) -> Iterator[None]:
        """Make the drawing, and yield every few milliseconds."""
        for count, (node, box) in enumerate(self._boxes.items()):
            x, y = drawn_at(self.positions.get(node, (0.0, 0.0)))
            self.obstacles.put(box.shifted(x - box.rect.x(), y - box.rect.y()))
            if count % _BOXES == 0:
                yield
        for count, (edge_id, edge) in enumerate(self._topology.edges.items()):
            lines = self.dots.get(edge_id, {})
            looked, figure = self.obstacles.looking(edge, self._topology, lines)
            self.watches.put(edge_id, looked)
            if figure is not None:
                self.figures[edge_id] = figure
                self.grid.put(edge_id, figure.bounds)
                self.hairlines[edge_id] = hairlines_of(figure)
            if count % _EDGES == 0:
                yield
        self.complete = True


class Slices(QObject):
    """Runs the steps of some work in slices of a few milliseconds, between the events
    of the window, and calls `finish` after the last one.
    """

    def __init__(
        self, work: Iterator[None], finish: Callable[[], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._work = work
        self._finish = finish
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._slice)
        self._timer.start()

    def stop(self) -> None:
        """Do no more of the work."""
        self._timer.stop()
        self.deleteLater()

    def _slice(self) -> None:
        watch = QElapsedTimer()
        watch.start()
        for _ in self._work:
            if watch.elapsed() >= SLICE_MS:
                return
        self.stop()
        self._finish()
