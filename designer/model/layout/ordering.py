"""Layers with few crossings: the middle of the layered layout (Sugiyama, Tagawa and Toda 1981).

Edges over several layers are cut into pieces by dummies, so that an order of each layer is an order of everything.
Sweeps put each item at the barycentre of its neighbours; swaps of neighbouring items then remove what the sweeps leave.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass

# Dummies per node and edge. Beyond, the longest edges get none: a chain of n nodes with n shortcuts needs n * n.
DUMMIES = 4
_SWEEPS = 24
_PATIENCE = 4
# Items times sweeps; keeps 5,000 nodes within a second or two.
_WORK = 400_000
# Swaps cost several sweeps; beyond this many items they are made less often.
_SMALL = 3000


@dataclass(slots=True)
class Layers:
    """Items are numbered: nodes first, then dummies. `up` and `down` are neighbours in the layers beside."""

    nodes: int
    layers: list[list[int]]
    up: list[list[int]]
    down: list[list[int]]

    def is_dummy(self, item: int) -> bool:
        return item >= self.nodes


def cut(ranks: Sequence[int], edges: Sequence[tuple[int, int]]) -> Layers:
    """Items of every layer, in the order of a depth-first walk: what belongs together starts together."""
    nodes = len(ranks)
    rank = list(ranks)
    up: list[list[int]] = [[] for _ in rank]
    down: list[list[int]] = [[] for _ in rank]
    left = DUMMIES * (nodes + len(edges))
    cuts = {edge: max(0, rank[edge[1]] - rank[edge[0]] - 1) for edge in edges}
    long = set()
    for edge in sorted(edges, key=lambda edge: cuts[edge]):
        left -= cuts[edge]
        if left < 0:
            long.add(edge)
    for edge in edges:
        if edge in long:
            continue
        before = edge[0]
        for level in range(rank[edge[0]] + 1, rank[edge[1]]):
            dummy = len(rank)
            rank.append(level)
            up.append([before])
            down.append([])
            down[before].append(dummy)
            before = dummy
        down[before].append(edge[1])
        up[edge[1]].append(before)
    return Layers(nodes, _walked(rank, up, down), up, down)


def _walked(
    rank: Sequence[int], up: Sequence[list[int]], down: Sequence[list[int]]
) -> list[list[int]]:
    layers: list[list[int]] = [[] for _ in range(max(rank, default=-1) + 1)]
    seen = [False] * len(rank)
    roots = (item for item in range(len(rank)) if not up[item])
    for root in sorted(roots, key=lambda item: rank[item]):
        stack = [root]
        while stack:
            item = stack.pop()
            if not seen[item]:
                seen[item] = True
                layers[rank[item]].append(item)
                stack.extend(reversed(down[item]))
    return layers


def reduce_crossings(grid: Layers) -> int:
    """Order the layers in place; the best order met is kept. Returns its crossings."""
    index = [0] * len(grid.up)
    for layer in grid.layers:
        _number(layer, index)
    best = crossings(grid, index)
    kept = [list(layer) for layer in grid.layers]
    stale = 0
    for sweep in range(max(_PATIENCE, min(_SWEEPS, _WORK // (len(index) + 1)))):
        if best == 0 or stale == _PATIENCE:
            break
        _sweep(grid, index, downwards=sweep % 2 == 0)
        if len(index) < _SMALL or sweep % _PATIENCE == _PATIENCE - 1:
            _swap(grid, index)
        now = crossings(grid, index)
        stale = 0 if now < best else stale + 1
        if now < best:
            best = now
            kept = [list(layer) for layer in grid.layers]
    grid.layers[:] = kept
    return best


def _number(layer: Sequence[int], index: list[int]) -> None:
    for place, item in enumerate(layer):
        index[item] = place


def _sweep(grid: Layers, index: list[int], *, downwards: bool) -> None:
    neighbours = grid.up if downwards else grid.down

    def barycentre(item: int) -> float:
        beside = neighbours[item]
        if beside:
            return sum(index[other] for other in beside) / len(beside)
        return index[item]

    for layer in grid.layers if downwards else reversed(grid.layers):
        layer.sort(key=barycentre)
        _number(layer, index)


def _swap(grid: Layers, index: list[int]) -> None:
    for layer in grid.layers:
        beside = {
            item: [
                sorted(index[o] for o in side[item]) for side in (grid.up, grid.down)
            ]
            for item in layer
        }
        better = True
        passes = 0
        while better and passes < _PATIENCE:
            better = False
            passes = passes + 1
            for place in range(len(layer) - 1):
                first = layer[place]
                second = layer[place + 1]
                if _is_better_swapped(beside[first], beside[second]):
                    layer[place], layer[place + 1] = second, first
                    better = True
        _number(layer, index)


def _is_better_swapped(
    first: Sequence[Sequence[int]], second: Sequence[Sequence[int]]
) -> bool:
    """Whether two items cross less the other way round. Each comes with its neighbours up and down, sorted."""
    sides = list(zip(first, second, strict=True))
    now = sum(_crossed(ours, theirs) for ours, theirs in sides)
    return now > 0 and now > sum(_crossed(theirs, ours) for ours, theirs in sides)


def _crossed(first: Sequence[int], second: Sequence[int]) -> int:
    if not first or not second or first[-1] <= second[0]:
        return 0
    return sum(bisect_left(second, place) for place in first)


def crossings(grid: Layers, index: Sequence[int]) -> int:
    """Crossings between all neighbouring layers: inversions of the ends of their edges."""
    total = 0
    for layer in grid.layers:
        ends: list[int] = []
        for item in layer:
            for end in sorted(index[other] for other in grid.down[item]):
                total += len(ends) - bisect_right(ends, end)
                insort(ends, end)
    return total
