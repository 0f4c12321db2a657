"""One thread that owns one resource: blocking calls happen there, and only there."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, Generic, Protocol, TypeVar

from runtime.threads import hand_over, outcome_of


class Closable(Protocol):
    def close(self) -> None: ...


_R = TypeVar("_R", bound=Closable)
_T = TypeVar("_T")
_Job = tuple[asyncio.AbstractEventLoop, "asyncio.Future[Any]", Callable[[Any], Any]]


class Worker(Generic[_R]):
    """Runs jobs one after the other, in the order in which they were given.

    A third of the cost of `asyncio.to_thread`, and the order and the thread are always the same, which an SQLite
    connection needs. A worker that is forgotten ends by itself, and closes what it owns.
    """

    def __init__(self, open_: Callable[[], _R], name: str) -> None:
        """Open the resource in the thread; what that raises is raised here."""
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        opened: Future[None] = Future()
        self._thread = threading.Thread(target=_work, args=(self._jobs, opened, open_), name=name, daemon=True)
        self._thread.start()
        opened.result()
        self._end = weakref.finalize(self, self._jobs.put, None)

    @property
    def closed(self) -> bool:
        return not self._end.alive

    def run(self, job: Callable[[_R], _T]) -> asyncio.Future[_T]:
        """The result of the job. One that is cancelled before it began is dropped; once begun, it is done."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[_T] = loop.create_future()
        self._jobs.put((loop, future, job))
        return future

    async def close(self) -> None:
        """Do the jobs that wait, close the resource, end the thread."""
        if self._end.detach() is None:
            return
        ended = self.run(lambda resource: resource.close())
        self._jobs.put(None)
        await ended
        self._thread.join()


def _work(jobs: SimpleQueue[_Job | None], opened: Future[None], open_: Callable[[], Closable]) -> None:
    try:
        resource = open_()
    except BaseException as error:  # noqa: BLE001 - handed to whoever waits
        opened.set_exception(error)
        return
    opened.set_result(None)
    while (item := jobs.get()) is not None:
        _do(item, resource)
        del item  # the result is the caller's alone
    resource.close()


def _do(item: _Job, resource: Closable) -> None:
    loop, future, job = item
    if not future.cancelled():
        hand_over(loop, future, outcome_of(lambda: job(resource)))
