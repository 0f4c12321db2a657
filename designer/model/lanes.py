"""The checkpoints of one run as lanes: a lane per branch, a column per superstep. Grows at its end in constant time."""

from __future__ import annotations

from dataclasses import dataclass, replace

from runtime.debug.protocol import Header


@dataclass(frozen=True, slots=True)
class LaneRow:
    """One checkpoint: its place in the list, its lane, the row of the one that it goes on from, its column.

    `gap` says that its parent was removed: it goes on from the last before it on its branch that is here, if any.
    """

    header: Header
    row: int
    lane: int
    parent: int | None
    column: int
    gap: bool = False


@dataclass(frozen=True, slots=True)
class Lane:
    """One line of checkpoints. `forked_from` is the id of the checkpoint that it leaves, None for a first lane;
    `last_row` is its head.
    """

    index: int
    branch: str
    first_row: int
    forked_from: str | None
    count: int
    last_row: int


class Lanes:
    """The lanes of one run. `rows` are in the order in which they came, `lanes` in the order in which they opened.

    A checkpoint stands on the lane of its branch if its parent is the head there; else it opens another lane. So a
    branch that goes on from its middle, which no store should hold, is shown as what it is. A lane goes on over a gap:
    a branch whose checkpoints were pruned here and there is still one line.
    """

    def __init__(self) -> None:
        self.rows: list[LaneRow] = []
        self.lanes: list[Lane] = []
        self._row_of: dict[str, int] = {}
        self._lane_of: dict[str, int] = {}  # the newest of each branch

    @property
    def run_id(self) -> str | None:
        """The run that these are of; None before the first checkpoint."""
        return self.rows[0].header.run_id if self.rows else None

    def row_of(self, checkpoint_id: str) -> int | None:
        return self._row_of.get(checkpoint_id)

    def append(self, header: Header) -> LaneRow:
        """The row of one more checkpoint. One that is here already keeps its row and takes the new header, as after a
        new note. Raises `ValueError` for a checkpoint of another run: make other `Lanes` for it.
        """
        if self.rows and header.run_id != self.run_id:
            raise ValueError(f"checkpoint {header.id} is of run {header.run_id}, these lanes are of {self.run_id}")
        known = self._row_of.get(header.id)
        if known is not None:
            self.rows[known] = replace(self.rows[known], header=header)
            return self.rows[known]
        parent = self._row_of.get(header.parent) if header.parent is not None else None
        gap = header.parent is not None and parent is None
        if gap and header.branch in self._lane_of:
            parent = self.lanes[self._lane_of[header.branch]].last_row
        lane = self._lane_for(header, parent)
        row = LaneRow(header, len(self.rows), lane, parent, header.superstep, gap)
        self._row_of[header.id] = row.row
        self.rows.append(row)
        return row

    def _lane_for(self, header: Header, parent: int | None) -> int:
        row = len(self.rows)
        if parent is not None:
            lane = self.lanes[self.rows[parent].lane]
            if lane.last_row == parent and lane.branch == header.branch:
                self.lanes[lane.index] = replace(lane, count=lane.count + 1, last_row=row)
                return lane.index
        opened = Lane(len(self.lanes), header.branch, row, header.parent, 1, row)
        self.lanes.append(opened)
        self._lane_of[header.branch] = opened.index
        return opened.index
