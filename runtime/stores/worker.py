"""One thread that owns one resource: all blocking calls are made there."""

from __future__ import annotations

import asyncio
import contextvars
import os
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from typing import Any, Generic, Protocol, TypeVar

from runtime.concurrency.threads import Outcome, hand_over, outcome_of, settle


class Closable(Protocol):
    def close(self) -> None: ...


_R = TypeVar("_R", bound=Closable)
_T = TypeVar("_T")
# Hands an outcome from another thread to the loop of a future.
_Bring = Callable[["asyncio.Future[Any]", Outcome], None]
_Job = tuple[_Bring, "asyncio.Future[Any]", Callable[[Any], Any]]


class Worker(Generic[_R]):
    """Runs jobs one after the other, in the order in which they were given.

    The thread and the order are always the same, because an SQLite connection requires
    that. A job costs a third of `asyncio.to_thread` (`python -m tests.benchmarks --only
    w6`). A worker that nobody refers to ends by itself and closes its resource.
    """

    def __init__(self, open_: Callable[[], _R], name: str) -> None:
        """Open the resource in the thread; what that raises is raised here."""
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        opened: Future[None] = Future()
        self._thread = threading.Thread(
            target=_work, args=(self._jobs, opened, open_), name=name, daemon=True
        )
        self._thread.start()
        opened.result()
        self._end = weakref.finalize(self, self._jobs.put, None)

    @property
    def closed(self) -> bool:
        return not self._end.alive

    def run(self, job: Callable[[_R], _T]) -> asyncio.Future[_T]:
        """Return the result of the job. A job that is cancelled before it began is
        dropped; once begun, it is done.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[_T] = loop.create_future()
        self._jobs.put((_way_to(loop), future, job))
        return future

    async def close(self) -> None:
        """Do the waiting jobs, close the resource and end the thread."""
        if self._end.detach() is None:
            return
        ended = self.run(lambda resource: resource.close())
        self._jobs.put(None)
        await ended
        self._thread.join()


def _work(
    jobs: SimpleQueue[_Job | None], opened: Future[None], open_: Callable[[], Closable]
) -> None:
    try:
        resource = open_()
    except BaseException as error:  # noqa: BLE001 - handed to whoever waits
        opened.set_exception(error)
        return
    opened.set_result(None)
    while (item := jobs.get()) is not None:
        _do(item, resource)
        del item  # because the result belongs to the caller alone
    resource.close()


def _do(item: _Job, resource: Closable) -> None:
    bring, future, job = item
    if not future.cancelled():
        bring(future, outcome_of(lambda: job(resource)))


class _Bell:
    """Outcomes for one loop, which fetches them when an eventfd wakes it.

    One write and one read. The loop's own `call_soon_threadsafe` sends a byte through a
    pair of sockets and receives until there is none, which costs 10 to 20 µs of CPU
    time more for each job (`python -m tests.benchmarks --only w6`).
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._outcomes: deque[tuple[asyncio.Future[Any], Outcome]] = deque()
        self._fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        # Closed with the bell, but not when the program ends, because threads that
        # still run then may ring afterwards.
        weakref.finalize(self, os.close, self._fd).atexit = False
        # In a context of its own, because the loop keeps the context and all that the
        # present one holds.
        contextvars.Context().run(loop.add_reader, self._fd, self._answer)

    def ring(self, future: asyncio.Future[Any], outcome: Outcome) -> None:
        self._outcomes.append((future, outcome))
        os.eventfd_write(self._fd, 1)

    def _answer(self) -> None:
        os.eventfd_read(self._fd)
        while self._outcomes:
            future, outcome = self._outcomes.popleft()
            settle(future, *outcome)


# A bell ends with its loop, so it must not refer to it.
_BELLS: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Bell] = (
    weakref.WeakKeyDictionary()
)


def _way_to(loop: asyncio.AbstractEventLoop) -> _Bring:
    bell = _BELLS.get(loop)
    if bell is None:
        if sys.platform != "linux" or not isinstance(loop, asyncio.SelectorEventLoop):
            return partial(hand_over, loop)
        bell = _BELLS[loop] = _Bell(loop)
    return bell.ring
