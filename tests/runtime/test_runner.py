"""A superstep is a transaction: order, concurrency, failure and cancellation (rules 1
to 9, 19 to 21).
"""

from __future__ import annotations

import asyncio
import gc
import threading
from typing import Any

import pytest

from runtime.engine.runner import Runner
from runtime.errors import (
    ContextClosedError,
    StateConflictError,
    UnknownTargetError,
    WorkflowConvergenceException,
    WorkflowException,
)
from runtime.events import RunEvent, RunEventKind, WorkflowEvent, WorkflowRunState
from runtime.executors.executor import Executor, WorkflowContext, executor, handler
from runtime.state import RunState, Trace
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from tests.runtime.graphs import Collect, Sink, Step, react, uneven_join

Ctx = WorkflowContext[Any, Any]


async def passing(message: Any, ctx: Ctx) -> None:
    await ctx.send_message(message)


async def outputs_of(runner: Runner) -> list[Any]:
    found = []
    while (trace := await runner.step()) is not None:
        found.extend(output.data for output in trace.outputs)
    return found


async def test_rule_1_messages_travel_one_superstep_at_a_time():
    runner = Runner(uneven_join())
    await runner.start("x")
    assert [message.data for message in runner.state.queue] == ["x"]
    ran = []
    while (trace := await runner.step()) is not None:
        ran.append([invocation.executor_id for invocation in trace.invocations])
    assert ran == [["A"], ["B", "C"], ["D"], ["J"]]
    assert runner.state.superstep == 4


async def test_the_trace_of_a_superstep_tells_the_same_whenever_it_is_asked_for():
    def told(trace: Trace) -> tuple[Any, ...]:
        return (
            [one.executor_id for one in trace.invocations],
            trace.fates,
            trace.releases,
            trace.outputs,
        )

    stepped = Runner(uneven_join())
    finished = Runner(uneven_join())
    kept = Runner(uneven_join(), MemoryStore())
    traces = []
    for runner in (stepped, finished, kept):
        await runner.start("x")
    while (trace := await stepped.step()) is not None:
        assert trace is stepped.trace
        traces.append(told(trace))
        await kept.step()
        assert told(kept.trace) == traces[-1]
    await finished.finish()
    assert told(finished.trace) == traces[-1]


async def test_an_instance_at_rest_keeps_no_events_of_its_run():
    last = Sink("the last of a run")
    workflow = (
        WorkflowBuilder(start_executor=(first := react("a", passing)))
        .add_edge(first, last)
        .build()
    )
    await workflow.run("x")
    gc.collect()
    events = [one for one in gc.get_objects() if type(one) is WorkflowEvent]
    assert last.id not in [one.executor_id for one in events]


async def test_rule_3_a_step_with_nothing_queued_does_nothing():
    runner = Runner(uneven_join())
    await runner.start("x")
    assert await runner.finish() is WorkflowRunState.IDLE
    before = runner.state
    assert await runner.step() is None
    assert runner.state is before


async def test_case_7_a_join_inside_a_loop_fires_every_round_with_one_of_each():
    rounds: list[Any] = []

    async def gate(number: int, ctx: Ctx) -> None:
        await ctx.send_message(number)

    async def back(items: list[int], ctx: Ctx) -> None:
        rounds.append(items)
        await ctx.send_message(items[0] + 1)

    g = react("g", gate, input=int)
    b = react("b", passing)
    c = react("c", passing)
    j = react("j", back, input=list[int])
    builder = (
        WorkflowBuilder(start_executor=g)
        .add_fan_out_edges(g, [b, c])
        .add_fan_in_edges([b, c], j)
    )
    runner = Runner(builder.add_edge(j, g, lambda number: number < 3).build())
    await runner.start(0)
    await runner.finish()
    assert rounds == [[0, 0], [1, 1], [2, 2]]


async def test_case_8_one_executor_handles_one_delivery_at_a_time_in_the_fixed_order():
    class Counter(Executor):
        def __init__(self) -> None:
            super().__init__("D")
            self.inside = 0
            self.order = []

        @handler
        async def count(self, message: str, ctx: Ctx) -> None:
            self.inside += 1
            assert self.inside == 1
            n = ctx.get_state("n", 0)
            await asyncio.sleep(0)
            ctx.set_state("n", n + 1)
            self.order.append(message)
            self.inside -= 1

    a = Step("A")
    b = Step("B")
    c = Step("C")
    d = Counter()
    builder = (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, [b, c])
        .add_edge(c, d)
        .add_edge(b, d)
    )
    runner = Runner(builder.build())
    await runner.start("x")
    await runner.finish()
    assert runner.state.shared == {"n": 2}
    assert d.order == ["xAB", "xAC"]


async def test_rule_2_different_executors_run_side_by_side():
    meeting = asyncio.Barrier(2)

    async def meet(_message: Any, _ctx: Ctx) -> None:
        await meeting.wait()

    a = react("a", passing)
    b = react("b", meet)
    c = react("c", meet)
    runner = Runner(
        WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, c]).build()
    )
    await runner.start(1)
    await runner.finish()


@pytest.mark.parametrize("slow", ["b", "c", "d"])
async def test_rule_2_the_result_does_not_depend_on_who_finishes_first(slow: str):
    def delayed(id: str) -> Executor:
        async def work(message: Any, ctx: Ctx) -> None:
            for _ in range(20 if id == slow else 0):
                await asyncio.sleep(0)
            await ctx.send_message(id)

        return react(id, work)

    a = react("a", passing)
    workers = [delayed(id) for id in "bcd"]
    j = Collect("j")
    sink = Sink("s")
    builder = (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, workers)
        .add_fan_in_edges(workers, j)
    )
    for worker in workers:
        builder.add_edge(worker, sink)
    runner = Runner(builder.build())
    await runner.start(1)
    assert await outputs_of(runner) == [["b", "c", "d"], "b", "c", "d"]


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
async def test_case_15_exactly_n_supersteps_may_run(limit: int):
    runner = Runner(uneven_join(), max_supersteps=limit)
    await runner.start("x")
    if limit == 4:
        assert await runner.finish() is WorkflowRunState.IDLE
        return
    with pytest.raises(WorkflowConvergenceException) as caught:
        await runner.finish()
    assert runner.state.superstep == limit
    assert caught.value.limit == limit
    assert caught.value.waiting == ({1: ("B", "C"), 2: ("D",), 3: ("J",)}[limit])


@pytest.mark.parametrize("limit", [0, -1, 1.5, True])
def test_case_15_a_limit_that_is_no_number_of_supersteps_is_refused(limit: int):
    with pytest.raises(ValueError, match="at least 1"):
        Runner(uneven_join(), max_supersteps=limit)
    with pytest.raises(ValueError, match="at least 1"):
        WorkflowBuilder(limit, start_executor=Step("A"))


# --- failure ------------------------------------------------------------------------------------------------------


class Flaky:
    """Two siblings after `a`: `x` waits and would then send, `y` raises until it is
    told to work.
    """

    def __init__(self) -> None:
        self.broken = True
        self.cancelled = False
        self.contexts = []
        self.started = asyncio.Event()

        async def wait(message: Any, ctx: Ctx) -> None:
            ctx.set_state("x", 1)
            self.contexts.append(ctx)
            self.started.set()
            try:
                if self.broken:
                    await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled = True
                raise
            await ctx.send_message(message)

        async def fail(message: Any, ctx: Ctx) -> None:
            await ctx.send_message("half done")
            ctx.set_state("y", 1)
            await self.started.wait()
            if self.broken:
                raise KeyError("the reason")
            await ctx.send_message(message)

        a = react("a", passing)
        x = react("x", wait)
        y = react("y", fail)
        j = Collect("j")
        builder = WorkflowBuilder(start_executor=a, name="flaky").add_fan_out_edges(
            a, [x, y]
        )
        self.workflow = builder.add_fan_in_edges([x, y], j).build()


async def test_case_3_a_failed_superstep_leaves_nothing_and_its_siblings_are_cancelled_and_awaited():
    flaky = Flaky()
    runner = Runner(flaky.workflow)
    await runner.start("m")
    await runner.step()
    before = runner.state
    with pytest.raises(KeyError, match="the reason") as caught:
        await runner.step()
    assert any("executor 'y'" in note for note in caught.value.__notes__)
    assert flaky.cancelled
    assert runner.state is before
    assert runner.status is WorkflowRunState.FAILED
    with pytest.raises(ContextClosedError):
        await flaky.contexts[0].send_message("late")
    with pytest.raises(ContextClosedError):
        flaky.contexts[0].set_state("x", 2)


async def test_rule_7_after_a_failure_the_same_superstep_can_be_stepped_again():
    flaky = Flaky()
    runner = Runner(flaky.workflow)
    await runner.start("m")
    await runner.step()
    with pytest.raises(KeyError):
        await runner.step()
    flaky.broken = False
    assert await outputs_of(runner) == [["m", "half done", "m"]]
    assert runner.state.shared == {"x": 1, "y": 1}


async def test_rule_7_a_handler_that_changes_its_input_finds_it_unchanged_at_the_second_try():
    seen = []
    broken = [True]

    async def consume(message: list[int], _ctx: Ctx) -> None:
        seen.append(list(message))
        message.clear()
        if broken:
            broken.pop()
            raise ValueError

    a = react("a", consume, input=list[int])
    runner = Runner(WorkflowBuilder(start_executor=a).build())
    await runner.start([1, 2])
    with pytest.raises(ValueError):  # noqa: PT011 - it has no text
        await runner.step()
    await runner.step()
    assert seen == [[1, 2], [1, 2]]


async def test_rule_6_the_first_failure_in_the_fixed_order_reaches_the_caller_as_itself():
    async def fail(_message: Any, ctx: Ctx) -> None:
        raise ValueError(ctx.executor_id) from KeyError("cause")

    a = react("a", passing)
    b = react("b", fail)
    c = react("c", fail)
    runner = Runner(
        WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, c]).build()
    )
    await runner.start(1)
    with pytest.raises(ValueError, match="b") as caught:
        await runner.finish()
    assert isinstance(caught.value.__cause__, KeyError)


async def test_rule_6_a_cancelled_error_that_nobody_asked_for_is_a_failure():
    async def odd(_message: Any, _ctx: Ctx) -> None:
        raise asyncio.CancelledError

    for targets in (["b"], ["b", "c"]):
        a = react("a", passing)
        others = [react(id, odd if id == "b" else passing) for id in targets]
        builder = WorkflowBuilder(start_executor=a)
        for other in others:
            builder.add_edge(a, other)
        runner = Runner(builder.build())
        await runner.start(1)
        with pytest.raises(WorkflowException, match="nobody cancelled"):
            await runner.finish()


@pytest.mark.parametrize("siblings", [1, 2])
async def test_case_45_cancelling_the_caller_cancels_the_run(siblings: int):
    entered = asyncio.Event()
    seen = []

    async def sleep(_message: Any, ctx: Ctx) -> None:
        entered.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append(ctx.executor_id)
            raise

    a = react("a", passing)
    others = [react(f"b{number}", sleep) for number in range(siblings)]
    builder = WorkflowBuilder(start_executor=a)
    for other in others:
        builder.add_edge(a, other)
    runner = Runner(builder.build())
    await runner.start(1)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(runner.finish())
        await entered.wait()
        task.cancel()
    assert len(seen) == siblings
    assert runner.status is WorkflowRunState.CANCELLED
    assert runner.state.superstep == 1
    assert len(asyncio.all_tasks()) == 1


async def test_rule_9_a_cancellation_that_comes_when_the_superstep_is_done_is_told_as_one():
    a = react("a", passing)
    b = Sink("b")
    tasks: list[asyncio.Task[Any]] = []

    def cancel(event: RunEvent) -> None:
        if event.kind is RunEventKind.SUPERSTEP_ENDED and event.superstep == 1:
            tasks[0].cancel()

    runner = Runner(
        WorkflowBuilder(start_executor=a).add_edge(a, b).build(), observer=cancel
    )
    await runner.start(1)
    async with asyncio.TaskGroup() as group:
        tasks.append(group.create_task(runner.step()))
    assert tasks[0].cancelled()
    assert (runner.status, runner.state.superstep) == (WorkflowRunState.CANCELLED, 1)
    assert await runner.finish() is WorkflowRunState.IDLE
    assert b.seen == [1]


async def test_rule_9_a_run_of_handlers_that_never_wait_can_still_be_cancelled():
    a = react("a", passing)
    b = react("b", passing)
    runner = Runner(
        WorkflowBuilder(10**9, start_executor=a).add_edge(a, b).add_edge(b, a).build()
    )
    await runner.start(1)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await runner.finish()
    assert runner.status is WorkflowRunState.CANCELLED


async def test_two_commands_at_once_are_refused():
    entered = asyncio.Event()
    leave = asyncio.Event()

    async def hold(_message: Any, _ctx: Ctx) -> None:
        entered.set()
        await leave.wait()

    runner = Runner(WorkflowBuilder(start_executor=react("a", hold)).build())
    await runner.start(1)
    async with asyncio.TaskGroup() as group:
        group.create_task(runner.finish())
        await entered.wait()
        with pytest.raises(WorkflowException, match="busy"):
            await runner.step()
        leave.set()


# --- threads ------------------------------------------------------------------------------------------------------


async def test_a_plain_function_runs_in_a_thread_and_can_do_everything():
    threads = []

    @executor(id="plain")
    def plain(message: int, ctx: WorkflowContext[int, int]) -> None:
        threads.append(threading.current_thread())
        ctx.send_message(message + 1)
        ctx.yield_output(message)
        ctx.set_state("k", message)

    sink = Sink("s")
    runner = Runner(WorkflowBuilder(start_executor=plain).add_edge(plain, sink).build())
    await runner.start(1)
    assert await outputs_of(runner) == [1, 2]
    assert threads[0] is not threading.main_thread()
    assert runner.state.shared == {"k": 1}


async def test_case_3_a_late_thread_of_a_failed_superstep_can_send_nothing():
    inside = threading.Event()
    leave = threading.Event()
    refused = threading.Event()

    @executor(id="late")
    def late(message: int, ctx: WorkflowContext[int]) -> None:
        inside.set()
        leave.wait()
        try:
            ctx.send_message(message)
        except ContextClosedError:
            refused.set()

    async def fail(_message: Any, _ctx: Ctx) -> None:
        await asyncio.to_thread(inside.wait)
        raise KeyError("the reason")

    a = react("a", passing)
    bad = react("bad", fail)
    sink = Sink("s")
    builder = (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, [late, bad])
        .add_edge(late, sink)
    )
    runner = Runner(builder.build())
    await runner.start(1)
    with pytest.raises(KeyError):
        await runner.finish()
    before = runner.state
    leave.set()
    assert await asyncio.to_thread(refused.wait, 5)
    assert runner.state is before


# --- state --------------------------------------------------------------------------------------------------------


async def test_rule_19_reads_see_the_last_barrier_and_the_own_writes_only():
    seen: dict[str, Any] = {}

    async def write(_message: Any, ctx: Ctx) -> None:
        ctx.set_state("k", "new")
        seen["writer"] = ctx.get_state("k")

    async def read(_message: Any, ctx: Ctx) -> None:
        await asyncio.sleep(0)
        seen["reader"] = ctx.get_state("k", "absent")

    a = react("a", passing)
    b = react("b", write)
    c = react("c", read)
    runner = Runner(
        WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, c]).build()
    )
    await runner.start(1)
    await runner.finish()
    assert seen == {"writer": "new", "reader": "absent"}


async def test_rule_19_values_in_the_state_are_nobody_elses():
    kept: list[int] = []

    async def write(message: Any, ctx: Ctx) -> None:
        ctx.set_state("k", kept)
        kept.append(1)
        ctx.get_state("k").append(2)
        ctx.state.get("k").append(3)
        await ctx.send_message(kept)
        kept.append(4)

    a = react("a", write)
    b = Sink("b")
    runner = Runner(WorkflowBuilder(start_executor=a).add_edge(a, b).build())
    await runner.start(1)
    assert await outputs_of(runner) == [[1]]
    assert runner.state.shared == {"k": []}


async def test_case_43_a_conflict_fails_the_superstep():
    async def write(_message: Any, ctx: Ctx) -> None:
        ctx.set_state("k", ctx.executor_id)

    a = react("a", passing)
    b = react("b", write)
    c = react("c", write)
    runner = Runner(
        WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, c]).build()
    )
    await runner.start(1)
    with pytest.raises(StateConflictError):
        await runner.finish()
    assert runner.state.shared == {}
    assert runner.state.superstep == 1


async def test_rule_20_keys_that_begin_with_an_underscore_are_refused():
    async def use(_message: Any, ctx: Ctx) -> None:
        ctx.state.set("a", 1)
        ctx.state.set("b", 2)
        ctx.state.delete("a")
        assert not ctx.state.has("a")
        assert list(ctx.state) == ["b"]
        with pytest.raises(ValueError, match="reserved"):
            ctx.set_state("_executor_state", 1)
        with pytest.raises(KeyError):
            ctx.state.delete("a")

    runner = Runner(WorkflowBuilder(start_executor=react("a", use)).build())
    await runner.start(1)
    await runner.finish()
    assert runner.state.shared == {"b": 2}


async def test_rule_21_the_executors_own_record_is_the_same_without_hooks():
    async def count(message: int, ctx: Ctx) -> None:
        ctx.executor_state["n"] = ctx.executor_state.get("n", 0) + message
        if message < 3:
            await ctx.send_message(message + 1)

    a = react("a", count, input=int)
    b = react("b", passing)
    runner = Runner(
        WorkflowBuilder(start_executor=a).add_edge(a, b).add_edge(b, a).build()
    )
    await runner.start(1)
    await runner.finish()
    record = runner.state.executors["a"]
    assert (record.state, record.runs, record.last_superstep) == ({"n": 6}, 3, 5)


class Attributes(Executor):
    """Keeps its state in an attribute, saved through the hooks."""

    def __init__(self) -> None:
        super().__init__("h")
        self.n = 0
        self.broken = False
        self.restored = []

    @handler
    async def take(self, message: int, ctx: Ctx) -> None:
        self.n += message
        if self.broken:
            raise ValueError("broken")
        await ctx.yield_output(self.n)

    async def on_checkpoint_save(self) -> dict[str, Any]:
        return {"n": self.n}

    async def on_checkpoint_restore(self, state: dict[str, Any]) -> None:
        self.restored.append(state["n"])
        self.n = state["n"]


async def test_rule_21_attributes_behind_hooks_roll_back_with_a_failed_superstep():
    one = Attributes()
    runner = Runner(WorkflowBuilder(start_executor=one).build())
    await runner.start(5)
    one.broken = True
    with pytest.raises(ValueError, match="broken"):
        await runner.step()
    assert one.n == 5
    one.broken = False
    assert await outputs_of(runner) == [5]
    assert one.restored == [0]
    assert runner.state.executors["h"].state == {"n": 5}


async def test_rule_21_a_second_runner_on_a_used_instance_starts_from_its_first_state():
    one = Attributes()
    workflow = WorkflowBuilder(start_executor=one).build()
    for _ in range(2):
        runner = Runner(workflow)
        await runner.start(5)
        assert await outputs_of(runner) == [5]


async def test_rule_21_what_a_hook_returns_is_checked_when_it_is_saved():
    class Wrong(Attributes):
        async def on_checkpoint_save(self) -> Any:
            return [1]

    runner = Runner(WorkflowBuilder(start_executor=Wrong()).build())
    await runner.start(5)
    with pytest.raises(WorkflowException, match="must return a dict"):
        await runner.step()


# --- sending ------------------------------------------------------------------------------------------------------


async def test_rule_12_a_target_that_no_edge_leads_to_is_refused_when_it_is_sent():
    async def send(_message: Any, ctx: Ctx) -> None:
        await ctx.send_message(1, target_id="typo")

    runner = Runner(WorkflowBuilder(start_executor=react("a", send)).build())
    await runner.start(1)
    with pytest.raises(UnknownTargetError, match="typo"):
        await runner.step()


async def test_case_52_no_two_executors_hold_the_same_payload():
    kept: list[int] = [0]

    async def send(_message: Any, ctx: Ctx) -> None:
        await ctx.send_message(kept)

    async def change(message: list[int], ctx: Ctx) -> None:
        message.append(1)
        await ctx.yield_output(message)

    a = react("a", send)
    b = react("b", change, input=list[int])
    c = react("c", change, input=list[int])
    runner = Runner(
        WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, c]).build()
    )
    await runner.start(1)
    assert await outputs_of(runner) == [[0, 1], [0, 1]]
    assert kept == [0]


async def test_case_18_a_condition_is_asked_once_per_message_whatever_is_streamed_and_previewed():
    asked = []

    async def talk(message: Any, ctx: Ctx) -> None:
        for number in range(20):
            await ctx.yield_output(number)
        await ctx.send_message(message)

    def condition(message: Any) -> bool:
        asked.append(message)
        return True

    a = react("a", talk)
    b = Sink("b")
    runner = Runner(WorkflowBuilder(start_executor=a).add_edge(a, b, condition).build())
    await runner.start("m")
    await runner.step()
    runner.preview()
    runner.preview()
    await runner.step()
    assert asked == ["m"]
    assert b.seen == ["m"]


@pytest.mark.parametrize(("value", "expected"), [(1, []), (2, [2])])
async def test_rule_14_a_condition_may_be_awaited(value: int, expected: list[int]):
    async def condition(message: int) -> bool:
        await asyncio.sleep(0)
        return message > 1

    a = react("a", passing)
    b = Sink("b")
    runner = Runner(WorkflowBuilder(start_executor=a).add_edge(a, b, condition).build())
    await runner.start(value)
    await runner.step()
    assert runner.preview().deliveries == {}
    assert await outputs_of(runner) == expected


async def test_rule_1_preview_says_what_the_next_superstep_does_and_changes_nothing():
    runner = Runner(uneven_join())
    await runner.start("x")
    await runner.step()
    await runner.step()
    before = runner.state
    routing = runner.preview()
    assert {
        target: len(deliveries) for target, deliveries in routing.deliveries.items()
    } == {"D": 1}
    assert [(fate.kind, fate.source_id) for fate in routing.fates] == [
        ("delivered", "C"),
        ("buffered", "B"),
    ]
    assert runner.state is before


async def test_a_start_executor_that_does_not_take_the_input_is_said():
    runner = Runner(uneven_join())
    with pytest.raises(RuntimeError, match="cannot handle input of type 'int'"):
        await runner.start(1)
    assert runner.state == RunState()


# --- stalled joins ------------------------------------------------------------------------------------------------


async def test_rule_17_a_join_that_waits_for_ever_is_named_with_whom_it_waits_for_and_why():
    a = Step("A")
    b = Step("B")
    c = Step("C")
    d = Step("D")
    j = Collect("J")
    builder = (
        WorkflowBuilder(start_executor=a)
        .add_edge(a, b)
        .add_edge(a, c, lambda _text: False)
        .add_edge(c, d)
    )
    runner = Runner(builder.add_fan_in_edges([b, d], j, id="join").build())
    await runner.start("x")
    assert await runner.finish() is WorkflowRunState.IDLE_WITH_STALLED_JOINS
    (stalled,) = runner.stalled
    assert (stalled.group.id, stalled.held) == ("join", {"B": 1, "D": 0})
    assert stalled.missing == (("D", "branch not taken at 'A'"),)


async def test_rule_17_a_source_whose_message_was_dropped_for_its_type_is_named_so():
    async def number(_message: Any, ctx: Ctx) -> None:
        await ctx.send_message(1)

    async def collect(_message: list[str], _ctx: Ctx) -> None: ...

    a = Step("A")
    b = Step("B")
    c = react("C", number)
    j = react("J", collect, input=list[str])
    builder = (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, [b, c])
        .add_fan_in_edges([b, c], j)
    )
    runner = Runner(builder.build())
    await runner.start("x")
    await runner.finish()
    assert runner.stalled[0].missing == (("C", "dropped: type mismatch"),)


async def test_rule_17_a_reason_of_long_ago_is_not_told_once_a_message_went_through():
    """C's first message is dropped for its type, its second completes the join, and the
    third time it sends nothing.
    """

    async def gate(message: int, ctx: Ctx) -> None:
        for target in ("B", "C", "gate")[: 3 if message < 3 else 2]:
            await ctx.send_message(message + (target == "gate"), target_id=target)

    async def send_on(message: int, ctx: Ctx) -> None:
        if message < 3:
            await ctx.send_message("text" if message == 1 else message)

    async def collect(_message: list[int], _ctx: Ctx) -> None: ...

    start = react("gate", gate)
    b = react("B", passing)
    c = react("C", send_on)
    j = react("J", collect, input=list[int])
    builder = (
        WorkflowBuilder(start_executor=start)
        .add_edge(start, start)
        .add_fan_out_edges(start, [b, c])
    )
    runner = Runner(builder.add_fan_in_edges([b, c], j).build())
    await runner.start(1)
    await runner.finish()
    assert runner.stalled[0].missing == (("C", "ran, and sent nothing here since"),)


# --- observers ----------------------------------------------------------------------------------------------------


async def test_rule_33_an_observer_hears_in_order_what_happens():
    heard: list[RunEvent] = []
    runner = Runner(uneven_join(), observer=heard.append)
    await runner.start("x")
    await runner.finish()
    assert [event.number for event in heard] == list(range(1, len(heard) + 1))
    third = [(event.kind.value, event.data) for event in heard if event.superstep == 3]
    assert third[0] == ("superstep_started", {"executors": ("D",)})
    assert [data["fate"] for kind, data in third if kind == "message"] == [
        "delivered",
        "buffered",
        "sent",
    ]
    released = [
        event.data for event in heard if event.kind is RunEventKind.JOIN_RELEASED
    ]
    assert [one["counts"] for one in released] == [(1, 1)]
    assert [
        event.data["status"] for event in heard if event.kind is RunEventKind.STATUS
    ] == ["IN_PROGRESS", "IDLE"]


async def test_rule_6_the_failed_one_is_named_and_a_cancelled_sibling_gets_a_closing_event():
    heard: list[RunEvent] = []
    runner = Runner(Flaky().workflow, observer=heard.append)
    await runner.start("m")
    with pytest.raises(KeyError):
        await runner.finish()
    kinds = [(event.kind, event.data.get("executor")) for event in heard]
    assert (RunEventKind.HANDLER_CANCELLED, "x") in kinds
    failed = next(event for event in heard if event.kind is RunEventKind.HANDLER_FAILED)
    assert (failed.superstep, failed.data["executor"], failed.data["error_type"]) == (
        2,
        "y",
        "KeyError",
    )
    assert "the reason" in failed.data["error"]


async def test_an_observer_that_raises_is_detached_and_the_run_goes_on(
    caplog: pytest.LogCaptureFixture,
):
    calls = []

    def bad(event: RunEvent) -> None:
        calls.append(event)
        raise ValueError("bad observer")

    runner = Runner(uneven_join(), observer=bad)
    told: list[Any] = []
    runner.listen(told.append)
    await runner.start("x")
    assert await runner.finish() is WorkflowRunState.IDLE
    assert len(calls) == 1
    assert any(
        event.type == "warning" and "bad observer" in event.data for event in told
    )
    assert "detached" in caplog.text
