"""Workflows in workflows in workflows: questions, failures, limits, restores, to any
depth (rules 7, 22, 25 to 27).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runtime.checkpoints.archive import Archive
from runtime.engine.runner import Runner
from runtime.errors import (
    NestingError,
    RequestError,
    SignatureMismatchError,
    WorkflowConvergenceException,
)
from runtime.events import WorkflowRunState
from runtime.executors.executor import (
    Executor,
    WorkflowContext,
    handler,
    response_handler,
)
from runtime.graph.graph_checks import MOST_LEVELS
from runtime.state import RunState
from runtime.stores import open_store
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import SubWorkflowRequestMessage, WorkflowExecutor
from runtime.workflow.workflow import Workflow
from tests.runtime.graphs import Collect, Sink, Step, react, uneven_join
from tests.runtime.test_requests import Asker, Verdict
from tests.runtime.test_sub_workflow import around, asking_child, outputs_of

Ctx = WorkflowContext[Any, Any]


async def passing(message: Any, ctx: Ctx) -> None:
    await ctx.send_message(message)


def nested(child: Workflow, depth: int, **options: Any) -> Workflow:
    for _ in range(depth):
        child = around(child, **options)
    return child


def innermost(state: RunState) -> RunState:
    while state.children:
        state = next(iter(state.children.values()))
    return state


def levels(state: RunState) -> list[RunState]:
    """A run and those inside it, the outermost first, along the first children."""
    return [
        state,
        *(levels(next(iter(state.children.values()))) if state.children else []),
    ]


# --- how deep -----------------------------------------------------------------------------------------------------


async def test_as_many_workflows_as_may_stand_in_each_other_run_are_saved_and_are_compared():
    store = MemoryStore()
    deep = nested(asking_child(), MOST_LEVELS - 1, propagate_request=True)
    runner = Runner(deep, store, max_supersteps=3 * MOST_LEVELS)
    await runner.start("x")
    assert await runner.finish() is WorkflowRunState.IDLE_WITH_PENDING_REQUESTS
    assert len(levels(runner.state)) == MOST_LEVELS
    with pytest.raises(SignatureMismatchError):
        await Runner(nested(uneven_join(), MOST_LEVELS - 1), store).restore(
            runner.header.id
        )


def test_a_workflow_nested_too_deep_is_refused_when_it_is_built():
    deepest = nested(asking_child(), MOST_LEVELS - 1)
    with pytest.raises(
        NestingError, match=f"nested {MOST_LEVELS + 1} levels deep"
    ) as caught:
        around(deepest)
    assert (caught.value.executor_id, caught.value.levels, caught.value.most) == (
        "sub",
        MOST_LEVELS + 1,
        MOST_LEVELS,
    )


# --- one barrier --------------------------------------------------------------------------------------------------


async def test_rule_25_one_superstep_of_the_root_is_one_of_every_active_run_below():
    store = MemoryStore()
    runner = Runner(nested(uneven_join(), 2), store)
    await runner.start("x")
    counts = []
    while await runner.step() is not None:
        counts.append([state.superstep for state in levels(runner.state)])
    assert counts == [
        [1],
        [2, 0],
        [3, 1],
        [4, 2, 0],
        [5, 3, 1],
        [6, 4, 2],
        [7, 5, 3],
        [8, 6],
        [9],
        [10],
    ]
    headers = await store.headers()
    assert [header.superstep for header in headers] == list(range(len(headers)))
    assert {header.run_id for header in headers} == {runner.run_id}


async def test_rule_25_a_checkpoint_of_the_root_holds_what_waits_in_every_run_below():
    store = MemoryStore()
    runner = Runner(nested(uneven_join(), 2), store)
    await runner.start("x")
    for _ in range(7):
        await runner.step()
    assert runner.header is not None
    assert (runner.header.buffered, runner.header.queued) == (1, 1)
    inner = innermost((await Archive(store).load(runner.header.id)).state)
    assert [message.data for held in inner.buffers.values() for message in held] == [
        "xAB"
    ]
    assert [message.data for message in inner.queue] == ["xACD"]


# --- invocations --------------------------------------------------------------------------------------------------


class Ask(Executor):
    """Asks two questions at once, keeps its count in its record and in the shared
    state, and yields both answers.
    """

    @handler
    async def take(self, message: str, ctx: Ctx) -> None:
        ctx.set_state("who", message)
        for part in "12":
            await ctx.request_info(f"{message}{part}", str)

    @response_handler
    async def hear(self, original_request: str, response: str, ctx: Ctx) -> None:
        answers = ctx.executor_state.setdefault("answers", {})
        answers[original_request] = response
        assert ctx.get_state("who") == original_request[:-1]
        if len(answers) == 2:
            await ctx.yield_output(tuple(answers[key] for key in sorted(answers)))


def two_inputs(child: Workflow, **options: Any) -> Workflow:
    async def both(_message: Any, ctx: Ctx) -> None:
        await ctx.send_message("A")
        await ctx.send_message("B")

    start = react("start", both)
    sub = WorkflowExecutor(child, "sub", **options)
    sink = Sink("sink")
    return (
        WorkflowBuilder(start_executor=start, name="two")
        .add_edge(start, sub)
        .add_edge(sub, sink)
        .build()
    )


@pytest.mark.parametrize("depth", [0, 1, 2])
@pytest.mark.parametrize("order", [("A1", "B1", "A2", "B2"), ("B2", "A2", "A1", "B1")])
async def test_case_23_answers_of_overlapping_runs_of_one_child_reach_each_its_own(
    depth: int, order: tuple[str, ...]
):
    def build() -> Workflow:
        child = WorkflowBuilder(start_executor=Ask("ask")).build()
        return two_inputs(
            nested(child, depth, propagate_request=True), propagate_request=True
        )

    store = MemoryStore()
    runner = Runner(build(), store)
    await runner.start("x")
    await runner.finish()
    outputs: list[Any] = []
    for text in order:  # each answer in a new process
        assert runner.header is not None
        fresh = Runner(build(), store)
        await fresh.restore(runner.header.id)
        ids = {request.data: id_ for id_, request in fresh.state.requests.items()}
        await fresh.answer({ids[text]: text.lower()})
        outputs += await outputs_of(fresh)
        runner = fresh
    assert sorted(outputs) == [("a1", "a2"), ("b1", "b2")]
    assert runner.status is WorkflowRunState.IDLE
    assert runner.state.children == {}


@pytest.mark.parametrize("propagate", [True, False])
async def test_rule_26_two_runs_of_one_child_that_ask_under_one_id_are_refused_and_never_mixed(
    propagate: bool,
):
    child = WorkflowBuilder(start_executor=Asker(request_id="mine")).build()
    runner = Runner(two_inputs(child, propagate_request=propagate))
    await runner.start("x")
    with pytest.raises(RequestError, match=r"'mine' .*is in use") as caught:
        await runner.finish()
    assert caught.value.request_id == "mine"
    assert [run.superstep for run in runner.state.children.values()] == [0, 0]


async def test_rule_26_each_output_of_a_child_is_passed_on_once_however_often_the_run_is_taken_up():
    store = MemoryStore()
    runner = Runner(nested(uneven_join(), 2), store)
    await runner.start("x")
    outputs: list[Any] = []
    while runner.is_active:
        trace = await runner.step()
        assert trace is not None
        outputs += [output.data for output in trace.outputs]
        assert runner.header is not None
        runner = Runner(nested(uneven_join(), 2), store)
        header = await store.latest()
        assert header is not None
        await runner.restore(header.id)
    assert outputs == [["xAB", "xACD"]]


# --- failures and cancellations -----------------------------------------------------------------------------------


class Bad:
    """A child whose second executor fails or hangs beside a sibling, after both wrote
    and sent.
    """

    def __init__(self) -> None:
        self.broken = True
        self.entered = asyncio.Event()
        self.restored = list[int]()
        self.hang = False

        async def work(message: Any, ctx: Ctx) -> None:
            ctx.set_state(ctx.executor_id, message)
            ctx.executor_state["n"] = ctx.executor_state.get("n", 0) + 1
            await ctx.send_message(message)
            self.entered.set()
            if self.broken and ctx.executor_id == "b":
                if self.hang:
                    await asyncio.Event().wait()
                raise KeyError("inner")

        a = react("a", work)
        b = react("b", work)
        c = react("c", work)
        j = Collect("j")
        builder = WorkflowBuilder(start_executor=a, name="bad").add_fan_out_edges(
            a, [b, c]
        )
        self.workflow = builder.add_fan_in_edges([b, c], j).build()


@pytest.mark.parametrize("depth", [1, 2, 3])
async def test_rule_26_a_failure_below_leaves_no_trace_in_any_run_above_and_can_be_tried_again(
    depth: int,
):
    bad = Bad()
    store = MemoryStore()
    runner = Runner(nested(bad.workflow, depth), store)
    await runner.start("x")
    with pytest.raises(KeyError, match="inner"):
        await runner.finish()
    latest = await store.latest()
    assert latest is not None
    assert (await Archive(store).load(latest.id)).state == runner.state
    assert innermost(runner.state).shared == {"a": "x"}
    assert innermost(runner.state).buffers == {}
    assert set(innermost(runner.state).executors) == {"a"}
    bad.broken = False
    assert await outputs_of(runner) == [["x", "x"]]
    headers = await store.headers()
    assert [header.superstep for header in headers] == list(range(len(headers)))


async def test_rule_26_a_run_cancelled_while_a_child_works_stands_at_its_barrier():
    bad = Bad()
    bad.hang = True
    runner = Runner(nested(bad.workflow, 2))
    await runner.start("x")
    while innermost(runner.state).shared != {"a": "x"}:
        await runner.step()
    before = runner.state
    async with asyncio.TaskGroup() as group:
        bad.entered.clear()
        task = group.create_task(runner.step())
        await bad.entered.wait()
        task.cancel()
    assert runner.status is WorkflowRunState.CANCELLED
    assert runner.state is before
    bad.broken = False
    assert await outputs_of(runner) == [["x", "x"]]


# --- answers that fail --------------------------------------------------------------------------------------------


def asking(asker: Asker, depth: int) -> Workflow:
    child = WorkflowBuilder(start_executor=asker, name="child").build()
    return nested(child, depth, propagate_request=True)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("again", ["the answer", "another answer"])
async def test_rule_7_a_response_handler_that_raises_inside_leaves_its_request_open_all_the_way_up(
    depth: int, again: str
):
    asker = Asker()
    store = MemoryStore()
    runner = Runner(asking(asker, depth), store)
    await runner.start("one")
    await runner.finish()
    (asked,) = runner.state.requests.values()
    paused = levels(runner.state)
    await runner.answer({asked.id: Verdict(True)})
    asker.broken = True
    with pytest.raises(ValueError, match="broken"):
        await runner.finish()
    for state, before in zip(levels(runner.state), paused, strict=True):
        assert list(state.requests) == [asked.id]
        (now,), (then,) = state.requests.values(), before.requests.values()
        assert (now.executor_id, now.data, now.response_type) == (
            then.executor_id,
            then.data,
            then.response_type,
        )
    asker.broken = False
    if again == "another answer":
        await runner.answer({asked.id: {"accepted": False}})
    outputs = await outputs_of(runner)
    assert outputs == [("one", again == "the answer", asked.id)]
    assert runner.status is WorkflowRunState.IDLE
    assert (runner.state.requests, runner.state.children) == ({}, {})
    with pytest.raises(RequestError, match="answered already"):
        await runner.answer({asked.id: Verdict(True)})


async def test_rule_7_a_failed_answer_inside_can_be_given_again_after_a_restore_of_where_it_was_asked_or_answered():
    asker = Asker()
    store = MemoryStore()
    runner = Runner(asking(asker, 2), store)
    await runner.start("one")
    await runner.finish()
    (id_,) = runner.state.requests
    paused = runner.header
    await runner.answer({id_: Verdict(True)})
    asker.broken = True
    with pytest.raises(ValueError, match="broken"):
        await runner.finish()
    asker.broken = False
    assert runner.header is not None
    assert paused is not None
    await runner.restore(runner.header.id)
    assert await outputs_of(runner) == [("one", True, id_)]
    await runner.restore(paused.id)
    await runner.answer({id_: Verdict(False)})
    assert await outputs_of(runner) == [("one", False, id_)]


async def test_rule_7_an_answer_of_the_parent_that_fails_inside_leaves_the_childs_request_open():
    class Clerk(Executor):
        @handler
        async def question(self, message: SubWorkflowRequestMessage, ctx: Ctx) -> None:
            await ctx.send_message(
                message.create_response(Verdict(True)), target_id=message.executor_id
            )

        @handler
        async def done(self, message: tuple, ctx: Ctx) -> None:
            await ctx.yield_output(message)

    asker = Asker()
    asker.broken = True
    sub = WorkflowExecutor(WorkflowBuilder(start_executor=asker).build(), "sub")
    clerk = Clerk("clerk")
    runner = Runner(
        WorkflowBuilder(start_executor=sub)
        .add_edge(sub, clerk)
        .add_edge(clerk, sub)
        .build()
    )
    await runner.start("one")
    with pytest.raises(ValueError, match="broken"):
        await runner.finish()
    assert runner.state.requests == {}
    assert list(runner.state.children["sub#1"].requests) == ["sub#1/ask:1:0"]
    asker.broken = False
    assert await outputs_of(runner) == [("one", True, "sub#1/ask:1:0")]
    assert runner.state.children == {}


# --- ids ----------------------------------------------------------------------------------------------------------


class AskAndPass(Asker):
    """Asks, and sends on what it got."""

    @handler
    async def take(self, message: str, ctx: Ctx) -> None:
        await super().take(message, ctx)
        await ctx.send_message(message)


async def test_rule_22_ids_never_meet_whatever_the_names_of_executors_contain():
    """A child's `ask` in its first superstep, and an executor beside the child that is
    called like the way there.
    """
    child = WorkflowBuilder(start_executor=Asker("ask")).build()
    start = AskAndPass("sub#1/ask")
    sub = WorkflowExecutor(
        child, "sub", propagate_request=True, allow_direct_output=True
    )
    escaped = Asker("a%2Fb")
    plain = Asker("a/b")
    runner = Runner(
        WorkflowBuilder(start_executor=start)
        .add_fan_out_edges(start, [sub, escaped, plain])
        .build()
    )
    await runner.start("one")
    await runner.finish()
    asked = {request.executor_id: id_ for id_, request in runner.state.requests.items()}
    assert set(asked) == {"sub#1/ask", "sub", "a%2Fb", "a/b"}
    for executor_id, id_ in asked.items():
        await runner.answer({id_: Verdict(executor_id == "sub")})
    heard = {id_: accepted for _, accepted, id_ in await outputs_of(runner)}
    assert heard == {id_: executor_id == "sub" for executor_id, id_ in asked.items()}
    assert runner.status is WorkflowRunState.IDLE


async def test_rule_22_ids_inside_follow_from_the_way_there_and_are_equal_again_in_a_replay():
    def build() -> Workflow:
        return nested(asking_child(), 2, propagate_request=True)

    store = MemoryStore()
    runner = Runner(build(), store)
    await runner.start("q")
    await runner.finish()
    assert list(runner.state.requests) == ["sub#1/sub#1/ask:1:0"]
    fresh = Runner(build(), store)
    await fresh.restore((await store.headers())[0].id)
    await fresh.finish()
    assert list(fresh.state.requests) == ["sub#1/sub#1/ask:1:0"]


# --- limits -------------------------------------------------------------------------------------------------------


def looping(rounds: int, limit: int) -> Workflow:
    async def work(message: int, ctx: Ctx) -> None:
        await (
            ctx.send_message(message + 1)
            if message < rounds
            else ctx.yield_output(message)
        )

    a = react("a", work, input=int)
    return WorkflowBuilder(limit, start_executor=a, name="loop").add_edge(a, a).build()


async def test_rule_25_a_sub_workflow_has_as_many_supersteps_as_its_own_limit_says():
    runner = Runner(around(looping(3, 3)))
    await runner.start(1)
    assert await outputs_of(runner) == [3]
    store = MemoryStore()
    runner = Runner(around(looping(4, 3)), store)
    await runner.start(1)
    with pytest.raises(WorkflowConvergenceException) as caught:
        await runner.finish()
    assert (caught.value.limit, caught.value.waiting) == (3, ("sub#1/a",))
    assert runner.state.children["sub#1"].superstep == 3
    latest = await store.latest()
    assert latest is not None
    rebuilt = Runner(around(looping(4, 4)), store)
    await rebuilt.restore(latest.id)
    assert await outputs_of(rebuilt) == [4]


@pytest.mark.parametrize("url", ["memory:", "dir:{}/runs", "sqlite:{}/runs.db"])
async def test_rule_5_supersteps_of_a_sub_workflow_leave_the_limit_of_its_parent_alone(
    url: str, tmp_path: Path
):
    """Its own two, whatever it takes inside; counted so after a restore too."""

    async def finish(number: int, ctx: WorkflowContext[Any, int]) -> None:
        await ctx.yield_output(number)

    def build(limit: int) -> Workflow:
        sub = WorkflowExecutor(looping(9, 9), "sub")
        last = react("last", finish, input=int)
        return (
            WorkflowBuilder(limit, name="outer", start_executor=sub)
            .add_edge(sub, last)
            .build()
        )

    store = open_store(url.format(tmp_path))
    runner = Runner(build(2), store)
    await runner.start(1)
    assert await outputs_of(runner) == [9]
    assert (runner.state.superstep, runner.state.own_supersteps) == (11, 2)
    with pytest.raises(WorkflowConvergenceException) as caught:
        await build(1).run(1)
    assert caught.value.waiting == ("last",)
    for header in await store.headers():
        again = Runner(build(2), store)
        await again.restore(header.id)
        await again.finish()
        assert (again.state.superstep, again.state.own_supersteps) == (11, 2)
    await store.close()


async def test_rule_25_a_raised_limit_is_one_for_the_whole_tree():
    workflow = around(around(looping(8, 3)))
    with pytest.raises(WorkflowConvergenceException):
        await workflow.run(1)
    assert (await workflow.resume(max_iterations=20)).get_outputs() == [8]


# --- restores -----------------------------------------------------------------------------------------------------


class Counter(Executor):
    """Keeps a count in an attribute behind hooks, in its record's place; a run that
    comes back starts from it.
    """

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.n = 0
        self.restores = 0

    @handler
    async def take(self, message: Any, ctx: Ctx) -> None:
        self.n += 1
        seen = [*ctx.get_state("seen", []), (self.id, self.n)]
        ctx.set_state("seen", seen)
        await ctx.yield_output((message, tuple(seen)))
        if self.n < 3:
            await ctx.send_message(message)

    async def on_checkpoint_save(self) -> dict[str, Any]:
        return {"n": self.n}

    async def on_checkpoint_restore(self, state: dict[str, Any]) -> None:
        self.restores += 1
        self.n = state["n"]


def counting() -> Workflow:
    a = Counter("a")
    b = Step("b")
    j = Collect("j")
    builder = (
        WorkflowBuilder(start_executor=a, name="counting").add_edge(a, a).add_edge(a, b)
    )
    return builder.add_fan_in_edges([a, b], j, policy="zip").build()


def several() -> Workflow:
    """Two runs at once of a child that itself has a child with a loop, a join, hooks
    and shared state.
    """
    return two_inputs(nested(counting(), 1))


STRAIGHT: dict[str, Callable[[], Workflow]] = {
    "a join": lambda: nested(uneven_join(), 2),
    "two at once": several,
}


@pytest.mark.parametrize("what", list(STRAIGHT))
async def test_rule_27_restored_at_any_barrier_the_whole_tree_goes_on_as_if_it_had_never_stopped(
    what: str,
):
    build = STRAIGHT[what]
    store = MemoryStore()
    archive = Archive(store)
    used = Runner(build(), store)
    await used.start("x")
    await used.finish()
    straight = [await archive.load(header.id) for header in await store.headers()]
    outputs = [[output.data for output in one.trace.outputs] for one in straight]
    assert any(outputs)
    for number, one in enumerate(straight):
        for runner in (used, Runner(build(), store)):
            await runner.restore(one.header.id)
            for after in straight[number + 1 :]:
                trace = await runner.step()
                assert trace is not None
                assert [output.data for output in trace.outputs] == [
                    output.data for output in after.trace.outputs
                ]
                assert runner.state == after.state
                assert runner.header is not None
                assert (await archive.load(runner.header.id)).state == after.state
            assert await runner.step() is None


async def test_rule_27_hooks_inside_are_called_once_for_each_run_that_goes_on_and_not_by_looking():
    store = MemoryStore()
    runner = Runner(several(), store)
    await runner.start("x")
    for _ in range(6):
        await runner.step()
    assert [child.superstep for child in runner.state.children.values()] == [4, 4]
    assert runner.header is not None
    counter = Counter("a")
    b = Step("b")
    j = Collect("j")
    child = (
        WorkflowBuilder(start_executor=counter, name="counting")
        .add_edge(counter, counter)
        .add_edge(counter, b)
    )
    fresh = Runner(
        two_inputs(
            nested(child.add_fan_in_edges([counter, b], j, policy="zip").build(), 1)
        ),
        store,
    )
    await fresh.restore(runner.header.id)
    await Archive(store).view(runner.header.id)
    assert counter.restores == 0
    await fresh.step()
    # one instance stands for both runs, one after the other
    assert counter.restores == 2


# --- questions that nobody answers --------------------------------------------------------------------------------


async def ignoring(message: Any, ctx: Ctx) -> None: ...


@pytest.mark.parametrize("depth", [1, 3])
async def test_rule_23_a_question_that_a_parent_took_and_does_not_answer_is_told_when_the_run_rests(
    depth: int,
):
    child = nested(asking_child(), depth - 1, propagate_request=True)
    wrapper = WorkflowExecutor(child, "inside")
    silent = react("silent", ignoring, input=SubWorkflowRequestMessage)
    builder = (
        WorkflowBuilder(start_executor=wrapper)
        .add_edge(wrapper, silent)
        .add_edge(silent, wrapper)
    )
    result = await builder.build().run("x")
    told = [
        event.data
        for event in result
        if event.type == "warning" and "still waits" in str(event.data)
    ]
    assert len(told) == 1
    assert "'inside' still waits for the answer to its question" in told[0]


async def test_a_run_that_waits_for_the_outside_warns_of_no_question():
    result = await nested(asking_child(), 2, propagate_request=True).run("x")
    assert result.get_final_state() is WorkflowRunState.IDLE_WITH_PENDING_REQUESTS
    assert not [event for event in result if event.type == "warning"]
