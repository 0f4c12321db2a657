"""Runs plain functions in threads of their own.

Not in the loop's thread pool, because that has a handful of threads, which functions
that never end would use up, and because the loop waits for all of them when it ends. A
thread of this module is abandoned when its waiter is cancelled.

Idle threads are used again. Paid for by `python -m tests.benchmarks --only threads`:
with a new thread for each call, a superstep of a plain function takes 1.45 times the
CPU.
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

# How many calls of one loop run at a time. Abandoned calls do not count.
AT_ONCE = 32
_SLOTS: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = (
    WeakKeyDictionary()
)
# The queues of idle threads. The one that was used last is taken first.
_IDLE: deque[SimpleQueue[_Job]] = deque()
if hasattr(os, "register_at_fork"):
    # A forked process has only the thread that forked.
    os.register_at_fork(after_in_child=_IDLE.clear)


async def in_thread(call: Callable[..., _T], *arguments: Any) -> _T:
    """Return or raise what `call` does. When this is cancelled, the thread goes on and
    its outcome is dropped.
    """
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
            # The function has forked, and this is the child: it has no waiter, and ends
            # with its only thread.
            return
        _IDLE.append(jobs)
        hand_over(loop, future, outcome)
        # An idle thread must not keep the values of a run alive.
        del job, future, outcome


def outcome_of(job: Callable[[], Any]) -> Outcome:
    """Run a job. Return its result and None, or None and what it raised."""
    try:
        return job(), None
    except StopIteration as error:
        # A future refuses a StopIteration. A coroutine would have turned it into a
        # RuntimeError as well.
        raised = RuntimeError("A function raised StopIteration.")
        raised.__cause__ = error
        return None, raised
    except BaseException as error:  # noqa: BLE001 - raised again in the waiter
        return None, error


def hand_over(
    loop: asyncio.AbstractEventLoop, future: asyncio.Future[Any], outcome: Outcome
) -> None:
    """Settle a future of a loop that runs in another thread."""
    try:
        loop.call_soon_threadsafe(settle, future, *outcome)
    except RuntimeError:
        # The loop is closed, and its waiters gone with it.
        return


def settle(
    future: asyncio.Future[Any], result: Any, raised: BaseException | None
) -> None:
    """Settle a future in the thread of its loop, unless its waiter was cancelled."""
    if future.cancelled():
        return
    if raised is None:
        future.set_result(result)
    else:
        future.set_exception(raised)
