"""Checkpoints as the engine makes and takes them (rules 18, 21, 24, 28, 30): no join
may lose a message.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from runtime.checkpoint import Cause, CheckpointHeader, Record
from runtime.checkpoints.archive import Archive
from runtime.engine.runner import Runner
from runtime.errors import (
    CheckpointNotFoundError,
    CheckpointStoreError,
    EncodeError,
    RequestError,
    SignatureMismatchError,
    WorkflowCheckpointException,
)
from runtime.events import RunEvent, RunEventKind, WorkflowEvent, WorkflowRunState
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.state import RunState, Trace
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.workflow import Workflow
from tests.runtime.graphs import Collect, Sink, Step, react, uneven_join
from tests.runtime.test_requests import Asker, Verdict, asking
from tests.runtime.test_runner import Attributes, Flaky, passing

Ctx = WorkflowContext[Any, Any]
JOIN = 'fan_in:[["B","J"],["D","J"]]'


async def outputs_of(runner: Runner) -> list[Any]:
    found = []
    while (trace := await runner.step()) is not None:
        found.extend(output.data for output in trace.outputs)
    return found


async def finished(store: MemoryStore) -> list[CheckpointHeader]:
    runner = Runner(uneven_join(), store)
    await runner.start("x")
    await runner.finish()
    return await store.headers()


async def test_rule_28_saved_at_the_input_and_after_each_superstep_with_its_parent():
    headers = await finished(MemoryStore())
    assert [(header.cause, header.superstep) for header in headers] == [
        (Cause.INPUT, 0),
        *((Cause.SUPERSTEP, number) for number in range(1, 5)),
    ]
    assert [header.parent for header in headers] == [
        None,
        *[header.id for header in headers[:-1]],
    ]
    assert {header.branch for header in headers} == {"main"}
    assert [header.buffered for header in headers] == [0, 0, 0, 1, 0]
    assert [header.status for header in headers] == ["IN_PROGRESS"] * 4 + ["IDLE"]


async def test_case_1_the_message_that_a_join_holds_survives_a_rebuild():
    store = MemoryStore()
    half_full = (await finished(store))[3]
    runner = Runner(uneven_join(), store)
    await runner.restore(half_full.id)
    assert [message.data for message in runner.state.buffers[JOIN]] == ["xAB"]
    assert await outputs_of(runner) == [["xAB", "xACD"]]


async def test_case_11_the_first_checkpoint_repeats_the_run_from_its_beginning():
    store = MemoryStore()
    first = (await finished(store))[0]
    runner = Runner(uneven_join(), store)
    await runner.restore(first.id)
    assert await outputs_of(runner) == [["xAB", "xACD"]]


async def test_case_10_a_restored_finished_run_invokes_nobody_and_saves_nothing():
    store = MemoryStore()
    headers = await finished(store)
    workflow = uneven_join()
    runner = Runner(workflow, store)
    await runner.restore(headers[-1].id)
    assert runner.status is WorkflowRunState.IDLE
    assert await runner.step() is None
    assert len(await store.headers()) == len(headers)


async def test_case_2_a_restore_into_the_failed_instance_replaces_every_buffer():
    flaky = Flaky()
    store = MemoryStore()
    runner = Runner(flaky.workflow, store)
    await runner.start("m")
    await runner.step()
    with pytest.raises(KeyError):
        await runner.step()
    headers = await store.headers()
    assert [header.cause for header in headers] == [Cause.INPUT, Cause.SUPERSTEP]
    flaky.broken = False
    await runner.restore(headers[0].id)
    assert runner.state.buffers == {}
    assert await outputs_of(runner) == [["m", "half done", "m"]]


async def test_case_176_going_on_from_a_head_stays_on_its_branch_and_from_the_past_opens_a_new_one():
    store = MemoryStore()
    headers = await finished(store)
    runner = Runner(uneven_join(), store)
    for number in (1, 2):
        await runner.restore(headers[2].id)
        await runner.finish()
        assert runner.branch == f"fork {number}"
    fork = [header for header in await store.headers() if header.branch == "fork 1"]
    assert [header.parent for header in fork] == [headers[2].id, fork[0].id]
    other = Runner(uneven_join(), store, max_supersteps=3)
    await other.restore(headers[0].id)
    await other.step()
    again = Runner(uneven_join(), store)
    assert other.header is not None
    await again.restore(other.header.id)
    await again.step()
    assert again.branch == other.branch == "fork 3"


async def test_rule_28_fork_saves_a_checkpoint_of_the_same_barrier_at_once():
    store = MemoryStore()
    headers = await finished(store)
    runner = Runner(uneven_join(), store)
    await runner.restore(headers[3].id, fork=True, branch="what if")
    assert runner.header is not None
    assert (runner.header.cause, runner.header.parent) == (Cause.FORK, headers[3].id)
    assert (runner.header.superstep, runner.header.buffered) == (3, 1)
    assert runner.branch == "what if"
    assert await outputs_of(runner) == [["xAB", "xACD"]]
    with pytest.raises(WorkflowCheckpointException, match="'what if' already"):
        await runner.restore(headers[3].id, fork=True, branch="what if")


async def test_rule_28_a_fresh_run_has_no_parent_and_another_id():
    store = MemoryStore()
    runner = Runner(uneven_join(), store)
    await runner.start("x")
    await runner.finish()
    await runner.start("y")
    headers = await store.headers()
    assert headers[-1].parent is None
    assert headers[-1].run_id != headers[0].run_id


async def test_rule_24_one_question_can_be_answered_differently_on_different_forks():
    store = MemoryStore()
    runner = Runner(asking(), store)
    await runner.start("one")
    await runner.finish()
    paused = runner.header
    assert paused is not None
    for accepted in (True, False):
        await runner.restore(paused.id, fork=True)
        assert list(runner.state.requests) == ["ask:1:0"]
        await runner.answer({"ask:1:0": {"accepted": accepted}})
        assert await outputs_of(runner) == [("one", accepted, "ask:1:0")]
    response = [
        header for header in await store.headers() if header.cause is Cause.RESPONSE
    ]
    assert [header.requests for header in response] == [0, 0]


async def test_case_11_the_checkpoint_of_an_answer_repeats_it():
    store = MemoryStore()
    runner = Runner(asking(), store)
    await runner.start("one")
    await runner.finish()
    await runner.answer({"ask:1:0": Verdict(True)})
    answered = runner.header
    assert answered is not None
    other = Runner(asking(), store)
    await other.restore(answered.id)
    assert await outputs_of(other) == [("one", True, "ask:1:0")]


async def test_case_26_a_loaded_paused_run_announces_its_open_questions_once():
    store = MemoryStore()
    runner = Runner(asking(), store)
    await runner.start("circle square")
    await runner.finish()
    assert runner.header is not None
    workflow = asking()
    result = await workflow.run(
        checkpoint_id=runner.header.id, checkpoint_storage=store
    )
    assert [event.request_id for event in result.get_request_info_events()] == [
        "ask:1:0",
        "ask:1:1",
    ]
    assert result.get_final_state() is WorkflowRunState.IDLE_WITH_PENDING_REQUESTS
    again = asking()
    answers = {"ask:1:0": Verdict(True)}
    result = await again.run(
        checkpoint_id=runner.header.id, checkpoint_storage=store, responses=answers
    )
    assert [event.request_id for event in result.get_request_info_events()] == [
        "ask:1:1"
    ]
    assert result.get_outputs() == [("circle", True, "ask:1:0")]
    assert again.get_last_checkpoint_id() == (await store.headers())[-1].id


async def test_rule_21_attributes_behind_hooks_are_restored_before_the_next_invocation_and_not_before():
    store = MemoryStore()
    one = Attributes()
    workflow = WorkflowBuilder(start_executor=one).build()
    runner = Runner(workflow, store)
    await runner.start(5)
    await runner.finish()
    start, end = await store.headers()
    await runner.restore(end.id)
    assert one.restored == []
    await runner.restore(start.id)
    assert await outputs_of(runner) == [5]
    assert one.restored == [0]


# --- refusals -----------------------------------------------------------------------------------------------------


def changed() -> dict[str, Any]:
    """Workflows that differ from `uneven_join` in one thing each, and what the error
    must name.
    """

    def build(
        *, swap: bool = False, policy: Any = "all", d: str = "D", condition: Any = None
    ) -> Any:
        a = Step("A")
        b = Step("B")
        c = Step("C")
        one = Step(d)
        j = Collect("J")
        builder = WorkflowBuilder(start_executor=a, name="other name", max_iterations=7)
        builder.add_fan_out_edges(a, [b, c]).add_edge(c, one, condition)
        return builder.add_fan_in_edges(
            [one, b] if swap else [b, one], j, policy=policy
        ).build()

    return {
        "order of a join's sources": (build(swap=True), "pairs"),
        "policy": (build(policy="zip"), "policy"),
        "an id": (build(d="E"), "executors[E] is new"),
        "a condition": (build(condition=lambda text: text != ""), "condition is new"),
    }


@pytest.mark.parametrize("what", list(changed()))
async def test_rule_30_another_graph_is_refused_with_what_differs_and_nothing_changes(
    what: str,
):
    store = MemoryStore()
    header = (await finished(store))[2]
    workflow, named = changed()[what]
    runner = Runner(workflow, store)
    with pytest.raises(
        SignatureMismatchError, match="Workflow graph has changed"
    ) as caught:
        await runner.restore(header.id)
    assert any(named in line for line in caught.value.differences)
    assert runner.state == RunState()
    assert runner.header is None


async def test_rule_5_limits_and_names_are_not_part_of_the_graph():
    store = MemoryStore()
    header = (await finished(store))[2]
    workflow = uneven_join()
    workflow.name = "renamed"
    workflow.max_iterations = 4
    runner = Runner(workflow, store)
    await runner.restore(header.id)


async def test_rule_18_a_malformed_buffer_is_refused_by_its_key_before_anything_changes():
    store = MemoryStore()
    workflow = uneven_join()
    loaded = Runner(workflow, store)
    await loaded.start("x")
    (message,) = loaded.state.queue
    for buffers, named in (
        ({"fan_in:nobody": (message,)}, "fan_in:nobody"),
        ({JOIN: (message,)}, "none of its"),
    ):
        state = replace(loaded.state, buffers=buffers)
        header = await Archive(store).save(
            state,
            Trace(),
            run_id=named,
            workflow="w",
            cause=Cause.EDIT,
            parent=None,
            branch="main",
        )
        runner = Runner(workflow, store)
        with pytest.raises(WorkflowCheckpointException, match=named):
            await runner.restore(header.id)
        assert runner.state == RunState()


async def test_rule_30_an_unknown_checkpoint_and_a_missing_store_are_said():
    with pytest.raises(CheckpointNotFoundError):
        await Runner(uneven_join(), MemoryStore()).restore("nobody")
    with pytest.raises(ValueError, match="a Runner takes a store"):
        await Runner(uneven_join()).restore("nobody")


async def test_rule_23_answers_with_a_checkpoint_are_checked_too():
    store = MemoryStore()
    runner = Runner(asking(), store)
    await runner.start("one")
    await runner.finish()
    assert runner.header is not None
    workflow = asking()
    with pytest.raises(RequestError):
        await workflow.run(
            checkpoint_id=runner.header.id,
            checkpoint_storage=store,
            responses={"nobody": 1},
        )


# --- saves that fail ----------------------------------------------------------------------------------------------


class Unregistered:
    """A class that the codec does not know."""


async def test_case_75_a_value_that_cannot_be_saved_fails_the_step_with_its_path():
    async def write(_message: Any, ctx: Ctx) -> None:
        ctx.set_state("draft", {"owner": Unregistered()})

    store = MemoryStore()
    runner = Runner(WorkflowBuilder(start_executor=react("a", write)).build(), store)
    await runner.start("x")
    before = runner.state
    header = runner.header
    with pytest.raises(EncodeError, match="draft"):
        await runner.step()
    assert runner.state is before
    assert runner.header is header
    assert await store.latest() == header


class Failing(MemoryStore):
    """A store whose medium fails at some saves, counted from 1."""

    def __init__(self, *failures: int) -> None:
        super().__init__()
        self.failures = failures
        self.saves = 0

    async def save(
        self, record: Record, parts: Mapping[str, bytes]
    ) -> CheckpointHeader:
        self.saves += 1
        if self.saves in self.failures:
            raise CheckpointStoreError("the medium failed")
        return await super().save(record, parts)


async def test_rule_28_a_failed_save_fails_the_step_and_the_state_stays_at_the_saved_barrier():
    store = Failing(3)
    runner = Runner(uneven_join(), store)
    await runner.start("x")
    await runner.step()
    before = runner.state
    with pytest.raises(CheckpointStoreError):
        await runner.step()
    assert runner.state is before
    assert await outputs_of(runner) == [["xAB", "xACD"]]
    assert {header.branch for header in await store.headers()} == {"main"}


async def test_rule_10_with_warn_the_run_goes_on_and_the_gap_is_seen():
    heard: list[RunEvent] = []
    store = Failing(3)
    runner = Runner(
        uneven_join(), store, on_checkpoint_error="warn", observer=heard.append
    )
    await runner.start("x")
    assert await outputs_of(runner) == [["xAB", "xACD"]]
    headers = await store.headers()
    assert [header.superstep for header in headers] == [0, 1, 3, 4]
    assert headers[2].parent == headers[1].id
    assert [
        event.data["error"]
        for event in heard
        if event.kind is RunEventKind.CHECKPOINT_MISSED
    ] == ["the medium failed"]


async def test_rule_28_pipelined_saves_the_same_checkpoints():
    store = MemoryStore()
    runner = Runner(uneven_join(), store, durability="pipelined")
    await runner.start("x")
    assert await outputs_of(runner) == [["xAB", "xACD"]]
    assert [header.superstep for header in await store.headers()] == [0, 1, 2, 3, 4]


async def test_rule_28_pipelined_a_failed_save_stops_the_run_at_the_last_saved_barrier():
    store = Failing(3)
    runner = Runner(uneven_join(), store, durability="pipelined")
    await runner.start("x")
    with pytest.raises(CheckpointStoreError):
        await runner.finish()
    latest = await store.latest()
    assert latest is not None
    assert runner.state.superstep == latest.superstep == 1
    assert await outputs_of(runner) == [["xAB", "xACD"]]


async def test_rule_9_a_save_that_is_cancelled_after_it_was_written_leaves_its_checkpoint_on_its_own_branch():
    class Slow(MemoryStore):
        """Writes, and at the second save does not return before it is cancelled."""

        saves = 0

        async def save(
            self, record: Record, parts: Mapping[str, bytes]
        ) -> CheckpointHeader:
            header = await super().save(record, parts)
            self.saves += 1
            if self.saves == 2:
                await asyncio.Event().wait()
            return header

    store = Slow()
    runner = Runner(uneven_join(), store)
    await runner.start("x")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await runner.step()
    assert runner.status is WorkflowRunState.CANCELLED
    assert runner.state.superstep == 0
    assert await outputs_of(runner) == [["xAB", "xACD"]]
    assert [(header.superstep, header.branch) for header in await store.headers()] == [
        (0, "main"),
        (1, "main"),
        *((number, "fork 1") for number in range(1, 5)),
    ]


async def test_rule_32_a_workflow_without_a_store_may_pass_what_cannot_be_saved():
    async def send(_message: Any, ctx: Ctx) -> None:
        await ctx.send_message(lambda: 1)

    a = react("a", send)
    b = Sink("b")
    runner = Runner(WorkflowBuilder(start_executor=a).add_edge(a, b).build())
    await runner.start("x")
    await runner.finish()
    assert b.seen[0]() == 1


async def test_case_58_restored_at_every_superstep_the_run_ends_as_if_undisturbed():
    store = MemoryStore()
    runner = Runner(uneven_join(), store)
    await runner.start("x")
    outputs: list[Any] = []
    while runner.is_active:
        trace = await runner.step()
        assert trace is not None
        outputs += [output.data for output in trace.outputs]
        assert runner.header is not None
        fresh = Runner(uneven_join(), store)
        await fresh.restore(runner.header.id)
        runner = fresh
    assert outputs == [["xAB", "xACD"]]
    assert {header.branch for header in await store.headers()} == {"main"}


async def test_case_65_a_retried_superstep_does_not_run_what_was_committed():
    store = MemoryStore()
    flaky = Flaky()
    runner = Runner(flaky.workflow, store)
    await runner.start("m")
    with pytest.raises(KeyError):
        await runner.finish()
    flaky.broken = False
    assert runner.header is not None
    other = Runner(flaky.workflow, store)
    await other.restore(runner.header.id)
    trace = await other.step()
    assert trace is not None
    assert [invocation.executor_id for invocation in trace.invocations] == ["x", "y"]


async def test_the_trace_is_saved_beside_the_state():
    store = MemoryStore()
    headers = await finished(store)
    trace = (await Archive(store).load(headers[3].id)).trace
    assert [invocation.executor_id for invocation in trace.invocations] == ["D"]
    assert [(fate.kind, fate.source_id, fate.target_id) for fate in trace.fates] == [
        ("delivered", "C", "D"),
        ("buffered", "B", "J"),
    ]


async def test_the_definition_is_saved_with_each_checkpoint():
    store = MemoryStore()
    workflow = uneven_join()
    workflow.definition = {"name": "uneven"}
    runner = Runner(workflow, store)
    await runner.start("x")
    assert runner.header is not None
    assert (await Archive(store).load(runner.header.id)).definition == {
        "name": "uneven"
    }


async def test_rule_31_a_used_asker_with_an_unfinished_answer_restores_like_a_fresh_one():
    store = MemoryStore()
    asker = Asker()
    runner = Runner(asking(asker), store)
    await runner.start("one")
    await runner.finish()
    paused = runner.header
    assert paused is not None
    await runner.answer({"ask:1:0": Verdict(True)})
    asker.broken = True
    with pytest.raises(ValueError, match="broken"):
        await runner.step()
    asker.broken = False
    await runner.restore(paused.id)
    assert runner.state.queue == ()
    assert list(runner.state.requests) == ["ask:1:0"]


async def test_rule_29_a_message_passed_through_shows_no_sharing_between_two_restored_runs():
    store = MemoryStore()
    a = react("a", passing)
    b = react("b", passing)
    workflow = WorkflowBuilder(start_executor=a).add_edge(a, b).build()
    runner = Runner(workflow, store)
    await runner.start({"items": [1]})
    one = Runner(workflow, store)
    two = Runner(workflow, store)
    assert runner.header is not None
    await one.restore(runner.header.id)
    await two.restore(runner.header.id)
    one.state.queue[0].data["items"].append(2)
    assert two.state.queue[0].data == {"items": [1]}
    await two.restore(runner.header.id)
    assert two.state.queue[0].data == {"items": [1]}


async def test_rule_29_what_a_listener_does_to_an_output_is_not_saved() -> None:
    """A pipelined superstep is encoded after its outputs were told."""
    store = MemoryStore()
    looped = react("a", _yield_and_go_on)
    workflow = WorkflowBuilder(start_executor=looped).add_edge(looped, looped).build()
    runner = Runner(workflow, store, durability="pipelined", observer=_spoil_event)
    runner.listen(_spoil)
    await runner.start(2)
    await runner.finish()
    archive = Archive(store)
    traces = [(await archive.load(header.id)).trace for header in await store.headers()]
    assert [output.data for trace in traces for output in trace.outputs] == [
        [2],
        [1],
        [0],
    ]


async def _yield_and_go_on(message: int, ctx: WorkflowContext[Any, Any]) -> None:
    await ctx.yield_output([message])
    if message:
        await ctx.send_message(message - 1)


def _spoil(event: WorkflowEvent) -> None:
    if event.type == "output":
        event.data.append("spoiled")


def _spoil_event(event: RunEvent) -> None:
    if event.kind == "output":
        event.data["value"].append("spoiled")


async def test_rule_21_workflows_that_share_an_executor_with_hooks_do_not_share_its_state() -> (
    None
):
    class Counting(Executor):
        def __init__(self) -> None:
            super().__init__("count")
            self.n = 0

        @handler
        async def take(self, message: int, ctx: WorkflowContext[int, int]) -> None:
            self.n += 1
            await asyncio.sleep(0)
            if message:
                await ctx.send_message(message - 1)
            else:
                await ctx.yield_output(self.n)

        async def on_checkpoint_save(self) -> dict[str, Any]:
            return {"n": self.n}

        async def on_checkpoint_restore(self, state: dict[str, Any]) -> None:
            self.n = state["n"]

    shared = Counting()
    workflows = [
        WorkflowBuilder(start_executor=shared).add_edge(shared, shared).build()
        for _ in range(2)
    ]
    async with asyncio.TaskGroup() as group:
        runs = [group.create_task(_outputs(workflow)) for workflow in workflows]
    assert [run.result() for run in runs] == [[6], [6]]


async def _outputs(workflow: Workflow) -> list[Any]:
    return (await workflow.run(5)).get_outputs()


async def test_rule_30_a_message_that_nobody_takes_any_more_is_found_before_anything_is_taken_over() -> (
    None
):
    """What a handler takes is not in the graph's signature: its code may have changed
    since.
    """
    store = MemoryStore()
    await Runner(
        WorkflowBuilder(start_executor=react("a", passing, input=str)).build(), store
    ).start("x")
    [header] = await store.headers()
    later = Runner(
        WorkflowBuilder(start_executor=react("a", passing, input=int)).build(), store
    )
    before = later.state
    with pytest.raises(
        WorkflowCheckpointException, match="no handler of executor 'a' takes the str"
    ):
        await later.restore(header.id)
    assert later.state is before
