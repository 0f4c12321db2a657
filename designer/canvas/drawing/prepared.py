"""The drawing of other positions, made before it is shown: in slices, so that the window goes on meanwhile.

Leading the wires of thousands of nodes takes a second; when they are led already, a layout is shown within some frames.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from PySide6.QtCore import QElapsedTimer, QLineF, QObject, QTimer

from designer.canvas.drawing.figures import Figure
from designer.canvas.drawing.geometry import Box, Grid, Topology, drawn_at
from designer.canvas.drawing.obstacles import Ground, Watches
from designer.canvas.drawing.strokes import hairlines_of
from designer.model.design import Design
from runtime.document.definition import NodeInfo

SLICE_MS = 8
_STRIDE = 20  # edges between two looks at the clock


class PreparedDrawing:
    """What will be drawn when the nodes of a design are at its positions, with its dots.

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
        self.ground = Ground()
        self.watches = Watches()
        self.figures: dict[str, Figure] = {}
        self.hairlines: dict[str, list[QLineF]] = {}
        self.grid = Grid()
        self.complete = False
        self._topology = topology
        self._boxes = dict(boxes)

    def fits(self, design: Design, infos: Mapping[str, NodeInfo]) -> bool:
        """Whether this is the drawing of that design."""
        known = (
            self.complete and design.workflow is self.workflow and infos is self.infos
        )
        return (
            known
            and design.dots == self.dots
            and all(
                design.positions.get(node) == at for node, at in self.positions.items()
            )
        )

    def steps(self) -> Iterator[None]:
        """Works on with each step, which takes a few milliseconds."""
        for node, box in self._boxes.items():
            x, y = drawn_at(self.positions.get(node, (0.0, 0.0)))
            self.ground.put(box.shifted(x - box.rect.x(), y - box.rect.y()))
            if len(self.ground.boxes) % (_STRIDE * 10) == 0:
                yield
        for count, (edge_id, edge) in enumerate(self._topology.edges.items()):
            looked, figure = self.ground.looking(
                edge, self._topology, self.dots.get(edge_id, {})
            )
            self.watches.put(edge_id, looked)
            if figure is not None:
                self.figures[edge_id] = figure
                self.grid.put(edge_id, figure.bounds)
                self.hairlines[edge_id] = hairlines_of(figure)
            if count % _STRIDE == 0:
                yield
        self.complete = True


class Slices(QObject):
    """Takes the steps of some work in slices of a few milliseconds, between what the window has to do; then `done`."""

    def __init__(
        self, work: Iterator[None], done: Callable[[], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._work = work
        self._done = done
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._slice)
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()
        self.deleteLater()

    def _slice(self) -> None:
        watch = QElapsedTimer()
        watch.start()
        for _ in self._work:
            if watch.elapsed() >= SLICE_MS:
                return
        self.stop()
        self._done()
