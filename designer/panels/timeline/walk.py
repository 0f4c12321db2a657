"""Walking along a timeline: before, after, first, last, the branch above or below, and playing it like a film."""

from __future__ import annotations

from bisect import bisect_left

from PySide6.QtCore import QObject, QTimer, Signal

from designer.session.session import DebugSession

PLAY_INTERVAL = 500  # ms for each checkpoint


class Walker(QObject):
    """Where one looks, and where one may look next. Looking is the session's."""

    playing_changed = Signal(bool)

    def __init__(self, session: DebugSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._model = session.timeline
        self._play = QTimer(self, interval=PLAY_INTERVAL)
        self._play.timeout.connect(self._play_on)
        session.changed.connect(self._on_session)

    @property
    def current(self) -> int | None:
        """The row that is looked at: the viewed one, else where the live run stands."""
        session = self._session
        if session.viewing is not None:
            return self._model.row_of(session.viewing)
        return self.head if session.mode == "live" else None

    @property
    def head(self) -> int | None:
        """The row where the live run stands."""
        if self._session.head is not None:
            return self._model.row_of(self._session.head.id)
        return None

    @property
    def current_id(self) -> str:
        return self.id_of(self.current)

    @property
    def lane(self) -> int:
        """The lane that is looked at; the newest when none is."""
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
        """To the checkpoint before, across the fork if need be."""
        self.view(
            self._model.parent_row(self.current)
            if self.current is not None
            else self._newest()
        )

    def on(self) -> None:
        """To the next checkpoint of the branch."""
        self.view(
            self._model.next_row(self.current)
            if self.current is not None
            else self._newest()
        )

    def first(self) -> None:
        self._end(0)

    def last(self) -> None:
        self._end(-1)

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
    def can_go_on(self) -> bool:
        current = self.current
        return self._model.rowCount() > 0 and (
            current is None or self._model.next_row(current) is not None
        )

    def _end(self, place: int) -> None:
        if self._model.rowCount():
            self.view(self._model.lane_rows[self.lane].rows[place])

    def _neighbour(self, by: int) -> None:
        """To the checkpoint of another branch that is nearest in supersteps; the earlier one of two."""
        lane = self.lane + by
        current = self.current
        if current is None or not 0 <= lane < self._model.branch_count:
            return
        rows = self._model.lane_rows[lane]
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

    # --- the film -----------------------------------------------------------------------------------------------

    @property
    def is_playing(self) -> bool:
        return self._play.isActive()

    def toggle_play(self) -> None:
        """Show one checkpoint after the other to the end of the branch; from its beginning when at the end."""
        if self.is_playing:
            self.stop()
            return
        if self.current is None or not self.can_go_on:
            self.first()
        if self.can_go_on:
            self._play.start()
            self.playing_changed.emit(True)

    def stop(self) -> None:
        if self.is_playing:
            self._play.stop()
            self.playing_changed.emit(False)

    def _play_on(self) -> None:
        self.on()
        if not self.can_go_on:
            self.stop()

    def _on_session(self) -> None:
        if self._session.mode == "edit" or self._session.running:
            self.stop()
