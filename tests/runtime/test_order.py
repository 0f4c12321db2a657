"""Rules 1 to 5 and 12 as a run shows them: order, concurrency, the first input, the
limit, and every message's fate.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from runtime.checkpoint import Cause
from runtime.checkpoints.archive import Archive
from runtime.edges import Case, Default
from runtime.engine.runner import Runner
from runtime.errors import EncodeError, WorkflowConvergenceException
from runtime.events import RunEvent, RunEventKind, WorkflowRunState
from runtime.executors.executor import (
    Executor,
    WorkflowContext,
    handler,
    response_handler,
)
from runtime.message import Message
from runtime.stores import open_store
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import WorkflowExecutor
from runtime.workflow.workflow import Workflow
from tests.runtime.graphs import Collect, Sink, Step, react, uneven_join
from tests.runtime.test_requests import Verdict, asking
from tests.runtime.test_runner import passing

Ctx = WorkflowContext[Any, Any]
Kind = RunEventKind


# --- rule 1 -----------------------------------------------------------------------------------------------------------


async def test_rule_1_the_queue_is_in_the_order_of_sources_in_the_definition_then_of_sending():
    """`c` stands before `b` in the definition, is sent to after it, and ends long after
    it.
    """

    async def twice(_message: Any, ctx: Ctx) -> None:
        await ctx.send_message(f"{ctx.executor_id}1")
        for _ in range(10 if ctx.executor_id == "c" else 0):
            await asyncio.sleep(0)
        await ctx.send_message(f"{ctx.executor_id}2")

    async def split(message: Any, ctx: Ctx) -> None:
        await ctx.send_message(message, target_id="b")
        await ctx.send_message(message, target_id="c")

    a = react("a", split)
    b = react("b", twice)
    c = react("c", twice)
    d = Sink("d")
    builder = (
        WorkflowBuilder(start_executor=a)
        .add_edge(a, c)
        .add_edge(a, b)
        .add_edge(b, d)
        .add_edge(c, d)
    )
    runner = Runner(builder.build())
    await runner.start(1)
    await runner.step()
    await runner.step()
    assert [message.data for message in runner.state.queue] == ["c1", "c2", "b1", "b2"]


async def test_rule_1_a_superstep_is_route_invoke_commit_checkpoint_in_this_order():
    heard: list[RunEvent] = []
    store = MemoryStore()

    class Watched(MemoryStore):
        async def save(self, record: Any, parts: Any) -> Any:
            stood.append(runner.state.superstep)
            return await store.save(record, parts)

    stood: list[int] = []
    a = react("a", passing)
    b = Sink("b")
    workflow = WorkflowBuilder(start_executor=a).add_edge(a, b).build()
    runner = Runner(workflow, Watched(), observer=heard.append)
    await runner.start(1)
    await runner.finish()
    second = [event.kind for event in heard if event.superstep == 2]
    expected = [
        Kind.SUPERSTEP_STARTED,
        Kind.MESSAGE,
        Kind.HANDLER_STARTED,
        Kind.HANDLER_ENDED,
        Kind.CHECKPOINT_SAVED,
    ]
    assert [kind for kind in second if kind in (*expected, Kind.SUPERSTEP_ENDED)] == [
        *expected,
        Kind.SUPERSTEP_ENDED,
    ]
    # While it is saved, the run still stands at the barrier before.
    assert stood == [0, 0, 1]


async def test_rule_1_a_preview_tells_whom_it_invokes_what_joins_release_and_what_is_dropped():
    ran: list[str] = []

    async def note(message: Any, ctx: Ctx) -> None:
        ran.append(ctx.executor_id)
        await ctx.send_message(message)

    a, b, c, d, j = (react(id, note) for id in "abcdj")
    builder = (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, [b, c])
        .add_fan_in_edges([b, c], j, id="join")
    )
    runner = Runner(builder.add_edge(b, d, lambda _: False).build())
    await runner.start(1)
    await runner.step()
    await runner.step()
    ran.clear()
    one = runner.preview()
    two = runner.preview()
    assert one == two
    assert {
        target: [delivery.data for delivery in found]
        for target, found in one.deliveries.items()
    } == {"j": [[1, 1]]}
    assert [(release.edge_id, release.counts) for release in one.releases] == [
        ("join", (1, 1))
    ]
    assert [
        (fate.target_id, fate.reason) for fate in one.fates if fate.kind == "dropped"
    ] == [("d", "condition false")]
    assert ran == []
    trace = await runner.step()
    assert trace is not None
    assert (trace.releases, trace.fates[: len(one.fates)]) == (one.releases, one.fates)


# --- rule 2 -----------------------------------------------------------------------------------------------------------


async def test_rule_2_a_slow_target_does_not_hold_back_another_of_its_group():
    """The slow one gets to its second message only when the fast one has had both."""
    fast_is_done = asyncio.Event()
    seen = []

    async def slow(message: Any, ctx: Ctx) -> None:
        await fast_is_done.wait()
        seen.append(("slow", message))

    async def fast(message: Any, ctx: Ctx) -> None:
        seen.append(("fast", message))
        if message == 2:
            fast_is_done.set()

    async def twice(_message: Any, ctx: Ctx) -> None:
        await ctx.send_message(1)
        await ctx.send_message(2)

    a = react("a", twice)
    b = react("b", slow)
    c = react("c", fast)
    async with asyncio.timeout(30):
        await (
            WorkflowBuilder(start_executor=a)
            .add_fan_out_edges(a, [b, c])
            .build()
            .run(0)
        )
    assert seen == [("fast", 1), ("fast", 2), ("slow", 1), ("slow", 2)]


async def test_case_8_nor_do_two_runs_of_one_child_call_its_executor_at_once():
    """They share its executors, and those keep what they like in their attributes."""
    inside: list[Any] = []

    async def work(message: int, ctx: Ctx) -> None:
        inside.append(message)
        assert inside == [message]
        for _ in range(5):
            await asyncio.sleep(0)
        inside.clear()
        await ctx.yield_output(message)

    async def twice(message: int, ctx: Ctx) -> None:
        await ctx.send_message(message)
        await ctx.send_message(message + 1)

    child = WorkflowExecutor(
        WorkflowBuilder(start_executor=react("i", work, input=int)).build(), "child"
    )
    a = react("a", twice)
    end = Sink("end")
    await (
        WorkflowBuilder(start_executor=a)
        .add_edge(a, child)
        .add_edge(child, end)
        .build()
        .run(1)
    )
    assert end.seen == [1, 2]


# --- rules 3 and 4 ----------------------------------------------------------------------------------------------------


async def test_case_10_a_finished_run_that_is_resumed_by_the_caller_invokes_nobody():
    store = MemoryStore()
    await uneven_join().run("x", checkpoint_storage=store)
    headers = await store.headers()
    workflow = uneven_join()
    result = await workflow.run(checkpoint_id=headers[-1].id, checkpoint_storage=store)
    assert list(result) == []
    assert result.get_final_state() is WorkflowRunState.IDLE
    assert await store.headers() == headers
    assert workflow.executors["A"].seen == []  # type: ignore[attr-defined]


async def test_rule_3_resume_at_rest_does_nothing():
    store = MemoryStore()
    workflow = uneven_join()
    await workflow.run("x", checkpoint_storage=store)
    count = len(await store.headers())
    result = await workflow.resume()
    assert (list(result), len(await store.headers())) == ([], count)


async def test_rule_4_the_first_input_is_a_message_that_is_queued_and_saved_before_anybody_runs():
    store = MemoryStore()
    a = Sink("a")
    runner = Runner(WorkflowBuilder(start_executor=a).build(), store)
    await runner.start({"n": [1]})
    [header] = await store.headers()
    assert (header.cause, header.superstep, header.queued, a.seen) == (
        Cause.INPUT,
        0,
        1,
        [],
    )
    assert (await Archive(store).load(header.id)).state.queue == (
        Message({"n": [1]}, "internal:a", "a"),
    )
    trace = await runner.step()
    assert trace is not None
    assert [(one.executor_id, one.sources) for one in trace.invocations] == [
        ("a", ("internal:a",))
    ]
    assert runner.state.superstep == 1


async def test_rule_4_the_first_checkpoint_without_input_repeats_the_run():
    store = MemoryStore()
    first = await uneven_join().run("x", checkpoint_storage=store)
    [start, *_] = await store.headers()
    again = uneven_join()
    second = await again.run(checkpoint_id=start.id, checkpoint_storage=store)
    assert second.get_outputs() == first.get_outputs() == [["xAB", "xACD"]]
    assert again.executors["A"].seen == ["x"]  # type: ignore[attr-defined]


# --- rule 5 -----------------------------------------------------------------------------------------------------------


def chain(length: int, limit: int) -> Workflow:
    """So many executors one after the other; only the last yields."""
    steps: list[Executor] = [
        *(Step(f"s{number}") for number in range(length - 1)),
        Sink("end"),
    ]
    if length > 1:
        return WorkflowBuilder(limit, start_executor=steps[0]).add_chain(steps).build()
    return _one(limit)


def _one(limit: int) -> Workflow:
    return WorkflowBuilder(limit, start_executor=Sink("end")).build()


@pytest.mark.parametrize("limit", [1, 2, 3])
async def test_case_15_a_chain_as_long_as_the_limit_ends_and_one_longer_is_refused(
    limit: int,
):
    assert (
        await chain(limit, limit).run("x")
    ).get_final_state() is WorkflowRunState.IDLE
    with pytest.raises(WorkflowConvergenceException, match="end") as caught:
        await chain(limit + 1, limit).run("x")
    assert (caught.value.limit, caught.value.waiting) == (limit, ("end",))


async def test_rule_5_supersteps_count_across_pauses_and_restarts():
    """Asked in superstep 1, each answer is one more: after a restart in a new instance
    the third is one too many.
    """
    store = MemoryStore()
    first = Runner(asking(), store, max_supersteps=2)
    await first.start("one two")
    await first.finish()
    await first.answer({"ask:1:0": Verdict(True)})
    await first.finish()
    assert first.state.superstep == 2
    assert first.header is not None
    second = Runner(asking(), store, max_supersteps=2)
    await second.restore(first.header.id)
    await second.answer({"ask:1:1": Verdict(True)})
    with pytest.raises(WorkflowConvergenceException) as caught:
        await second.finish()
    assert (caught.value.limit, caught.value.waiting, second.state.superstep) == (
        2,
        ("ask",),
        2,
    )


async def test_rule_5_the_last_checkpoint_resumes_with_a_higher_limit_in_a_new_instance():
    store = MemoryStore()
    with pytest.raises(WorkflowConvergenceException):
        await chain(4, 2).run("x", checkpoint_storage=store)
    last = await store.latest()
    assert last is not None
    result = await chain(4, 4).run(checkpoint_id=last.id, checkpoint_storage=store)
    assert result.get_outputs() == ["xs0s1s2"]
    with pytest.raises(WorkflowConvergenceException):
        await chain(4, 3).run(checkpoint_id=last.id, checkpoint_storage=store)


async def test_rule_5_a_fresh_run_starts_at_zero_and_a_raised_limit_is_not_handed_on():
    store = MemoryStore()
    workflow = chain(3, 2)
    with pytest.raises(WorkflowConvergenceException):
        await workflow.run("x", checkpoint_storage=store)
    limited = workflow.get_last_checkpoint_id()
    for once_more in ({"message": "y"}, {"checkpoint_id": limited}):
        assert (
            (await workflow.resume(max_iterations=3)).get_outputs()[0].endswith("s0s1")
        )
        with pytest.raises(WorkflowConvergenceException) as caught:
            await workflow.run(**once_more, checkpoint_storage=store)
        assert caught.value.limit == 2


# --- rule 10 ----------------------------------------------------------------------------------------------------------


class Unknown:
    """A class that the codec does not know."""


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("state", r"state\['draft'\]\['owners'\]\[1\]"),
        ("message", r"message from 'a'\['owners'\]\[1\]"),
        ("record", r"executor 'a' \['draft'\]\['owners'\]\[1\]"),
        ("output", r"output of 'a'\['owners'\]\[1\]"),
    ],
)
@pytest.mark.parametrize("url", ["memory:", "dir:{}", "sqlite:{}/file"])
async def test_rule_10_what_cannot_be_saved_fails_the_step_by_its_path_and_leaves_the_checkpoint_before(
    kind: str, path: str, url: str, tmp_path: Path
):
    broken = [True]

    async def work(_message: Any, ctx: Ctx) -> None:
        value = {"owners": [1, Unknown() if broken else 2]}
        match kind:
            case "state":
                ctx.set_state("draft", value)
            case "message":
                await ctx.send_message(value)
            case "record":
                ctx.executor_state["draft"] = value
            case "output":
                await ctx.yield_output(value)

    a = react("a", work)
    b = Sink("b")
    store = open_store(url.format(tmp_path / "store"))
    try:
        runner = Runner(WorkflowBuilder(start_executor=a).add_edge(a, b).build(), store)
        await runner.start("x")
        before = runner.state
        header = await store.latest()
        with pytest.raises(EncodeError, match=path) as caught:
            await runner.step()
        assert "Unknown" in str(caught.value)
        assert runner.state is before
        assert await store.latest() == header
        broken.clear()
        await runner.finish()
        assert [one.superstep for one in await store.headers()][:2] == [0, 1]
    finally:
        await store.close()


# --- rule 12 ----------------------------------------------------------------------------------------------------------


async def test_rule_12_an_observer_hears_the_fate_of_every_message():
    async def send(_message: Any, ctx: Ctx) -> None:
        await ctx.send_message(1)
        await ctx.send_message("text")
        await ctx.send_message(2, target_id="low")

    a = react("a", send)
    low = react("low", passing, input=int)
    high = Sink("high")
    j = Collect("j")
    end = Sink("end")
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_switch_case_edge_group(
            a, [Case(lambda m: m == 1, low), Default(high)], id="switch"
        )
        .add_edge(a, end, lambda m: m != 1, id="direct")
        .add_fan_in_edges([low, high], j, id="join")
        .add_fan_out_edges(low, [end, high], id="fan")
        .build()
    )
    heard: list[RunEvent] = []
    runner = Runner(workflow, observer=heard.append)
    await runner.start(0)
    await runner.finish()

    def fates(superstep: int) -> set[tuple[Any, ...]]:
        found = [
            event.data
            for event in heard
            if event.kind is Kind.MESSAGE and event.superstep == superstep
        ]
        keys = ("fate", "edge", "target", "reason", "count")
        return {
            tuple(one[key] for key in keys) for one in found if one["fate"] != "sent"
        }

    assert fates(2) == {
        ("delivered", "switch", "low", "", 1),
        ("delivered", "switch", "high", "", 1),
        ("dropped", "switch", "high", "not selected", 1),
        # also of the one that is addressed to it
        ("dropped", "switch", "low", "not selected", 2),
        ("dropped", "direct", "end", "condition false", 1),
        ("delivered", "direct", "end", "", 1),
        ("dropped", "direct", None, "target mismatch", 1),
    }
    assert fates(3) == {
        ("buffered", "join", "j", "", 1),
        ("delivered", "fan", "end", "", 1),
        ("delivered", "fan", "high", "", 1),
    }


async def test_rule_12_type_mismatch_and_no_edge_are_heard_too():
    async def send(_message: Any, ctx: Ctx) -> None:
        await ctx.send_message("text", target_id="b")
        await ctx.send_message("text", target_id="c")

    a = react("a", send)
    b = react("b", passing, input=int)
    c = react("c", passing)
    heard: list[RunEvent] = []
    runner = Runner(
        WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, c], id="e").build(),
        observer=heard.append,
    )
    await runner.start(0)
    await runner.finish()
    dropped = [
        event.data
        for event in heard
        if event.kind is Kind.MESSAGE and event.data["fate"] == "dropped"
    ]
    assert [
        (one["source"], one["edge"], one["target"], one["reason"]) for one in dropped
    ] == [
        ("a", "e", "b", "type mismatch"),
        ("c", None, None, "no edge"),
    ]


# --- rule 14 ----------------------------------------------------------------------------------------------------------


async def test_rule_14_a_condition_is_not_asked_again_when_the_superstep_is_tried_again():
    asked = []
    broken = [True]

    async def flaky(_message: Any, _ctx: Ctx) -> None:
        if broken:
            broken.pop()
            raise KeyError("the reason")

    async def later(message: Any) -> bool:
        await asyncio.sleep(0)
        asked.append(("later", message))
        return True

    def at_once(message: Any) -> bool:
        asked.append(("at once", message))
        return True

    a = react("a", passing)
    b = react("b", flaky)
    c = Sink("c")
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_edge(a, b, at_once)
        .add_edge(a, c, later)
        .build()
    )
    with pytest.raises(KeyError):
        await workflow.run(1)
    await workflow.resume()
    assert asked == [("at once", 1), ("later", 1)]
    assert c.seen == [1] * len(c.seen) != []


async def test_case_16_the_run_fails_with_the_predicates_error_and_the_default_is_not_invoked():
    a = react("a", passing)
    b = Sink("b")
    c = Sink("c")
    cases: list[Case | Default] = [Case(lambda message: message["x"], b), Default(c)]
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_switch_case_edge_group(a, cases, id="s")
        .build()
    )
    stream = workflow.run({}, stream=True)
    heard = []
    with pytest.raises(KeyError) as caught:
        heard.extend([event async for event in stream])
    assert any(
        "case 1" in note and "edge 's'" in note for note in caught.value.__notes__
    )
    assert workflow.status is WorkflowRunState.FAILED
    assert (b.seen, c.seen) == ([], [])


# --- requests and joins -----------------------------------------------------------------------------------------------


class AskingAtOnce(Executor):
    """Asks from tasks side by side, or from threads."""

    def __init__(self, threads: int) -> None:
        super().__init__("ask")
        self.threads = threads

    @handler
    async def take(self, message: str, ctx: Ctx) -> None:
        async def ask(word: str) -> None:
            await asyncio.sleep(0)
            await ctx.request_info(word, str)

        async with asyncio.TaskGroup() as group:
            for word in message.split():
                group.create_task(ask(word))
            for number in range(self.threads):
                group.create_task(
                    asyncio.to_thread(ctx.request_info, f"thread {number}", str)
                )

    @response_handler
    async def hear(self, original_request: str, response: str, ctx: Ctx) -> None:
        await ctx.yield_output((original_request, response))


async def test_case_29_questions_that_are_asked_side_by_side_have_ids_of_their_own():
    found = []
    for order in (1, -1):
        workflow = WorkflowBuilder(start_executor=AskingAtOnce(0)).build()
        events = (await workflow.run("circle? square?")).get_request_info_events()
        found.append([(event.request_id, event.data) for event in events])
        outputs = []
        for event in events[::order]:
            outputs += (
                await workflow.run(responses={event.request_id: event.data.upper()})
            ).get_outputs()
        assert sorted(outputs) == [("circle?", "CIRCLE?"), ("square?", "SQUARE?")]
    assert found[0] == found[1] == [("ask:1:0", "circle?"), ("ask:1:1", "square?")]


async def test_case_29_also_from_threads():
    result = await WorkflowBuilder(start_executor=AskingAtOnce(40)).build().run("")
    events = result.get_request_info_events()
    assert {event.request_id for event in events} == {
        f"ask:1:{number}" for number in range(40)
    }
    assert {event.data for event in events} == {
        f"thread {number}" for number in range(40)
    }


async def test_case_35_a_join_of_any_waits_for_what_still_runs_and_not_for_what_was_skipped():
    """`s` is skipped at once, `slow` takes two supersteps more: the join neither fires
    empty nor is it given up.
    """
    a = Step("a")
    skipped = Step("s")
    one = Step("one")
    slow = Step("slow")
    j = Collect("j")
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_edge(a, skipped, lambda _: False)
        .add_edge(a, one)
        .add_edge(one, slow)
        .add_fan_in_edges([slow, skipped], j, policy="any")
        .build()
    )
    runner = Runner(workflow)
    await runner.start("x")
    assert await runner.finish() is WorkflowRunState.IDLE
    assert (j.seen, skipped.seen, runner.state.superstep) == ([["xaoneslow"]], [], 4)


async def test_case_38_an_empty_list_is_a_message_for_a_join():
    async def give(_message: Any, ctx: Ctx) -> None:
        await ctx.send_message([] if ctx.executor_id == "x" else [1, 2])

    a = react("a", passing)
    x = react("x", give)
    y = react("y", give)
    j = Collect("j")
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, [x, y])
        .add_fan_in_edges([x, y], j)
        .build()
    )
    assert (await workflow.run(0)).get_outputs() == [[[], [1, 2]]]
