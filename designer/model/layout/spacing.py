"""Boxes without overlap: which overlap, where there is room, and how those that overlap
are moved apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

Corner = tuple[float, float]
Size = tuple[float, float]

GAP: Size = (32, 28)  # beside and between boxes that are moved
_STEP = 16.0
_PUSHES = 40
_NEAR = 24  # rings of places that are tried for a group before it goes below everything


class Boxes:
    """Boxes by key, found by where they are."""

    def __init__(self, largest: Size) -> None:
        self._cell = (max(largest[0], 1.0), max(largest[1], 1.0))
        self._cells: dict[tuple[int, int], list[tuple[float, float, float, float]]] = {}
        self._searches: dict[
            tuple[Corner, Size, Size], tuple[Corner, Iterator[Corner]]
        ] = {}
        self.bottom = -math.inf

    def add(self, corner: Corner, size: Size) -> None:
        x, y = corner
        box = (x, y, x + size[0], y + size[1])
        self.bottom = max(self.bottom, box[3])
        for cell in self._covered(*box):
            self._cells.setdefault(cell, []).append(box)

    def is_free(self, corner: Corner, size: Size, gap: Size = (0, 0)) -> bool:
        """Return whether a box at this corner, with a gap around it, would overlap
        none.
        """
        left = corner[0] - gap[0]
        top = corner[1] - gap[1]
        right = corner[0] + size[0] + gap[0]
        bottom = corner[1] + size[1] + gap[1]
        return not any(
            box[0] < right and box[2] > left and box[1] < bottom and box[3] > top
            for cell in self._covered(left, top, right, bottom)
            for box in self._cells.get(cell, ())
        )

    def nearest(self, corner: Corner, size: Size, gap: Size = GAP) -> Corner:
        """Return the free place nearest to a corner. There always is one, because only
        finitely many are taken.
        """
        # A taken place stays taken, so a search for the same continues where the last
        # one ended. Otherwise each of a thousand nodes that follow one would try all
        # places of those before it.
        search = (corner, size, gap)
        place, further = self._searches.get(search, (corner, _around(corner)))
        while not self.is_free(place, size, gap):
            place = next(further)
        self._searches[search] = (place, further)
        return place

    def _covered(
        self, left: float, top: float, right: float, bottom: float
    ) -> Iterator[tuple[int, int]]:
        wide, high = self._cell
        for column in range(math.floor(left / wide), math.floor(right / wide) + 1):
            for row in range(math.floor(top / high), math.floor(bottom / high) + 1):
                yield column, row


def _around(corner: Corner) -> Iterator[Corner]:
    """Yield the place itself, then rings around it, ever wider."""
    yield corner
    ring = 0
    while True:
        ring += 1
        yield from _ring(corner, ring, _STEP * (1 + ring // 16))


def _ring(corner: Corner, ring: int, step: float) -> Iterator[Corner]:
    x, y = corner
    # The sides' middles first: straight below or beside looks better than aslant.
    for along in sorted(range(-ring, ring + 1), key=abs):
        yield x + along * step, y + ring * step
        yield x + along * step, y - ring * step
        yield x + ring * step, y + along * step
        yield x - ring * step, y + along * step


def largest(sizes: Sequence[Size]) -> Size:
    width = max((width for width, _ in sizes), default=1.0)
    height = max((height for _, height in sizes), default=1.0)
    return width, height


def apart(
    corners: Sequence[Corner], sizes: Sequence[Size], gap: Size = GAP
) -> list[Corner]:
    """Return the boxes moved as little as seems needed, so that they do not overlap and
    keep their gaps.
    """
    places = [(x, y) for x, y in corners]
    for _ in range(_PUSHES):
        if not _push(places, sizes, gap):
            break
    # Boxes that still overlap, in a crowd without room, get the nearest free place.
    taken = Boxes(largest(sizes))
    middle = _middle(places)
    from_middle = sorted(
        range(len(places)), key=lambda box: (math.dist(places[box], middle), box)
    )
    for number in from_middle:
        place = places[number]
        if not taken.is_free(place, sizes[number], (gap[0] / 2, gap[1] / 2)):
            place = places[number] = taken.nearest(place, sizes[number], gap)
        taken.add(place, sizes[number])
    return places


def _middle(places: Sequence[Corner]) -> Corner:
    count = max(len(places), 1)
    return sum(x for x, _ in places) / count, sum(y for _, y in places) / count


def _push(places: list[Corner], sizes: Sequence[Size], gap: Size) -> bool:
    """Move pairs that are too near apart, each by half, along the shorter way. Return
    whether there were any.
    """
    width, height = largest(sizes)
    width += gap[0]
    height += gap[1]
    cells: dict[tuple[int, int], list[int]] = {}
    for number, (x, y) in enumerate(places):
        cells.setdefault((int(x // width), int(y // height)), []).append(number)
    pushed = False
    for (column, row), boxes in cells.items():
        near_boxes = [
            box
            for near_column in (column, column + 1)
            for near_row in (row - 1, row, row + 1)
            for box in cells.get((near_column, near_row), ())
        ]
        for box in boxes:
            for other in near_boxes:
                first, second = sorted((box, other))
                if first != second and _push_pair(places, sizes, gap, first, second):
                    pushed = True
    return pushed


def _push_pair(
    places: list[Corner], sizes: Sequence[Size], gap: Size, first: int, second: int
) -> bool:
    x, y = places[first]
    other_x, other_y = places[second]
    width, height = sizes[first]
    other_width, other_height = sizes[second]
    dx = other_x + other_width / 2 - x - width / 2
    dy = other_y + other_height / 2 - y - height / 2
    over_x = (width + other_width) / 2 + gap[0] - abs(dx)
    over_y = (height + other_height) / 2 + gap[1] - abs(dy)
    if over_x <= 0.5 or over_y <= 0.5:
        return False
    if over_x < over_y:
        move = math.copysign(over_x / 2 + 0.5, dx)
        places[first] = (x - move, y)
        places[second] = (other_x + move, other_y)
    else:
        move = math.copysign(over_y / 2 + 0.5, dy)
        places[first] = (x, y - move)
        places[second] = (other_x, other_y + move)
    return True


def group_place(
    corners: Mapping[str, Corner], sizes: Mapping[str, Size], others: Boxes
) -> Corner:
    """Return how far a group must be shifted, as a whole, to overlap none of the
    others.

    That is nearby, or else below all of them.
    """
    if not corners:
        return 0.0, 0.0
    for number, shift in enumerate(_around((0.0, 0.0))):
        if number > 4 * _NEAR * (_NEAR + 1):
            break
        if all(
            others.is_free((x + shift[0], y + shift[1]), sizes[key], (12, 12))
            for key, (x, y) in corners.items()
        ):
            return shift
    return 0.0, others.bottom + 2 * GAP[1] - min(y for _, y in corners.values())
