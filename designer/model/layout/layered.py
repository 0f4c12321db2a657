"""The layered layout of one connected part of a drawing: layers from left to right,
with room for tags and join bars.

Works along two axes: `flow`, in which the edges run, and `across`, in which a layer is
lined up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from runtime.export.crossings import Layers
from runtime.export.layered import Gaps, acyclic, ordered, places_across

LAYER_GAP = 64
# 40 to the bar, 10 for it, 30 to the target; a bar of another join is before it
JOIN_GAP = 80
JOIN_MORE = 26
LABEL_GAP = 140  # a diamond's tags are 14-40 right of it and up to 90 wide
ROW_GAP = 28  # 88 from row to row with a node 60 high
LANE_GAP = 16
# Dummies per node and edge, because a chain of n nodes with n shortcuts would need n *
# n of them.
_DUMMIES = 4


@dataclass(frozen=True, slots=True)
class Node:
    """What a place is sought for: its size along both axes, and the room its edge
    groups want beside it.
    """

    flow: float
    across: float
    label_after: bool = False
    joins_before: int = 0


def layered(
    nodes: Sequence[Node], edges: Sequence[tuple[int, int]]
) -> list[tuple[float, float]]:
    """Return the top left corner (flow, across) of each node.

    Edges are pairs of positions in `nodes`; loops, self-loops and parallel edges may be
    among them. The walk begins at the first node: edges back to it are drawn as loops.
    """
    forward = acyclic(len(nodes), edges)
    most_dummies = _DUMMIES * (len(nodes) + len(forward))
    ranks, grid, _ = ordered(len(nodes), forward, most_dummies)
    starts = _layer_starts(nodes, grid)
    gaps = Gaps(ROW_GAP, LANE_GAP)
    centres = places_across([node.across for node in nodes], grid, gaps)
    return [
        (starts[rank], centres[item] - nodes[item].across / 2)
        for item, rank in enumerate(ranks)
    ]


def _layer_starts(nodes: Sequence[Node], grid: Layers) -> list[float]:
    starts = [0.0]
    rows = [
        [nodes[item] for item in layer if not grid.is_dummy(item)]
        for layer in grid.layers
    ]
    for row, next_row in pairwise(rows):
        gap = LAYER_GAP
        if any(node.label_after for node in row):
            gap = LABEL_GAP
        joins = max((node.joins_before for node in next_row), default=0)
        if joins:
            gap += JOIN_GAP - LAYER_GAP + JOIN_MORE * (joins - 1)
        longest = max((node.flow for node in row), default=0.0)
        starts.append(starts[-1] + longest + gap)
    return starts
