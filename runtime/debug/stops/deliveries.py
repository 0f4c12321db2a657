"""The deliveries of the superstep that runs, in the fixed order, and how far they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from runtime.debug.protocol import DeliveryPlace
from runtime.engine.invoke import Job
from runtime.executors.delivery import Delivery


class Deliveries:
    """All of them, job by job. A job does one after the other."""

    def __init__(self, jobs: Sequence[Job] = ()) -> None:
        self.jobs = jobs

    @cached_property
    def _first_places(self) -> dict[int, int]:
        places = {}
        place = 1
        for job in self.jobs:
            places[id(job)] = place
            place += len(job.inbox)
        return places

    def order(self, job: Job) -> int:
        """Return the place of the first delivery of a job, from 1."""
        return self._first_places.get(id(job), 1)

    def place(self, job: Job, position: int) -> DeliveryPlace:
        """Return where a delivery of a job is; the last one for a position beyond."""
        position = min(position, len(job.inbox) - 1)
        return DeliveryPlace(
            executor=job.executor_id,
            path=job.round.path,
            place=self.order(job) + position,
            of=sum(len(job.inbox) for job in self.jobs),
            handler=job.inbox[position].handler.name,
        )

    def unfinished(self) -> Iterator[Job]:
        return (job for job in self.jobs if not is_over(job))

    def blocked(self) -> frozenset[int]:
        """Return the ids of the jobs that cannot begin before another one has ended,
        because both use one instance of an executor.
        """
        if len(self.jobs) < 2 or not self.jobs[-1].round.path:
            # Only runs of sub-workflows share instances.
            return frozenset()
        seen: set[int] = set()
        blocked: set[int] = set()
        for job in self.unfinished():
            if id(job.executor) in seen:
                blocked.add(id(job))
            seen.add(id(job.executor))
        return frozenset(blocked)


def is_over(job: Job) -> bool:
    """Return True if a job has no further delivery to do."""
    return job.deliveries >= len(job.inbox) or job.has_given_up


def is_running(job: Job) -> bool:
    """Return True while a handler of the job runs, or waits for its next attempt."""
    return job.task is not None


def due_delivery(job: Job) -> Delivery:
    """Return the delivery that a job does now or next. It must not be over."""
    return job.inbox[job.deliveries]


def due_attempt(job: Job) -> int:
    """Return the number of the attempt that is due for it."""
    delivery = due_delivery(job)
    return 1 + sum(attempt.delivery is delivery for attempt in job.attempts)
