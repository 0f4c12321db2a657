"""Steps along a timeline: previous, next, first, last, the branch above or below, and
playback.
"""

from __future__ import annotations

from bisect import bisect_left

from PySide6.QtCore import QObject, QTimer, Signal

from designer.panels.timeline.branches import Branches
from designer.panels.timeline.words import is_bookmarked
from designer.session.session import DebugSession

PLAY_INTERVAL = 500  # ms that playback shows each checkpoint


class Walker(QObject):
    """Chooses the checkpoint to view next; the session then loads and shows it."""

    playing_changed = Signal(bool)

    def __init__(
        self,
        session: DebugSession,
        branches: Branches,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._branches = branches
        self._model = session.timeline
        self._play = QTimer(self, interval=PLAY_INTERVAL)
        self._play.timeout.connect(self._play_next)
        session.changed.connect(self._on_session)

    @property
    def current(self) -> int | None:
        """The row of the viewed checkpoint, else of the head of the live run."""
        session = self._session
        if session.viewing is not None:
            return self._model.row_of(session.viewing)
        return self.head if session.mode == "live" else None

    @property
    def head(self) -> int | None:
        """The row of the head of the live run."""
        if self._session.head is not None:
            return self._model.row_of(self._session.head.id)
        return None

    @property
    def current_id(self) -> str:
        return self.id_of(self.current)

    @property
    def lane(self) -> int:
        """The lane of the current row; the newest lane when there is none."""
        current = self.current
        if current is not None:
            return self._model.lane_of(current)
        return max(0, self._model.branch_count - 1)

    def id_of(self, row: int | None) -> str:
        return self._model.header_at(row).id if row is not None else ""

    def view(self, row: int | None) -> None:
        if row is not None and row != self.current:
            self._session.view(self.id_of(row))

    # --- steps --------------------------------------------------------------------------------------------------

    def back(self) -> None:
        """View the previous checkpoint, across the fork if needed."""
        current = self.current
        if current is None:
            self.view(self._newest())
        else:
            self.view(self._model.parent_row(current))

    def forward(self) -> None:
        """View the next checkpoint of the branch."""
        current = self.current
        if current is None:
            self.view(self._newest())
        else:
            self.view(self._model.next_row(current))

    def first(self) -> None:
        self._end(0)

    def last(self) -> None:
        self._end(-1)

    def very_first(self) -> None:
        """View the first checkpoint of the run."""
        if self._model.rowCount():
            self.view(0)

    def run_head(self) -> None:
        """View the head of the live run, else the newest checkpoint of the run."""
        self.view(self.head if self.head is not None else self._newest())

    def to_bookmark(self, by: int) -> None:
        """View the next (1) or the previous (-1) bookmarked checkpoint of the run."""
        row = self.current
        if row is None:
            row = self._model.rowCount() if by < 0 else -1
        row += by
        while 0 <= row < self._model.rowCount():
            if is_bookmarked(self._model.header_at(row)):
                self.view(row)
                return
            row += by

    def up(self) -> None:
        self._neighbour(-1)

    def down(self) -> None:
        self._neighbour(1)

    @property
    def can_go_back(self) -> bool:
        current = self.current
        return self._model.rowCount() > 0 and (
            current is None or self._model.parent_row(current) is not None
        )

    @property
    def can_go_forward(self) -> bool:
        current = self.current
        return self._model.rowCount() > 0 and (
            current is None or self._model.next_row(current) is not None
        )

    def _end(self, place: int) -> None:
        if self._model.rowCount():
            self.view(self._model.lane_rows[self.lane].rows[place])

    def _neighbour(self, by: int) -> None:
        """View the checkpoint of another branch that is nearest in supersteps; of two,
        the earlier one.
        """
        shown = self._branches.shown
        current = self.current
        if current is None:
            return
        place = self._branches.place_of(self._model.lane_of(current)) + by
        if not 0 <= place < len(shown):
            return
        rows = self._model.lane_rows[shown[place]]
        column = self._model.column_of(current)
        place = min(bisect_left(rows.columns, column), len(rows.rows) - 1)
        before = max(0, place - 1)
        if column - rows.columns[before] < abs(rows.columns[place] - column):
            nearer = before
        else:
            nearer = place
        self.view(rows.rows[nearer])

    def _newest(self) -> int | None:
        return self._model.rowCount() - 1 if self._model.rowCount() else None

    # --- playback -----------------------------------------------------------------------------------------------

    @property
    def is_playing(self) -> bool:
        return self._play.isActive()

    def toggle_play(self) -> None:
        """Play the branch to its end, one checkpoint after the other, or stop. At the
        end, play it from its beginning.
        """
        if self.is_playing:
            self.stop()
            return
        if self.current is None or not self.can_go_forward:
            self.first()
        if self.can_go_forward:
            self._play.start()
            self.playing_changed.emit(True)

    def stop(self) -> None:
        if self.is_playing:
            self._play.stop()
            self.playing_changed.emit(False)

    def _play_next(self) -> None:
        self.forward()
        if not self.can_go_forward:
            self.stop()

    def _on_session(self) -> None:
        if self._session.mode == "edit" or self._session.running:
            self.stop()
