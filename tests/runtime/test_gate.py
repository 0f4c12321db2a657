"""The gate of a run: where the engine asks it, and that standing there is no part of a
call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from runtime.engine.invoke import Job, TimeLimit
from runtime.engine.runner import Runner
from runtime.engine.sub_runs import Frame
from runtime.errors import WorkflowRunnerException
from runtime.executors.delivery import Delivery
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.policy import RetryPolicy
from runtime.testing.clock import ManualClock
from runtime.workflow.builder import WorkflowBuilder
from tests.runtime.graphs import Sink, Step


class RecordingGate:
    """Notes what it is asked. Calls of `held` wait before they begin."""

    def __init__(self, held: str = "") -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.held = held
        self.opened = asyncio.Event()
        self.reached = asyncio.Event()

    async def routed(self, root: Frame, jobs: Sequence[Job]) -> None:
        self.asked.append(("routed", *(job.executor_id for job in jobs)))

    async def before(self, job: Job, delivery: Delivery, attempt: int) -> None:
        self.asked.append(("before", job.executor_id, attempt))
        if job.executor_id == self.held:
            self.reached.set()
            await self.opened.wait()

    async def after(
        self,
        job: Job,
        delivery: Delivery,
        attempt: int,
        error: BaseException | None = None,
        *,
        fails: bool = False,
    ) -> None:
        words = () if error is None else (str(error), fails)
        self.asked.append(("after", job.executor_id, attempt, *words))


class Failing(Executor):
    @handler
    async def go(self, message: str, ctx: WorkflowContext[str]) -> None:
        raise ValueError("no")


def fan_out(*targets: Executor) -> WorkflowBuilder:
    start = Step("start")
    return WorkflowBuilder(start_executor=start).add_fan_out_edges(start, targets)


async def test_it_is_asked_around_each_call_in_the_fixed_order() -> None:
    runner = Runner(fan_out(Sink("a"), Sink("b")).build())
    await runner.start("x")
    gate = runner.gate = RecordingGate()
    await runner.finish()
    assert gate.asked == [
        ("routed", "start"),
        ("before", "start", 1),
        ("after", "start", 1),
        ("routed", "a", "b"),
        ("before", "a", 1),
        ("after", "a", 1),
        ("before", "b", 1),
        ("after", "b", 1),
    ]


async def test_each_attempt_is_a_call_and_the_last_failure_fails_the_superstep() -> (
    None
):
    builder = WorkflowBuilder(
        start_executor=Failing("bad"), retry=RetryPolicy(2, backoff=0)
    )
    runner = Runner(builder.build(), clock=ManualClock())
    await runner.start("x")
    gate = runner.gate = RecordingGate()
    with pytest.raises(ValueError, match="no"):
        await runner.finish()
    assert gate.asked[1:] == [
        ("before", "bad", 1),
        ("after", "bad", 1, "no", False),
        ("before", "bad", 2),
        ("after", "bad", 2, "no", True),
    ]


async def test_a_failure_that_an_error_edge_takes_fails_nothing() -> None:
    bad, told = Failing("bad"), Sink("told")
    workflow = WorkflowBuilder(start_executor=bad).add_error_edge(bad, told).build()
    runner = Runner(workflow)
    await runner.start("x")
    gate = runner.gate = RecordingGate()
    await runner.finish()
    assert ("after", "bad", 1, "no", False) in gate.asked


async def test_a_time_limit_does_not_run_while_a_call_waits_to_begin() -> None:
    clock = ManualClock()
    builder = WorkflowBuilder(start_executor=Sink("slow"), timeout=1)
    runner = Runner(builder.build(), clock=clock)
    await runner.start("x")
    gate = runner.gate = RecordingGate(held="slow")
    async with asyncio.TaskGroup() as group:
        group.create_task(runner.finish())
        await gate.reached.wait()
        assert clock.limits == []
        gate.opened.set()
    assert clock.limits == [1]


async def test_who_waits_to_begin_cannot_be_cancelled_alone() -> None:
    runner = Runner(fan_out(Sink("a"), Sink("b")).build())
    await runner.start("x")
    gate = runner.gate = RecordingGate(held="a")
    async with asyncio.TaskGroup() as group:
        group.create_task(runner.finish())
        await gate.reached.wait()
        with pytest.raises(WorkflowRunnerException):
            runner.cancel_executor("a")
        gate.opened.set()


async def test_a_superstep_that_is_cancelled_at_the_gate_has_done_nothing() -> None:
    sinks = Sink("a"), Sink("b")
    runner = Runner(fan_out(*sinks).build())
    await runner.start("x")
    await runner.step()
    before = runner.state
    gate = runner.gate = RecordingGate(held="b")
    step = asyncio.ensure_future(runner.step())
    await gate.reached.wait()
    step.cancel()
    with pytest.raises(asyncio.CancelledError):
        await step
    assert runner.state == before
    runner.gate = None
    await runner.finish()
    assert [sink.seen for sink in sinks] == [["xstart", "xstart"], ["xstart"]]


async def test_a_gate_that_is_set_while_a_superstep_runs_is_asked_at_once() -> None:
    gate = RecordingGate()

    class Setting(Executor):
        @handler
        async def go(self, message: str, ctx: WorkflowContext[str]) -> None:
            runner.gate = gate

    runner = Runner(WorkflowBuilder(start_executor=Setting("set")).build())
    await runner.start("x")
    await runner.finish()
    assert gate.asked == [("after", "set", 1)]


def test_a_suspended_time_limit_begins_anew() -> None:
    clock = ManualClock()
    ends: list[str] = []
    limit = TimeLimit(clock, 2, lambda: ends.append("end"))
    clock.advance(1)
    limit.suspend()
    clock.advance(5)
    assert ends == []
    limit.begin_anew()
    clock.advance(1)
    assert ends == []
    clock.advance(1)
    assert ends == ["end"]
