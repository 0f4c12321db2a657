"""What an invocation costs and leaves behind."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from runtime.executors.executor import WorkflowContext
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.workflow import Workflow
from tests.runtime.graphs import Collect, react

Ctx = WorkflowContext[Any, Any]


async def send_and_write(message: Any, ctx: Ctx) -> None:
    await ctx.send_message(message)
    ctx.set_state(ctx.executor_id, message)


def joined(width: int) -> Workflow:
    a = react("a", send_and_write)
    middle = [react(f"m{number}", send_and_write) for number in range(width)]
    return (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, middle)
        .add_fan_in_edges(middle, Collect("j"))
        .build()
    )


async def test_a_run_leaves_nothing_in_circles_for_the_garbage_collector():
    """It would have to look through all of a wide superstep, again and again, to find
    out what is no longer used.
    """
    workflow = joined(5)
    await workflow.run(1)
    # of earlier tests: what has a finalizer takes more than one walk
    while gc.collect():
        pass
    gc.disable()
    try:
        await workflow.run(2)
        assert gc.collect() == 0
    finally:
        gc.enable()


class Talking(str):
    """A key of the state that uses the context whenever it is looked up."""

    __slots__ = ("ctx",)
    ctx: Ctx

    def __hash__(self) -> int:
        self.ctx.send_message("looked up")
        return super().__hash__()


@pytest.mark.timeout(10)
async def test_code_of_users_that_runs_while_a_context_writes_may_use_the_context():
    """Such as a finalizer, which the garbage collector may run at any moment."""

    async def write(message: Any, ctx: Ctx) -> None:
        key = Talking("k")
        key.ctx = ctx
        ctx.set_state(key, message)
        await ctx.yield_output(ctx.get_state("k"))
        assert set(ctx.get_sent_messages()) == {"looked up"}
        key.ctx = Silent()  # type: ignore[assignment]

    assert (
        await WorkflowBuilder(start_executor=react("a", write)).build().run(1)
    ).get_outputs() == [1]


class Silent:
    def send_message(self, _message: Any) -> None: ...
