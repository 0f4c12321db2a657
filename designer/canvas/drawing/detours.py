"""A way through the gaps between nodes, from left to right: level past each column of them, and over or under between.

The columns are what stands above one another. A wire that is level within a column and changes its level only between
two of them meets no node, so nothing has to be tried; which levels make it short and straight, a shortest path over
the columns says.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QPointF, QRectF

from designer.canvas.drawing.geometry import sides

# what stays free left and right of a node, and above and below it
BESIDE = 10.0
CLEAR = 9.0
# that are tried: those nearest to the ends of the wire, and over and under everything
LEVELS = 16
BEND = 24.0  # what one more change of the level costs, in pixels of way
Span = tuple[float, float]
# left, right, what is taken from top to bottom
_Column = tuple[float, float, list[Span]]


def passage(
    start: QPointF, end: QPointF, nodes: Iterable[QRectF], spread: float
) -> list[QPointF] | None:
    """The points that a wire runs through on its way round these nodes; None where there is no way. `spread` is how
    far from the nodes it runs, more than it must, so that not all wires run in one line.
    """
    columns = _columns(nodes, start.x(), end.x())
    levels = _levels(columns, start.y(), end.y(), spread)
    free = [[_is_free(level, column[2]) for level in levels] for column in columns]
    first = levels.index(start.y())
    last = levels.index(end.y())
    if columns and columns[0][0] <= start.x():
        free[0] = [open_ and at == first for at, open_ in enumerate(free[0])]
    if columns and columns[-1][1] >= end.x():
        free[-1] = [open_ and at == last for at, open_ in enumerate(free[-1])]
    chosen = _cheapest(levels, free, first, last)
    return None if chosen is None else _corners(columns, chosen, start, end)


def _columns(nodes: Iterable[QRectF], left: float, right: float) -> list[_Column]:
    """What stands between two places, by columns from left to right."""
    spans = sorted(
        (max(left, x0 - BESIDE), min(right, x1 + BESIDE), (y0 - CLEAR, y1 + CLEAR))
        for x0, y0, x1, y1 in map(sides, nodes)
        if x1 + BESIDE > left and x0 - BESIDE < right
    )
    columns: list[_Column] = []
    for x0, x1, taken in spans:
        if columns and x0 <= columns[-1][1]:
            before, reach, all_taken = columns.pop()
            columns.append((before, max(reach, x1), [*all_taken, taken]))
        else:
            columns.append((x0, x1, [taken]))
    return columns


def _levels(
    columns: Sequence[_Column], first: float, last: float, spread: float
) -> list[float]:
    """Where a wire may run, from top to bottom: level with its ends, and just over and under the nodes."""
    low = min(first, last)
    high = max(first, last)
    beside = {
        level
        for _, _, taken in columns
        for y0, y1 in taken
        for level in (y0 - spread, y1 + spread, y0, y1)
    }
    near = sorted(
        beside - {first, last},
        key=lambda level: (max(low - level, level - high, 0.0), level),
    )
    return sorted(
        {first, last, *near[:LEVELS], *([min(near), max(near)] if near else ())}
    )


def _is_free(level: float, taken: Sequence[Span]) -> bool:
    return not any(y0 < level < y1 for y0, y1 in taken)


def _cheapest(
    levels: Sequence[float], free: Sequence[Sequence[bool]], first: int, last: int
) -> list[float] | None:
    """One level for each column, with the least way up and down and the fewest changes. `first` and `last` are those
    of the ends; levels are sorted, and `free` tells for each column which of them are.
    """
    costs = [0.0 if at == first else math.inf for at in range(len(levels))]
    steps: list[list[int]] = []
    for open_ in [*free, [at == last for at in range(len(levels))]]:
        costs, came = _next(levels, costs, open_)
        steps.append(came)
    if math.isinf(costs[last]):
        return None
    way = [last]
    for came in reversed(steps):
        way.append(came[way[-1]])
    return [levels[at] for at in way[-2:0:-1]]


def _next(
    levels: Sequence[float], costs: Sequence[float], free: Sequence[bool]
) -> tuple[list[float], list[int]]:
    """The costs one column on, and from which level each comes: a sweep down and one up find the nearest way."""
    found = list(costs)
    came = list(range(len(levels)))
    for order in (range(len(levels)), range(len(levels) - 1, -1, -1)):
        best = math.inf
        source = -1
        before = 0.0
        for at in order:
            best += abs(levels[at] - before)
            before = levels[at]
            if best + BEND < found[at]:
                found[at], came[at] = best + BEND, source
            if costs[at] < best:
                best = costs[at]
                source = at
    return [
        cost if open_ else math.inf for cost, open_ in zip(found, free, strict=True)
    ], came


def _corners(
    columns: Sequence[_Column], levels: Sequence[float], start: QPointF, end: QPointF
) -> list[QPointF]:
    """Where a wire comes to a level and where it leaves it; its ends are on their own levels already."""
    corners: list[QPointF] = []
    last = len(columns) - 1
    for k, ((left, right, _), level) in enumerate(zip(columns, levels, strict=True)):
        before = levels[k - 1] if k else start.y()
        after = levels[k + 1] if k < last else end.y()
        if level != before:
            corners.append(QPointF(left, level))
        if level != after:
            corners.append(QPointF(right, level))
    return corners
