"""The observer of a debugged run: which executors run, how the last superstep ended,
and how fast the run goes.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from runtime.debug.protocol import (
    SAID_LIMIT,
    Attempt,
    Failure,
    InsideProgress,
    OutputItem,
    ProgressBody,
)
from runtime.debug.session.live_superstep import PendingOutputs, Place
from runtime.debug.session.notices import Notices
from runtime.debug.supersteps.nodes import Live
from runtime.debug.values.shapes import clean
from runtime.events import RunEvent, RunEventKind
from runtime.state import owner_of


class Activity:
    """Observe a run and pass on what the window should know.

    A handler inside a sub-workflow also counts for the executors that hold it, on
    each level above.
    """

    def __init__(
        self, notices: Notices, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._notices = notices
        self._clock = clock
        self._since = clock()
        self._supersteps = 0
        self._running: dict[Place, float] = {}
        self._ended: dict[Place, float] = {}
        self._cancelled: set[Place] = set()
        self._attempts: dict[Place, Attempt] = {}
        self._pending = PendingOutputs()
        self._started: Counter[Place] = Counter()  # handler calls of the superstep
        self.superstep = 0
        self.traceback = ""
        self._begin_superstep()

    def __call__(self, event: RunEvent) -> None:
        handler = _HANDLERS.get(event.kind)
        if handler is not None:
            handler(self, event)
        self._notices.add_event(event)

    def resumed(self) -> None:
        """Count the rate from now, and forget how the run ended before."""
        self._since = self._clock()
        self._supersteps = 0
        self._begin_superstep()

    def end_superstep(self) -> None:
        """Note that a superstep ended, well or not: no executor runs, and no
        more outputs come.
        """
        self._running.clear()
        self._ended.clear()
        self._attempts.clear()
        self._pending.clear()

    def live(self, path: tuple[str, ...] = ()) -> Live:
        """Return what only the live run knows, for its moment or for that of a
        run inside (by the keys that lead there).
        """
        running, ended = self._running_and_ended(path)
        if self._failed is not None:
            failed = next(iter(_seen_from(path, [self._failed])), "")
        else:
            failed = ""
        return Live(
            failed=failed,
            error=self._error if failed else "",
            error_type=self._error_type if failed else "",
            cancelled=frozenset(_seen_from(path, self._cancelled.copy())),
            running=running,
            ended=ended,
        )

    def failure(self, path: tuple[str, ...], executor: str) -> Failure | None:
        """Return how the last superstep failed in an executor, or in a
        sub-workflow that it wraps.
        """
        if (
            self._failed is None
            or next(_seen_from(path, [self._failed]), "") != executor
        ):
            return None
        inner = len(self._failed[0]) > len(path)
        return Failure(
            error_type=self._error_type,
            text=self._error,
            traceback=self.traceback,
            handler=self._handler,
            call=-1 if inner else self._started[self._failed] - 1,
        )

    @property
    def failed_with(self) -> tuple[str, str]:
        """Return type and text of the error with which the last superstep
        failed in an executor.
        """
        return self._error_type, self._error

    def progress(self) -> ProgressBody | None:
        """Return which executors run and for how long; None if there is
        nothing to report.
        """
        running, done = self._running_and_ended(())
        if not running and not self._supersteps:
            return None
        return ProgressBody(
            superstep=self.superstep,
            running=running,
            done=done,
            rate=self._supersteps / max(self._clock() - self._since, 0.001),
            inside=self._inside(),
            attempts=self._attempts_at(()),
            coming=self._pending.items(self.superstep),
            left_out=self._pending.left_out,
        )

    def taken_back(self) -> tuple[OutputItem, ...]:
        """Return the outputs of a superstep that failed or was cancelled;
        nothing after one that is done.
        """
        return self._pending.items(self.superstep, "taken_back")

    def _inside(self) -> dict[str, InsideProgress]:
        paths = {
            path for path, _ in (*self._running.copy(), *self._ended.copy()) if path
        }
        levels = {path[:depth] for path in paths for depth in range(1, len(path) + 1)}
        progress: dict[str, InsideProgress] = {}
        for path in sorted(levels):
            running, done = self._running_and_ended(path)
            progress["/".join(path)] = InsideProgress(
                running=running, done=done, attempts=self._attempts_at(path)
            )
        return progress

    def _running_and_ended(
        self, path: tuple[str, ...]
    ) -> tuple[dict[str, float], dict[str, float]]:
        """Return the executors of one level that run, with seconds so far, and
        those that ended, with seconds taken.
        """
        # Copies, because the sending thread asks while the loop's thread goes on.
        time_now = self._clock()
        running = dict[str, float]()
        ended = dict[str, float]()
        for place, since in self._running.copy().items():
            for executor in _seen_from(path, [place]):
                running[executor] = max(running.get(executor, 0.0), time_now - since)
        for place, seconds in self._ended.copy().items():
            for executor in _seen_from(path, [place]):
                if executor not in running:
                    ended[executor] = ended.get(executor, 0.0) + seconds
        return running, ended

    def _attempts_at(self, path: tuple[str, ...]) -> dict[str, Attempt]:
        """Return the running executors of one level that try a message again."""
        return {
            executor: attempt
            for (place, executor), attempt in self._attempts.copy().items()
            if place == path and (place, executor) in self._running
        }

    def _begin_superstep(self) -> None:
        self.end_superstep()
        self._cancelled.clear()
        self._failed: Place | None = None
        self._started.clear()
        self.failed = self._error = self._error_type = self.traceback = (
            self._handler
        ) = ""

    def _on_saved(self, event: RunEvent) -> None:
        self._notices.add_header(event.data["header"])

    def _on_superstep_started(self, event: RunEvent) -> None:
        if not event.path:
            self._begin_superstep()
            self.superstep = event.superstep

    def _on_superstep_ended(self, event: RunEvent) -> None:
        if not event.path:
            self._supersteps += 1
            self.end_superstep()

    def _on_handler_started(self, event: RunEvent) -> None:
        place = (event.path, event.data["executor"])
        attempt = event.data.get("attempt", 1)
        self._started[place] += attempt == 1
        self._ended.pop(place, None)
        self._running.setdefault(place, self._clock())
        if event.data.get("attempts", 1) > 1:
            self._attempts[place] = Attempt(number=attempt, most=event.data["attempts"])

    def _on_handler_ended(self, event: RunEvent) -> None:
        place = (event.path, event.data["executor"])
        self._running.pop(place, None)
        self._ended[place] = self._ended.get(place, 0.0) + event.data.get(
            "seconds", 0.0
        )

    def _on_handler_failed(self, event: RunEvent) -> None:
        place = (event.path, event.data["executor"])
        began = self._running.pop(place, self._clock())
        if event.data.get("taken"):  # the superstep goes on
            self._ended[place] = self._ended.get(place, 0.0) + self._clock() - began
        elif (
            self._failed is None
        ):  # the first failure ends the superstep and causes the later ones
            self._failed = place
            self.failed = next(iter(_seen_from((), [place])))
            self._error = str(event.data.get("error", ""))
            self._error_type = str(event.data.get("error_type", ""))
            self.traceback = str(event.data.get("traceback", ""))
            self._handler = str(event.data.get("handler", ""))

    def _on_attempt_failed(self, event: RunEvent) -> None:
        place = (event.path, event.data["executor"])
        self._attempts[place] = Attempt(
            number=event.data["attempt"],
            most=event.data["attempts"],
            error=clean(
                f"{event.data.get('error_type', '')}: {event.data.get('error', '')}"
            )[:SAID_LIMIT],
            wait=event.data.get("wait", 0.0),
        )

    def _on_output(self, event: RunEvent) -> None:
        self._pending.on_event(event)

    def _on_handler_cancelled(self, event: RunEvent) -> None:
        place = (event.path, event.data["executor"])
        self._running.pop(place, None)
        self._cancelled.add(place)


def _seen_from(path: tuple[str, ...], places: Iterable[Place]) -> Iterator[str]:
    """Yield the executors of one level that contain these places."""
    depth = len(path)
    for inner, executor in places:
        if inner[:depth] == path:
            yield executor if len(inner) == depth else owner_of(inner[depth])


# A table by kind, because there are many events and most need nothing here.
_HANDLERS: Mapping[RunEventKind, Callable[[Activity, RunEvent], None]] = {
    RunEventKind.CHECKPOINT_SAVED: Activity._on_saved,
    RunEventKind.SUPERSTEP_STARTED: Activity._on_superstep_started,
    RunEventKind.SUPERSTEP_ENDED: Activity._on_superstep_ended,
    RunEventKind.HANDLER_STARTED: Activity._on_handler_started,
    RunEventKind.HANDLER_ENDED: Activity._on_handler_ended,
    RunEventKind.ATTEMPT_FAILED: Activity._on_attempt_failed,
    RunEventKind.HANDLER_FAILED: Activity._on_handler_failed,
    RunEventKind.HANDLER_CANCELLED: Activity._on_handler_cancelled,
    RunEventKind.TOLD: Activity._on_output,
    RunEventKind.YIELDED: Activity._on_output,
    RunEventKind.WITHDRAWN: Activity._on_output,
}
