"""A stream waits for its reader: what has run when an event is read, and where a run
stands that is left.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from runtime.engine.stream import WorkflowStream
from runtime.errors import WorkflowConvergenceException, WorkflowException
from runtime.events import WorkflowEvent, WorkflowRunState
from runtime.executors.executor import WorkflowContext
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import WorkflowExecutor
from runtime.workflow.workflow import Workflow
from tests.runtime.graphs import Sink, react
from tests.runtime.test_requests import Asker, Verdict, asking
from tests.runtime.test_runner import Flaky

Ctx = WorkflowContext[Any, Any]
CANCELLED = WorkflowRunState.CANCELLED


def counting(
    to: int, store: MemoryStore | None = None, limit: int = 100
) -> tuple[Workflow, list[int]]:
    """Two executors that count up to a number, which one of them yields; and what they
    were called with.
    """
    calls: list[int] = []

    async def count(number: int, ctx: Ctx) -> None:
        calls.append(number)
        if number < to:
            await ctx.send_message(number + 1)
        else:
            await ctx.yield_output(number)

    a = react("a", count)
    b = react("b", count)
    builder = WorkflowBuilder(limit, start_executor=a, checkpoint_storage=store)
    return builder.add_edge(a, b).add_edge(b, a).build(), calls


def held_at(
    number: int, store: MemoryStore | None = None
) -> tuple[Workflow, asyncio.Event, asyncio.Event]:
    """An executor that counts up to 4 and is held at a number; the events by which it
    tells so, and is released.
    """
    reached = asyncio.Event()
    released = asyncio.Event()

    async def count(at: int, ctx: Ctx) -> None:
        if at == number:
            reached.set()
            try:
                await released.wait()
            finally:
                await idle()  # clearing up takes a while
        if at < 4:
            await ctx.send_message(at + 1)
        else:
            await ctx.yield_output(at)

    a = react("a", count)
    b = react("b", count)
    builder = WorkflowBuilder(start_executor=a, checkpoint_storage=store)
    return builder.add_edge(a, b).add_edge(b, a).build(), reached, released


async def idle() -> None:
    """Let whatever could go on go on."""
    for _ in range(50):
        await asyncio.sleep(0)


async def until(
    stream: AsyncIterator[WorkflowEvent], type: str, iteration: int | None = None
) -> WorkflowEvent:
    """Read until such an event is taken."""
    async for event in stream:
        if event.type == type and iteration in (None, event.iteration):
            return event
    raise AssertionError(f"there was no {type}")


async def saved(store: MemoryStore) -> list[int]:
    return [header.superstep for header in await store.headers()]


# --- how far the run is ---------------------------------------------------------------------------------------------


async def test_rule_33_a_superstep_begins_when_the_events_of_the_one_before_have_been_taken():
    store = MemoryStore()
    workflow, calls = counting(5, store)
    async for event in workflow.run(1, stream=True):
        await idle()
        if event.type == "superstep_started":
            assert len(calls) == event.iteration - 1
        elif event.type == "superstep_completed":
            assert len(calls) == event.iteration
            assert await saved(store) == [*range(event.iteration + 1)]
            assert workflow.get_last_checkpoint_id() == (await store.headers())[-1].id


async def test_nothing_begins_before_its_announcement_was_read():
    store = MemoryStore()
    workflow, calls = counting(3, store)
    stream = workflow.run(1, stream=True)
    for _ in ("started", "status"):
        await anext(stream)
        await idle()
        assert (calls, await saved(store)) == ([], [])
    assert (await anext(stream)).type == "superstep_started"
    assert await saved(store) == [0]


async def test_rule_28_a_superstep_is_not_committed_before_its_events_were_read():
    store = MemoryStore()
    workflow, calls = counting(3, store)
    stream = workflow.run(1, stream=True)
    await until(stream, "executor_invoked")
    await idle()
    assert (calls, await saved(store)) == ([1], [0])
    await stream.aclose()
    assert (calls, await saved(store)) == ([1], [0])
    assert (await workflow.resume()).get_outputs() == [3]
    assert calls == [1, 1, 2, 3]


async def test_sub_workflows_wait_with_the_run_that_they_are_part_of():
    child, calls = counting(4)
    sub = WorkflowExecutor(child, "sub")
    sink = Sink("sink")
    workflow = WorkflowBuilder(start_executor=sub).add_edge(sub, sink).build()
    stream = workflow.run(1, stream=True)
    for done in range(3):  # in the first superstep the run inside begins
        await until(stream, "superstep_completed")
        await idle()
        assert calls == [*range(1, done + 1)]
    await stream.aclose()
    assert (await workflow.resume()).get_outputs() == [4]
    assert calls == [1, 2, 3, 4]


async def test_the_limit_is_reached_when_the_supersteps_until_then_have_been_read():
    workflow, _ = counting(9, limit=2)
    stream = workflow.run(1, stream=True)
    await until(stream, "superstep_completed", 2)
    await idle()
    assert workflow.status is WorkflowRunState.IN_PROGRESS
    with pytest.raises(WorkflowConvergenceException):
        await until(stream, "superstep_completed")
    assert workflow.status is WorkflowRunState.FAILED


@pytest.mark.parametrize(
    "begin",
    [
        lambda: counting(3)[0].run(1, stream=True),
        lambda: asking().run("q", stream=True),
    ],
)
async def test_rule_33_the_status_is_that_of_the_event_just_read(
    begin: Callable[[], WorkflowStream],
):
    stream = begin()
    workflow = stream._runner.workflow
    seen = []
    async for event in stream:
        await idle()
        if event.type == "status":
            seen.append(event.state)
        assert workflow.status is (seen[-1] if seen else WorkflowRunState.IDLE)
    assert len(seen) > 1
    assert workflow.status is seen[-1]


async def test_an_awaited_run_waits_for_nobody():
    workflow, calls = counting(50)
    assert (await workflow.run(1)).get_outputs() == [50]
    assert len(calls) == 50


# --- leaving --------------------------------------------------------------------------------------------------------


async def _break(workflow: Workflow, message: int) -> None:
    async for event in workflow.run(message, stream=True):
        if event.type == "superstep_completed" and event.iteration == 3:
            break


async def _close(workflow: Workflow, message: int) -> None:
    stream = workflow.run(message, stream=True)
    await until(stream, "superstep_completed", 3)
    await idle()
    await stream.aclose()


async def _leave_the_block(workflow: Workflow, message: int) -> None:
    async with workflow.run(message, stream=True) as stream:
        await until(stream, "superstep_completed", 3)
        await idle()


async def _raise(workflow: Workflow, message: int) -> None:
    async for event in workflow.run(message, stream=True):
        if event.type == "superstep_completed" and event.iteration == 3:
            await idle()
            raise LookupError


async def _raise_and_forget(workflow: Workflow, message: int) -> None:
    with pytest.raises(LookupError):
        await _raise(workflow, message)


async def _be_cancelled(workflow: Workflow, message: int) -> None:
    reached = asyncio.Event()

    async def read() -> None:
        async for event in workflow.run(message, stream=True):
            if event.type == "superstep_completed" and event.iteration == 3:
                reached.set()
                await asyncio.Event().wait()

    async with asyncio.TaskGroup() as group:
        task = group.create_task(read())
        await reached.wait()
        await idle()
        task.cancel()


@pytest.mark.parametrize(
    "leave", [_break, _close, _leave_the_block, _raise_and_forget, _be_cancelled]
)
async def test_rule_9_a_run_that_is_left_stands_at_the_barrier_that_was_read_last(
    leave: Callable[[Workflow, int], Awaitable[None]],
):
    store = MemoryStore()
    workflow, calls = counting(6, store)
    await leave(workflow, 1)
    gc.collect()  # an exception that was caught held its frames in a circle
    assert workflow.status is CANCELLED
    await idle()
    assert (workflow.status, calls, await saved(store)) == (
        CANCELLED,
        [1, 2, 3],
        [0, 1, 2, 3],
    )
    assert len(asyncio.all_tasks()) == 1
    left_at = workflow.get_last_checkpoint_id()
    assert (await workflow.resume()).get_outputs() == [6]
    again, calls_again = counting(6, store)
    assert (await again.run(checkpoint_id=left_at)).get_outputs() == [6]
    assert calls_again == calls[3:] == [4, 5, 6]


async def test_a_program_that_leaves_after_each_third_superstep_comes_to_its_end():
    store = MemoryStore()
    outputs = []
    at = None
    for _ in range(4):
        workflow, _ = counting(10, store)
        if at:
            stream = workflow.run(checkpoint_id=at, stream=True)
        else:
            stream = workflow.run(1, stream=True)
        async for event in stream:
            if event.type == "output":
                outputs.append(event.data)
            elif event.type == "superstep_completed" and event.iteration % 3 == 0:
                break
        at = (await store.headers())[-1].id
    assert outputs == [10]
    assert await saved(store) == [*range(11)]


async def test_case_48_a_run_after_a_stream_that_was_left_is_not_disturbed_by_what_is_left_of_it():
    workflow, calls = counting(6)
    async for event in workflow.run(1, stream=True):
        if event.type == "superstep_completed":
            break
    second = workflow.run(3, stream=True)
    await until(second, "superstep_completed")
    gc.collect()
    await idle()
    with pytest.raises(WorkflowException, match="already running"):
        workflow.run(5)
    assert workflow.status is WorkflowRunState.IN_PROGRESS
    assert (await second.get_final_response()).get_outputs() == [6]
    assert calls == [1, 3, 4, 5, 6]


async def test_who_leaves_before_the_answers_were_taken_has_not_answered():
    workflow = asking()
    [question] = (await workflow.run("circle")).get_request_info_events()
    async for event in workflow.run(
        responses={question.request_id: Verdict(False)}, stream=True
    ):
        assert event.type == "started"
        break
    await idle()
    result = await workflow.run(responses={question.request_id: Verdict(True)})
    assert result.get_outputs() == [("circle", True, "ask:1:0")]


async def test_a_question_that_was_read_is_open_although_its_reader_left():
    store = MemoryStore()
    workflow = WorkflowBuilder(start_executor=Asker(), checkpoint_storage=store).build()
    async for event in workflow.run("circle", stream=True):
        if event.type == "request_info":
            break
    again = WorkflowBuilder(start_executor=Asker(), checkpoint_storage=store).build()
    newest = (await store.headers())[-1]
    result = await again.run(
        checkpoint_id=newest.id, responses={event.request_id: Verdict(True)}
    )
    assert result.get_outputs() == [("circle", True, event.request_id)]


async def test_who_leaves_at_the_last_barrier_leaves_a_finished_run():
    workflow, _ = counting(3)
    async for event in workflow.run(1, stream=True):
        if event.type == "superstep_completed" and event.iteration == 3:
            break
    assert workflow.status is WorkflowRunState.IDLE
    await idle()
    assert workflow.status is WorkflowRunState.IDLE
    assert (await workflow.run(3)).get_outputs() == [3]


# --- two at one stream ----------------------------------------------------------------------------------------------


async def _types(stream: WorkflowStream) -> list[str]:
    return [event.type async for event in stream]


@pytest.mark.parametrize(
    "read", [WorkflowStream.__anext__, WorkflowStream.get_final_response, _types]
)
async def test_a_second_reader_is_refused_and_the_run_of_the_first_keeps_its_lock(
    read: Callable[[WorkflowStream], Awaitable[object]],
):
    store = MemoryStore()
    workflow, reached, released = held_at(2, store)
    stream = workflow.run(1, stream=True)
    async with asyncio.TaskGroup() as group:
        first = group.create_task(_types(stream))
        await reached.wait()
        await idle()
        with pytest.raises(RuntimeError, match="Another task reads this stream"):
            await read(stream)
        for begin in (workflow.reset, lambda: workflow.run(9), workflow.resume):
            with pytest.raises(WorkflowException, match="already running"):
                begin()
        released.set()
    assert first.result().count("superstep_completed") == 4
    assert (await stream.get_final_response()).get_outputs() == [4]
    assert await saved(store) == [0, 1, 2, 3, 4]


async def test_rule_9_who_closes_a_stream_ends_the_run_for_the_one_who_reads():
    store = MemoryStore()
    ends = []
    workflow, reached, released = held_at(3, store)
    stream = workflow.run(1, stream=True)

    async def read() -> None:
        types = await _types(stream)
        ends.append(types[-1])

    async def close() -> None:
        await stream.aclose()
        ends.append("closed")
        assert workflow.status is CANCELLED

    async with asyncio.TaskGroup() as group:
        group.create_task(read())
        await reached.wait()
        await idle()
        closers = [group.create_task(close()) for _ in range(2)]
        await asyncio.sleep(0)  # they have begun
        with pytest.raises(WorkflowException, match="already running"):
            workflow.reset()
        assert not any(closer.done() for closer in closers)
        with pytest.raises(StopAsyncIteration):
            await anext(stream)
    assert ends == ["executor_invoked", "closed", "closed"]
    assert await saved(store) == [0, 1, 2]
    released.set()
    assert (await workflow.resume()).get_outputs() == [4]
    assert await saved(store) == [0, 1, 2, 3, 4]


async def test_a_handler_may_close_the_stream_of_its_run_and_what_is_still_unread_stays_unread():
    async def give_up(message: Any, ctx: Ctx) -> None:
        await idle()  # until then all that was told has been read
        await ctx.yield_output("nobody reads this")
        await stream.aclose()

    workflow = WorkflowBuilder(start_executor=react("a", give_up)).build()
    stream = workflow.run(1, stream=True)
    assert (await _types(stream))[-1] == "executor_invoked"
    assert workflow.status is CANCELLED
    assert (await stream.get_final_response()).get_outputs() == []


async def test_a_close_that_is_cancelled_has_ended_the_run_all_the_same():
    workflow, reached, released = held_at(3)
    stream = workflow.run(1, stream=True)
    await until(stream, "superstep_completed", 2)
    await until(stream, "executor_invoked")
    await reached.wait()
    closer = asyncio.create_task(stream.aclose())
    await asyncio.sleep(0)
    closer.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closer
    assert workflow.status is CANCELLED
    released.set()
    assert (await workflow.resume()).get_outputs() == [4]


def _end(loop: asyncio.AbstractEventLoop, orderly: bool) -> None:
    if orderly:
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


@pytest.mark.parametrize("orderly", [True, False])
def test_a_stream_whose_event_loop_was_closed_holds_no_lock(orderly: bool):
    workflow, calls = counting(4)
    loop = asyncio.new_event_loop()
    stream = workflow.run(1, stream=True)
    loop.run_until_complete(until(stream, "superstep_completed", 2))
    _end(loop, orderly)
    assert workflow.status is CANCELLED
    assert asyncio.run(_types(stream)) == []
    asyncio.run(stream.aclose())

    async def again() -> list[Any]:
        return (await workflow.run(3)).get_outputs()

    assert asyncio.run(again()) == [4]
    assert calls == [1, 2, 3, 4]


async def test_a_stream_is_neither_read_nor_closed_in_another_event_loop():
    workflow, _ = counting(4)
    stream = workflow.run(1, stream=True)
    await until(stream, "superstep_completed", 2)
    for use in (stream.aclose, stream.get_final_response):
        with pytest.raises(RuntimeError, match="belongs to another event loop"):
            await asyncio.to_thread(asyncio.run, use())
    assert (await stream.get_final_response()).get_outputs() == [4]


# --- reading on -----------------------------------------------------------------------------------------------------


async def test_the_result_of_a_stream_that_was_read_in_part_runs_the_rest():
    workflow, calls = counting(5)
    stream = workflow.run(1, stream=True)
    await until(stream, "superstep_completed", 2)
    assert calls == [1, 2]
    result = await stream.get_final_response()
    assert result.get_outputs() == [5]
    assert [
        event.iteration for event in result if event.type == "superstep_completed"
    ] == [1, 2, 3, 4, 5]


async def test_the_result_of_a_stream_that_was_closed_is_what_was_read():
    workflow, calls = counting(5)
    stream = workflow.run(1, stream=True)
    read = [event async for event in _until_closed(stream)]
    result = await stream.get_final_response()
    assert [*result, *result.status_timeline()] != []
    assert len(result) + len(result.status_timeline()) + 1 == len(read)
    assert calls == [1]


async def test_a_stream_that_was_closed_before_it_was_read_never_runs():
    workflow, calls = counting(5)
    stream = workflow.run(1, stream=True)
    await stream.aclose()
    assert (
        [event async for event in stream]
        == await stream.get_final_response()
        == calls
        == []
    )
    assert workflow.status is WorkflowRunState.IDLE


async def _until_closed(stream: WorkflowStream) -> AsyncIterator[WorkflowEvent]:
    async for event in stream:
        yield event
        if event.type == "superstep_completed":
            await stream.aclose()


async def test_a_failure_reaches_a_slow_reader_after_the_events_that_led_to_it():
    workflow = Flaky().workflow
    read = []
    stream = workflow.run("m", stream=True)
    while "failed" not in read:
        assert workflow.status is not WorkflowRunState.FAILED
        read.append((await anext(stream)).type)
        await idle()
    assert read.index("executor_failed") < read.index("failed")
    assert (await anext(stream)).state is workflow.status is WorkflowRunState.FAILED
    with pytest.raises(KeyError, match="the reason"):
        await anext(stream)


async def test_a_failure_that_nobody_read_is_the_status_all_the_same():
    workflow = Flaky().workflow
    async for event in workflow.run("m", stream=True):
        if event.type == "executor_invoked" and event.executor_id == "y":
            await idle()
            break
    await idle()
    assert workflow.status is WorkflowRunState.FAILED
    with pytest.raises(KeyError, match="the reason"):
        await workflow.resume()
