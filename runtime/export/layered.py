"""The layered layout (Sugiyama, Tagawa and Toda 1981): loops broken, layers, few
crossings, places across a layer.

Own layers on networkx: its own layouts need numpy, know no size of a box, and lose the
direction of the edges. The canvas of the window and exported pictures share this; each
adds what it alone knows: the canvas the room for tags and join bars between layers, a
picture labels and the lines between its boxes.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

import networkx as nx

from runtime.export.crossings import Layers, Pair, cut, reduce_crossings

_SMOOTHINGS = 12


class Gaps(NamedTuple):
    """The free space in a layer: between two boxes, and between two lines that pass it."""

    box: float
    lane: float


def ordered(
    count: int, edges: Sequence[Pair], most_dummies: int | None = None
) -> tuple[list[int], Layers, int]:
    """Return the layer of each node, the layers in an order with few crossings, and how
    many those are.

    The edges close no loop and are listed once (`acyclic`). Those over several layers
    are cut into pieces by dummies; with `most_dummies` the longest edges get none.
    """
    ranks = _ranks(count, edges)
    grid = cut(ranks, edges, most_dummies)
    return ranks, grid, reduce_crossings(grid)


def acyclic(count: int, edges: Sequence[Pair], start: int = 0) -> list[Pair]:
    """Return the edges without self-loops and doubles, with every edge that closes a
    loop turned round.
    """
    backward = closing_loops(count, edges, start)
    turned = [edge[::-1] if edge in backward else edge for edge in edges]
    return list(dict.fromkeys(edge for edge in turned if edge[0] != edge[1]))


def closing_loops(count: int, edges: Sequence[Pair], start: int = 0) -> set[Pair]:
    """Return the edges that lead back to a node which a depth-first walk is still
    under.

    The walk begins at the start, then at nodes to which nothing leads, then wherever
    nothing has been seen yet.
    """
    following: list[list[int]] = [[] for _ in range(count)]
    has_source = [False] * count
    for source, target in edges:
        if source != target:
            following[source].append(target)
            has_source[target] = True
    without_source = [node for node in range(count) if not has_source[node]]
    roots = [start, *without_source, *range(count)] if count else []
    backward: set[Pair] = set()
    is_open = 1
    is_done = 2
    state = [0] * count
    for root in roots:
        if state[root]:
            continue
        state[root] = is_open
        stack = [(root, iter(following[root]))]
        while stack:
            node, targets = stack[-1]
            next_node = next(targets, None)
            if next_node is None:
                state[node] = is_done
                stack.pop()
            elif state[next_node] == is_open:
                backward.add((node, next_node))
            elif not state[next_node]:
                state[next_node] = is_open
                stack.append((next_node, iter(following[next_node])))
    return backward


def _ranks(count: int, edges: Sequence[Pair]) -> list[int]:
    """Return the longest way from a source to each node.

    Nodes with more ways out than in then move next to the first that follows them,
    because that shortens more edges than it lengthens.
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
            ranks[node] = min(ranks[target] for target in graph.succ[node]) - 1
    dense = {rank: place for place, rank in enumerate(sorted(set(ranks)))}
    return [dense[rank] for rank in ranks]


def places_across(sizes: Sequence[float], grid: Layers, gaps: Gaps) -> list[float]:
    """Return the centre of each item across its layer: as near to its neighbours as
    order and gaps allow.

    To their median, not their mean: with it most edges come out quite straight, not
    almost. `sizes` are those of the nodes across; one of size 0 is where a line passes,
    as dummies are.
    """
    extents = [*sizes, *[0.0] * (len(grid.up) - len(sizes))]
    offsets = [_offsets(extents, layer, gaps) for layer in grid.layers]
    centres = [0.0] * len(extents)
    for layer, offset in zip(grid.layers, offsets, strict=True):
        for item, place in zip(layer, offset, strict=True):
            centres[item] = place - (offset[0] + offset[-1]) / 2
    order = list(zip(grid.layers, offsets, strict=True))
    for turn in range(_SMOOTHINGS):
        # Forward in the last turn, because what follows a node should be in line with
        # it.
        forward = turn % 2 == 1
        neighbours = grid.up if forward else grid.down
        for layer, offset in order if forward else reversed(order):
            beside = [neighbours[item] for item in layer]
            _settle(layer, offset, beside, extents, centres)
    return centres


def _offsets(extents: Sequence[float], layer: Sequence[int], gaps: Gaps) -> list[float]:
    """Return the centres of a layer that is packed as tightly as it may be, from 0."""
    offsets: list[float] = []
    half_before = 0.0
    line_before = True
    for item in layer:
        is_line = not extents[item]
        half = extents[item] / 2
        gap = gaps.lane if is_line and line_before else gaps.box
        offsets.append(offsets[-1] + half_before + gap + half if offsets else half)
        half_before = half
        line_before = is_line
    return offsets


def _settle(
    layer: Sequence[int],
    offsets: Sequence[float],
    beside: Sequence[Sequence[int]],
    extents: Sequence[float],
    centres: list[float],
) -> None:
    """Move the items of a layer as near as they may come to their neighbours in the
    layer beside.

    Least squares under the gaps: less the packed offsets, the gaps say "never falling".
    That is isotonic regression, which pooling neighbouring blocks solves exactly.
    """
    blocks: list[tuple[float, float, int]] = []  # mean wish, weight, how many items
    for item, offset, others in zip(layer, offsets, beside, strict=True):
        wish = median([centres[other] for other in others] or [centres[item]])
        # Pieces of one long edge are kept in line before anything else.
        straight = not extents[item] or not all(extents[other] for other in others)
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
