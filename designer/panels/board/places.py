"""Positions on the board, in content pixels: x from the left edge of superstep 0, y from
the top of the first row. Paints nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from statistics import median

from designer.panels.board.rows import Row

START = 52.0  # px of superstep 0
COLUMN = 148.0
COLUMN_MIN = 96.0
COLUMN_MAX = 480.0
# A column to scale; it is never so narrow that its number has no room.
SCALED_MIN = 40.0
SCALED_MAX = 1600.0
PAD = 14.0
TAIL = 80.0  # px beyond the last barrier, for the flag and what is running
ZOOM_MIN = 0.25
ZOOM_MAX = 8.0


class BoardPlaces:
    """Where columns and rows are. `to_scale` makes columns as wide as their supersteps
    are long.
    """

    def __init__(self) -> None:
        self.count = 0  # supersteps, without superstep 0
        self.to_scale = False
        self.rows: Sequence[Row] = ()
        self._width = COLUMN
        self._pixels = 0.0  # for a second, when to scale
        self._zoom = 1.0
        self._lengths: dict[int, float] = {}
        self._edges: list[float] = []
        self._tops: list[int] = [0]

    # --- columns ------------------------------------------------------------------------------------------------

    def set_count(self, count: int) -> None:
        if count != self.count:
            self.count = count
            self._edges.clear()

    def forget(self) -> None:
        self._lengths.clear()
        self._pixels = 0.0
        self._edges.clear()

    def set_length(self, superstep: int, seconds: float) -> None:
        if self._lengths.get(superstep) != seconds:
            self._lengths[superstep] = seconds
            if self.to_scale:
                self._edges.clear()

    def scale(self, *, to_scale: bool) -> None:
        self.to_scale = to_scale
        self._edges.clear()
        # Fixed now, so that columns which are read later do not move the others.
        self._pixels = 0.0
        lengths = [length for length in self._lengths.values() if length > 0]
        if lengths:
            self._pixels = (COLUMN - 2 * PAD) / median(lengths)

    def zoom(self, factor: float) -> None:
        if self.to_scale:
            self._zoom = min(ZOOM_MAX, max(ZOOM_MIN, self._zoom * factor))
        else:
            self._width = min(COLUMN_MAX, max(COLUMN_MIN, self._width * factor))
        self._edges.clear()

    def left(self, superstep: int) -> float:
        """Return the left edge of a column, which is the barrier before it."""
        return 0.0 if superstep <= 0 else self.barrier(superstep - 1)

    def barrier(self, superstep: int) -> float:
        """Return the x of the barrier at the end of a superstep."""
        if superstep <= 0:
            return START
        if not self.to_scale:
            return START + superstep * self._width
        edges = self._scaled()
        return edges[min(superstep, len(edges) - 1)]

    def column_at(self, x: float) -> int:
        if x < START:
            return 0
        if not self.to_scale:
            return 1 + int((x - START) // self._width)
        return bisect_right(self._scaled(), x)

    def width(self) -> float:
        return self.barrier(self.count) + TAIL

    def x_of(self, superstep: int, seconds: float, length: float) -> float:
        """Return the x of a time in a superstep that took `length`."""
        left = self.left(superstep) + PAD
        room = self.barrier(superstep) - PAD - left
        share = seconds / length if length > 0 else 0.0
        return left + max(0.0, room) * min(1.0, share)

    def _scaled(self) -> list[float]:
        if not self._edges:
            widths = map(self._scaled_width, range(1, self.count + 1))
            self._edges = list(accumulate(widths, initial=START))
        return self._edges

    def _scaled_width(self, superstep: int) -> float:
        seconds = self._lengths.get(superstep)
        if seconds is None or not self._pixels:
            return COLUMN
        width = seconds * self._pixels * self._zoom + 2 * PAD
        return min(SCALED_MAX, max(SCALED_MIN, width))

    # --- rows ---------------------------------------------------------------------------------------------------

    def set_rows(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self._tops = list(accumulate((row.height for row in rows), initial=0))

    def top(self, place: int) -> int:
        return self._tops[place]

    def middle(self, place: int) -> float:
        return (self._tops[place] + self._tops[place + 1]) / 2

    def height(self) -> int:
        return self._tops[-1]

    def row_at(self, y: float) -> int | None:
        place = bisect_right(self._tops, y) - 1
        return place if 0 <= place < len(self.rows) else None

    def rows_between(self, top: float, bottom: float) -> range:
        first = max(0, bisect_right(self._tops, top) - 1)
        last = bisect_right(self._tops, bottom) - 1
        return range(first, min(len(self.rows), last + 1))
