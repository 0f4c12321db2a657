"""Wires as places for a node: which wire takes a node that is dropped on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF

from designer.canvas.drawing.figures import Wire
from designer.canvas.drawing.strokes import path_distance
from designer.model.edits import Way
from runtime.document.definition import EdgeDefinition

if TYPE_CHECKING:
    from designer.canvas.drawing.scene import CanvasScene

# Whether a wire of an edge group takes the node in question.
Fits = Callable[[EdgeDefinition, Way], bool]
AROUND = 8.0  # how far beside its wire the middle of a node may be, in scene pixels


@dataclass(frozen=True, slots=True)
class Spot:
    """A wire that takes a node."""

    edge: str
    way: Way
    wire: Wire


def spot_at(scene: CanvasScene, point: QPointF, fits: Fits) -> Spot | None:
    """Return the nearest wire around a point that fits, or None."""
    area = QRectF(point.x() - AROUND, point.y() - AROUND, 2 * AROUND, 2 * AROUND)
    nearest = AROUND
    spot: Spot | None = None
    for figure in scene.edges.near(area):
        edge = scene.topology.edges[figure.id]
        for wire in figure.wires:
            distance = path_distance(wire.path, point)
            way = Way(wire.source, wire.target, wire.way)
            if distance <= nearest and fits(edge, way):
                nearest = distance
                spot = Spot(figure.id, way, wire)
    return spot


def spot_of(scene: CanvasScene, edge: str) -> Spot | None:
    """Return where the keyboard splices a node into an edge group.

    That is the only wire of a plain edge, or the part that all wires of a group share.
    """
    figure = scene.figure(edge)
    if figure is None:
        return None
    shared = [wire for wire in figure.wires if not (wire.source and wire.target)]
    wire = (shared or figure.wires)[0]
    return Spot(edge, Way(wire.source, wire.target, wire.way), wire)
