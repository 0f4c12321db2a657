"""Rules 6, 8 and 9: whoever fails or is cancelled, the others are cancelled and
awaited, and nothing of it is left.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from runtime.concurrency.cancellation import (
    StopSignal,
    run_in_own_task,
    run_while_saving,
)
from runtime.engine.runner import Runner
from runtime.errors import (
    ContextClosedError,
    WorkflowCheckpointException,
    WorkflowException,
)
from runtime.events import RunEvent, RunEventKind, WorkflowEvent, WorkflowRunState
from runtime.executors.executor import (
    Executor,
    FunctionExecutor,
    WorkflowContext,
    handler,
    response_handler,
)
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import WorkflowExecutor
from runtime.workflow.workflow import Workflow
from tests.runtime.graphs import Collect, Sink, Step, react
from tests.runtime.test_runner import Flaky, passing

Ctx = WorkflowContext[Any, Any]
CANCELLED = WorkflowRunState.CANCELLED
FAILED = WorkflowRunState.FAILED


def fanned(*targets: Executor) -> Workflow:
    """`a` passes on what it gets to all of them."""
    a = react("a", passing)
    builder = WorkflowBuilder(start_executor=a)
    for target in targets:
        builder.add_edge(a, target)
    return builder.build()


async def at_second_superstep(
    workflow: Workflow, message: Any = 1, **options: Any
) -> Runner:
    runner = Runner(workflow, **options)
    await runner.start(message)
    await runner.step()
    return runner


def only_this_task() -> bool:
    return asyncio.all_tasks() == {asyncio.current_task()}


class Waiting:
    """Waits inside until it is cancelled; then says so, and takes its time to end."""

    def __init__(self) -> None:
        self.inside = asyncio.Event()
        self.ended = False

    async def __call__(self, *_: Any) -> Any:
        self.inside.set()
        try:
            await asyncio.Event().wait()
        finally:
            for _ in range(5):
                await asyncio.sleep(0)
            self.ended = True


# --- every place where tasks run side by side -----------------------------------------------------------------------


@pytest.mark.parametrize("fails_inside", [True, False])
async def test_rule_6_executors_of_parent_and_child_are_cancelled_and_awaited_whoever_of_them_fails(
    fails_inside: bool,
):
    waiting = Waiting()

    async def fail(_message: Any, _ctx: Ctx) -> None:
        await waiting.inside.wait()
        raise KeyError("the reason")

    inner, outer = (fail, waiting) if fails_inside else (waiting, fail)
    child = WorkflowExecutor(
        WorkflowBuilder(start_executor=react("i", inner)).build(), "child"
    )
    sibling = react("o", outer)
    a = react("a", passing)
    b = react("b", passing)
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, [child, b])
        .add_edge(b, sibling)
        .build()
    )
    runner = await at_second_superstep(workflow)
    await runner.step()
    before = runner.state
    with pytest.raises(KeyError, match="the reason"):
        await runner.step()
    assert waiting.ended
    assert runner.state is before
    assert only_this_task()


async def test_rule_6_two_runs_of_one_child_fail_together():
    started: list[Any] = []

    async def work(message: int, _ctx: Ctx) -> None:
        started.append(message)
        raise KeyError(message)

    async def twice(message: int, ctx: Ctx) -> None:
        await ctx.send_message(message)
        await ctx.send_message(message + 1)

    child = WorkflowExecutor(
        WorkflowBuilder(start_executor=react("i", work, input=int)).build(), "child"
    )
    a = react("a", twice)
    runner = await at_second_superstep(
        WorkflowBuilder(start_executor=a).add_edge(a, child).build()
    )
    await runner.step()
    before = runner.state
    with pytest.raises(KeyError, match="1"):
        await runner.step()
    assert (started, runner.state is before) == ([1], True)


async def test_rule_6_what_a_child_put_out_is_dropped_with_the_superstep_that_fails():
    """The child ended well, and its output would go on; a failure beside it takes it
    back, a second try gives it.
    """
    broken = [True]

    async def fail(message: Any, ctx: Ctx) -> None:
        if broken:
            raise KeyError("the reason")

    child = WorkflowExecutor(WorkflowBuilder(start_executor=Sink("i")).build(), "child")
    a = react("a", passing)
    b = react("b", passing)
    c = react("c", fail)
    out = Sink("out")
    builder = (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, [child, b])
        .add_edge(b, c)
        .add_edge(child, out)
    )
    runner = await at_second_superstep(builder.build())
    await runner.step()
    with pytest.raises(KeyError):
        await runner.step()
    assert [message.source_id for message in runner.state.queue] == ["b"]
    broken.clear()
    await runner.finish()
    assert out.seen == [1]


@pytest.mark.parametrize("siblings", [0, 1])
async def test_rule_6_a_failed_save_of_the_superstep_before_cancels_the_one_that_runs(
    siblings: int,
):
    """With pipelining the save is one more thing that goes on beside the handlers."""

    class Full(MemoryStore):
        async def save(self, record: Any, parts: Any) -> Any:
            if record.header.superstep == 1:
                await waiting.inside.wait()
                raise OSError("disk full")
            return await super().save(record, parts)

    waiting = Waiting()
    others = [react(f"c{number}", passing) for number in range(siblings)]
    runner = await at_second_superstep(
        fanned(react("b", waiting), *others), store=Full(), durability="pipelined"
    )
    with pytest.raises(OSError, match="disk full"):
        await runner.step()
    assert waiting.ended
    assert (runner.state.superstep, runner.status) == (0, FAILED)
    assert only_this_task()


async def test_rule_6_the_save_of_the_superstep_before_ends_although_a_handler_fails():
    async def fail(_message: Any, _ctx: Ctx) -> None:
        raise KeyError("the reason")

    store = MemoryStore()
    runner = await at_second_superstep(
        fanned(react("b", fail)), store=store, durability="pipelined"
    )
    with pytest.raises(KeyError):
        await runner.step()
    assert [header.superstep for header in await store.headers()] == [0, 1]


async def test_case_63_a_failure_upstream_ends_the_run_although_others_are_unreachable_or_wait_in_a_join():
    """`u` raises; `d` can be reached from nowhere else, and `j` holds the message of
    `b` and waits for `u`'s.
    """
    broken = [True]

    async def fail(message: Any, ctx: Ctx) -> None:
        if broken:
            raise KeyError("of u")
        await ctx.send_message(message)

    a = react("a", passing)
    b = react("b", passing)
    c = react("c", passing)
    u = react("u", fail)
    d = Sink("d")
    j = Collect("j")
    builder = (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, [b, c])
        .add_edge(c, u)
        .add_edge(u, d)
    )
    workflow = builder.add_fan_in_edges([b, u], j).build()
    with pytest.raises(KeyError, match="of u"):
        async with asyncio.timeout(30):
            await workflow.run(1)
    assert only_this_task()
    assert (workflow.status, d.seen, j.seen) == (FAILED, [], [])
    broken.clear()
    assert (await workflow.resume()).get_outputs() == [1, [1, 1]]


async def test_case_65_a_target_that_is_tried_again_gets_its_input_again_and_what_was_committed_runs_no_more():
    tried: dict[str, list[Any]] = {}

    async def work(message: dict[str, Any], ctx: Ctx) -> None:
        tried.setdefault(ctx.executor_id, []).append(dict(message))
        message.clear()
        if ctx.executor_id == "t2" and len(tried["t2"]) == 1:
            raise KeyError("at the first try")
        await ctx.yield_output(ctx.executor_id)

    committed = Step("a")

    async def make(message: str, ctx: Ctx) -> None:
        await ctx.send_message({"of": message})

    b = react("b", make)
    targets = [react(f"t{number}", work) for number in range(1, 5)]
    workflow = (
        WorkflowBuilder(start_executor=committed)
        .add_edge(committed, b)
        .add_fan_out_edges(b, targets)
        .build()
    )
    with pytest.raises(KeyError):
        await workflow.run("x")
    assert (await workflow.resume()).get_outputs() == ["t1", "t2", "t3", "t4"]
    assert tried["t2"] == [{"of": "xa"}, {"of": "xa"}]
    assert committed.seen == ["x"]


# --- which error it is ----------------------------------------------------------------------------------------------


async def test_rule_6_what_a_sibling_makes_of_its_cancellation_does_not_hide_why():
    """It stands before the one that failed, so by order alone its error would be the
    first.
    """
    inside = asyncio.Event()

    async def clean_up(_message: Any, _ctx: Ctx) -> None:
        try:
            inside.set()
            await asyncio.Event().wait()
        finally:
            raise ValueError("while cleaning up")

    async def fail(_message: Any, _ctx: Ctx) -> None:
        await inside.wait()
        raise KeyError("the reason")

    heard: list[RunEvent] = []
    workflow = fanned(react("b", clean_up), react("c", fail))
    runner = await at_second_superstep(workflow, observer=heard.append)
    with pytest.raises(KeyError, match="the reason"):
        await runner.step()
    ends = {
        event.data["executor"]: event
        for event in heard
        if event.kind.value.startswith("handler_")
    }
    assert (ends["c"].kind, ends["b"].kind) == (
        RunEventKind.HANDLER_FAILED,
        RunEventKind.HANDLER_CANCELLED,
    )
    assert ends["b"].data["error"] == "ValueError: while cleaning up"


@pytest.mark.parametrize("first", ["b", "c"])
async def test_rule_6_of_two_that_fail_at_once_the_first_in_the_fixed_order_is_told_whoever_woke_first(
    first: str,
):
    gate = asyncio.Event()

    async def fail(_message: Any, ctx: Ctx) -> None:
        if ctx.executor_id != first:
            await asyncio.sleep(0)
        await gate.wait()
        raise KeyError(ctx.executor_id)

    async def open_gate(_message: Any, _ctx: Ctx) -> None:
        for _ in range(3):
            await asyncio.sleep(0)
        gate.set()

    runner = await at_second_superstep(
        fanned(react("b", fail), react("c", fail), react("d", open_gate))
    )
    with pytest.raises(KeyError, match="b"):
        await runner.step()


async def test_rule_6_an_exception_group_of_a_handler_reaches_the_caller_as_itself():
    group = ExceptionGroup("both", [KeyError("one"), ValueError("two")])

    async def fail(_message: Any, _ctx: Ctx) -> None:
        raise group

    for others in ([], [react("c", passing)]):
        runner = await at_second_superstep(fanned(react("b", fail), *others))
        with pytest.raises(ExceptionGroup) as caught:
            await runner.step()
        assert caught.value is group
        assert runner.status is FAILED


@pytest.mark.parametrize("siblings", [0, 1])
def test_rule_6_a_keyboard_interrupt_ends_the_program_after_all_siblings(siblings: int):
    waiting = []
    runners = []

    async def interrupt(_message: Any, _ctx: Ctx) -> None:
        for one in waiting:
            await one.inside.wait()
        raise KeyboardInterrupt

    async def main() -> None:
        waiting.extend(Waiting() for _ in range(siblings))
        others = [react(f"b{number}", one) for number, one in enumerate(waiting)]
        runner = await at_second_superstep(fanned(*others, react("c", interrupt)))
        runners.append(runner)
        await runner.step()

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(main())
    assert all(one.ended for one in waiting)
    assert (runners[0].status, runners[0].state.superstep) == (FAILED, 1)


# --- cancellation that nobody asked for -----------------------------------------------------------------------------


async def cancel_itself(_message: Any, _ctx: Ctx) -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(0)


async def cancel_itself_and_return(_message: Any, _ctx: Ctx) -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()


@pytest.mark.parametrize("function", [cancel_itself, cancel_itself_and_return])
@pytest.mark.parametrize("siblings", [0, 1])
async def test_rule_6_a_handler_that_cancels_the_task_that_it_runs_in_fails_the_superstep(
    function: Callable[..., Any], siblings: int
):
    """A task group takes a cancelled task for one that ended well: the message would be
    gone without a word.
    """
    others = [react("c", passing)] * siblings
    runner = await at_second_superstep(fanned(react("b", function), *others))
    before = runner.state
    with pytest.raises(
        WorkflowException, match="executor 'b' ended with CancelledError"
    ):
        await runner.step()
    assert (runner.status, runner.state is before) == (FAILED, True)


@pytest.mark.parametrize("siblings", [0, 1])
async def test_rule_9_a_failed_task_group_that_a_handler_catches_is_no_cancellation(
    siblings: int,
):
    """Until Python 3.13 it leaves the task of the handler marked as cancelled."""

    async def boom() -> None:
        raise ValueError("inside")

    async def catch(message: Any, ctx: Ctx) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(boom())
        except* ValueError:
            await ctx.yield_output(message)

    others = [react("c", passing)] * siblings
    result = await fanned(react("b", catch), *others).run(1)
    assert result.get_outputs() == [1]
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_rule_6_a_failed_superstep_leaves_the_callers_task_unmarked():
    """Else a deadline around it would be taken for a cancellation by others."""

    async def fail(_message: Any, _ctx: Ctx) -> None:
        await asyncio.sleep(0)
        raise KeyError("the reason")

    with pytest.raises(KeyError):
        await fanned(react("b", fail), react("c", fail)).run(1)
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


# --- a cancelled caller ---------------------------------------------------------------------------------------------


async def cancelled_at(runner: Runner, inside: asyncio.Event) -> None:
    """Cancel whoever runs it once it is inside, and wait for the end. Nobody is told of
    a failure.
    """
    told: list[WorkflowEvent] = []
    runner.listen(told.append)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(runner.finish())
        await inside.wait()
        task.cancel()
    assert task.cancelled()
    assert runner.status is CANCELLED
    assert [
        event.type for event in told if event.type in ("failed", "executor_failed")
    ] == []
    assert told[-1].state is CANCELLED
    assert only_this_task()


def deaf(inside: asyncio.Event, then: Callable[[], Any]) -> Callable[..., Any]:
    """Keeps a cancellation to itself, and goes on with something else."""

    async def wait(*_: Any) -> Any:
        inside.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return then()

    return wait


def nothing() -> None: ...


def fail() -> None:
    raise ValueError("while cleaning up")


def take_back() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.uncancel()


@pytest.mark.parametrize("then", [nothing, fail, take_back])
@pytest.mark.parametrize("siblings", [0, 1])
async def test_rule_9_whatever_a_handler_makes_of_a_cancellation_the_run_is_cancelled(
    then: Callable[[], None], siblings: int
):
    inside = asyncio.Event()
    after = Sink("after")
    others = [react("c", passing)] * siblings
    a = react("a", passing)
    b = react("b", deaf(inside, then))
    builder = WorkflowBuilder(start_executor=a).add_edge(a, b).add_edge(b, after)
    for other in others:
        builder.add_edge(a, other)
    runner = await at_second_superstep(builder.build())
    before = runner.state
    await cancelled_at(runner, inside)
    assert runner.state is before
    assert after.seen == []


async def test_rule_9_no_further_message_is_handled_once_the_run_is_cancelled():
    inside = asyncio.Event()
    handled = []

    async def work(message: int, ctx: Ctx) -> None:
        handled.append(message)
        await deaf(inside, nothing)()

    async def twice(message: int, ctx: Ctx) -> None:
        await ctx.send_message(message)
        await ctx.send_message(message + 1)

    a = react("a", twice)
    b = react("b", work)
    runner = await at_second_superstep(
        WorkflowBuilder(start_executor=a).add_edge(a, b).build()
    )
    await cancelled_at(runner, inside)
    assert handled == [1]


@pytest.mark.parametrize("then", [nothing, fail])
async def test_rule_9_a_condition_that_is_awaited_is_cancelled_with_the_run(
    then: Callable[[], None],
):
    inside = asyncio.Event()
    a = react("a", passing)
    b = Sink("b")
    c = Sink("c")
    condition = deaf(inside, lambda: then() or True)
    builder = (
        WorkflowBuilder(start_executor=a)
        .add_edge(a, b, condition)
        .add_edge(a, c, condition)
    )
    runner = await at_second_superstep(builder.build())
    await cancelled_at(runner, inside)
    assert (runner.state.superstep, b.seen, c.seen) == (1, [], [])


class Hooked(Sink):
    """Its hooks are the two given functions, where they are given."""

    save: Callable[[], Any] | None = None
    restore: Callable[[], Any] | None = None

    async def on_checkpoint_save(self) -> dict[str, Any]:
        return {} if self.save is None else await self.save() or {}

    async def on_checkpoint_restore(self, state: dict[str, Any]) -> None:
        if self.restore is not None:
            await self.restore()


@pytest.mark.parametrize("then", [nothing, fail])
@pytest.mark.parametrize("hook", ["save", "restore"])
async def test_rule_9_a_hook_is_cancelled_with_the_run(
    hook: str, then: Callable[[], None]
):
    inside = asyncio.Event()
    hooked = Hooked("h")
    runner = Runner(WorkflowBuilder(start_executor=hooked).build())
    await runner.start(1)
    await runner.finish()
    setattr(hooked, hook, deaf(inside, then))
    await runner.start(2)
    await cancelled_at(runner, inside)
    assert (
        runner.state.superstep,
        [message.data for message in runner.state.queue],
    ) == (0, [2])
    assert hooked.seen == ([1] if hook == "restore" else [1, 2])


@pytest.mark.parametrize("hook", ["save", "restore"])
async def test_rule_6_a_cancelled_error_of_a_hook_that_nobody_asked_for_is_a_failure(
    hook: str,
):
    async def cancel() -> None:
        raise asyncio.CancelledError

    hooked = Hooked("h")
    runner = Runner(WorkflowBuilder(start_executor=hooked).build())
    await runner.start(1)
    await runner.finish()
    setattr(hooked, hook, cancel)
    await runner.start(2)
    with pytest.raises(
        WorkflowCheckpointException,
        match=rf"Executor h on_checkpoint_{hook} failed: CancelledError\.",
    ):
        await runner.finish()
    assert runner.status is FAILED


@pytest.mark.parametrize(
    "raised", [SystemExit(3), asyncio.CancelledError(), KeyError("x")]
)
async def test_rule_6_an_awaited_condition_that_raises_names_its_edge(
    raised: BaseException,
):
    async def condition(_message: Any) -> bool:
        await asyncio.sleep(0)
        raise raised

    a = react("a", passing)
    b = Sink("b")
    runner = await at_second_superstep(
        WorkflowBuilder(start_executor=a).add_edge(a, b, condition, id="e").build()
    )
    with pytest.raises((WorkflowException, KeyError)) as caught:
        await runner.step()
    assert "in the condition of edge 'e', from 'a' to 'b'" in caught.value.__notes__
    assert (runner.status, runner.state.superstep) == (FAILED, 1)


async def test_rule_6_a_cancelled_error_of_a_store_that_nobody_asked_for_is_a_failure():
    class Cancelling(MemoryStore):
        async def save(self, record: Any, parts: Any) -> Any:
            if record.header.superstep == 2:
                raise asyncio.CancelledError
            return await super().save(record, parts)

    runner = await at_second_superstep(fanned(Sink("b")), store=Cancelling())
    with pytest.raises(WorkflowException, match="although nobody cancelled the run"):
        await runner.step()
    assert (runner.status, runner.state.superstep) == (FAILED, 1)


async def test_rule_9_a_store_that_keeps_a_cancellation_to_itself_keeps_no_run_alive():
    inside = asyncio.Event()

    class Deaf(MemoryStore):
        async def save(self, record: Any, parts: Any) -> Any:
            if record.header.superstep == 2:
                await deaf(inside, nothing)()
            return await super().save(record, parts)

    a = react("a", passing)
    b = react("b", passing)
    c = Sink("c")
    builder = WorkflowBuilder(start_executor=a).add_edge(a, b).add_edge(b, c)
    runner = await at_second_superstep(builder.build(), store=Deaf())
    await cancelled_at(runner, inside)
    assert (runner.state.superstep, c.seen) == (2, [])


@pytest.mark.parametrize("durability", ["sync", "pipelined"])
async def test_rule_9_a_cancelled_run_goes_on_from_its_last_barrier(durability: Any):
    inside = asyncio.Event()
    store = MemoryStore()
    again = [True]

    async def wait(message: Any, ctx: Ctx) -> None:
        ctx.set_state("tries", 1)
        inside.set()
        if again:
            await asyncio.Event().wait()
        await ctx.yield_output(message)

    runner = await at_second_superstep(
        fanned(react("b", wait), react("c", wait)), store=store, durability=durability
    )
    await cancelled_at(runner, inside)
    assert runner.state.shared == {}
    again.clear()
    trace = await runner.step()
    assert trace is not None
    assert [output.data for output in trace.outputs] == [1, 1]


async def test_rule_9_a_run_that_is_cancelled_before_it_has_begun_is_cancelled():
    class Slow(MemoryStore):
        async def save(self, record: Any, parts: Any) -> Any:
            await asyncio.Event().wait()

    workflow = fanned(Sink("b"))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await workflow.run(1, checkpoint_storage=Slow())
    assert workflow.status is CANCELLED
    assert (await workflow.run(2)).get_outputs() == [2]


async def test_rule_9_a_run_that_waits_for_a_slow_consumer_is_cancelled_with_it():
    a = react("a", passing)
    b = react("b", passing)
    workflow = (
        WorkflowBuilder(10_000, start_executor=a).add_edge(a, b).add_edge(b, a).build()
    )
    stream = workflow.run("x", stream=True)
    await anext(stream)
    for _ in range(2_000):
        await asyncio.sleep(0)
    await stream.aclose()
    assert workflow.status is CANCELLED


async def test_rule_9_cancelling_whoever_iterates_a_stream_cancels_the_run():
    waiting = Waiting()
    workflow = fanned(react("b", waiting), react("c", passing))

    async def consume() -> None:
        async for _ in workflow.run(1, stream=True):
            pass

    async with asyncio.TaskGroup() as group:
        task = group.create_task(consume())
        await waiting.inside.wait()
        task.cancel()
    assert waiting.ended
    assert workflow.status is CANCELLED
    assert only_this_task()


# --- late threads and tasks -----------------------------------------------------------------------------------------


def use(ctx: Ctx, verb: str) -> None:
    match verb:
        case "send_message":
            ctx.send_message("late")
        case "yield_output":
            ctx.yield_output("late")
        case "set_state":
            ctx.set_state("k", "late")
        case "delete_state":
            ctx.delete_state("k")
        case "request_info":
            ctx.request_info("late", bool)
        case "executor_state":
            ctx.executor_state["k"] = "late"


VERBS = [
    "send_message",
    "yield_output",
    "set_state",
    "delete_state",
    "request_info",
    "executor_state",
]


@pytest.mark.parametrize("restored", [False, True])
@pytest.mark.parametrize("verb", VERBS)
async def test_rule_8_a_late_task_of_a_failed_superstep_is_refused_before_and_after_a_restore(
    verb: str, restored: bool
):
    flaky = Flaky()
    store = MemoryStore()
    runner = await at_second_superstep(flaky.workflow, "m", store=store)
    with pytest.raises(KeyError):
        await runner.step()
    if restored:
        assert runner.header is not None
        await runner.restore(runner.header.id)
    before = runner.state
    with pytest.raises(ContextClosedError) as caught:
        use(flaky.contexts[0], verb)
    assert (caught.value.executor_id, caught.value.superstep) == ("x", 2)
    flaky.broken = False
    await runner.step()
    assert before.buffers == {}
    assert all(message.data != "late" for message in runner.state.queue)
    assert runner.state.shared == {"x": 1, "y": 1}


@pytest.mark.parametrize("restored", [False, True])
async def test_rule_8_a_late_thread_reaches_neither_queue_nor_buffer_nor_state(
    restored: bool,
):
    inside = threading.Event()
    leave = threading.Event()
    refused = threading.Semaphore(0)
    broken = [True]

    def late(message: str, ctx: WorkflowContext[str, str]) -> None:
        if not broken:
            ctx.send_message(message)
            return
        inside.set()
        leave.wait()
        for verb in VERBS:
            try:
                use(ctx, verb)
            except ContextClosedError:
                refused.release()

    async def fail(message: Any, ctx: Ctx) -> None:
        if broken:
            await asyncio.to_thread(inside.wait)
            raise KeyError("the reason")
        await ctx.send_message(message)

    a = Step("a")
    thread = FunctionExecutor(late, "late")
    bad = react("bad", fail)
    j = Collect("j")
    builder = WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [thread, bad])
    runner = await at_second_superstep(
        builder.add_fan_in_edges([thread, bad], j).build(), "m", store=MemoryStore()
    )
    with pytest.raises(KeyError):
        await runner.step()
    if restored:
        assert runner.header is not None
        await runner.restore(runner.header.id)
    leave.set()
    for _ in VERBS:
        assert await asyncio.to_thread(refused.acquire, timeout=30)
    broken.clear()
    await runner.finish()
    assert j.seen == [["ma", "ma"]]
    assert runner.state.shared == {}


async def test_rule_8_a_context_is_over_with_its_delivery_also_in_a_superstep_that_went_well():
    contexts: list[Ctx] = []

    async def keep(message: Any, ctx: Ctx) -> None:
        contexts.append(ctx)
        await ctx.send_message(message)

    runner = Runner(WorkflowBuilder(start_executor=react("a", keep)).build())
    await runner.start(1)
    await runner.finish()
    before = runner.state
    for verb in VERBS:
        with pytest.raises(ContextClosedError, match="superstep 1"):
            use(contexts[0], verb)
    assert runner.state is before


@pytest.mark.parametrize(
    "verb", ["send_message", "yield_output", "set_state", "request_info"]
)
async def test_rule_8_a_thread_that_is_still_busy_with_it_when_its_handler_ends_is_refused(
    verb: str,
):
    """What it hands over may be large, so that the handler ends while it is copied."""
    copying = threading.Event()
    copied = threading.Event()
    outcome = []

    class Large:
        def __deepcopy__(self, memo: Any) -> Large:
            copying.set()
            copied.wait(30)
            return self

    def hand_over(ctx: Ctx) -> None:
        arguments = {"set_state": ("k", Large()), "request_info": (Large(), bool)}.get(
            verb, (Large(),)
        )
        try:
            getattr(ctx, verb)(*arguments)
        except ContextClosedError:
            outcome.append("refused")

    class Starting(Executor):
        @handler
        async def take(self, message: int, ctx: Ctx) -> None:
            self.thread = threading.Thread(target=hand_over, args=(ctx,))
            self.thread.start()
            await asyncio.to_thread(copying.wait, 5)

        @response_handler
        async def hear(
            self, original_request: Large, response: bool, ctx: Ctx
        ) -> None: ...

    a = Starting("a")
    b = Sink("b")
    runner = Runner(WorkflowBuilder(start_executor=a).add_edge(a, b).build())
    await runner.start(1)
    trace = await runner.step()
    copied.set()
    await asyncio.to_thread(a.thread.join)
    assert outcome == ["refused"]
    assert trace is not None
    assert (
        trace.outputs,
        runner.state.queue,
        runner.state.shared,
        runner.state.requests,
    ) == ((), (), {}, {})


# --- the pieces -----------------------------------------------------------------------------------------------------


async def test_work_in_its_own_task_hands_on_what_is_returned_and_raised():
    async def give(_stop: StopSignal) -> int:
        return 1

    async def fail(_stop: StopSignal) -> None:
        raise KeyError("the work")

    async def save() -> None: ...

    assert await run_in_own_task(give) == 1
    with pytest.raises(KeyError, match="the work"):
        await run_in_own_task(fail)
    with pytest.raises(KeyError, match="the work"):
        await run_while_saving(fail, save, StopSignal.of_this_task())


class Aborting(Executor):
    @handler
    async def take(self, message: int, ctx: Ctx) -> None:
        raise GeneratorExit


async def test_rule_6_an_exit_of_a_generator_is_an_error_like_others():
    with pytest.raises(GeneratorExit):
        await fanned(Aborting("b"), react("c", passing)).run(1)
