"""An executor, and an edge group, without a workflow: what a unit test of somebody's
executor does.
"""

from __future__ import annotations

from typing import Any, Never

import pytest

from runtime import (
    Default,
    Executor,
    FanInEdgeGroup,
    FanOutEdgeGroup,
    FunctionExecutor,
    InProcRunnerContext,
    MessageType,
    RunnerContext,
    SingleEdgeGroup,
    State,
    SwitchCaseEdgeGroup,
    SwitchCaseEdgeGroupCase,
    SwitchCaseEdgeGroupDefault,
    WorkflowCheckpoint,
    WorkflowCheckpointException,
    WorkflowContext,
    WorkflowEvent,
    WorkflowExecutor,
    WorkflowMessage,
    create_edge_runner,
    handler,
    response_handler,
)
from runtime.errors import ContextClosedError, WorkflowException
from tests.runtime.graphs import Collect, Sink, Step, uneven_join


class Worker(Executor):
    @handler
    async def take(self, text: str, ctx: WorkflowContext[str, int]) -> None:
        ctx.set_state("last", text)
        await ctx.send_message(text.upper(), target_id="anybody")
        await ctx.yield_output(len(text))
        if ctx.get_state("ask"):
            await ctx.request_info(text, bool, request_id="q")
        self.kept = ctx

    @response_handler
    async def told(
        self, original_request: str, response: bool, ctx: WorkflowContext[str]
    ) -> None:
        await ctx.send_message(f"{original_request} {response} {ctx.request_id}")


async def tried(
    message: Any, state: State | None = None
) -> tuple[InProcRunnerContext, State]:
    context = InProcRunnerContext()
    shared = state or State()
    await Worker("w").execute(message, ["test"], shared, context)
    return context, shared


async def test_what_an_executor_does_is_in_the_context_and_the_state():
    context, state = await tried(WorkflowMessage("abc", "test"))
    sent = await context.drain_messages()
    assert [(one.data, one.target_id) for one in sent["w"]] == [("ABC", "anybody")]
    assert not await context.has_messages()
    assert state.get("last") == "abc"
    events = await context.drain_events()
    assert [event.type for event in events] == [
        "executor_invoked",
        "output",
        "executor_completed",
    ]
    assert events[2].data == ["ABC", 3]


async def test_a_question_is_pending_until_it_is_answered_and_the_answer_is_a_message():
    state = State()
    state.set("ask", True)
    context, _ = await tried("abc", state)
    assert list(await context.get_pending_request_info_events()) == ["q"]
    await context.drain_messages()
    await context.send_request_info_response("q", True)
    (answer,) = (await context.drain_messages())["internal:w"]
    assert answer.type is MessageType.RESPONSE
    executor = Worker("w")
    assert executor.can_handle(answer)
    await executor.execute(answer, ["internal:w"], state, context)
    assert [one.data for one in (await context.drain_messages())["w"]] == ["abc True q"]


async def test_a_failure_is_told_and_raised_and_a_wrong_message_is_refused():
    def fails(number: int) -> None:
        raise ZeroDivisionError("here")

    context = InProcRunnerContext()
    with pytest.raises(ZeroDivisionError, match="here"):
        await FunctionExecutor(fails).execute(1, ["t"], State(), context)
    failed = (await context.drain_events())[-1]
    assert failed.type == "executor_failed"
    assert failed.details is not None
    assert failed.details.message == "here"
    with pytest.raises(
        RuntimeError, match="cannot handle message of type <class 'str'>"
    ):
        await FunctionExecutor(fails).execute("x", ["t"], State(), context)


async def test_rule_8_the_context_of_an_ended_handler_refuses_here_too():
    worker = Worker("w")
    await worker.execute("abc", ["test"], State(), InProcRunnerContext())
    with pytest.raises(ContextClosedError):
        await worker.kept.send_message("late")


async def test_a_context_made_by_hand_works_from_plain_code():
    context = InProcRunnerContext()
    state = State()
    ctx: WorkflowContext[str, str] = WorkflowContext(
        Worker("w"), ["a", "b"], state, context
    )
    ctx.set_state("k", [1])
    await ctx.send_message("x")
    assert (ctx.get_sent_messages(), ctx.source_executor_ids) == (["x"], ["a", "b"])
    assert state.get("k") == ctx.state.get("k") == [1]
    ctx.state.delete("k")
    assert not state.has("k")
    assert isinstance(context, RunnerContext)
    with pytest.raises(ValueError, match="source_executor_ids cannot be empty"):
        WorkflowContext(Worker("w"), [], state, context)


async def test_yields_are_classified_and_tools_and_streaming_are_seen():
    context = InProcRunnerContext()
    context.set_yield_output_classifier(
        lambda executor_id: "intermediate" if executor_id == "w" else None
    )
    context.set_runtime_tools([len])
    context.set_streaming(True)
    seen: list[Any] = []

    async def look(_: str, ctx: WorkflowContext[Never, str]) -> None:
        seen.extend([ctx.get_runtime_tools(), ctx.is_streaming()])
        await ctx.yield_output("hidden")

    await FunctionExecutor(look, "f").execute("x", ["t"], State(), context)
    await Worker("w").execute("abc", ["t"], State(), context)
    assert seen == [[len], True]
    kinds = [
        event.type
        for event in await context.drain_events()
        if not event.type.startswith("executor")
    ]
    assert kinds == ["intermediate"]


async def test_a_sub_workflow_does_not_run_by_itself():
    with pytest.raises(WorkflowException, match="runs a workflow"):
        await WorkflowExecutor(uneven_join(), "sub").execute(
            "x", ["t"], State(), InProcRunnerContext()
        )


def test_state_keeps_what_was_written_apart_until_it_is_committed():
    state = State()
    value = [1]
    state.set("a", value)
    value.append(2)
    assert (state.get("a"), state.export_state()) == ([1], {})
    state.commit()
    state.delete("a")
    assert (state.has("a"), state.get("a", "gone"), state.export_state()) == (
        False,
        "gone",
        {"a": [1]},
    )
    state.discard()
    state.import_state({"b": 2})
    assert state.export_state() == {"a": [1], "b": 2}
    with pytest.raises(KeyError):
        state.delete("nobody")
    state.clear()
    assert state.export_state() == {}


# --- edge runners -------------------------------------------------------------------------------------------------


async def test_an_edge_runner_takes_messages_where_the_group_says():
    executors: dict[str, Executor] = {
        "b": Step("b"),
        "c": Step("c"),
        "j": Collect("j"),
        "s": Sink("s"),
    }
    state = State()
    context = InProcRunnerContext()

    async def send(group: Any, *messages: WorkflowMessage) -> list[bool]:
        runner = create_edge_runner(group, executors)
        return [
            await runner.send_message(message, state, context) for message in messages
        ]

    async def is_long(text: str) -> bool:
        return len(text) > 1

    long = WorkflowMessage("long", "a")
    short = WorkflowMessage("x", "a")
    # What a condition stops has been dealt with; what nobody takes, or is for others,
    # has not.
    assert await send(SingleEdgeGroup("a", "b", is_long), long, short) == [True, True]
    assert (
        await send(
            SingleEdgeGroup("a", "b"),
            WorkflowMessage(1, "a"),
            WorkflowMessage("x", "a", "c"),
        )
        == [False] * 2
    )
    assert await send(
        FanOutEdgeGroup("a", ["b", "c"]),
        WorkflowMessage("t", "a", "c"),
        WorkflowMessage(1, "a"),
    ) == [
        True,
        False,
    ]
    cases = [
        SwitchCaseEdgeGroupCase(lambda text: text == "x", "b"),
        SwitchCaseEdgeGroupDefault("s"),
    ]
    assert await send(SwitchCaseEdgeGroup("a", cases), short, long) == [True, True]
    join = FanInEdgeGroup(["b", "c"], "j")
    assert await send(join, WorkflowMessage("2", "c"), WorkflowMessage("1", "b")) == [
        True,
        True,
    ]
    seen = {name: executor.seen for name, executor in executors.items()}  # type: ignore[attr-defined]
    assert seen == {"b": ["long", "x"], "c": ["t"], "j": [["1", "2"]], "s": ["long"]}


async def test_what_a_join_holds_goes_from_one_edge_runner_to_another():
    executors: dict[str, Executor] = {"b": Step("b"), "c": Step("c"), "j": Collect("j")}
    state = State()
    context = InProcRunnerContext()
    first, second = (
        create_edge_runner(FanInEdgeGroup(["b", "c"], "j"), executors) for _ in range(2)
    )
    assert (first.state_key == second.state_key, first.snapshot_state()) == (True, None)
    await first.send_message(WorkflowMessage("1", "b"), state, context)
    await second.send_message(WorkflowMessage("left over", "c"), state, context)
    second.restore_state(first.snapshot_state())
    await second.send_message(WorkflowMessage("2", "c"), state, context)
    assert executors["j"].seen == [["1", "2"]]  # type: ignore[attr-defined]
    for wrong in ({"buffer": 1}, {"buffer": {"b": ["x"]}}):
        with pytest.raises(WorkflowCheckpointException, match="malformed"):
            second.restore_state(wrong)


async def test_what_was_set_outlives_a_checkpoint_that_is_applied():
    context = InProcRunnerContext()
    context.set_streaming(True)
    context.set_runtime_tools(["t"])
    context.send_message(WorkflowMessage("old", "a"))
    await context.apply_checkpoint(
        WorkflowCheckpoint("w", "h", messages={"a": [WorkflowMessage("new", "a")]})
    )
    assert (context.is_streaming(), context.get_runtime_tools()) == (True, ["t"])
    assert [one.data for one in (await context.drain_messages())["a"]] == ["new"]
    with pytest.warns(DeprecationWarning, match="apply_checkpoint"):
        context.reset_for_new_run()
    assert not context.is_streaming()


async def test_an_answer_that_does_not_fit_leaves_its_question_pending():
    context = InProcRunnerContext()
    with pytest.raises(ValueError, match="must be 'request_info'"):
        context.add_request_info_event(WorkflowEvent("output", 1))
    context.add_request_info_event(WorkflowEvent.request_info("q", "a", "sure?", bool))
    with pytest.raises(TypeError, match="expected bool, got str"):
        await context.send_request_info_response("q", "yes")
    with pytest.raises(ValueError, match="No pending request found for request_id: p"):
        await context.send_request_info_response("p", True)
    assert list(await context.get_pending_request_info_events()) == ["q"]


async def test_a_condition_in_an_edge_runner_looks_at_a_copy_as_in_a_run():
    sink = Sink("s")
    message = WorkflowMessage(["x"], "a")
    runner = create_edge_runner(
        SingleEdgeGroup("a", "s", lambda data: data.append("y") is None), {"s": sink}
    )
    assert await runner.send_message(message, State(), InProcRunnerContext())
    assert (sink.seen, message.data) == ([["x"]], ["x"])


def test_an_edge_runner_is_for_edge_groups():
    with pytest.raises(ValueError, match="Unsupported edge group type"):
        create_edge_runner(Default(Step("a")), {})  # type: ignore[arg-type]
