"""`Workflow.run`: the ways to run, the events, the lock, streams that are dropped
(rules 7, 9, 18, 33).
"""

from __future__ import annotations

import asyncio
import copy
import gc
import threading
from collections.abc import Callable
from typing import Any

import pytest

from runtime.errors import WorkflowConvergenceException, WorkflowException
from runtime.events import WorkflowEvent, WorkflowEventSource, WorkflowRunState
from runtime.executors.executor import WorkflowContext
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import WorkflowExecutor
from runtime.workflow.workflow import Workflow
from tests.runtime.graphs import Collect, Sink, Step, outcome, react, uneven_join
from tests.runtime.test_requests import Verdict, asking
from tests.runtime.test_runner import Flaky, passing

Ctx = WorkflowContext[Any, Any]


async def test_rule_33_the_events_of_a_run_in_their_order():
    result = await WorkflowBuilder(start_executor=Sink("s")).build().run("x")
    assert [event.type for event in result] == [
        "superstep_started",
        "executor_invoked",
        "output",
        "executor_completed",
        "superstep_completed",
    ]
    assert result[0].iteration == result[-1].iteration == 1
    assert result[1].data == "x"
    assert (result[2].data, result[3].data) == ("x", ["x"])
    assert result.get_outputs() == ["x"]
    assert [event.state for event in result.status_timeline()] == [
        WorkflowRunState.IN_PROGRESS,
        WorkflowRunState.IDLE,
    ]


async def test_status_events_stand_in_the_list_when_asked_for():
    result = await uneven_join().run("x", include_status_events=True)
    assert result[-1].type == "status"
    assert result.get_final_state() is WorkflowRunState.IDLE


@pytest.mark.parametrize(
    "arguments",
    [{}, {"message": 1, "responses": {}}, {"message": 1, "checkpoint_id": "c"}],
)
def test_other_combinations_are_refused_at_once(arguments: dict[str, Any]):
    with pytest.raises(ValueError, match="provide"):
        uneven_join().run(**arguments)


async def test_a_stream_gives_the_same_events_and_the_result_at_its_end():
    workflow = uneven_join()
    stream = workflow.run("x", stream=True)
    types = [event.type async for event in stream]
    result = await stream.get_final_response()
    assert types[0] == "started"
    assert [one for one in types if one not in ("started", "status")] == [
        event.type for event in result
    ]
    assert result.get_outputs() == [["xAB", "xACD"]]


async def test_a_stream_tells_of_progress_while_the_handler_still_runs():
    leave = asyncio.Event()

    async def talk(_message: Any, ctx: Ctx) -> None:
        assert ctx.is_streaming()
        await ctx.add_event(WorkflowEvent("progress", 1))
        await leave.wait()

    seen = []
    async for event in (
        WorkflowBuilder(start_executor=react("a", talk)).build().run("x", stream=True)
    ):
        if event.type == "progress":
            leave.set()
        seen.append(event.type)
    assert "progress" in seen


async def test_events_of_the_engine_cannot_be_forged():
    async def forge(_message: Any, ctx: Ctx) -> None:
        await ctx.add_event(WorkflowEvent("executor_completed", 1))

    result = await WorkflowBuilder(start_executor=react("a", forge)).build().run("x")
    assert [event.type for event in result].count("executor_completed") == 1
    assert any(event.type == "warning" for event in result)


async def test_rule_6_a_failure_is_told_with_executor_handler_superstep_and_text_and_reaches_the_caller():
    stream = Flaky().workflow.run("m", stream=True)
    seen: list[WorkflowEvent] = []
    with pytest.raises(KeyError, match="the reason"):
        seen.extend([event async for event in stream])
    result = [event for event in stream._events if event.details is not None]
    assert [event.type for event in result] == ["executor_failed", "failed"]
    details = result[0].details
    assert details is not None
    assert (details.executor_id, details.error_type) == ("y", "KeyError")
    assert "the reason" in details.message
    assert details.extra is not None
    assert details.extra["superstep"] == 2


async def test_rule_7_after_a_failure_a_message_is_refused_resume_goes_on_and_reset_gives_up():
    flaky = Flaky()
    for way in ("resume", "reset"):
        flaky.broken = True
        with pytest.raises(KeyError):
            await flaky.workflow.run("m")
        assert flaky.workflow.status is WorkflowRunState.FAILED
        with pytest.raises(RuntimeError, match="in-flight executor messages"):
            flaky.workflow.run("again")
        flaky.broken = False
        if way == "resume":
            assert (await flaky.workflow.resume()).get_outputs() == [
                ["m", "half done", "m"]
            ]
        else:
            flaky.workflow.reset()
            assert (await flaky.workflow.run("n")).get_outputs() == [
                ["n", "half done", "n"]
            ]


async def test_case_9_state_of_a_failed_superstep_is_not_there_in_the_next_run():
    broken = [True]

    async def write(_message: Any, ctx: Ctx) -> None:
        if broken:
            ctx.set_state("k", 1)
            raise ValueError("broken")
        await ctx.yield_output(ctx.get_state("k", "absent"))

    workflow = WorkflowBuilder(start_executor=react("a", write)).build()
    with pytest.raises(ValueError, match="broken"):
        await workflow.run("x")
    broken.clear()
    workflow.reset()
    assert (await workflow.run("x")).get_outputs() == ["absent"]


async def test_rule_5_a_reached_limit_resumes_with_a_higher_one():
    a = Step("a")
    b = Step("b")
    workflow = WorkflowBuilder(1, start_executor=a).add_edge(a, b).build()
    with pytest.raises(WorkflowConvergenceException):
        await workflow.run("x")
    assert (
        await workflow.resume(max_iterations=2)
    ).get_final_state() is WorkflowRunState.IDLE
    assert b.seen == ["xa"]


async def test_rule_20_state_persists_over_runs_and_the_count_starts_anew():
    async def count(_message: Any, ctx: Ctx) -> None:
        ctx.set_state("n", ctx.get_state("n", 0) + 1)
        await ctx.yield_output((ctx.get_state("n"), ctx.superstep))

    workflow = WorkflowBuilder(1, start_executor=react("a", count)).build()
    assert [(await workflow.run("x")).get_outputs() for _ in range(3)] == [
        [(1, 1)],
        [(2, 1)],
        [(3, 1)],
    ]


async def test_case_41_a_new_run_starts_with_empty_joins_and_says_what_it_threw_away():
    a = Step("A")
    b = Step("B")
    c = Step("C")
    j = Collect("J")
    builder = (
        WorkflowBuilder(start_executor=a)
        .add_edge(a, b)
        .add_edge(a, c, lambda text: text.startswith("2"))
    )
    workflow = builder.add_fan_in_edges([b, c], j).build()
    assert (
        await workflow.run("1")
    ).get_final_state() is WorkflowRunState.IDLE_WITH_STALLED_JOINS
    second = await workflow.run("2")
    assert second.get_outputs() == [["2AB", "2AC"]]
    assert any(
        event.type == "warning" and "thrown away" in event.data for event in second
    )


async def test_requests_through_run():
    workflow = asking()
    first = await workflow.run("circle square")
    events = first.get_request_info_events()
    assert [event.data.text for event in events] == ["circle", "square"]
    assert events[0].response_type is Verdict
    assert events[0].source_executor_id == "ask"
    assert first.get_final_state() is WorkflowRunState.IDLE_WITH_PENDING_REQUESTS
    second = await workflow.run(responses={events[0].request_id: {"accepted": True}})
    assert second.get_outputs() == [("circle", True, "ask:1:0")]
    assert second.get_request_info_events() == []


def test_request_fields_are_there_on_requests_only():
    with pytest.raises(RuntimeError, match="request_id"):
        _ = WorkflowEvent("output").request_id


async def test_output_designation():
    async def both(message: Any, ctx: Ctx) -> None:
        await ctx.yield_output(f"{message}-{ctx.executor_id}")
        await ctx.send_message(message)

    a, b, c = (react(id, both) for id in "abc")
    builder = WorkflowBuilder(
        start_executor=a, output_from=[c], intermediate_output_from=[b]
    )
    result = await builder.add_chain([a, b, c]).build().run("x")
    assert result.get_outputs() == ["x-c"]
    assert result.get_intermediate_outputs() == ["x-b"]


# --- one run at a time --------------------------------------------------------------------------------------------


async def test_case_67_a_second_run_on_a_busy_instance_is_refused_at_once():
    workflow = uneven_join()
    stream = workflow.run("x", stream=True)
    await anext(stream)
    with pytest.raises(WorkflowException, match="already running"):
        workflow.run("y")
    result = await stream.get_final_response()
    assert result.get_outputs() == [["xAB", "xACD"]]


class Cancelling(MemoryStore):
    async def save(self, *_: Any) -> Any:
        raise asyncio.CancelledError


async def test_rule_9_a_storage_that_ends_with_a_cancellation_of_its_own_does_not_cancel_the_run():
    workflow = WorkflowBuilder(
        start_executor=Sink("s"), checkpoint_storage=Cancelling()
    ).build()
    with pytest.raises(
        WorkflowException,
        match="storage ended with CancelledError, although nobody cancelled the run",
    ):
        await workflow.run("x")
    assert (workflow.status, workflow.get_last_checkpoint_id()) == (
        WorkflowRunState.IDLE,
        None,
    )


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy])
async def test_a_copy_of_a_workflow_has_a_run_of_its_own(
    how: Callable[[Workflow], Workflow],
):
    workflow = asking()
    await workflow.run("circle")
    other = how(workflow)
    assert (other.status, other.signature()) == (
        WorkflowRunState.IDLE,
        workflow.signature(),
    )
    [request] = (await other.run("square")).get_request_info_events()
    await other.run(responses={request.request_id: Verdict(True)})
    assert workflow.status is WorkflowRunState.IDLE_WITH_PENDING_REQUESTS


async def test_rule_9_a_run_that_is_cancelled_before_its_first_turn_frees_the_instance():
    workflow = WorkflowBuilder(start_executor=Sink("s")).build()
    task = asyncio.ensure_future(workflow.run("first"))
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:  # holds the frames of what was cancelled
        assert (await workflow.run("second")).get_outputs() == ["second"]


async def test_case_48_a_dropped_stream_frees_the_instance_and_cannot_disturb_the_next_run():
    workflow = uneven_join()
    stream = workflow.run("one", stream=True)
    await anext(stream)
    del stream
    second = workflow.run("two", stream=True)
    await anext(second)
    gc.collect()
    await asyncio.sleep(0)
    with pytest.raises(WorkflowException, match="already running"):
        workflow.run("three")
    assert (await second.get_final_response()).get_outputs() == [["twoAB", "twoACD"]]


async def test_case_48_what_a_dropped_stream_leaves_behind_takes_the_next_run_neither_its_mark_nor_its_store():
    """Its run is still inside a handler, and takes its time to end, when the next one
    has long begun.
    """
    entered = asyncio.Event()
    cleaned = asyncio.Event()

    async def hold(message: str, ctx: Ctx) -> None:
        if message == "one":
            entered.set()
            try:
                await asyncio.Event().wait()
            finally:
                for _ in range(20):
                    await asyncio.sleep(0)
                cleaned.set()
        await ctx.send_message(message)

    a = react("a", hold)
    b = Sink("b")
    first_store = MemoryStore()
    second_store = MemoryStore()
    workflow = (
        WorkflowBuilder(start_executor=a, checkpoint_storage=first_store)
        .add_edge(a, b)
        .build()
    )
    stream = workflow.run("one", stream=True)
    async for _ in stream:
        if entered.is_set():
            break
    del stream
    second = workflow.run("two", stream=True, checkpoint_storage=second_store)
    await anext(second)
    gc.collect()
    await cleaned.wait()
    with pytest.raises(WorkflowException, match="already running"):
        workflow.run("three")
    assert (await second.get_final_response()).get_outputs() == ["two"]
    assert [header.superstep for header in await second_store.headers()] == [0, 1, 2]
    assert [header.superstep for header in await first_store.headers()] == [0]
    assert workflow.status is WorkflowRunState.IDLE
    assert b.seen == ["two"]


async def test_case_48_a_dropped_stream_leaves_no_task_behind():
    workflow = uneven_join()
    async for _ in workflow.run("one", stream=True):
        break
    gc.collect()
    for _ in range(20):
        await asyncio.sleep(0)
    assert len(asyncio.all_tasks()) == 1


async def test_rule_9_what_was_yielded_in_a_cancelled_superstep_is_told_once_when_it_is_done():
    waiting = asyncio.Event()
    go_on = asyncio.Event()

    async def wait(_message: Any, _ctx: Ctx) -> None:
        waiting.set()
        await go_on.wait()

    start = react("start", passing)
    say = Sink("say")
    block = react("block", wait)
    workflow = (
        WorkflowBuilder(start_executor=start)
        .add_fan_out_edges(start, [say, block])
        .build()
    )
    async with asyncio.TaskGroup() as group:
        task = group.create_task(asyncio.wait_for(workflow.run("x"), None))
        await waiting.wait()
        task.cancel()
    assert (say.seen, workflow.status) == (["x"], WorkflowRunState.CANCELLED)
    go_on.set()
    assert (await workflow.resume()).get_outputs() == ["x"]


async def test_rule_9_closing_a_stream_cancels_its_run():
    entered = asyncio.Event()

    async def hold(_message: Any, _ctx: Ctx) -> None:
        entered.set()
        await asyncio.Event().wait()

    workflow = WorkflowBuilder(start_executor=react("a", hold)).build()
    stream = workflow.run("x", stream=True)
    async for event in stream:
        if event.type == "executor_invoked":
            break
    await stream.aclose()
    assert workflow.status is WorkflowRunState.CANCELLED


async def test_a_slow_consumer_holds_the_run_back():
    a = react("a", passing)
    b = react("b", passing)
    workflow = (
        WorkflowBuilder(10_000, start_executor=a).add_edge(a, b).add_edge(b, a).build()
    )
    stream = workflow.run("x", stream=True)
    await anext(stream)
    for _ in range(2_000):
        await asyncio.sleep(0)
    seen = 0
    async for event in stream:
        seen += 1
        if event.type == "superstep_started":
            break
    runner = stream._runner
    assert runner.state.superstep < 100
    await stream.aclose()


def test_case_49_one_workflow_runs_under_many_loops():
    workflow = uneven_join()
    expected = [["xAB", "xACD"]]
    assert outcome(workflow, "x") == outcome(workflow, "x") == expected
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.extend(outcome(workflow, "x")))
    thread.start()
    thread.join()
    assert found == expected


async def test_case_67_two_workflows_of_one_shape_run_side_by_side():
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_outputs(text)) for text in "xy"]
    assert [task.result() for task in tasks] == [[["xAB", "xACD"]], [["yAB", "yACD"]]]


async def _outputs(text: str) -> list[Any]:
    return (await uneven_join().run(text)).get_outputs()


def lossy() -> Workflow:
    """`a` sends two texts to a node that takes numbers only, and `c` sends where no
    edge leads.
    """

    async def twice(message: Any, ctx: Ctx) -> None:
        await ctx.send_message(f"{message} 1", "b")
        await ctx.send_message(f"{message} 2", "b")
        await ctx.send_message(message, "c")

    a = react("a", twice)
    b = react("b", passing, input=int)
    c = react("c", passing)
    return (
        WorkflowBuilder(start_executor=a).add_edge(a, b, id="e").add_edge(a, c).build()
    )


async def test_rule_12_a_message_that_nobody_takes_is_never_silent():
    warnings = [event for event in await lossy().run("x") if event.type == "warning"]
    assert [event.data for event in warnings] == [
        "2 messages of type str that 'a' sent went nowhere: no handler for that type in 'b' (edge 'e').",
        "A message of type str that 'c' sent went nowhere: no edge leads on.",
    ]
    assert {event.origin for event in warnings} == {WorkflowEventSource.FRAMEWORK}


async def test_rule_12_a_loss_in_a_sub_workflow_is_told_with_its_path():
    outer = WorkflowBuilder(start_executor=WorkflowExecutor(lossy(), "child")).build()
    texts = [event.data for event in await outer.run("x") if event.type == "warning"]
    assert "that 'child#1/a' sent" in texts[0]
