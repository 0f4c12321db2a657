"""Positions on the timeline: one lane per branch, one column per superstep. Paints
nothing.

Positions are in content pixels: x from the left edge of superstep 0, y from the top of
the first lane. In a column the last mark of a lane is in the middle and earlier marks
are to its left; a lane that forks starts to the right of its parent. Marks that would
touch are merged into one mark with a count.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from designer.panels.timeline.branches import Branches
from designer.session.timeline_model import Incident, TimelineModel

COLUMN = 104.0
COLUMN_MIN = 40.0
COLUMN_MAX = 208.0
LANE = 60
LANE_MIN = 32
GAP = 28.0  # between the marks of one column
FORK_GAP = 22.0  # the same in a column where a lane forks
TOUCH = 13.0  # marks that are closer than this are merged
EDGE = 6.0  # distance of a mark from the edge of its column
TAIL = 104.0  # room for the tags at the end of a lane, beyond its last column


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on a lane: a checkpoint (`row`) or an incident (a superstep that failed or
    was not saved).

    A merged mark has `count` members. Of these `first` and `row` are the first and the
    last checkpoint, and `hides` is the incident among them, if there is one.
    """

    x: float
    row: int
    incident: Incident | None = None
    count: int = 1
    first: int = -1
    hides: Incident | None = None


class TimelineLayout:
    """The positions of a model's rows at one zoom.

    They are computed on demand and cached; call `invalidate` when the model has grown
    or was reset.
    """

    def __init__(self, model: TimelineModel, branches: Branches) -> None:
        self.model = model
        self.branches = branches
        self.column = COLUMN
        self.draft_count = 0  # lanes below the branches
        self.lane_height = LANE
        self._starts: list[float | None] = []
        self._groups: dict[tuple[int, int], list[Mark]] = {}

    # --- sizes --------------------------------------------------------------------------------------------------

    @property
    def is_overview(self) -> bool:
        """Whether columns are too narrow for marks, so that bars summarize several
        supersteps.
        """
        return self.column < COLUMN_MIN

    def width(self, *, running: bool = False) -> float:
        return max(
            self.model.columns * self.column + TAIL,
            (self.model.columns + running) * self.column + EDGE,
        )

    def height(self) -> int:
        return self.lane_count * self.lane_height

    @property
    def lane_count(self) -> int:
        """The number of branches that are shown, and of drafts below them."""
        return len(self.branches.shown) + self.draft_count

    def fit_lanes(self, available: int) -> None:
        lanes = max(1, self.lane_count)
        self.lane_height = max(LANE_MIN, min(LANE, available // lanes))

    def zoom(self, column: float, available: float) -> None:
        """Set the width of a superstep: at least so that the run fills the width, at
        most the widest.
        """
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
        return self.branches.place_of(lane) * self.lane_height + self.lane_height / 2

    def lane_at(self, y: float) -> int | None:
        """Return the lane at a y, or None below the last and above the first."""
        place = int(y // self.lane_height)
        shown = self.branches.shown
        return shown[place] if 0 <= place < len(shown) else None

    def column_at(self, x: float) -> int:
        return int(max(0.0, x) // self.column)

    def centre(self, column: int) -> float:
        return (column + 0.5) * self.column

    def x_of(self, row: int) -> float:
        """Return the x of a checkpoint's mark, also when the mark is merged with
        others.
        """
        marks = self.marks_of(self.model.lane_of(row), self.model.column_of(row))
        for mark in marks:
            if mark.incident is None and mark.first <= row <= mark.row:
                return mark.x
        return self.centre(self.model.column_of(row))

    def shown_row(self, row: int) -> int:
        """Return the checkpoint itself, or that one at which its folded branch leaves a
        branch that is shown.
        """
        lane = self.model.lane_of(row)
        while not self.branches.is_shown(lane):
            parent = self._parent(lane)
            if parent is None:
                break
            row = parent
            lane = self.model.lane_of(row)
        return row

    def fork_of(self, lane: int) -> tuple[int, float, float] | None:
        """Return the curve into a lane: the lane that it leaves, and x of both ends.

        Return None for a lane that does not fork from another.
        """
        parent = self._parent(lane)
        if parent is None:
            return None
        return (
            self.model.lane_of(parent),
            self.x_of(parent),
            self.x_of(self.model.lanes[lane].first_row),
        )

    def marks_of(self, lane: int, column: int) -> list[Mark]:
        """Return the marks of one lane in one column, from left to right."""
        known = self._groups.get((lane, column))
        if known is None:
            known = self._groups[lane, column] = self._place(lane, column)
        return known

    def marks_between(self, lane: int, first: int, last: int) -> list[Mark]:
        """Return the marks of a lane in columns `first` to `last`, and the nearest mark
        on both sides.

        The neighbours are needed because lines are drawn from mark to mark, to the edge
        of the view.
        """
        rows = self.model.lane_rows[lane]
        near = rows.between(first, last)
        columns = set(rows.columns[max(0, near.start - 1) : near.stop + 1])
        for incident in rows.incidents:
            if first <= incident.column <= last:
                columns.add(incident.column)
        marks: list[Mark] = []
        for column in sorted(columns):
            marks += self.marks_of(lane, column)
        return marks

    def nearest(self, lane: int, x: float) -> int | None:
        """Return the row of the checkpoint of a lane whose mark is nearest to x."""
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
        """Return x of the start of a lane that forks within a column; None if it starts
        at the middle.

        The starts are filled in the order of lanes. So a chain of forks needs no
        recursion, because a parent's lane always comes before the lanes that fork from
        it.
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
        has_first_row = any(row == first_row for row, _ in items)
        start = self._start_of(lane) if has_first_row else None
        gaps = max(1, len(items) - 1)
        if start is None:
            # The last mark is in the middle, earlier marks are to its left.
            room = self.column / 2 - EDGE
            gap = min(GAP, room / gaps)
            left = self.centre(column) - gap * (len(items) - 1)
            merged_x = self.centre(column)
        else:
            # The lane begins within the column, so its marks are to the right of it.
            room = self._right(column) - start
            gap = min(FORK_GAP, room / gaps)
            left = start
            merged_x = start
        if gap < TOUCH and len(items) > 1:
            return self._merged(items, merged_x)
        return [
            Mark(left + gap * place, row, incident, first=row)
            for place, (row, incident) in enumerate(items)
        ]

    def _items(self, lane: int, column: int) -> list[tuple[int, Incident | None]]:
        """Return the checkpoints and incidents of a column, each incident after the
        checkpoint before it.
        """
        rows = self.model.lane_rows[lane]
        items: list[tuple[int, Incident | None]] = [
            (rows.rows[place], None) for place in rows.between(column, column)
        ]
        incidents = [entry for entry in rows.incidents if entry.column == column]
        items += [(incident.after, incident) for incident in incidents]
        return sorted(items, key=lambda item: (item[0], item[1] is not None))

    def _merged(self, items: list[tuple[int, Incident | None]], x: float) -> list[Mark]:
        checkpoints = [row for row, incident in items if incident is None]
        if not checkpoints:
            row, incident = items[-1]
            return [Mark(x, row, incident, first=row)]
        incidents = [incident for _, incident in items if incident is not None]
        mark = Mark(
            x,
            checkpoints[-1],
            count=len(items),
            first=checkpoints[0],
            hides=incidents[0] if incidents else None,
        )
        return [mark]
