"""Layout of the nodes that have no good place yet: those that a person has placed stay
there, to the pixel.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from designer.model.design import Design, Position
from designer.model.layout.arrange import (
    GRID,
    Direction,
    Size,
    arrange,
    boxes_of,
    sizes_of,
)
from designer.model.layout.spacing import GAP

_AHEAD = 64.0  # between a node and the one that follows it


def tidy(
    design: Design,
    loose: Collection[str] = (),
    *,
    direction: Direction = "LR",
    sizes: Mapping[str, Size] | None = None,
) -> dict[str, Position]:
    """Return places for nodes that are `loose`, that have none, or that lie on an
    earlier node; all others stay.

    Each gets a place behind its senders, or before its receivers, as near as there is
    room, in the order of these. Places are whole multiples of 4, and the answer is the
    same every time.
    """
    size = sizes_of(design, sizes)
    without_room = _without_room(design, size, loose)
    moving = [key for key in size if key in loose or key in without_room]
    fixed = {
        key: place
        for key, place in design.positions.items()
        if key in size and key not in moving
    }
    return _Tidying(design, direction, size, fixed).place(moving)


def laid_out(design: Design) -> Design:
    """Return the design with a place for each node: those that have one stay there,
    whether it is a good one or not.
    """
    size = sizes_of(design, None)
    fixed = {key: place for key, place in design.positions.items() if key in size}
    missing = [key for key in size if key not in fixed]
    if not missing:
        return design
    if fixed:
        places = _Tidying(design, "LR", size, fixed).place(missing)
    else:
        places = arrange(design)
    return replace(design, positions={**design.positions, **places})


def _without_room(
    design: Design, size: Mapping[str, Size], loose: Collection[str]
) -> set[str]:
    """Return the nodes without a place, and those that lie on one which comes before
    them and stays.
    """
    without_room: set[str] = set()
    boxes = boxes_of({}, size)
    for key in [key for key in size if key not in loose]:
        place = design.positions.get(key)
        if place is None or not boxes.is_free(place, size[key]):
            without_room.add(key)
        else:
            boxes.add(place, size[key])
    return without_room


class _Tidying:
    def __init__(
        self,
        design: Design,
        direction: Direction,
        size: Mapping[str, Size],
        fixed: dict[str, Position],
    ) -> None:
        self._along = 0 if direction == "LR" else 1
        self._size = size
        self._places = fixed
        self._boxes = boxes_of(fixed, size)
        self._before: dict[str, list[str]] = {key: [] for key in size}
        self._after: dict[str, list[str]] = {key: [] for key in size}
        for edge in design.workflow.edges:
            for source, target in edge.pairs:
                if source in size and target in size and source != target:
                    self._after[source].append(target)
                    self._before[target].append(source)

    def place(self, moving: list[str]) -> dict[str, Position]:
        places: dict[str, Position] = {}
        for key in self._in_order(moving):
            x, y = self._boxes.nearest(self._ideal(key), self._size[key], GAP)
            place = (GRID * round(x / GRID), GRID * round(y / GRID))
            places[key] = place
            self._places[key] = place
            self._boxes.add(place, self._size[key])
        return places

    def _in_order(self, moving: list[str]) -> Iterator[str]:
        """Yield first the nodes with a neighbour in place, the upper before the lower:
        a chain grows from its end.
        """
        pending = dict.fromkeys(moving)
        while pending:
            ready = [key for key in pending if self._neighbours(key)]
            ready = ready or list(pending)[:1]
            ready.sort(key=self._level)
            for key in ready:
                del pending[key]
                yield key

    def _neighbours(self, key: str) -> list[str]:
        return [
            other
            for other in (*self._before[key], *self._after[key])
            if other in self._places
        ]

    def _level(self, key: str) -> float:
        """Return where its neighbours are, across the way that the edges run."""
        levels = [
            self._centre(other)[1 - self._along] for other in self._neighbours(key)
        ]
        return sum(levels) / len(levels) if levels else 0.0

    def _centre(self, key: str) -> Position:
        (x, y), (width, height) = self._places[key], self._size[key]
        return x + width / 2, y + height / 2

    def _ideal(self, key: str) -> Position:
        """Return the corner at which it would be if there were nothing else."""
        before = [other for other in self._before[key] if other in self._places]
        after = [other for other in self._after[key] if other in self._places]
        along = self._along
        size = self._size[key]
        if before:
            ahead = (
                max(
                    self._places[other][along] + self._size[other][along]
                    for other in before
                )
                + _AHEAD
            )
        elif after:
            ahead = (
                min(self._places[other][along] for other in after)
                - _AHEAD
                - size[along]
            )
        else:
            return self._below()
        across = self._level(key) - size[1 - along] / 2
        return (ahead, across) if along == 0 else (across, ahead)

    def _below(self) -> Position:
        """Under everything, at the left: for a node that nothing leads to."""
        if not self._places:
            return 0.0, 0.0
        return min(x for x, _ in self._places.values()), self._boxes.bottom + 2 * GAP[1]
