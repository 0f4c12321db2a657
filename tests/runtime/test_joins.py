"""Joins that cannot fire are named with whom they wait for and why (rule 17), wherever
the run was taken up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runtime.checkpoint import Cause, CheckpointHeader, Part, Record, digest_of
from runtime.checkpoints.archive import Archive
from runtime.engine.runner import Runner
from runtime.errors import CheckpointDamagedError, WorkflowCheckpointException
from runtime.events import RunEvent, RunEventKind, WorkflowRunState
from runtime.executors.executor import WorkflowContext
from runtime.message import Message
from runtime.state import Trace
from runtime.stores import open_store
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import WorkflowExecutor
from runtime.workflow.workflow import Workflow
from tests.runtime.graphs import Collect, Sink, Step, react, uneven_join
from tests.runtime.test_requests import Asker, Verdict, asking

Ctx = WorkflowContext[Any, Any]


async def passing(message: Any, ctx: Ctx) -> None:
    await ctx.send_message(message)


async def number(_message: Any, ctx: Ctx) -> None:
    await ctx.send_message(1)


async def silent(_message: Any, _ctx: Ctx) -> None: ...


async def texts(_message: list[str], _ctx: Ctx) -> None: ...


def stalling() -> Workflow:
    """J waits for five: one sends, one sends the wrong type at once, one is silent, two
    are never reached. A chain makes the run go on after that, so that the last
    superstep tells nothing of it.
    """
    a = Step("A")
    late = Step("late")
    last = Step("last")
    sources = [
        Step("B"),
        react("wrong", number),
        react("quiet", silent),
        Step("untaken"),
        Step("behind"),
    ]
    between = react("between", silent)
    join = react("J", texts, input=list[str])
    builder = WorkflowBuilder(start_executor=a).add_fan_out_edges(
        a, [*sources[:3], late, between]
    )
    builder.add_edge(a, sources[3], lambda _text: False).add_edge(between, sources[4])
    return (
        builder.add_chain([late, last, Step("end")])
        .add_fan_in_edges(sources, join, id="join")
        .build()
    )


REASONS = (
    ("wrong", "dropped: type mismatch"),
    ("quiet", "ran, and sent nothing here since"),
    ("untaken", "branch not taken at 'A'"),
    ("behind", "not reached"),
)


def inside(child: Workflow) -> Workflow:
    start = react("start", passing)
    sub = WorkflowExecutor(child, "sub")
    return (
        WorkflowBuilder(start_executor=start)
        .add_edge(start, sub)
        .add_edge(sub, Sink("sink"))
        .build()
    )


WHERE = {
    "at the root": (stalling, ()),
    "in a sub-workflow": (lambda: inside(stalling()), ("sub#1",)),
    "two levels down": (lambda: inside(inside(stalling())), ("sub#1", "sub#1")),
}


@pytest.mark.parametrize("where", list(WHERE))
async def test_rule_17_each_missing_source_is_named_with_why_in_the_run_and_restored_from_any_checkpoint(
    where: str,
):
    build, path = WHERE[where]
    store = MemoryStore()
    runner = Runner(build(), store)
    await runner.start("x")
    assert await runner.finish() is WorkflowRunState.IDLE_WITH_STALLED_JOINS
    (stalled,) = runner.stalled
    assert (stalled.group.id, stalled.path, stalled.held["B"]) == ("join", path, 1)
    assert stalled.missing == REASONS
    for header in await store.headers(run_id=runner.run_id):
        fresh = Runner(build(), store)
        await fresh.restore(header.id)
        assert await fresh.finish() is WorkflowRunState.IDLE_WITH_STALLED_JOINS
        assert fresh.stalled == [stalled._replace(group=fresh.stalled[0].group)]


@pytest.mark.parametrize("where", list(WHERE))
async def test_rule_17_where_earlier_checkpoints_are_gone_nothing_is_claimed_that_is_not_known(
    where: str,
):
    store = MemoryStore()
    build, _ = WHERE[where]
    runner = Runner(build(), store)
    await runner.start("x")
    await runner.finish()
    headers = await store.headers()

    class Pruned(MemoryStore):
        async def load(self, checkpoint_id: str) -> Any:
            if checkpoint_id != headers[-1].id:
                raise WorkflowCheckpointException("pruned")
            return await store.load(checkpoint_id)

        async def parts(self, digests: Any) -> Any:
            return await store.parts(digests)

        async def latest(self, **filters: Any) -> Any:
            return await store.latest(**filters)

    fresh = Runner(build(), Pruned())
    await fresh.restore(headers[-1].id)
    (stalled,) = fresh.stalled
    assert dict(stalled.missing) == {
        "wrong": "ran, and sent nothing here as far as is known",
        "quiet": "ran, and sent nothing here as far as is known",
        "untaken": "not reached",
        "behind": "not reached",
    }


async def test_rule_17_a_source_that_failed_is_named_with_its_error_until_it_is_tried_again():
    broken = [True]

    async def fail(message: Any, ctx: Ctx) -> None:
        if broken:
            raise ValueError("no ink")
        await ctx.send_message(message)

    a = Step("A")
    b = Step("B")
    c = Step("C")
    d = react("D", fail)
    j = Collect("J")
    builder = (
        WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, c]).add_edge(c, d)
    )
    runner = Runner(builder.add_fan_in_edges([b, d], j).build())
    await runner.start("x")
    await runner.step()
    await runner.step()
    broken.append(True)
    with pytest.raises(ValueError, match="no ink"):
        await runner.finish()
    assert runner.stalled == []
    # B's message is still queued: the failed superstep laid it into no buffer
    assert runner.held == []
    broken.clear()
    await runner.step()
    assert [one.missing for one in runner.held] == [
        (("D", "ran, and sent nothing here since"),)
    ]
    await runner.finish()
    assert runner.held == []


async def test_rule_17_of_a_join_that_is_half_full_the_failed_source_is_named():
    async def fail(_message: Any, _ctx: Ctx) -> None:
        raise ValueError("no ink")

    a = Step("A")
    b = Step("B")
    c = Step("C")
    d = Step("D")
    e = react("E", fail)
    j = Collect("J")
    builder = (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, [b, c])
        .add_chain([c, d, e])
    )
    runner = Runner(builder.add_fan_in_edges([b, e], j).build())
    await runner.start("x")
    with pytest.raises(ValueError, match="no ink"):
        await runner.finish()
    assert [one.missing for one in runner.held] == [
        (("E", "failed: ValueError: no ink"),)
    ]


async def test_rule_17_a_source_that_asks_is_no_stalled_one():
    a = Step("A")
    b = Step("B")
    ask = Asker()
    j = Collect("J")
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, [b, ask])
        .add_fan_in_edges([b, ask], j)
        .build()
    )
    runner = Runner(workflow)
    await runner.start("x")
    assert await runner.finish() is WorkflowRunState.IDLE_WITH_PENDING_REQUESTS
    assert runner.stalled == []
    assert [one.missing for one in runner.held] == [(("ask", "waits for an answer"),)]


async def test_rule_17_a_source_whose_sub_workflow_waits_is_named_so():
    child = WorkflowExecutor(asking(), "sub", propagate_request=True)
    a = Step("A")
    b = Step("B")
    j = Collect("J")
    builder = (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, [b, child])
        .add_fan_in_edges([b, child], j)
    )
    runner = Runner(builder.build())
    await runner.start("x")
    await runner.finish()
    assert [one.missing for one in runner.held] == [(("sub", "waits for an answer"),)]


async def test_rule_17_a_source_whose_sub_workflow_has_stalled_itself_is_named_so():
    child = WorkflowExecutor(stalling(), "sub")
    a = Step("A")
    b = Step("B")
    j = Collect("J")
    builder = (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, [b, child])
        .add_fan_in_edges([b, child], j)
    )
    runner = Runner(builder.build())
    await runner.start("x")
    await runner.finish()
    outer, inner = runner.stalled
    assert outer.missing == (("sub", "its sub-workflow has not ended"),)
    assert (inner.path, inner.missing) == (("sub#1",), REASONS)


async def test_rule_17_a_join_that_waits_for_a_number_names_all_who_could_complete_it():
    a = Step("A")
    b = Step("B")
    c = Step("C")
    j = Collect("J")
    builder = WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, c])
    runner = Runner(
        builder.add_fan_in_edges([b, c], j, policy="count", count=3).build()
    )
    await runner.start("x")
    assert await runner.finish() is WorkflowRunState.IDLE_WITH_STALLED_JOINS
    (stalled,) = runner.stalled
    assert stalled.held == {"B": 1, "C": 1}
    assert [source for source, _ in stalled.missing] == ["B", "C"]


async def test_rule_17_whoever_runs_the_workflow_is_told_with_the_status():
    heard: list[RunEvent] = []
    result = await stalling().run("x")
    (stalled,) = result.get_stalled_joins()
    assert stalled.missing == REASONS
    runner = Runner(stalling(), observer=heard.append)
    await runner.start("x")
    await runner.finish()
    status = [event.data for event in heard if event.kind is RunEventKind.STATUS][-1]
    assert (status["status"], [one.missing for one in status["joins"]]) == (
        "IDLE_WITH_STALLED_JOINS",
        [REASONS],
    )


async def test_rule_17_a_run_that_rests_with_empty_joins_names_none():
    workflow = WorkflowBuilder(start_executor=Sink("s")).build()
    assert (await workflow.run("x")).get_stalled_joins() == []


# --- what joins hold, through stores and restores -----------------------------------------------------------------


ODD = ("a,b", "a->b", 'a"b', "a\nb", "a", "b->T,c")


def glued() -> Workflow:
    """Two joins whose sources and target give one text when they are glued together;
    one of each comes late.
    """
    start = Step("start")
    late = Step("late")
    one = [Step("a"), Step("b->T,c")]
    two = [Step("a->T,b"), Step("c")]
    builder = WorkflowBuilder(start_executor=start).add_fan_out_edges(
        start, [one[0], two[0], late]
    )
    builder.add_fan_out_edges(late, [one[1], two[1]])
    target = Collect("T")
    return (
        builder.add_fan_in_edges(one, target, id="one")
        .add_fan_in_edges(two, target, id="two")
        .build()
    )


async def outputs_of(runner: Runner) -> list[Any]:
    found = []
    while (trace := await runner.step()) is not None:
        found += [output.data for output in trace.outputs]
    return found


async def test_case_4_two_joins_with_ids_that_look_alike_when_glued_each_get_their_own_messages_back(
    tmp_path: Path,
):
    for url in ("memory:", f"dir:{tmp_path}/runs", f"sqlite:{tmp_path}/runs.db"):
        store = open_store(url)
        runner = Runner(glued(), store)
        await runner.start("x")
        for _ in range(3):
            await runner.step()
        assert [len(held) for held in runner.state.buffers.values()] == [1, 1]
        assert runner.header is not None
        fresh = Runner(glued(), store)
        await fresh.restore(runner.header.id)
        assert sorted(held[0].source_id for held in fresh.state.buffers.values()) == [
            "a",
            "a->T,b",
        ]
        assert await outputs_of(fresh) == [
            ["xstarta", "xstartlateb->T,c"],
            ["xstarta->T,b", "xstartlatec"],
        ]
        await store.close()


async def test_case_4_a_join_of_any_ids_comes_back():
    start = Step("start")
    late = Step("late")
    steps = [Step(id_) for id_ in ODD]
    builder = WorkflowBuilder(start_executor=start).add_fan_out_edges(
        start, [*steps[:-1], late]
    )
    workflow = (
        builder.add_edge(late, steps[-1]).add_fan_in_edges(steps, Collect("T")).build()
    )
    store = MemoryStore()
    runner = Runner(workflow, store)
    await runner.start("x")
    for _ in range(3):
        await runner.step()
    assert runner.header is not None
    await runner.restore(runner.header.id)
    assert [
        held.source_id for held in next(iter(runner.state.buffers.values()))
    ] == list(ODD[:-1])
    assert [len(one) for one in await outputs_of(runner)] == [len(ODD)]


@pytest.mark.parametrize("slow", [("B", 1), ("B", 2), ("C", 1), ("C", 2)])
async def test_case_40_two_inputs_in_flight_are_joined_each_with_its_own(
    slow: tuple[str, int],
):
    async def two(_message: Any, ctx: Ctx) -> None:
        await ctx.send_message(1)
        await ctx.send_message(2)

    async def mark(message: int, ctx: Ctx) -> None:
        for _ in range(20 if (ctx.executor_id, message) == slow else 0):
            await asyncio.sleep(0)
        await ctx.send_message(f"{ctx.executor_id}{message}")

    a = react("A", two)
    b = react("B", mark)
    c = react("C", mark)
    j = Collect("J")
    builder = WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, c])
    runner = Runner(builder.add_fan_in_edges([b, c], j, policy="zip").build())
    await runner.start("x")
    assert await outputs_of(runner) == [["B1", "C1"], ["B2", "C2"]]


async def test_case_2_a_superstep_that_dies_leaves_nothing_in_a_join_and_an_older_checkpoint_delivers_once():
    """B's message reaches J in the superstep in which D fails."""
    broken = [True]

    async def fail(message: Any, ctx: Ctx) -> None:
        if broken:
            raise KeyError("the reason")
        await ctx.send_message(f"{message}D")

    a = Step("A")
    b = Step("B")
    c = Step("C")
    d = react("D", fail)
    j = Collect("J")
    builder = (
        WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, c]).add_edge(c, d)
    )
    store = MemoryStore()
    runner = Runner(builder.add_fan_in_edges([b, d], j).build(), store)
    await runner.start("x")
    with pytest.raises(KeyError):
        await runner.finish()
    assert runner.state.buffers == {}
    headers = await store.headers()
    assert [header.buffered for header in headers] == [0, 0, 0]
    broken.clear()
    for header in reversed(headers):
        await runner.restore(header.id)
        assert runner.state.buffers == {}
        assert await outputs_of(runner) == [["xAB", "xACD"]]


async def test_case_7_a_join_in_a_loop_taken_up_at_any_round_gets_one_message_of_each():
    rounds: list[Any] = []

    async def gate(message: int, ctx: Ctx) -> None:
        await ctx.send_message(message)

    async def back(items: list[int], ctx: Ctx) -> None:
        rounds.append(items)
        if items[0] < 3:
            await ctx.send_message(items[0] + 1)

    def build() -> Workflow:
        g = react("g", gate, input=int)
        b = react("b", passing)
        c = react("c", passing)
        j = react("j", back, input=list[int])
        builder = (
            WorkflowBuilder(start_executor=g)
            .add_fan_out_edges(g, [b, c])
            .add_fan_in_edges([b, c], j)
        )
        return builder.add_edge(j, g).build()

    store = MemoryStore()
    runner = Runner(build(), store)
    await runner.start(1)
    await runner.finish()
    assert rounds == [[1, 1], [2, 2], [3, 3]]
    for header in await store.headers():
        rounds.clear()
        fresh = Runner(build(), store)
        await fresh.restore(header.id)
        await fresh.finish()
        # it fires in each third superstep
        assert rounds == [[1, 1], [2, 2], [3, 3]][header.superstep // 3 :]


async def test_rule_18_a_new_run_through_a_runner_says_what_it_throws_away_too():
    told: list[Any] = []
    runner = Runner(stalling())
    await runner.start("x")
    await runner.finish()
    runner.listen(told.append)
    await runner.start("y")
    assert runner.state.buffers == {}
    (text,) = (event.data for event in told if event.type == "warning")
    assert "1 message(s) that the join 'join' held for 'J' are thrown away" in text


async def test_rule_18_answers_keep_what_joins_hold():
    a = Step("A")
    ask = Asker("ask")
    b = Step("B")
    j = Collect("J")
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, [ask, b])
        .add_fan_in_edges([ask, b], j)
        .build()
    )
    paused = await workflow.run("x")
    assert paused.get_final_state() is WorkflowRunState.IDLE_WITH_PENDING_REQUESTS
    (event,) = paused.get_request_info_events()
    result = await workflow.run(responses={event.request_id: Verdict(True)})
    # the asker yields, and sends nothing
    assert result.get_final_state() is WorkflowRunState.IDLE_WITH_STALLED_JOINS
    (stalled,) = result.get_stalled_joins()
    assert stalled.held == {"ask": 0, "B": 1}


MALFORMED: dict[str, Callable[[Message], tuple[Message, ...]]] = {
    "holds nothing": lambda _one: (),
    "a message of none of its sources": lambda one: (replace(one, source_id="A"),),
    "has a int, which 'J' does not take": lambda one: (replace(one, data=1),),
}


@pytest.mark.parametrize("text", list(MALFORMED))
async def test_rule_18_a_malformed_entry_is_refused_by_the_joins_key_and_the_run_goes_on_as_it_was(
    text: str,
):
    async def texts_only(message: list[str], ctx: Ctx) -> None:
        await ctx.yield_output(message)

    a = Step("A")
    b = Step("B")
    c = Step("C")
    d = Step("D")
    builder = (
        WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, c]).add_edge(c, d)
    )
    workflow = builder.add_fan_in_edges(
        [b, d], react("J", texts_only, input=list[str])
    ).build()
    store = MemoryStore()
    runner = Runner(workflow, store)
    await runner.start("x")
    for _ in range(3):
        await runner.step()
    ((key, held),) = runner.state.buffers.items()
    state = replace(runner.state, buffers={key: MALFORMED[text](held[0])})
    bad = await Archive(store).save(
        state,
        Trace(),
        run_id="bad",
        workflow="w",
        cause=Cause.EDIT,
        parent=None,
        branch="main",
    )
    before = (runner.state, runner.header, runner.run_id, runner.branch, runner.status)
    with pytest.raises(WorkflowCheckpointException, match=text) as caught:
        await runner.restore(bad.id)
    assert key in str(caught.value)
    assert (
        runner.state,
        runner.header,
        runner.run_id,
        runner.branch,
        runner.status,
    ) == before
    assert await outputs_of(runner) == [["xAB", "xACD"]]


async def test_rule_18_an_entry_of_another_shape_is_refused_by_the_joins_key():
    key = 'fan_in:[["B","J"],["D","J"]]'
    data = b'[["no source"]]'
    store = MemoryStore()
    record = Record(
        CheckpointHeader("c", "run", "w", 1, Cause.EDIT),
        (Part("buffer", key, digest_of(data)),),
    )
    await store.save(record, {digest_of(data): data})
    with pytest.raises(CheckpointDamagedError) as caught:
        await Runner(uneven_join(), store).restore("c")
    assert key in str(caught.value)
