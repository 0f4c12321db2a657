"""Jobs side by side by few workers: nobody feels that another job had his task before
him.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.concurrency.cancellation import StopSignal
from runtime.concurrency.workers import run_side_by_side
from runtime.executors.executor import WorkflowContext
from tests.runtime.graphs import react
from tests.runtime.test_cancelling import (
    Waiting,
    at_second_superstep,
    fanned,
    only_this_task,
)

Ctx = WorkflowContext[Any, Any]
SEEN: ContextVar[Any] = ContextVar("SEEN")
Job = Callable[[], Awaitable[None]]


async def run(job: Job, _stop: StopSignal, task: asyncio.Task[Any]) -> None:
    assert task is this_task()
    await job()


async def all_of(jobs: list[Any]) -> None:
    await run_side_by_side(run, jobs, StopSignal.of_this_task())


def this_task() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    assert task is not None
    return task


# --- how many tasks -------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(waits=st.lists(st.integers(0, 3), min_size=2, max_size=40))
def test_all_jobs_are_done_and_begin_in_order_and_no_two_that_go_on_share_a_task(
    waits: list[int],
):
    begun: list[int] = []
    going: dict[int, asyncio.Task[Any]] = {}
    used: set[asyncio.Task[Any]] = set()

    def job_of(number: int) -> Job:
        async def job() -> None:
            begun.append(number)
            assert this_task() not in going.values()
            going[number] = this_task()
            used.add(this_task())
            for _ in range(waits[number]):
                await asyncio.sleep(0)
                assert this_task() is going[number]
            del going[number]

        return job

    async def main() -> None:
        await all_of([job_of(number) for number in range(len(waits))])
        assert only_this_task()

    asyncio.run(main())
    assert begun == list(range(len(waits)))
    assert going == {}
    # One for each that waits, and one that does the others.
    assert len(used) <= sum(map(bool, waits)) + 1


async def test_jobs_that_never_wait_need_two_tasks():
    made: set[asyncio.Task[Any]] = set()

    async def job() -> None:
        made.update(asyncio.all_tasks())

    await all_of([job] * 100)
    assert len(made - {this_task()}) == 2


async def test_jobs_that_wait_for_each_other_go_on_side_by_side():
    barrier = asyncio.Barrier(100)

    async def job() -> None:
        await barrier.wait()

    async with asyncio.timeout(30):
        await all_of([job] * 100)


async def test_many_jobs_that_wait_have_all_begun_after_a_few_turns_of_the_loop():
    begun = []
    gate = asyncio.Event()

    async def job() -> None:
        begun.append(1)
        await gate.wait()

    async with asyncio.TaskGroup() as group:
        group.create_task(all_of([job] * 1000))
        for _ in range(12):
            await asyncio.sleep(0)
        assert len(begun) == 1000
        gate.set()


# --- what a job leaves behind ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("outside", [None, [0]])
async def test_a_job_does_not_see_the_variables_that_another_one_set(outside: Any):
    seen: list[Any] = []

    async def job() -> None:
        seen.append(SEEN.get())
        SEEN.set([0])  # equal to what was there, and another object

    SEEN.set(outside)
    await all_of([job] * 5)
    assert [one is outside for one in seen] == [True] * 5
    assert SEEN.get() is outside


async def test_a_job_sees_the_variables_of_the_caller_although_a_worker_that_set_them_hired_its_own():
    seen: list[Any] = []

    async def job() -> None:
        seen.append(SEEN.get("nothing"))
        SEEN.set("something")
        await asyncio.sleep(0)

    await all_of([job] * 9)
    assert seen == ["nothing"] * 9


async def test_rule_2_a_handler_does_not_see_the_variables_that_another_one_set_in_the_superstep():
    seen: list[Any] = []

    async def look(message: Any, ctx: Ctx) -> None:
        seen.append(SEEN.get("nothing"))
        SEEN.set(ctx.executor_id)

    runner = await at_second_superstep(fanned(*(react(name, look) for name in "bcd")))
    await runner.step()
    assert seen == ["nothing"] * 3


async def cancel() -> None:
    this_task().cancel()


async def cancel_and_take_back() -> None:
    this_task().cancel()
    this_task().uncancel()


async def cancel_and_keep_it_to_itself() -> None:
    this_task().cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    "mark",
    [
        cancel,
        pytest.param(
            cancel_and_take_back,
            marks=pytest.mark.skipif(
                sys.version_info < (3, 13),
                reason="before Python 3.13 uncancel() leaves the cancellation pending",
            ),
        ),
        cancel_and_keep_it_to_itself,
    ],
)
async def test_a_job_that_cancels_its_own_task_does_not_cancel_the_next_one(mark: Job):
    done: list[int] = []

    async def job() -> None:
        assert this_task().cancelling() == 0
        await asyncio.sleep(0)
        done.append(1)

    async def stop_here() -> None:
        # the worker takes no further job: the next one is left to whoever wakes first
        SEEN.set(1)

    await all_of([mark, mark, stop_here, job, mark, stop_here, job, job])
    assert len(done) == 3


async def test_a_stranger_who_cancels_the_tasks_that_stand_by_takes_no_job_away():
    done: list[int] = []

    def job_of(number: int) -> Job:
        async def job() -> None:
            if number == 0:
                for task in asyncio.all_tasks() - {this_task(), caller}:
                    task.cancel()
                SEEN.set(number)  # so that this task takes no other job either
            done.append(number)

        return job

    caller = this_task()
    await all_of([job_of(number) for number in range(5)])
    assert sorted(done) == [0, 1, 2, 3, 4]


# --- failure and cancellation ---------------------------------------------------------------------------------------


async def test_side_by_side_awaits_all_before_it_raises():
    waiting = Waiting()

    async def fail() -> None:
        await waiting.inside.wait()
        raise KeyError("the reason")

    with pytest.raises(KeyError):
        await all_of([waiting, fail])
    assert waiting.ended
    assert only_this_task()


def failing(name: str, turns: int = 0) -> Job:
    async def job() -> None:
        for _ in range(turns):
            await asyncio.sleep(0)
        raise KeyError(name)

    return job


async def test_of_those_that_fail_in_one_turn_the_first_in_order_is_told():
    """The first one waits for a turn, so it fails after the second one, and before
    anybody was cancelled.
    """
    with pytest.raises(KeyError, match="first"):
        await all_of([failing("first", 1), failing("second"), failing("third")])
    with pytest.raises(KeyError, match="second"):
        await all_of([failing("first", 9), failing("second"), failing("third")])


async def test_what_has_not_begun_when_the_failure_is_told_never_begins():
    begun: list[int] = []
    gate = asyncio.Event()

    async def job() -> None:
        begun.append(1)
        await gate.wait()

    with pytest.raises(KeyError):
        await all_of([failing("the reason"), *[job] * 1000])
    assert 0 < len(begun) < 20
    assert only_this_task()


async def test_an_end_that_was_said_is_told_although_no_job_was_waiting_for_it():
    """Those that had not begun must not seem to be done."""
    begun = []
    stop = StopSignal()

    async def job() -> None:
        begun.append(1)
        stop.set()
        stop.raise_if_set()

    with pytest.raises(asyncio.CancelledError):
        await run_side_by_side(run, [job] * 3, stop)
    assert begun == [1]


async def test_a_keyboard_interrupt_counts_also_where_the_end_was_said():
    waiting = asyncio.Event()

    async def interrupted() -> None:
        try:
            await waiting.wait()
        finally:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await all_of([interrupted, failing("the reason")])


async def test_rule_6_handlers_that_fail_in_one_turn_are_told_by_the_first_although_the_queue_goes_on():
    begun: list[str] = []

    async def fail(_message: Any, ctx: Ctx) -> None:
        begun.append(ctx.executor_id)
        raise KeyError(ctx.executor_id)

    runner = await at_second_superstep(fanned(*(react(name, fail) for name in "bcd")))
    with pytest.raises(KeyError, match="b"):
        await runner.step()
    assert begun == ["b", "c", "d"]


async def test_rule_9_a_handler_that_cancels_the_caller_leaves_the_run_at_its_last_barrier_whole():
    """Nobody waits, so all have ended before a cancellation could arrive anywhere."""
    begun: list[str] = []

    async def cancel_caller(message: Any, ctx: Ctx) -> None:
        begun.append(ctx.executor_id)
        callers[0].cancel()
        ctx.set_state("k", 1)

    async def work(message: Any, ctx: Ctx) -> None:
        begun.append(ctx.executor_id)

    runner = await at_second_superstep(
        fanned(react("b", cancel_caller), react("c", work), react("d", work))
    )
    before = runner.state
    callers = []
    async with asyncio.TaskGroup() as group:
        callers.append(group.create_task(runner.finish()))
    assert callers[0].cancelled()
    assert (runner.state is before, begun) == (True, ["b"])
    assert only_this_task()


@pytest.mark.parametrize("width", [2, 3, 50])
async def test_rule_9_every_handler_that_waits_is_cancelled_and_awaited(width: int):
    waiting = [Waiting() for _ in range(width)]
    workflow = fanned(*(react(f"b{number}", one) for number, one in enumerate(waiting)))
    runner = await at_second_superstep(workflow)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(runner.finish())
        for one in waiting:
            await one.inside.wait()
        task.cancel()
    assert all(one.ended for one in waiting)
    assert only_this_task()
