"""Questions to the past: the hits are those of all facts, whatever is skipped."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.checkpoint import Cause, CheckpointHeader
from runtime.checkpoints.archive import Archive
from runtime.debug.past.find import Hit, Search, at_once, look_through
from runtime.debug.past.query import Query, parse
from runtime.engine.runner import Runner
from runtime.errors import ConditionError
from runtime.executors.executor import WorkflowContext
from runtime.state import RunState, Trace, Write
from runtime.stores import open_store
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from tests.runtime.debug.random_workflows import SUPERSTEPS, Notebook, workflows
from tests.runtime.debug.test_recorded_facts import asking_inside, facts_of
from tests.runtime.graphs import react

QUESTIONS = [
    "message",
    "message > 3",
    "dropped",
    "message: message > 2 && source == '0'",
    "before 1",
    "after: superstep > 2",
    "write: value > old || old == null",
    "fires",
    "failure",
    "output: value > 4",
    "starves",
    "state: size(state) > 1",
    'state["0 wrote"] > 2',
    "superstep == 2",
    "write: size(state) > 0",
    "before: own == {}",
]


async def find(store: Any, query: Query, **where: Any) -> list[Hit]:
    search = Search(Archive(store), query)
    hits: list[Hit] = []
    async for looked in look_through(store, search, run=at_once, **where):
        hits += looked.hits
    assert search.hits == len(hits)
    return hits


@given(st.data(), st.sampled_from(QUESTIONS))
async def test_hits_are_those_of_all_facts(data: st.DataObject, question: str) -> None:
    store = MemoryStore()
    runner = Runner(data.draw(workflows(Notebook())), store)
    await runner.start(0)
    for _ in range(SUPERSTEPS):
        if await runner.step() is None:
            break
    query = parse(question)
    probe = query.probe()
    expected = [
        (checkpoint_id, fact)
        for checkpoint_id, facts in (await facts_of(store)).items()
        for fact in facts
        if (query.kind != "checkpoint" or not fact.path) and probe.matches(fact)
    ]
    hits = await find(store, query)
    assert [(hit.header.id, brief(hit.fact)) for hit in hits] == [
        (checkpoint_id, brief(fact)) for checkpoint_id, fact in expected
    ]


def brief(fact: Any) -> tuple[Any, ...]:
    # Of the states a search has only what its question names.
    return (
        *(fact.kind, fact.superstep, fact.path, fact.executor, fact.source),
        *(fact.edge, fact.key, repr(fact.value), fact.reason, fact.attempt),
    )


async def test_facts_inside_a_sub_workflow_are_found_by_its_name() -> None:
    store = await asking_inside()
    assert len(await find(store, parse("write asked in review: value == 2"))) == 1
    assert len(await find(store, parse("write asked"))) == 1
    assert not await find(store, parse("write asked in review#2"))
    (state,) = {
        hit.fact.path for hit in await find(store, parse("state in review: state.asked == 2"))
    }  # fmt: skip
    assert state == ("review#1",)
    assert not await find(store, parse("state.asked == 2"))
    (answer,) = await find(store, parse("answer review: value == 'yes'"))
    assert answer.header.cause is Cause.RESPONSE


async def forked(store: Any) -> list[CheckpointHeader]:
    """A run that counts in its state, with a branch from its second checkpoint."""
    archive = Archive(store)
    headers: list[CheckpointHeader] = []

    async def save(number: int, parent: CheckpointHeader | None, branch: str) -> None:
        headers.append(
            await archive.save(
                RunState(superstep=number, shared={"n": number, "odd": number % 2}),
                Trace(writes=(Write("n", "count"),)),
                run_id="run",
                workflow="w",
                cause=Cause.SUPERSTEP if parent else Cause.INPUT,
                parent=parent,
                branch=branch,
            )
        )

    await save(0, None, "main")
    for number in range(1, 5):
        await save(number, headers[-1], "main")
    await save(2, headers[1], "other")
    await save(3, headers[-1], "other")
    return headers


def places(hits: Sequence[Hit]) -> list[tuple[str, int]]:
    return [(hit.header.branch, hit.header.superstep) for hit in hits]


async def test_all_branches_are_asked_and_the_first_hit_is_that_of_each_way() -> None:
    store = MemoryStore()
    await forked(store)
    every = [("main", 3), ("main", 4), ("other", 3)]
    assert places(await find(store, parse("write n: value > 2"))) == every
    assert places(await find(store, parse("state.n > 2"))) == every
    first = [("main", 3), ("other", 3)]
    assert places(await find(store, parse("first write n: value > 2"))) == first
    # The first write is before the fork, so the branch has no first one of its own.
    assert places(await find(store, parse("first write n"))) == [("main", 1)]


async def test_hit_counts_and_log_texts_of_breakpoints_apply_to_the_past() -> None:
    store = MemoryStore()
    await forked(store)
    every_second = Query("write", "n", hits="every", count=2, log="n {old} -> {value}")
    hits = await find(store, every_second)
    assert places(hits) == [("main", 2), ("main", 4), ("other", 2)]
    assert [hit.text for hit in hits] == ["n 1 -> 2", "n 3 -> 4", "n 1 -> 2"]


async def test_a_state_that_did_not_change_is_not_evaluated_again() -> None:
    store = MemoryStore()
    await forked(store)
    search = Search(Archive(store), parse("state.missing > 1 || state.odd == 7"))
    async for _ in look_through(store, search, run=at_once):
        pass
    assert search.read == 7
    assert search.errors == 2  # once for odd 0, once for odd 1


async def test_a_search_goes_on_with_what_was_saved_since() -> None:
    store = MemoryStore()
    headers = await forked(store)
    search = Search(Archive(store), parse("state.n > 2"))
    await search.look(headers[:4], at_once)
    later = [looked async for looked in look_through(store, search, run=at_once)]
    hits = [hit for looked in later for hit in looked.hits]
    assert places(hits) == [("main", 4), ("other", 3)]
    assert (later[-1].read, later[-1].of) == (7, 7)


async def test_a_removed_part_of_the_past_is_counted_and_not_guessed(
    tmp_path: Path,
) -> None:
    store = open_store(f"sqlite:{tmp_path / 'runs.db'}")
    headers = await forked(store)
    await store.delete([headers[2].id])
    search = Search(Archive(store), parse("write n: old > 0"))
    hits = [
        hit
        async for looked in look_through(store, search, run=at_once)
        for hit in looked.hits
    ]
    assert places(hits) == [("main", 4), ("other", 2), ("other", 3)]
    assert search.errors == 1
    assert "'old' is not recorded" in search.error
    await store.close()


async def test_other_runs_and_workflows_are_left_out() -> None:
    store = MemoryStore()

    async def count(message: int, ctx: WorkflowContext[Any, Any]) -> None:
        ctx.set_state("n", message)

    for number in (1, 2):
        workflow = WorkflowBuilder(
            start_executor=react("count", count), name=f"w{number}"
        ).build()
        runner = Runner(workflow, store)
        await runner.start(number)
        await runner.finish()
    assert len(await find(store, parse("write n"))) == 2
    assert len(await find(store, parse("write n"), workflow="w2")) == 1
    assert len(await find(store, parse("write n"), run_id=runner.run_id)) == 1


def test_a_question_that_does_not_compile_is_refused() -> None:
    with pytest.raises(ConditionError):
        Search(Archive(MemoryStore()), Query("write", condition="value >"))
    with pytest.raises(ConditionError):
        Search(Archive(MemoryStore()), Query("write", log="{value"))
