"""When a run is saved, whose values are whose, and what a restore that fails leaves
(rules 28 to 31).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from runtime.checkpoint import Cause, Checkpoint, CheckpointHeader, Record
from runtime.checkpoints.archive import Archive
from runtime.engine.runner import Runner
from runtime.errors import (
    CheckpointDamagedError,
    CheckpointNotFoundError,
    CheckpointStoreError,
    SignatureMismatchError,
    WorkflowCheckpointException,
    WorkflowConvergenceException,
)
from runtime.executors.executor import (
    Executor,
    WorkflowContext,
    handler,
    response_handler,
)
from runtime.state import RunState
from runtime.stores import open_store
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import WorkflowExecutor
from runtime.workflow.workflow import Workflow
from tests.runtime.graphs import Collect, Step, react, uneven_join
from tests.runtime.test_requests import Verdict, asking, outputs_of
from tests.runtime.test_restore import Failing
from tests.runtime.test_runner import Flaky, passing

Ctx = WorkflowContext[Any, Any]


# --- when (rule 28) -----------------------------------------------------------------------------------------------


async def test_rule_28_a_failed_superstep_is_never_saved_and_each_other_barrier_is_by_its_cause():
    store = MemoryStore()
    flaky = Flaky()
    runner = Runner(flaky.workflow, store)
    await runner.start("m")
    for _ in range(3):
        with pytest.raises(KeyError):
            await runner.finish()
    assert [header.cause for header in await store.headers()] == [
        Cause.INPUT,
        Cause.SUPERSTEP,
    ]
    store = MemoryStore()
    runner = Runner(asking(), store)
    await runner.start("a")
    await runner.finish()
    assert runner.header is not None
    paused = runner.header.id
    await runner.answer({"ask:1:0": Verdict(True)})
    await runner.finish()
    await runner.restore(paused, fork=True)
    assert [(one.cause.value, one.superstep) for one in await store.headers()] == [
        ("input", 0),
        ("superstep", 1),
        ("response", 1),
        ("superstep", 2),
        ("fork", 1),
    ]


class Watching(MemoryStore):
    """Looks at the runner whenever something is saved."""

    def __init__(self) -> None:
        super().__init__()
        self.runner: Runner | None = None
        self.seen: list[tuple[int, int]] = []

    async def save(
        self, record: Record, parts: Mapping[str, bytes]
    ) -> CheckpointHeader:
        assert self.runner is not None
        self.seen.append((record.header.superstep, self.runner.state.superstep))
        return await super().save(record, parts)


async def test_rule_28_a_run_is_never_ahead_of_its_store():
    store = Watching()
    runner = store.runner = Runner(uneven_join(), store)
    await runner.start("x")
    await runner.finish()
    assert store.seen == [(0, 0), (1, 0), (2, 1), (3, 2), (4, 3)]


class Gated(MemoryStore):
    """Each save of a superstep waits until it is let through."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting = asyncio.Event()
        self.gate = asyncio.Event()
        self.order = list[int]()

    async def save(
        self, record: Record, parts: Mapping[str, bytes]
    ) -> CheckpointHeader:
        if record.header.cause is Cause.SUPERSTEP:
            self.waiting.set()
            await self.gate.wait()
        self.order.append(record.header.superstep)
        return await super().save(record, parts)


@pytest.mark.parametrize("durability", ["sync", "pipelined"])
async def test_rule_28_sync_waits_for_each_record_and_pipelined_writes_it_while_the_next_superstep_runs(
    durability: Any,
):
    """The second executor opens the gate that the first one's record waits at."""
    store = Gated()
    ran: list[str] = []

    async def open_it(_message: Any, ctx: Ctx) -> None:
        ran.append(ctx.executor_id)
        await store.waiting.wait()
        store.gate.set()

    a = react("a", passing)
    b = react("b", open_it)
    runner = Runner(
        WorkflowBuilder(start_executor=a).add_edge(a, b).build(),
        store,
        durability=durability,
    )
    await runner.start("x")
    if durability == "pipelined":
        await runner.finish()
        assert store.order == [0, 1, 2]
        return
    async with asyncio.TaskGroup() as group:
        task = group.create_task(runner.finish())
        await store.waiting.wait()
        for _ in range(20):
            await asyncio.sleep(0)
        assert ran == []
        store.gate.set()
        await task
    assert store.order == [0, 1, 2]


async def test_case_84_a_record_that_is_written_slowly_holds_the_values_of_its_own_boundary():
    """With pipelining, the next superstep changes a large list while the record of the
    one before is written.
    """
    store = Gated()

    async def change(message: int, ctx: Ctx) -> None:
        values = ctx.get_state("list", [0] * 100_000)
        for at in range(0, len(values), 1000):
            values[at] += 1
        ctx.set_state("list", values)
        ctx.executor_state["n"] = ctx.executor_state.get("n", 0) + 1
        if message > 1:
            await store.waiting.wait()
        store.gate.set()
        if message < 4:
            await ctx.send_message(message + 1)

    a = react("a", change, input=int)
    workflow = WorkflowBuilder(start_executor=a).add_edge(a, a).build()
    runner = Runner(workflow, store, durability="pipelined")
    await runner.start(1)
    await runner.finish()
    archive = Archive(store)
    for header in (await store.headers())[1:]:
        state = (await archive.load(header.id)).state
        assert set(state.shared["list"][::1000]) == {header.superstep}
        assert state.executors["a"].state == {"n": header.superstep}


@pytest.mark.parametrize("why", ["handler", "condition", "limit"])
async def test_rule_28_pipelined_a_step_that_fails_leaves_the_barrier_before_it_saved(
    why: str,
):
    def fail(*_: Any) -> bool:
        raise ValueError("no")

    async def failing(_message: Any, _ctx: Ctx) -> None:
        fail()

    a = react("a", passing)
    b = react("b", failing if why == "handler" else passing)
    builder = WorkflowBuilder(1 if why == "limit" else 9, start_executor=a)
    workflow = builder.add_edge(a, b, fail if why == "condition" else None).build()
    store = MemoryStore()
    runner = Runner(workflow, store, durability="pipelined")
    await runner.start("x")
    with pytest.raises(WorkflowConvergenceException if why == "limit" else ValueError):
        await runner.finish()
    latest = await store.latest()
    assert latest is not None
    assert latest.superstep == runner.state.superstep == 1


async def test_rule_28_pipelined_when_both_fail_the_run_is_back_at_the_last_saved_barrier_and_goes_on():
    broken = [True]

    def condition(_message: Any) -> bool:
        if broken:
            raise ValueError("no")
        return True

    a = react("a", passing)
    b = Collect("b")
    first = react("first", passing)
    wrap = react("wrap", _as_list)
    builder = (
        WorkflowBuilder(start_executor=first)
        .add_edge(first, a)
        .add_edge(a, wrap, condition)
        .add_edge(wrap, b)
    )
    store = Failing(3)
    runner = Runner(builder.build(), store, durability="pipelined")
    await runner.start("x")
    with pytest.raises(ValueError, match="no") as caught:
        await runner.finish()
    assert any("could not be saved either" in note for note in caught.value.__notes__)
    latest = await store.latest()
    assert latest is not None
    assert runner.state.superstep == latest.superstep == 1
    broken.clear()
    assert await outputs_of(runner) == [["x"]]
    assert [header.superstep for header in await store.headers()] == [0, 1, 2, 3, 4]


async def _as_list(message: Any, ctx: Ctx) -> None:
    await ctx.send_message([message])


# --- whose (rule 29) ----------------------------------------------------------------------------------------------


class Everything(Executor):
    """Has mutable values in every place that a checkpoint has: state, record, queue,
    request; a join holds the rest.
    """

    @handler
    async def take(self, message: list, ctx: Ctx) -> None:
        ctx.set_state("k", message)
        ctx.executor_state["k"] = message
        await ctx.yield_output(message)
        await ctx.send_message(message)
        await ctx.request_info(message, list)

    @response_handler
    async def hear(self, original_request: list, response: list, ctx: Ctx) -> None:
        await ctx.yield_output(
            (original_request, response, ctx.get_state("k"), ctx.executor_state["k"])
        )


def everything() -> Workflow:
    async def never(_message: Any, _ctx: Ctx) -> None: ...

    def one(inner: bool) -> WorkflowBuilder:
        a = Everything("a")
        b = react("b", passing)
        c = react("c", never)
        builder = WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, c])
        if inner:
            builder.add_edge(
                a,
                WorkflowExecutor(
                    one(inner=False).build(), "sub", propagate_request=True
                ),
            )
        return builder.add_fan_in_edges([b, c], Collect("j"))

    return one(inner=True).build()


PLACES: dict[str, Callable[[Checkpoint], Any]] = {
    "shared": lambda one: one.state.shared["k"],
    "executor": lambda one: one.state.executors["a"].state["k"],
    "request": lambda one: next(iter(one.state.requests.values())).data,
    "queue": lambda one: one.state.queue[0].data,
    "buffer": lambda one: next(iter(one.state.buffers.values()))[0].data,
    "output": lambda one: one.trace.outputs[0].data,
    "child": lambda one: one.state.children["sub#1"].shared["k"],
    "child's queue": lambda one: one.state.children["sub#1"].queue[0].data,
    "child's buffer": lambda one: (
        next(iter(one.state.children["sub#1"].buffers.values()))[0].data
    ),
    "definition": lambda one: one.definition["graph"]["edges"],
}


@pytest.mark.parametrize("url", ["memory:", "dir:{}", "sqlite:{}/runs.db"])
async def test_rule_29_nothing_of_a_loaded_checkpoint_or_of_a_run_is_anybody_elses(
    url: str, tmp_path: Any
):
    store = open_store(url.format(tmp_path))
    archive = Archive(store)
    runner = Runner(everything(), store)
    given = [1, [2]]
    await runner.start(given)
    given[1].append("changed")  # type: ignore[attr-defined]
    await runner.finish()
    found = set()
    for header in await store.headers():
        for name, get in PLACES.items():
            one = await archive.load(header.id)
            other = await archive.load(header.id)
            try:
                value = get(one)
                twin = get(other)
            except (LookupError, StopIteration):
                continue  # nothing stands there at this barrier
            found.add(name)
            assert value == twin
            value.append("changed")
            assert get(other) == twin != value
            assert get(await archive.load(header.id)) == twin
            assert "changed" not in str(get(await archive.view(header.id)))
    assert found == set(PLACES)
    await store.close()


async def test_rule_29_an_answer_may_be_changed_by_who_gave_it():
    runner = Runner(asking())
    await runner.start("a")
    await runner.finish()
    answer = Verdict(True)
    await runner.answer({"ask:1:0": answer})
    answer.accepted = False
    assert await outputs_of(runner) == [("a", True, "ask:1:0")]


async def test_case_69_a_run_that_goes_on_from_a_checkpoint_changes_neither_it_nor_another_run():
    async def append(message: int, ctx: Ctx) -> None:
        ctx.state.set("history", [*ctx.state.get("history", []), message])
        ctx.executor_state.setdefault("history", []).append(message)
        if message < 3:
            await ctx.send_message(message + 1)

    a = react("a", append, input=int)
    workflow = WorkflowBuilder(start_executor=a).add_edge(a, a).build()
    store = MemoryStore()
    archive = Archive(store)
    runner = Runner(workflow, store)
    await runner.start(1)
    await runner.finish()
    middle = (await store.headers())[2]
    before = (await archive.load(middle.id)).state
    one = Runner(workflow, store)
    two = Runner(workflow, store)
    await one.restore(middle.id)
    await two.restore(middle.id)
    await one.finish()
    assert one.state.shared["history"] == [1, 2, 3]
    assert (two.state, (await archive.load(middle.id)).state) == (before, before)
    one.state.shared["history"].append("mine")
    one.state.executors["a"].state["history"].append("mine")
    await two.finish()
    assert (
        two.state.shared["history"]
        == two.state.executors["a"].state["history"]
        == [1, 2, 3]
    )


# --- restores (rules 30, 31) --------------------------------------------------------------------------------------


class Hooked(Step):
    """Counts how often its hooks are called."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.calls: list[str] = []

    async def on_checkpoint_save(self) -> dict[str, Any]:
        self.calls.append("save")
        return {"seen": list(self.seen)}

    async def on_checkpoint_restore(self, state: dict[str, Any]) -> None:
        self.calls.append("restore")
        self.seen = list(state["seen"])


def hooked(second: str = "B") -> tuple[Workflow, Hooked]:
    a = Hooked("A")
    b = Step(second)
    c = Step("C")
    return WorkflowBuilder(start_executor=a).add_chain([a, b, c]).build(), a


class Damaged(MemoryStore):
    """A store whose parts cannot be read for the checkpoint `broken`."""

    broken = False

    async def parts(self, digests: Any) -> dict[str, bytes]:
        if self.broken:
            raise CheckpointDamagedError("", "its bytes are gone")
        return await super().parts(digests)


@pytest.mark.parametrize("why", ["unknown", "damaged", "another graph"])
async def test_rule_30_a_restore_that_fails_leaves_a_used_run_as_it_was(why: str):
    store = Damaged()
    workflow, a = hooked()
    runner = Runner(workflow, store)
    await runner.start("x")
    await runner.step()
    other = Runner(hooked("other")[0], store)
    await other.start("y")
    assert other.header is not None
    assert runner.header is not None
    store.broken = why == "damaged"
    wanted, error = {
        "unknown": ("nobody", CheckpointNotFoundError),
        "damaged": (runner.header.id, CheckpointDamagedError),
        "another graph": (other.header.id, SignatureMismatchError),
    }[why]
    before = (
        runner.state,
        runner.trace,
        runner.header,
        runner.run_id,
        runner.branch,
        runner.status,
    )
    calls = list(a.calls)
    for fork in (False, True):
        with pytest.raises(error):
            await runner.restore(wanted, fork=fork)
    assert (
        runner.state,
        runner.trace,
        runner.header,
        runner.run_id,
        runner.branch,
        runner.status,
    ) == before
    assert a.calls == calls
    store.broken = False
    await runner.finish()
    assert [header.branch for header in await store.headers(run_id=runner.run_id)] == [
        "main"
    ] * 5


async def test_rule_30_a_failed_restore_from_another_store_leaves_the_run_in_its_own():
    here = MemoryStore()
    there = MemoryStore()
    workflow = WorkflowBuilder(
        start_executor=(start := _asker()), checkpoint_storage=here
    ).build()
    paused = await workflow.run("a")
    (event,) = paused.get_request_info_events()
    last = workflow.get_last_checkpoint_id()
    with pytest.raises(CheckpointNotFoundError):
        await workflow.run(checkpoint_id="nobody", checkpoint_storage=there)
    assert workflow.get_last_checkpoint_id() == last
    await workflow.run(responses={event.request_id: Verdict(True)})
    headers = await here.headers()
    assert [header.parent for header in headers] == [
        None,
        *(header.id for header in headers[:-1]),
    ]
    assert {header.branch for header in headers} == {"main"}
    assert await there.headers() == []
    assert start.id == "ask"


def _asker() -> Executor:
    return asking().get_start_executor()


async def test_rule_30_a_store_is_closed_by_whoever_opened_it():
    store = MemoryStore()
    workflow = uneven_join()
    await workflow.run("x", checkpoint_storage=store)
    workflow.reset()
    del workflow
    runner = Runner(uneven_join(), store)
    await runner.restore((await store.headers())[0].id)
    del runner
    assert len(await store.headers()) == 5
    await store.close()
    with pytest.raises(CheckpointStoreError):
        await store.headers()


async def test_rule_30_another_graph_is_refused_before_any_hook_is_called_or_type_decoded():
    store = MemoryStore()
    workflow, _ = hooked()
    runner = Runner(
        WorkflowBuilder(start_executor=WorkflowExecutor(workflow, "sub")).build(), store
    )
    await runner.start("x")
    for _ in range(2):
        await runner.step()
    assert runner.header is not None
    changed, b = hooked("D")
    fresh = Runner(
        WorkflowBuilder(start_executor=WorkflowExecutor(changed, "sub")).build(), store
    )
    with pytest.raises(SignatureMismatchError) as caught:
        await fresh.restore(runner.header.id)
    assert any("executors[sub].workflow" in line for line in caught.value.differences)
    assert b.calls == []
    assert b.seen == []
    assert fresh.state == RunState()


async def test_rule_31_a_run_with_questions_taken_up_at_any_barrier_ends_like_the_straight_one():
    async def answer_all(runner: Runner) -> list[Any]:
        outputs = await outputs_of(runner)
        while runner.state.requests:
            id_ = next(iter(runner.state.requests))
            await runner.answer({id_: Verdict(True, float(len(outputs)))})
            outputs += await outputs_of(runner)
        return outputs

    store = MemoryStore()
    used = Runner(asking(), store)
    await used.start("a b c")
    outputs = await answer_all(used)
    straight = used.state
    archive = Archive(store)
    done = 0
    for header in await store.headers():
        done += len((await archive.load(header.id)).trace.outputs)
        for runner in (used, Runner(asking(), store)):
            await runner.restore(header.id)
            assert await answer_all(runner) == outputs[done:]
            assert runner.state == straight


@pytest.mark.parametrize("crashes", range(1, 6))
async def test_case_58_crash_and_resume_again_and_again_at_every_superstep(
    crashes: int,
):
    """Each process runs `crashes` supersteps, saves, and is never seen again."""

    def build() -> Workflow:
        return WorkflowBuilder(
            start_executor=WorkflowExecutor(
                uneven_join(), "sub", allow_direct_output=True
            )
        ).build()

    store = MemoryStore()
    runner = Runner(build(), store)
    await runner.start("x")
    outputs: list[Any] = []
    while runner.is_active:
        latest = await store.latest()
        assert latest is not None
        runner = Runner(build(), store)
        await runner.restore(latest.id)
        for _ in range(crashes):
            trace = await runner.step()
            outputs += [output.data for output in trace.outputs] if trace else []
    assert outputs == [["xAB", "xACD"]]
    assert [header.superstep for header in await store.headers()] == list(range(6))
    assert {header.branch for header in await store.headers()} == {"main"}


async def test_rule_31_an_unknown_handler_is_found_before_the_run_is_taken_up():
    store = MemoryStore()
    runner = Runner(
        WorkflowBuilder(start_executor=react("a", passing, input=str)).build(), store
    )
    await runner.start("x")
    assert runner.header is not None
    later = Runner(
        WorkflowBuilder(start_executor=react("a", passing, input=int)).build(), store
    )
    with pytest.raises(WorkflowCheckpointException):
        await later.restore(runner.header.id)
    assert later.header is None
