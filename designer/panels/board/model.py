"""What the board shows: its rows, and which checkpoint has the facts of a superstep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal

from designer.document.document import Document
from designer.panels.board.columns import Column, Columns
from designer.panels.board.outline import outline
from designer.panels.board.places import BoardPlaces
from designer.panels.board.rows import Row, Rows
from designer.session.session import DebugSession
from runtime.debug.protocol import Header
from runtime.document.definition import WorkflowDefinition


@dataclass(frozen=True, slots=True)
class Spot:
    """A cell: the key of its row, and its superstep."""

    lane: int
    name: str
    superstep: int


class BoardModel(QObject):
    """Follows the timeline of the session. `changed` follows every change of rows,
    columns or places.
    """

    changed = Signal()

    def __init__(
        self, session: DebugSession, document: Document, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._document = document
        self.timeline = session.timeline
        self.places = BoardPlaces()
        self.columns = Columns(session.questions, self)
        self.columns.arrived.connect(self._on_arrived)
        self._rows = Rows()
        self._run_id = ""
        self._open_lanes: set[int] = set()
        self._drawn: WorkflowDefinition | None = None
        self._drawn_definition: Mapping[str, Any] = {}

    # --- following ----------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Follow the timeline and what is viewed."""
        if self.timeline.run_id != self._run_id:
            self._run_id = self.timeline.run_id
            self.columns.forget()
            self._rows.forget()
            self.places.forget()
        self._rows.infos = self._session.infos
        self._rows.definition = self._definition()
        self._make_rows()

    def toggle(self, row: Row) -> None:
        """Open or close a row."""
        self._rows.toggle(row)
        self._make_rows()

    def _definition(self) -> Mapping[str, Any]:
        moment = self._session.moment
        if moment is not None and moment.definition:
            return moment.definition
        if self._session.looks_only:
            return {}
        workflow = self._document.root.workflow
        if workflow is not self._drawn:
            self._drawn = workflow
            self._drawn_definition = workflow.model_dump(mode="json")
        return self._drawn_definition

    def _make_rows(self) -> None:
        branches = [lane.branch for lane in self.timeline.lanes]
        rows = self._rows.make(branches, self.current_lane)
        self._open_lanes = {
            row.lane for row in rows if row.kind == "branch" and row.is_open
        }
        self.places.set_rows(rows)
        self.places.set_count(self.last_superstep)
        self.changed.emit()

    def _on_arrived(self, columns: list[Column]) -> None:
        has_new = False
        for column in columns:
            row = self.timeline.row_of(column.checkpoint_id)
            if row is None:
                continue
            for lane in {self.timeline.lane_of(row), *self._open_lanes}:
                if self.checkpoint(lane, column.superstep) == column.checkpoint_id:
                    has_new = self._rows.learn(lane, column) or has_new
                    if lane == self.current_lane:
                        self.places.set_length(column.superstep, column.length)
        if has_new:
            self._make_rows()
        else:
            self.changed.emit()

    # --- asking -------------------------------------------------------------------------------------------------

    @property
    def rows(self) -> list[Row]:
        return list(self.places.rows)

    @property
    def viewed(self) -> Header | None:
        """The checkpoint that is viewed, else the head of the live run."""
        session = self._session
        if session.viewing is not None:
            return self.timeline.header(session.viewing)
        return session.head if session.mode == "live" else None

    @property
    def current_lane(self) -> int:
        """The branch that is viewed; the newest if there is none."""
        viewed = self.viewed
        row = self.timeline.row_of(viewed.id) if viewed is not None else None
        if row is not None:
            return self.timeline.lane_of(row)
        return max(0, self.timeline.branch_count - 1)

    @property
    def running_lane(self) -> int | None:
        """The branch on which a superstep runs now."""
        session = self._session
        if not session.running or session.head is None:
            return None
        row = self.timeline.row_of(session.head.id)
        return self.timeline.lane_of(row) if row is not None else None

    @property
    def last_superstep(self) -> int:
        return max(0, self.timeline.columns - 1 + (self.running_lane is not None))

    def title(self, name: str) -> str:
        """Return the title of an executor of the outermost workflow, else its name."""
        for node in outline(self._rows.definition, self._rows.infos):
            if node.id == name:
                return node.title
        return name.rpartition("/")[2]

    def place_of(self, spot: Spot) -> int | None:
        """Return the row of a cell, or of the nearest row around it that is shown."""
        places = {row.key: place for place, row in enumerate(self.places.rows)}
        name = spot.name
        while True:
            place = places.get((spot.lane, name))
            if place is not None or not name:
                return place
            name = around(name)

    def supersteps(self, lane: int) -> range:
        """Return the supersteps that a lane has itself, without those before its fork."""
        columns = self.timeline.lane_rows[lane].columns
        return range(columns[0], columns[-1] + 1) if columns else range(0)

    def shown_supersteps(self, lane: int) -> range:
        """Return the supersteps that the rows of a lane show: for an open branch those
        before its fork too, because they led to it.
        """
        own = self.supersteps(lane)
        if lane not in self._open_lanes:
            return own
        first = self.supersteps(self._lane_at(lane, 0))
        return range(first.start, own.stop)

    def _lane_at(self, lane: int, superstep: int) -> int:
        """Return the lane that has a superstep of the line of a lane: that lane, or one
        before its fork.
        """
        while True:
            forked_from = self.timeline.lanes[lane].forked_from
            columns = self.timeline.lane_rows[lane].columns
            row = self.timeline.row_of(forked_from)
            if row is None or not columns or superstep > columns[0]:
                return lane
            lane = self.timeline.lane_of(row)

    def at_barrier(self, lane: int, superstep: int) -> list[Header]:
        """Return the checkpoints of a lane at the end of a superstep, in order."""
        rows = self.timeline.lane_rows[lane]
        return [
            self.timeline.header_at(rows.rows[place])
            for place in rows.between(superstep, superstep)
        ]

    def checkpoint(self, lane: int, superstep: int) -> str:
        """Return the checkpoint that was saved at the end of a superstep; "" if there
        is none. Later ones at the same barrier are answers, forks and edits.
        """
        if lane in self._open_lanes:
            lane = self._lane_at(lane, superstep)
        for header in self.at_barrier(lane, superstep):
            if header.cause == "superstep":
                return header.id
        return ""

    def column(self, lane: int, superstep: int) -> Column | None:
        checkpoint_id = self.checkpoint(lane, superstep)
        return self.columns.get(checkpoint_id) if checkpoint_id else None

    def want(self, lanes: Iterable[int], first: int, last: int) -> None:
        """Fetch what is in view, the current branch first."""
        current = self.current_lane
        wanted = []
        for lane in sorted(lanes, key=lambda lane: (lane != current, lane)):
            extent = self.shown_supersteps(lane)
            start = max(first, extent.start, 1)
            for superstep in range(start, min(last + 1, extent.stop)):
                checkpoint_id = self.checkpoint(lane, superstep)
                if checkpoint_id:
                    wanted.append(checkpoint_id)
        self.columns.want(wanted)


def around(name: str) -> str:
    """Return the row around one: an invocation for an executor in it, its node for an
    invocation, and the branch for a node.
    """
    before, slash, last = name.rpartition("/")
    node, mark, number = last.rpartition("#")
    if mark and node and number.isdecimal():
        return f"{before}{slash}{node}"
    return before
