"""Deliveries of an executor that has a failure policy, or an error edge, here or around it: see `runtime.policy`."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from runtime.edges.base import own_copy
from runtime.engine.invoke import (
    Attempt,
    WatchedRound,
    complete_delivery,
    handle_failure,
    isolated_arguments,
    keep_own_record,
    restore_into,
    snapshot,
)
from runtime.engine.user_frames import own_frames
from runtime.errors import ExecutorTimeoutError
from runtime.executors.context import WorkflowContext
from runtime.executors.delivery import absorb_cancellation, call
from runtime.executors.effects import Effects, more
from runtime.message import ExecutorFailure, Message
from runtime.policy import NO_POLICY, FailurePolicy, is_tried_again
from runtime.values.copies import isolate
from runtime.values.user_failures import (
    add_cause,
    blame,
    in_words,
    note_on,
    savable,
    text_of,
)

if TYPE_CHECKING:
    from runtime.concurrency.cancellation import StopSignal, Task
    from runtime.engine.invoke import RunRound, WatchedJob
    from runtime.executors.delivery import Delivery
    from runtime.graph.workflow_graph import WorkflowGraph

# Lines of a traceback that travel with a failure: the innermost ones.
_MOST_LINES = 40


async def deliver_with_attempts(job: WatchedJob, stop: StopSignal, task: Task) -> None:
    """The deliveries of one executor, one after the other. Raises what fails the superstep."""
    policy = job.round.workflow.policies.get(job.executor_id, NO_POLICY)
    for delivery in job.inbox:
        before = await _Before.of(job, stop)
        error = await _attempt_all(job, delivery, policy, before, stop, task)
        if error is None:
            continue
        failure = _failure_of(job, delivery, error)
        with _telling_of(job, delivery, error):
            is_taken_here = await _takes(job.round.workflow, failure, stop)
            is_taken = is_taken_here or await _is_taken_around(job, failure, stop)
        if not is_taken:
            handle_failure(job, delivery, error)
            raise error
        job.round.notifier.handler_failed(
            job.round.path, job.executor_id, delivery.handler.name, error, taken=True
        )
        if not is_taken_here:
            return  # the run of the sub-workflow that the executor is in has ended
        _send_on(job, delivery, failure)
    if job.own is not None:
        keep_own_record(job)


@contextmanager
def _telling_of(
    job: WatchedJob, delivery: Delivery, error: BaseException
) -> Iterator[None]:
    """What is done because a handler has failed may fail or be cancelled, too: then the failure of the handler is told
    all the same, and is the cause of what is raised.
    """
    try:
        yield
    except BaseException as raised:
        if isinstance(raised, asyncio.CancelledError):
            raised.__cause__ = error
            handle_failure(job, delivery, raised)
        else:
            add_cause(raised, error)
            named = "/".join((*job.round.path, job.executor_id))
            note_on(raised, f"after executor '{named}' had failed: {in_words(error)}")
            handle_failure(job, delivery, error)
        raise


async def _attempt_all(
    job: WatchedJob,
    delivery: Delivery,
    policy: FailurePolicy,
    before: _Before,
    stop: StopSignal,
    task: Task,
) -> BaseException | None:
    """None once an attempt ended well, or else what the last one raised; then nothing is left of any of them."""
    number = 0
    while True:
        number += 1
        error = await _attempt(job, delivery, policy, number, stop, task)
        if error is None:
            return None
        with _telling_of(job, delivery, error):
            await before.put_back(job, stop)
        if (
            number >= policy.attempts
            or policy.retry is None
            or not is_tried_again(error)
        ):
            return error
        seconds = policy.retry.wait_after(
            number, f"{job.executor_id}:{job.round.superstep}"
        )
        job.round.notifier.attempt_failed(
            job, delivery, error, number, policy.attempts, wait=seconds
        )
        if not seconds:
            continue
        with _telling_of(job, delivery, error):
            is_over = not await _wait(job, seconds, stop, task)
        if is_over:
            return job.error


async def _attempt(
    job: WatchedJob,
    delivery: Delivery,
    policy: FailurePolicy,
    number: int,
    stop: StopSignal,
    task: Task,
) -> BaseException | None:
    round = job.round
    notifier = job.round.notifier
    context = WorkflowContext.of(job, delivery.sources, delivery.request)
    arguments = isolated_arguments(job, delivery, context)
    if notifier.feeds:
        notifier.handler_started(round.path, delivery, number, policy.attempts)
    yielded = 0 if round.live is None else round.live.count(round.path, job.executor_id)
    started = perf_counter()
    job.error = None
    job.task = task
    timer = None
    if policy.timeout is not None:
        too_late = ExecutorTimeoutError(
            job.executor_id, delivery.handler.name, policy.timeout
        )
        timer = round.clock.call_later(policy.timeout, partial(job.abort, too_late))
    try:
        await call(delivery, arguments, stop, task, job)
    except (KeyboardInterrupt, asyncio.CancelledError) as error:
        handle_failure(job, delivery, error)
        raise
    except BaseException as error:  # noqa: BLE001 - handed to who decides about it
        job.error = None
        if round.live is not None:
            round.live.withdraw_after(round.path, job.executor_id, yielded)
        job.attempts.append(
            Attempt(delivery, number, started, perf_counter() - started, error)
        )
        return error
    finally:
        job.task = None
        if timer is not None:
            timer.cancel()
        effects = context.close()
    complete_delivery(job, delivery, effects, started)
    return None


async def _wait(job: WatchedJob, seconds: float, stop: StopSignal, task: Task) -> bool:
    """Wait for the next attempt. False when somebody cancels the executor meanwhile: then there is none."""
    before = task.cancelling()
    job.error = None
    job.task = task
    try:
        await job.round.clock.sleep(seconds)
    except asyncio.CancelledError:
        stop.raise_if_set()
        if job.error is None:
            raise
    finally:
        job.task = None
    if job.error is not None:
        await absorb_cancellation(task, before, stop)
    return job.error is None


class _Before(NamedTuple):
    """What the executor has done and knows before a delivery. `hooked` is what its hook says, if it has one."""

    requests: int
    touched: dict[str, Any] | None
    own: dict[str, Any] | None
    hooked: dict[str, Any] | None

    @classmethod
    async def of(cls, job: WatchedJob, stop: StopSignal) -> _Before:
        hooked = await snapshot(job.executor, stop) if job.executor.has_hooks else None
        return cls(
            job.requests,
            None if job.touched is None else dict(job.touched),
            isolate(job.own),
            hooked,
        )

    async def put_back(self, job: WatchedJob, stop: StopSignal) -> None:
        job.requests = self.requests
        job.touched = None if self.touched is None else dict(self.touched)
        job.own = isolate(self.own)
        if self.hooked is not None:
            await restore_into(job.executor, self.hooked, stop)


# --- error edges --------------------------------------------------------------------------------------------------


def _send_on(job: WatchedJob, delivery: Delivery, failure: ExecutorFailure) -> None:
    """The failure is all that this delivery sends."""
    last = job.attempts[-1]
    effects = Effects(sent=(Message(failure, job.executor_id),))
    effects.delivery = delivery
    effects.started = last.started
    effects.seconds = last.seconds
    job.deliveries += 1
    job.effects = more(job.effects, effects)
    if delivery.request is not None:
        job.answered = more(job.answered, delivery.request.id)


async def _is_taken_around(
    job: WatchedJob, failure: ExecutorFailure, stop: StopSignal
) -> bool:
    """True when an error edge of an executor around takes it, the nearest one: then the run in between has ended."""
    path = job.round.path
    order = job.round.workflow.order[job.executor_id]
    round: RunRound = job.round
    while isinstance(round, WatchedRound) and round.parent is not None:
        inner = "/".join((*path[len(round.path) - 1 :], job.executor_id))
        # As the executor around the sub-workflow has it.
        outside = replace(
            failure,
            executor_id=round.owner,
            superstep=round.parent.superstep,
            path=inner,
        )
        if await _takes(round.parent.workflow, outside, stop):
            round.failures.append(((path, order), outside))
            return True
        round = round.parent
    return False


async def _takes(
    workflow: WorkflowGraph, failure: ExecutorFailure, stop: StopSignal
) -> bool:
    """True when at least one error edge of the executor that failed leads on. Raises what a condition raises."""
    for group in workflow.error_edges.get(failure.executor_id, ()):
        if workflow.executors[group.target_ids[0]].handler_for(failure) is None:
            continue
        condition = group.functions().get(None)
        if condition is None:
            return True
        try:
            answer = condition(own_copy(condition, failure))
            if isinstance(answer, Awaitable):
                holds = bool(await answer)
            else:
                holds = bool(answer)
        except BaseException as raised:
            stop.raise_if_set()
            blame(raised, "A condition", f"in the condition of error edge '{group.id}'")
            raise
        stop.raise_if_set()
        if holds:
            return True
    return False


def _failure_of(
    job: WatchedJob, delivery: Delivery, error: BaseException
) -> ExecutorFailure:
    return ExecutorFailure(
        job.executor_id,
        delivery.handler.name,
        type(error).__name__,
        savable(text_of(error)),
        job.attempts[-1].number,
        job.round.superstep,
        delivery.data,
        tuple(savable(line) for line in _traceback(error)),
    )


def _traceback(error: BaseException) -> list[str]:
    lines = "".join(traceback.format_list(own_frames(error))).splitlines()
    return lines[-_MOST_LINES:]
