"""Retry, time limit and cancelling of one executor: the rules of `runtime.policy`."""

from __future__ import annotations

import asyncio
import math

import pytest

from runtime import (
    ContextClosedError,
    Executor,
    ExecutorCancelledError,
    ExecutorTimeoutError,
    FailurePolicy,
    RetryPolicy,
    RunEvent,
    RunEventKind,
    Runner,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowRunnerException,
    WorkflowRunState,
    executor,
    handler,
    open_store,
)
from runtime.checkpoints.archive import Archive
from runtime.policy import is_tried_again
from runtime.testing.clock import ManualClock


class Flaky(Executor):
    """Fails until its `good`th call; before, it does everything that must not last."""

    def __init__(self, id: str, good: int, error=ValueError) -> None:
        super().__init__(id)
        self.good = good
        self.error = error
        self.calls = 0
        self.seen: list[object] = []

    @handler
    async def go(
        self, message: list[int], ctx: WorkflowContext[list[int], str]
    ) -> None:
        self.calls += 1
        self.seen.append(
            (
                list(message),
                ctx.get_state("key"),
                dict(ctx.executor_state),
                ctx.get_sent_messages(),
            )
        )
        message.append(self.calls)
        ctx.set_state("key", self.calls)
        ctx.executor_state["tries"] = ctx.executor_state.get("tries", 0) + 1
        await ctx.send_message([self.calls])
        await ctx.yield_output(f"call {self.calls}")
        if self.calls < self.good:
            raise self.error(f"call {self.calls} failed")


class Counting(Executor):
    """Keeps a count in an attribute, through hooks, and fails in the first call for
    each message.
    """

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.count = 0
        self.failed = set[int]()

    @handler
    async def go(self, message: int, ctx: WorkflowContext[int, int]) -> None:
        self.count += 1
        if message not in self.failed:
            self.failed.add(message)
            raise ValueError("first")
        await ctx.yield_output(self.count)

    async def on_checkpoint_save(self) -> dict[str, int]:
        return {"count": self.count}

    async def on_checkpoint_restore(self, state: dict[str, int]) -> None:
        self.count = state["count"]


def sink(id: str = "sink") -> Executor:
    @executor(id=id)
    async def take(message: list[int], ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"took {message}")

    return take


def hanging(id: str, started: asyncio.Event, *, stubborn: bool = False) -> Executor:
    @executor(id=id)
    async def hang(message: list[int], ctx: WorkflowContext[list[int]]) -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if not stubborn:
                raise
        await ctx.send_message(message)

    return hang


async def test_an_attempt_begins_as_if_there_had_been_none_before() -> None:
    flaky = Flaky("flaky", good=3)
    clock = ManualClock()
    builder = WorkflowBuilder(
        start_executor=flaky, retry=RetryPolicy(attempts=3, backoff=1)
    ).add_edge(flaky, sink())
    runner = Runner(builder.build(), open_store("memory:"), clock=clock)
    await runner.start([0])
    trace = await runner.step()
    assert flaky.seen == [([0], None, {}, [])] * 3
    assert clock.waits == [1, 2]
    assert trace is not None
    assert [(one.attempt, one.error, one.sent) for one in trace.invocations] == [
        (1, "ValueError: call 1 failed", 0),
        (2, "ValueError: call 2 failed", 0),
        (3, "", 1),
    ]
    assert [output.data for output in trace.outputs] == ["call 3"]
    assert [message.data for message in runner.state.queue] == [[3]]
    assert runner.state.shared["key"] == 3
    assert runner.state.executors["flaky"].state == {"tries": 1}
    assert runner.state.executors["flaky"].runs == 1


async def test_the_trace_of_attempts_comes_back_from_a_store(tmp_path) -> None:
    store = open_store(f"dir:{tmp_path}")
    flaky = Flaky("flaky", good=2)
    workflow = WorkflowBuilder(
        start_executor=flaky, retry=RetryPolicy(attempts=2, backoff=0)
    ).build()
    runner = Runner(workflow, store)
    await runner.start([0])
    trace = await runner.step()
    assert runner.header is not None
    assert (await Archive(store).load(runner.header.id)).trace == trace
    await store.close()


async def test_attributes_roll_back_through_hooks_between_attempts_of_each_delivery() -> (
    None
):
    counting = Counting("counting")

    @executor(id="two")
    async def two(message: int, ctx: WorkflowContext[int]) -> None:
        await ctx.send_message(message)
        await ctx.send_message(message + 1)

    builder = WorkflowBuilder(start_executor=two).add_edge(two, counting)
    builder.set_failure_policy(counting, retry=RetryPolicy(attempts=2, backoff=0))
    result = await builder.build().run(1)
    assert result.get_outputs() == [1, 2]


async def test_siblings_are_not_run_again() -> None:
    flaky = Flaky("flaky", good=3)
    calls = []

    @executor(id="sibling")
    async def sibling(message: list[int], ctx: WorkflowContext[list[int]]) -> None:
        calls.append(message)

    @executor(id="start")
    async def start(message: list[int], ctx: WorkflowContext[list[int]]) -> None:
        await ctx.send_message(message)

    builder = WorkflowBuilder(
        start_executor=start, retry=RetryPolicy(attempts=3, backoff=0)
    )
    workflow = builder.add_fan_out_edges(start, [flaky, sibling]).build()
    await workflow.run([0])
    assert flaky.calls == 3
    assert calls == [[0]]


async def test_the_last_error_fails_the_superstep_and_a_resumed_run_has_all_attempts_again() -> (
    None
):
    flaky = Flaky("flaky", good=4)
    workflow = WorkflowBuilder(
        start_executor=flaky, retry=RetryPolicy(attempts=2, backoff=0)
    ).build()
    with pytest.raises(ValueError, match="call 2 failed"):
        await workflow.run([0])
    assert workflow.status is WorkflowRunState.FAILED
    result = await workflow.resume()
    assert result.get_outputs() == ["call 4"]


async def test_a_refusal_that_would_be_the_same_again_is_not_tried_again() -> None:
    flaky = Flaky("flaky", good=9, error=lambda text: ContextClosedError(text, 1))
    workflow = WorkflowBuilder(
        start_executor=flaky, retry=RetryPolicy(attempts=5, backoff=0)
    ).build()
    with pytest.raises(ContextClosedError):
        await workflow.run([0])
    assert flaky.calls == 1


def test_what_ends_more_than_the_superstep_is_not_tried_again() -> None:
    assert is_tried_again(TimeoutError())
    assert not is_tried_again(KeyboardInterrupt())
    assert not is_tried_again(asyncio.CancelledError())


async def test_sys_exit_in_a_handler_is_a_failure_like_others() -> None:
    flaky = Flaky("flaky", good=2, error=SystemExit)
    workflow = WorkflowBuilder(
        start_executor=flaky, retry=RetryPolicy(attempts=2, backoff=0)
    ).build()
    assert (await workflow.run([0])).get_outputs() == ["call 2"]


async def test_a_wait_is_cancelled_with_the_run() -> None:
    flaky = Flaky("flaky", good=2)
    clock = ManualClock(skips_waits=False)
    told: list[RunEvent] = []
    workflow = WorkflowBuilder(
        start_executor=flaky, retry=RetryPolicy(attempts=2)
    ).build()
    runner = Runner(workflow, clock=clock, observer=told.append)
    await runner.start([0])
    async with asyncio.TaskGroup() as group:
        task = group.create_task(runner.step())
        await clock.waiting.wait()
        task.cancel()
    assert runner.status is WorkflowRunState.CANCELLED
    assert flaky.calls == 1
    assert runner.state.superstep == 0
    [cancelled] = [
        event.data for event in told if event.kind is RunEventKind.HANDLER_CANCELLED
    ]
    assert cancelled == {"executor": "flaky", "error": "ValueError: call 1 failed"}


# --- time limits --------------------------------------------------------------------------------------------------


async def stepped(
    runner: Runner, started: asyncio.Event, meanwhile
) -> BaseException | None:
    """Step, and once the handler waits do something."""
    outcome: list[BaseException | None] = []

    async def step() -> None:
        try:
            await runner.step()
            outcome.append(None)
        except WorkflowRunnerException as error:
            outcome.append(error)

    async with asyncio.TaskGroup() as group:
        group.create_task(step())
        await started.wait()
        meanwhile()
    return outcome[0]


@pytest.mark.parametrize("stubborn", [False, True])
async def test_a_handler_that_takes_too_long_fails(stubborn: bool) -> None:
    started = asyncio.Event()
    clock = ManualClock()
    start = hanging("slow", started, stubborn=stubborn)
    builder = WorkflowBuilder(start_executor=start, timeout=5).add_edge(start, sink())
    runner = Runner(builder.build(), clock=clock)
    await runner.start([0])
    error = await stepped(runner, started, lambda: clock.advance(5))
    assert isinstance(error, ExecutorTimeoutError)
    assert (error.executor_id, error.seconds) == ("slow", 5)
    assert "longer than its time limit of 5 s" in str(error)
    assert runner.status is WorkflowRunState.FAILED
    assert runner.state.superstep == 0


async def test_each_attempt_has_the_whole_limit_and_a_timer_that_is_not_needed_is_gone() -> (
    None
):
    flaky = Flaky("flaky", good=3)
    clock = ManualClock()
    workflow = WorkflowBuilder(
        start_executor=flaky, retry=RetryPolicy(attempts=3), timeout=5
    ).build()
    runner = Runner(workflow, clock=clock)
    await runner.start([0])
    await runner.step()
    clock.advance(100)
    assert clock.limits == [5, 5, 5]
    assert runner.state.superstep == 1


async def test_a_plain_function_that_never_ends_times_out_too() -> None:
    import threading

    release = threading.Event()
    clock = ManualClock()
    started = threading.Event()

    @executor(id="plain")
    def plain(message: list[int]) -> None:
        started.set()
        release.wait(10)

    runner = Runner(
        WorkflowBuilder(start_executor=plain, timeout=2).build(), clock=clock
    )
    await runner.start([0])
    try:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(step_error(runner))
            await asyncio.get_running_loop().run_in_executor(None, started.wait, 10)
            clock.advance(2)
        assert isinstance(task.result(), ExecutorTimeoutError)
    finally:
        release.set()


async def step_error(runner: Runner) -> BaseException | None:
    try:
        await runner.step()
    except WorkflowRunnerException as error:
        return error
    return None


# --- cancelling one executor --------------------------------------------------------------------------------------


async def test_one_executor_is_cancelled_and_its_policy_decides_what_comes_then() -> (
    None
):
    started = asyncio.Event()
    kinds = []
    calls = 0

    @executor(id="slow")
    async def slow(message: list[int], ctx: WorkflowContext[None, str]) -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            started.set()
            await asyncio.Event().wait()
        await ctx.yield_output("done")

    workflow = WorkflowBuilder(
        start_executor=slow, retry=RetryPolicy(attempts=2, backoff=0)
    ).build()
    runner = Runner(
        workflow, observer=lambda event: kinds.append((event.kind, event.data))
    )
    await runner.start([0])
    assert (
        await stepped(runner, started, lambda: runner.cancel_executor("slow")) is None
    )
    assert calls == 2
    failed = [data for kind, data in kinds if kind is RunEventKind.ATTEMPT_FAILED]
    assert [one["error_type"] for one in failed] == ["ExecutorCancelledError"]


async def test_without_a_policy_a_cancelled_executor_fails_the_superstep() -> None:
    started = asyncio.Event()
    start = hanging("slow", started)
    runner = Runner(
        WorkflowBuilder(start_executor=start).add_edge(start, sink()).build()
    )
    await runner.start([0])
    error = await stepped(runner, started, lambda: runner.cancel_executor("slow"))
    assert isinstance(error, ExecutorCancelledError)
    assert runner.status is WorkflowRunState.FAILED
    with pytest.raises(WorkflowRunnerException, match="does not run just now"):
        runner.cancel_executor("slow")


async def test_cancelled_while_it_waits_there_is_no_further_attempt() -> None:
    flaky = Flaky("flaky", good=9)
    clock = ManualClock(skips_waits=False)
    runner = Runner(
        WorkflowBuilder(start_executor=flaky, retry=RetryPolicy(attempts=5)).build(),
        clock=clock,
    )
    await runner.start([0])
    async with asyncio.TaskGroup() as group:
        task = group.create_task(step_error(runner))
        await clock.waiting.wait()
        runner.cancel_executor("flaky")
    assert isinstance(task.result(), ExecutorCancelledError)
    assert flaky.calls == 1


# --- policies -----------------------------------------------------------------------------------------------------


def test_waits_grow_up_to_the_longest_and_jitter_is_the_same_each_time() -> None:
    policy = RetryPolicy(attempts=100, backoff=1, factor=10, max_backoff=60)
    assert [policy.wait_after(one) for one in (1, 2, 3, 99)] == [1, 10, 60, 60]
    jittered = RetryPolicy(backoff=8, jitter=0.5)
    assert 4 <= jittered.wait_after(1, "a") <= 8
    assert (
        jittered.wait_after(1, "a")
        == jittered.wait_after(1, "a")
        != jittered.wait_after(1, "b")
    )
    assert RetryPolicy(backoff=5, max_backoff=0).wait_after(1) == 0


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: RetryPolicy(attempts=0), "attempts must be from 1 to 100"),
        (lambda: RetryPolicy(attempts=2.5), "whole number"),  # type: ignore[arg-type]
        (lambda: RetryPolicy(backoff=-1), "backoff must be from 0"),
        (lambda: RetryPolicy(factor=0.5), "factor must be from 1"),
        (lambda: RetryPolicy(max_backoff=math.nan), "max_backoff"),
        (lambda: RetryPolicy(jitter=2), "jitter must be from 0 to 1"),
        (lambda: FailurePolicy(timeout=0), "more than 0 seconds"),
        (lambda: FailurePolicy(timeout="5"), "timeout is a number"),  # type: ignore[arg-type]
        (lambda: FailurePolicy(retry=3), "Write RetryPolicy"),  # type: ignore[arg-type]
    ],
)
def test_a_policy_that_means_nothing_is_refused(make, text: str) -> None:
    with pytest.raises((TypeError, ValueError), match=text):
        make()


def test_an_executor_has_its_own_policy_or_that_of_the_workflow() -> None:
    one = Flaky("one", 1)
    two = sink("two")
    builder = WorkflowBuilder(start_executor=one, timeout=9).add_edge(one, two)
    builder.set_failure_policy(two)
    assert builder.build().policies == {"one": FailurePolicy(timeout=9)}


def test_a_signature_does_not_contain_policies() -> None:
    one = Flaky("one", 1)
    plain = WorkflowBuilder(start_executor=one)
    careful = WorkflowBuilder(start_executor=one, timeout=9)
    assert plain.build().signature() == careful.build().signature()


# --- what is told at once -----------------------------------------------------------------------------------------


async def test_outputs_of_an_attempt_that_failed_are_taken_back_by_name() -> None:
    flaky = Flaky("flaky", good=3)
    workflow = WorkflowBuilder(
        start_executor=flaky, retry=RetryPolicy(attempts=3, backoff=0)
    ).build()
    told = [
        (event.type, event.data)
        async for event in workflow.run([0], stream=True)
        if "output" in event.type
    ]
    assert told == [
        ("output", "call 1"),
        ("output_withdrawn", "call 1"),
        ("output", "call 2"),
        ("output_withdrawn", "call 2"),
        ("output", "call 3"),
    ]


async def test_the_caller_hears_of_each_attempt_and_of_one_end() -> None:
    flaky = Flaky("flaky", good=2)
    workflow = WorkflowBuilder(
        start_executor=flaky, retry=RetryPolicy(attempts=2, backoff=0)
    ).build()
    result = await workflow.run([0])
    kinds = [
        event.type
        for event in result
        if event.executor_id == "flaky" or event.type == "warning"
    ]
    assert kinds[:4] == ["executor_invoked", "warning", "output", "executor_completed"]
    [text] = [
        event.data
        for event in result
        if event.type == "warning" and "Attempt" in str(event.data)
    ]
    assert (
        text
        == "Attempt 1 of 2 of executor 'flaky' failed: ValueError: call 1 failed. The next begins."
    )


async def test_a_payload_that_cannot_be_copied_is_told_also_where_it_may_be_tried_again() -> (
    None
):
    class Uncopyable:
        def __deepcopy__(self, memo: object) -> Uncopyable:
            raise TypeError("no copy")

    @executor(id="start")
    async def start(message: int, ctx: WorkflowContext[Uncopyable]) -> None:
        await ctx.send_message(Uncopyable())

    @executor(id="careful")
    async def careful(message: Uncopyable, ctx: WorkflowContext[None, str]) -> None:
        calls.append(message)
        if len(calls) == 1:
            raise ValueError

    calls: list[Uncopyable] = []
    builder = WorkflowBuilder(start_executor=start).add_edge(start, careful)
    builder.set_failure_policy(careful, retry=RetryPolicy(attempts=2, backoff=0))
    result = await builder.build().run(1)
    assert calls[0] is calls[1]
    [text] = [
        str(event.data)
        for event in result
        if event.type == "warning" and "copied" in str(event.data)
    ]
    assert text.startswith("Executor 'careful' gets a value of type")
