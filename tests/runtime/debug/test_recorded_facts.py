"""The facts of the recorded past are those that an observer heard and that the handlers
noted, whatever the workflow; and what a record leaves open is not guessed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from runtime.checkpoint import Cause, CheckpointHeader
from runtime.checkpoints.archive import Archive
from runtime.debug.facts.fact import FACT_KINDS, NOT_RECORDED, Fact
from runtime.debug.past.reader import Past, Wants
from runtime.debug.past.recorded_facts import RecordedStep
from runtime.debug.past.recorded_graphs import RecordedGraphs
from runtime.engine.runner import Runner
from runtime.events import RunEvent, RunEventKind
from runtime.executors.executor import (
    Executor,
    WorkflowContext,
    handler,
    response_handler,
)
from runtime.message import Message
from runtime.policy import RetryPolicy
from runtime.state import Fate, RunState, Trace, Write
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import WorkflowExecutor
from tests.runtime.debug.random_workflows import SUPERSTEPS, Notebook, Noted, workflows
from tests.runtime.graphs import Collect, Sink, Step

EVERYTHING = Wants(
    frozenset({"queue", "buffer", "executor", "request"}), keys=None, written=True
)
RETRY = RetryPolicy(attempts=3, backoff=0)
Line = tuple[Any, ...]


async def facts_of(
    store: MemoryStore, headers: Sequence[CheckpointHeader] | None = None
) -> dict[str, list[Fact]]:
    """The facts of each checkpoint, from the store alone."""
    past = Past(Archive(store))
    headers = await store.headers() if headers is None else headers
    reads = await past.steps(await past.traces(headers), EVERYTHING, EVERYTHING)
    assert not any(read.error for read in reads)
    return {read.header.id: list(read.facts(FACT_KINDS)) for read in reads}


async def run(
    data: st.DataObject,
) -> tuple[MemoryStore, list[RunEvent], dict[int, dict[str, list[Noted]]]]:
    notes = Notebook()
    events: list[RunEvent] = []
    store = MemoryStore()
    runner = Runner(data.draw(workflows(notes)), store, observer=events.append)
    await runner.start(0)
    noted = {}
    for _ in range(SUPERSTEPS):
        if await runner.step() is None:
            break
        noted[runner.state.superstep] = notes.take()
    return store, events, noted


def heard(events: Iterable[RunEvent]) -> Counter[Line]:
    """What an observer heard, as lines that facts have too."""
    lines: Counter[Line] = Counter()
    for event in events:
        data = event.data
        place = (event.superstep, event.path)
        executor = data.get("executor")
        match event.kind:
            case RunEventKind.MESSAGE if data["fate"] != "sent":
                kind = "dropped" if data["fate"] == "dropped" else "message"
                if data["edge"] is not None or kind == "dropped":
                    way = (data["source"], data["target"] or "", data["reason"])
                    lines[(kind, *place, *way)] += data["count"]
            case RunEventKind.JOIN_RELEASED:
                lines["fires", *place, data["target"], sum(data["counts"])] += 1
            case RunEventKind.HANDLER_STARTED:
                attempt = data.get("attempt", 1)
                lines["before", *place, executor, attempt] += 1
            case RunEventKind.HANDLER_ENDED:
                lines["after", *place, executor] += 1
            case RunEventKind.HANDLER_FAILED:
                lines["failure", *place, executor] += 1
            case RunEventKind.STATE_WRITTEN:
                lines["write", *place, executor, data["key"]] += 1
            case RunEventKind.OUTPUT if not event.path:
                lines["output", *place, executor, data["value"]] += 1
            case _:
                pass
    return lines


def recorded(facts: Iterable[Fact]) -> Counter[Line]:
    lines: Counter[Line] = Counter()
    for fact in facts:
        place = (fact.superstep, fact.path)
        match fact.kind:
            case "message" | "dropped":
                lines[fact.kind, *place, fact.source, fact.executor, fact.reason] += 1
            case "fires":
                lines["fires", *place, fact.executor, len(fact.value)] += 1
            case "before":
                lines["before", *place, fact.executor, fact.attempt] += 1
            case "after" | "failure":
                lines[fact.kind, *place, fact.executor] += 1
            case "write":
                lines["write", *place, fact.executor, fact.key] += 1
            case "output" if not fact.path:
                lines["output", *place, fact.executor, fact.value] += 1
            case _:
                pass
    return lines


@given(st.data())
async def test_the_facts_of_the_past_are_those_that_an_observer_heard(
    data: st.DataObject,
) -> None:
    store, events, noted = await run(data)
    facts = await facts_of(store)
    everything = [fact for some in facts.values() for fact in some]
    assert recorded(everything) == heard(events)
    check_values(everything, noted)


def check_values(
    facts: Sequence[Fact], noted: dict[int, dict[str, list[Noted]]]
) -> None:
    """What the handlers got and wrote is what the facts have, wherever they say it."""
    for superstep, by_executor in noted.items():
        for executor, calls in by_executor.items():
            got = [
                fact.value
                for fact in facts
                if (fact.kind, fact.superstep, fact.executor)
                == ("before", superstep, executor)
            ]
            assert NOT_RECORDED not in got
            arguments = [value if isinstance(value, list) else [value] for value in got]
            assert Counter(map(repr, arguments)) == Counter(
                repr(call.got) for call in calls
            )
            written = {
                fact.key: fact.value
                for fact in facts
                if (fact.kind, fact.superstep, fact.executor)
                == ("write", superstep, executor)
                and fact.value is not NOT_RECORDED
            }
            if len(calls) == 1:
                assert written.items() <= calls[0].wrote.items()


class Flaky(Executor):
    """Fails twice, then sends its message on."""

    def __init__(self) -> None:
        super().__init__("flaky")
        self.calls = 0

    @handler
    async def go(self, message: int, ctx: WorkflowContext[int]) -> None:
        self.calls += 1
        if self.calls < 3:
            raise ValueError(f"call {self.calls}")
        await ctx.send_message(message + 1)


class Asks(Executor):
    """Writes, asks, and sends question and answer on."""

    @handler
    async def ask(self, message: int, ctx: WorkflowContext[str]) -> None:
        ctx.set_state("asked", message)
        ctx.executor_state["times"] = 1
        await ctx.request_info(f"{message}?", str)

    @response_handler
    async def hear(self, question: str, answer: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(question + answer)


async def asking_inside() -> MemoryStore:
    """A flaky executor before a sub-workflow that asks, answered once."""
    asks = Asks("ask")
    inner = WorkflowBuilder(start_executor=asks).add_edge(asks, Sink("end")).build()
    flaky = Flaky()
    outer = WorkflowBuilder(start_executor=flaky)
    outer.add_edge(flaky, WorkflowExecutor(inner, id="review", propagate_request=True))
    outer.set_failure_policy(flaky, retry=RETRY)
    store = MemoryStore()
    runner = Runner(outer.build(), store)
    await runner.start(1)
    while await runner.step() is not None:
        pass
    (request_id,) = runner.state.requests
    await runner.answer({request_id: "yes"})
    while await runner.step() is not None:
        pass
    return store


def brief(facts: Iterable[Fact], *kinds: str) -> list[tuple[Any, ...]]:
    return [
        (fact.superstep, fact.path, fact.executor, fact.value)
        for fact in facts
        if fact.kind in kinds
    ]


async def test_attempts_questions_and_answers_are_facts_also_inside_a_sub_workflow() -> (
    None
):
    facts = [
        fact
        for some in (await facts_of(await asking_inside())).values()
        for fact in some
    ]
    failures = [fact for fact in facts if fact.kind == "failure"]
    assert [(fact.attempt, fact.reason) for fact in failures] == [
        (1, "ValueError: call 1"),
        (2, "ValueError: call 2"),
    ]
    assert {fact.value for fact in failures} == {1}
    inside = ("review#1",)
    assert brief(facts, "write") == [(3, inside, "ask", 2)]
    assert brief(facts, "question") == [
        (3, (), "review", "2?"),
        (3, inside, "ask", "2?"),
    ]
    assert brief(facts, "answer") == [
        (3, (), "review", "yes"),
        (4, inside, "ask", "yes"),
    ]
    (heard,) = [
        fact for fact in facts if fact.handler == "hear" and fact.kind == "after"
    ]
    assert heard.state == {"asked": 2}
    assert heard.own == {"times": 1}
    # The run inside ended with it: the outer run has it as a message of "review".
    assert brief(facts, "output") == [(6, inside, "end", NOT_RECORDED)]


async def removed(store: MemoryStore, checkpoint_id: str) -> None:
    assert await store.delete([checkpoint_id]) == 1


async def test_where_the_checkpoint_before_was_removed_the_messages_are_not_recorded() -> (
    None
):
    store = await asking_inside()
    headers = await store.headers()
    await removed(store, headers[0].id)
    facts = (await facts_of(store, headers[1:2]))[headers[1].id]
    assert brief(facts, "before")[0] == (1, (), "flaky", NOT_RECORDED)
    assert [fact.attempt for fact in facts if fact.kind == "failure"] == [1, 2]


async def test_ways_that_an_older_record_leaves_open_have_no_message() -> None:
    queue = (Message(1, "a"), Message(2, "a"))
    trace = Trace(fates=(Fate("delivered", "a", "b", "e", 1),))
    header = CheckpointHeader("c", "run", "w", 1, Cause.SUPERSTEP)
    step = RecordedStep(
        header, RunState(queue=queue), RunState(), trace, RecordedGraphs(None)
    )
    assert brief(step.facts(["message"]), "message") == [(1, (), "b", NOT_RECORDED)]


async def test_a_fork_repeats_no_fact_of_its_superstep() -> None:
    store = await asking_inside()
    first = (await store.headers())[1]
    step = RecordedStep(
        replace(first, cause=Cause.FORK),
        None,
        RunState(shared={"a": 1}),
        Trace(writes=(Write("a", "x"),)),
        RecordedGraphs(None),
    )
    assert [fact.kind for fact in step.facts(FACT_KINDS)] == ["checkpoint"]


class Hub(Executor):
    """Sends to only one source of the join."""

    @handler
    async def go(self, message: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(message, target_id="left")


async def test_a_join_that_waits_for_ever_starves_with_what_it_holds() -> None:
    hub, left, right, join = Hub("hub"), Step("left"), Step("right"), Collect("join")
    builder = WorkflowBuilder(start_executor=hub)
    builder.add_fan_out_edges(hub, [left, right])
    builder.add_fan_in_edges([left, right], join)
    store = MemoryStore()
    runner = Runner(builder.build(), store)
    await runner.start("x")
    while await runner.step() is not None:
        pass
    facts = [fact for some in (await facts_of(store)).values() for fact in some]
    (starves,) = [fact for fact in facts if fact.kind == "starves"]
    assert (starves.executor, starves.value) == ("join", ["xleft"])
    assert starves.reason == "waits for right"
