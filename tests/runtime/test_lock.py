"""A lock between loops and threads: an executor whose state is in attributes serves one
run at a time.
"""

from __future__ import annotations

import asyncio
import copy
import threading
from typing import Any

from runtime.concurrency.lock import CrossLoopLock
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.workflow import Workflow


class Counting(Executor):
    """Counts in an attribute, and waits in the middle of it."""

    def __init__(self) -> None:
        super().__init__("count")
        self.n = 0
        self.inside = 0

    @handler
    async def take(self, message: int, ctx: WorkflowContext[int, int]) -> None:
        self.inside += 1
        assert self.inside == 1
        before = self.n
        await asyncio.sleep(0.001)
        self.n = before + 1
        self.inside -= 1
        if message:
            await ctx.send_message(message - 1)
        else:
            await ctx.yield_output(self.n)

    async def on_checkpoint_save(self) -> dict[str, Any]:
        return {"n": self.n}

    async def on_checkpoint_restore(self, state: dict[str, Any]) -> None:
        self.n = state["n"]


def sharing(number: int) -> list[Workflow]:
    shared = Counting()
    return [
        WorkflowBuilder(start_executor=shared).add_edge(shared, shared).build()
        for _ in range(number)
    ]


async def outputs(workflow: Workflow) -> list[Any]:
    return (await workflow.run(3)).get_outputs()


async def together(workflows: list[Workflow]) -> list[list[Any]]:
    async with asyncio.TaskGroup() as group:
        runs = [group.create_task(outputs(workflow)) for workflow in workflows]
    return [run.result() for run in runs]


def test_case_49_an_executor_that_runs_wait_for_serves_a_second_loop_as_well():
    workflows = sharing(3)
    assert asyncio.run(together(workflows)) == [[4]] * 3
    assert asyncio.run(together(workflows)) == [[8]] * 3  # each goes on from its own


def test_case_49_and_loops_in_several_threads_at_once():
    found: list[Any] = []
    threads = [
        threading.Thread(
            target=lambda one=workflow: found.append(asyncio.run(outputs(one)))
        )
        for workflow in sharing(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert found == [[4]] * 4


async def test_whoever_waits_no_more_loses_no_turn_for_others():
    turns = CrossLoopLock()
    order = []

    async def take(name: str) -> None:
        async with turns:
            order.append(name)

    async with asyncio.TaskGroup() as group:
        async with turns:
            tasks = [group.create_task(take(name)) for name in "abc"]
            await asyncio.sleep(0)
            tasks[0].cancel()  # while it waits
        tasks[1].cancel()  # when it is its turn, before it knows
    assert order == ["c"]
    async with turns:
        pass


def test_a_loop_that_has_ended_is_passed_over():
    turns = CrossLoopLock()
    gone = asyncio.new_event_loop()
    turns._is_held = True
    turns._waiters.append((gone, gone.create_future()))
    gone.close()
    turns._pass_on()
    assert not turns._is_held


def test_a_copy_is_a_lock_of_its_own():
    turns = CrossLoopLock()
    turns._is_held = True
    assert not copy.deepcopy(turns)._is_held
