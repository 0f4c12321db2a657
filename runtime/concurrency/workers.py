"""Runs many jobs at once with as few tasks as possible.

Paid for by `python -m tests.benchmarks --only w3,w4`: with a task for each job the same
supersteps take 1.3 (w3), 1.45 (w4-100) and 1.7 (w4-1000) times the CPU. The reason is
that most handlers only compute and send, and never wait, so that a task costs more than
the job.

How it works: a worker is a task that takes one job after the other, in order, as long
as none of them waits. When a job does wait, its worker is stuck with it, and a standby
worker goes on with the remaining jobs. If no job waits there are two tasks, if all wait
there is one for each. Two jobs that are both begun and not ended never share a task.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextvars import copy_context
from operator import is_not
from typing import Generic, TypeVar

from runtime.concurrency.cancellation import StopSignal, Task, this_task

J = TypeVar("J")
# Does a job in the given task. It must raise `CancelledError` if the signal is set
# meanwhile.
Work = Callable[[J, StopSignal, Task], Awaitable[None]]


async def run_side_by_side(work: Work[J], jobs: Sequence[J], stop: StopSignal) -> None:
    """Do `work` on all jobs at once.

    When a job fails, the others are cancelled and awaited, and jobs that have not begun
    never begin. Raise the error of the first failed job in the order of `jobs`; errors
    that a job raises because it was cancelled do not count.
    """
    workers = _Workers(work, jobs, stop)
    # A second round is needed only if foreign code has cancelled the standby workers.
    while workers.have_jobs:
        async with asyncio.TaskGroup() as group:
            workers.add_to(group)
    workers.raise_failure()
    # After a cancellation, jobs may be left that never began.
    stop.raise_if_set()


class _Workers(Generic[J]):
    def __init__(self, work: Work[J], jobs: Sequence[J], stop: StopSignal) -> None:
        self._work = work
        self._jobs = jobs
        self._next = 0
        self._stop = StopSignal(outer=stop)
        self._context_values = tuple(copy_context().values())
        self._tasks: list[asyncio.Task[None]] = []
        # By the position of the job.
        self._errors: dict[int, BaseException] = {}
        # Workers that exist and have not begun yet.
        self._standby = 0
        self._size_of_next_group = 2
        self._is_adding = False

    @property
    def have_jobs(self) -> bool:
        return (
            self._next < len(self._jobs) and not self._errors and not self._stop.is_set
        )

    def raise_failure(self) -> None:
        if self._errors:
            try:
                raise self._errors[min(self._errors)]
            finally:
                self._errors.clear()

    def add_to(self, group: asyncio.TaskGroup) -> None:
        """Add standby workers, twice as many each time, so that after a few turns of
        the loop all jobs have begun even if all of them wait.

        A new task inherits the context variables of the task that makes it. That is
        safe, because a worker whose job has left a variable behind ends, and so never
        gets here.
        """
        self._standby = min(self._size_of_next_group, len(self._jobs) - self._next)
        self._size_of_next_group *= 2
        self._is_adding = True
        for _ in range(self._standby):
            self._tasks.append(group.create_task(self._take_jobs(group)))
        self._is_adding = False

    async def _take_jobs(self, group: asyncio.TaskGroup) -> None:
        if self._is_adding:
            # An eager task factory, from Python 3.12 on, begins a task before it is
            # scheduled. A standby worker must not begin before its maker has gone on.
            await asyncio.sleep(0)
        task = this_task()
        jobs = self._jobs
        self._standby -= 1
        if self._stop.is_set:
            return
        while self._next < len(jobs):
            position = self._next
            self._next = position + 1
            if not self._standby and self._next < len(jobs):
                # Before the job begins, because it may wait.
                self.add_to(group)
            try:
                await self._work(jobs[position], self._stop, task)
            except BaseException as error:  # noqa: BLE001 - raised again by `raise_failure`
                self._record_failure(position, error)
                if self._stop.is_set:
                    return
            if self._is_tainted(task):
                return

    def _record_failure(self, position: int, error: BaseException) -> None:
        if not self._stop.is_set or isinstance(error, KeyboardInterrupt):
            self._errors[position] = error
            # Stop in the next turn of the loop only: other jobs may fail in this one,
            # and the order of jobs decides whose error is raised.
            asyncio.get_running_loop().call_soon(self._cancel_all)

    def _cancel_all(self) -> None:
        self._stop.set()
        for task in self._tasks:
            task.cancel()

    def _is_tainted(self, task: Task) -> bool:
        """Return True if a job has left something behind that the next job would
        notice: a cancellation or a context variable.
        """
        if task.cancelling():
            return True
        context = copy_context()
        before = self._context_values
        if len(context) != len(before):
            return True
        # Compared by identity, because comparing by value runs user code.
        return bool(before) and any(map(is_not, context.values(), before))
