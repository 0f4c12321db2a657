"""Which run and which checkpoint of it the user looks at."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject

from designer.session.failures import NO_HISTORY, Failures
from designer.session.mirror import Mirror
from designer.session.opener import Opener, store_exists
from designer.session.origin import OriginTrail

NO_STORE = "The store cannot be opened"


class Navigation(QObject):
    """A part of the session. It changes nothing, except that `delete_runs` does."""

    def __init__(
        self,
        opener: Opener,
        mirror: Mirror,
        origin: OriginTrail,
        failures: Failures,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._opener = opener
        self._mirror = mirror
        self._timeline = mirror.timeline
        self._history = mirror.history
        self._origin = origin
        self._failures = failures
        self._history.failed.connect(failures.under(NO_HISTORY))
        self._history.loaded.connect(self.view_newest)

    def load_history(self, store: str, workflow: str) -> None:
        """Show the timeline of a workflow's newest run in a store, if there is one.
        Builds and runs nothing.
        """
        if store_exists(store):
            load = partial(self._history.load_newest, workflow)
            self._opener.for_looking(load, self._failures.under(NO_HISTORY), store)

    def look_into(self, store: str, *, read_only: bool) -> None:
        """Look into a store without a document, at its newest run. Nothing can be run."""
        self._opener.looks_only = True
        self._opener.read_only = read_only
        if store_exists(store):
            complain = self._failures.under(NO_STORE)
            self._opener.for_looking(self._history.load_all, complain, store)
        else:
            self._failures.report(NO_STORE, f"There is nothing at {store}.")

    def list_runs(self) -> None:
        """List the runs again; `changed` follows."""
        self._opener.for_looking(
            self._history.load_runs, self._failures.under(NO_HISTORY)
        )

    def delete_runs(self, run_ids: Sequence[str]) -> None:
        """Remove runs from the store for ever. If the timeline shows one of them, it
        shows the newest of the others instead.
        """
        is_shown = self._timeline.run_id in run_ids
        done = self._show_newest_run if is_shown else self._mirror.changed.emit
        delete = partial(self._history.delete, run_ids, done)
        self._opener.for_looking(
            delete, self._failures.under("The runs cannot be deleted")
        )

    def _show_newest_run(self) -> None:
        self._mirror.leave()
        self._mirror.viewer.forget()
        if self._mirror.runs:
            self.select_run(self._mirror.runs[0].run_id)
        else:
            self._history.clear()
            self._mirror.changed.emit()

    def select_run(self, run_id: str) -> None:
        """Look at the newest checkpoint of a run of the store; at the live run, live."""
        if run_id == self._mirror.run_id:
            self.back_to_live()
            return
        load = partial(self._history.load, run_id, self.view_newest)
        self._opener.for_looking(load, self._failures.under(NO_HISTORY))

    def view(self, checkpoint_id: str) -> None:
        """Look at a checkpoint; changes nothing. The head of the run is live, not past."""
        if self._mirror.is_live_head(checkpoint_id):
            self.back_to_live()
        else:
            self._mirror.look_at(checkpoint_id)

    def view_in_run(self, run_id: str, checkpoint_id: str) -> None:
        """Look at a checkpoint of a run, which may be another one than the timeline's."""
        if run_id == self._timeline.run_id:
            self.view(checkpoint_id)
            return
        load = partial(self._history.load, run_id, partial(self.view, checkpoint_id))
        self._opener.for_looking(load, self._failures.under(NO_HISTORY))

    def step_back(self) -> None:
        """Look at the checkpoint before the one that is shown."""
        row = self._timeline.row_of(self.shown_id())
        self.view_row(self._timeline.parent_row(row))

    def checkpoint_in(self, superstep: int) -> str | None:
        """Return the checkpoint that a superstep led to, on the way to what is shown;
        None if the timeline does not have it.
        """
        shown = self._mirror.viewing
        if shown is None and self._mirror.head is not None:
            shown = self._mirror.head.id
        row = self._timeline.row_in_superstep(self._timeline.row_of(shown), superstep)
        return self._timeline.header_at(row).id if row is not None else None

    def back_to_live(self) -> None:
        """Look at the live run again, or at the drawing when there is none."""
        if self._mirror.run_id is None:
            self.leave()
            return
        self._mirror.look_live()
        if self._timeline.run_id != self._mirror.run_id:
            load = partial(self._history.load, self._mirror.run_id)
            self._opener.for_looking(load, self._failures.under(NO_HISTORY))
        self._mirror.show_live()

    def leave(self) -> None:
        """Go back to editing. The run stays where it is. A session that looks into a
        store has nothing to edit, and stays.
        """
        if self._opener.has_document:
            self._origin.forget()
            self._mirror.leave()

    def view_row(self, row: int | None) -> None:
        """Look at a row of the timeline, if there is one."""
        if row is not None:
            self.view(self._timeline.header_at(row).id)

    def view_newest(self) -> None:
        """Look at the newest checkpoint of the timeline, if there is one."""
        count = self._timeline.rowCount()
        self.view_row(count - 1 if count else None)

    def shown_id(self) -> str:
        """Return the checkpoint that is shown; "" while editing."""
        mirror = self._mirror
        if mirror.viewing is not None:
            return mirror.viewing
        is_live = mirror.mode == "live"
        return mirror.head.id if is_live and mirror.head is not None else ""
