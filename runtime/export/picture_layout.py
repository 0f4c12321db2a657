"""Where everything of a picture stands: in layers from top to bottom, each way bent so that it meets no box.

The layers are those of the longest way there. Ways back are turned round while boxes are placed. A way over several
layers, and what is written on one, gets a place in each layer that it passes, as if it were a box: so nothing is
written over anything, and lines run between boxes. The order in a layer is that of the barycentres of the neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import networkx as nx

Size = tuple[float, float]
Point = tuple[float, float]

_GAP = 26.0  # between two boxes of a layer
_LINE_GAP = 14.0  # beside a line that passes a layer
_LAYER_GAP = 34.0
_SWEEPS = 12
# how much more a line wants to be straight than a box to be in the middle
_STRAIGHT = 8.0


class Edge(NamedTuple):
    """From the box at one place to that at another one; `label` is the size of what is written on it, or (0, 0)."""

    source: int
    target: int
    label: Size = (0.0, 0.0)


@dataclass(slots=True)
class Route:
    """How a line runs: through these points from its source to its target, each straight down or bent to the next.

    back    it leads against the direction of the picture
    label   the centre of what is written on it
    """

    points: list[Point] = field(default_factory=list)
    back: bool = False
    label: Point | None = None


class Placed(NamedTuple):
    """Centres of the boxes, a route for each edge, and the size of the whole from (0, 0) on; y grows down."""

    centres: list[Point]
    routes: list[Route]
    size: Size


def layered(
    sizes: Sequence[Size],
    edges: Sequence[Edge],
    start: int = 0,
    doors: Sequence[float] | None = None,
) -> Placed:
    """Places boxes of these sizes. Lines begin and end in the middle of a box, no farther apart than its `doors` are
    wide, by default its width. The same input gives the same output.
    """
    return _Layout(sizes, edges, start, doors or [width for width, _ in sizes]).placed()


class _Spot:
    """Something with a place in a layer: a box, or where a line passes it, perhaps with its label."""

    __slots__ = ("above", "below", "height", "layer", "thin", "width", "x", "y")

    def __init__(self, size: Size, layer: int, *, thin: bool = False) -> None:
        self.width, self.height = size
        self.layer = layer
        self.thin = thin
        self.x = self.y = 0.0
        self.above: list[_Spot] = []
        self.below: list[_Spot] = []


class _Layout:
    def __init__(
        self,
        sizes: Sequence[Size],
        edges: Sequence[Edge],
        start: int,
        doors: Sequence[float],
    ) -> None:
        self.sizes = sizes
        self.edges = edges
        self.doors = doors
        self.back = _ways_back(len(sizes), edges, start)
        layers = self._layers()
        self.spots = [
            _Spot(size, layer) for size, layer in zip(sizes, layers, strict=True)
        ]
        self.chains = [self._chain(number, edge) for number, edge in enumerate(edges)]
        self.rows: list[list[_Spot]] = [[] for _ in range(max(layers, default=-1) + 1)]
        for spot in (
            *self.spots,
            *(spot for chain in self.chains for spot in chain[1:-1]),
        ):
            self.rows[spot.layer].append(spot)

    def ends(self, number: int) -> tuple[int, int]:
        """Source and target as they are placed: a way back is turned round."""
        edge = self.edges[number]
        if number in self.back:
            return (edge.target, edge.source)
        return (edge.source, edge.target)

    def _layers(self) -> list[int]:
        """Longest ways; what has a label, or leads back beside another way, takes a layer for that."""
        graph: nx.DiGraph[int] = nx.DiGraph()
        graph.add_nodes_from(range(len(self.sizes)))
        for number, edge in enumerate(self.edges):
            above, below = self.ends(number)
            if above != below:
                length = 2 if any(edge.label) or number in self.back else 1
                known = graph.get_edge_data(above, below, {"length": 0})["length"]
                graph.add_edge(above, below, length=max(length, known))
        layer = dict.fromkeys(graph, 0)
        for node in nx.lexicographical_topological_sort(graph):
            for _, below, data in graph.out_edges(node, data=True):
                layer[below] = max(layer[below], layer[node] + data["length"])
        for node in reversed(list(nx.lexicographical_topological_sort(graph))):
            # What nothing leads to stands right above what it leads to.
            if not graph.in_degree(node) and graph.out_degree(node):
                layer[node] = min(
                    layer[below] - data["length"]
                    for _, below, data in graph.out_edges(node, data=True)
                )
        return [layer[node] for node in range(len(self.sizes))]

    def _chain(self, number: int, edge: Edge) -> list[_Spot]:
        """The spots of an edge from top to bottom. A loop has none but its box."""
        above, below = (self.spots[end] for end in self.ends(number))
        if above is below:
            return [above]
        between = [
            _Spot((0.0, 0.0), layer, thin=True)
            for layer in range(above.layer + 1, below.layer)
        ]
        if any(edge.label):
            carrier = between[-1 if number in self.back else 0]
            carrier.width, carrier.height = edge.label
        chain = [above, *between, below]
        for upper, lower in pairwise(chain):
            upper.below.append(lower)
            lower.above.append(upper)
        return chain

    def placed(self) -> Placed:
        self._order()
        self._place_rows()
        self._place_across()
        left = min(
            (spot.x - spot.width / 2 for row in self.rows for spot in row), default=0.0
        )
        for spot in (spot for row in self.rows for spot in row):
            spot.x -= left
        width = max(
            (spot.x + spot.width / 2 for row in self.rows for spot in row), default=0.0
        )
        height = max((spot.y + spot.height / 2 for spot in self.spots), default=0.0)
        routes = _Routes(self).all()
        return Placed(
            [(spot.x, spot.y) for spot in self.spots], routes, (width, height)
        )

    # --- order in the layers ---

    def _order(self) -> None:
        best = [row[:] for row in self.rows]
        fewest = self._crossings()
        for sweep in range(_SWEEPS):
            self._sweep(down=sweep % 2 == 0)
            crossings = self._crossings()
            if crossings < fewest:
                best = [row[:] for row in self.rows]
                fewest = crossings
        self.rows = best

    def _sweep(self, *, down: bool) -> None:
        rows = self.rows[1:] if down else self.rows[-2::-1]
        place = {id(spot): index for row in self.rows for index, spot in enumerate(row)}
        for row in rows:
            wanted: dict[int, float] = {}
            for index, spot in enumerate(row):
                near = [
                    place[id(other)] for other in (spot.above if down else spot.below)
                ]
                wanted[id(spot)] = sum(near) / len(near) if near else float(index)
            row.sort(key=lambda spot: wanted[id(spot)])
            place.update((id(spot), index) for index, spot in enumerate(row))

    def _crossings(self) -> int:
        place = {id(spot): index for row in self.rows for index, spot in enumerate(row)}
        found = 0
        for row in self.rows:
            pairs = sorted(
                (place[id(spot)], place[id(below)])
                for spot in row
                for below in spot.below
            )
            ends = [end for _, end in pairs]
            found += sum(
                one > other for at, one in enumerate(ends) for other in ends[at + 1 :]
            )
        return found

    # --- places ---

    def _place_rows(self) -> None:
        y = 0.0
        for row in self.rows:
            height = max((spot.height for spot in row), default=0.0)
            for spot in row:
                spot.y = y + height / 2
            y += height + _LAYER_GAP

    def _place_across(self) -> None:
        """Each spot where its neighbours are in the middle, as far as those beside it leave room."""
        for row in self.rows:
            x = 0.0
            for spot, other in zip(row, [None, *row[:-1]], strict=True):
                x += _apart(other, spot) if other else 0.0
                spot.x = x
        for sweep in range(2 * _SWEEPS):
            down = sweep % 2 == 0
            for row in self.rows if down else reversed(self.rows):
                _settle(
                    row,
                    [_middle(spot, spot.above if down else spot.below) for spot in row],
                )
        for row in self.rows:
            _settle(row, [_middle(spot, spot.above + spot.below) for spot in row])


def _ways_back(count: int, edges: Sequence[Edge], start: int) -> set[int]:
    """The edges that lead to a box from which one came, seen from the start, then from what is left."""
    leaving: dict[int, list[int]] = {node: [] for node in range(count)}
    for number, edge in enumerate(edges):
        leaving[edge.source].append(number)
    back: set[int] = set()
    state = dict.fromkeys(range(count), 0)  # 0 not seen, 1 on the way, 2 done
    entered = {edge.target for edge in edges}
    if count:
        roots = [
            start,
            *(node for node in range(count) if node not in entered),
            *range(count),
        ]
    else:
        roots = []
    for root in roots:
        stack = [(root, iter(leaving[root]))] if not state[root] else []
        state[root] = max(state[root], 1)
        while stack:
            node, rest = stack[-1]
            number = next(rest, -1)
            if number < 0:
                state[node] = 2
                stack.pop()
            elif state[target := edges[number].target] == 1 and target != node:
                back.add(number)
            elif not state[target]:
                state[target] = 1
                stack.append((target, iter(leaving[target])))
    return back


def _apart(left: _Spot, right: _Spot) -> float:
    if left.thin and right.thin:
        gap = _LINE_GAP
    elif left.thin or right.thin:
        gap = (_GAP + _LINE_GAP) / 2
    else:
        gap = _GAP
    return (left.width + right.width) / 2 + gap


def _weight(spot: _Spot, other: _Spot) -> float:
    """How much one wants to be right above the other: a line that goes on in a layer should be straight."""
    return _STRAIGHT if spot.thin and other.thin else 1.0


def _middle(spot: _Spot, near: Sequence[_Spot]) -> float:
    weights = [_weight(spot, other) for other in near]
    if near:
        return sum(
            other.x * weight for other, weight in zip(near, weights, strict=True)
        ) / sum(weights)
    return spot.x


def _settle(row: Sequence[_Spot], wanted: Sequence[float]) -> None:
    """Places in their order, apart, with the least change of all: neighbours that push each other move as one."""
    # where the first would stand, and how many there are
    blocks: list[tuple[float, int]] = []
    offsets = [0.0]
    for left, right in pairwise(row):
        offsets.append(offsets[-1] + _apart(left, right))
    for index, want in enumerate(wanted):
        place = want - offsets[index]
        count = 1
        while blocks and blocks[-1][0] >= place:
            before, number = blocks.pop()
            place = (before * number + place * count) / (number + count)
            count = number + count
        blocks.append((place, count))
    index = 0
    for place, count in blocks:
        for spot, offset in zip(
            row[index : index + count], offsets[index : index + count], strict=True
        ):
            spot.x = place + offset
        index += count


class _Routes:
    """The lines between places: they leave and enter boxes side by side, in the order of where they lead."""

    def __init__(self, layout: _Layout) -> None:
        self.layout = layout
        self.doors: dict[tuple[int, int, bool], float] = {}
        alone = [
            (number, index, below)
            for index in range(len(layout.spots))
            for below in (True, False)
            for number in self._open_doors(index, below=below)
        ]
        for number, index, below in alone:
            self._straighten(number, index, below=below)

    def _straighten(self, number: int, index: int, *, below: bool) -> None:
        """The only line on a side of a box begins where it leads to, if that is not far from the middle."""
        chain, (above, under) = self.layout.chains[number], self.layout.ends(number)
        far = (number, under if below else above, not below)
        there = self.doors[far] if len(chain) == 2 else chain[1 if below else -2].x
        if abs(there - self.layout.spots[index].x) <= 0.3 * self.layout.doors[index]:
            self.doors[number, index, below] = there

    def _open_doors(self, index: int, *, below: bool) -> list[int]:
        """Where the lines of a box begin on its lower or upper side; the only one there, if there is just one."""
        end = 0 if below else -1
        chains = self.layout.chains
        spot = self.layout.spots[index]
        numbers = [
            n for n, chain in enumerate(chains) if len(chain) > 1 and chain[end] is spot
        ]
        numbers.sort(key=lambda n: (chains[n][1 if below else -2].x, n))
        step = min(22.0, 0.7 * self.layout.doors[index] / max(len(numbers), 1))
        for place, number in enumerate(numbers):
            self.doors[number, index, below] = (
                spot.x + (place - (len(numbers) - 1) / 2) * step
            )
        return numbers if len(numbers) == 1 else []

    def all(self) -> list[Route]:
        return [self._route(number) for number in range(len(self.layout.edges))]

    def _route(self, number: int) -> Route:
        chain = self.layout.chains[number]
        if len(chain) == 1:
            return Route()
        above, below = self.layout.ends(number)
        first = chain[0]
        last = chain[-1]
        out = self.doors[number, above, True]
        into = self.doors[number, below, False]
        # Straight through each layer, also beside a taller box: bends are between layers.
        points = [
            (out, first.y + first.height / 2),
            (out, first.y + self._reach(first)),
        ]
        for spot in chain[1:-1]:
            points += [
                (spot.x, spot.y - self._reach(spot)),
                (spot.x, spot.y + self._reach(spot)),
            ]
        points += [(into, last.y - self._reach(last)), (into, last.y - last.height / 2)]
        carrier = next((spot for spot in chain[1:-1] if spot.width), None)
        back = number in self.layout.back
        label = None if carrier is None else (carrier.x, carrier.y)
        return Route(points[::-1] if back else points, back, label)

    def _reach(self, spot: _Spot) -> float:
        """Half the height of the layer that it is in."""
        return max(one.height for one in self.layout.rows[spot.layer]) / 2
