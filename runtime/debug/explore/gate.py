"""`OrderGate`: lets the handler calls of a superstep go on in a given order, one at a
time, and puts a failure or a cancellation in.

A call that waits for something real keeps its turn. If that takes longer than the
`patience`, another call goes on meanwhile, because the two may wait for each other. So
the log says what happened, and not the order that was asked for. A cancelled call that
goes on has as long to end, before it is ended by force.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple

from runtime.debug.explore.log import Happening, What
from runtime.debug.explore.orders import Call, Order, Turn, calls_of, fixed_order
from runtime.debug.explore.stepped import SteppedCall
from runtime.debug.stops.deliveries import Deliveries, due_delivery, is_over
from runtime.engine.invoke import Job
from runtime.engine.replay.player import NEVER_RUN
from runtime.engine.replay.superstep import name_of
from runtime.engine.sub_runs import Frame
from runtime.errors import OutsideCallError
from runtime.executors.delivery import Delivery
from runtime.executors.effects import DONE

PATIENCE = 0.5  # seconds


class InjectedFailureError(Exception):
    """The failure that is put in. It fails the superstep, whatever the policies say."""


class Disturbance(NamedTuple):
    """What is put in. `fail before` and `fail after`: before or after the work of a
    call. `cancel`: the superstep is cancelled when the call waits for the `awaits`th
    time; with 0, before the call begins; with None, after it has ended.
    """

    kind: Literal["fail before", "fail after", "cancel"]
    call: Call
    awaits: int | None = 0


class OrderGate:
    """The gate (`runtime.engine.gate`) of one try. All of it is for the loop's thread.
    Unless `goes_outside`, it lets no superstep begin in which a call costs or changes
    something beyond the run.

    cancel         cancels the superstep; for a disturbance that does so
    log            what happened
    awaits         how often each call has waited
    swallowed      calls that did not end when they were cancelled; those `forced` were ended by force
    has_disturbed  whether the disturbance has come to pass
    """

    def __init__(
        self,
        order: Order,
        disturbance: Disturbance | None = None,
        cancel: Callable[[], object] = lambda: None,
        patience: float = PATIENCE,
        *,
        goes_outside: bool = True,
    ) -> None:
        self.cancel = cancel
        self.log: list[Happening] = []
        self.awaits: dict[Call, int] = {}
        self.swallowed: dict[Call, None] = {}
        self.has_disturbed = False
        self.forced: dict[Call, None] = {}
        self.jobs: Sequence[Job] = ()
        self.calls: Sequence[Call] = ()
        self._turns = deque(order)
        self._disturbance = disturbance
        self._patience = patience
        self._goes_outside = goes_outside
        self._deliveries = Deliveries()
        self._places: dict[int, int] = {}
        self._calls: dict[int, Call] = {}
        self._present: Turn | None = None
        self._waiting: dict[Call, asyncio.Future[None]] = {}
        self._begun: set[Call] = set()
        self._aside: set[Call] = set()
        self._ended: set[Call] = set()
        # How many calls of each executor have ended.
        self._ended_of: Counter[int] = Counter()
        self._timer: asyncio.TimerHandle | None = None
        # The superstep fails or is cancelled, so no turn is given any more.
        self._is_over = False
        self._cancelled: set[Call] = set()
        self._must_end = False

    def _force_end(self) -> None:
        """End the calls that go on although they were cancelled."""
        self._must_end = True
        for job in self.jobs:
            if job.task is not None:
                job.task.cancel()

    def close(self) -> None:
        self._is_over = True
        self._disarm()

    # --- for the engine -----------------------------------------------------------------------------------------

    def routed(self, root: Frame, jobs: Sequence[Job]) -> Awaitable[None]:
        self.jobs = jobs
        self._deliveries = Deliveries(jobs)
        counts = [len(job.inbox) for job in jobs]
        self.calls = calls_of(counts)
        if not self._turns:
            self._turns = deque(fixed_order(counts))
        for place, job in enumerate(jobs):
            self._places[id(job)] = place
            job.inbox = [
                self._stepped(Call(place, number), delivery)
                for number, delivery in enumerate(job.inbox)
            ]
        return DONE if self._goes_outside else self._check_outside()

    def before(self, job: Job, delivery: Delivery, attempt: int) -> Awaitable[None]:
        call = self._calls[id(delivery)]
        return DONE if call in self._begun else self._begin(call)

    def after(
        self,
        job: Job,
        delivery: Delivery,
        attempt: int,
        error: BaseException | None = None,
        *,
        fails: bool = False,
    ) -> Awaitable[None]:
        call = self._calls[id(delivery)]
        is_tried_again = (
            error is not None
            and not fails
            and not is_over(job)
            and due_delivery(job) is delivery
        )
        if is_tried_again:
            self._arm()
            return DONE
        self._ended.add(call)
        self._ended_of[call.job] += 1
        self._note(call, "failed" if error is not None else "ended")
        if fails:
            self._is_over = True
            return DONE
        if self._is_present(call):
            self._present = None
        if self._is_due("fail after", call):
            return self._fail()
        if self._is_due("cancel", call, None):
            return self._cancel_here()
        self._pump()
        return DONE

    # --- for the calls ------------------------------------------------------------------------------------------

    def suspended(self, call: Call) -> None:
        self.awaits[call] = self.awaits.get(call, 0) + 1
        if self._is_over:
            return
        turn = self._present
        if self._is_due("cancel", call, self.awaits[call]):
            self._cancel_superstep()
        elif turn is not None and turn == (call, self.awaits[call]):
            self._put_aside(call)
            self._pump()
        elif self._is_present(call):
            self._arm()

    def resumed(self, call: Call) -> Awaitable[None]:
        if self._is_over and call in self._cancelled:
            return DONE
        if self._is_present(call) and not self._is_over:
            self._disarm()
            self._note_if_aside(call)
            return DONE
        return self._go_on(call)

    def cancelled(self, call: Call) -> bool:
        if self._is_over:
            self._cancelled.add(call)
        if self._must_end:
            self.forced[call] = None
        return self._must_end

    def went_on(self, call: Call) -> None:
        if call in self._cancelled:
            self.swallowed[call] = None

    def _stepped(self, call: Call, delivery: Delivery) -> Delivery:
        handler = delivery.handler
        if not handler.in_thread:
            stepped = partial(self._call_in_steps, call, handler.call)
            delivery = replace(delivery, handler=replace(handler, call=stepped))
        self._calls[id(delivery)] = call
        return delivery

    async def _check_outside(self) -> None:
        """Raise `OutsideCallError` if a call reaches outside and that is not harmless."""
        for job in self.jobs:
            for delivery in job.inbox:
                outside = delivery.handler.outside
                if outside is not None and not outside.is_harmless:
                    raise OutsideCallError(name_of(job), outside.what, NEVER_RUN)

    def _call_in_steps(
        self, call: Call, handler_call: Callable[..., Awaitable[Any]], *arguments: Any
    ) -> SteppedCall:
        return SteppedCall(handler_call(*arguments), call, self)

    async def _begin(self, call: Call) -> None:
        await self._turn(call)
        if self._is_due("fail before", call):
            await self._fail()
        if self._is_due("cancel", call, 0):
            await self._cancel_here()
        self._begun.add(call)
        self._note(call, "began")

    async def _go_on(self, call: Call) -> None:
        await self._turn(call)
        self._note_if_aside(call)

    # --- disturbances -------------------------------------------------------------------------------------------

    def _is_due(self, kind: str, call: Call, awaits: int | None = 0) -> bool:
        return self._disturbance == (kind, call, awaits)

    async def _fail(self) -> None:
        self.has_disturbed = self._is_over = True
        raise InjectedFailureError("a failure that the explorer has put in")

    def _cancel_superstep(self) -> None:
        self.has_disturbed = self._is_over = True
        self.cancel()
        self._disarm()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._patience, self._force_end)

    async def _cancel_here(self) -> None:
        self._cancel_superstep()
        # The cancellation arrives here.
        await asyncio.get_running_loop().create_future()

    # --- turns --------------------------------------------------------------------------------------------------

    async def _turn(self, call: Call) -> None:
        waiter = asyncio.get_running_loop().create_future()
        self._waiting[call] = waiter
        self._pump()
        try:
            await waiter
        finally:
            self._waiting.pop(call, None)

    def _pump(self) -> None:
        """Let the call go on that has the turn, or give the turn to the next one."""
        if self._is_over:
            return
        if self._present is None:
            self._present = self._next_turn()
        if self._present is None:
            return
        waiter = self._waiting.get(self._present.call)
        if waiter is not None and not waiter.done():
            waiter.set_result(None)
        self._arm()

    def _next_turn(self) -> Turn | None:
        while self._turns and self._is_useless(self._turns[0]):
            self._turns.popleft()
        for place, turn in enumerate(self._turns):
            if not self._is_useless(turn) and self._can_run(turn.call):
                del self._turns[place]
                return turn
        # A call that had to stand aside for longer than was asked for.
        waiting = sorted(self._waiting)
        return Turn(waiting[0]) if waiting else None

    def _is_useless(self, turn: Turn) -> bool:
        if turn.call in self._ended:
            return True
        waited = self.awaits.get(turn.call, 0)
        return turn.awaits is not None and turn.awaits <= waited

    def _can_run(self, call: Call) -> bool:
        """Return whether a call waits for its turn, or is about to come to the gate."""
        if call in self._waiting:
            return True
        if call in self._begun:
            # It waits for something real, and has the turn when that is there.
            return True
        job = self.jobs[call.job]
        is_next = self._ended_of[call.job] == call.delivery
        return is_next and id(job) not in self._deliveries.blocked()

    def _put_aside(self, call: Call) -> None:
        self._present = None
        self._disarm()
        if call not in self._aside:
            self._aside.add(call)
            self._note(call, "aside")

    def _note_if_aside(self, call: Call) -> None:
        if call in self._aside:
            self._aside.discard(call)
            self._note(call, "went on")

    def _is_present(self, call: Call) -> bool:
        return self._present is not None and self._present.call == call

    def _note(self, call: Call, what: What) -> None:
        self.log.append(Happening(call, what))

    # --- patience -----------------------------------------------------------------------------------------------

    def _arm(self) -> None:
        self._disarm()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self._patience, self._lose_patience)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _lose_patience(self) -> None:
        """Let another call go on while the present one waits for something."""
        self._timer = None
        turn = self._present
        if turn is None or self._is_over or turn.call in self._waiting:
            return
        others = [call for call in self._waiting if call != turn.call]
        if not others:
            self._arm()
            return
        self._put_aside(turn.call)
        self._pump()
