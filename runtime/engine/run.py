"""`RunSession`: the run of one workflow instance across calls of `Workflow.run`, one
call at a time.

The way of a call, in four steps: `Workflow.run` makes a `RunRequest`;
`RunSession.begin` claims the instance; `WorkflowStream` is awaited or iterated by the
caller; `Runner.run` begins as the request asks, and steps until the run rests.

The session keeps only a weak reference to the active stream. So a stream that the
caller drops gives its run up, and what is left of that run can neither end nor change a
run that began afterwards.
"""

from __future__ import annotations

import asyncio
import inspect
import weakref
from collections.abc import Collection, Coroutine
from typing import TYPE_CHECKING, Any

from runtime.engine.runner import UNDER_WAY, Runner
from runtime.errors import CheckpointNotFoundError, WorkflowException
from runtime.events import WorkflowRunState
from runtime.values.unset import UNSET

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointStore
    from runtime.checkpoints.storage import CheckpointStorage
    from runtime.engine.run_request import RunRequest
    from runtime.engine.stream import WorkflowStream
    from runtime.graph.workflow_graph import WorkflowGraph


class RunClaim:
    """The right of one stream to run the instance. The run itself ends it; a stream
    that was dropped cannot, so that is looked up when the next call wants to begin.

    has_begun       whether the run has begun as its request asks
    emitted_status  the status that the reader of a stream heard last; None if there is no reader
    loop            the event loop in which the run goes on; None before it begins
    """

    def __init__(self, stream: WorkflowStream) -> None:
        self.has_ended = False
        self.has_begun = False
        self.emitted_status: WorkflowRunState | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self._stream = weakref.ref(stream)
        self._coroutine: weakref.ref[Coroutine[Any, Any, Any]] | None = None

    def begin(self) -> None:
        self.has_begun = True

    def end_with(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        """End the claim when this coroutine is closed without having run, as a task
        does that is cancelled before its first step: then none of our code runs that
        could end it.
        """
        self._coroutine = weakref.ref(coroutine)

    @property
    def is_held(self) -> bool:
        return not self.has_ended and not self._is_dropped and not self._never_began

    @property
    def is_abandoned(self) -> bool:
        return not self.has_ended and self._is_dropped

    @property
    def _is_dropped(self) -> bool:
        """True if nothing can go on with the run: its stream was dropped, or its event
        loop is closed.
        """
        is_loop_closed = self.loop is not None and self.loop.is_closed()
        return self._stream() is None or is_loop_closed

    @property
    def _never_began(self) -> bool:
        coroutine = None if self._coroutine is None else self._coroutine()
        if coroutine is None:
            return False
        return inspect.getcoroutinestate(coroutine) == inspect.CORO_CLOSED


class RunSession:
    """The run of one workflow instance. `store` is used by calls that are given no
    storage of their own.
    """

    def __init__(self, workflow: WorkflowGraph, store: CheckpointStore | None) -> None:
        self._workflow = workflow
        self._default_store = store
        self._runner = self._new_runner()
        self._claim: RunClaim | None = None
        # The storage that was given to a call last, with its store: the next call with
        # it goes on in that store.
        self._storage: tuple[Any, CheckpointStore] | None = None
        # For `pause_of`: the checkpoint that was last when the latest run began, and
        # the one that it restored.
        self._baseline: str | None = None
        self._restored: str | None = None

    def _new_runner(self) -> Runner:
        return Runner(self._workflow, self._default_store)

    def store_for(
        self, storage: CheckpointStorage | CheckpointStore
    ) -> CheckpointStore:
        """Return the store behind a storage that a call is given: the same one for the
        same storage.
        """
        if self._storage is None or self._storage[0] is not storage:
            store = self._workflow.store_of(storage)
            if store is None:
                raise TypeError("A run was given no storage.")
            self._storage = storage, store
        return self._storage[1]

    @property
    def status(self) -> WorkflowRunState:
        """The status of the run. Of a stream it is what its reader has heard; the run
        may be a few events further.
        """
        claim = self._claim
        status = self._runner.status
        if claim is None or claim.has_ended or claim.emitted_status is None:
            return status
        if not claim.is_abandoned:
            return claim.emitted_status
        # A dropped stream ends its run at the last barrier.
        has_rested = claim.has_begun and status not in UNDER_WAY
        return status if has_rested else WorkflowRunState.CANCELLED

    @property
    def last_checkpoint_id(self) -> str | None:
        return self._runner.header.id if self._runner.header else None

    def begin(
        self,
        request: RunRequest,
        storage: CheckpointStore | None,
        streaming: bool,
        include_status: bool,
    ) -> WorkflowStream:
        """Claim the instance for a run. Raise `WorkflowException` while another one is
        active.
        """
        from runtime.engine.stream import WorkflowStream

        self._check_free()
        if self._claim is not None and self._claim.is_abandoned:
            # What is left of the dropped run may still be winding up with its runner,
            # so the new run gets its own.
            runner = self._new_runner()
            runner.take_over(self._runner)
            self._runner = runner
        elif request.message is not None and self._runner.is_active:
            raise RuntimeError(
                "Cannot start a new run with 'message' while in-flight executor messages remain from the last one. "
                "Call resume() to go on with them, or reset() to give them up."
            )
        store = self._default_store if storage is None else storage
        self._baseline = self._runner.last_checkpoint_in(store)
        self._restored = request.checkpoint_id
        stream = WorkflowStream(self._runner, request, store, streaming, include_status)
        self._claim = stream.claim
        return stream

    def _check_free(self) -> None:
        if self._claim is not None and self._claim.is_held:
            raise WorkflowException(
                "Workflow is already running; concurrent runs are not allowed on the same instance. Await the first."
            )

    async def pause_of(
        self,
        request_ids: Collection[str],
        store: CheckpointStore | None,
        known: str | None,
        baseline: str | None,
    ) -> str | None:
        """See `Workflow.resolve_pause_checkpoint_id`."""
        if baseline is UNSET:
            baseline = self._baseline
        last = self.last_checkpoint_id
        if last in (baseline, self._restored):
            # The latest run has saved nothing.
            last = None
        if store is None:
            return last
        for candidate in dict.fromkeys((last, known)):
            if candidate is None or candidate == self._restored:
                continue
            if await _has_requests(store, candidate, request_ids):
                return candidate
        return None

    def reset(self) -> None:
        """Give the run up. Raise `WorkflowException` while one is active."""
        self._check_free()
        self._claim = None
        self._runner = self._new_runner()


async def _has_requests(
    store: CheckpointStore, checkpoint_id: str, request_ids: Collection[str]
) -> bool:
    """Return True if a checkpoint is there and all these requests are open in it."""
    try:
        record = await store.load(checkpoint_id)
    except CheckpointNotFoundError:
        return False
    open_ids = {part.name for part in record.manifest if part.kind == "request"}
    return set(request_ids) <= open_ids
