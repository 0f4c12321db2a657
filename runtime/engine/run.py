"""`Workflow.run`: the four ways to run, the lock that allows one at a time, and the stream of events.

Each run is a `WorkflowStream`. The workflow keeps only a weak reference to the active one: a stream that is dropped
gives its run up, and what is left of it can neither end nor change a run that began afterwards.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
import weakref
from collections import deque
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Collection,
    Coroutine,
    Generator,
    Mapping,
)
from functools import partial
from types import GenericAlias
from typing import TYPE_CHECKING, Any, Self

from runtime.concurrency.cancellation import StopSignal, Task, run_in_own_task
from runtime.engine.feeds import Reader
from runtime.engine.runner import UNDER_WAY, Runner
from runtime.errors import CheckpointNotFoundError, WorkflowException
from runtime.events import (
    WorkflowEvent,
    WorkflowRunResult,
    WorkflowRunState,
)
from runtime.executors.effects import DONE
from runtime.values.records import record
from runtime.values.unset import UNSET
from runtime.values.user_failures import as_failure

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointStore
    from runtime.checkpoints.storage import CheckpointStorage
    from runtime.engine.feeds import Emit
    from runtime.graph.workflow_graph import WorkflowGraph

_LOG = logging.getLogger("runtime")
# A handler that awaits what it yields and tells waits while its reader has so many events unread.
_MOST_UNREAD = 256


@record
class Mode:
    """What a call of `run` asks for; see `Workflow.run`. With nothing of it, to go on."""

    message: Any = None
    responses: Mapping[str, Any] | None = None
    checkpoint_id: str | None = None
    limit: int | None = None
    cancel: tuple[str, ...] = ()
    tools: list[Any] | None = None

    @classmethod
    def of(
        cls,
        message: Any,
        responses: Mapping[str, Any] | None,
        checkpoint_id: str | None,
        *,
        tools: list[Any] | None = None,
    ) -> Mode:
        """Raises `ValueError` for a combination that has no meaning, and `TypeError` for responses without ids."""
        if responses is not None and not isinstance(responses, Mapping):
            raise TypeError(
                f"responses maps request ids to answers; got {type(responses).__name__}."
            )
        if message is not None and responses is not None:
            raise ValueError(
                "Cannot provide both 'message' and 'responses'. Answer first, or begin a new run."
            )
        if message is not None and checkpoint_id is not None:
            raise ValueError(
                "Cannot provide both 'message' and 'checkpoint_id'. A checkpoint goes on without a message."
            )
        if message is None and responses is None and checkpoint_id is None:
            raise ValueError(
                "Must provide at least one of: 'message' (new run; None is no message), 'responses' (send responses), "
                "or 'checkpoint_id' (resume from checkpoint)."
            )
        return cls(message, responses, checkpoint_id, tools=tools)


class Claim:
    """The right to run an instance. Ended by the run itself; a run that is dropped before never ends it.

    begun  whether the run stands where it was to begin
    heard  the status that the reader of a stream heard last; None where nobody reads
    loop   the event loop that the run goes on in; None before it begins
    """

    def __init__(self, run: WorkflowStream) -> None:
        self.ended = self.begun = False
        self.heard: WorkflowRunState | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self._run = weakref.ref(run)
        self._awaited: weakref.ref[Coroutine[Any, Any, Any]] | None = None

    def end_with(self, awaited: Coroutine[Any, Any, Any]) -> None:
        """A task that is cancelled before its first turn closes its coroutine, which then had no chance to say so."""
        self._awaited = weakref.ref(awaited)

    @property
    def is_held(self) -> bool:
        return not self.ended and not self._is_left and not self._never_began

    @property
    def _never_began(self) -> bool:
        awaited = None if self._awaited is None else self._awaited()
        return (
            awaited is not None
            and inspect.getcoroutinestate(awaited) == inspect.CORO_CLOSED
        )

    @property
    def is_abandoned(self) -> bool:
        return not self.ended and self._is_left

    @property
    def _is_left(self) -> bool:
        """Nothing can go on with the run: its stream was dropped, or its event loop is closed."""
        return self._run() is None or (self.loop is not None and self.loop.is_closed())


class RunSession:
    """The run of one workflow instance, across calls of `run`."""

    def __init__(self, workflow: WorkflowGraph, store: CheckpointStore | None) -> None:
        self._workflow = workflow
        # Used by runs that are given no storage of their own.
        self._default_store = store
        self._runner = self._new_runner()
        self._claim: Claim | None = None
        # What was given to a run as its storage, and the store behind it: the next run with it goes on in that store.
        self._storage: tuple[Any, CheckpointStore] | None = None
        # The checkpoint that was last when the latest run began, and the one that it was to restore.
        self._baseline: str | None = None
        self._restored: str | None = None

    def store_for(
        self, storage: CheckpointStorage | CheckpointStore
    ) -> CheckpointStore:
        """The store behind a storage that a run is given."""
        if self._storage is None or self._storage[0] is not storage:
            store = self._workflow.store_of(storage)
            if store is None:
                raise TypeError("A run was given no storage.")
            self._storage = storage, store
        return self._storage[1]

    def _new_runner(self) -> Runner:
        return Runner(self._workflow, self._default_store)

    @property
    def status(self) -> WorkflowRunState:
        """Of a stream, what its reader has heard; the run may be a few events further."""
        claim = self._claim
        status = self._runner.status
        if claim is None or claim.ended or claim.heard is None:
            return status
        if claim.is_abandoned:
            if claim.begun and status not in UNDER_WAY:
                return status
            return WorkflowRunState.CANCELLED
        return claim.heard

    @property
    def last_checkpoint_id(self) -> str | None:
        return self._runner.header.id if self._runner.header else None

    def begin(
        self,
        mode: Mode,
        storage: CheckpointStore | None,
        streaming: bool,
        include_status: bool,
    ) -> WorkflowStream:
        """Claim the instance for a run. Raises `WorkflowException` while another one is active."""
        self._check_free()
        if self._claim is not None and self._claim.is_abandoned:
            # What is left of the dropped run may still be winding up: it keeps its runner, a new run gets its own.
            old = self._runner
            self._runner = self._new_runner()
            self._runner.adopt(old)
        elif mode.message is not None and self._runner.is_active:
            raise RuntimeError(
                "Cannot start a new run with 'message' while in-flight executor messages remain from the last one. "
                "Call resume() to go on with them, or reset() to give them up."
            )
        self._runner.use_store(self._default_store if storage is None else storage)
        self._baseline = self.last_checkpoint_id
        self._restored = mode.checkpoint_id
        run = WorkflowStream(self._runner, mode, streaming, include_status)
        self._claim = run.claim
        return run

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
        last = self.last_checkpoint_id
        before = self._baseline if baseline is UNSET else baseline
        own = None if last in (before, self._restored) else last
        if store is None:
            return own
        for candidate in dict.fromkeys((own, known)):
            if candidate not in (None, self._restored) and await _covers(
                store, candidate, request_ids
            ):
                return candidate
        return None

    def reset(self) -> None:
        """Give the run up. Raises `WorkflowException` while one is active."""
        self._check_free()
        self._claim = None
        self._runner = self._new_runner()


async def _covers(
    store: CheckpointStore, checkpoint_id: str, request_ids: Collection[str]
) -> bool:
    """Whether a checkpoint is there and all these requests are open in it."""
    try:
        record = await store.load(checkpoint_id)
    except CheckpointNotFoundError:
        return False
    return set(request_ids) <= {
        part.name for part in record.manifest if part.kind == "request"
    }


class WorkflowStream:
    """A run that goes on while it is iterated, or awaited through `get_final_response`. It runs once.

    It waits for its reader: a superstep begins, and one that has run is committed and saved, when all events until
    then have been taken and the next is asked for. Who leaves the loop, closes the stream or is cancelled ends the run
    at the last barrier; what was told of an unfinished superstep is not done then.

    Each event goes to one reader. Any task of the same event loop may close the stream while another one reads.
    """

    def __init__(
        self, runner: Runner, mode: Mode, streaming: bool, include_status: bool
    ) -> None:
        self.claim = Claim(self)
        self._runner = runner
        self._mode = mode
        self._streaming = streaming
        self._include_status = include_status
        self._events: list[WorkflowEvent] = []
        # Neither may refer to this object: dropping the stream has to free it at once.
        self._source: AsyncGenerator[WorkflowEvent, None] | None = None
        self._channel: _Channel
        # Held by the one who reads or closes: a generator takes one at a time.
        self._turn = asyncio.Lock()

    def __class_getitem__(cls, parameters: Any) -> GenericAlias:
        return GenericAlias(cls, parameters)

    def __await__(self) -> Generator[Any, None, WorkflowStream]:
        return self
        yield

    @property
    def updates(self) -> list[WorkflowEvent]:
        """The events that were iterated so far."""
        return list(self._events)

    def __aiter__(self) -> WorkflowStream:
        return self

    async def __anext__(self) -> WorkflowEvent:
        """Raises `RuntimeError` while another task waits for an event, or in another event loop; the run goes on."""
        if self._source is None:
            if self.claim.ended:  # closed before it began
                raise StopAsyncIteration
            self._source = self._begin()
        elif not self._is_reachable():
            raise StopAsyncIteration
        elif self._turn.locked() and not self._channel.abandoned:
            raise RuntimeError(
                "Another task reads this stream just now, and each event goes to one reader. Let that task pass the "
                "events on, or wait for its end: get_final_response() has the result then."
            )
        async with self._turn:
            event = await self._next_of(self._source)
        if event.type == "status":
            self.claim.heard = event.state
        self._events.append(event)
        return event

    def _begin(self) -> AsyncGenerator[WorkflowEvent, None]:
        self.claim.heard = self._runner.status
        self.claim.loop = asyncio.get_running_loop()
        self._channel = _Channel()
        return _stream(self._runner, self._mode, self.claim, self._channel)

    async def _next_of(
        self, source: AsyncGenerator[WorkflowEvent, None]
    ) -> WorkflowEvent:
        try:
            return await source.__anext__()
        except (
            BaseException
        ):  # its end, an error, or a cancellation: in each case the run is over
            self.claim.ended = True
            raise

    def _is_reachable(self) -> bool:
        """False when the loop of the run is closed. Raises `RuntimeError` in another one: the run is not safe there."""
        loop = self.claim.loop
        if loop is asyncio.get_running_loop():
            return True
        if loop is not None and loop.is_closed():
            return False
        raise RuntimeError(
            "This stream belongs to another event loop, in which its run goes on. Read and close it there, from "
            "elsewhere by asyncio.run_coroutine_threadsafe(stream.aclose(), loop)."
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Give the run up before its end: it is cancelled and awaited. For a task that reads, the stream ends."""
        if self._source is None:
            self.claim.ended = True
        elif self._is_reachable():
            self._channel.abandon()
            async with self._turn:
                await self._close(self._source)

    async def _close(self, source: AsyncGenerator[WorkflowEvent, None]) -> None:
        try:
            await source.aclose()
        finally:  # also when this is cancelled: the run has ended before that is raised
            self.claim.ended = True

    async def close(self, exc: BaseException | None = None) -> None:
        """agent-framework's name for `aclose`."""
        await self.aclose()

    def awaited(self) -> Coroutine[Any, Any, WorkflowRunResult]:
        """The run for who only awaits it."""
        made = self.get_final_response()
        self.claim.end_with(made)
        return made

    async def get_final_response(self) -> WorkflowRunResult:
        """The result, once the run rests; runs what has not been iterated yet. Raises what the run raises."""
        if self._streaming:
            async for _ in self:
                pass
        elif not self.claim.ended:
            self.claim.loop = asyncio.get_running_loop()
            try:
                await _drive(self._runner, self._mode, self._events.append, self.claim)
            finally:
                self.claim.ended = True
        left_out = ("started",) if self._include_status else ("started", "status")
        statuses = [event for event in self._events if event.type == "status"]
        return WorkflowRunResult(
            [event for event in self._events if event.type not in left_out], statuses
        )


async def _drive(
    runner: Runner, mode: Mode, emit: Emit, claim: Claim, reader: Reader | None = None
) -> None:
    runner.listen(emit, reader=reader, tools=mode.tools)
    try:
        await run_in_own_task(partial(_go, runner, mode, claim, reader))
    finally:
        runner.listen(None)


async def _go(
    runner: Runner, mode: Mode, claim: Claim, reader: Reader | None, stop: StopSignal
) -> None:
    try:
        await _begin(runner, mode, reader)
        claim.begun = True
        while await runner.advance(stop):
            pass
    except asyncio.CancelledError as error:
        if not claim.begun and not stop.is_set:
            failure = as_failure(error, "The checkpoint storage")
            runner.tell_refused(failure)
            raise failure from error
        # else it has come to its rest, and only its events were waited for
        if runner.is_active or not claim.begun:
            runner.tell_cancelled()
        raise
    runner.tell_rest()


async def _begin(runner: Runner, mode: Mode, reader: Reader | None) -> None:
    stood = runner.state
    try:
        if mode.responses is not None and mode.checkpoint_id is None:
            # refused before anything begins: such a run tells nothing
            runner.check(mode.responses)
        runner.tell_begun()
        if reader is not None:
            await reader.has_read()
        await _enter(runner, mode)
    except BaseException:
        # nothing has begun, so nothing is to be saved elsewhere than before either
        if runner.state is stood:
            runner.undo_store()
        raise


async def _enter(runner: Runner, mode: Mode) -> None:
    """Begin as the mode says. What fails here has changed nothing, so the status stays; the caller is told."""
    try:
        _warn_of_open_requests(runner, mode)
        if mode.checkpoint_id is not None:
            await runner.restore(mode.checkpoint_id, responses=mode.responses)
            runner.announce(besides=(*(mode.responses or ()), *mode.cancel))
        if mode.limit is not None:
            runner.raise_limit(mode.limit)
        if mode.cancel:
            await runner.cancel(mode.cancel)
        elif mode.responses is not None:
            await runner.answer(mode.responses)
        elif mode.message is not None:
            await runner.start(mode.message, keep_state=True)
    except Exception as error:
        runner.tell_refused(error)
        raise


def _warn_of_open_requests(runner: Runner, mode: Mode) -> None:
    """In the log, as agent-framework: a new message, or a restore, while questions of the run before are open."""
    is_new = mode.message is not None
    if runner.state.requests and (is_new or mode.checkpoint_id is not None):
        _LOG.warning(
            "Workflow %s received %s while %d request_info event(s) are still pending; %s. Answer them first, by "
            "run(responses=...), if that is not meant.",
            runner.workflow.id,
            "a fresh message" if is_new else "a checkpoint restore",
            len(runner.state.requests),
            "they stay pending, and their answers will meet the state that this run leaves"
            if is_new
            else "those of the checkpoint take their place",
        )


async def _stream(
    runner: Runner, mode: Mode, claim: Claim, channel: _Channel
) -> AsyncGenerator[WorkflowEvent, None]:
    # The producer never raises into the group: a failing child would cancel the consumer in the middle of its own code.
    async with asyncio.TaskGroup() as group:
        channel.producer = group.create_task(_produce(runner, mode, claim, channel))
        try:
            async for event in channel:
                yield event
        except GeneratorExit:
            channel.abandon()
    if channel.error is not None and not channel.abandoned:
        raise channel.error


async def _produce(runner: Runner, mode: Mode, claim: Claim, channel: _Channel) -> None:
    try:
        await _drive(runner, mode, channel.put, claim, channel)
    except (asyncio.CancelledError, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - raised again by the consumer
        channel.error = error
    finally:
        channel.close()


class _Channel(Reader):
    """Events on their way to the consumer of a stream. `put` may be called from any thread."""

    producer: Task

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self.abandoned = False
        self._events: deque[WorkflowEvent] = deque()
        self._closed = False
        self._filled = asyncio.Event()
        self._wanted = asyncio.Event()
        self._emptier = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()

    def put(self, event: WorkflowEvent) -> None:
        self._events.append(event)
        if threading.get_ident() == self._thread:
            self._filled.set()
        else:
            self._loop.call_soon_threadsafe(self._filled.set)

    def close(self) -> None:
        self._closed = True
        self._filled.set()

    def abandon(self) -> None:
        """End the run, and the wait of who reads: from now on nobody takes events."""
        if not self.abandoned:
            self.abandoned = True
            self._filled.set()
            self.producer.cancel()

    async def has_read(self) -> None:
        while self._events or not self._wanted.is_set():
            self._wanted.clear()
            await self._wanted.wait()

    def room(self) -> Awaitable[None]:
        return DONE if len(self._events) < _MOST_UNREAD else _Room(self)

    async def wait_for_room(self) -> None:
        # A handler may await in an event loop of its own, in a thread: that one goes on.
        while (
            len(self._events) >= _MOST_UNREAD
            and asyncio.get_running_loop() is self._loop
        ):
            self._emptier.clear()
            await self._emptier.wait()

    def __aiter__(self) -> _Channel:
        return self

    async def __anext__(self) -> WorkflowEvent:
        while not (self._events or self._closed or self.abandoned):
            self._filled.clear()
            self._wanted.set()
            await self._filled.wait()
        if self.abandoned or not self._events:
            raise StopAsyncIteration
        self._wanted.clear()
        self._emptier.set()
        return self._events.popleft()


class _Room(Awaitable[None]):
    """Room in a channel. A plain function does not await it, and goes on without."""

    def __init__(self, channel: _Channel) -> None:
        self._channel = channel

    def __await__(self) -> Generator[Any, None, None]:
        return self._channel.wait_for_room().__await__()
