"""The calls of one superstep that reach outside: each is called and noted, or has a result
that is there already.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from runtime.engine.replay.recording import NotedCall, RecordingContext, begin_noting
from runtime.engine.replay.results import give_pinned, give_recorded
from runtime.errors import OutsideCallError
from runtime.executors.context import WorkflowContext
from runtime.executors.handlers import Handler
from runtime.state import LIVE, PINNED, RECORDED, owner_of

if TYPE_CHECKING:
    from runtime.calls import Call
    from runtime.codec import TypeRegistry
    from runtime.concurrency.cancellation import StopSignal
    from runtime.engine.invoke import Job
    from runtime.engine.replay.player import Decision, Player
    from runtime.executors.delivery import Delivery

# Of a call: its job, its delivery and its attempt, by identity.
_Key = tuple[int, int, int]


class OutsideCalls:
    """Those of one superstep. `player` decides what happens of them after a restore; None
    where all are simply made.
    """

    def __init__(self, player: Player | None) -> None:
        self.player = player
        self._noted: dict[int, list[NotedCall]] = {}
        self._decided: dict[_Key, Decision] = {}
        self._allowed: set[tuple[int, int]] = set()

    # --- for the engine -------------------------------------------------------------------------------------------

    def begin(
        self, job: Job, delivery: Delivery, attempt: int, stop: StopSignal
    ) -> tuple[WorkflowContext[Any, Any], Delivery]:
        """Return the context of a call, and the delivery with what is called: its own
        handler, or for one that reaches outside that, noted, or a result that is there
        already. Raise `OutsideCallError` if it must not be called.
        """
        outside = delivery.handler.outside
        if outside is None:
            return WorkflowContext.of(job, delivery.sources, delivery.request), delivery
        decision = self.decision(job, delivery, attempt)
        if decision is not None and self._is_refused(job, delivery, decision):
            raise OutsideCallError(name_of(job), outside.what, decision.reason)
        call, context = begin_noting(job, delivery, attempt)
        self._noted.setdefault(id(job), []).append(call)
        work: Callable[..., Coroutine[Any, Any, None]]
        if decision is None or decision.mode == LIVE:
            work = partial(_call, call, stop)
        else:
            call.origin = decision.mode
            work = partial(_give, call, context, decision, stop)
        if self.player is not None:
            self.player.count(call.outside, call.origin)
        stand_in = Handler(delivery.handler.name, work, Any)
        return context, replace(delivery, handler=stand_in)

    def calls(self, jobs: Sequence[Job], types: TypeRegistry) -> tuple[Call, ...]:
        """Return what is kept of them, in the fixed order."""
        kept = []
        for job in jobs:
            of_job = self._noted.get(id(job), ())
            for ordinal, call in enumerate(of_job):
                kept.append(call.call(ordinal, of_job[:ordinal], types))
        return tuple(kept)

    def origin(self, job: Job, delivery: Delivery | None, attempt: int) -> str:
        """Return where the results of a call come from."""
        for call in self._noted.get(id(job), ()):
            if call.delivery is delivery and call.attempt == attempt:
                return call.origin
        return LIVE

    # --- for the debugger -----------------------------------------------------------------------------------------

    def decision(self, job: Job, delivery: Delivery, attempt: int) -> Decision | None:
        """Return what happens of the next call of a job; None where it is simply made."""
        if self.player is None or delivery.handler.outside is None:
            return None
        key = (id(job), id(delivery), attempt)
        if key not in self._decided:
            probe, _ = begin_noting(job, delivery, attempt)
            earlier = self._noted.get(id(job), ())
            self._decided[key] = self.player.decide(name_of(job), probe, earlier)
        return self._decided[key]

    def must_stop(self, job: Job, delivery: Delivery, attempt: int) -> Decision | None:
        """Return the decision about a call before which the run is to stop."""
        decision = self.decision(job, delivery, attempt)
        if decision is None or self.player is None:
            return None
        is_refused = self._is_refused(job, delivery, decision)
        return decision if is_refused and self.player.replay.on_miss == "stop" else None

    def allow(self, job: Job, delivery: Delivery) -> None:
        """Let a delivery be called, in all its attempts."""
        self._allowed.add((id(job), id(delivery)))

    def _is_refused(self, job: Job, delivery: Delivery, decision: Decision) -> bool:
        if not decision.is_missing or self.player is None:
            return False
        is_allowed = (id(job), id(delivery)) in self._allowed
        return self.player.replay.on_miss != "live" and not is_allowed


def name_of(job: Job) -> str:
    """Return how `Replay` names the executor of a job."""
    return "/".join((*map(owner_of, job.round.path), job.executor_id))


async def _call(call: NotedCall, stop: StopSignal, *arguments: Any) -> None:
    await call.run(arguments, stop)


async def _give(
    call: NotedCall,
    context: RecordingContext,
    decision: Decision,
    stop: StopSignal,
    *_: Any,
) -> None:
    if decision.mode == PINNED and decision.pin is not None:
        await give_pinned(context, decision.pin, call.delivery.handler)
    elif decision.mode == RECORDED and decision.results is not None:
        # So that what this run keeps is the same again.
        call.reads.update(dict.fromkeys(decision.reads))
        await give_recorded(call.job, context, decision.results(), stop)
    await call.note_record(stop)
