"""Tells a run that its caller was cancelled, although the code of handlers runs in
between.

A task knows whether it was cancelled (`Task.cancelling()`), but that is not enough
here: a handler may cancel the task it runs in, or take a cancellation back, and until
Python 3.13 a `TaskGroup` that fails inside a handler leaves its task marked as
cancelled. So handlers never run in the caller's task: `run_in_own_task` gives them
another one, and a `StopSignal` says whether the caller wants the end; the engine asks
it after each await of a handler's code.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")
Task = asyncio.Task[Any]


def this_task() -> Task:
    """Return the task that this runs in. Raise `RuntimeError` outside of one."""
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError(
            "Code of executors runs in a task: await it from a coroutine."
        )
    return task


class StopSignal:
    """Says whether the work must end: because `caller` was cancelled since this was
    made, or because of `set`.

    Signals form a chain: a signal with an `outer` one is also set when that one is.
    Only the outermost has a caller.

    task  the task in which handlers run while there is one for all
    """

    __slots__ = ("_caller", "_cancellations_before", "_is_set", "_outer", "task")
    task: Task

    def __init__(
        self, caller: Task | None = None, outer: StopSignal | None = None
    ) -> None:
        self._caller = caller
        self._outer = outer
        self._is_set = False
        self._cancellations_before = 0 if caller is None else caller.cancelling()

    @classmethod
    def of_this_task(cls) -> StopSignal:
        return cls(asyncio.current_task())

    @property
    def is_set(self) -> bool:
        signal = self
        while not signal._is_set:
            if signal._outer is None:
                caller = signal._caller
                return (
                    caller is not None
                    and caller.cancelling() > signal._cancellations_before
                )
            signal = signal._outer
        return True

    def set(self) -> None:
        self._is_set = True

    def raise_if_set(self) -> None:
        """Raise `CancelledError` if the work must end. Call it after user code, which
        may swallow a cancellation.
        """
        if self.is_set:
            raise asyncio.CancelledError


class _Outcome(Generic[T]):
    """Keeps what work in a task returned or raised, for the code that waits for the
    task.

    The work never raises into its `TaskGroup`, because that would cancel the caller's
    task and leave it marked so.
    """

    __slots__ = ("_error", "_results")

    def __init__(self) -> None:
        self._error: BaseException | None = None
        self._results: list[T] = []

    async def capture(
        self, work: Callable[[StopSignal], Awaitable[T]], stop: StopSignal
    ) -> None:
        stop.task = this_task()
        try:
            self._results.append(await work(stop))
        except BaseException as error:  # noqa: BLE001 - raised again by `get`
            self._error = error

    def get(self) -> T:
        if self._results:
            return self._results[0]
        try:
            raise self._error or asyncio.CancelledError
        finally:
            # The error refers to this frame, which refers to it: a circle that only the
            # garbage collector would free.
            self._error = None


async def run_in_own_task(work: Callable[[StopSignal], Awaitable[T]]) -> T:
    """Return or raise what `work` does in a task of its own. When the caller is
    cancelled, that task is cancelled and awaited.
    """
    outcome = _Outcome[T]()
    stop = StopSignal.of_this_task()
    async with asyncio.TaskGroup() as group:
        group.create_task(outcome.capture(work, stop))
    return outcome.get()


async def run_while_saving(
    work: Callable[[StopSignal], Awaitable[None]],
    save: Callable[[], Awaitable[None]],
    stop: StopSignal,
) -> None:
    """Do both at once. When the save fails, the work is cancelled; when the work fails,
    the save is completed.
    """
    outcome = _Outcome[None]()
    inner_stop = StopSignal(outer=stop)
    save_error = None
    async with asyncio.TaskGroup() as group:
        task = group.create_task(outcome.capture(work, inner_stop))
        try:
            await save()
        except Exception as error:  # noqa: BLE001 - raised again once the work has ended
            save_error = error
            inner_stop.set()
            task.cancel()
    if save_error is not None:
        raise save_error
    outcome.get()
