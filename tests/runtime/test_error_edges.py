"""Edges on error: the failure of an executor is a message, and the superstep does not
fail.
"""

from __future__ import annotations

import asyncio

import pytest

from runtime import (
    EdgeDuplicationError,
    EdgeGroup,
    Executor,
    ExecutorFailure,
    OnErrorEdgeGroup,
    RetryPolicy,
    RunEvent,
    RunEventKind,
    Runner,
    TypeCompatibilityError,
    Workflow,
    WorkflowBuilder,
    WorkflowCheckpointException,
    WorkflowContext,
    WorkflowEvent,
    WorkflowExecutor,
    WorkflowRunState,
    executor,
    handler,
    open_store,
    response_handler,
)
from runtime.expressions.cel import Condition
from runtime.testing.clock import ManualClock
from runtime.values.user_failures import causes_of


class Failing(Executor):
    """Sends on what is even, fails for what is odd; what it did before it failed must
    not last.
    """

    @handler
    async def go(self, message: int, ctx: WorkflowContext[int, int]) -> None:
        ctx.executor_state["handled"] = [
            *ctx.executor_state.get("handled", []),
            message,
        ]
        ctx.set_state("last", message)
        await ctx.send_message(message)
        await ctx.yield_output(message)
        if message % 2:
            raise LookupError(f"{message} is odd")


class Rescue(Executor):
    @handler
    async def take(
        self, failure: ExecutorFailure, ctx: WorkflowContext[str, str]
    ) -> None:
        await ctx.yield_output(
            f"{failure.path or failure.executor_id}: {failure.error_type} of {failure.message}"
        )


@executor(id="end")
async def end(message: int, ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output(f"end {message}")


@executor(id="source")
async def source(message: list[int], ctx: WorkflowContext[int]) -> None:
    for one in message:
        await ctx.send_message(one)


def rescued(*, condition=None, attempts: int = 1) -> Workflow:
    failing = Failing("failing")
    builder = WorkflowBuilder(
        start_executor=source, retry=RetryPolicy(attempts=attempts, backoff=0)
    )
    builder.add_edge(source, failing).add_edge(failing, end)
    return builder.add_error_edge(failing, Rescue("rescue"), condition).build()


async def test_a_failure_goes_along_the_error_edge_and_nowhere_else() -> None:
    result = await rescued().run([2, 3, 4])
    assert result.get_outputs() == [2, 4, "end 2", "end 4", "failing: LookupError of 3"]


async def test_the_failure_tells_who_failed_with_what_and_how_often() -> None:
    runner = Runner(rescued(attempts=3), clock=ManualClock())
    await runner.start([3])
    await runner.step()
    trace = await runner.step()
    [message] = runner.state.queue
    failure = message.data
    assert (failure.executor_id, failure.handler, failure.error_type) == (
        "failing",
        "go",
        "LookupError",
    )
    assert (failure.error, failure.attempts, failure.superstep, failure.message) == (
        "3 is odd",
        3,
        2,
        3,
    )
    assert "raise LookupError" in failure.traceback[1]
    assert "runtime/invocation" not in "".join(failure.traceback)
    assert trace is not None
    assert [(one.attempt, one.error, one.sent) for one in trace.invocations] == [
        *((number, "LookupError: 3 is odd", 0) for number in (1, 2)),
        (3, "LookupError: 3 is odd", 1),
    ]


async def test_what_the_failed_delivery_did_is_dropped_and_what_others_did_stays() -> (
    None
):
    runner = Runner(rescued())
    await runner.start([2, 3])
    await runner.step()
    await runner.step()
    assert runner.state.executors["failing"].state == {"handled": [2]}
    assert runner.state.executors["failing"].runs == 2
    assert runner.state.shared["last"] == 2


async def test_a_condition_says_which_failures_go_along_it_and_others_fail_the_superstep() -> (
    None
):
    workflow = rescued(
        condition=Condition(
            "message.error_type == 'LookupError' && message.message == 3"
        )
    )
    assert "failing: LookupError of 3" in (await workflow.run([3])).get_outputs()
    with pytest.raises(LookupError, match="5 is odd"):
        await workflow.run([5])
    assert workflow.status is WorkflowRunState.FAILED


async def test_an_async_condition_is_awaited() -> None:
    async def is_three(failure: ExecutorFailure) -> bool:
        return failure.message == 3

    workflow = rescued(condition=is_three)
    assert (await workflow.run([3])).get_outputs() == ["failing: LookupError of 3"]
    with pytest.raises(LookupError):
        await workflow.run([5])


async def test_a_condition_that_raises_fails_the_superstep_and_names_the_edge() -> None:
    workflow = rescued(condition=lambda failure: failure.no_such_field)
    with pytest.raises(AttributeError) as raised:
        await workflow.run([3])
    assert "error edge 'on_error:" in "".join(raised.value.__notes__)


async def read(workflow: Workflow, events: list[WorkflowEvent]) -> None:
    async for event in workflow.run(3, stream=True):
        events.append(event)  # noqa: PERF401 - those before an error are kept


@pytest.mark.parametrize("wraps", [False, True])
@pytest.mark.parametrize("is_inside", [False, True])
async def test_what_fails_after_a_failure_hides_it_from_nobody(
    wraps: bool, is_inside: bool
) -> None:
    async def bad(failure: ExecutorFailure) -> bool:
        try:
            raise KeyError("why")
        except KeyError as why:
            raise RuntimeError("bad condition") from (why if wraps else None)

    if is_inside:
        inside = WorkflowExecutor(
            WorkflowBuilder(start_executor=Failing("failing")).build(), "inside"
        )
        workflow = (
            WorkflowBuilder(start_executor=inside)
            .add_error_edge(inside, Rescue("rescue"), bad)
            .build()
        )
    else:
        failing = Failing("failing")
        workflow = (
            WorkflowBuilder(start_executor=failing)
            .add_error_edge(failing, Rescue("rescue"), bad)
            .build()
        )
    told: list[RunEvent] = []
    events: list[WorkflowEvent] = []
    runner = Runner(workflow, observer=told.append)
    await runner.start(3)
    with pytest.raises(RuntimeError, match="bad condition") as raised:
        await runner.finish()
    named = "inside#1/failing" if is_inside else "failing"
    assert (
        f"after executor '{named}' had failed: LookupError: 3 is odd"
        in raised.value.__notes__
    )
    cause = raised.value.__cause__
    assert isinstance(cause.__cause__ if wraps else cause, LookupError)
    kinds = [event.kind for event in told if event.data.get("executor") == "failing"]
    assert kinds[0] is RunEventKind.HANDLER_STARTED
    assert kinds[-1] is RunEventKind.HANDLER_FAILED
    with pytest.raises(RuntimeError, match="bad condition"):
        await read(workflow, events)
    failed = [
        event.details.error_type
        for event in events
        if event.type in ("executor_failed", "failed")
    ]
    assert failed == ["LookupError", "RuntimeError"]


async def test_a_hook_that_cannot_put_back_does_not_hide_why_it_was_asked_to() -> None:
    class Hooked(Executor):
        @handler
        async def go(self, message: int, ctx: WorkflowContext[int]) -> None:
            raise LookupError("3 is odd")

        async def on_checkpoint_save(self) -> dict[str, int]:
            return {"a": 1}

        async def on_checkpoint_restore(self, state: dict[str, int]) -> None:
            raise OSError("no")

    hooked = Hooked("failing")
    workflow = (
        WorkflowBuilder(start_executor=hooked)
        .add_error_edge(hooked, Rescue("rescue"))
        .build()
    )
    events: list[WorkflowEvent] = []
    with pytest.raises(WorkflowCheckpointException) as raised:
        await read(workflow, events)
    assert [type(one) for one in causes_of(raised.value)] == [OSError, LookupError]
    assert [
        event.details.error_type for event in events if event.type == "executor_failed"
    ] == ["LookupError"]


async def test_a_run_that_is_cancelled_while_a_condition_waits_ends_its_executor() -> (
    None
):
    asked = asyncio.Event()

    async def waiting(failure: ExecutorFailure) -> bool:
        asked.set()
        await asyncio.Event().wait()
        return True

    events = []
    runner = Runner(rescued(condition=waiting), observer=events.append)
    await runner.start([3])
    async with asyncio.TaskGroup() as group:
        task = group.create_task(runner.finish())
        await asked.wait()
        task.cancel()
    [cancelled] = [
        event for event in events if event.kind is RunEventKind.HANDLER_CANCELLED
    ]
    assert cancelled.data == {"executor": "failing", "error": "LookupError: 3 is odd"}


async def test_a_condition_that_changes_its_mind_loses_the_failure_with_a_warning() -> (
    None
):
    answers = iter([True, False])
    result = await rescued(condition=lambda _: next(answers)).run([3])
    warnings = [event.data for event in result if event.type == "warning"]
    [text] = warnings
    assert text == (
        "A message of type ExecutorFailure that 'failing' sent went nowhere: the condition of error edge "
        "'on_error:[[\"failing\",\"rescue\"]]' held when 'failing' had failed, and does not hold now. Let it say the "
        "same each time that it is asked."
    )


async def test_the_failure_of_a_handler_of_failures_is_its_own() -> None:
    class Bad(Executor):
        @handler
        async def take(
            self, failure: ExecutorFailure, ctx: WorkflowContext[ExecutorFailure]
        ) -> None:
            await ctx.send_message(failure)
            if failure.executor_id == "failing":
                raise ValueError("again")

    failing = Failing("failing")
    bad = Bad("bad")
    rescue = Rescue("rescue")
    builder = (
        WorkflowBuilder(start_executor=failing)
        .add_error_edge(failing, bad)
        .add_error_edge(bad, rescue)
    )
    result = await builder.build().run(3)
    [text] = result.get_outputs()
    assert text.startswith("bad: ValueError of ExecutorFailure(executor_id='failing'")


async def test_a_failure_that_somebody_sends_on_is_a_message_like_others() -> None:
    @executor(id="forward")
    async def forward(
        failure: ExecutorFailure, ctx: WorkflowContext[ExecutorFailure]
    ) -> None:
        await ctx.send_message(failure)

    failing = Failing("failing")
    builder = WorkflowBuilder(start_executor=failing).add_error_edge(failing, forward)
    result = await builder.add_edge(forward, Rescue("rescue")).build().run(3)
    assert result.get_outputs() == ["failing: LookupError of 3"]


@pytest.mark.parametrize("url", ["memory:", "dir:{}/folder", "sqlite:{}/file.db"])
async def test_every_checkpoint_on_the_way_goes_on_as_the_straight_run_did(
    url: str, tmp_path
) -> None:
    store = open_store(url.format(tmp_path))
    straight = Runner(rescued(attempts=2), store, clock=ManualClock())
    await straight.start([2, 3])
    await straight.finish()
    headers = await store.headers()
    assert len(headers) == 4
    for header in headers:
        restored = Runner(rescued(attempts=2), store, clock=ManualClock())
        await restored.restore(header.id)
        await restored.finish()
        assert restored.state == straight.state
        assert [one.data for one in restored.trace.outputs] == [
            one.data for one in straight.trace.outputs
        ]
    await store.close()


# --- joins --------------------------------------------------------------------------------------------------------


async def test_a_join_that_waits_for_a_failed_source_says_so_also_after_a_restore() -> (
    None
):
    failing = Failing("failing")
    other = Failing("other")
    rescue = Rescue("rescue")

    @executor(id="join")
    async def join(messages: list[int], ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output("joined")

    @executor(id="two")
    async def two(message: int, ctx: WorkflowContext[int]) -> None:
        await ctx.send_message(3, target_id="failing")
        await ctx.send_message(2, target_id="other")

    def build() -> Workflow:
        builder = WorkflowBuilder(start_executor=two).add_fan_out_edges(
            two, [failing, other]
        )
        return (
            builder.add_fan_in_edges([failing, other], join)
            .add_error_edge(failing, rescue)
            .build()
        )

    store = open_store("memory:")
    runner = Runner(build(), store)
    await runner.start(0)
    await runner.step()
    await runner.step()
    await runner.finish()
    assert runner.status is WorkflowRunState.IDLE_WITH_STALLED_JOINS
    expected = (("failing", "failed: its failure went to 'rescue'"),)
    assert runner.stalled[0].missing == expected
    restored = Runner(build(), store)
    assert runner.header is not None
    await restored.restore(runner.header.id)
    assert restored.stalled[0].missing == expected


# --- sub-workflows ------------------------------------------------------------------------------------------------


class Asking(Executor):
    @handler
    async def go(self, message: int, ctx: WorkflowContext[int]) -> None:
        await ctx.request_info("sure?", str)

    @response_handler
    async def answered(
        self, request: str, answer: str, ctx: WorkflowContext[int]
    ) -> None:
        await ctx.send_message(0)


def child(*, has_own_edge: bool = False) -> WorkflowExecutor:
    failing = Failing("failing")
    rescue = Rescue("inner")
    builder = WorkflowBuilder(start_executor=source).add_fan_out_edges(
        source, [failing, Asking("asking")]
    )
    if has_own_edge:
        builder.add_error_edge(failing, rescue)
    return WorkflowExecutor(
        builder.build(), "child", propagate_request=True, allow_direct_output=True
    )


def nested(depth: int, *, has_own_edge: bool = False) -> Workflow:
    inside: WorkflowExecutor = child(has_own_edge=has_own_edge)
    for level in range(depth - 1):
        builder = WorkflowBuilder(start_executor=inside)
        inside = WorkflowExecutor(
            builder.build(),
            f"around{level}",
            propagate_request=True,
            allow_direct_output=True,
        )
    return (
        WorkflowBuilder(start_executor=inside)
        .add_error_edge(inside, Rescue("rescue"))
        .build()
    )


@pytest.mark.parametrize("depth", [1, 2, 3])
async def test_what_nobody_inside_takes_ends_the_sub_workflow_and_goes_to_the_edge_around(
    depth: int,
) -> None:
    events = []
    runner = Runner(nested(depth), open_store("memory:"), observer=events.append)
    await runner.start([2, 3])
    await runner.finish()
    assert runner.status is WorkflowRunState.IDLE
    assert not runner.state.children
    path = "/".join(
        [
            *(f"around{level}#1" for level in reversed(range(depth - 1))),
            "child#1",
            "failing",
        ]
    )
    assert [one.data for one in runner.trace.outputs] == [f"{path}: LookupError of 3"]
    [failed] = [event for event in events if event.kind is RunEventKind.HANDLER_FAILED]
    assert failed.data["taken"] is True


async def test_an_edge_inside_takes_it_first() -> None:
    runner = Runner(nested(2, has_own_edge=True))
    await runner.start([3])
    await runner.finish()
    assert runner.status is WorkflowRunState.IDLE_WITH_PENDING_REQUESTS
    assert [one.data for one in runner.trace.outputs] == ["failing: LookupError of 3"]


async def test_questions_of_a_sub_workflow_that_failed_are_withdrawn() -> None:
    @executor(id="late")
    async def late(message: int, ctx: WorkflowContext[int]) -> None:
        await ctx.send_message(message)

    def build() -> Workflow:
        failing = Failing("failing")
        builder = WorkflowBuilder(start_executor=source).add_fan_out_edges(
            source, [Asking("asking"), late]
        )
        inside = WorkflowExecutor(
            builder.add_edge(late, failing).build(), "child", propagate_request=True
        )
        outer = WorkflowExecutor(
            WorkflowBuilder(start_executor=inside).build(),
            "outer",
            propagate_request=True,
        )
        return (
            WorkflowBuilder(start_executor=outer)
            .add_error_edge(outer, Rescue("rescue"))
            .build()
        )

    events = []
    runner = Runner(build(), open_store("memory:"), observer=events.append)
    await runner.start([3])
    while len(runner.state.requests) == 0:
        await runner.step()
    await runner.finish()
    assert runner.status is WorkflowRunState.IDLE
    assert not runner.state.requests
    assert [event.kind for event in events].count(RunEventKind.REQUEST_CANCELLED) == 1


async def test_of_two_failures_in_one_sub_workflow_the_first_in_order_counts() -> None:
    one = Failing("one")
    two = Failing("two")
    builder = WorkflowBuilder(start_executor=source).add_fan_out_edges(
        source, [one, two]
    )
    inside = WorkflowExecutor(builder.build(), "child")
    workflow = (
        WorkflowBuilder(start_executor=inside)
        .add_error_edge(inside, Rescue("rescue"))
        .build()
    )
    assert (await workflow.run([3])).get_outputs() == ["child#1/one: LookupError of 3"]


# --- questions ----------------------------------------------------------------------------------------------------


async def test_a_response_handler_that_fails_hands_the_answer_on() -> None:
    class Strict(Executor):
        @handler
        async def go(self, message: int, ctx: WorkflowContext[int]) -> None:
            await ctx.request_info("sure?", str)

        @response_handler
        async def answered(
            self, request: str, answer: str, ctx: WorkflowContext[int]
        ) -> None:
            raise ValueError("no")

    strict = Strict("strict")
    workflow = (
        WorkflowBuilder(start_executor=strict)
        .add_error_edge(strict, Rescue("rescue"))
        .build()
    )
    result = await workflow.run(1)
    [event] = result.get_request_info_events()
    result = await workflow.run(responses={event.request_id: "yes"})
    assert result.get_outputs() == ["strict: ValueError of yes"]
    assert result.get_final_state() is WorkflowRunState.IDLE


# --- the graph ----------------------------------------------------------------------------------------------------


def test_an_error_edge_may_stand_beside_another_edge_but_not_beside_its_like() -> None:
    failing = Failing("failing")
    rescue = Rescue("rescue")

    class Both(Rescue):
        @handler
        async def plain(self, message: int, ctx: WorkflowContext[str, str]) -> None: ...

    both = Both("both")
    WorkflowBuilder(start_executor=failing).add_edge(failing, both).add_error_edge(
        failing, both
    ).build()
    builder = WorkflowBuilder(start_executor=failing).add_error_edge(failing, rescue)
    with pytest.raises(EdgeDuplicationError):
        builder.add_error_edge(failing, rescue, lambda _: True, id="second").build()


def test_the_target_must_take_failures() -> None:
    failing = Failing("failing")
    with pytest.raises(TypeCompatibilityError, match="ExecutorFailure"):
        WorkflowBuilder(start_executor=failing).add_error_edge(failing, end).build()


def test_the_signature_contains_error_edges_and_their_conditions() -> None:
    def build(kind: str, condition=None) -> str:
        failing = Failing("failing")
        rescue = Rescue("rescue")
        builder = WorkflowBuilder(start_executor=failing)
        if kind == "error":
            builder.add_error_edge(failing, rescue, condition)
        return builder.build().signature()

    signatures = {
        build("none"),
        build("error"),
        build("error", Condition("message.attempts > 1")),
    }
    assert len(signatures) == 3


def test_an_error_edge_is_data_and_comes_back() -> None:
    group = OnErrorEdgeGroup("a", "b", Condition("true"))
    again = EdgeGroup.from_dict(group.to_dict())
    assert isinstance(again, OnErrorEdgeGroup)
    assert (again.id, again.pairs, again.edges[0].condition_name) == (
        group.id,
        group.pairs,
        "true",
    )


async def test_a_message_cannot_be_addressed_along_an_error_edge() -> None:
    from runtime import UnknownTargetError

    @executor(id="addressing")
    async def addressing(message: int, ctx: WorkflowContext[int]) -> None:
        await ctx.send_message(message, target_id="rescue")

    rescue = Rescue("rescue")
    workflow = (
        WorkflowBuilder(start_executor=addressing)
        .add_error_edge(addressing, rescue)
        .build()
    )
    result = await workflow.run(1)
    assert result.get_outputs() == [f"addressing: {UnknownTargetError.__name__} of 1"]


def test_messages_of_a_failure_are_told_from_those_that_carry_one() -> None:
    from runtime.message import Message, is_failure_of_source

    failure = ExecutorFailure("a", "go", "ValueError", "", 1, 1)
    assert is_failure_of_source(Message(failure, "a"))
    assert not is_failure_of_source(Message(failure, "b"))
    assert not is_failure_of_source(Message("a", "a"))
