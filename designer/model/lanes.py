"""The checkpoints of one run as lanes: a lane per branch, a column per superstep. Grows
at its end in constant time.

It is a table of columns, not an object for each checkpoint, because a run may have
hundreds of thousands of them, and nearly all of them just follow the one before.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import ne
from typing import NamedTuple

from runtime.debug.protocol import Header

_NONE = -1


class LaneRow(NamedTuple):
    """One checkpoint: its place in the list, its lane, the row of the one that it
    continues, its column.

    `gap` says that its parent was removed: it continues the last one before it on its
    branch, if there is any.
    """

    header: Header
    row: int
    lane: int
    parent: int | None
    column: int
    gap: bool = False


class Stretch(NamedTuple):
    """Rows `first` up to (not with) `stop`, which follow each other on one lane."""

    lane: int
    first: int
    stop: int


@dataclass(frozen=True, slots=True)
class Lane:
    """One line of checkpoints. `forked_from` is the id of the checkpoint that it
    leaves, None for a first lane; `last_row` is its head.
    """

    index: int
    branch: str
    first_row: int
    forked_from: str | None
    count: int
    last_row: int


class Lanes:
    """The lanes of one run: a sequence of rows in the order in which they came, `lanes`
    in that in which they opened.

    A checkpoint is on the lane of its branch if its parent is the head there; else it
    opens another lane. So a branch that continues from its middle, which no store
    should have, is shown as what it is. A lane continues over a gap: a branch of which
    some checkpoints were pruned is still one line.
    """

    def __init__(self) -> None:
        self.headers: list[Header] = []
        self.lanes: list[Lane] = []
        self.lane_of = array("i")  # by row
        self._parent_of = array("i")
        self._gaps: set[int] = set()
        self._row_of: dict[str, int] = {}
        self._lane_of: dict[str, int] = {}  # the newest of each branch

    def __len__(self) -> int:
        return len(self.headers)

    def __getitem__(self, row: int) -> LaneRow:
        header = self.headers[row]
        return LaneRow(
            header,
            row,
            self.lane_of[row],
            self.parent_of(row),
            header.superstep,
            self.is_after_gap(row),
        )

    @property
    def run_id(self) -> str | None:
        """The run that these are of; None before the first checkpoint."""
        return self.headers[0].run_id if self.headers else None

    def row_of(self, checkpoint_id: str) -> int | None:
        return self._row_of.get(checkpoint_id)

    def parent_of(self, row: int) -> int | None:
        parent = self._parent_of[row]
        return None if parent == _NONE else parent

    def is_after_gap(self, row: int) -> bool:
        return row in self._gaps

    def replace(self, header: Header) -> int | None:
        """Take the new header of a checkpoint, as after a new note. Return its row;
        None if it is not known.
        """
        row = self._row_of.get(header.id)
        if row is not None:
            self.headers[row] = header
        return row

    def extend(self, headers: Sequence[Header]) -> Iterator[Stretch]:
        """Add checkpoints and yield on which lanes they are; known ones are left out.

        Raise `ValueError` for a checkpoint of another run, which needs other `Lanes`.
        """
        for first, stop in pairwise(self._breaks(headers)):
            place = first
            while place < stop and not self._is_next(headers[place]):
                if headers[place].id not in self._row_of:
                    row = self._add(headers[place])
                    yield Stretch(self.lane_of[row], row, row + 1)
                place += 1
            if place < stop:
                yield self._go_on(headers[place:stop])

    def _breaks(self, headers: Sequence[Header]) -> list[int]:
        """Return the places where a checkpoint does not continue the one before; the
        first and the end too.

        Between two of them no checkpoint comes again.
        """
        ids = [header.id for header in headers]
        are_new = self._row_of.keys().isdisjoint(ids)
        if are_new and _is_straight(headers, ids):
            return [0, len(headers)]
        if not are_new or len(set(ids)) < len(ids):
            # Some come again, so each is looked at.
            return list(range(len(headers) + 1))
        breaks = {0, len(headers)}
        for place, (before, header) in enumerate(pairwise(headers), start=1):
            if not _follows(before, header):
                breaks.add(place)
        return sorted(breaks)

    def _is_next(self, header: Header) -> bool:
        """Return whether a checkpoint that is not known yet directly continues the last
        row.
        """
        if not self.headers or header.id in self._row_of:
            return False
        return _follows(self.headers[-1], header)

    def _go_on(self, headers: Sequence[Header]) -> Stretch:
        """Add a straight piece after the last row."""
        first = len(self.headers)
        lane = self.lane_of[-1]
        stop = first + len(headers)
        self.headers += headers
        self.lane_of.extend(array("i", [lane]) * len(headers))
        self._parent_of.extend(array("i", range(first - 1, stop - 1)))
        self._row_of.update(
            zip([header.id for header in headers], range(first, stop), strict=True)
        )
        self.lanes[lane] = replace(
            self.lanes[lane],
            count=self.lanes[lane].count + len(headers),
            last_row=stop - 1,
        )
        return Stretch(lane, first, stop)

    def _add(self, header: Header) -> int:
        if self.headers and header.run_id != self.run_id:
            raise ValueError(
                f"checkpoint {header.id} is of run {header.run_id}, these lanes are of {self.run_id}"
            )
        row = len(self.headers)
        parent = self._row_of.get(header.parent) if header.parent is not None else None
        if header.parent is not None and parent is None:
            self._gaps.add(row)
            if header.branch in self._lane_of:
                parent = self.lanes[self._lane_of[header.branch]].last_row
        self.lane_of.append(self._lane_for(header, parent))
        self._parent_of.append(_NONE if parent is None else parent)
        self._row_of[header.id] = row
        self.headers.append(header)
        return row

    def _lane_for(self, header: Header, parent: int | None) -> int:
        row = len(self.headers)
        if parent is not None:
            lane = self.lanes[self.lane_of[parent]]
            if lane.last_row == parent and lane.branch == header.branch:
                self.lanes[lane.index] = replace(
                    lane, count=lane.count + 1, last_row=row
                )
                return lane.index
        opened = Lane(len(self.lanes), header.branch, row, header.parent, 1, row)
        self.lanes.append(opened)
        self._lane_of[header.branch] = opened.index
        return opened.index


def _follows(before: Header, header: Header) -> bool:
    return (header.parent, header.branch, header.run_id) == (
        before.id,
        before.branch,
        before.run_id,
    )


def _is_straight(headers: Sequence[Header], ids: list[str]) -> bool:
    """Return whether each checkpoint follows the one before it. Nearly all do, so whole
    lists are compared.
    """
    if any(map(ne, [header.parent for header in headers[1:]], ids)):
        return False
    return (
        len({header.branch for header in headers}) <= 1
        and len({header.run_id for header in headers}) <= 1
    )
