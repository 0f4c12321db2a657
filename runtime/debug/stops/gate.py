"""`DebugGate`: which handler calls of a superstep may begin, and where the run stands.

It lets calls through flat out, or one delivery after the other in the fixed order, or
none. What has to wait stands there with a ticket. A stop lets none begin any more: calls
that run go on to their end, because nothing can suspend them, and then wait as well.

The order in which handlers are called changes nothing that a superstep comes to, because
effects are merged in the fixed order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from enum import Enum, auto
from typing import NamedTuple

from runtime.debug.breakpoints.live_facts import HandlerCall, RoutedRun
from runtime.debug.breakpoints.table import Breakpoints, Hit
from runtime.debug.stops.deliveries import (
    Deliveries,
    due_attempt,
    due_delivery,
    is_running,
)
from runtime.debug.stops.tickets import Stop, Ticket
from runtime.engine.invoke import Job
from runtime.engine.sub_runs import Frame
from runtime.executors.delivery import Delivery
from runtime.executors.effects import DONE

# Why the run stands before a call that would reach outside again.
OUTSIDE = "outside"


class Flow(Enum):
    """Who may pass: all, one delivery after the other, or none."""

    FREE = auto()
    ONE_BY_ONE = auto()
    CLOSED = auto()


class Hold(NamedTuple):
    """An executor whose calls wait, also of the runs inside it. `way` leads to it, by
    keys of invocations or by the ids of their executors.
    """

    way: tuple[str, ...]
    executor: str


class DebugGate:
    """The gate of a debugger (`runtime.engine.gate`). All of it is for the loop's thread.

    stop        why the run stands inside a superstep; None while it does not
    deliveries  those of the superstep that runs
    on_change   is called when a call that still ran has ended while the run stands
    is_watched  whether there is somebody who could let a run go on that stands in code
    """

    def __init__(
        self,
        breakpoints: Breakpoints,
        on_change: Callable[[], None] = lambda: None,
        is_watched: Callable[[], bool] = lambda: True,
    ) -> None:
        self.breakpoints = breakpoints
        self.is_watched = is_watched
        self.on_change = on_change
        self._flow = Flow.FREE
        # How many deliveries are still to be done one by one, and whose is being done.
        self._budget: float = 0
        self._present: Job | None = None
        self._tickets: list[Ticket] = []
        self._holds: dict[Hold, None] = {}
        self.deliveries = Deliveries()
        self._superstep = 0
        # The call whose breakpoints were looked at before it came to the gate.
        self._judged_ahead: tuple[Job, int, int] | None = None
        self._has_stopped = asyncio.Event()
        self.stop: Stop | None = None

    # --- for the drive ----------------------------------------------------------------------------------------------

    def go(self, deliveries: float = 0) -> None:
        """Let calls begin: all of them, or this many deliveries one by one."""
        self.stop = None
        self._has_stopped.clear()
        self._budget = deliveries
        self._flow = Flow.ONE_BY_ONE if deliveries else Flow.FREE
        self._pump()

    @property
    def is_spent(self) -> bool:
        """Whether no delivery is left of those that were to be done one by one."""
        return self._budget <= 0

    async def stopped(self) -> None:
        """Wait until the run stands inside a superstep."""
        await self._has_stopped.wait()

    def rest(self) -> None:
        """Forget the superstep, because it has ended or was given up."""
        for ticket in self._tickets:
            ticket.give_up()
        self.go()
        self.deliveries = Deliveries()

    # --- holds ------------------------------------------------------------------------------------------------------

    @property
    def holds(self) -> Sequence[Hold]:
        return tuple(self._holds)

    def hold(self, hold: Hold, *, held: bool) -> None:
        """Let the calls of an executor wait from now on, or not any more."""
        if held:
            self._holds[hold] = None
        else:
            self._holds.pop(hold, None)
        self._pump()

    def hold_nothing(self) -> None:
        self._holds.clear()

    def is_held(self, job: Job) -> bool:
        return any(job.is_within(hold.executor, hold.way) for hold in self._holds)

    # --- for the engine ---------------------------------------------------------------------------------------------

    def routed(self, root: Frame, jobs: Sequence[Job]) -> Awaitable[None]:
        for ticket in self._tickets:
            # A thread of an earlier superstep that nobody waits for.
            ticket.give_up()
        self.deliveries = Deliveries(jobs)
        self._superstep = root.state.superstep + 1
        self._present = None
        if self._budget > 0:
            self._flow = Flow.ONE_BY_ONE
        if not self.breakpoints.has("routed"):
            return DONE
        hits = [
            self.breakpoints.judge("routed", RoutedRun(frame, self._superstep))
            for frame in root
        ]
        hit = next(filter(None, hits), None)
        if hit is None:
            return DONE
        job = self.next_job()
        return self._stand(Ticket("routed", None, _stop_for(hit, job, 0)))

    def before(self, job: Job, delivery: Delivery, attempt: int) -> Awaitable[None]:
        has_breakpoints = self.breakpoints.has("before", job.executor_id)
        is_free = self._flow is Flow.FREE
        is_asked = self._outside_stop(job, delivery, attempt) is not None
        if is_free and not self._holds and not has_breakpoints and not is_asked:
            return DONE
        ticket = Ticket("before", job)
        if self._judged_ahead == (job, job.deliveries, attempt):
            ticket.is_judged = ticket.is_reported = True
        if is_free and not self.is_held(job) and not self._has_stop(ticket):
            return DONE
        return self._stand(ticket)

    def after(
        self,
        job: Job,
        delivery: Delivery,
        attempt: int,
        error: BaseException | None = None,
        *,
        fails: bool = False,
    ) -> Awaitable[None]:
        if self._tickets:
            self._give_up_code_of(job)
        ticket: Ticket | None = None
        if self.breakpoints.has("after", job.executor_id):
            effects = job.effects[-1] if error is None else None
            call = HandlerCall(job, delivery, self._superstep, attempt, effects, error)
            hit = self.breakpoints.judge("after", call, job.executor_id)
            if hit is not None:
                index = _index_of(job, delivery)
                ticket = Ticket("after", job, _stop_for(hit, job, index))
        if ticket is None and fails and self._flow is Flow.CLOSED:
            # Its failure would end the superstep while somebody looks at it.
            ticket = Ticket("after", job)
        if job is self._present and not fails:
            self._present = None
            self._budget -= 1
        if ticket is not None:
            ticket.error = error if fails else None
            return self._stand(ticket)
        if self._flow is Flow.CLOSED:
            self.on_change()
        elif self._holds or self._flow is Flow.ONE_BY_ONE:
            self._pump()
        return DONE

    # --- for `breakpoint_here` --------------------------------------------------------------------------------------

    @property
    def running_jobs(self) -> Sequence[Job]:
        return [job for job in self.deliveries.jobs if is_running(job)]

    async def stand_in_code(self, job: Job | None) -> None:
        """Stand where a handler asks for it; `job` is whose, if that is known."""
        if self.breakpoints.is_muted or not self.is_watched():
            return
        index = 0 if job is None else job.deliveries
        limit = None if job is None else job.time_limit
        if limit is not None:
            limit.suspend()
        try:
            await self._stand(Ticket("code", job, Stop("code", job, index)))
        finally:
            if limit is not None and job is not None and job.time_limit is limit:
                limit.begin_anew()

    def _give_up_code_of(self, job: Job) -> None:
        for ticket in self._tickets:
            if ticket.moment == "code" and ticket.job is job:
                ticket.give_up()

    # --- what is there ----------------------------------------------------------------------------------------------

    def ticket_of(self, job: Job, moment: str) -> Ticket | None:
        """Return what a job stands with at this moment of a call."""
        for ticket in self._tickets:
            if ticket.job is job and ticket.moment == moment and ticket.waits:
                return ticket
        return None

    def next_job(self) -> Job | None:
        """Return whose delivery is done next: that at which the run stands, or the first
        in the fixed order that can begin.
        """
        for ticket in self._tickets:
            is_due = ticket.moment == "before" and ticket.is_reported and ticket.waits
            if is_due and ticket.job is not None and not self.is_held(ticket.job):
                return ticket.job
        return next(self._movable(), None)

    def _movable(self) -> Iterator[Job]:
        blocked = self.deliveries.blocked()
        for job in self.deliveries.unfinished():
            is_waiting = not is_running(job) and id(job) not in blocked
            if is_waiting and not self.is_held(job):
                yield job

    # --- who passes -------------------------------------------------------------------------------------------------

    async def _stand(self, ticket: Ticket) -> None:
        ticket.waiter = asyncio.get_running_loop().create_future()
        self._tickets.append(ticket)
        self._pump()
        try:
            await ticket.waiter
        finally:
            self._tickets.remove(ticket)

    def _pump(self) -> None:
        """Let through who may pass now, in the fixed order, up to the next stop."""
        if self._flow is not Flow.CLOSED:
            self._pass_what_stands()
        if self._flow is Flow.FREE:
            self._pass_all()
        elif self._flow is Flow.ONE_BY_ONE:
            self._pass_next()
        if self._holds and self._flow is not Flow.CLOSED:
            self._stop_if_only_held()

    def _pass_what_stands(self) -> None:
        """Let everything go on but calls that are still to begin."""
        for ticket in self._in_order(before=False):
            if ticket.stop is not None and not ticket.is_reported:
                self._report(ticket, ticket.stop)
                return
            ticket.release()
            if ticket.moment == "code" and self._flow is Flow.ONE_BY_ONE:
                # The rest of its delivery is the next one to be done.
                self._present = ticket.job

    def _pass_all(self) -> None:
        for ticket in self._in_order(before=True):
            if ticket.job is None or self.is_held(ticket.job):
                continue
            if self._has_stop(ticket) and ticket.stop is not None:
                self._report(ticket, ticket.stop)
                return
            ticket.release()

    def _pass_next(self) -> None:
        if self._present is not None:
            return
        job = self.next_job()
        if job is None:
            if not self._comes_more():
                # Nothing is left to be done one by one: on to the barrier.
                self._flow = Flow.FREE
            return
        if self._budget <= 0:
            self._stop_before(job)
            return
        ticket = self.ticket_of(job, "before")
        if ticket is None:
            return
        if self._has_stop(ticket) and ticket.stop is not None:
            self._report(ticket, ticket.stop)
            return
        self._present = job
        ticket.release()

    def _comes_more(self) -> bool:
        """Return True if a delivery will be due that is not due yet: after one that
        runs, or because its executor is held.
        """
        return any(
            job.deliveries + 1 < len(job.inbox) or not is_running(job)
            for job in self.deliveries.unfinished()
        )

    def _stop_before(self, job: Job) -> None:
        """Stop because all deliveries that were to be done are done. What the next one
        hits is said at once.
        """
        index = job.deliveries
        attempt = due_attempt(job)
        call = HandlerCall(job, due_delivery(job), self._superstep, attempt)
        hit = self.breakpoints.judge("before", call, job.executor_id)
        self._judged_ahead = (job, index, attempt)
        ticket = self.ticket_of(job, "before")
        if ticket is not None:
            ticket.is_judged = ticket.is_reported = True
        if hit is None:
            outside = self._outside_stop(job, due_delivery(job), attempt)
            self._stop(outside or Stop("delivery", job, index))
        else:
            self._stop(_stop_for(hit, job, index))

    def _stop_if_only_held(self) -> None:
        if self.running_jobs or next(self._movable(), None) is not None:
            return
        held = next(filter(self.is_held, self.deliveries.unfinished()), None)
        if held is not None:
            self._stop(Stop("held", held, held.deliveries))

    def _has_stop(self, ticket: Ticket) -> bool:
        """Return True if a breakpoint stops the run before this call, and has not done
        so yet.
        """
        job = ticket.job
        if not ticket.is_judged and job is not None:
            ticket.is_judged = True
            call = HandlerCall(
                job, due_delivery(job), self._superstep, due_attempt(job)
            )
            hit = self.breakpoints.judge("before", call, job.executor_id)
            if hit is not None:
                ticket.stop = _stop_for(hit, job, job.deliveries)
        if ticket.stop is not None and not ticket.is_reported:
            return True
        if job is None or ticket.moment != "before":
            return False
        # Also after a breakpoint has stopped it: the one is about where the run is, the
        # other about what it may do.
        outside = self._outside_stop(job, due_delivery(job), due_attempt(job))
        if outside is None:
            return False
        ticket.stop = outside
        ticket.is_reported = False
        return True

    # --- calls outside of the run -----------------------------------------------------------------------------------

    def allow(self) -> None:
        """Let the call be made before which the run stands because it reaches outside."""
        stop = self.stop
        if stop is None or stop.job is None or stop.reason != OUTSIDE:
            return
        outside = stop.job.round.notifier.outside
        if outside is not None:
            outside.allow(stop.job, stop.job.inbox[stop.position])

    def _outside_stop(self, job: Job, delivery: Delivery, attempt: int) -> Stop | None:
        """Return the stop before a call that would reach outside again, and that nobody
        has allowed.
        """
        outside = job.round.notifier.outside
        if outside is None or delivery.handler.outside is None:
            return None
        decision = outside.must_stop(job, delivery, attempt)
        if decision is None:
            return None
        text = f"{delivery.handler.outside.what}: {decision.reason}."
        return Stop(OUTSIDE, job, job.deliveries, None, text)

    def _report(self, ticket: Ticket, stop: Stop) -> None:
        ticket.is_reported = True
        self._stop(stop)

    def _stop(self, stop: Stop) -> None:
        self._flow = Flow.CLOSED
        self._budget = 0
        self.stop = stop
        self._has_stopped.set()

    def _in_order(self, *, before: bool) -> list[Ticket]:
        """Return what waits before a call, or what waits elsewhere."""
        waiting = [
            ticket
            for ticket in self._tickets
            if ticket.waits and (ticket.moment == "before") == before
        ]
        return sorted(waiting, key=self._order_of) if len(waiting) > 1 else waiting

    def _order_of(self, ticket: Ticket) -> int:
        return -1 if ticket.job is None else self.deliveries.order(ticket.job)


def _stop_for(hit: Hit, job: Job | None, index: int) -> Stop:
    return Stop(hit.reason, job, index, hit.details)


def _index_of(job: Job, delivery: Delivery) -> int:
    return next(index for index, other in enumerate(job.inbox) if other is delivery)
