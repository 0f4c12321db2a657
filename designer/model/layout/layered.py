"""The layered layout of one connected graph: loops broken, layers, few crossings, places without overlap.

Works along two axes: `flow`, in which the edges run, and `across`, in which a layer is lined up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

import networkx as nx

from designer.model.layout.ordering import Layers, cut, reduce_crossings

LAYER_GAP = 64
# 40 to the bar, 10 for it, 30 to the target; a bar of another join stands before it
JOIN_GAP = 80
JOIN_MORE = 26
LABEL_GAP = 140  # a diamond's tags stand 14-40 right of it and are up to 90 wide
ROW_GAP = 28  # 88 from row to row with a node 60 high
_LANE_GAP = 16
_SMOOTHINGS = 12


@dataclass(frozen=True, slots=True)
class Node:
    """What a place is sought for: its size along both axes, and the room its edge groups want beside it."""

    flow: float
    across: float
    label_after: bool = False
    joins_before: int = 0


def layered(
    nodes: Sequence[Node], edges: Sequence[tuple[int, int]]
) -> list[tuple[float, float]]:
    """The top left corner (flow, across) of each node. Edges are pairs of positions in `nodes`; loops, self-loops and
    parallel edges may be among them. The walk begins at the first node: edges back to it are drawn as loops.
    """
    ranks, grid, _ = ordered(len(nodes), acyclic(len(nodes), edges))
    starts = _layer_starts(nodes, grid)
    centres = _centres(nodes, grid)
    return [
        (starts[rank], centres[item] - nodes[item].across / 2)
        for item, rank in enumerate(ranks)
    ]


def ordered(
    count: int, edges: Sequence[tuple[int, int]]
) -> tuple[list[int], Layers, int]:
    """The layer of each node, the layers in an order with few crossings, and how many those are."""
    ranks = _ranks(count, edges)
    grid = cut(ranks, edges)
    return ranks, grid, reduce_crossings(grid)


def acyclic(count: int, edges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The edges without self-loops and doubles, with every edge that closes a loop turned round."""
    beside: list[list[int]] = [[] for _ in range(count)]
    entered = [False] * count
    for source, target in edges:
        if source != target:
            beside[source].append(target)
            entered[target] = True
    if count:
        roots = [
            0,
            *(node for node in range(count) if not entered[node]),
            *range(count),
        ]
    else:
        roots = []
    backward = _backward(roots, beside)
    turned = (
        (target, source) if (source, target) in backward else (source, target)
        for source, target in edges
    )
    return list(dict.fromkeys(edge for edge in turned if edge[0] != edge[1]))


def _backward(
    roots: Sequence[int], beside: Sequence[list[int]]
) -> set[tuple[int, int]]:
    """Edges that lead to a node that a depth-first walk is still under."""
    found: set[tuple[int, int]] = set()
    open_ = 1
    done = 2
    state = [0] * len(beside)
    for root in roots:
        if state[root]:
            continue
        state[root] = open_
        stack = [(root, iter(beside[root]))]
        while stack:
            node, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                state[node] = done
                stack.pop()
            elif state[following] == open_:
                found.add((node, following))
            elif not state[following]:
                state[following] = open_
                stack.append((following, iter(beside[following])))
    return found


def _ranks(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """The longest way from a source to each node. Those with more ways out than in then move up to the first that
    follows them, which shortens more edges than it lengthens.
    """
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(count))
    graph.add_edges_from(edges)
    ranks = [0] * count
    order: list[int] = []
    for rank, generation in enumerate(nx.topological_generations(graph)):
        for node in generation:
            ranks[node] = rank
            order.append(node)
    for node in reversed(order):
        if len(graph.succ[node]) > len(graph.pred[node]):
            ranks[node] = min(ranks[other] for other in graph.succ[node]) - 1
    dense = {rank: place for place, rank in enumerate(sorted(set(ranks)))}
    return [dense[rank] for rank in ranks]


def _layer_starts(nodes: Sequence[Node], grid: Layers) -> list[float]:
    starts = [0.0]
    own = [
        [nodes[item] for item in layer if not grid.is_dummy(item)]
        for layer in grid.layers
    ]
    for layer, following in pairwise(own):
        label = any(node.label_after for node in layer)
        joins = max((node.joins_before for node in following), default=0)
        gap = (LABEL_GAP if label else LAYER_GAP) + (
            JOIN_GAP - LAYER_GAP + JOIN_MORE * (joins - 1) if joins else 0
        )
        starts.append(
            starts[-1] + max((node.flow for node in layer), default=0.0) + gap
        )
    return starts


def _centres(nodes: Sequence[Node], grid: Layers) -> list[float]:
    """Centres across: each item as near to its neighbours as the order and the gaps of its layer allow.

    To their median, not their mean: with it most edges come out quite straight, not almost.
    """
    offsets = [_offsets(nodes, grid, layer) for layer in grid.layers]
    centres = [0.0] * len(grid.up)
    for layer, offset in zip(grid.layers, offsets, strict=True):
        for item, place in zip(layer, offset, strict=True):
            centres[item] = place - (offset[0] + offset[-1]) / 2
    order = list(zip(grid.layers, offsets, strict=True))
    for turn in range(_SMOOTHINGS):
        # so that the last turn is: what follows a node stands in line with it
        forward = turn % 2 == 1
        neighbours = grid.up if forward else grid.down
        for layer, offset in order if forward else reversed(order):
            _settle(layer, offset, [neighbours[item] for item in layer], grid, centres)
    return centres


def _offsets(nodes: Sequence[Node], grid: Layers, layer: Sequence[int]) -> list[float]:
    """Centres of a layer packed as tightly as it may be, from 0."""
    offsets: list[float] = []
    half_before = 0.0
    dummy_before = True
    for item in layer:
        dummy = grid.is_dummy(item)
        half = 0.0 if dummy else nodes[item].across / 2
        gap = _LANE_GAP if dummy and dummy_before else ROW_GAP
        offsets.append(offsets[-1] + half_before + gap + half if offsets else half)
        half_before = half
        dummy_before = dummy
    return offsets


def _settle(
    layer: Sequence[int],
    offsets: Sequence[float],
    beside: Sequence[Sequence[int]],
    grid: Layers,
    centres: list[float],
) -> None:
    """Least squares under the gaps. Less the packed offsets, the gaps say "never falling": isotonic regression, which
    pooling neighbouring blocks solves exactly.
    """
    blocks: list[tuple[float, float, int]] = []  # mean wish, weight, how many items
    for item, offset, others in zip(layer, offsets, beside, strict=True):
        wish = median([centres[other] for other in others] or [centres[item]])
        # Pieces of one long edge are kept in line before anything else.
        straight = grid.is_dummy(item) or any(grid.is_dummy(other) for other in others)
        mean = wish - offset
        weight = (4.0 if straight else 1.0) * len(others) + 0.1
        count = 1
        while blocks and blocks[-1][0] > mean:
            before, heavier, more = blocks.pop()
            mean = (mean * weight + before * heavier) / (weight + heavier)
            weight = weight + heavier
            count = count + more
        blocks.append((mean, weight, count))
    place = 0
    for mean, _, count in blocks:
        for _ in range(count):
            centres[layer[place]] = mean + offsets[place]
            place += 1
