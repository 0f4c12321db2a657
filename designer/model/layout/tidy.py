"""Layout of only what has no good place yet: what a person has put somewhere stays there, to the pixel."""

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
    """Places for nodes that are `loose`, that have none, or that lie on an earlier node; all others stay.

    Each stands behind what leads to it, or before what it leads to, as near as there is room, in the order in which
    those that lead to them stand. Whole multiples of 4; the same answer every time.
    """
    size = sizes_of(design, sizes)
    without_room = _without_room(design, size, loose)
    moving = [key for key in size if key in loose or key in without_room]
    fixed = {
        key: at
        for key, at in design.positions.items()
        if key in size and key not in moving
    }
    return _Tidying(design, direction, size, fixed).place(moving)


def laid_out(design: Design) -> Design:
    """The design with a place for each node: those that have one stay there, whether or not it is a good one."""
    size = sizes_of(design, None)
    fixed = {key: at for key, at in design.positions.items() if key in size}
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
    """Nodes without a place, and those that lie on one that comes before them and stays."""
    found: set[str] = set()
    boxes = boxes_of({}, size)
    for key in [key for key in size if key not in loose]:
        at = design.positions.get(key)
        if at is None or not boxes.is_free(at, size[key]):
            found.add(key)
        else:
            boxes.add(at, size[key])
    return found


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
        found: dict[str, Position] = {}
        for key in self._in_order(moving):
            x, y = self._boxes.nearest(self._wanted(key), self._size[key], GAP)
            at = (GRID * round(x / GRID), GRID * round(y / GRID))
            found[key] = self._places[key] = at
            self._boxes.add(at, self._size[key])
        return found

    def _in_order(self, moving: list[str]) -> Iterator[str]:
        """Those next to something that stands come first, the upper before the lower; so a chain grows from its end."""
        left = dict.fromkeys(moving)
        while left:
            ready = [key for key in left if self._neighbours(key)] or list(left)[:1]
            ready.sort(key=self._level)
            for key in ready:
                del left[key]
                yield key

    def _neighbours(self, key: str) -> list[str]:
        return [
            other
            for other in (*self._before[key], *self._after[key])
            if other in self._places
        ]

    def _level(self, key: str) -> float:
        """Where its neighbours stand, across the way the edges run."""
        levels = [
            self._centre(other)[1 - self._along] for other in self._neighbours(key)
        ]
        return sum(levels) / len(levels) if levels else 0.0

    def _centre(self, key: str) -> Position:
        (x, y), (width, height) = self._places[key], self._size[key]
        return x + width / 2, y + height / 2

    def _wanted(self, key: str) -> Position:
        """The corner at which it would stand if there were nothing else."""
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
