"""What will happen outside of a run is said beforehand, and then happens."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.engine.replay.plan import plan_words
from runtime.engine.replay.settings import Pin, Replay
from runtime.engine.runner import Runner
from runtime.executors.executor import WorkflowContext, executor
from runtime.stores.memory import MemoryStore
from runtime.workflow.workflow import Workflow
from tests.runtime.replay.reaching import (
    Fetch,
    World,
    chain,
    finished,
    sink,
    two_requests,
)


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


async def planned(
    workflow: Workflow, store: MemoryStore, checkpoint_id: str, replay: Any = None
) -> list[tuple[str, int, str, str]]:
    calls = await Runner(workflow, store).plan_outside(checkpoint_id, replay)
    return [
        (call.executor_id, call.superstep, call.mode, call.reason) for call in calls
    ]


async def test_an_unchanged_past_calls_nothing(
    world: World, store: MemoryStore
) -> None:
    (first, *_) = await finished(two_requests(world), store)
    assert await planned(two_requests(world), store, first.id) == [
        ("first", 1, "recorded", ""),
        ("second", 3, "recorded", ""),
    ]
    assert len(world.calls) == 2


async def test_what_was_chosen_is_said_and_what_may_follow_from_it(
    world: World, store: MemoryStore
) -> None:
    (first, *_) = await finished(two_requests(world), store)
    uncertain = "as long as what comes before it stays the same"
    live = Replay(live=frozenset({"first"}))
    assert await planned(two_requests(world), store, first.id, live) == [
        ("first", 1, "live", "it was chosen"),
        ("second", 3, "recorded", uncertain),
    ]
    pinned = Replay(pinned={"second": Pin()})
    assert await planned(two_requests(world), store, first.id, pinned) == [
        ("first", 1, "recorded", ""),
        ("second", 3, "pinned", ""),
    ]


async def test_at_the_head_the_next_call_is_live(
    world: World, store: MemoryStore
) -> None:
    runner = Runner(two_requests(world), store)
    await runner.start("a")
    (head,) = await store.headers()
    assert await planned(two_requests(world), store, head.id) == [
        ("first", 1, "live", "it has not run before")
    ]


def reading(world: World, text: str) -> Workflow:
    """A request, and a function whose code depends on the text."""

    @executor(id="read", outside="read")
    async def read(message: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(world.ask(text))

    return chain(Fetch("first", world), read, sink())


async def test_a_changed_code_is_live(world: World, store: MemoryStore) -> None:
    (first, *_) = await finished(reading(world, "one"), store)
    assert await planned(reading(world, "two"), store, first.id) == [
        ("first", 1, "recorded", ""),
        ("read", 2, "live", "its code or its parameters have changed"),
    ]


async def test_the_plan_in_one_line(world: World, store: MemoryStore) -> None:
    (first, *_) = await finished(two_requests(world), store)
    runner = Runner(two_requests(world), store)
    plan = await runner.plan_outside(first.id, Replay(live=frozenset({"second"})))
    assert plan_words(plan) == "1 recorded, 1 live: request of second."
    assert plan_words([]) == "Nothing happens outside of the run."


async def test_several_calls_of_one_executor_are_counted(
    world: World, store: MemoryStore
) -> None:
    @executor(id="many")
    async def many(message: str, ctx: WorkflowContext[str]) -> None:
        for text in "xyz":
            await ctx.send_message(text)

    workflow = chain(many, Fetch("first", world), sink())
    headers = await finished(workflow, store)
    runner = Runner(workflow, store)
    for header in headers[:2]:
        (call,) = await runner.plan_outside(header.id)
        assert (call.calls, call.mode) == (3, "recorded")
    plan = await runner.plan_outside(headers[0].id, Replay(default="live"))
    assert plan_words(plan) == "3 live: 3 × request of first."
    assert len(world.calls) == 3


async def test_only_what_would_be_made_again_without_a_word_is_unasked(
    world: World, store: MemoryStore
) -> None:
    async def unasked(checkpoint_id: str, workflow: Workflow, **replay: Any) -> list:
        runner = Runner(workflow, store)
        plan = await runner.plan_outside(checkpoint_id, Replay(**replay))
        return [call.executor_id for call in plan if call.is_unasked]

    headers = await finished(reading(world, "one"), store)
    other = reading(world, "two")
    assert await unasked(headers[0].id, reading(world, "one")) == []
    assert await unasked(headers[0].id, other) == ["read"]
    assert await unasked(headers[1].id, other) == ["read"]
    assert await unasked(headers[0].id, other, live=frozenset({"read"})) == []
    assert await unasked(headers[-1].id, other) == []
