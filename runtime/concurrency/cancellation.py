"""Who asked a run to stop. Code of users is awaited in a task of its own, and whoever waits for that can be cancelled.

What a task knows of its own cancellation is not enough: a handler may cancel the task that it runs in, or take a
cancellation back; and until Python 3.13 a `TaskGroup` that fails inside a handler leaves its task marked as cancelled.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")
Task = asyncio.Task[Any]


def this_task() -> Task:
    """The task that this runs in. Raises `RuntimeError` outside of one."""
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError(
            "Code of executors runs in a task: await it from a coroutine."
        )
    return task


class Stop:
    """Whether those who work are to end: `caller` was cancelled since this was made, or it is said, here or above. Only
    one that has none above has a caller.

    worker  the task in which they work, where it is one for all
    """

    __slots__ = ("_above", "_before", "_caller", "_said", "worker")
    worker: Task

    def __init__(self, caller: Task | None = None, above: Stop | None = None) -> None:
        self._caller = caller
        self._above = above
        self._said = False
        self._before = 0 if caller is None else caller.cancelling()

    @classmethod
    def of_this_task(cls) -> Stop:
        return cls(asyncio.current_task())

    @property
    def asked(self) -> bool:
        stop = self
        while not stop._said:
            if stop._above is None:
                return (
                    stop._caller is not None
                    and stop._caller.cancelling() > stop._before
                )
            stop = stop._above
        return True

    def say(self) -> None:
        self._said = True

    def check(self) -> None:
        """Raises `CancelledError` if those who work are to end, although somebody kept that to himself."""
        if self.asked:
            raise asyncio.CancelledError


class _Outcome(Generic[T]):
    """What a task came to. No task raises into its group: that would cancel the caller, and leave it marked so."""

    __slots__ = ("_error", "_results")

    def __init__(self) -> None:
        self._error: BaseException | None = None
        self._results: list[T] = []

    async def of(self, work: Callable[[Stop], Awaitable[T]], stop: Stop) -> None:
        stop.worker = this_task()
        try:
            self._results.append(await work(stop))
        except BaseException as error:  # noqa: BLE001 - raised again by whoever waits
            self._error = error

    def get(self) -> T:
        if self._results:
            return self._results[0]
        try:
            raise self._error or asyncio.CancelledError
        finally:
            self._error = None  # it refers to this frame, which refers to it


async def apart(work: Callable[[Stop], Awaitable[T]]) -> T:
    """What `work` returns or raises, from a task of its own. When this is cancelled, that is cancelled and awaited."""
    outcome = _Outcome[T]()
    stop = Stop.of_this_task()
    async with asyncio.TaskGroup() as group:
        group.create_task(outcome.of(work, stop))
    return outcome.get()


async def beside(
    save: Callable[[], Awaitable[None]],
    work: Callable[[Stop], Awaitable[None]],
    stop: Stop,
) -> None:
    """Both at once. When the save fails the work is cancelled; when the work fails the save goes on to its end."""
    outcome = _Outcome[None]()
    inner = Stop(above=stop)
    failed = None
    async with asyncio.TaskGroup() as group:
        task = group.create_task(outcome.of(work, inner))
        try:
            await save()
        except Exception as error:  # noqa: BLE001 - raised again once the work has ended
            failed = error
            inner.say()
            task.cancel()
    if failed is not None:
        raise failed
    outcome.get()
