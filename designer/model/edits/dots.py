"""Dots that a wire runs through: layout, not logic, so that no run and no signature knows them.

A wire is named by its edge and, among the wires of that, by the end that the group has many of: the source for a join,
the number of the case for a switch (0 for its default), else the target.
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

# dots on one wire: more than anybody draws, and a paste of thousands would make every frame slow
MOST = 100
Pair = tuple[str, str]
Lines = Mapping[str, Points]


def key_of(edge: EdgeDefinition, source: str, target: str, number: int) -> str:
    """Return the name of a wire among those of its edge; empty for the part that all share, which has no dots."""
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
    """A wire through other points; through none it runs as it is led. Raises `EditError` where there is none such."""
    edge = next((edge for edge in design.workflow.edges if edge.id == edge_id), None)
    if edge is None or wire not in wires(edge):
        raise EditError(
            f"There is no such wire of '{edge_id}' any more. Choose a wire that is there.",
            edge_id,
        )
    if len(points) > MOST:
        raise EditError(
            f"A wire has at most {MOST} dots. Remove one before you add another.",
            edge_id,
        )
    if not all(map(math.isfinite, (value for at in points for value in at))):
        raise EditError("This is no place for a dot: drag it onto the canvas.", edge_id)
    return replace(
        design,
        dots=_with(
            design.dots, edge_id, {**design.dots.get(edge_id, {}), wire: tuple(points)}
        ),
    )


def _with(dots: Mapping[str, Lines], edge_id: str, lines: Lines) -> dict[str, Lines]:
    left = {wire: points for wire, points in lines.items() if points}
    rest = {key: value for key, value in dots.items() if key != edge_id}
    return {**rest, edge_id: left} if left else rest


def without_dots(design: Design, nodes: Collection[str]) -> Design:
    """Without the dots of wires that have an end among these nodes: who lays those out leads their wires anew."""
    if not design.dots:
        return design
    edges = _by_id(design)
    ids = set(nodes)
    dots: Mapping[str, Lines] = design.dots
    for edge_id, lines in design.dots.items():
        ends = wires(edges[edge_id]) if edge_id in edges else {}
        dots = _with(
            dots,
            edge_id,
            {key: at for key, at in lines.items() if ids.isdisjoint(ends.get(key, ()))},
        )
    return replace(design, dots=dots) if dots != design.dots else design


def moved_along(
    lines: Lines, edge: EdgeDefinition, shifts: Mapping[str, Position]
) -> Lines:
    """The dots of an edge after nodes moved by `shifts`: those of a wire follow when both its ends go the same way."""
    ends = wires(edge)
    found = dict(lines)
    for key, points in lines.items():
        source, target = ends.get(key, ("", ""))
        shift = shifts.get(source)
        if shift is not None and shift == shifts.get(target) and shift != (0, 0):
            found[key] = tuple((x + shift[0], y + shift[1]) for x, y in points)
    return found


def with_moved_dots(old: Design, new: Design) -> Design:
    """`new`, in which nodes of `old` stand elsewhere, with the dots that follow them."""
    if not new.dots or new.positions is old.positions:
        return new
    edges = _by_id(new)
    shifts = {
        node: (x - old.positions[node][0], y - old.positions[node][1])
        for node, (x, y) in new.positions.items()
        if node in old.positions
    }
    dots = {
        key: moved_along(lines, edges[key], shifts) if key in edges else lines
        for key, lines in new.dots.items()
    }
    return replace(new, dots=dots) if dots != new.dots else new


def _by_id(design: Design) -> dict[str, EdgeDefinition]:
    return {edge.id: edge for edge in design.workflow.edges}


# --- other edges --------------------------------------------------------------------------------------------------


def followed(old: Design, new: Design) -> Design:
    """`new`, which an edit made of `old`, with dots where their wires are now: under another edge if they became part
    of one, nowhere if they are gone. What the edit said of dots itself, and what a file says of no wire, stays.
    """
    if not new.dots or new.workflow.edges is old.workflow.edges:
        return new
    before = _by_id(old)
    after = _by_id(new)
    nodes = {node.id for node in new.workflow.nodes}
    found: dict[str, dict[str, Points]] = {}
    for edge_id, lines in new.dots.items():
        was = before.get(edge_id)
        now = after.get(edge_id)
        drawn = old.dots.get(edge_id, {})
        for key, points in lines.items():
            spot = (edge_id, key)
            said = now is not None and key in wires(now) and points != drawn.get(key)
            if was is not None and now is not was and key in wires(was) and not said:
                spot = _place_of(was, key, after, nodes)
            if spot[0]:
                found.setdefault(spot[0], {}).setdefault(spot[1], points)
    return replace(new, dots=found) if found != new.dots else new


def _place_of(
    was: EdgeDefinition,
    key: str,
    after: Mapping[str, EdgeDefinition],
    nodes: Collection[str],
) -> tuple[str, str]:
    """Where a wire is after an edit; two empty strings for nowhere."""
    now = after.get(was.id)
    pair = wires(was)[key]
    if now is not None:
        same = (
            kind_of(was).same_wire(was, now, key)
            or _with_ends(now, pair, key)
            or _renamed(was, now, key, nodes)
        )
        if same:
            return now.id, same
    for edge in after.values():
        other = _with_ends(edge, pair, "")
        if other and edge.id != was.id:
            return edge.id, other
    return "", ""


def _with_ends(edge: EdgeDefinition, pair: Pair, key: str) -> str:
    """The wire of an edge between these ends; `key` if it is one of them."""
    there = [name for name, ends in wires(edge).items() if ends == pair]
    return key if key in there else there[0] if there else ""


def _renamed(
    was: EdgeDefinition, now: EdgeDefinition, key: str, nodes: Collection[str]
) -> str:
    """The same wire where a node at its end is called otherwise now."""
    old = wires(was)
    new = wires(now)
    if was.kind != now.kind or len(old) != len(new) or set(old[key]) <= set(nodes):
        return ""
    return list(new)[list(old).index(key)]


def parted(
    points: Points, start: Position, place: Position, end: Position
) -> tuple[Points, Points]:
    """The dots of a wire before and after a node that is put into it at `place`."""
    way = (start, *points, end)
    lengths = [_distance(place, a, b) for a, b in pairwise(way)]
    at = lengths.index(min(lengths))
    return points[:at], points[at:]


def _distance(at: Position, a: Position, b: Position) -> float:
    dx = b[0] - a[0]
    dy = b[1] - a[1]
    square = dx * dx + dy * dy
    if square:
        share = max(0.0, min(1.0, ((at[0] - a[0]) * dx + (at[1] - a[1]) * dy) / square))
    else:
        share = 0.0
    return math.hypot(a[0] + share * dx - at[0], a[1] + share * dy - at[1])


def spliced_dots(
    old: Design, new: Design, edge: EdgeDefinition, wire: str, node: str
) -> Design:
    """`new`, in which `node` was put into a wire of `old`, with the dots of that wire on both halves."""
    points = old.dots.get(edge.id, {}).get(wire, ())
    source, target = wires(edge).get(wire, ("", ""))
    if not points or not {source, target, node} <= new.positions.keys():
        return new
    start, middle, end = (
        _on(new.positions[key], share)
        for key, share in ((source, 1.0), (node, 0.5), (target, 0.0))
    )
    halves = parted(points, start, middle, end)
    dots = _with(
        new.dots,
        edge.id,
        {key: at for key, at in new.dots.get(edge.id, {}).items() if key != wire},
    )
    for pair, half in zip(((source, node), (node, target)), halves, strict=True):
        for other in new.workflow.edges:
            key = _with_ends(other, pair, wire)
            if key and half:
                dots = _with(dots, other.id, {**dots.get(other.id, {}), key: half})
                break
    return replace(new, dots=dots)


def _on(corner: Position, share: float) -> Position:
    """A place on a node of the usual size, half way down, so far across."""
    return corner[0] + share * NODE_SIZE[0], corner[1] + NODE_SIZE[1] / 2


def copied_dots(
    dots: Mapping[str, Lines],
    old: EdgeDefinition,
    new: EdgeDefinition,
    names: Mapping[str, str],
    shift: Position,
) -> Lines:
    """The dots of a copy of an edge, whose nodes are called by `names` and stand `shift` away."""
    ends = wires(new)
    found = dict[str, Points]()
    for key, points in dots.get(old.id, {}).items():
        source, target = wires(old).get(key, ("", ""))
        pair = (names.get(source, ""), names.get(target, ""))
        if ends.get(_same_place(old, new, key)) == pair:
            there = _same_place(old, new, key)
        else:
            there = _with_ends(new, pair, "")
        if there:
            found[there] = tuple((x + shift[0], y + shift[1]) for x, y in points)
    return found


def _same_place(old: EdgeDefinition, new: EdgeDefinition, key: str) -> str:
    """The wire that is as far down in the order of a group of the same kind."""
    place = list(wires(old)).index(key) if key in wires(old) else 0
    there = list(wires(new))
    return there[place] if old.kind == new.kind and place < len(there) else ""
