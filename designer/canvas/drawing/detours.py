"""A way through the gaps between nodes: a wire that is led round what it would cross.

No optimisation: this is what draws wires round nodes, in drawings of up to
`obstacles.FEW` nodes. The trick is that nothing has to be tried out. Nodes that stand
above one another are one *column*. A wire that keeps its *level* within a column, and
changes it only in the gap between two columns, meets no node as long as its level is
free there. So a way is one level for each column, and the best one is a shortest path
over the columns: `_cheapest` goes through them from left to right and keeps, for each
level, the cheapest way to get there (dynamic programming). A way costs the pixels up
and down, and `BEND` for each change of the level.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF

from designer.canvas.drawing.geometry import sides

# what stays free left and right of a node, and above and below it
BESIDE = 10.0
CLEAR = 9.0
# How many levels are tried: those nearest to the ends, and over and under everything.
LEVELS = 16
BEND = 24.0  # what a change of the level costs, in pixels of way
Span = tuple[float, float]


class _Column(NamedTuple):
    """Nodes above one another: from where to where, and what they take up in height."""

    left: float
    right: float
    taken: list[Span]

    def is_free(self, level: float) -> bool:
        return not any(top < level < bottom for top, bottom in self.taken)


def detour(
    start: QPointF, end: QPointF, nodes: Iterable[QRectF], spread: float
) -> list[QPointF] | None:
    """Return the points through which a wire runs round these nodes; None for no way.

    `spread` is how far from the nodes it runs, more than it must, so that not all wires
    run in one line.
    """
    columns = _columns(nodes, start.x(), end.x())
    levels = _levels(columns, start.y(), end.y(), spread)
    free = [[column.is_free(level) for level in levels] for column in columns]
    first = levels.index(start.y())
    last = levels.index(end.y())
    # An end beside a column leaves no gap in which the level could change.
    if columns and columns[0].left <= start.x():
        free[0] = [is_free and k == first for k, is_free in enumerate(free[0])]
    if columns and columns[-1].right >= end.x():
        free[-1] = [is_free and k == last for k, is_free in enumerate(free[-1])]
    chosen = _cheapest(levels, free, first, last)
    return None if chosen is None else _corners(columns, chosen, start, end)


def _columns(nodes: Iterable[QRectF], start: float, end: float) -> list[_Column]:
    """Return the columns between two places, from left to right."""
    spans: list[tuple[float, float, Span]] = []
    for left, top, right, bottom in map(sides, nodes):
        if right + BESIDE > start and left - BESIDE < end:
            taken = (top - CLEAR, bottom + CLEAR)
            spans.append((max(start, left - BESIDE), min(end, right + BESIDE), taken))
    columns: list[_Column] = []
    for left, right, taken in sorted(spans):
        if columns and left <= columns[-1].right:
            column = columns.pop()
            reach = max(column.right, right)
            columns.append(_Column(column.left, reach, [*column.taken, taken]))
        else:
            columns.append(_Column(left, right, [taken]))
    return columns


def _levels(
    columns: Sequence[_Column], first: float, last: float, spread: float
) -> list[float]:
    """Return where a wire may run, from top to bottom.

    That is level with its ends, and just over and under each node.
    """
    upper = min(first, last)
    lower = max(first, last)
    beside: set[float] = set()
    for column in columns:
        for top, bottom in column.taken:
            beside |= {top - spread, bottom + spread, top, bottom}
    nearest = sorted(
        beside - {first, last},
        key=lambda level: (max(upper - level, level - lower, 0.0), level),
    )
    levels = {first, last, *nearest[:LEVELS]}
    if nearest:
        levels |= {min(nearest), max(nearest)}
    return sorted(levels)


def _cheapest(
    levels: Sequence[float], free: Sequence[Sequence[bool]], first: int, last: int
) -> list[float] | None:
    """Return one level for each column, with the least way and the fewest changes.

    `first` and `last` are the levels of the ends; `free` says for each column which
    levels are.
    """
    costs = [math.inf] * len(levels)
    costs[first] = 0.0
    # The end counts as a column in which only its own level is free.
    at_end = [k == last for k in range(len(levels))]
    origins: list[list[int]] = []
    for is_free in [*free, at_end]:
        costs, origin = _next_costs(levels, costs, is_free)
        origins.append(origin)
    if math.isinf(costs[last]):
        return None
    # Go back from the end: each column knows from which level of the one before it
    # came.
    way = [last]
    for origin in reversed(origins):
        way.append(origin[way[-1]])
    return [levels[k] for k in way[-2:0:-1]]


def _next_costs(
    levels: Sequence[float], costs: Sequence[float], is_free: Sequence[bool]
) -> tuple[list[float], list[int]]:
    """Return the costs one column on, and the level of this column each comes from."""
    next_costs: list[float] = []
    origins: list[int] = []
    for k, level in enumerate(levels):
        cheapest = costs[k]
        origin = k
        for other, cost in enumerate(costs):
            changed = cost + abs(levels[other] - level) + BEND
            if other != k and changed < cheapest:
                cheapest = changed
                origin = other
        next_costs.append(cheapest if is_free[k] else math.inf)
        origins.append(origin)
    return next_costs, origins


def _corners(
    columns: Sequence[_Column], levels: Sequence[float], start: QPointF, end: QPointF
) -> list[QPointF]:
    """Return where a wire comes to a level, and where it leaves it."""
    around = [start.y(), *levels, end.y()]
    corners: list[QPointF] = []
    for k, column in enumerate(columns):
        before, level, after = around[k : k + 3]
        if level != before:
            corners.append(QPointF(column.left, level))
        if level != after:
            corners.append(QPointF(column.right, level))
    return corners
