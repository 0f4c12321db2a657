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

PAGE = 1000  # headers, because adding them should take less than a frame


class History(QObject):
    """Fills the timeline model. Headers of the live run that arrive while its pages are
    fetched are added after the pages, because rows are in the order of their sequence.
    """

    changed = Signal()
    failed = Signal(object)  # Reply
    loaded = Signal()  # the timeline of the newest run of a store

    def __init__(
        self, client: Client, timeline: TimelineModel, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.runs: tuple[RunInfo, ...] = ()
        # The workflow whose runs are listed; None for all, and before it is known.
        self._workflow: str | None = None
        self._has_file = False
        self._made_here: set[str] = set()
        self._client = client
        self._timeline = timeline
        self._loading: str | None = None
        self._late: list[Header] = []  # those that arrived while pages are fetched
        self._asks_for_more = False

    def clear(self) -> None:
        self.runs = ()
        self._loading = None
        self._workflow = None
        self._has_file = False
        self._made_here.clear()
        self._late.clear()
        self._timeline.clear()

    def load_runs(self, then: Callable[[], None] | None = None) -> None:
        self._client.request("runs", None, partial(self._on_runs, then))

    def load_newest(self, workflow: str) -> None:
        """Load the runs of one workflow, and the timeline of the newest. The store of a
        folder has the runs of its other documents too.
        """
        self._workflow = workflow
        self._has_file = True
        self.load_runs(lambda: self.load(self.runs[0].run_id) if self.runs else None)

    def load_all(self) -> None:
        """Load all runs of a store, and the timeline of the newest."""
        self._workflow = None
        self._has_file = True
        self.load_runs(
            lambda: (
                self.load(self.runs[0].run_id, self.loaded.emit) if self.runs else None
            )
        )

    def delete(self, run_ids: Sequence[str], done: Callable[[], None]) -> None:
        """Remove runs from the store, then call `done`."""
        arguments = DeleteRunsArguments(run_ids=tuple(run_ids))
        self._client.request("delete_runs", arguments, partial(self._on_runs, done))

    def load(self, run_id: str, then: Callable[[], None] | None = None) -> None:
        """Replace the timeline by that of a run; call `then` after its last page."""
        self._loading = run_id
        self._late.clear()
        self._timeline.clear(run_id)
        self._ask(run_id, 0, then)

    def look_for_more(self) -> None:
        """Fetch the checkpoints of the run that were saved since, by another process.
        Without an answer nothing is shown, because the user did not ask.
        """
        run_id = self._timeline.run_id
        if self._asks_for_more or self._loading is not None:
            return
        self._asks_for_more = True
        arguments = TimelineArguments(
            run_id=run_id, after=self._timeline.last_sequence, limit=PAGE
        )
        self._client.request("timeline", arguments, partial(self._on_more, run_id))

    def _on_more(self, run_id: str, reply: Reply) -> None:
        self._asks_for_more = False
        if not reply.success or run_id != self._timeline.run_id:
            return
        if self._loading is not None:
            return
        page = TimelineBody.model_validate(reply.body)
        self._timeline.append(page.headers)
        if page.more and page.headers:
            self.look_for_more()

    def add_live(self, headers: Sequence[Header], *, shown: bool) -> None:
        """Add checkpoints that were just saved. If `shown`, their run replaces another
        one on the timeline.
        """
        run_id = headers[-1].run_id
        self._workflow = headers[-1].workflow
        self._made_here.add(run_id)
        if run_id == self._loading:
            self._late += headers
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
            return  # another run was requested since
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
        self._timeline.append(self._late)
        self._late.clear()
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
        if run.run_id in self._made_here:
            return True
        # Documents that were never saved share a store, and mostly a name. So the name
        # does not say whose run it is.
        if not self._has_file and self._workflow in UNNAMED:
            return False
        # A damaged run without a name is shown, because it may be of this document.
        is_damaged = not run.workflow and bool(run.latest.damaged)
        return is_damaged or self._workflow in (None, run.workflow)
