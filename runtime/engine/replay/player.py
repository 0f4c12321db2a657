"""`Player`: decides about each call that reaches outside after a restore, whether it is
made or has a result of the record or of the user.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from runtime.calls import Call, Inputs, Results
from runtime.engine.replay.inputs import read_digest
from runtime.engine.replay.settings import Pin, Replay
from runtime.errors import EncodeError
from runtime.state import LIVE, PINNED, RECORDED

if TYPE_CHECKING:
    from runtime.checkpoints.archive import RecordedCall
    from runtime.codec import TypeRegistry
    from runtime.engine.replay.record import CallRecord
    from runtime.engine.replay.recording import NotedCall
    from runtime.executors.outside import Outside

NOTHING_RECORDED = "nothing is recorded of it here"
CHOSEN = "it was chosen"
CHANGED_CODE = "its code or its parameters have changed"
# Beyond this the run has never been.
NEVER_RUN = "it has not run before"


@dataclass(frozen=True, slots=True)
class Decision:
    """What happens of a call: `mode` is live, recorded or pinned.

    reason      why it is live
    is_missing  it would be made again without a word of the user's, so that the run must not simply do that
    reads       keys of the shared state that the recorded call had read
    """

    mode: str
    reason: str = ""
    is_missing: bool = False
    pin: Pin | None = None
    results: Callable[[], Results] | None = None
    reads: Sequence[str] = ()


class Player:
    """Decides for a run that goes on from a checkpoint, until it has left behind what is
    recorded.
    """

    def __init__(self, replay: Replay, record: CallRecord, types: TypeRegistry) -> None:
        self.replay = replay
        self._record = record
        self._types = types
        self._superstep = 0
        # The calls of the present superstep as they are recorded, one list for each
        # checkpoint, and which of them were given out.
        self._lines: Sequence[Sequence[RecordedCall]] = ()
        self._given: set[int] = set()
        # (mode, words) -> how many calls there were.
        self.counts: Counter[tuple[str, str]] = Counter()

    def is_over(self, superstep: int) -> bool:
        """Return True if nothing is left to decide from this superstep on."""
        return not self.replay.pinned and superstep > self._record.last_superstep

    async def begin(self, superstep: int) -> None:
        """Read what is recorded of a superstep that begins."""
        if superstep != self._superstep:
            self._lines = ()
            if self.replay.default == RECORDED:
                self._lines = await self._record.calls_at(superstep)
        self._superstep = superstep
        self._given = set()

    def count(self, outside: Outside, origin: str) -> None:
        self.counts[origin, outside.what] += 1

    def decide(
        self, name: str, call: NotedCall, earlier: Sequence[NotedCall]
    ) -> Decision:
        """Return what happens of a call that is about to begin. A recorded result is
        given out once, so that equal calls have their results in order.
        """
        pin = self.replay.pinned.get(name)
        if pin is not None:
            return Decision(PINNED, pin=pin)
        if name in self.replay.live or self.replay.default == LIVE:
            return Decision(LIVE, CHOSEN)
        if self._superstep > self._record.last_superstep:
            return Decision(LIVE, NEVER_RUN)
        try:
            inputs = call.inputs(earlier, self._types)
        except EncodeError:
            return _missing(call, "it depends on a value that cannot be saved")
        reason = NOTHING_RECORDED
        for recorded in self._of(call):
            reason_now = self._why_not(recorded.call, call, inputs)
            if not reason_now:
                self._given.add(id(recorded))
                results = self._record.reader_of(recorded)
                reads = tuple(recorded.call.inputs.reads)
                return Decision(RECORDED, results=results, reads=reads)
            if reason == NOTHING_RECORDED:
                reason = reason_now
        return _missing(call, reason)

    def _of(self, call: NotedCall) -> Sequence[RecordedCall]:
        """Return what is recorded at the place of a call and was not given out yet, that
        of the preferred line first.
        """
        place = (call.job.round.path, call.job.executor_id)
        return [
            recorded
            for line in self._lines
            for recorded in line
            if (recorded.call.path, recorded.call.executor_id) == place
            and id(recorded) not in self._given
        ]

    def _why_not(self, recorded: Call, call: NotedCall, inputs: Inputs) -> str:
        """Return why a recorded call is another one; "" if it is the same."""
        reason = difference(recorded.inputs, inputs)
        if reason:
            return reason
        for key, digest in recorded.inputs.reads.items():
            if read_digest(call.job, call.touched, key, self._types) != digest:
                return f"the state '{key}' that it read is another one"
        if recorded.omitted:
            return f"its result was not kept: {recorded.omitted}"
        return ""


def difference(recorded: Inputs, inputs: Inputs) -> str:
    """Return what differs between two calls, except for the state that they read."""
    if recorded.received != inputs.received:
        return "its message is another one"
    if recorded.code != inputs.code:
        return CHANGED_CODE
    if recorded.own != inputs.own:
        return "its own state is another one"
    return ""


def _missing(call: NotedCall, reason: str) -> Decision:
    return Decision(LIVE, reason, is_missing=not call.outside.is_harmless)
