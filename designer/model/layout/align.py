"""Nodes put in line or at equal distances, by their sides and middles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from designer.model.design import Position, Rect

Alignment = Literal[
    "left", "centre", "right", "top", "middle", "bottom", "across", "down"
]

ALIGNMENTS: dict[Alignment, str] = {
    "left": "Align left sides",
    "centre": "Align centres",
    "right": "Align right sides",
    "top": "Align tops",
    "middle": "Align middles",
    "bottom": "Align bottoms",
    "across": "Distribute across",
    "down": "Distribute down",
}
# The axis, and the part of a node that is put in line: 0 its beginning, 1 its end, a
# half its middle.
_LINES: dict[Alignment, tuple[int, float]] = {
    "left": (0, 0),
    "centre": (0, 0.5),
    "right": (0, 1),
    "top": (1, 0),
    "middle": (1, 0.5),
    "bottom": (1, 1),
}


def aligned(rects: Mapping[str, Rect], way: Alignment) -> dict[str, Position]:
    """Return the new corners, on whole pixels.

    Nodes are put in line with the outermost one, for middles with the mean; or
    distributed with equal gaps between the first and the last.
    """
    if way in ("across", "down"):
        return _distributed(rects, 0 if way == "across" else 1)
    axis, share = _LINES[way]
    lines = [rect[axis] + share * rect[axis + 2] for rect in rects.values()]
    if share == 0:
        line = min(lines)
    elif share == 1:
        line = max(lines)
    else:
        line = sum(lines) / len(lines)
    return {
        key: _at(rect, axis, line - share * rect[axis + 2])
        for key, rect in rects.items()
    }


def _distributed(rects: Mapping[str, Rect], axis: int) -> dict[str, Position]:
    order = sorted(rects, key=lambda key: rects[key][axis])
    first = rects[order[0]]
    last = rects[order[-1]]
    length = last[axis] + last[axis + 2] - first[axis]
    room = length - sum(rects[key][axis + 2] for key in order)
    gap = room / max(1, len(order) - 1)
    start = first[axis]
    places: dict[str, Position] = {}
    for key in order:
        places[key] = _at(rects[key], axis, start)
        start += rects[key][axis + 2] + gap
    return places


def _at(rect: Rect, axis: int, value: float) -> Position:
    place = float(round(value))
    return (place, rect[1]) if axis == 0 else (rect[0], place)
