"""The organic layout of one connected graph: edges pull, nodes push. Edges may run any way, to the right for choice.

Own steps of Fruchterman and Reingold: those of networkx need numpy, and SciPy for large graphs, and know no size of a
box. They begin at a radial drawing of a tree through the graph, which has no crossings for the steps to undo.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from designer.model.layout.spacing import Corner, Size, apart

LENGTH = 230.0  # how long an edge wants to be
_TURNS = 120
# pairs that may push each other, over all turns; keeps 5,000 nodes within a few seconds
_WORK = 2_500_000
_ONWARD = 1.5 * LENGTH  # how strongly a target is drawn to the right of its source
_REACH = 2  # how many lengths the push of a node is felt


def organic(sizes: Sequence[Size], edges: Sequence[tuple[int, int]]) -> list[Corner]:
    """The top left corner of each box. Edges are pairs of positions in `sizes`, of any connected multigraph."""
    count = len(sizes)
    pairs = list(dict.fromkeys(edge for edge in edges if edge[0] != edge[1]))
    beside: list[list[int]] = [[] for _ in range(count)]
    for one, other in pairs:
        beside[one].append(other)
        beside[other].append(one)
    centres = _turned(_radial(beside), pairs)
    turn = 0
    turns = _TURNS if count > 2 else 0
    while turn < turns:
        pushed = _step(centres, pairs, LENGTH * 0.5 * (1 - turn / turns))
        turn += 1
        turns = max(1, min(turns, _WORK // (pushed + 1)))
    # Boxes are wider than high: the drawing is made so, too.
    corners = [
        (x * 1.25 - w / 2, y * 0.8 - h / 2)
        for (x, y), (w, h) in zip(centres, sizes, strict=True)
    ]
    return apart(corners, sizes)


# --- where it begins ----------------------------------------------------------------------------------------------


def _radial(beside: Sequence[Sequence[int]]) -> list[list[float]]:
    """A tree through the graph in rings: each node in the sector that its parent gives it, as wide as it has leaves."""
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
    """A ring is a length away from the one inside it, and has room for all that stand on it."""
    radii = [0.0]
    for depth in range(1, len(rings)):
        radii.append(max(radii[-1] + LENGTH, rings[depth] * LENGTH * 0.8 / math.tau))
    return radii


def _tree(beside: Sequence[Sequence[int]]) -> tuple[list[int], list[list[int]]]:
    """A breadth-first walk from the node in the middle of a longest way: the rings are as few as they can be."""
    children: list[list[int]] = [[] for _ in beside]
    if not beside:
        return [], children
    parents = _walk(beside, 0)
    far = list(parents)[-1]
    parents = _walk(beside, far)
    way = [list(parents)[-1]]
    while parents[way[-1]] >= 0:
        way.append(parents[way[-1]])
    parents = _walk(beside, way[len(way) // 2])
    for node, parent in parents.items():
        if parent >= 0:
            children[parent].append(node)
    return list(parents), children


def _walk(beside: Sequence[Sequence[int]], root: int) -> dict[int, int]:
    """Each node's parent, in the order of the walk."""
    parents = {root: -1}
    waiting = [root]
    for node in waiting:
        for other in beside[node]:
            if other not in parents:
                parents[other] = node
                waiting.append(other)
    return parents


def _turned(
    centres: list[list[float]], pairs: Sequence[tuple[int, int]]
) -> list[list[float]]:
    """The drawing turned so that its edges, taken together, run to the right: ports are at the sides of nodes."""
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
    """Every node goes where it is pulled and pushed, at most so far. Return how many pairs pushed each other."""
    forces, pushed = _pushes(centres)
    for one, other in pairs:
        dx = centres[other][0] - centres[one][0]
        dy = centres[other][1] - centres[one][1]
        pull = math.hypot(dx, dy) / LENGTH
        forces[one][0] += dx * pull - _ONWARD
        forces[one][1] += dy * pull
        forces[other][0] -= dx * pull - _ONWARD
        forces[other][1] -= dy * pull
    for centre, (fx, fy) in zip(centres, forces, strict=True):
        length = math.hypot(fx, fy)
        if length > 0:
            centre[0] += fx * min(length, most) / length
            centre[1] += fy * min(length, most) / length
    return pushed


def _pushes(centres: Sequence[Sequence[float]]) -> tuple[list[list[float]], int]:
    """Of nodes that are near: farther ones hardly matter, and asking them would cost the square of all."""
    reach = _REACH * LENGTH
    cells: dict[tuple[int, int], list[int]] = {}
    for number, (x, y) in enumerate(centres):
        cells.setdefault((int(x // reach), int(y // reach)), []).append(number)
    forces = [[0.0, 0.0] for _ in centres]
    pushed = 0
    for (column, row), here in cells.items():
        later = [
            n
            for cell in _LATER
            for n in cells.get((column + cell[0], row + cell[1]), ())
        ]
        for at, one in enumerate(here):
            others = [*here[at + 1 :], *later]
            pushed += len(others)
            for other in others:
                _push(centres, forces, one, other)
    return forces, pushed


# of the cells around, those that each pair is met in once
_LATER = ((1, -1), (1, 0), (1, 1), (0, 1))


def _push(
    centres: Sequence[Sequence[float]],
    forces: Sequence[list[float]],
    one: int,
    other: int,
) -> None:
    dx = centres[other][0] - centres[one][0]
    dy = centres[other][1] - centres[one][1]
    square = dx * dx + dy * dy
    if square > (_REACH * LENGTH) ** 2:
        return
    if square < 1.0:  # on one point: any direction, but always the same
        dx = math.cos(one + other)
        dy = math.sin(one + other)
        square = 1.0
    push = LENGTH * LENGTH / square
    forces[one][0] -= dx * push
    forces[one][1] -= dy * push
    forces[other][0] += dx * push
    forces[other][1] += dy * push
