"""Workflows with faults that only another order, a failure or a cancellation shows.

Each module-level list or dict stands for the state of a module: `make` empties it, as a
clean instance of a document does by loading the code anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from runtime.checkpoints.archive import Archive
from runtime.debug.explore.explorer import Options, explore
from runtime.debug.explore.report import Exploration, Progress
from runtime.debug.explore.trial import Make, Start
from runtime.engine.runner import Runner
from runtime.executors.executor import Executor, WorkflowContext
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.workflow import Workflow
from tests.runtime.graphs import Collect, Step, react

Ctx = WorkflowContext[Any, Any]


def side_by_side(*executors: Executor) -> Workflow:
    """`start` sends its message to all of them, and `join` waits for all."""
    start = Step("start")
    builder = WorkflowBuilder(start_executor=start)
    builder.add_fan_out_edges(start, [*executors])
    builder.add_fan_in_edges([*executors], Collect("join"))
    return builder.build()


def pure(name: str) -> Executor:
    async def go(message: str, ctx: Ctx) -> None:
        await ctx.send_message(f"{message}{name}")

    return react(name, go, input=str)


async def start_after(make: Make, supersteps: int = 1) -> Start:
    """Run a workflow for so many supersteps. Return its last checkpoint."""
    store = MemoryStore()
    runner = Runner(make(), store)
    await runner.start("x")
    for _ in range(supersteps):
        await runner.step()
    assert runner.header is not None
    return Start(*await Archive(store).record(runner.header.id))


def explored(
    make: Make,
    options: Options | None = None,
    supersteps: int = 1,
    report: Callable[[Progress], object] = bool,
) -> Exploration:
    """Explore the superstep that follows on so many."""

    async def work() -> Exploration:
        start = await start_after(make, supersteps)
        return await explore(make, start, options, report)

    return asyncio.run(work())


def kinds(exploration: Exploration) -> list[str]:
    return [finding.kind for finding in exploration.findings]


# --- the faults ---------------------------------------------------------------------------------------------------


def shared_list(names: str = "abc") -> Make:
    """Executors that append to one list, and send how long it was."""
    shared: list[str] = []

    def appending(name: str) -> Executor:
        async def go(message: str, ctx: Ctx) -> None:
            shared.append(name)
            await ctx.send_message("".join(shared))

        return react(name, go, input=str)

    def make() -> Workflow:
        shared.clear()
        return side_by_side(*map(appending, names))

    return make


def lost_update() -> Make:
    """Two executors that read a number, wait, and write it: whole calls one after the
    other come to one outcome.
    """
    shared = {"number": 0}

    def counting(name: str) -> Executor:
        async def go(message: str, ctx: Ctx) -> None:
            before = shared["number"]
            await asyncio.sleep(0)
            shared["number"] = before + 1
            await ctx.send_message(str(shared["number"] > 1))

        return react(name, go, input=str)

    async def last(message: str, ctx: Ctx) -> None:
        await asyncio.sleep(0)
        await ctx.send_message(message)

    def make() -> Workflow:
        shared["number"] = 0
        return side_by_side(
            counting("a"), react("last", last, input=str), counting("b")
        )

    return make


@dataclass
class Bag:
    """A payload that no copy is made of, so that two executors hold the same one."""

    items: list[str]

    def __deepcopy__(self, memo: dict[int, Any]) -> Bag:
        return self


def aliasing() -> Workflow:
    """A message that its two receivers change."""

    async def begin(message: str, ctx: Ctx) -> None:
        await ctx.send_message(Bag([message]))

    def filling(name: str) -> Executor:
        async def go(message: Bag, ctx: Ctx) -> None:
            message.items.append(name)
            await ctx.send_message(",".join(message.items))

        return react(name, go, input=Bag)

    start = react("start", begin, input=str, output=Bag)
    first, second = filling("a"), filling("b")
    builder = WorkflowBuilder(start_executor=start)
    builder.add_fan_out_edges(start, [first, second])
    builder.add_fan_in_edges([first, second], Collect("join"))
    return builder.build()


def order_of_a_dict() -> Make:
    """A dict whose keys come in the order of the calls."""
    shared: dict[str, int] = {}

    def noting(name: str) -> Executor:
        async def go(message: str, ctx: Ctx) -> None:
            shared[name] = 1

        return react(name, go, input=str)

    async def tell(message: str, ctx: Ctx) -> None:
        ctx.set_state("seen", dict(shared))

    def make() -> Workflow:
        shared.clear()
        return side_by_side(noting("a"), noting("b"), react("c", tell, input=str))

    return make


def swallowing() -> Workflow:
    """A handler that ends as if nothing had happened when it is cancelled."""

    async def go(message: str, ctx: Ctx) -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(0)
        await ctx.send_message(message)

    return side_by_side(react("deaf", go, input=str), pure("b"))


def endless() -> Workflow:
    """A handler that goes on for ever when it is cancelled."""

    async def go(message: str, ctx: Ctx) -> None:
        is_cancelled = False
        while True:
            try:
                await asyncio.sleep(0)
            except asyncio.CancelledError:
                is_cancelled = True
            if not is_cancelled:
                return

    return side_by_side(react("endless", go, input=str), pure("b"))


def residue() -> Make:
    """A handler that cleans up behind itself only if nothing goes wrong."""
    busy: list[str] = []

    async def go(message: str, ctx: Ctx) -> None:
        busy.append(message)
        waiting = len(busy)
        await asyncio.sleep(0)
        busy.remove(message)
        await ctx.send_message(f"{waiting} busy")

    def make() -> Workflow:
        busy.clear()
        return side_by_side(react("a", go, input=str), pure("b"))

    return make
