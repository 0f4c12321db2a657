"""Runs the deliveries of an executor that has a failure policy or an error edge, its
own or one around it.

`runtime.policy` has the rules. After a failed attempt nothing of it must be left: its
effects are dropped with its context, its live outputs are withdrawn, and what it
changed of the executor (`_Snapshot`) is put back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from runtime.edges.base import own_copy
from runtime.engine.invoke import (
    Attempt,
    TimeLimit,
    WatchedRound,
    complete_delivery,
    handle_failure,
    isolated_arguments,
    keep_own_record,
    pass_with_failure,
    restore_into,
    snapshot,
)
from runtime.engine.user_frames import traceback_lines
from runtime.errors import ExecutorTimeoutError, RecordedFailureError
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


async def deliver_with_attempts(job: WatchedJob, stop: StopSignal, task: Task) -> None:
    """Run the deliveries of one executor, one after the other. Raise what fails the
    superstep.
    """
    policy = job.round.workflow.policies.get(job.executor_id, NO_POLICY)
    for delivery in job.inbox:
        # For each delivery again, because an earlier one of this superstep may have
        # changed the executor's state.
        before = await _Snapshot.of(job, stop)
        error = await _try_until_success(job, delivery, policy, before, stop, task)
        if error is None:
            continue
        failure = _failure_of(job, delivery, error)
        # Conditions of error edges are user code, which may fail or be awaited.
        with _reporting(job, delivery, error):
            is_taken_here = await _takes(job.round.workflow, failure, stop)
            is_taken = is_taken_here or await _is_taken_around(job, failure, stop)
        number = job.attempts[-1].number
        if not is_taken:
            await pass_with_failure(job, delivery, number, error)
            handle_failure(job, delivery, error)
            raise error
        notifier = job.round.notifier
        notifier.handler_failed(
            job.round.path, job.executor_id, delivery.handler.name, error, taken=True
        )
        if is_taken_here:
            _send_failure(job, delivery, failure)
        else:
            job.has_given_up = True
        if notifier.gate is not None:
            await notifier.gate.after(job, delivery, number, error)
        if job.has_given_up:
            # The failure ends the run of the sub-workflow that this executor is in.
            return
    if job.own is not None:
        keep_own_record(job)


@contextmanager
def _reporting(
    job: WatchedJob, delivery: Delivery, error: BaseException
) -> Iterator[None]:
    """Report the failure of a handler even if what is done because of it fails too, or
    is cancelled.

    The handler's error is the cause of what is raised then.
    """
    try:
        yield
    except BaseException as raised:
        if isinstance(raised, asyncio.CancelledError):
            raised.__cause__ = error
            handle_failure(job, delivery, raised)
        else:
            add_cause(raised, error)
            name = "/".join((*job.round.path, job.executor_id))
            note_on(raised, f"after executor '{name}' had failed: {in_words(error)}")
            handle_failure(job, delivery, error)
        raise


async def _try_until_success(
    job: WatchedJob,
    delivery: Delivery,
    policy: FailurePolicy,
    before: _Snapshot,
    stop: StopSignal,
    task: Task,
) -> BaseException | None:
    """Return None once an attempt has succeeded, else what the last one raised; then
    nothing is left of any attempt.
    """
    number = 0
    while True:
        number += 1
        error = await _attempt(job, delivery, policy, number, stop, task)
        if error is None:
            return None
        with _reporting(job, delivery, error):
            await before.put_back(job, stop)
        if (
            number >= policy.attempts
            or policy.retry is None
            or not is_tried_again(error)
        ):
            return error
        # The seed makes the jitter the same in a replay.
        seconds = policy.retry.wait_after(
            number, f"{job.executor_id}:{job.round.superstep}"
        )
        if isinstance(error, RecordedFailureError):
            # There is no server to be given time.
            seconds = 0.0
        notifier = job.round.notifier
        notifier.attempt_failed(
            job, delivery, error, number, policy.attempts, wait=seconds
        )
        if notifier.gate is not None:
            with _reporting(job, delivery, error):
                await notifier.gate.after(job, delivery, number, error)
        if not seconds:
            continue
        with _reporting(job, delivery, error):
            is_over = not await _wait(job, seconds, stop, task)
        if is_over:
            # The executor was cancelled meanwhile.
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
    if notifier.gate is not None:
        await notifier.gate.before(job, delivery, number)
    if notifier.outside is None:
        context = WorkflowContext.of(job, delivery.sources, delivery.request)
        called = delivery
    else:
        context, called = notifier.outside.begin(job, delivery, number, stop)
    arguments = isolated_arguments(job, delivery, context)
    if notifier.feeds:
        notifier.handler_started(round.path, delivery, number, policy.attempts)
    yielded_before = 0
    if round.live is not None:
        yielded_before = round.live.count(round.path, job.executor_id)
    started = perf_counter()
    job.error = None
    job.task = task
    if policy.timeout is not None:
        timeout_error = ExecutorTimeoutError(
            job.executor_id, delivery.handler.name, policy.timeout
        )
        abort = partial(job.abort, timeout_error)
        job.time_limit = TimeLimit(round.clock, policy.timeout, abort)
    try:
        await call(called, arguments, stop, task, job)
    except (KeyboardInterrupt, asyncio.CancelledError) as error:
        handle_failure(job, delivery, error)
        raise
    except BaseException as error:  # noqa: BLE001 - the policy decides about it
        job.error = None
        if round.live is not None:
            round.live.withdraw_after(round.path, job.executor_id, yielded_before)
        job.attempts.append(
            Attempt(delivery, number, started, perf_counter() - started, error)
        )
        return error
    finally:
        job.task = None
        if job.time_limit is not None:
            job.time_limit.suspend()
            job.time_limit = None
        effects = context.close()
    complete_delivery(job, delivery, effects, started)
    if notifier.gate is not None:
        await notifier.gate.after(job, delivery, number)
    return None


async def _wait(job: WatchedJob, seconds: float, stop: StopSignal, task: Task) -> bool:
    """Wait before the next attempt. Return False if the executor is cancelled
    meanwhile, because then there is none.
    """
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


class _Snapshot(NamedTuple):
    """What a delivery may change of its executor. `hooked` is the state that its hook
    gives, if it has one.
    """

    requests: int
    touched: dict[str, Any] | None
    own: dict[str, Any] | None
    hooked: dict[str, Any] | None

    @classmethod
    async def of(cls, job: WatchedJob, stop: StopSignal) -> _Snapshot:
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


def _send_failure(
    job: WatchedJob, delivery: Delivery, failure: ExecutorFailure
) -> None:
    """Let the failure be all that this delivery sends."""
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
    """Return True if an error edge of an executor around takes the failure. It ends the
    run in between.
    """
    path = job.round.path
    order = job.round.workflow.order[job.executor_id]
    round: RunRound = job.round
    while isinstance(round, WatchedRound) and round.parent is not None:
        inner = "/".join((*path[len(round.path) - 1 :], job.executor_id))
        # The failure as it looks from outside: of the executor that wraps the
        # sub-workflow.
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
    """Return True if at least one error edge of the failed executor leads on. Raise
    what a condition raises.
    """
    for group in workflow.error_edges.get(failure.executor_id, ()):
        if workflow.executors[group.target_ids[0]].handler_for(failure) is None:
            continue
        condition = group.functions().get(None)
        if condition is None:
            return True
        try:
            answer = condition(own_copy(condition, failure))
            if isinstance(answer, Awaitable):
                answer = await answer
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
        tuple(savable(line) for line in traceback_lines(error)),
    )
