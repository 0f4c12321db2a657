"""Fetches moments so that scrubbing never lags: one request at a time, and of the
requests that wait only the newest.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from designer.session.client import Client, Done
from runtime.debug.protocol import InspectArguments, Moment, Reply

CACHED = 64
LIVE_INTERVAL = 100  # ms between two looks at a run that moves


class Place(NamedTuple):
    """A checkpoint, or with None the live run; and a run of a sub-workflow inside."""

    checkpoint_id: str | None
    way: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


# Calls the first when the store is open; otherwise the second gets the reason.
Ready = Callable[[Callable[[], object], Done], None]


class Viewer(QObject):
    """`arrived` carries (checkpoint id or None for the live run, Moment). The last few
    moments of the past are cached, because they never change. `way` and `runs` lead to
    the level in sub-workflows of all later requests.
    """

    arrived = Signal(object, object)
    failed = Signal(object)  # Reply

    def __init__(
        self, client: Client, ready: Ready, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._client = client
        self._ready = ready
        self._cache: OrderedDict[Place, Moment] = OrderedDict()
        self._waiting: list[Place] = []  # at most one
        self.way: tuple[str, ...] = ()
        self.runs: tuple[str, ...] = ()
        self._busy = False
        self._pause = QTimer(self, interval=LIVE_INTERVAL, singleShot=True)
        self._pause.timeout.connect(self._on_pause_over)
        self._live_again = False

    def look_at(self, checkpoint_id: str) -> None:
        """Look at a checkpoint. A cached moment arrives before this returns."""
        self._live_again = False
        place = Place(checkpoint_id, self.way, self.runs)
        moment = self._cache.get(place)
        if moment is None:
            self._fetch(place)
            return
        self._cache.move_to_end(place)
        self._waiting.clear()
        self.arrived.emit(checkpoint_id, moment)

    def look_at_live(self, *, now: bool) -> None:
        """Look at the live run; unless `now`, not more often than the interval."""
        if now or not self._pause.isActive():
            self._live_again = False
            self._pause.start()
            self._fetch(Place(None, self.way, self.runs))
        else:
            self._live_again = True

    def forget(self, checkpoint_id: str | None = None) -> None:
        """Drop one moment, or all moments and the request that waits."""
        if checkpoint_id is not None:
            for place in list(self._cache):
                if place.checkpoint_id == checkpoint_id:
                    del self._cache[place]
            return
        self._cache.clear()
        self._waiting.clear()
        self._live_again = False

    def _on_pause_over(self) -> None:
        if self._live_again:
            self.look_at_live(now=True)

    def _fetch(self, place: Place) -> None:
        """Request a moment now, or instead of the one that waits."""
        self._waiting = [place]
        if not self._busy:
            self._request()

    def _request(self) -> None:
        place = self._waiting.pop()
        self._busy = True
        arguments = InspectArguments(
            checkpoint_id=place.checkpoint_id, inside=place.way, runs=place.runs
        )
        on_reply = partial(self._on_reply, place)
        self._ready(
            lambda: self._client.request("inspect", arguments, on_reply), on_reply
        )

    def _on_reply(self, place: Place, reply: Reply) -> None:
        self._busy = False
        if reply.success:
            self._take(place, reply.body)
        elif not self._waiting:
            self.failed.emit(reply)
        if self._waiting:
            self._request()

    def _take(self, place: Place, body: Any) -> None:
        moment = Moment.model_validate(body)
        if place.checkpoint_id is not None:
            self._cache[place] = moment
            if len(self._cache) > CACHED:
                self._cache.popitem(last=False)
        self.arrived.emit(place.checkpoint_id, moment)
