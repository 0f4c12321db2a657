"""Dots that a wire runs through: layout, not logic, so that no run and no signature
knows them.

A wire is named by its edge and, among the wires of that, by the end that the group has
many of: the source for a join, the number of the case for a switch (0 for its default),
else the target.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from designer.model.design import Design, Points, Position
from designer.model.edge_kinds import Way, kind_of
from designer.model.errors import EditError
from designer.model.layout.arrange import NODE_SIZE
from runtime.document.definition import EdgeDefinition

# Dots on one wire: more than a person draws. A paste of thousands would make every
# frame slow.
MOST = 100
Pair = tuple[str, str]
Lines = Mapping[str, Points]


def key_of(edge: EdgeDefinition, source: str, target: str, number: int) -> str:
    """Return the name of a wire among those of its edge; empty for the part that all
    share, which has no dots.
    """
    if not (source and target):
        return ""
    return kind_of(edge).wire_name(Way(source, target, number))


def wires(edge: EdgeDefinition) -> dict[str, Pair]:
    """Return the ends of each wire by its name, in the order of the definition."""
    kind = kind_of(edge)
    return {kind.wire_name(way): (way.source, way.target) for way in kind.wires(edge)}


def set_dots(
    design: Design, edge_id: str, wire: str, points: Sequence[Position]
) -> Design:
    """Lead a wire through these points; through none it runs by itself.

    Raise `EditError` where there is no such wire.
    """
    edge = _by_id(design).get(edge_id)
    if edge is None or wire not in wires(edge):
        text = (
            f"There is no such wire of '{edge_id}' any more. "
            "Choose a wire that is there."
        )
        raise EditError(text, edge_id)
    if len(points) > MOST:
        text = f"A wire has at most {MOST} dots. Remove one before you add another."
        raise EditError(text, edge_id)
    if not all(math.isfinite(x) and math.isfinite(y) for x, y in points):
        raise EditError("This is no place for a dot: drag it onto the canvas.", edge_id)
    lines = {**design.dots.get(edge_id, {}), wire: tuple(points)}
    return replace(design, dots=_with_lines(design.dots, edge_id, lines))


def _with_lines(
    dots: Mapping[str, Lines], edge_id: str, lines: Lines
) -> dict[str, Lines]:
    """Return the dots with other ones for an edge; wires without dots are left out."""
    changed = {key: value for key, value in dots.items() if key != edge_id}
    with_points = {wire: points for wire, points in lines.items() if points}
    if with_points:
        changed[edge_id] = with_points
    return changed


def without_dots(design: Design, nodes: Collection[str]) -> Design:
    """Remove the dots of wires that have an end among these nodes, because a layout
    leads those wires again.
    """
    if not design.dots:
        return design
    edges = _by_id(design)
    moved = set(nodes)
    dots: Mapping[str, Lines] = design.dots
    for edge_id, lines in design.dots.items():
        pairs = wires(edges[edge_id]) if edge_id in edges else {}
        remaining = {
            wire: points
            for wire, points in lines.items()
            if moved.isdisjoint(pairs.get(wire, ()))
        }
        dots = _with_lines(dots, edge_id, remaining)
    return replace(design, dots=dots) if dots != design.dots else design


def moved_along(
    lines: Lines, edge: EdgeDefinition, shifts: Mapping[str, Position]
) -> Lines:
    """Return the dots of an edge after nodes moved by `shifts`: those of a wire follow
    if both its ends go one way.
    """
    pairs = wires(edge)
    moved = dict(lines)
    for wire, points in lines.items():
        source, target = pairs.get(wire, ("", ""))
        shift = shifts.get(source)
        if shift is not None and shift == shifts.get(target) and shift != (0, 0):
            moved[wire] = _shifted(points, shift)
    return moved


def _shifted(points: Points, shift: Position) -> Points:
    return tuple((x + shift[0], y + shift[1]) for x, y in points)


def with_moved_dots(before: Design, after: Design) -> Design:
    """Return `after`, in which nodes are elsewhere than in `before`, with the dots that
    follow them.
    """
    if not after.dots or after.positions is before.positions:
        return after
    edges = _by_id(after)
    shifts: dict[str, Position] = {}
    for node, (x, y) in after.positions.items():
        if node in before.positions:
            old_x, old_y = before.positions[node]
            shifts[node] = (x - old_x, y - old_y)
    dots: dict[str, Lines] = {}
    for edge_id, lines in after.dots.items():
        if edge_id in edges:
            dots[edge_id] = moved_along(lines, edges[edge_id], shifts)
        else:
            dots[edge_id] = lines
    return replace(after, dots=dots) if dots != after.dots else after


def _by_id(design: Design) -> dict[str, EdgeDefinition]:
    return {edge.id: edge for edge in design.workflow.edges}


# --- other edges --------------------------------------------------------------------------------------------------


def followed(before: Design, after: Design) -> Design:
    """Return `after`, which an edit made of `before`, with the dots of each wire where
    it is after the edit.

    That is under another edge if the wire became part of one, and nowhere if the wire
    is gone. Dots that the edit itself set stay, and so do those that a file has for no
    wire.
    """
    if not after.dots or after.workflow.edges is before.workflow.edges:
        return after
    edges_before = _by_id(before)
    edges_after = _by_id(after)
    nodes = {node.id for node in after.workflow.nodes}
    dots: dict[str, dict[str, Points]] = {}
    for edge_id, lines in after.dots.items():
        old_edge = edges_before.get(edge_id)
        new_edge = edges_after.get(edge_id)
        old_lines = before.dots.get(edge_id, {})
        for wire, points in lines.items():
            place = (edge_id, wire)
            # Dots that differ from before were set by the edit itself.
            is_set = (
                new_edge is not None
                and wire in wires(new_edge)
                and points != old_lines.get(wire)
            )
            has_changed = (
                old_edge is not None
                and new_edge is not old_edge
                and wire in wires(old_edge)
            )
            if old_edge is not None and has_changed and not is_set:
                place = _place_after(old_edge, wire, edges_after, nodes)
            if place[0]:
                dots.setdefault(place[0], {}).setdefault(place[1], points)
    return replace(after, dots=dots) if dots != after.dots else after


def _place_after(
    edge: EdgeDefinition,
    wire: str,
    edges_after: Mapping[str, EdgeDefinition],
    nodes: Collection[str],
) -> tuple[str, str]:
    """Return the edge and the name of a wire after an edit; two empty texts where it is
    gone.
    """
    after = edges_after.get(edge.id)
    pair = wires(edge)[wire]
    if after is not None:
        name = (
            kind_of(edge).same_wire(edge, after, wire)
            or _between(after, pair, wire)
            or _renamed(edge, after, wire, nodes)
        )
        if name:
            return after.id, name
    # The wire may be part of another group, such as a fan-out that plain edges became.
    for other in edges_after.values():
        name = _between(other, pair, "")
        if name and other.id != edge.id:
            return other.id, name
    return "", ""


def _between(edge: EdgeDefinition, pair: Pair, wire: str) -> str:
    """Return the wire of an edge between these ends: `wire` if it is one of several,
    empty if there is none.
    """
    names = [name for name, ends in wires(edge).items() if ends == pair]
    if wire in names:
        return wire
    return names[0] if names else ""


def _renamed(
    edge: EdgeDefinition, after: EdgeDefinition, wire: str, nodes: Collection[str]
) -> str:
    """Return the same wire where a node at its end got another id."""
    old_wires = wires(edge)
    new_wires = wires(after)
    if edge.kind != after.kind or len(old_wires) != len(new_wires):
        return ""
    if set(old_wires[wire]) <= set(nodes):
        return ""
    return list(new_wires)[list(old_wires).index(wire)]


def parted(
    points: Points, start: Position, place: Position, end: Position
) -> tuple[Points, Points]:
    """Return the dots of a wire before and after a node that is put into it at `place`."""
    corners = (start, *points, end)
    distances = [_distance(place, a, b) for a, b in pairwise(corners)]
    nearest = distances.index(min(distances))
    return points[:nearest], points[nearest:]


def _distance(point: Position, a: Position, b: Position) -> float:
    """Return how far a point is from the line between two others."""
    dx = b[0] - a[0]
    dy = b[1] - a[1]
    square = dx * dx + dy * dy
    share = 0.0
    if square:
        along = (point[0] - a[0]) * dx + (point[1] - a[1]) * dy
        share = max(0.0, min(1.0, along / square))
    return math.hypot(a[0] + share * dx - point[0], a[1] + share * dy - point[1])


def spliced_dots(
    before: Design, after: Design, edge: EdgeDefinition, wire: str, node: str
) -> Design:
    """Return `after`, in which `node` was put into a wire of `before`, with the dots of
    that wire on both halves.
    """
    points = before.dots.get(edge.id, {}).get(wire, ())
    source, target = wires(edge).get(wire, ("", ""))
    if not points or not {source, target, node} <= after.positions.keys():
        return after
    start = _on_node(after.positions[source], 1.0)
    middle = _on_node(after.positions[node], 0.5)
    end = _on_node(after.positions[target], 0.0)
    first_half, second_half = parted(points, start, middle, end)
    lines = dict(after.dots.get(edge.id, {}))
    lines.pop(wire, None)
    dots = _with_lines(after.dots, edge.id, lines)
    halves = (((source, node), first_half), ((node, target), second_half))
    for pair, half in halves:
        for other in after.workflow.edges:
            name = _between(other, pair, wire)
            if name and half:
                lines = {**dots.get(other.id, {}), name: half}
                dots = _with_lines(dots, other.id, lines)
                break
    return replace(after, dots=dots)


def _on_node(corner: Position, share: float) -> Position:
    """Return a place on a node of the usual size, half way down and this share across."""
    return corner[0] + share * NODE_SIZE[0], corner[1] + NODE_SIZE[1] / 2


def copied_dots(
    dots: Mapping[str, Lines],
    edge: EdgeDefinition,
    copy: EdgeDefinition,
    names: Mapping[str, str],
    shift: Position,
) -> Lines:
    """Return the dots for a copy of an edge, whose nodes have the ids in `names` and
    are `shift` away.
    """
    pairs = wires(edge)
    copied_pairs = wires(copy)
    copied: dict[str, Points] = {}
    for wire, points in dots.get(edge.id, {}).items():
        source, target = pairs.get(wire, ("", ""))
        pair = (names.get(source, ""), names.get(target, ""))
        name = _same_place(edge, copy, wire)
        if copied_pairs.get(name) != pair:
            name = _between(copy, pair, "")
        if name:
            copied[name] = _shifted(points, shift)
    return copied


def _same_place(edge: EdgeDefinition, other: EdgeDefinition, wire: str) -> str:
    """Return the wire that is as far down in the order of a group of the same kind."""
    names = list(wires(edge))
    other_names = list(wires(other))
    place = names.index(wire) if wire in names else 0
    if edge.kind != other.kind or place >= len(other_names):
        return ""
    return other_names[place]
