"""The reroute dots of wires: which points a wire runs through, and where a dot goes."""

from __future__ import annotations

from PySide6.QtCore import QPointF

from designer.canvas.drawing import routes
from designer.canvas.drawing.edge_item import Dot
from designer.canvas.drawing.figures import Figure, Wire
from designer.canvas.drawing.geometry import Topology
from designer.canvas.drawing.strokes import on_path, path_distance
from designer.model.design import Design, Points, Position
from designer.model.edits.dots import key_of


def wire_key(topology: Topology, dot: Dot) -> str:
    """Return the key under which a design has the points of a dot's wire."""
    edge = topology.edges.get(dot.edge)
    if edge is None:
        return ""
    return key_of(edge, dot.source, dot.target, dot.way)


def points_of(design: Design, topology: Topology, dot: Dot) -> Points:
    """Return all points of a dot's wire, in order."""
    lines = design.dots.get(dot.edge, {})
    return lines.get(wire_key(topology, dot), ())


def with_point(points: Points, place: int, point: Position) -> Points:
    """Return the points with one more before a place in their order."""
    return (*points[:place], point, *points[place:])


def with_moved_point(points: Points, place: int, point: Position) -> Points:
    """Return the points with another one at a place in their order."""
    return (*points[:place], point, *points[place + 1 :])


def without_point(points: Points, place: int) -> Points:
    """Return the points without the one at a place in their order."""
    return (*points[:place], *points[place + 1 :])


def whole_wires(figure: Figure | None) -> list[Wire]:
    """Return the wires from node to node: not the parts that several of them share."""
    if figure is None:
        return []
    return [wire for wire in figure.wires if wire.source and wire.target]


def new_dot_near(
    figure: Figure | None, point: QPointF, reach: float
) -> tuple[Dot, Position] | None:
    """Return the dot that the wire at a point would get there, and its place on the
    wire.

    None where there is no wire within `reach`, or only a part that several wires share.
    """
    wires = whole_wires(figure)
    if figure is None or not wires:
        return None
    wire = min(wires, key=lambda wire: path_distance(wire.path, point))
    if path_distance(wire.path, point) > reach:
        return None
    place = on_path(wire.path, point)
    dot = Dot(figure.id, wire.source, wire.target, wire.way, _leg_near(wire, point))
    return dot, (round(place.x()), round(place.y()))


def _leg_near(wire: Wire, point: QPointF) -> int:
    """Return which leg of a wire between its dots is the nearest."""
    if not wire.dots:
        return 0
    distances = [path_distance(leg, point) for leg in routes.legs(wire.path)]
    return distances.index(min(distances))
