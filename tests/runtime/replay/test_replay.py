"""Going on from the past: what was called is not called again unasked."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from runtime.checkpoints.archive import Archive
from runtime.engine.replay.settings import Pin, Replay
from runtime.engine.runner import Runner
from runtime.errors import OutsideCallError
from runtime.executors.executor import (
    Executor,
    WorkflowContext,
    executor,
    handler,
    response_handler,
)
from runtime.patches import Patch, PatchChange
from runtime.policy import RetryPolicy
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import WorkflowExecutor
from runtime.workflow.workflow import Workflow
from tests.runtime.replay.reaching import (
    Fetch,
    World,
    chain,
    finished,
    origins,
    outputs_of,
    sink,
    two_requests,
    upper,
)


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


async def gone_on(
    workflow: Workflow,
    store: MemoryStore,
    checkpoint_id: str,
    replay: Replay | None = None,
    **settings: Any,
) -> Runner:
    runner = Runner(workflow, store, **settings)
    await runner.restore(checkpoint_id, fork=True, replay=replay)
    await runner.finish()
    return runner


async def test_the_default_calls_nothing_again_and_comes_to_the_same(
    world: World, store: MemoryStore
) -> None:
    headers = await finished(two_requests(world), store)
    called = list(world.calls)
    for header in headers:
        runner = await gone_on(two_requests(world), store, header.id)
        if header.superstep < 4:
            assert outputs_of(runner) == ["second:FIRST:A/1/2"]
    assert world.calls == called == ["first:a", "second:FIRST:A/1"]


async def test_the_trace_says_what_was_recorded(
    world: World, store: MemoryStore
) -> None:
    (first, *_) = await finished(two_requests(world), store)
    assert set((await origins(store)).values()) == {"live"}
    await gone_on(two_requests(world), store, first.id)
    assert await origins(store) == {
        "first": "recorded",
        "big": "live",
        "second": "recorded",
        "out": "live",
    }


async def test_a_live_executor_is_called_and_what_follows_from_another_answer_too(
    world: World, store: MemoryStore
) -> None:
    (first, *_) = await finished(two_requests(world), store)
    replay = Replay(live=frozenset({"first"}))
    await gone_on(two_requests(world), store, first.id, replay)
    assert world.calls[2:] == ["first:a", "second:FIRST:A/3"]


async def test_by_the_default_live_everything_is_called(
    world: World, store: MemoryStore
) -> None:
    (first, *_) = await finished(two_requests(world), store)
    await gone_on(two_requests(world), store, first.id, Replay(default="live"))
    assert len(world.calls) == 4
    assert set((await origins(store)).values()) == {"live"}


async def test_a_pinned_executor_has_the_result_of_the_user_every_time(
    world: World, store: MemoryStore
) -> None:
    (first, *_) = await finished(two_requests(world), store)
    replay = Replay(
        pinned={"first": Pin(sent=("x",)), "second": Pin(sent=("y", "z"))},
        on_miss="refuse",
    )
    runner = await gone_on(two_requests(world), store, first.id, replay)
    assert outputs_of(runner) == ["y", "z"]
    assert len(world.calls) == 2
    assert (await origins(store))["first"] == "pinned"


async def test_what_was_pinned_on_one_branch_is_not_the_record_of_another(
    world: World, store: MemoryStore
) -> None:
    (first, *_) = await finished(two_requests(world), store)
    replay = Replay(pinned={"first": Pin(sent=("x",))})
    await gone_on(two_requests(world), store, first.id, replay)
    runner = await gone_on(two_requests(world), store, first.id)
    assert outputs_of(runner) == ["second:FIRST:A/1/2"]


async def test_a_pinned_error_fails_as_an_error_of_the_handler(
    world: World, store: MemoryStore
) -> None:
    (first, *_) = await finished(two_requests(world), store)
    replay = Replay(pinned={"first": Pin(error="out of order")})
    with pytest.raises(Exception, match="out of order"):
        await gone_on(two_requests(world), store, first.id, replay)


@pytest.mark.parametrize("on_miss", ["refuse", "stop"])
async def test_another_message_is_not_sent_out_unasked(
    world: World, store: MemoryStore, on_miss: Any
) -> None:
    (first, *_) = await finished(two_requests(world), store)
    replay = Replay(pinned={"first": Pin(sent=("x",))}, on_miss=on_miss)
    runner = Runner(two_requests(world), store)
    await runner.restore(first.id, fork=True, replay=replay)
    with pytest.raises(OutsideCallError) as caught:
        await runner.finish()
    assert caught.value.name == "second"
    assert "request of second" in str(caught.value)
    assert "its message is another one" in str(caught.value)
    assert len(world.calls) == 2
    assert runner.state.superstep == 2


async def test_beyond_what_is_recorded_everything_is_called(
    world: World, store: MemoryStore
) -> None:
    runner = Runner(two_requests(world), store)
    await runner.start("a")
    await runner.step()
    (first, *_) = await store.headers()
    again = await gone_on(
        two_requests(world), store, first.id, Replay(on_miss="refuse")
    )
    assert world.calls == ["first:a", "second:FIRST:A/1"]
    assert outputs_of(again) == ["second:FIRST:A/1/2"]


async def test_a_run_that_goes_on_at_its_head_is_no_repetition(
    world: World, store: MemoryStore
) -> None:
    runner = Runner(two_requests(world), store)
    await runner.start("a")
    await runner.step()
    head = (await store.headers())[-1]
    again = Runner(two_requests(world), store)
    await again.restore(head.id, replay=Replay(on_miss="refuse"))
    await again.finish()
    assert len(world.calls) == 2


async def test_a_fork_of_a_fork_finds_what_its_fork_was_given(
    world: World, store: MemoryStore
) -> None:
    (first, *_) = await finished(two_requests(world), store)
    await gone_on(two_requests(world), store, first.id)
    fork = next(one for one in await store.headers() if one.cause == "fork")
    runner = await gone_on(
        two_requests(world), store, fork.id, Replay(on_miss="refuse")
    )
    assert outputs_of(runner) == ["second:FIRST:A/1/2"]
    later = (await store.headers(branch=fork.branch))[1]
    await gone_on(two_requests(world), store, later.id, Replay(on_miss="refuse"))
    assert len(world.calls) == 2


async def test_the_result_of_the_line_that_one_comes_from_is_preferred(
    world: World, store: MemoryStore
) -> None:
    headers = await finished(two_requests(world), store)
    live = Replay(default="live")
    fork = await gone_on(two_requests(world), store, headers[0].id, live)
    assert outputs_of(fork) == ["second:FIRST:A/3/4"]
    at = headers[0].id
    own = await gone_on(two_requests(world), store, at)
    assert outputs_of(own) == ["second:FIRST:A/1/2"]
    assert fork.header is not None
    there = await gone_on(two_requests(world), store, at, Replay(prefer=fork.header.id))
    assert outputs_of(there) == ["second:FIRST:A/3/4"]


@pytest.mark.parametrize("fork", [True, False])
async def test_a_fork_that_was_interrupted_goes_on_with_what_is_recorded(
    world: World, store: MemoryStore, fork: bool
) -> None:
    (first, *_) = await finished(two_requests(world), store)
    runner = Runner(two_requests(world), store)
    await runner.restore(first.id, fork=fork)
    await runner.step()
    await runner.step()
    head = (await store.headers())[-1]
    assert (head.branch, head.superstep) == ("fork 1", 2)
    again = Runner(two_requests(world), store)
    await again.restore(head.id, replay=Replay(on_miss="refuse"))
    await again.finish()
    assert outputs_of(again) == ["second:FIRST:A/1/2"]
    assert len(world.calls) == 2


async def test_a_fork_adds_no_bytes_for_what_is_recorded(
    world: World, store: MemoryStore
) -> None:
    (first, *_) = await finished(two_requests(world), store)
    await gone_on(two_requests(world), store, first.id)
    calls = [
        part.digest
        for header in await store.headers()
        for part in (await store.load(header.id)).manifest
        if part.kind == "call"
    ]
    assert len(calls) == 4
    assert len(set(calls)) == 2


async def test_a_runner_prefers_the_line_that_it_is_on(
    world: World, store: MemoryStore
) -> None:
    headers = await finished(two_requests(world), store)
    runner = await gone_on(
        two_requests(world), store, headers[0].id, Replay(default="live")
    )
    await runner.restore(headers[0].id, fork=True)
    await runner.finish()
    assert outputs_of(runner) == ["second:FIRST:A/3/4"]


async def test_where_a_checkpoint_was_removed_only_its_calls_are_missing(
    world: World, store: MemoryStore
) -> None:
    headers = await finished(two_requests(world), store)
    await store.delete([headers[1].id])
    plan = await Runner(two_requests(world), store).plan_outside(headers[0].id)
    assert [(call.executor_id, call.mode, call.reason) for call in plan] == [
        ("first", "live", "nothing is recorded of it here"),
        ("second", "recorded", "as long as what comes before it stays the same"),
    ]
    replay = Replay(pinned={"first": Pin(sent=("first:a/1",))}, on_miss="refuse")
    runner = await gone_on(two_requests(world), store, headers[0].id, replay)
    assert outputs_of(runner) == ["second:FIRST:A/1/2"]


async def test_going_on_without_a_fork_opens_a_branch_and_calls_nothing(
    world: World, store: MemoryStore
) -> None:
    (first, *_) = await finished(two_requests(world), store)
    runner = Runner(two_requests(world), store)
    await runner.restore(first.id)
    await runner.finish()
    assert len(world.calls) == 2
    assert runner.branch != "main"


async def test_run_with_a_checkpoint_calls_nothing_again(
    world: World, store: MemoryStore
) -> None:
    (first, *_) = await finished(two_requests(world), store)
    result = await two_requests(world, checkpoint_storage=store).run(
        checkpoint_id=first.id
    )
    assert result.get_outputs() == ["second:FIRST:A/1/2"]
    assert len(world.calls) == 2


async def test_run_with_a_checkpoint_takes_the_choice(
    world: World, store: MemoryStore
) -> None:
    (first, *_) = await finished(two_requests(world), store)
    workflow = two_requests(world, checkpoint_storage=store)
    pinned = Replay(pinned={"second": Pin(sent=("x",))})
    result = await workflow.run(checkpoint_id=first.id, replay=pinned)
    assert result.get_outputs() == ["x"]
    assert len(world.calls) == 2
    with pytest.raises(ValueError, match="without 'checkpoint_id'"):
        await workflow.run("a", replay=pinned)


async def test_pipelined_saving_keeps_the_calls_too(
    world: World, store: MemoryStore
) -> None:
    (first, *_) = await finished(two_requests(world), store, durability="pipelined")
    await gone_on(two_requests(world), store, first.id, durability="pipelined")
    assert len(world.calls) == 2


async def test_only_what_reaches_outside_costs_something(store: MemoryStore) -> None:
    await finished(chain(upper("a"), sink()), store)
    headers = await store.headers()
    assert {header.format for header in headers} == {2}
    for header in headers:
        record = await store.load(header.id)
        assert all(part.kind != "call" for part in record.manifest)


async def test_a_checkpoint_has_the_calls_of_the_superstep_before(
    world: World, store: MemoryStore
) -> None:
    headers = await finished(two_requests(world), store)
    assert [header.format for header in headers] == [2, 3, 2, 3, 2]
    checkpoint = await Archive(store).load(headers[1].id)
    (call,) = checkpoint.calls
    assert (call.executor_id, call.handler, call.what) == (
        "first",
        "fetch",
        "request of first",
    )
    assert [message.data for message in call.results.sent] == ["first:a/1"]


# --- what a call depends on -------------------------------------------------------------------------------------


async def test_other_code_is_called(world: World, store: MemoryStore) -> None:
    def reading(text: str) -> Workflow:
        @executor(id="read", outside="read")
        async def read(message: str, ctx: WorkflowContext[str]) -> None:
            await ctx.send_message(world.ask(text))

        return chain(read, sink())

    (first, *_) = await finished(reading("one"), store)
    await gone_on(reading("one"), store, first.id, Replay(on_miss="refuse"))
    with pytest.raises(OutsideCallError, match="its code or its parameters"):
        await gone_on(reading("two"), store, first.id, Replay(on_miss="refuse"))


async def test_another_state_that_was_read_is_another_call(
    world: World, store: MemoryStore
) -> None:
    @executor(id="set")
    async def set_it(message: str, ctx: WorkflowContext[str]) -> None:
        ctx.set_state("city", len(await_nothing()))
        ctx.set_state("other", len(await_nothing()))
        await ctx.send_message("go")

    lengths = ["a", "a"]

    def await_nothing() -> str:
        return lengths[0]

    @executor(id="read", outside="read")
    async def read(message: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(world.ask(f"{ctx.get_state('city')}"))

    workflow = chain(set_it, read, sink())
    (first, *_) = await finished(workflow, store)
    await gone_on(workflow, store, first.id, Replay(on_miss="refuse"))
    assert world.calls == ["1"]
    lengths[0] = "bb"
    with pytest.raises(OutsideCallError, match="the state 'city'"):
        await gone_on(workflow, store, first.id, Replay(on_miss="refuse"))


async def test_state_that_was_written_before_it_is_read_is_no_dependence(
    world: World, store: MemoryStore
) -> None:
    @executor(id="read", outside="read")
    async def read(message: str, ctx: WorkflowContext[str]) -> None:
        ctx.set_state("city", "Rome")
        ctx.set_state("log", [message])
        ctx.set_state("gone", 1)
        ctx.state.delete("gone")
        await ctx.send_message(world.ask(ctx.get_state("city")))

    workflow = chain(read, sink(), reducers={"log": lambda one, two: [*one, *two]})
    (first, *_) = await finished(workflow, store)
    (_, done, _) = await store.headers()
    (call,) = (await Archive(store).load(done.id)).calls
    assert "city" not in call.inputs.reads
    assert "log" not in call.inputs.reads
    runner = await gone_on(workflow, store, first.id, Replay(on_miss="refuse"))
    assert dict(runner.state.shared) == {"city": "Rome", "log": ["a"]}
    assert len(world.calls) == 1


class Counting(Executor):
    """Counts in its own record, and asks the world how many there were."""

    def __init__(self, world: World) -> None:
        super().__init__("count", outside="count")
        self._world = world

    @handler
    async def count(self, message: str, ctx: WorkflowContext[str]) -> None:
        seen = ctx.executor_state.get("seen", 0) + 1
        ctx.executor_state["seen"] = seen
        await ctx.send_message(self._world.ask(f"{message}{seen}"))


class Hooked(Executor):
    """The same in an attribute, with hooks."""

    def __init__(self, world: World) -> None:
        super().__init__("count", outside="count")
        self._world = world
        self._seen = 0

    @handler
    async def count(self, message: str, ctx: WorkflowContext[str]) -> None:
        self._seen += 1
        await ctx.send_message(self._world.ask(f"{message}{self._seen}"))

    async def on_checkpoint_save(self) -> dict[str, Any]:
        return {"seen": self._seen}

    async def on_checkpoint_restore(self, state: dict[str, Any]) -> None:
        self._seen = state["seen"]


@executor(id="twice")
async def twice(message: str, ctx: WorkflowContext[str]) -> None:
    for text in ("x", "x", "y"):
        await ctx.send_message(text)


@pytest.mark.parametrize("kind", [Counting, Hooked])
async def test_the_own_record_of_an_executor_goes_on_from_a_recorded_call(
    world: World, store: MemoryStore, kind: type[Any]
) -> None:
    (first, *_) = await finished(chain(twice, kind(world), sink()), store)
    called = list(world.calls)
    assert called == ["x1", "x2", "y3"]
    runner = await gone_on(
        chain(twice, kind(world), sink()), store, first.id, Replay(on_miss="refuse")
    )
    assert world.calls == called
    assert runner.state.executors["count"].state == {"seen": 3}
    assert outputs_of(runner) == ["x1/1", "x2/2", "y3/3"]


async def test_another_own_state_is_another_call(
    world: World, store: MemoryStore
) -> None:
    def workflow() -> Workflow:
        start, relay, count = upper("start"), upper("relay"), Counting(world)
        return (
            WorkflowBuilder(start_executor=start, name="w")
            .add_edge(start, count)
            .add_edge(start, relay)
            .add_edge(relay, count)
            .add_edge(count, sink())
            .build()
        )

    headers = await finished(workflow(), store)
    assert world.calls == ["A1", "A2"]
    change = PatchChange(
        id="c1", do="set", section="executors", key="count", path=("seen",), value=5
    )
    for patch, reason in (
        (Patch(name="same"), ""),
        (Patch(name="other", changes=(change,)), "its own state is another one"),
    ):
        runner = Runner(workflow(), store)
        replay = Replay(on_miss="refuse")
        planned = await runner.plan_outside(headers[2].id, replay, patch)
        assert [call.reason for call in planned] == [reason]
        await runner.restore(
            headers[2].id, fork=True, replay=replay, patch=patch if reason else None
        )
        if not reason:
            await runner.finish()
            continue
        with pytest.raises(OutsideCallError, match=reason):
            await runner.finish()
    assert world.calls == ["A1", "A2"]


async def test_equal_calls_have_their_results_in_order(
    world: World, store: MemoryStore
) -> None:
    def workflow() -> Workflow:
        return chain(twice, Fetch("first", world), sink())

    (first, *_) = await finished(workflow(), store)
    runner = await gone_on(workflow(), store, first.id, Replay(on_miss="refuse"))
    assert outputs_of(runner) == ["first:x/1", "first:x/2", "first:y/3"]


# --- failures ---------------------------------------------------------------------------------------------------


class Flaky(Executor):
    """Fails as often as it is told, and then answers."""

    def __init__(self, world: World, failures: int) -> None:
        super().__init__("flaky", outside="try")
        self._world = world
        self._failures = failures

    @handler
    async def attempt(self, message: str, ctx: WorkflowContext[str]) -> None:
        answer = self._world.ask(message)
        if len(self._world.calls) <= self._failures:
            raise ConnectionError(f"no line {len(self._world.calls)}")
        await ctx.send_message(answer)


async def test_failed_attempts_are_recorded_as_the_rest_is(
    world: World, store: MemoryStore
) -> None:
    def workflow() -> Workflow:
        return chain(Flaky(world, 2), sink(), retry=RetryPolicy(3, backoff=60))

    (first, *_) = await recorded_with_no_waits(workflow(), store)
    assert len(world.calls) == 3
    runner = await gone_on(workflow(), store, first.id, Replay(on_miss="refuse"))
    assert outputs_of(runner) == ["a/3"]
    assert len(world.calls) == 3
    newest = (await store.headers())[-2]
    _, trace = await Archive(store).trace(newest.id)
    attempts = [(one.attempt, one.error, one.origin) for one in trace.invocations]
    assert attempts == [
        (1, "ConnectionError: no line 1", "recorded"),
        (2, "ConnectionError: no line 2", "recorded"),
        (3, "", "recorded"),
    ]


class NoWaits:
    """A clock on which waits are over at once."""

    def call_later(self, seconds: float, work: Any) -> Any:
        return asyncio.get_running_loop().call_later(seconds, work)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)


async def recorded_with_no_waits(workflow: Workflow, store: MemoryStore) -> list[Any]:
    return await finished(workflow, store, clock=NoWaits())


async def test_a_recorded_failure_goes_along_its_error_edge(
    world: World, store: MemoryStore
) -> None:
    def workflow() -> Workflow:
        @executor(id="repair")
        async def repair(message: Any, ctx: WorkflowContext[Any, Any]) -> None:
            await ctx.yield_output(
                [message.error_type, message.error, message.traceback]
            )

        flaky = Flaky(world, 99)
        return (
            WorkflowBuilder(start_executor=flaky, name="w")
            .add_edge(flaky, sink())
            .add_error_edge(flaky, repair)
            .build()
        )

    (first, *_) = await finished(workflow(), store)
    runner = Runner(workflow(), store)
    await runner.restore(first.id, fork=True, replay=Replay(on_miss="refuse"))
    straight = await outputs_of_line(store, "main")
    await runner.finish()
    assert await outputs_of_line(store, runner.branch) == straight
    assert straight[0][:2] == ["ConnectionError", "no line 1"]
    assert len(world.calls) == 1


async def outputs_of_line(store: MemoryStore, branch: str) -> list[Any]:
    found: list[Any] = []
    for header in await store.headers(branch=branch):
        _, trace = await Archive(store).trace(header.id)
        found += [output.data for output in trace.outputs]
    return found


async def test_a_superstep_that_fails_leaves_nothing_in_the_record(
    world: World, store: MemoryStore
) -> None:
    def workflow() -> Workflow:
        return chain(upper("big"), Flaky(world, 1), sink())

    runner = Runner(workflow(), store)
    await runner.start("a")
    with pytest.raises(ConnectionError):
        await runner.finish()
    for header in await store.headers():
        assert not (await Archive(store).load(header.id)).calls
    await runner.finish()
    assert outputs_of(runner) == ["A/2"]


# --- around it ----------------------------------------------------------------------------------------------------


async def test_calls_in_a_sub_workflow_are_recorded_with_their_path(
    world: World, store: MemoryStore
) -> None:
    def workflow() -> Workflow:
        inner = chain(Fetch("first", world), sink())
        return chain(twice, WorkflowExecutor(inner, "review"), sink())

    (first, *_) = await finished(workflow(), store)
    called = list(world.calls)
    assert sorted(called) == ["first:x", "first:x", "first:y"]
    runner = await gone_on(workflow(), store, first.id, Replay(on_miss="refuse"))
    assert world.calls == called
    assert sorted(outputs_of(runner)) == sorted(await outputs_of_line(store, "main"))
    live = Replay(live=frozenset({"review/first"}))
    await gone_on(workflow(), store, first.id, live)
    assert len(world.calls) == 6


class Asking(Executor):
    def __init__(self, world: World) -> None:
        super().__init__("ask", outside="question by mail")
        self._world = world

    @handler
    async def ask(self, message: str, ctx: WorkflowContext[str]) -> None:
        await ctx.request_info(self._world.ask(message), bool)
        await ctx.request_info("own", bool, request_id="mine")

    @response_handler
    async def take(
        self, original_request: str, response: bool, ctx: WorkflowContext[str]
    ) -> None:
        await ctx.send_message(self._world.ask(f"{original_request}={response}"))


async def test_a_recorded_question_is_open_again_under_its_id(
    world: World, store: MemoryStore
) -> None:
    workflow = chain(Asking(world), sink())
    (first, *_) = await finished(workflow, store)
    runner = await gone_on(workflow, store, first.id, Replay(on_miss="refuse"))
    assert list(runner.state.requests) == ["ask:1:0", "mine"]
    assert runner.state.requests["ask:1:0"].data == "a/1"
    assert len(world.calls) == 1


async def test_the_same_answer_calls_nothing_and_another_one_calls(
    world: World, store: MemoryStore
) -> None:
    workflow = chain(Asking(world), sink())
    headers = await finished(workflow, store)
    asked = headers[-1]

    async def answered(value: bool) -> None:
        runner = Runner(workflow, store)
        await runner.restore(asked.id, fork=True)
        await runner.answer({"mine": value})
        await runner.finish()

    await answered(True)
    await answered(True)
    assert world.calls == ["a", "own=True"]
    await answered(False)
    assert world.calls == ["a", "own=True", "own=False"]


async def test_values_of_a_recorded_call_belong_to_the_run(
    world: World, store: MemoryStore
) -> None:
    @executor(id="lists", outside="lists")
    async def lists(message: str, ctx: WorkflowContext[list[str]]) -> None:
        await ctx.send_message([world.ask(message)])

    @executor(id="change")
    async def change(message: list[str], ctx: WorkflowContext[Any, Any]) -> None:
        message.append("changed")
        await ctx.yield_output(message)

    workflow = chain(lists, change)
    (first, *_) = await finished(workflow, store)
    for _ in range(2):
        runner = await gone_on(workflow, store, first.id, Replay(on_miss="refuse"))
        assert outputs_of(runner) == [["a/1", "changed"]]


async def test_a_fresh_run_on_the_same_instance_knows_no_record(
    world: World, store: MemoryStore
) -> None:
    runner = Runner(two_requests(world), store)
    await runner.start("a")
    await runner.finish()
    (first, *_) = await store.headers()
    await runner.restore(first.id, replay=Replay(pinned={"first": Pin(sent=("x",))}))
    await runner.start("a")
    await runner.finish()
    assert len(world.calls) == 4


async def test_a_name_that_reaches_nothing_is_refused_before_anything_changes(
    world: World, store: MemoryStore
) -> None:
    (first, *_) = await finished(two_requests(world), store)
    runner = Runner(two_requests(world), store)
    for replay in (
        Replay(live=frozenset({"big"})),
        Replay(pinned={"nobody": Pin()}),
    ):
        with pytest.raises(ValueError, match="first, second"):
            await runner.restore(first.id, fork=True, replay=replay)
    assert len(await store.headers()) == 5


def test_a_wrong_type_of_settings_is_refused_where_it_is_written() -> None:
    wrong: Any = "hello"
    with pytest.raises(TypeError, match="sent of a Pin is a tuple"):
        Pin(wrong)
    with pytest.raises(TypeError, match=r"a set of names, such as \{'hello'\}"):
        Replay(live=wrong)
    with pytest.raises(TypeError, match="'fetch' is pinned to is no Pin"):
        Replay(pinned={"fetch": wrong})


async def test_a_patch_that_is_a_mapping_is_refused_with_what_makes_one(
    world: World, store: MemoryStore
) -> None:
    first, *_ = await finished(two_requests(world), store)
    runner = Runner(two_requests(world), store)
    patch: Any = {"changes": []}
    with pytest.raises(TypeError, match=r"Patch\.model_validate"):
        await runner.restore(first.id, patch=patch)


def test_settings_without_a_meaning_are_refused() -> None:
    for settings in (
        {"default": "never"},
        {"on_miss": "guess"},
        {"live": frozenset({"a"}), "pinned": {"a": Pin()}},
    ):
        with pytest.raises(ValueError, match=r"default is|on_miss is|both live"):
            Replay(**settings)  # type: ignore[arg-type]


async def test_a_cancelled_superstep_leaves_nothing_and_is_done_again(
    world: World, store: MemoryStore
) -> None:
    begun = asyncio.Event()
    hangs = True

    @executor(id="slow", outside="slow")
    async def slow(message: str, ctx: WorkflowContext[str]) -> None:
        world.ask(message)
        begun.set()
        if hangs:
            await asyncio.Event().wait()
        await ctx.send_message("done")

    runner = Runner(chain(Fetch("first", world), slow, sink()), store)
    await runner.start("a")
    async with asyncio.TaskGroup() as group:
        task = group.create_task(runner.finish())
        await begun.wait()
        task.cancel()
    assert len(world.calls) == 2
    hangs = False
    (first, *_) = await store.headers()
    await runner.restore(first.id, replay=Replay(on_miss="refuse"))
    await runner.finish()
    assert world.calls == ["first:a", "first:a/1", "first:a/1"]
    assert outputs_of(runner) == ["done"]
