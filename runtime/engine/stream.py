"""`WorkflowStream`: one run, which goes on while it is awaited or iterated.

Two tasks take part in an iterated run: the consumer, which is the caller's own, and a
producer, which runs the engine. The `_Channel` between them lets the producer go on
only while the consumer asks for events, so that a caller who stops reading stops the
run.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Coroutine, Generator
from types import GenericAlias
from typing import TYPE_CHECKING, Any, Self

from runtime.concurrency.cancellation import Task
from runtime.engine.feed import Reader
from runtime.engine.run import RunClaim
from runtime.events import WorkflowEvent, WorkflowRunResult
from runtime.executors.effects import DONE

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointStore
    from runtime.engine.run_request import RunRequest
    from runtime.engine.runner import Runner

# A handler that awaits what it yields and emits waits while the reader has so many
# events unread.
_MOST_UNREAD = 256


class WorkflowStream:
    """A run that goes on while it is iterated, or awaited through `get_final_response`.
    It runs once.

    It waits for its reader: a superstep begins, and one that has run is committed and
    saved, when all events until then have been taken and the next one is asked for. A
    caller that leaves the loop, closes the stream or is cancelled ends the run at the
    last barrier; events of an unfinished superstep are void then.

    Each event goes to one reader. Any task of the same event loop may close the stream
    while another one reads.
    """

    def __init__(
        self,
        runner: Runner,
        request: RunRequest,
        store: CheckpointStore | None,
        streaming: bool,
        include_status: bool,
    ) -> None:
        self.claim = RunClaim(self)
        self._runner = runner
        self._request = request
        self._store = store
        self._streaming = streaming
        self._include_status = include_status
        self._events: list[WorkflowEvent] = []
        # Neither may refer to this object, because dropping the stream must free it at
        # once: that ends the run.
        self._source: AsyncGenerator[WorkflowEvent, None] | None = None
        self._channel: _Channel
        # Held by the task that reads or closes, because a generator serves one task at
        # a time.
        self._lock = asyncio.Lock()

    def __class_getitem__(cls, parameters: Any) -> GenericAlias:
        return GenericAlias(cls, parameters)

    def __await__(self) -> Generator[Any, None, WorkflowStream]:
        # agent-framework's `run(stream=True)` may be awaited before it is iterated. There is nothing to wait for; the
        # `yield` that is never reached makes this a generator, which `await` needs.
        return self
        yield

    @property
    def updates(self) -> list[WorkflowEvent]:
        """The events that were iterated so far."""
        return list(self._events)

    def __aiter__(self) -> WorkflowStream:
        return self

    async def __anext__(self) -> WorkflowEvent:
        """Raise `RuntimeError` while another task waits for an event, or in another
        event loop; the run goes on.
        """
        if self._source is None:
            if self.claim.has_ended:
                # Closed before it began.
                raise StopAsyncIteration
            self._source = self._begin()
        elif not self._is_reachable():
            raise StopAsyncIteration
        elif self._lock.locked() and not self._channel.is_abandoned:
            raise RuntimeError(
                "Another task reads this stream just now, and each event goes to one reader. Let that task pass the "
                "events on, or wait for its end: get_final_response() has the result then."
            )
        async with self._lock:
            event = await self._next_event(self._source)
        if event.type == "status":
            self.claim.emitted_status = event.state
        self._events.append(event)
        return event

    def _begin(self) -> AsyncGenerator[WorkflowEvent, None]:
        self.claim.emitted_status = self._runner.status
        self.claim.loop = asyncio.get_running_loop()
        self._channel = _Channel()
        return _events(
            self._runner, self._request, self._store, self.claim, self._channel
        )

    async def _next_event(
        self, source: AsyncGenerator[WorkflowEvent, None]
    ) -> WorkflowEvent:
        try:
            return await source.__anext__()
        except BaseException:
            # The end, an error, or a cancellation: in each case the run is over.
            self.claim.has_ended = True
            raise

    def _is_reachable(self) -> bool:
        """Return False if the loop of the run is closed. Raise `RuntimeError` in
        another loop, where the run is not safe.
        """
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
        """Give the run up before its end: it is cancelled and awaited. For a task that
        reads, the stream ends.
        """
        if self._source is None:
            self.claim.has_ended = True
        elif self._is_reachable():
            self._channel.abandon()
            async with self._lock:
                try:
                    await self._source.aclose()
                finally:
                    # Also when this is cancelled: the run has ended before that is
                    # raised.
                    self.claim.has_ended = True

    async def close(self, exc: BaseException | None = None) -> None:
        """agent-framework's name for `aclose`."""
        await self.aclose()

    def awaited(self) -> Coroutine[Any, Any, WorkflowRunResult]:
        """Return the run as a coroutine, for a caller that only awaits the result."""
        coroutine = self.get_final_response()
        self.claim.end_with(coroutine)
        return coroutine

    async def get_final_response(self) -> WorkflowRunResult:
        """Return the result once the run rests. Runs what has not been iterated yet,
        and raises what the run raises.
        """
        if self._streaming:
            async for _ in self:
                pass
        elif not self.claim.has_ended:
            self.claim.loop = asyncio.get_running_loop()
            try:
                await self._runner.run(
                    self._request,
                    self._store,
                    self._events.append,
                    on_begun=self.claim.begin,
                )
            finally:
                self.claim.has_ended = True
        left_out = ("started",) if self._include_status else ("started", "status")
        events = [event for event in self._events if event.type not in left_out]
        statuses = [event for event in self._events if event.type == "status"]
        return WorkflowRunResult(events, statuses)


async def _events(
    runner: Runner,
    request: RunRequest,
    store: CheckpointStore | None,
    claim: RunClaim,
    channel: _Channel,
) -> AsyncGenerator[WorkflowEvent, None]:
    # The producer never raises into the group, because a failing child would cancel the
    # consumer inside its own code.
    async with asyncio.TaskGroup() as group:
        channel.producer = group.create_task(
            _produce(runner, request, store, claim, channel)
        )
        try:
            async for event in channel:
                yield event
        except GeneratorExit:
            channel.abandon()
    if channel.error is not None and not channel.is_abandoned:
        raise channel.error


async def _produce(
    runner: Runner,
    request: RunRequest,
    store: CheckpointStore | None,
    claim: RunClaim,
    channel: _Channel,
) -> None:
    try:
        await runner.run(
            request, store, channel.put, reader=channel, on_begun=claim.begin
        )
    except (asyncio.CancelledError, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - raised again by the consumer
        channel.error = error
    finally:
        channel.close()


class _Channel(Reader):
    """Events on their way to the consumer of a stream. `put` may be called from any
    thread.

    Two waits hold the producer back: `has_read`, between the steps of a superstep,
    until the consumer has taken all events and asks for the next; and `wait_for_room`,
    inside a handler, while very many events are unread.
    """

    producer: Task

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self.is_abandoned = False
        self._events: deque[WorkflowEvent] = deque()
        self._is_closed = False
        # Set when there may be something to read, when the consumer waits for it, and
        # when it has taken an event.
        self._has_news = asyncio.Event()
        self._is_wanted = asyncio.Event()
        self._was_taken = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()

    def put(self, event: WorkflowEvent) -> None:
        self._events.append(event)
        if threading.get_ident() == self._thread:
            self._has_news.set()
        else:
            self._loop.call_soon_threadsafe(self._has_news.set)

    def close(self) -> None:
        self._is_closed = True
        self._has_news.set()

    def abandon(self) -> None:
        """End the run, and the wait of a task that reads: no event is taken any more."""
        if not self.is_abandoned:
            self.is_abandoned = True
            self._has_news.set()
            self.producer.cancel()

    async def has_read(self) -> None:
        while self._events or not self._is_wanted.is_set():
            self._is_wanted.clear()
            await self._is_wanted.wait()

    def room(self) -> Awaitable[None]:
        return DONE if len(self._events) < _MOST_UNREAD else _Room(self)

    async def wait_for_room(self) -> None:
        # A handler may run an event loop of its own in a thread. There it goes on,
        # because only this loop can wake it.
        while (
            len(self._events) >= _MOST_UNREAD
            and asyncio.get_running_loop() is self._loop
        ):
            self._was_taken.clear()
            await self._was_taken.wait()

    def __aiter__(self) -> _Channel:
        return self

    async def __anext__(self) -> WorkflowEvent:
        while not (self._events or self._is_closed or self.is_abandoned):
            self._has_news.clear()
            self._is_wanted.set()
            await self._has_news.wait()
        if self.is_abandoned or not self._events:
            raise StopAsyncIteration
        self._is_wanted.clear()
        self._was_taken.set()
        return self._events.popleft()


class _Room(Awaitable[None]):
    """Room in a channel. A plain function cannot await it, and goes on without."""

    def __init__(self, channel: _Channel) -> None:
        self._channel = channel

    def __await__(self) -> Generator[Any, None, None]:
        return self._channel.wait_for_room().__await__()
