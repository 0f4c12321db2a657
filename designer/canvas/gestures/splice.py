"""A loose node over a wire goes into it: which wire that would be, and how it is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath

from designer.canvas.drawing.figures import Wire
from designer.canvas.drawing.strokes import path_distance
from designer.model.edge_kinds import kind_of
from designer.model.edits import Way, ends
from runtime.document.definition import EdgeDefinition, NodeInfo

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView

Fits = Callable[[EdgeDefinition, Way], bool]
AROUND = 8.0  # how far beside its wire the middle of a node may be, in scene pixels


@dataclass(frozen=True, slots=True)
class Spot:
    """A wire that takes a node."""

    edge: str
    way: Way
    wire: Wire


class Splicing:
    """`spot` is the wire that is lit while something is dragged over it."""

    def __init__(self, view: CanvasView) -> None:
        self.view = view
        self.spot: Spot | None = None
        self._rect = QRectF()

    def over(self, rect: QRectF, fits: Fits) -> None:
        """Something that would stand in this rectangle is dragged: light the wire that takes it."""
        self._rect = rect
        self._light(self._find(rect.center(), fits))

    def clear(self) -> None:
        self._light(None)

    def take(self) -> Spot | None:
        """The lit wire, which goes out."""
        spot = self.spot
        self.clear()
        return spot

    def _light(self, spot: Spot | None) -> None:
        old = self.spot
        self.spot = spot
        edges = self.view.scene().edges
        if (old and (old.edge, old.way)) != (spot and (spot.edge, spot.way)):
            edges.repaint([one.edge for one in (old, spot) if one is not None])
            if spot is not None:
                words = "Let go to put it into this wire; with Alt it is only put down"
            else:
                words = ""
            self.view.status.emit(words)

    def _find(self, at: QPointF, fits: Fits) -> Spot | None:
        scene = self.view.scene()
        area = QRectF(at.x() - AROUND, at.y() - AROUND, 2 * AROUND, 2 * AROUND)
        best: tuple[float, Spot] | None = None
        for figure in scene.edges.near(area):
            for wire in figure.wires:
                away = path_distance(wire.path, at)
                if away <= (best[0] if best else AROUND):
                    way = Way(wire.source, wire.target, wire.way)
                    if fits(scene.topology.edges[figure.id], way):
                        best = (away, Spot(figure.id, way, wire))
        return best[1] if best else None

    # --- what fits ----------------------------------------------------------------------------------------------

    def fits_node(self, node: str) -> Fits:
        """A node that is there, for a wire that it has nothing to do with yet."""
        wiring = self.view.wiring()

        def fits(edge: EdgeDefinition, way: Way) -> bool:
            before, after, listed = _sides(edge, way)
            refused = [
                wiring.refusal(source, node, joined=listed and not way.source)
                for source in before
            ]
            refused += [
                wiring.refusal(node, target, joined=listed and bool(way.source))
                for target in after
            ]
            return not any(refused)

        return fits

    def fits_type(self, info: NodeInfo | None) -> Fits:
        """A new node of a type."""
        wiring = self.view.wiring()

        def fits(edge: EdgeDefinition, way: Way) -> bool:
            before, after, _ = _sides(edge, way)
            if info is None:
                return True
            first = all(wiring.fits_type(source, "out", info) for source in before)
            return first and all(
                wiring.fits_type(target, "in", info) for target in after
            )

        return fits

    def of_edge(self, edge: str) -> Spot | None:
        """Where the keyboard splices: the only wire of a plain edge, the part that all wires of a group share."""
        figure = self.view.scene().figure(edge)
        if figure is None:
            return None
        shared = [
            wire for wire in figure.wires if not (wire.source and wire.target)
        ] or list(figure.wires)
        wire = shared[0]
        return Spot(edge, Way(wire.source, wire.target, wire.way), wire)

    def paint(self, painter: QPainter) -> None:
        """Over the lit wire, but not over what is dragged."""
        if self.spot is None:
            return
        beside = QPainterPath()
        beside.addRect(
            self.spot.wire.path.controlPointRect()
            .united(self._rect)
            .adjusted(-8, -8, 8, 8)
        )
        beside.addRect(self._rect)  # what is inside of both is outside
        painter.save()
        painter.setClipPath(beside, Qt.ClipOperation.IntersectClip)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        painter.setPen(self.view.scene().style_.pen("accent", 3))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(self.spot.wire.path)
        painter.restore()


def is_loose(view: CanvasView, node: str) -> bool:
    return not view.scene().topology.touching.get(node)


def _sides(
    edge: EdgeDefinition, way: Way
) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """What would send to the node and what it would send to; and whether a join's list is among that."""
    before = (way.source,) if way.source else ends.sources(edge)
    after = (way.target,) if way.target else ends.targets(edge)
    return before, after, kind_of(edge).waits
