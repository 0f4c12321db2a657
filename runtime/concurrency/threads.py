"""Plain functions in threads of their own.

Not in the loop's pool: it has a handful of threads, which functions that never end would use up one after the other,
and the loop waits for all of them when it ends. A thread here is let go when whoever waits for it is cancelled.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

_T = TypeVar("_T")
_Job = tuple[asyncio.AbstractEventLoop, "asyncio.Future[Any]", Callable[[], Any]]
Outcome = tuple[Any, BaseException | None]

# How many calls of one loop go on at a time. Calls that nobody waits for any more do not count.
AT_ONCE = 32
_SLOTS: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = (
    WeakKeyDictionary()
)
# The threads that have nothing to do: starting one costs as much as a superstep.
_IDLE: deque[SimpleQueue[_Job]] = deque()
if hasattr(os, "register_at_fork"):  # threads do not come along into a forked process
    os.register_at_fork(after_in_child=_IDLE.clear)


async def in_thread(call: Callable[..., _T], *arguments: Any) -> _T:
    """What `call` returns or raises. When this is cancelled the thread goes on, and nobody hears of it."""
    loop = asyncio.get_running_loop()
    slots = _SLOTS.get(loop)
    if slots is None:
        slots = _SLOTS[loop] = asyncio.Semaphore(AT_ONCE)
    job = partial(contextvars.copy_context().run, call, *arguments)
    async with slots:
        future: asyncio.Future[_T] = loop.create_future()
        _free_thread().put((loop, future, job))
        return await future


def _free_thread() -> SimpleQueue[_Job]:
    try:
        return _IDLE.pop()
    except IndexError:
        jobs: SimpleQueue[_Job] = SimpleQueue()
        # A daemon, so that a function that never ends does not keep the process alive.
        threading.Thread(
            target=_work, args=(jobs,), name="function", daemon=True
        ).start()
        return jobs


def _work(jobs: SimpleQueue[_Job]) -> None:
    process = os.getpid()
    while True:
        loop, future, job = jobs.get()
        outcome = outcome_of(job)
        if os.getpid() != process:
            # the function forked, and this is the child: nobody waits here, and it ends with its only thread
            return
        _IDLE.append(jobs)
        hand_over(loop, future, outcome)
        del job, future, outcome  # nothing of a run is kept while the thread waits


def outcome_of(job: Callable[[], Any]) -> Outcome:
    """What a job returned, and what it raised."""
    try:
        return job(), None
    except StopIteration as error:  # a future does not take it; a coroutine would have turned it into the same
        raised = RuntimeError("A function raised StopIteration.")
        raised.__cause__ = error
        return None, raised
    except BaseException as error:  # noqa: BLE001 - handed to whoever waits
        return None, error


def hand_over(
    loop: asyncio.AbstractEventLoop, future: asyncio.Future[Any], outcome: Outcome
) -> None:
    """Settle a future of a loop that runs in another thread."""
    try:
        loop.call_soon_threadsafe(settle, future, *outcome)
    except RuntimeError:
        return  # the loop is closed: nobody waits any more


def settle(
    future: asyncio.Future[Any], result: Any, raised: BaseException | None
) -> None:
    """Settle a future in the thread of its loop, unless nobody waits for it any more."""
    if future.cancelled():
        return
    if raised is None:
        future.set_result(result)
    else:
        future.set_exception(raised)
