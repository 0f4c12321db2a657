"""The checkpoints of one run as a Qt model: one row each, in the order of saving, in
lanes of branches.

Rows are inserted at most once a frame, so that a fast run does not cost the window
much. For painting, each lane has its rows by superstep.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QObject, Qt, QTimer, Signal

from designer.model.lanes import Lane, Lanes, Stretch
from designer.qt.indexes import ROOT, AnyIndex
from runtime.debug.protocol import Header
from runtime.events import WorkflowRunState

FRAME = 16  # ms
FAILED = "failed"
MISSED = "missed"


class Role(IntEnum):
    """The roles of a row besides its text."""

    HEADER = Qt.ItemDataRole.UserRole + 1
    LANE = Qt.ItemDataRole.UserRole + 2
    PARENT = Qt.ItemDataRole.UserRole + 3


class Rank(IntEnum):
    """How important a checkpoint is. Of those that share a pixel the highest is shown."""

    PLAIN = 0
    FORK = 1
    QUESTION = 2
    STALLED = 3
    DAMAGED = 4


@dataclass(frozen=True, slots=True)
class Incident:
    """A superstep without a checkpoint, because it failed or could not be saved.
    `after` is the row of the checkpoint before.
    """

    kind: str
    lane: int
    column: int
    after: int
    text: str


@dataclass(slots=True)
class LaneRows:
    """The rows of a lane in order, with the superstep and the rank of each, for
    painting. `tagged` has the rows of checkpoints with tags.
    """

    rows: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    ranks: bytearray = field(default_factory=bytearray)
    incidents: list[Incident] = field(default_factory=list)
    edits: int = 0
    tagged: set[int] = field(default_factory=set)

    def between(self, first: int, last: int) -> range:
        """Return the places (not rows) of the checkpoints of supersteps `first` to
        `last`.
        """
        return range(bisect_left(self.columns, first), bisect_right(self.columns, last))


class TimelineModel(QAbstractTableModel):
    """One column. `header_at`, `row_of`, `lane_rows` and `lanes` are for painting.
    Headers that wait for the next frame have no rows yet.
    """

    grown = Signal()  # rows or incidents were added, or a header changed

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.run_id = ""
        self.columns = 0
        self.lane_rows: list[LaneRows] = []
        self._lanes = Lanes()
        self._row_count = 0  # that Qt knows
        self._pending: list[Header] = []
        self._timer = QTimer(self, interval=FRAME, singleShot=True)
        self._timer.timeout.connect(self.flush)

    # --- filling ------------------------------------------------------------------------------------------------

    def clear(self, run_id: str = "") -> None:
        """Take another run, without checkpoints."""
        self.beginResetModel()
        self.run_id = run_id
        self.columns = 0
        self._row_count = 0
        self._lanes = Lanes()
        self.lane_rows = []
        self._pending.clear()
        self.endResetModel()
        self.grown.emit()

    def append(self, headers: Iterable[Header]) -> None:
        """Add checkpoints, in the order of their sequence, except those that are there
        already.
        """
        self._pending += headers
        if self._pending and not self._timer.isActive():
            self._timer.start()

    def flush(self) -> None:
        """Insert the pending checkpoints now."""
        self._timer.stop()
        first = len(self._lanes)
        pending = self._pending
        self._pending = []
        stretches = list(self._lanes.extend(pending))
        if not stretches:
            return
        self.beginInsertRows(ROOT, first, len(self._lanes) - 1)
        self._row_count = len(self._lanes)
        for stretch in stretches:
            self._add(stretch)
        self.endInsertRows()
        self.grown.emit()

    def _add(self, stretch: Stretch) -> None:
        headers = self._lanes.headers[stretch.first : stretch.stop]
        if stretch.lane == len(self.lane_rows):
            self.lane_rows.append(LaneRows())
        lane = self.lane_rows[stretch.lane]
        columns = [header.superstep for header in headers]
        lane.rows.extend(range(stretch.first, stretch.stop))
        lane.columns.extend(columns)
        lane.tagged.update(
            row for row, header in enumerate(headers, stretch.first) if header.tags
        )
        self._rank(lane, headers)
        self.columns = max(self.columns, max(columns) + 1)

    def _rank(self, lane: LaneRows, headers: Sequence[Header]) -> None:
        first = len(lane.ranks)
        lane.ranks.extend(bytes(len(headers)))  # plain, like nearly all
        for place, header in enumerate(headers, first):
            is_plain = header.cause == "superstep" and header.status == "IN_PROGRESS"
            if not is_plain or header.requests or header.damaged:
                lane.ranks[place] = _rank(header)
                lane.edits += header.cause == "edit"

    def replace(self, header: Header) -> None:
        """Take a checkpoint whose tags or note changed."""
        row = self._lanes.replace(header)
        if row is None:
            return
        tagged = self.lane_rows[self.lane_of(row)].tagged
        tagged.add(row) if header.tags else tagged.discard(row)
        index = self.index(row, 0)
        self.dataChanged.emit(index, index)
        self.grown.emit()

    def add_incident(self, kind: str, branch: str, column: int, text: str) -> None:
        """Mark a superstep of a branch without a checkpoint."""
        self.flush()
        lane = next(
            (lane for lane in reversed(self.lanes) if lane.branch == branch), None
        )
        if lane is None:
            return
        self.lane_rows[lane.index].incidents.append(
            Incident(kind, lane.index, column, lane.last_row, text)
        )
        self.columns = max(self.columns, column + 1)
        self.grown.emit()

    # --- asking -------------------------------------------------------------------------------------------------

    @property
    def lanes(self) -> Sequence[Lane]:
        return self._lanes.lanes

    @property
    def branch_count(self) -> int:
        return len(self.lane_rows)

    @property
    def last_sequence(self) -> int:
        """The sequence of the newest checkpoint, also of one that has no row yet; 0
        without any.
        """
        if self._pending:
            return self._pending[-1].sequence
        headers = self._lanes.headers
        return headers[-1].sequence if headers else 0

    def header_at(self, row: int) -> Header:
        return self._lanes.headers[row]

    def row_of(self, checkpoint_id: str | None) -> int | None:
        return self._lanes.row_of(checkpoint_id) if checkpoint_id is not None else None

    def header(self, checkpoint_id: str | None) -> Header | None:
        row = self.row_of(checkpoint_id)
        return self.header_at(row) if row is not None else None

    def name(self, checkpoint_id: str | None) -> str:
        """Return the name of a checkpoint for people, by its place in the run: "#14";
        "" for one of another run.
        """
        row = self.row_of(checkpoint_id)
        return f"#{row + 1}" if row is not None else ""

    def lane_of(self, row: int) -> int:
        return self._lanes.lane_of[row]

    def column_of(self, row: int) -> int:
        return self._lanes.headers[row].superstep

    def parent_row(self, row: int | None) -> int | None:
        """Return the row of the checkpoint before; over a gap, of the nearest one
        before.
        """
        return self._lanes.parent_of(row) if row is not None else None

    def row_in_superstep(self, row: int | None, superstep: int) -> int | None:
        """Return the row of the barrier of a superstep on the way to a row. Answers and
        forks at that barrier come after it.
        """
        barrier = None
        while row is not None and self.column_of(row) >= superstep:
            if self.column_of(row) == superstep:
                barrier = row
            row = self.parent_row(row)
        return barrier

    def is_after_gap(self, row: int) -> bool:
        """Return whether the checkpoint before was removed."""
        return self._lanes.is_after_gap(row)

    def next_row(self, row: int | None) -> int | None:
        """Return the row of the checkpoint after this one on the same branch."""
        if row is None:
            return None
        rows = self.lane_rows[self._lanes.lane_of[row]].rows
        place = bisect_right(rows, row)
        return rows[place] if place < len(rows) else None

    def is_last(self, row: int) -> bool:
        """Return whether a checkpoint is the head of its branch."""
        return self.lanes[self.lane_of(row)].last_row == row

    # --- Qt's questions -----------------------------------------------------------------------------------------

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else self._row_count

    def columnCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else 1

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= self._row_count:
            return None
        row = self._lanes[index.row()]
        header = self.header_at(index.row())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return (
                    f"#{index.row() + 1}  superstep {header.superstep}  {header.cause}"
                )
            case Role.HEADER:
                return header
            case Role.LANE:
                return row.lane
            case Role.PARENT:
                return row.parent
            case _:
                return None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return "Checkpoint" if orientation == Qt.Orientation.Horizontal else section + 1


def _rank(header: Header) -> Rank:
    if header.damaged:
        return Rank.DAMAGED
    if header.status == WorkflowRunState.IDLE_WITH_STALLED_JOINS:
        return Rank.STALLED
    if header.cause == "response" or header.requests:
        return Rank.QUESTION
    return Rank.FORK if header.cause in ("fork", "edit") else Rank.PLAIN
