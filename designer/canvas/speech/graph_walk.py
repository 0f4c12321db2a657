"""Where keys lead in the graph: to a connected node in a direction, else to the
nearest.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from designer.canvas.drawing.geometry import Box, Topology

STEPS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
# A node counts as in a direction when it is not more than so many times as far aside as
# ahead, and so many pixels.
CONE = 2.5
BESIDE = 20


def nearest(
    boxes: Mapping[str, Box],
    start: str,
    direction: str,
    among: Collection[str] | None = None,
) -> str:
    """Return the nearest node in a direction; "" when there is none.

    `among` limits where to look.
    """
    dx, dy = STEPS[direction]
    centre = boxes[start].rect.center()
    costs: list[tuple[float, str]] = []
    for key in boxes if among is None else among:
        if key == start:
            continue
        away = boxes[key].rect.center() - centre
        ahead = away.x() * dx + away.y() * dy
        aside = abs(away.x() * dy) + abs(away.y() * dx)
        if ahead > 1 and aside <= ahead * CONE + BESIDE:
            costs.append((ahead + 2 * aside, key))
    return min(costs)[1] if costs else ""


def neighbours(topology: Topology, node: str) -> tuple[set[str], set[str]]:
    """Return the nodes that send to a node, and those that it sends to."""
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
    """Return these nodes with all that come "before" them, "after" them, or that are
    "connected" to them, and the edge groups between.
    """
    reached = set(nodes)
    pending = list(nodes)
    while pending:
        before, after = neighbours(topology, pending.pop())
        linked = {"before": before, "after": after}.get(direction, before | after)
        fresh = linked - reached
        reached |= fresh
        pending += fresh
    touching: set[str] = set()
    for node in reached:
        touching |= topology.touching.get(node, frozenset())
    edges = {edge for edge in touching if topology.ends[edge] <= reached}
    return frozenset(reached | edges)


def walk(
    boxes: Mapping[str, Box], topology: Topology, start: str, direction: str
) -> str:
    """Return where an arrow key leads.

    Left and right follow wires first; up and down go to the neighbour on the screen.
    """
    before, after = neighbours(topology, start)
    linked = {"left": before, "right": after}.get(direction, set())
    target = nearest(boxes, start, direction, [key for key in linked if key in boxes])
    return target or nearest(boxes, start, direction)


def first(boxes: Mapping[str, Box]) -> str:
    """Return where walking begins: the leftmost, topmost node."""
    corners = {key: box.rect.topLeft().toTuple() for key, box in boxes.items()}
    return min(corners, key=lambda key: corners[key], default="")
