"""An executor, and an edge group, without a workflow: what a unit test of somebody's executor does."""

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
    WorkflowContext,
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
    async def told(self, original_request: str, response: bool, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(f"{original_request} {response} {ctx.request_id}")


async def tried(message: Any, state: State | None = None) -> tuple[InProcRunnerContext, State]:
    context, shared = InProcRunnerContext(), state or State()
    await Worker("w").execute(message, ["test"], shared, context)
    return context, shared


async def test_what_an_executor_does_is_in_the_context_and_the_state():
    context, state = await tried(WorkflowMessage("abc", "test"))
    sent = await context.drain_messages()
    assert [(one.data, one.target_id) for one in sent["w"]] == [("ABC", "anybody")]
    assert not await context.has_messages()
    assert state.get("last") == "abc"
    events = await context.drain_events()
    assert [event.type for event in events] == ["executor_invoked", "output", "executor_completed"]
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
    with pytest.raises(RuntimeError, match="cannot handle message of type <class 'str'>"):
        await FunctionExecutor(fails).execute("x", ["t"], State(), context)


async def test_rule_8_the_context_of_an_ended_handler_refuses_here_too():
    worker = Worker("w")
    await worker.execute("abc", ["test"], State(), InProcRunnerContext())
    with pytest.raises(ContextClosedError):
        await worker.kept.send_message("late")


async def test_a_context_made_by_hand_works_from_plain_code():
    context, state = InProcRunnerContext(), State()
    ctx: WorkflowContext[str, str] = WorkflowContext(Worker("w"), ["a", "b"], state, context)
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
    context.set_yield_output_classifier(lambda executor_id: "intermediate" if executor_id == "w" else None)
    context.set_runtime_tools([len])
    context.set_streaming(True)
    seen: list[Any] = []

    async def look(_: str, ctx: WorkflowContext[Never, str]) -> None:
        seen.extend([ctx.get_runtime_tools(), ctx.is_streaming()])
        await ctx.yield_output("hidden")

    await FunctionExecutor(look, "f").execute("x", ["t"], State(), context)
    await Worker("w").execute("abc", ["t"], State(), context)
    assert seen == [[len], True]
    kinds = [event.type for event in await context.drain_events() if not event.type.startswith("executor")]
    assert kinds == ["intermediate"]


async def test_a_sub_workflow_does_not_run_by_itself():
    with pytest.raises(WorkflowException, match="runs a workflow"):
        await WorkflowExecutor(uneven_join(), "sub").execute("x", ["t"], State(), InProcRunnerContext())


def test_state_keeps_what_was_written_apart_until_it_is_committed():
    state, value = State(), [1]
    state.set("a", value)
    value.append(2)
    assert (state.get("a"), state.export_state()) == ([1], {})
    state.commit()
    state.delete("a")
    assert (state.has("a"), state.get("a", "gone"), state.export_state()) == (False, "gone", {"a": [1]})
    state.discard()
    state.import_state({"b": 2})
    assert state.export_state() == {"a": [1], "b": 2}
    with pytest.raises(KeyError):
        state.delete("nobody")
    state.clear()
    assert state.export_state() == {}


# --- edge runners -------------------------------------------------------------------------------------------------


async def test_an_edge_runner_takes_messages_where_the_group_says():
    executors: dict[str, Executor] = {"b": Step("b"), "c": Step("c"), "j": Collect("j"), "s": Sink("s")}
    state, context = State(), InProcRunnerContext()

    async def send(group: Any, *messages: WorkflowMessage) -> list[bool]:
        runner = create_edge_runner(group, executors)
        return [await runner.send_message(message, state, context) for message in messages]

    async def is_long(text: str) -> bool:
        return len(text) > 1

    long, short = WorkflowMessage("long", "a"), WorkflowMessage("x", "a")
    assert await send(SingleEdgeGroup("a", "b", is_long), long, short) == [True, False]
    assert await send(FanOutEdgeGroup("a", ["b", "c"]), WorkflowMessage("t", "a", "c"), WorkflowMessage(1, "a")) == [
        True,
        False,
    ]
    cases = [SwitchCaseEdgeGroupCase(lambda text: text == "x", "b"), SwitchCaseEdgeGroupDefault("s")]
    assert await send(SwitchCaseEdgeGroup("a", cases), short, long) == [True, True]
    join = FanInEdgeGroup(["b", "c"], "j")
    assert await send(join, WorkflowMessage("2", "c"), WorkflowMessage("1", "b")) == [True, True]
    seen = {name: executor.seen for name, executor in executors.items()}  # type: ignore[attr-defined]
    assert seen == {"b": ["long", "x"], "c": ["t"], "j": [["1", "2"]], "s": ["long"]}


async def test_a_condition_in_an_edge_runner_looks_at_a_copy_as_in_a_run():
    sink, message = Sink("s"), WorkflowMessage(["x"], "a")
    runner = create_edge_runner(SingleEdgeGroup("a", "s", lambda data: data.append("y") is None), {"s": sink})
    assert await runner.send_message(message, State(), InProcRunnerContext())
    assert (sink.seen, message.data) == ([["x"]], ["x"])


def test_an_edge_runner_is_for_edge_groups():
    with pytest.raises(ValueError, match="Unsupported edge group type"):
        create_edge_runner(Default(Step("a")), {})  # type: ignore[arg-type]
