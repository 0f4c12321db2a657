"""The runs of a store and the timeline of one of them, fetched a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal

from designer.model.names import UNNAMED
from designer.session.client import Client
from designer.session.timeline_model import TimelineModel
from runtime.debug.protocol import (
    DeleteRunsArguments,
    Header,
    Reply,
    RunInfo,
    RunsBody,
    TimelineArguments,
    TimelineBody,
)

PAGE = 1000  # so that taking one in costs less than a frame


class History(QObject):
    """Fills the timeline model. Headers of the live run that arrive while its pages are fetched are held back until
    then, so that rows are always in the order of their sequence.
    """

    changed = Signal()
    failed = Signal(object)  # Reply
    loaded = Signal()  # the timeline of the newest run of a store

    def __init__(
        self, client: Client, timeline: TimelineModel, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.runs: tuple[RunInfo, ...] = ()
        # whose runs are listed; None until that is known
        self._workflow: str | None = None
        self._has_file = False
        self._made_here: set[str] = set()
        self._client = client
        self._timeline = timeline
        self._loading: str | None = None
        self._held: list[Header] = []

    def clear(self) -> None:
        self.runs = ()
        self._loading = None
        self._workflow = None
        self._has_file = False
        self._made_here.clear()
        self._held.clear()
        self._timeline.clear()

    def load_runs(self, then: Callable[[], None] | None = None) -> None:
        self._client.request("runs", None, partial(self._on_runs, then))

    def load_newest(self, workflow: str) -> None:
        """The list of runs of a workflow that was opened, and the timeline of the first: a folder has one store, and
        the runs of its other documents are none of this one.
        """
        self._workflow = workflow
        self._has_file = True
        self.load_runs(lambda: self.load(self.runs[0].run_id) if self.runs else None)

    def load_all(self) -> None:
        """The list of all runs of a store, and the timeline of the newest."""
        self._workflow = None
        self._has_file = True
        self.load_runs(
            lambda: (
                self.load(self.runs[0].run_id, self.loaded.emit) if self.runs else None
            )
        )

    def delete(self, run_ids: Sequence[str], done: Callable[[], None]) -> None:
        """Remove runs from the store; `done` is called when they are gone."""
        arguments = DeleteRunsArguments(run_ids=tuple(run_ids))
        self._client.request("delete_runs", arguments, partial(self._on_runs, done))

    def load(self, run_id: str, then: Callable[[], None] | None = None) -> None:
        """Replace the timeline by that of a run; `then` is called when all pages are there."""
        self._loading = run_id
        self._held.clear()
        self._timeline.clear(run_id)
        self._ask(run_id, 0, then)

    def add_live(self, headers: Sequence[Header], *, shown: bool) -> None:
        """Checkpoints that were just saved. A run that is not on the timeline replaces what is, if `shown`."""
        run_id = headers[-1].run_id
        self._workflow = headers[-1].workflow
        self._made_here.add(run_id)
        if run_id == self._loading:
            self._held += headers
            return
        if run_id != self._timeline.run_id:
            if not shown:
                return
            self._loading = None
            self._timeline.clear(run_id)
            self.load_runs()
        self._timeline.append([header for header in headers if header.run_id == run_id])

    def _ask(self, run_id: str, after: int, then: Callable[[], None] | None) -> None:
        arguments = TimelineArguments(run_id=run_id, after=after, limit=PAGE)
        self._client.request(
            "timeline", arguments, partial(self._on_page, run_id, then)
        )

    def _on_page(
        self, run_id: str, then: Callable[[], None] | None, reply: Reply
    ) -> None:
        if run_id != self._loading:
            return  # another run was asked for meanwhile
        if not reply.success:
            self._loading = None
            self.failed.emit(reply)
            return
        page = TimelineBody.model_validate(reply.body)
        self._timeline.append(page.headers)
        if page.more and page.headers:
            self._ask(run_id, page.headers[-1].sequence, then)
            return
        self._loading = None
        self._timeline.append(self._held)
        self._held.clear()
        self._timeline.flush()
        self.changed.emit()
        if then is not None:
            then()

    def _on_runs(self, then: Callable[[], None] | None, reply: Reply) -> None:
        if not reply.success:
            self.failed.emit(reply)
            return
        self.runs = tuple(
            run for run in RunsBody.model_validate(reply.body).runs if self._is_own(run)
        )
        self.changed.emit()
        if then is not None:
            then()

    def _is_own(self, run: RunInfo) -> bool:
        # Documents that were never saved share a store and mostly a name: of those, only what was run here.
        named = self._has_file or self._workflow not in UNNAMED
        # A damaged one that does not say whose it is may be of this document: it is never hidden.
        is_lost = not run.workflow and bool(run.latest.damaged)
        return run.run_id in self._made_here or (
            named and (is_lost or self._workflow in (None, run.workflow))
        )
