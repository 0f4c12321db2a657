"""What an observer hears (rule 33): everything, numbered and timed, each with its path,
superstep and cause.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from runtime.checkpoint import digest_of
from runtime.checkpoints.parts import shared_bytes
from runtime.codec import DEFAULT_TYPES
from runtime.engine.fingerprint import Fingerprint
from runtime.engine.runner import Runner
from runtime.events import RunEvent, RunEventKind, WorkflowEvent, WorkflowRunState
from runtime.executors.executor import WorkflowContext
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import WorkflowExecutor
from runtime.workflow.workflow import Workflow
from tests.runtime.graphs import Sink, Step, react, uneven_join
from tests.runtime.test_requests import Verdict, asking
from tests.runtime.test_runner import Flaky, passing
from tests.runtime.test_sub_workflow import around, asking_child

Ctx = WorkflowContext[Any, Any]
Kind = RunEventKind


async def heard(
    workflow: Workflow, message: Any = "x", store: MemoryStore | None = None
) -> list[RunEvent]:
    events: list[RunEvent] = []
    runner = Runner(workflow, store, observer=events.append)
    await runner.start(message)
    await runner.finish()
    return events


def told(
    events: list[RunEvent], kind: RunEventKind, *names: str
) -> list[tuple[Any, ...]]:
    """(superstep, path, the data of these names) of the events of a kind."""
    return [
        (one.superstep, one.path, *(one.data[name] for name in names))
        for one in events
        if one.kind is kind
    ]


async def test_rule_33_events_are_numbered_without_a_gap_and_timed():
    events = await heard(around(uneven_join()), store=MemoryStore())
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    times = [event.time for event in events]
    assert times == sorted(times)
    assert times[0] > 0


async def test_rule_33_every_message_is_told_from_its_sending_to_what_became_of_it():
    events = await heard(uneven_join())
    fates = told(events, Kind.MESSAGE, "fate", "source", "target")
    assert fates == [
        (0, (), "sent", "internal:A", "A"),
        (1, (), "delivered", "internal:A", "A"),
        (1, (), "sent", "A", None),
        (2, (), "delivered", "A", "B"),
        (2, (), "delivered", "A", "C"),
        (2, (), "sent", "B", None),
        (2, (), "sent", "C", None),
        (3, (), "delivered", "C", "D"),
        (3, (), "buffered", "B", "J"),
        (3, (), "sent", "D", None),
        (4, (), "delivered", "D", "J"),
    ]
    assert told(events, Kind.JOIN_RELEASED, "target", "counts") == [
        (4, (), "J", (1, 1))
    ]


async def test_rule_33_a_dropped_message_is_told_with_its_reason():
    a = Step("A")
    b = Step("B")
    events = await heard(
        WorkflowBuilder(start_executor=a)
        .add_edge(a, b, lambda _text: False, id="e")
        .build()
    )
    assert (2, (), "dropped", "A", "B", "e", "condition false") in told(
        events, Kind.MESSAGE, "fate", "source", "target", "edge", "reason"
    )


async def test_rule_33_handlers_are_told_from_their_start_to_their_end_with_their_time():
    events = await heard(uneven_join())
    assert [one[2] for one in told(events, Kind.HANDLER_STARTED, "executor")] == [
        "A",
        "B",
        "C",
        "D",
        "J",
    ]
    assert [one[2] for one in told(events, Kind.HANDLER_ENDED, "executor")] == [
        "A",
        "B",
        "C",
        "D",
        "J",
    ]
    assert all(one[2] >= 0 for one in told(events, Kind.HANDLER_ENDED, "seconds"))
    assert told(events, Kind.SUPERSTEP_STARTED, "executors")[1] == (2, (), ("B", "C"))
    assert [one[0] for one in told(events, Kind.SUPERSTEP_ENDED)] == [1, 2, 3, 4]


async def test_rule_33_a_failed_superstep_tells_who_failed_and_nothing_that_did_not_happen():
    events: list[RunEvent] = []
    runner = Runner(Flaky().workflow, observer=events.append)
    await runner.start("m")
    with pytest.raises(KeyError):
        await runner.finish()
    assert told(events, Kind.HANDLER_FAILED, "executor", "error_type") == [
        (2, (), "y", "KeyError")
    ]
    assert told(events, Kind.HANDLER_CANCELLED, "executor") == [(2, (), "x")]
    assert told(events, Kind.STATE_WRITTEN, "key") == []
    assert [
        one[0] for one in told(events, Kind.MESSAGE, "fate") if one[2] == "sent"
    ] == [0, 1]
    assert [one[0] for one in told(events, Kind.SUPERSTEP_ENDED)] == [1]
    assert told(events, Kind.STATUS, "status")[-1] == (2, (), "FAILED")


async def test_rule_33_a_write_is_told_with_its_writer_and_both_digests():
    async def write(message: int, ctx: Ctx) -> None:
        if message == 3:
            ctx.state.delete("k")
        else:
            ctx.set_state("k", [message])
        if message < 3:
            await ctx.send_message(message + 1)

    a = react("a", write, input=int)
    events = await heard(WorkflowBuilder(start_executor=a).add_edge(a, a).build(), 1)
    writes = [event.data for event in events if event.kind is Kind.STATE_WRITTEN]
    assert [(one["key"], one["executor"]) for one in writes] == [("k", "a")] * 3
    digests = [
        digest_of(shared_bytes("k", [number], DEFAULT_TYPES)) for number in (1, 2)
    ]
    made = [
        (one["old"] and str(one["old"]), one["new"] and str(one["new"]))
        for one in writes
    ]
    assert made == [(None, digests[0]), (digests[0], digests[1]), (digests[1], None)]
    assert writes[0]["new"] == writes[1]["old"] != writes[1]["new"]


async def test_rule_33_a_digest_is_that_of_the_part_in_the_checkpoint():
    async def write(_message: Any, ctx: Ctx) -> None:
        ctx.set_state("k", {"a": 1})

    store = MemoryStore()
    events = await heard(
        WorkflowBuilder(start_executor=react("a", write)).build(), store=store
    )
    (new,) = (event.data["new"] for event in events if event.kind is Kind.STATE_WRITTEN)
    header = (await store.headers())[-1]
    digests = [
        part.digest
        for part in (await store.load(header.id)).manifest
        if part.kind == "shared"
    ]
    assert [str(new)] == digests


def test_rule_33_what_cannot_be_encoded_has_no_digest_and_nothing_is_encoded_unasked():
    class Never:
        def __getattribute__(self, name: str) -> Any:
            raise AssertionError(f"looked at: {name}")

    Fingerprint("k", Never())
    assert str(Fingerprint("k", object())) == ""


async def test_rule_33_what_happens_in_a_sub_workflow_is_told_with_its_path():
    async def write(message: Any, ctx: Ctx) -> None:
        ctx.set_state("k", message)
        await ctx.yield_output(message)

    child = WorkflowBuilder(start_executor=react("w", write), name="child").build()
    events = await heard(around(around(child)))
    path = ("sub#1", "sub#1")
    assert told(events, Kind.STATE_WRITTEN, "key", "executor") == [(5, path, "k", "w")]
    assert told(events, Kind.OUTPUT, "executor", "value")[0] == (5, path, "w", "x")
    assert (4, path, "sent", "internal:w") in told(
        events, Kind.MESSAGE, "fate", "source"
    )
    assert (5, path, "delivered", "internal:w") in told(
        events, Kind.MESSAGE, "fate", "source"
    )
    assert (5, path, ("w",)) in told(events, Kind.SUPERSTEP_STARTED, "executors")
    assert (5, path) in told(events, Kind.SUPERSTEP_ENDED)
    assert (5, path, "w") in told(events, Kind.HANDLER_ENDED, "executor")


async def test_rule_33_a_question_and_its_answer_are_told_where_they_were_asked_and_at_the_root():
    events: list[RunEvent] = []
    runner = Runner(
        around(asking_child(), propagate_request=True), observer=events.append
    )
    await runner.start("q")
    await runner.finish()
    (id_,) = runner.state.requests
    assert told(events, Kind.REQUEST_ASKED, "request_id", "executor") == [
        (3, ("sub#1",), id_, "ask"),
        (3, (), id_, "sub"),
    ]
    await runner.answer({id_: Verdict(True, 1)})
    await runner.step()
    await runner.step()
    assert told(events, Kind.REQUEST_ANSWERED, "request_id", "executor") == [
        (3, (), id_, "sub"),
        (5, ("sub#1",), id_, "ask"),
    ]


async def test_rule_33_each_event_says_what_the_run_was_doing():
    events: list[RunEvent] = []
    store = MemoryStore()
    runner = Runner(asking(), store, observer=events.append)
    await runner.start("one")
    await runner.finish()
    assert runner.header is not None
    paused = runner.header.id
    await runner.answer({"ask:1:0": Verdict(True)})
    await runner.finish()
    await runner.restore(paused)
    await runner.restore(paused, fork=True)
    causes = list(dict.fromkeys(event.cause for event in events))
    assert causes == ["input", "superstep", "response", "restore", "fork"]
    saved = [
        (event.data["header"].cause.value, event.cause)
        for event in events
        if event.kind is Kind.CHECKPOINT_SAVED
    ]
    assert all(header == event for header, event in saved)


async def test_rule_33_an_observer_that_raises_is_detached_and_reported(
    caplog: pytest.LogCaptureFixture,
):
    for error in (ValueError("bad observer"), SystemExit("bad observer")):
        calls: list[RunEvent] = []
        runner = Runner(uneven_join(), observer=_raising(calls, error))
        said: list[Any] = []
        runner.listen(said.append)
        await runner.start("x")
        assert await runner.finish() is WorkflowRunState.IDLE
        assert len(calls) == 1
        assert any(
            event.type == "warning" and "bad observer" in event.data for event in said
        )
    assert "detached" in caplog.text


def _raising(calls: list[RunEvent], error: BaseException) -> Callable[[RunEvent], None]:
    def observe(event: RunEvent) -> None:
        calls.append(event)
        raise error

    return observe


async def test_rule_33_without_an_observer_no_event_is_made():
    """Nothing is looked at for nobody: not even the values that went out are copied."""
    copied = []

    class Watched:
        def __deepcopy__(self, _memo: Any) -> Watched:
            copied.append(self)
            return self

    async def put_out(_message: Any, ctx: Ctx) -> None:
        await ctx.yield_output(Watched())

    counts = []
    for observer in (None, lambda _event: None):
        copied.clear()
        runner = Runner(
            WorkflowBuilder(start_executor=react("a", put_out)).build(),
            observer=observer,
        )
        await runner.start("x")
        await runner.finish()
        counts.append(len(copied))
    # an observer hears of it when it is yielded and when it counts
    assert counts == [1, 3]


async def test_rule_33_a_slow_observer_makes_the_run_wait_and_hold_nothing():
    """An event is handed over before anything else happens: however slow the observer
    is, none is ever held back.
    """
    events: list[RunEvent] = []
    seen_by_handlers: list[int] = []

    async def look(message: Any, ctx: Ctx) -> None:
        seen_by_handlers.append(
            sum(event.kind is Kind.HANDLER_STARTED for event in events)
        )
        await ctx.send_message(message)

    steps = [react(f"s{number}", look) for number in range(20)]
    runner = Runner(
        WorkflowBuilder(start_executor=steps[0]).add_chain(steps).build(),
        observer=events.append,
    )
    await runner.start("x")
    await runner.finish()
    assert seen_by_handlers == list(range(1, 21))


async def test_rule_33_progress_of_a_sub_workflow_surfaces_as_that_of_its_executor():
    async def talk(message: Any, ctx: Ctx) -> None:
        await ctx.yield_output(f"{message} half way")
        await ctx.send_message(message)

    talker = react("talk", talk)
    sink = Sink("sink")
    child = WorkflowBuilder(
        start_executor=talker, output_from=[sink], intermediate_output_from=[talker]
    )
    result = await around(around(child.add_edge(talker, sink).build())).run("x")
    assert [
        (event.executor_id, event.data)
        for event in result
        if event.type == "intermediate"
    ] == [("sub", "x half way")]
    assert result.get_outputs() == ["x"]


async def test_rule_26_outputs_of_a_sub_workflow_that_is_designated_as_intermediate_are_progress():
    sub = WorkflowExecutor(uneven_join(), "sub", allow_direct_output=True)
    last = Sink("last")
    start = react("start", passing)
    builder = WorkflowBuilder(
        start_executor=start, output_from=[last], intermediate_output_from=[sub]
    )
    result = await builder.add_fan_out_edges(start, [sub, last]).build().run("x")
    assert result.get_intermediate_outputs() == [["xAB", "xACD"]]
    assert result.get_outputs() == ["x"]


async def test_rule_33_an_observer_hears_of_one_event_at_a_time_although_functions_tell_from_threads():
    both = threading.Barrier(2, timeout=20)
    inside = [0]
    most = [0]
    numbers: list[int] = []

    def observe(event: RunEvent) -> None:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        if event.kind is Kind.TOLD:
            second.wait(0.2)  # until the other comes in, if it can
            second.set()
        numbers.append(event.number)
        inside[0] -= 1

    def tell(_message: Any, ctx: Ctx) -> None:
        both.wait()
        ctx.add_event(WorkflowEvent("data", 1))

    second = threading.Event()
    start = react("start", passing)
    a = react("a", tell)
    b = react("b", tell)
    workflow = (
        WorkflowBuilder(start_executor=start).add_fan_out_edges(start, [a, b]).build()
    )
    runner = Runner(workflow, observer=observe)
    await runner.start("x")
    await runner.finish()
    assert most == [1]
    assert numbers == [*range(1, len(numbers) + 1)]
