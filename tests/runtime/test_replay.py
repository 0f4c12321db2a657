"""Rule 31: restoring equals not having stopped. Rule 2: nothing depends on which task finishes first.

Random workflows with fan-outs, joins, switches, selections and loops, whose executors keep state in every way there is.
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.archive import Archive
from runtime.builder import WorkflowBuilder
from runtime.edges import Case, Default
from runtime.executor import Executor, WorkflowContext, handler
from runtime.runner import Runner
from runtime.state import Output, RunState
from runtime.stores.memory import MemoryStore
from runtime.workflow import Workflow

MAX_HOPS = 5
Value = tuple[int, str]


class Worker(Executor):
    """Counts in its record, in an attribute behind hooks, and in the shared state; sends on what it got, marked."""

    def __init__(self, id: str, delays: random.Random) -> None:
        super().__init__(id)
        self.delays, self.calls = delays, 0

    @handler
    async def one(self, message: tuple, ctx: WorkflowContext[Any, Any]) -> None:
        await self.work([message], ctx)

    @handler
    async def many(self, message: list[Any], ctx: WorkflowContext[Any, Any]) -> None:
        await self.work(message, ctx)

    async def work(self, values: list[Value], ctx: WorkflowContext[Any, Any]) -> None:
        for _ in range(self.delays.randrange(4)):
            await asyncio.sleep(0)
        self.calls += 1
        seen = ctx.get_state(self.id, [])
        seen.append(len(values))
        ctx.set_state(self.id, seen)
        hops = max(value[0] for value in values) + 1
        text = f"{self.id}{self.calls}({','.join(value[1] for value in values)})"[:60]
        await ctx.yield_output(text)
        if hops < MAX_HOPS:
            await ctx.send_message((hops, text))

    async def on_checkpoint_save(self) -> dict[str, Any]:
        return {"calls": self.calls}

    async def on_checkpoint_restore(self, state: dict[str, Any]) -> None:
        self.calls = state["calls"]


class Recording(Worker):
    """The same with `ctx.executor_state` in place of hooks."""

    on_checkpoint_save = Executor.on_checkpoint_save

    async def work(self, values: list[Value], ctx: WorkflowContext[Any, Any]) -> None:
        self.calls = ctx.executor_state.get("calls", 0)
        await super().work(values, ctx)
        ctx.executor_state["calls"] = self.calls


@dataclass(frozen=True)
class Group:
    """An edge group of a plan: its kind, its sources or source, its targets or target, by number."""

    kind: str
    ends: tuple[int, ...]
    others: tuple[int, ...]


@st.composite
def plans(draw: st.DrawFn) -> tuple[int, tuple[Group, ...]]:
    """A number of executors, and groups that reach all of them; no pair is joined twice."""
    count = draw(st.integers(3, 6))
    used: set[tuple[int, int]] = set()
    groups: list[Group] = []

    def add(kind: str, sources: list[int], targets: list[int]) -> None:
        pairs = {(source, target) for source in sources for target in targets}
        if not pairs & used:
            used.update(pairs)
            groups.append(Group(kind, tuple(sources), tuple(targets)))

    for target in range(1, count):
        add("direct", [draw(st.integers(0, target - 1))], [target])
    nodes = st.integers(0, count - 1)
    some = st.lists(nodes, min_size=2, max_size=3, unique=True)
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["fan_out", "all", "zip", "any", "switch", "selection", "loop"]))
        one, several = draw(nodes), draw(some)
        add(
            kind,
            several if kind in ("all", "zip", "any") else [one],
            [one] if kind in ("all", "zip", "any") else several,
        )
    return count, tuple(groups)


def build(plan: tuple[int, tuple[Group, ...]], seed: int) -> Workflow:
    count, groups = plan
    delays = random.Random(seed)  # noqa: S311 - delays of a test
    nodes = [(Recording if number % 2 else Worker)(f"e{number}", delays) for number in range(count)]
    builder = WorkflowBuilder(MAX_HOPS + 3, start_executor=nodes[0])
    for group in groups:
        sources, targets = [nodes[one] for one in group.ends], [nodes[one] for one in group.others]
        match group.kind:
            case "direct":
                builder.add_edge(sources[0], targets[0])
            case "loop":
                builder.add_edge(sources[0], targets[0], lambda value: value[0] % 2 == 0)
            case "fan_out":
                builder.add_fan_out_edges(sources[0], targets)
            case "switch":
                cases = [Case(lambda value: len(value[1]) % 2 == 0, targets[0]), Default(targets[1])]
                builder.add_switch_case_edge_group(sources[0], cases)
            case "selection":
                builder.add_multi_selection_edge_group(sources[0], targets, lambda value, ids: ids[: value[0] % 3])
            case policy:
                builder.add_fan_in_edges(sources, targets[0], policy=policy)  # type: ignore[arg-type]
    return builder.build()


async def finish(runner: Runner) -> list[Output]:
    found: list[Output] = []
    while (trace := await runner.step()) is not None:
        found.extend(trace.outputs)
    return found


async def straight(plan: Any, seed: int, store: MemoryStore) -> tuple[Workflow, list[Output], RunState]:
    workflow = build(plan, seed)
    runner = Runner(workflow, store)
    await runner.start((0, "x"))
    return workflow, await finish(runner), runner.state


@given(plans())
@settings(max_examples=60)
def test_rule_31_restored_at_every_checkpoint_a_run_ends_as_the_straight_run_did(plan: Any) -> None:
    async def check() -> None:
        store = MemoryStore()
        used, outputs, state = await straight(plan, 1, store)
        archive = Archive(store)
        before = 0
        for header in await store.headers():
            before += len((await archive.load(header.id)).trace.outputs)
            for workflow in (used, build(plan, 2)):
                runner = Runner(workflow, store)
                await runner.restore(header.id)
                assert await finish(runner) == outputs[before:]
                assert runner.state == state

    asyncio.run(check())


@given(plans(), st.integers(0, 2**32), st.integers(0, 2**32))
@settings(max_examples=60)
def test_rule_2_the_result_does_not_depend_on_completion_order(plan: Any, one: int, two: int) -> None:
    async def check() -> None:
        first, second = await straight(plan, one, MemoryStore()), await straight(plan, two, MemoryStore())
        assert first[1:] == second[1:]

    asyncio.run(check())


@pytest.mark.parametrize("durability", ["sync", "pipelined"])
async def test_rule_28_both_ways_to_save_give_the_same_checkpoints(durability: Any) -> None:
    plan = (4, (Group("fan_out", (0,), (1, 2)), Group("all", (1, 2), (3,)), Group("loop", (3,), (0,))))
    stores = MemoryStore(), MemoryStore()
    await straight(plan, 1, stores[0])
    runner = Runner(build(plan, 2), stores[1], durability=durability)
    await runner.start((0, "x"))
    await finish(runner)
    for one, two in zip(await stores[0].headers(), await stores[1].headers(), strict=True):
        assert (await Archive(stores[0]).load(one.id)).state == (await Archive(stores[1]).load(two.id)).state


_DIGESTS = """
import asyncio
from tests.runtime.test_replay import Group, MemoryStore, straight

async def main():
    store = MemoryStore()
    plan = (6, (Group("fan_out", (0,), (1, 2, 3, 4)), Group("all", (1, 2, 3, 4), (5,)), Group("loop", (5,), (0,))))
    await straight(plan, 1, store)
    for header in await store.headers():
        parts = (await store.load(header.id)).manifest
        print([part for part in parts if part.kind != "trace"])

asyncio.run(main())
"""


def test_case_61_checkpoints_are_equal_to_the_byte_in_every_process() -> None:
    found = set()
    for seed in ("0", "1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", _DIGESTS], capture_output=True, text=True, check=True, env=environment
        )
        found.add(done.stdout)
    assert len(found) == 1
    assert len(found.pop().splitlines()) == 5
