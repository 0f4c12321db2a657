"""The observer of a debugged run: who runs just now, how the last superstep ended, and how fast it goes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from runtime.debug.nodes import Live
from runtime.debug.notices import Notices
from runtime.debug.protocol import ProgressBody
from runtime.events import RunEvent, RunEventKind
from runtime.state import owner_of


class Activity:
    """Hears every event of a run (it is the runner's observer) and hands on what is to be told.

    A handler inside a sub-workflow counts for the executor at the root that holds it.
    """

    def __init__(self, notices: Notices, clock: Callable[[], float] = time.monotonic) -> None:
        self._notices, self._clock = notices, clock
        self._since = clock()
        self._supersteps = 0
        self._running: dict[str, float] = {}
        self._ended: dict[str, float] = {}
        self._cancelled: set[str] = set()
        self.superstep = 0
        self.traceback = ""
        self._begin()

    def __call__(self, event: RunEvent) -> None:
        hear = _HEARD.get(event.kind)
        if hear is not None:
            hear(self, event)
        self._notices.add_event(event)

    def resumed(self) -> None:
        """The run moves again: count its rate from now, forget how it ended before."""
        self._since, self._supersteps = self._clock(), 0
        self._begin()

    def stand(self) -> None:
        """A superstep ended, well or not: nobody runs, and nothing is held for a barrier any more."""
        self._running.clear()
        self._ended.clear()

    def live(self) -> Live:
        """What the moment of the run as it stands needs to know."""
        now = self._clock()
        return Live(
            failed=self.failed,
            error=self._error,
            error_type=self._error_type,
            cancelled=frozenset(self._cancelled),
            running={id_: now - since for id_, since in self._running.copy().items()},
            ended=self._ended.copy(),
        )

    def progress(self) -> ProgressBody | None:
        """Who runs now and for how long; None if nothing is to be told."""
        # Copies, because the sending thread asks while the loop's thread goes on.
        running, done, now = self._running.copy(), self._ended.copy(), self._clock()
        if not running and not self._supersteps:
            return None
        return ProgressBody(
            superstep=self.superstep,
            running={id_: now - since for id_, since in running.items()},
            done=done,
            rate=self._supersteps / max(now - self._since, 0.001),
        )

    def _begin(self) -> None:
        self.stand()
        self._cancelled.clear()
        self.failed = self._error = self._error_type = self.traceback = ""

    def _on_saved(self, event: RunEvent) -> None:
        self._notices.add_header(event.data["header"])

    def _on_superstep_started(self, event: RunEvent) -> None:
        if not event.path:
            self._begin()
            self.superstep = event.superstep

    def _on_superstep_ended(self, event: RunEvent) -> None:
        if not event.path:
            self._supersteps += 1
            self.stand()

    def _on_handler_started(self, event: RunEvent) -> None:
        executor = _executor_of(event)
        self._ended.pop(executor, None)
        self._running.setdefault(executor, self._clock())

    def _on_handler_ended(self, event: RunEvent) -> None:
        executor = _executor_of(event)
        self._running.pop(executor, None)
        self._ended[executor] = self._ended.get(executor, 0.0) + event.data.get("seconds", 0.0)

    def _on_handler_failed(self, event: RunEvent) -> None:
        executor = _executor_of(event)
        self._running.pop(executor, None)
        self._fail(executor, event)

    def _on_handler_cancelled(self, event: RunEvent) -> None:
        executor = _executor_of(event)
        self._running.pop(executor, None)
        self._cancelled.add(executor)

    def _fail(self, executor: str, event: RunEvent) -> None:
        if not self.failed:  # the first failure ends the superstep; what follows is its echo
            self.failed = executor
            self._error = str(event.data.get("error", ""))
            self._error_type = str(event.data.get("error_type", ""))
            self.traceback = str(event.data.get("traceback", ""))


def _executor_of(event: RunEvent) -> str:
    return owner_of(event.path[0]) if event.path else event.data["executor"]


# Looked up by kind: there are many events, and most are nothing that is kept count of here.
_HEARD: Mapping[RunEventKind, Callable[[Activity, RunEvent], None]] = {
    RunEventKind.CHECKPOINT_SAVED: Activity._on_saved,
    RunEventKind.SUPERSTEP_STARTED: Activity._on_superstep_started,
    RunEventKind.SUPERSTEP_ENDED: Activity._on_superstep_ended,
    RunEventKind.HANDLER_STARTED: Activity._on_handler_started,
    RunEventKind.HANDLER_ENDED: Activity._on_handler_ended,
    RunEventKind.HANDLER_FAILED: Activity._on_handler_failed,
    RunEventKind.HANDLER_CANCELLED: Activity._on_handler_cancelled,
}
