"""Where things stand on the timeline: one lane per branch, one column per superstep. No painting here.

Places are in content pixels: x from the left edge of superstep 0, y from the top of the first lane. In a column the
last mark of a lane stands in the middle and earlier ones to its left; a lane that forks starts to the right of its
parent. Marks that would touch are merged into one that counts.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from designer.session.timeline_model import Incident, TimelineModel

COLUMN = 104.0
COLUMN_MIN = 40.0
COLUMN_MAX = 208.0
LANE = 60
LANE_MIN = 32
# between marks of one column
GAP = 28.0
FORK_GAP = 22.0
TOUCH = 13.0  # closer than this, marks are merged
EDGE = 6.0  # what a mark keeps from the edge of its column
TAIL = 104.0  # how far the tags at the end of a lane may reach beyond its last column


@dataclass(frozen=True, slots=True)
class Mark:
    """Something drawn on a lane: a checkpoint (`row`) or an incident. When merged, `count` things, of which `row` is
    the last checkpoint and `first` the first; `hides` is the incident among them.
    """

    x: float
    row: int
    incident: Incident | None = None
    count: int = 1
    first: int = -1
    hides: Incident | None = None


class TimelineLayout:
    """Places for a model at one zoom. Call `invalidate` when the model has grown or was reset."""

    def __init__(self, model: TimelineModel) -> None:
        self.model = model
        self.column = COLUMN
        self.lane_height = LANE
        self._starts: list[float | None] = []
        self._groups: dict[tuple[int, int], list[Mark]] = {}

    # --- sizes --------------------------------------------------------------------------------------------------

    @property
    def is_overview(self) -> bool:
        """Columns are too narrow for marks: supersteps are summed up in bars."""
        return self.column < COLUMN_MIN

    def width(self, *, running: bool = False) -> float:
        return max(
            self.model.columns * self.column + TAIL,
            (self.model.columns + running) * self.column + EDGE,
        )

    def height(self) -> int:
        return self.model.branch_count * self.lane_height

    def fit_lanes(self, available: int) -> None:
        lanes = max(1, self.model.branch_count)
        self.lane_height = max(LANE_MIN, min(LANE, available // lanes))

    def zoom(self, column: float, available: float) -> None:
        """Set the width of a superstep, between all of the run at once and the widest."""
        least = min(
            COLUMN_MIN, max(available - TAIL, 100.0) / max(1, self.model.columns)
        )
        self.column = max(least, min(COLUMN_MAX, column))
        self.invalidate()

    def invalidate(self) -> None:
        self._groups.clear()
        self._starts.clear()

    # --- places -------------------------------------------------------------------------------------------------

    def lane_y(self, lane: int) -> float:
        return lane * self.lane_height + self.lane_height / 2

    def column_at(self, x: float) -> int:
        return int(max(0.0, x) // self.column)

    def centre(self, column: int) -> float:
        return (column + 0.5) * self.column

    def x_of(self, row: int) -> float:
        """Where the mark of a checkpoint stands, also when it is merged with others."""
        marks = self.marks_of(self.model.lane_of(row), self.model.column_of(row))
        mark_of_row = next(
            (
                mark
                for mark in marks
                if mark.incident is None and mark.first <= row <= mark.row
            ),
            None,
        )
        return (
            mark_of_row.x
            if mark_of_row is not None
            else self.centre(self.model.column_of(row))
        )

    def fork_of(self, lane: int) -> tuple[int, float, float] | None:
        """The curve into a lane: the lane that it leaves, and both ends' x. None for a lane that starts by itself."""
        parent = self._parent(lane)
        if parent is None:
            return None
        return (
            self.model.lane_of(parent),
            self.x_of(parent),
            self.x_of(self.model.lanes[lane].first_row),
        )

    def marks_of(self, lane: int, column: int) -> list[Mark]:
        """The marks of one lane in one column, from left to right."""
        known = self._groups.get((lane, column))
        if known is None:
            known = self._groups[lane, column] = self._place(lane, column)
        return known

    def marks_between(self, lane: int, first: int, last: int) -> list[Mark]:
        """The marks of a lane in columns `first` to `last`, with the nearest one on both sides, so that lines are
        drawn to the edge.
        """
        rows = self.model.lane_rows[lane]
        near = rows.between(first, last)
        columns = set(rows.columns[max(0, near.start - 1) : near.stop + 1])
        columns |= {
            incident.column
            for incident in rows.incidents
            if first <= incident.column <= last
        }
        return [
            mark for column in sorted(columns) for mark in self.marks_of(lane, column)
        ]

    def nearest(self, lane: int, x: float) -> int | None:
        """The row of the checkpoint of a lane whose mark is nearest to x."""
        rows = self.model.lane_rows[lane]
        if not rows.rows:
            return None
        if self.is_overview:
            place = min(
                bisect_left(rows.columns, self.column_at(x)), len(rows.rows) - 1
            )
            return rows.rows[place]
        column = self.column_at(x)
        marks = [
            mark
            for mark in self.marks_between(lane, column - 1, column + 1)
            if mark.incident is None
        ]
        return min(marks, key=lambda mark: abs(mark.x - x)).row

    # --- inside -------------------------------------------------------------------------------------------------

    def _parent(self, lane: int) -> int | None:
        return self.model.parent_row(self.model.lanes[lane].first_row)

    def _start_of(self, lane: int) -> float | None:
        """Where a lane starts that forks within a column; None when it starts at the middle like any other.

        Filled in the order of lanes, so that a chain of forks needs no recursion: a parent's lane is always earlier.
        """
        while len(self._starts) <= lane:
            self._starts.append(self._find_start(len(self._starts)))
        return self._starts[lane]

    def _find_start(self, lane: int) -> float | None:
        parent = self._parent(lane)
        column = self.model.column_of(self.model.lanes[lane].first_row)
        if parent is None or self.model.column_of(parent) != column:
            return None
        return min(self.x_of(parent) + FORK_GAP, self._right(column))

    def _right(self, column: int) -> float:
        return (column + 1) * self.column - EDGE

    def _place(self, lane: int, column: int) -> list[Mark]:
        items = self._items(lane, column)
        if not items:
            return []
        first_row = self.model.lanes[lane].first_row
        if any(row == first_row for row, _ in items):
            start = self._start_of(lane)
        else:
            start = None
        between = len(items) - 1
        if start is None:
            gap = min(GAP, (self.column / 2 - EDGE) / between) if between else GAP
            left = self.centre(column) - gap * between
        else:
            if between:
                gap = min(FORK_GAP, (self._right(column) - start) / between)
            else:
                gap = FORK_GAP
            left = start
        if gap < TOUCH:
            return self._merged(
                items, left if start is not None else self.centre(column)
            )
        return [
            Mark(left + gap * place, row, incident, first=row)
            for place, (row, incident) in enumerate(items)
        ]

    def _items(self, lane: int, column: int) -> list[tuple[int, Incident | None]]:
        """Checkpoints and incidents of a column, each incident after the checkpoint that it followed."""
        rows = self.model.lane_rows[lane]
        items: list[tuple[int, Incident | None]] = [
            (rows.rows[place], None) for place in rows.between(column, column)
        ]
        items += [
            (incident.after, incident)
            for incident in rows.incidents
            if incident.column == column
        ]
        return sorted(items, key=lambda item: (item[0], item[1] is not None))

    def _merged(self, items: list[tuple[int, Incident | None]], x: float) -> list[Mark]:
        checkpoints = [row for row, incident in items if incident is None]
        if not checkpoints:
            row, incident = items[-1]
            return [Mark(x, row, incident, first=row)]
        hidden = next((incident for _, incident in items if incident is not None), None)
        return [
            Mark(
                x, checkpoints[-1], count=len(items), first=checkpoints[0], hides=hidden
            )
        ]
