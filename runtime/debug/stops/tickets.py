"""Tickets: what stands at the gate, and lets go on or gives up what waits with it."""

from __future__ import annotations

import asyncio
from typing import Literal, NamedTuple

from runtime.debug.protocol import BreakpointHit
from runtime.engine.invoke import Job


class Stop(NamedTuple):
    """Why the run stands inside a superstep.

    job       the one at which it stands; None for a superstep without deliveries, and for a call of `breakpoint_here`
              of which nobody knows the handler
    position  which of its deliveries, from 0
    text      more about it
    """

    reason: str
    job: Job | None = None
    position: int = 0
    hit: BreakpointHit | None = None
    text: str = ""


class Ticket:
    """A call, or code in a call, that stands at the gate.

    moment      "routed" is the whole superstep, "code" a call of `breakpoint_here`
    stop        the stop that it is to cause, once it has its turn
    is_judged   whether the breakpoints before the call have been looked at
    is_reported whether it has caused its stop, so that it may go on
    error       with which the call is about to fail the superstep
    """

    __slots__ = (
        "error",
        "is_judged",
        "is_reported",
        "job",
        "moment",
        "stop",
        "waiter",
    )

    def __init__(
        self,
        moment: Literal["routed", "before", "after", "code"],
        job: Job | None = None,
        stop: Stop | None = None,
    ) -> None:
        self.moment = moment
        self.job = job
        self.stop = stop
        self.is_judged = False
        self.is_reported = False
        self.error: BaseException | None = None
        self.waiter: asyncio.Future[None] | None = None

    @property
    def waits(self) -> bool:
        return self.waiter is not None and not self.waiter.done()

    def release(self) -> None:
        """Let what waits go on."""
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_result(None)

    def give_up(self) -> None:
        """Let what waits end as cancelled."""
        if self.waiter is not None:
            self.waiter.cancel()
