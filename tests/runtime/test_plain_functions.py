"""Plain functions as executors and handlers: they run in a thread, and everything that
a context can do works there.
"""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Never

import pytest

from runtime import (
    Executor,
    FunctionExecutor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
    response_handler,
)
from runtime.errors import ContextClosedError
from runtime.events import WorkflowEvent, WorkflowRunState
from tests.runtime.graphs import Sink, Step


@executor(id="upper")
def upper(text: str, ctx: WorkflowContext[str, int]) -> None:
    ctx.send_message(text.upper())
    ctx.yield_output(len(text))
    ctx.set_state("seen", text)
    ctx.add_event(
        WorkflowEvent("progress", threading.current_thread() is threading.main_thread())
    )


@executor(id="last")
async def last(text: str, ctx: WorkflowContext[Never, str]) -> None:
    await ctx.yield_output(f"{ctx.get_state('seen')} {text}")


class Asks(Executor):
    """Both handlers are plain functions."""

    @handler
    def ask(self, question: str, ctx: WorkflowContext[Never, str]) -> None:
        ctx.request_info(question, bool, request_id="q")

    @response_handler
    def told(
        self, original_request: str, response: bool, ctx: WorkflowContext[Never, str]
    ) -> None:
        ctx.yield_output(f"{original_request} {response}")


async def test_a_plain_function_sends_yields_writes_and_tells_without_awaiting():
    result = (
        await WorkflowBuilder(start_executor=upper)
        .add_edge(upper, last)
        .build()
        .run("abc")
    )
    assert result.get_outputs() == [3, "abc ABC"]
    assert [event.data for event in result if event.type == "progress"] == [False]


async def test_a_plain_handler_asks_and_takes_the_answer():
    workflow = WorkflowBuilder(start_executor=Asks("a")).build()
    asked = await workflow.run("Go?")
    assert asked.get_final_state() is WorkflowRunState.IDLE_WITH_PENDING_REQUESTS
    assert (await workflow.run(responses={"q": True})).get_outputs() == ["Go? True"]


async def test_rule_6_the_error_of_a_plain_function_reaches_the_caller_and_nothing_of_it_the_run():
    def fails(text: str, ctx: WorkflowContext[str, str]) -> None:
        ctx.send_message(text)
        ctx.yield_output(text)
        raise ZeroDivisionError("in a thread")

    start = FunctionExecutor(fails)
    sink = Sink("sink")
    workflow = WorkflowBuilder(start_executor=start).add_edge(start, sink).build()
    stream = workflow.run("x", stream=True)
    with pytest.raises(ZeroDivisionError, match="in a thread"):
        await stream.get_final_response()
    types = [event.type for event in stream.updates]
    assert (
        types.index("output")
        < types.index("executor_failed")
        < types.index("output_withdrawn")
    )
    assert not any(
        event.is_committed for event in stream.updates if event.type == "output"
    )
    assert sink.seen == []


async def test_rule_8_what_a_function_sends_after_its_run_was_cancelled_is_refused():
    begun = threading.Event()
    go_on = threading.Event()
    refused = threading.Event()

    def slow(text: str, ctx: WorkflowContext[str, str]) -> None:
        begun.set()
        go_on.wait(30)
        try:
            ctx.send_message(text)
        except ContextClosedError:
            refused.set()

    start = FunctionExecutor(slow)
    step = Step("step")
    workflow = WorkflowBuilder(start_executor=start).add_edge(start, step).build()
    run = asyncio.create_task(workflow.run("x"))
    await asyncio.to_thread(begun.wait, 5)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    go_on.set()
    assert await asyncio.to_thread(refused.wait, 5)
    assert workflow.status is WorkflowRunState.CANCELLED
    assert step.seen == []


async def test_a_function_without_a_context_takes_the_message_alone():
    seen: list[Any] = []

    def keep(number: int) -> None:
        seen.append(number)

    await WorkflowBuilder(start_executor=FunctionExecutor(keep)).build().run(3)
    assert seen == [3]
