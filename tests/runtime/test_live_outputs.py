"""Outputs that are told while their superstep runs: they count from its barrier on, or
are taken back by name.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from runtime.engine.commit import advance, first_state
from runtime.engine.live_outputs import LiveOutputs
from runtime.engine.notifier import Notifier
from runtime.engine.runner import Runner
from runtime.engine.stream import WorkflowStream
from runtime.engine.sub_runs import Frame, route_tree
from runtime.errors import WorkflowConvergenceException
from runtime.events import RunEvent, RunEventKind, WorkflowEvent
from runtime.executors.executor import WorkflowContext
from runtime.state import Output
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import WorkflowExecutor
from runtime.workflow.workflow import Workflow
from tests.runtime.graphs import Sink, react
from tests.runtime.test_runner import passing
from tests.runtime.test_streams import idle, until

Ctx = WorkflowContext[Any, Any]
LIVE = (RunEventKind.YIELDED, RunEventKind.OUTPUT, RunEventKind.WITHDRAWN)


class Talker:
    """A workflow that yields two values, the second when it is let, and then ends or
    raises.
    """

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.broken = False

        async def tell(message: Any, ctx: Ctx) -> None:
            await ctx.yield_output([message])
            await self.go_on.wait()
            await ctx.yield_output("second")
            if self.broken:
                raise KeyError("the reason")

        first = react("first", passing)
        second = react("tell", tell)
        self.workflow = (
            WorkflowBuilder(start_executor=first).add_edge(first, second).build()
        )


async def test_an_output_is_read_while_its_handler_runs_and_counts_when_the_superstep_is_done():
    talker = Talker()
    stream = talker.workflow.run("x", stream=True)
    first = await until(stream, "output")
    assert (first.data, first.executor_id, first.is_committed) == (["x"], "tell", False)
    talker.go_on.set()
    second = await until(stream, "output")
    await until(stream, "executor_completed")
    assert not first.is_committed
    await until(stream, "superstep_completed", 2)
    assert first.is_committed
    assert second.is_committed
    result = await stream.get_final_response()
    assert result.get_outputs() == [["x"], "second"]
    assert [event.type for event in result].count("output") == 2


async def test_rule_6_a_failed_superstep_takes_its_outputs_back_by_name():
    talker = Talker()
    talker.broken = True
    talker.go_on.set()
    stream = talker.workflow.run("x", stream=True)
    with pytest.raises(KeyError, match="the reason"):
        await _read_all(stream)
    read = stream.updates
    outputs = [event for event in read if event.type == "output"]
    taken_back = [event for event in read if event.type == "output_withdrawn"]
    assert (
        [event.data for event in taken_back]
        == [event.data for event in outputs]
        == [["x"], "second"]
    )
    assert {(event.executor_id, event.iteration) for event in taken_back} == {
        ("tell", 2)
    }
    assert not any(event.is_committed for event in outputs)
    types = [event.type for event in read]
    assert (
        types.index("executor_failed")
        < types.index("output_withdrawn")
        < types.index("failed")
    )
    assert (await stream.get_final_response()).get_outputs() == []
    talker.broken = False
    assert (await talker.workflow.resume()).get_outputs() == [["x"], "second"]


async def _read_all(stream: WorkflowStream) -> None:
    async for _ in stream:
        pass


async def test_rule_9_what_was_read_of_a_superstep_that_is_left_does_not_count():
    talker = Talker()
    stream = talker.workflow.run("x", stream=True)
    event = await until(stream, "output")
    await stream.aclose()
    assert not event.is_committed
    assert (await stream.get_final_response()).get_outputs() == []


async def test_rule_2_outputs_stand_in_the_order_of_the_definition_whoever_was_first():
    turn = asyncio.Event()

    async def late(message: Any, ctx: Ctx) -> None:
        await turn.wait()
        await ctx.yield_output("a")

    async def early(message: Any, ctx: Ctx) -> None:
        await ctx.yield_output("b")
        turn.set()

    start = react("start", passing)
    a = react("a", late)
    b = react("b", early)
    workflow = (
        WorkflowBuilder(start_executor=start).add_fan_out_edges(start, [a, b]).build()
    )
    stream = workflow.run("x", stream=True)
    await _read_all(stream)
    assert [event.data for event in stream.updates if event.type == "output"] == [
        "b",
        "a",
    ]
    assert (await stream.get_final_response()).get_outputs() == ["a", "b"]
    turn.clear()
    assert (await workflow.run("x")).get_outputs() == ["a", "b"]


def direct(inner: Any, **options: Any) -> Workflow:
    child = WorkflowBuilder(start_executor=inner, name="child").build()
    start = react("start", passing)
    sub = WorkflowExecutor(child, "sub", **options)
    sink = Sink("sink")
    return (
        WorkflowBuilder(start_executor=start)
        .add_edge(start, sub)
        .add_edge(sub, sink)
        .build()
    )


async def test_what_a_sub_workflow_puts_out_directly_is_told_at_once_as_its_executors():
    go_on = asyncio.Event()

    async def tell(message: Any, ctx: Ctx) -> None:
        await ctx.yield_output(message)
        await go_on.wait()

    stream = direct(react("tell", tell), allow_direct_output=True).run("x", stream=True)
    event = await until(stream, "output")
    assert (event.data, event.executor_id, event.is_committed) == ("x", "sub", False)
    go_on.set()
    result = await stream.get_final_response()
    assert result.get_outputs() == ["x"]
    assert event.is_committed


async def test_what_becomes_a_message_on_its_way_out_is_no_output():
    stream = direct(Sink("inner")).run("x", stream=True)
    await _read_all(stream)
    assert [
        (event.executor_id, event.data)
        for event in stream.updates
        if event.type == "output"
    ] == [("sink", "x")]


async def test_outputs_of_two_runs_of_a_sub_workflow_keep_the_order_of_the_runs():
    turn = asyncio.Event()

    async def tell(message: Any, ctx: Ctx) -> None:
        await ctx.yield_output(message)
        turn.set()

    async def split(message: Any, ctx: Ctx) -> None:
        for word in message.split():
            await ctx.send_message(word)

    child = WorkflowBuilder(start_executor=react("tell", tell)).build()
    start = react("start", split)
    sub = WorkflowExecutor(child, "sub", allow_direct_output=True)
    workflow = WorkflowBuilder(start_executor=start).add_edge(start, sub).build()
    assert (
        await workflow.run("x y z", stream=True).get_final_response()
    ).get_outputs() == ["x", "y", "z"]
    assert (await workflow.run("x y z")).get_outputs() == ["x", "y", "z"]


async def test_nobody_forges_that_an_output_is_taken_back():
    async def forge(_message: Any, ctx: Ctx) -> None:
        await ctx.add_event(WorkflowEvent("output_withdrawn", 1))

    result = await WorkflowBuilder(start_executor=react("a", forge)).build().run("x")
    assert [
        event.type for event in result if event.type in ("warning", "output_withdrawn")
    ] == ["warning"]


async def test_rule_33_a_handler_that_floods_waits_for_its_reader():
    made = []

    async def flood(_message: Any, ctx: Ctx) -> None:
        for number in range(2_000):
            made.append(number)
            await ctx.yield_output(number)

    stream = (
        WorkflowBuilder(start_executor=react("a", flood)).build().run("x", stream=True)
    )
    taken = 0
    async for event in stream:
        if event.type == "output":
            taken += 1
            if taken % 500 == 1:
                await idle()
                assert len(made) - taken <= 300
    assert taken == len(made) == 2_000


async def test_a_handler_with_an_event_loop_of_its_own_does_not_wait_for_the_reader():
    def flood(_message: Any, ctx: Ctx) -> None:
        async def tell() -> None:
            for number in range(600):
                await ctx.yield_output(number)

        asyncio.run(tell())

    stream = (
        WorkflowBuilder(start_executor=react("a", flood)).build().run("x", stream=True)
    )
    assert len((await stream.get_final_response()).get_outputs()) == 600


# --- for an observer ------------------------------------------------------------------------------------------------


def heard(events: list[RunEvent]) -> list[tuple[Any, ...]]:
    return [
        (
            one.superstep,
            one.kind.value,
            one.path,
            one.data["executor"],
            one.data["value"],
        )
        for one in events
        if one.kind in LIVE
    ]


async def test_rule_33_an_observer_hears_of_an_output_at_once_and_again_when_it_counts():
    events: list[RunEvent] = []
    runner = Runner(
        direct(Sink("inner"), allow_direct_output=True), observer=events.append
    )
    await runner.start("x")
    await runner.finish()
    assert heard(events) == [
        (3, "yielded", ("sub#1",), "inner", "x"),
        (3, "yielded", (), "sub", "x"),
        (3, "output", ("sub#1",), "inner", "x"),
        (3, "output", (), "sub", "x"),
    ]


async def test_rule_33_an_observer_hears_what_is_taken_back_and_nothing_of_what_counted_before():
    store = MemoryStore()
    events = []

    async def tell(message: int, ctx: Ctx) -> None:
        await ctx.yield_output(message)
        if message == 3:
            raise ValueError("three")
        await ctx.send_message(message + 1)

    a = react("a", tell)
    runner = Runner(
        WorkflowBuilder(start_executor=a).add_edge(a, a).build(),
        store,
        observer=events.append,
    )
    await runner.start(1)
    with pytest.raises(ValueError, match="three"):
        await runner.finish()
    assert [one[1:2] + one[4:] for one in heard(events)] == [
        ("yielded", 1),
        ("output", 1),
        ("yielded", 2),
        ("output", 2),
        ("yielded", 3),
        ("withdrawn", 3),
    ]


async def test_at_the_limit_nothing_that_counted_is_taken_back():
    events: list[RunEvent] = []

    async def tell(message: int, ctx: Ctx) -> None:
        await ctx.yield_output(message)
        await ctx.send_message(message)

    a = react("a", tell)
    runner = Runner(
        WorkflowBuilder(2, start_executor=a).add_edge(a, a).build(),
        observer=events.append,
    )
    await runner.start(1)
    with pytest.raises(WorkflowConvergenceException):
        await runner.finish()
    assert [one[1] for one in heard(events)] == ["yielded", "output"] * 2


async def test_rule_10_a_superstep_that_cannot_be_saved_takes_its_outputs_back():
    class Full(MemoryStore):
        async def save(self, record: Any, parts: Any) -> Any:
            if record.header.superstep:
                raise OSError("no space")
            return await super().save(record, parts)

    events: list[RunEvent] = []
    runner = Runner(
        WorkflowBuilder(start_executor=Sink("s")).build(),
        Full(),
        observer=events.append,
    )
    await runner.start("x")
    with pytest.raises(OSError, match="no space"):
        await runner.step()
    assert [one[1] for one in heard(events)] == ["yielded", "withdrawn"]


def apart(events: list[RunEvent]) -> tuple[LiveOutputs, Frame]:
    """What a superstep uses, without one."""
    workflow = WorkflowBuilder(start_executor=Sink("s")).build()
    frame = route_tree(workflow, first_state(workflow, "x"), {})
    return LiveOutputs(Notifier(events.append), workflow), frame


@pytest.mark.parametrize(
    "end", [LiveOutputs.commit, lambda live, _frame: live.withdraw_all()]
)
def test_rule_8_a_late_thread_tells_of_no_output_once_its_superstep_has_ended(
    end: Callable[[LiveOutputs, Frame], None],
):
    events: list[RunEvent] = []
    live, frame = apart(events)
    live.add((), "s", "in time")
    end(live, frame)
    live.add((), "s", "late")
    assert "late" not in [one[-1] for one in heard(events)]


def test_what_is_not_among_the_outputs_of_a_superstep_that_is_done_is_taken_back():
    events: list[RunEvent] = []
    live, frame = apart(events)
    for value in ("lost", "twice", "twice", "kept"):
        live.add((), "s", value)
    merged = advance(frame.workflow, frame.state, frame.routing, [])
    frame.merged = replace(merged, outputs=(Output("s", "kept"), Output("s", "twice")))
    live.commit(frame)
    assert [(one[1], one[-1]) for one in heard(events) if one[1] != "yielded"] == [
        ("withdrawn", "lost"),
        ("withdrawn", "twice"),
    ]
