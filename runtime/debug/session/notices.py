"""Notices in batches, so that a flood of events becomes at most about sixty packets a
second.

Checkpoints are never lost, only sent many at a time. Of progress only the newest is
sent. Of events the newest few hundred are kept, with the number of those left out.
Before a run reports that it stopped, everything is sent (`flush`).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from threading import RLock
from typing import TypeVar

from pydantic import BaseModel

from runtime.checkpoint import CheckpointHeader
from runtime.debug.protocol import (
    BreakpointsBody,
    EventsBody,
    HeadersBody,
    LoggedBody,
    Notice,
    ProgressBody,
)
from runtime.debug.session.event_lines import event_item
from runtime.events import RunEvent

# Seconds between two packets of one kind: 30 + 15 + 15 packets per second.
HEADERS_EVERY = 1 / 30
PROGRESS_EVERY = 1 / 15
EVENTS_EVERY = 1 / 15
BREAKPOINTS_EVERY = 1 / 10
LOGGED_KEPT = 100
HEADERS_PER_PACKET = 1000
EVENTS_KEPT = 300

Send = Callable[[Notice], None]
_T = TypeVar("_T")


class Notices:
    """Collect what happened and send it when it is due, unless the reader is behind.

    Two threads may call it: the loop's, and the one that sends what is due while a
    handler keeps the loop busy.
    """

    def __init__(
        self,
        send: Send,
        clock: Callable[[], float] = time.monotonic,
        is_behind: Callable[[], bool] = lambda: False,
    ) -> None:
        self._send = send
        self._clock = clock
        self.is_behind = is_behind
        self._lock = RLock()
        # Appended to without the lock, popped under it: both are atomic for a deque.
        self._headers: deque[CheckpointHeader] = deque()
        self._events: deque[RunEvent] = deque(maxlen=EVENTS_KEPT)
        # Counts since the beginning. Events that were left out count as reported too.
        self._events_seen = 0
        self._events_reported = 0
        self._logged: deque[LoggedBody] = deque(maxlen=LOGGED_KEPT)
        self._logged_left_out = 0
        self._breakpoints: Callable[[], BreakpointsBody] | None = None
        self._headers_due = self._progress_due = self._events_due = 0.0
        self._breakpoints_due = 0.0

    def add_header(self, header: CheckpointHeader) -> None:
        self._headers.append(header)

    def add_event(self, event: RunEvent) -> None:
        self._events.append(event)
        self._events_seen += 1

    def add_logged(self, logged: LoggedBody) -> None:
        """Send the log text of a breakpoint; of very many the newest ones."""
        with self._lock:
            self._logged_left_out += len(self._logged) == LOGGED_KEPT
            self._logged.append(logged)

    def set_breakpoints(self, body: Callable[[], BreakpointsBody]) -> None:
        """Send what became of breakpoints, as it is when it is sent."""
        self._breakpoints = body

    def send_now(self, event: str, body: BaseModel) -> None:
        """Send a notice now, after everything that happened before it."""
        with self._lock:
            self.flush()
            self._send(Notice(event=event, body=body))

    def send_due(
        self, progress: Callable[[], ProgressBody | None] | None = None
    ) -> None:
        """Send what has waited long enough. `progress` is called only when it
        is time to send it.
        """
        time_now = self._clock()
        due = min(
            self._headers_due,
            self._progress_due,
            self._events_due,
            self._breakpoints_due,
        )
        if time_now < due or self.is_behind():
            return
        with self._lock:
            if self._headers and time_now >= self._headers_due:
                self._send_headers(time_now)
            if self._events and time_now >= self._events_due:
                self._send_events(time_now)
            if time_now >= self._breakpoints_due:
                self._send_breakpoints(time_now)
            if progress is not None and time_now >= self._progress_due:
                self._progress_due = time_now + PROGRESS_EVERY
                body = progress()
                if body is not None:
                    self._send(Notice(event="progress", body=body))

    def flush(self) -> None:
        """Send everything that waits."""
        with self._lock:
            time_now = self._clock()
            if self._headers:
                self._send_headers(time_now)
            if self._events:
                self._send_events(time_now)
            self._send_breakpoints(time_now)

    def _send_breakpoints(self, time_now: float) -> None:
        self._breakpoints_due = time_now + BREAKPOINTS_EVERY
        waiting = _drain(self._logged)
        if waiting and self._logged_left_out:
            left_out = {"left_out": self._logged_left_out}
            waiting[0] = waiting[0].model_copy(update=left_out)
            self._logged_left_out = 0
        for logged in waiting:
            self._send(Notice(event="logged", body=logged))
        if self._breakpoints is not None:
            body = self._breakpoints()
            self._breakpoints = None
            self._send(Notice(event="breakpoints", body=body))

    def _send_headers(self, time_now: float) -> None:
        self._headers_due = time_now + HEADERS_EVERY
        waiting = _drain(self._headers)
        for start in range(0, len(waiting), HEADERS_PER_PACKET):
            batch = tuple(waiting[start : start + HEADERS_PER_PACKET])
            self._send(
                Notice(
                    event="checkpoints", body=HeadersBody.model_construct(headers=batch)
                )
            )

    def _send_events(self, time_now: float) -> None:
        self._events_due = time_now + EVENTS_EVERY
        events = tuple(map(event_item, _drain(self._events)))
        # An event that comes between these two lines is counted in the next packet.
        seen = self._events_seen
        left_out = max(
            0, seen - self._events_reported - len(events) - len(self._events)
        )
        self._events_reported += len(events) + left_out
        self._send(
            Notice(event="event", body=EventsBody(events=events, left_out=left_out))
        )


def _drain(waiting: deque[_T]) -> list[_T]:
    """Return everything that waits; later additions wait for the next call."""
    return [waiting.popleft() for _ in range(len(waiting))]
