"""Layers with few crossings: the middle of the layered layout (Sugiyama, Tagawa and
Toda 1981).

Edges over several layers are cut into pieces by dummies, so that an order of each layer
is an order of everything. Sweeps put each item at the barycentre of its neighbours;
swaps of neighbouring items then remove what the sweeps leave.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass

Pair = tuple[int, int]

_SWEEPS = 24
_PATIENCE = 4
# Items times sweeps; keeps 5,000 nodes within a second or two.
_WORK = 400_000
# Swaps cost several sweeps; beyond this many items they are made less often.
_SMALL = 3000


@dataclass(slots=True)
class Layers:
    """Items are numbered: nodes first, then dummies. `up` and `down` are neighbours in
    the layers beside; `chains` has the dummies of each edge that was cut, from its
    source to its target.
    """

    nodes: int
    layers: list[list[int]]
    up: list[list[int]]
    down: list[list[int]]
    chains: dict[Pair, list[int]]

    def is_dummy(self, item: int) -> bool:
        return item >= self.nodes


def cut(ranks: Sequence[int], edges: Sequence[Pair], most: int | None = None) -> Layers:
    """Return the items of every layer, in the order of a depth-first walk: what belongs
    together starts together.

    With `most` there are no more dummies than that, and the longest edges get none.
    """
    nodes = len(ranks)
    rank = list(ranks)
    up: list[list[int]] = [[] for _ in rank]
    down: list[list[int]] = [[] for _ in rank]
    chains: dict[Pair, list[int]] = {}
    uncut = _longest(ranks, edges, most)
    for edge in edges:
        if edge in uncut:
            continue
        source, target = edge
        before = source
        chain: list[int] = []
        for level in range(rank[source] + 1, rank[target]):
            dummy = len(rank)
            rank.append(level)
            up.append([before])
            down.append([])
            down[before].append(dummy)
            chain.append(dummy)
            before = dummy
        down[before].append(target)
        up[target].append(before)
        chains[edge] = chain
    return Layers(nodes, _walked(rank, up, down), up, down, chains)


def _longest(
    ranks: Sequence[int], edges: Sequence[Pair], most: int | None
) -> set[Pair]:
    """Return the edges that would need more than `most` dummies together."""
    if most is None:
        return set()
    needed = {edge: max(0, ranks[edge[1]] - ranks[edge[0]] - 1) for edge in edges}
    longest = set()
    for edge in sorted(edges, key=lambda edge: needed[edge]):
        most -= needed[edge]
        if most < 0:
            longest.add(edge)
    return longest


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
    """Order the layers in place, as well as is found, and return the number of
    crossings that are left.
    """
    index = [0] * len(grid.up)
    for layer in grid.layers:
        _number(layer, index)
    best = crossings(grid, index)
    best_layers = [list(layer) for layer in grid.layers]
    stale = 0
    for sweep in range(max(_PATIENCE, min(_SWEEPS, _WORK // (len(index) + 1)))):
        if best == 0 or stale == _PATIENCE:
            break
        _sweep(grid, index, downwards=sweep % 2 == 0)
        if len(index) < _SMALL or sweep % _PATIENCE == _PATIENCE - 1:
            _swap(grid, index)
        count = crossings(grid, index)
        stale += 1
        if count < best:
            stale = 0
            best = count
            best_layers = [list(layer) for layer in grid.layers]
    grid.layers[:] = best_layers
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
    """Return whether two items cross less the other way round. Each comes with its
    neighbours up and down, sorted.
    """
    sides = list(zip(first, second, strict=True))
    crossed = sum(_crossed(left, right) for left, right in sides)
    if not crossed:
        return False
    return crossed > sum(_crossed(right, left) for left, right in sides)


def _crossed(first: Sequence[int], second: Sequence[int]) -> int:
    if not first or not second or first[-1] <= second[0]:
        return 0
    return sum(bisect_left(second, place) for place in first)


def crossings(grid: Layers, index: Sequence[int]) -> int:
    """Return the crossings between all neighbouring layers: inversions of the ends of
    their edges.
    """
    total = 0
    for layer in grid.layers:
        ends: list[int] = []
        for item in layer:
            for end in sorted(index[other] for other in grid.down[item]):
                total += len(ends) - bisect_right(ends, end)
                insort(ends, end)
    return total
