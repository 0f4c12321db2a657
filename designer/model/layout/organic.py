"""The organic layout of one connected graph: edges pull, nodes push. Edges may run any
way, and prefer the right.

Own steps of Fruchterman and Reingold: those of networkx need numpy, and SciPy for large
graphs, and know no size of a box. They begin at a radial drawing of a tree through the
graph, which has no crossings for the steps to undo.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from designer.model.layout.spacing import Corner, Size, apart

LENGTH = 230.0  # how long an edge wants to be
_TURNS = 120
# Pairs that may push each other, over all turns. It keeps 5,000 nodes within a few
# seconds.
_WORK = 2_500_000
_ONWARD = 1.5 * LENGTH  # how strongly a target is pulled to the right of its source
_REACH = 2  # how many lengths the push of a node reaches


def organic(sizes: Sequence[Size], edges: Sequence[tuple[int, int]]) -> list[Corner]:
    """Return the top left corner of each box. Edges are pairs of positions in `sizes`,
    of any connected multigraph.
    """
    count = len(sizes)
    pairs = list(dict.fromkeys(edge for edge in edges if edge[0] != edge[1]))
    beside: list[list[int]] = [[] for _ in range(count)]
    for source, target in pairs:
        beside[source].append(target)
        beside[target].append(source)
    centres = _turned(_radial(beside), pairs)
    turn = 0
    turns = _TURNS if count > 2 else 0
    while turn < turns:
        pushed = _step(centres, pairs, LENGTH * 0.5 * (1 - turn / turns))
        turn += 1
        turns = max(1, min(turns, _WORK // (pushed + 1)))
    # Boxes are wider than high, so the drawing is made wider too.
    corners = [
        (x * 1.25 - w / 2, y * 0.8 - h / 2)
        for (x, y), (w, h) in zip(centres, sizes, strict=True)
    ]
    return apart(corners, sizes)


# --- where it begins ----------------------------------------------------------------------------------------------


def _radial(beside: Sequence[Sequence[int]]) -> list[list[float]]:
    """Return a tree through the graph in rings.

    Each node is in the sector that its parent gives it, as wide as it has leaves.
    """
    order, children = _tree(beside)
    leaves = [1] * len(beside)
    for node in reversed(order):
        leaves[node] = sum(leaves[child] for child in children[node]) or 1
    depth = [0] * len(beside)
    for node in order:
        for child in children[node]:
            depth[child] = depth[node] + 1
    radii = _radii(Counter(depth))
    centres = [[0.0, 0.0] for _ in beside]
    sector = [(0.0, math.tau)] * len(beside)
    for node in order:
        begin, width = sector[node]
        for child in children[node]:
            share = width * leaves[child] / leaves[node]
            sector[child] = (begin, share)
            angle = begin + share / 2
            radius = radii[depth[child]]
            centres[child] = [radius * math.cos(angle), radius * math.sin(angle)]
            begin += share
    return centres


def _radii(rings: Mapping[int, int]) -> list[float]:
    """Return the radius of each ring: a length more than the one inside it, with room
    for all nodes on it.
    """
    radii = [0.0]
    for depth in range(1, len(rings)):
        radii.append(max(radii[-1] + LENGTH, rings[depth] * LENGTH * 0.8 / math.tau))
    return radii


def _tree(beside: Sequence[Sequence[int]]) -> tuple[list[int], list[list[int]]]:
    """Return a breadth-first walk and the children of each node.

    It begins at the node in the middle of a longest way, so that there are as few rings
    as possible.
    """
    children: list[list[int]] = [[] for _ in beside]
    if not beside:
        return [], children
    farthest = list(_walk(beside, 0))[-1]
    parents = _walk(beside, farthest)
    longest_way = [list(parents)[-1]]
    while parents[longest_way[-1]] >= 0:
        longest_way.append(parents[longest_way[-1]])
    middle = longest_way[len(longest_way) // 2]
    parents = _walk(beside, middle)
    for node, parent in parents.items():
        if parent >= 0:
            children[parent].append(node)
    return list(parents), children


def _walk(beside: Sequence[Sequence[int]], root: int) -> dict[int, int]:
    """Return each node's parent, in the order of the walk."""
    parents = {root: -1}
    pending = [root]
    for node in pending:
        for other in beside[node]:
            if other not in parents:
                parents[other] = node
                pending.append(other)
    return parents


def _turned(
    centres: list[list[float]], pairs: Sequence[tuple[int, int]]
) -> list[list[float]]:
    """Return the drawing turned so that its edges, taken together, run to the right.

    The ports of nodes are at their sides.
    """
    x = sum(centres[target][0] - centres[source][0] for source, target in pairs)
    y = sum(centres[target][1] - centres[source][1] for source, target in pairs)
    length = math.hypot(x, y)
    if length < 1.0:
        return centres
    cosine = x / length
    sine = y / length
    return [[cosine * a + sine * b, cosine * b - sine * a] for a, b in centres]


# --- the steps ----------------------------------------------------------------------------------------------------


def _step(
    centres: list[list[float]], pairs: Sequence[tuple[int, int]], most: float
) -> int:
    """Move every node where it is pulled and pushed, at most by `most`. Return how many
    pairs pushed each other.
    """
    forces, pushed = _pushes(centres)
    for source, target in pairs:
        dx = centres[target][0] - centres[source][0]
        dy = centres[target][1] - centres[source][1]
        pull = math.hypot(dx, dy) / LENGTH
        forces[source][0] += dx * pull - _ONWARD
        forces[source][1] += dy * pull
        forces[target][0] -= dx * pull - _ONWARD
        forces[target][1] -= dy * pull
    for centre, (fx, fy) in zip(centres, forces, strict=True):
        length = math.hypot(fx, fy)
        if length > 0:
            centre[0] += fx * min(length, most) / length
            centre[1] += fy * min(length, most) / length
    return pushed


def _pushes(centres: Sequence[Sequence[float]]) -> tuple[list[list[float]], int]:
    """Return how nodes push each other, and how many pairs did.

    Only near pairs count: farther ones hardly matter, and all pairs would cost the
    square of the nodes.
    """
    reach = _REACH * LENGTH
    cells: dict[tuple[int, int], list[int]] = {}
    for number, (x, y) in enumerate(centres):
        cells.setdefault((int(x // reach), int(y // reach)), []).append(number)
    forces = [[0.0, 0.0] for _ in centres]
    pushed = 0
    for (column, row), nodes in cells.items():
        later = [
            node
            for across, down in _LATER
            for node in cells.get((column + across, row + down), ())
        ]
        for place, node in enumerate(nodes):
            others = [*nodes[place + 1 :], *later]
            pushed += len(others)
            for other in others:
                _push(centres, forces, node, other)
    return forces, pushed


# The cells around a cell in which each pair is met once.
_LATER = ((1, -1), (1, 0), (1, 1), (0, 1))


def _push(
    centres: Sequence[Sequence[float]],
    forces: Sequence[list[float]],
    node: int,
    other: int,
) -> None:
    dx = centres[other][0] - centres[node][0]
    dy = centres[other][1] - centres[node][1]
    square = dx * dx + dy * dy
    if square > (_REACH * LENGTH) ** 2:
        return
    if square < 1.0:
        # On one point: any direction, but always the same.
        dx = math.cos(node + other)
        dy = math.sin(node + other)
        square = 1.0
    push = LENGTH * LENGTH / square
    forces[node][0] -= dx * push
    forces[node][1] -= dy * push
    forces[other][0] += dx * push
    forces[other][1] += dy * push
