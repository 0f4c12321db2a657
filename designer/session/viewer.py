"""Fetches moments so that scrubbing never lags: one question at a time, and of those that wait only the newest."""

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
    """Where to look: a checkpoint, or with None the live run; and into which run of which sub-workflow."""

    checkpoint_id: str | None
    way: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


# calls the first when the store is open, else tells the second why
Ready = Callable[[Callable[[], None], Done], None]


class Viewer(QObject):
    """`arrived` carries (checkpoint id or None for the live run, Moment). Moments of the past never change, so
    the last few are kept. `way` and `runs` are where in sub-workflows one looks from now on.
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
        self._wanted: list[Place] = []
        self.way: tuple[str, ...] = ()
        self.runs: tuple[str, ...] = ()
        self._busy = False
        self._pause = QTimer(self, interval=LIVE_INTERVAL, singleShot=True)
        self._pause.timeout.connect(self._on_pause_over)
        self._live_again = False

    def look_at(self, checkpoint_id: str) -> None:
        """A checkpoint; answered at once if it is known."""
        self._live_again = False
        place = Place(checkpoint_id, self.way, self.runs)
        moment = self._cache.get(place)
        if moment is None:
            self._want(place)
            return
        self._cache.move_to_end(place)
        self._wanted.clear()
        self.arrived.emit(checkpoint_id, moment)

    def look_at_live(self, *, now: bool) -> None:
        """The run as it stands; unless `now`, not more often than the interval."""
        if now or not self._pause.isActive():
            self._live_again = False
            self._pause.start()
            self._want(Place(None, self.way, self.runs))
        else:
            self._live_again = True

    def forget(self, checkpoint_id: str | None = None) -> None:
        """Drop one moment, or all and what is still wanted."""
        if checkpoint_id is not None:
            for place in [
                one for one in self._cache if one.checkpoint_id == checkpoint_id
            ]:
                del self._cache[place]
            return
        self._cache.clear()
        self._wanted.clear()
        self._live_again = False

    def _on_pause_over(self) -> None:
        if self._live_again:
            self.look_at_live(now=True)

    def _want(self, what: Place) -> None:
        self._wanted = [what]
        if not self._busy:
            self._ask()

    def _ask(self) -> None:
        what = self._wanted.pop()
        self._busy = True
        question = InspectArguments(
            checkpoint_id=what.checkpoint_id, inside=what.way, runs=what.runs
        )
        answered = partial(self._on_reply, what)
        self._ready(
            lambda: self._client.request("inspect", question, answered), answered
        )

    def _on_reply(self, what: Place, reply: Reply) -> None:
        self._busy = False
        if reply.success:
            self._keep(what, reply.body)
        elif not self._wanted:
            self.failed.emit(reply)
        if self._wanted:
            self._ask()

    def _keep(self, what: Place, body: Any) -> None:
        moment = Moment.model_validate(body)
        if what.checkpoint_id is not None:
            self._cache[what] = moment
            if len(self._cache) > CACHED:
                self._cache.popitem(last=False)
        self.arrived.emit(what.checkpoint_id, moment)
