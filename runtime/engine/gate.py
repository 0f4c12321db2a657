"""The gate of a run: what a debugger has in a superstep to keep handler calls from
beginning, and their executors from going on.

A run has at most one (`Runner.gate`). It may be set and replaced at any time, also
while a superstep runs; calls that stand at a gate stay with that one. Without a gate
the engine asks one `if` for each of these places.

Standing at a gate is no part of a call: a context is not made yet or closed already,
no time limit runs, and `Runner.cancel_executor` finds nothing to cancel. Whoever waits
here is cancelled with its superstep, as a handler is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from runtime.engine.invoke import Job
    from runtime.engine.sub_runs import Frame
    from runtime.executors.delivery import Delivery


class Gate(Protocol):
    """All methods are called in the loop's thread. What they return is awaited."""

    def routed(self, root: Frame, jobs: Sequence[Job]) -> Awaitable[None]:
        """A superstep is routed. None of its jobs, which are in the fixed order, has
        begun.
        """
        ...

    def before(self, job: Job, delivery: Delivery, attempt: int) -> Awaitable[None]:
        """A handler is about to be called, for the `attempt`th time."""
        ...

    def after(
        self,
        job: Job,
        delivery: Delivery,
        attempt: int,
        error: BaseException | None = None,
        *,
        fails: bool = False,
    ) -> Awaitable[None]:
        """A handler has ended. If it has returned, its effects are the last ones of the
        job. Else `error` is what it raised, and `fails` says whether that fails the
        superstep: it is not tried again, and no error edge takes it.
        """
        ...
