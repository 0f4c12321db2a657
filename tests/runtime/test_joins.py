"""Joins that cannot fire are named with whom they wait for and why (rule 17), wherever the run was taken up."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.builder import WorkflowBuilder
from runtime.errors import WorkflowCheckpointException
from runtime.events import RunEvent, RunEventKind, WorkflowRunState
from runtime.executor import WorkflowContext
from runtime.runner import Runner
from runtime.stores.memory import MemoryStore
from runtime.sub_workflow import WorkflowExecutor
from runtime.workflow import Workflow
from tests.runtime.graphs import Collect, Sink, Step, react
from tests.runtime.test_requests import Asker, asking

Ctx = WorkflowContext[Any, Any]


async def passing(message: Any, ctx: Ctx) -> None:
    await ctx.send_message(message)


async def number(_message: Any, ctx: Ctx) -> None:
    await ctx.send_message(1)


async def silent(_message: Any, _ctx: Ctx) -> None: ...


async def texts(_message: list[str], _ctx: Ctx) -> None: ...


def stalling() -> Workflow:
    """J waits for five: one sends, one sends the wrong type at once, one is silent, two are never reached. A chain
    makes the run go on after that, so that the last superstep tells nothing of it.
    """
    a, late, last = Step("A"), Step("late"), Step("last")
    sources = [Step("B"), react("wrong", number), react("quiet", silent), Step("untaken"), Step("behind")]
    between = react("between", silent)
    join = react("J", texts, input=list[str])
    builder = WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [*sources[:3], late, between])
    builder.add_edge(a, sources[3], lambda _text: False).add_edge(between, sources[4])
    return builder.add_chain([late, last, Step("end")]).add_fan_in_edges(sources, join, id="join").build()


REASONS = (
    ("wrong", "dropped: type mismatch"),
    ("quiet", "ran, and sent nothing here since"),
    ("untaken", "branch not taken at 'A'"),
    ("behind", "not reached"),
)


def inside(child: Workflow) -> Workflow:
    start, sub = react("start", passing), WorkflowExecutor(child, "sub")
    return WorkflowBuilder(start_executor=start).add_edge(start, sub).add_edge(sub, Sink("sink")).build()


WHERE = {
    "at the root": (stalling, ()),
    "in a sub-workflow": (lambda: inside(stalling()), ("sub#1",)),
    "two levels down": (lambda: inside(inside(stalling())), ("sub#1", "sub#1")),
}


@pytest.mark.parametrize("where", list(WHERE))
async def test_rule_17_each_missing_source_is_named_with_why_in_the_run_and_restored_from_any_checkpoint(where: str):
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
async def test_rule_17_where_earlier_checkpoints_are_gone_nothing_is_claimed_that_is_not_known(where: str):
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

    a, b, c, d, j = Step("A"), Step("B"), Step("C"), react("D", fail), Collect("J")
    builder = WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, c]).add_edge(c, d)
    runner = Runner(builder.add_fan_in_edges([b, d], j).build())
    await runner.start("x")
    await runner.step()
    await runner.step()
    broken.append(True)
    with pytest.raises(ValueError, match="no ink"):
        await runner.finish()
    assert runner.stalled == []
    assert runner.held == []  # B's message is still queued: the failed superstep laid it into no buffer
    broken.clear()
    await runner.step()
    assert [one.missing for one in runner.held] == [(("D", "ran, and sent nothing here since"),)]
    await runner.finish()
    assert runner.held == []


async def test_rule_17_of_a_join_that_is_half_full_the_failed_source_is_named():
    async def fail(_message: Any, _ctx: Ctx) -> None:
        raise ValueError("no ink")

    a, b, c, d, e, j = Step("A"), Step("B"), Step("C"), Step("D"), react("E", fail), Collect("J")
    builder = WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, c]).add_chain([c, d, e])
    runner = Runner(builder.add_fan_in_edges([b, e], j).build())
    await runner.start("x")
    with pytest.raises(ValueError, match="no ink"):
        await runner.finish()
    assert [one.missing for one in runner.held] == [(("E", "failed: ValueError: no ink"),)]


async def test_rule_17_a_source_that_asks_is_no_stalled_one():
    a, b, ask, j = Step("A"), Step("B"), Asker(), Collect("J")
    workflow = WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, ask]).add_fan_in_edges([b, ask], j).build()
    runner = Runner(workflow)
    await runner.start("x")
    assert await runner.finish() is WorkflowRunState.IDLE_WITH_PENDING_REQUESTS
    assert runner.stalled == []
    assert [one.missing for one in runner.held] == [(("ask", "waits for an answer"),)]


async def test_rule_17_a_source_whose_sub_workflow_waits_is_named_so():
    child = WorkflowExecutor(asking(), "sub", propagate_request=True)
    a, b, j = Step("A"), Step("B"), Collect("J")
    builder = WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, child]).add_fan_in_edges([b, child], j)
    runner = Runner(builder.build())
    await runner.start("x")
    await runner.finish()
    assert [one.missing for one in runner.held] == [(("sub", "waits for an answer"),)]


async def test_rule_17_a_join_that_waits_for_a_number_names_all_who_could_complete_it():
    a, b, c, j = Step("A"), Step("B"), Step("C"), Collect("J")
    builder = WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, c])
    runner = Runner(builder.add_fan_in_edges([b, c], j, policy="count", count=3).build())
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
    assert (status["status"], [one.missing for one in status["joins"]]) == ("IDLE_WITH_STALLED_JOINS", [REASONS])


async def test_rule_17_a_run_that_rests_with_empty_joins_names_none():
    workflow = WorkflowBuilder(start_executor=Sink("s")).build()
    assert (await workflow.run("x")).get_stalled_joins() == []
