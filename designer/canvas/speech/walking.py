"""Walking the graph with the arrow keys: to a connected node in that direction, else to the nearest one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from designer.canvas.drawing.geometry import Box, Topology

STEPS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}


def nearest(
    boxes: Mapping[str, Box],
    here: str,
    direction: str,
    among: Collection[str] | None = None,
) -> str:
    """The nearest node in a quarter plane; `among` limits where to look. Empty when there is none."""
    dx, dy = STEPS[direction]
    at = boxes[here].rect.center()
    best: tuple[float, str] | None = None
    for key in boxes if among is None else among:
        if key == here:
            continue
        away = boxes[key].rect.center() - at
        ahead = away.x() * dx + away.y() * dy
        aside = abs(away.x() * dy) + abs(away.y() * dx)
        if ahead > 1 and aside <= ahead * 2.5 + 20:
            cost = (ahead + 2 * aside, key)
            best = min(best, cost) if best is not None else cost
    return best[1] if best is not None else ""


def neighbours(topology: Topology, node: str) -> tuple[set[str], set[str]]:
    """(those that send to it, those that it sends to)"""
    before: set[str] = set()
    after: set[str] = set()
    for edge in topology.touching.get(node, ()):
        for source, target in topology.edges[edge].pairs:
            if target == node:
                before.add(source)
            if source == node:
                after.add(target)
    return before, after


def reach(topology: Topology, nodes: Collection[str], direction: str) -> frozenset[str]:
    """These nodes with all that messages to them come from ("before"), go to ("after"), or both ("connected"), and the
    edge groups between.
    """
    found = set(nodes)
    open_ = list(nodes)
    while open_:
        before, after = neighbours(topology, open_.pop())
        new = {"before": before, "after": after}.get(direction, before | after) - found
        found |= new
        open_ += new
    touching = {edge for node in found for edge in topology.touching.get(node, ())}
    return frozenset(
        found | {edge for edge in touching if topology.ends[edge] <= found}
    )


def walk(
    boxes: Mapping[str, Box], topology: Topology, here: str, direction: str
) -> str:
    """Where an arrow key leads. Left and right follow wires first, up and down the neighbours on the screen."""
    before, after = neighbours(topology, here)
    linked = {"left": before, "right": after}.get(direction, before | after)
    if direction in ("left", "right"):
        found = nearest(boxes, here, direction, [key for key in linked if key in boxes])
        if found:
            return found
    return nearest(boxes, here, direction)


def first(boxes: Mapping[str, Box], ids: Iterable[str] = ()) -> str:
    """Where walking begins: the leftmost, topmost node."""
    known = [key for key in ids if key in boxes] or list(boxes)
    return min(
        known, key=lambda key: (boxes[key].rect.x(), boxes[key].rect.y()), default=""
    )
