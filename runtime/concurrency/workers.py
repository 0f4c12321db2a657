"""Many jobs side by side, by as many tasks as really have to wait.

A task for each job would cost more than most jobs do: a handler that only computes and sends never waits. So a worker
takes one job after the other, in order, as long as none of them waits. The worker whose job does wait stays with it,
and one that stands by goes on with the rest. If nobody waits there are two tasks, if everybody does one for each. No
two jobs that have begun and not ended share a task.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextvars import copy_context
from operator import is_not
from typing import Generic, TypeVar

from runtime.concurrency.cancellation import Stop, Task, this_task

J = TypeVar("J")
# What is done for a job, in the task that is given. It raises `CancelledError` if the end was said meanwhile.
Work = Callable[[J, Stop, Task], Awaitable[None]]


async def side_by_side(work: Work[J], jobs: Sequence[J], stop: Stop) -> None:
    """`work` on all jobs at once. When one fails the others are cancelled and awaited, and those that have not begun
    never do; what the first of them in order raised of itself is raised, never what one made of its being cancelled.
    """
    crew = _Crew(work, jobs, stop)
    # a second time only if a stranger cancelled whoever was to go on
    while crew.has_more:
        async with asyncio.TaskGroup() as group:
            crew.hire(group)
    crew.raise_failure()
    stop.check()  # else jobs that were not even begun would seem to be done


class _Crew(Generic[J]):
    def __init__(self, work: Work[J], jobs: Sequence[J], stop: Stop) -> None:
        self._work = work
        self._jobs = jobs
        self._next = 0
        self._stop = Stop(above=stop)
        self._values = tuple(copy_context().values())
        self._tasks: list[asyncio.Task[None]] = []
        self._errors: dict[int, BaseException] = {}
        # How many have been hired and not begun, and how many are hired at the next time.
        self._standby = 0
        self._size = 2
        self._hiring = False

    @property
    def has_more(self) -> bool:
        return (
            self._next < len(self._jobs) and not self._errors and not self._stop.asked
        )

    def raise_failure(self) -> None:
        if self._errors:
            try:
                raise self._errors[min(self._errors)]
            finally:
                self._errors.clear()

    def hire(self, group: asyncio.TaskGroup) -> None:
        """Some workers more, twice as many each time: where all wait, all have begun after a few turns of the loop."""
        self._standby = min(self._size, len(self._jobs) - self._next)
        self._size *= 2
        self._hiring = True
        # Whoever hires has set no variable that they would inherit: he is not used up.
        self._tasks += [
            group.create_task(self._take_jobs(group)) for _ in range(self._standby)
        ]
        self._hiring = False

    async def _take_jobs(self, group: asyncio.TaskGroup) -> None:
        # begun before it was scheduled: by an eager task factory, from Python 3.12 on
        if self._hiring:
            await asyncio.sleep(0)
        task = this_task()
        jobs = self._jobs
        self._standby -= 1
        if self._stop.asked:
            return
        while self._next < len(jobs):
            position = self._next
            self._next = position + 1
            if not self._standby and self._next < len(jobs):
                # before the job, so that somebody is there should it wait
                self.hire(group)
            try:
                await self._work(jobs[position], self._stop, task)
            except BaseException as error:  # noqa: BLE001 - raised again by whoever waits
                self._failed(position, error)
                if self._stop.asked:
                    return
            if self._is_used_up(task):
                return

    def _failed(self, position: int, error: BaseException) -> None:
        if not self._stop.asked or isinstance(error, KeyboardInterrupt):
            self._errors[position] = error
            # In the next turn of the loop: in this one others may fail as well, and the order decides.
            asyncio.get_running_loop().call_soon(self._end)

    def _end(self) -> None:
        self._stop.say()
        for task in self._tasks:
            task.cancel()

    def _is_used_up(self, task: Task) -> bool:
        """Whether a job has left something behind that the next one would feel: a cancellation, or a variable."""
        if task.cancelling() or getattr(task, "_must_cancel", False):
            return True
        here = copy_context()
        values = self._values
        # The same objects: equal ones may be changed later, and comparing them may fail.
        return len(here) != len(values) or (
            bool(values) and any(map(is_not, here.values(), values))
        )
