"""`Feed`: the contract of an audience of a run. The `Notifier` calls every method on
each feed that is present.

There are two audiences: `ObserverFeed` for a debugger or a log, which hears everything
as `RunEvent`, and `CallerFeed` for the caller of `Workflow.run`, who hears of results
and progress as `WorkflowEvent`. Every method here does nothing, so that a feed
overrides only what its audience hears.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointHeader
    from runtime.edges.join import HeldJoin
    from runtime.engine.commit import Merged
    from runtime.engine.invoke import Job
    from runtime.engine.sub_runs import Frame, Path
    from runtime.events import WorkflowEvent, WorkflowRunState
    from runtime.executors.delivery import Delivery
    from runtime.executors.effects import Effects
    from runtime.message import Message, Request


class Reader(Protocol):
    """The consumer of a stream, who reads the events one after the other."""

    async def has_read(self) -> None:
        """Wait until all events have been taken and the next one is asked for."""

    def room(self) -> Awaitable[None]:
        """Return what a handler that makes events must await while many are unread."""


class Feed:
    """What one audience hears. The notifier calls a method when the thing that it names
    has happened.

    `path` leads to the run of a sub-workflow, and is empty for the run itself.
    """

    # --- the run ------------------------------------------------------------------------------------------------

    def warning(self, text: str) -> None: ...

    def status(self, status: WorkflowRunState, joins: Sequence[HeldJoin]) -> None:
        """Emit the status of the run, unless it was emitted last. `joins` are the
        stalled ones.
        """

    def failed(self, error: BaseException) -> None:
        """Emit that the run has failed, in a superstep or before it began."""

    def cancelled(self) -> None:
        """Emit what is left of the superstep that was given up, because the run was
        cancelled.
        """

    def sent(self, messages: Sequence[Message], path: Path) -> None:
        """Emit that messages were queued."""

    def request_asked(self, request: Request) -> None:
        """Emit a request that the audience has not heard of."""

    def request_answered(self, request: Request) -> None: ...

    def request_cancelled(self, request: Request) -> None: ...

    def checkpoint_saved(self, header: CheckpointHeader) -> None: ...

    def checkpoint_missed(self, error: Exception) -> None:
        """Emit that a checkpoint could not be saved, and that the run goes on."""

    # --- a superstep --------------------------------------------------------------------------------------------

    def superstep_begins(self, number: int) -> None:
        """Emit that a superstep begins. Called before routing, whose conditions may
        raise.
        """

    def superstep_ended(
        self, root: Frame, frames: Sequence[Frame], merged: Merged, seconds: float
    ) -> None:
        """Emit what the superstep has come to. `frames` are `root` and those below it,
        depth first.
        """

    # --- handlers -----------------------------------------------------------------------------------------------

    def handler_started(
        self, path: Path, delivery: Delivery, attempt: int, attempts: int
    ) -> None: ...

    def handler_ended(
        self, path: Path, executor_id: str, effects: Effects, has_results: bool
    ) -> None:
        """Emit that a handler has returned. `has_results` says that outputs or requests
        of it follow at the barrier.
        """

    def attempt_failed(
        self,
        job: Job,
        delivery: Delivery,
        error: BaseException,
        attempt: int,
        attempts: int,
        wait: float,
    ) -> None:
        """Emit that a handler has failed and is called again after `wait` seconds."""

    def handler_failed(
        self,
        path: Path,
        executor_id: str,
        handler: str,
        error: BaseException,
        superstep: int,
        *,
        taken: bool,
    ) -> None:
        """Emit that a handler has failed for good. With `taken` an error edge takes it,
        and the superstep goes on.
        """

    def handler_cancelled(
        self, path: Path, executor_id: str, error: BaseException | None
    ) -> None:
        """Emit that a handler was cancelled. `error` is what it raised because of that,
        if anything.
        """

    def intermediate(
        self, path: Path, executor_id: str, value: Any, ordinal: int
    ) -> None:
        """Emit a value that an executor yielded as progress. It counts even if the
        superstep fails later.
        """

    def custom_event(self, path: Path, executor_id: str, event: WorkflowEvent) -> None:
        """Emit an event that code of an executor has made by `ctx.add_event`."""
