"""Workloads of the engine: one program, for us and for agent-framework, of which only
the import line differs.

python -m tests.benchmarks.supersteps ours w2 '{"n": 2000}'
PEERS/af/bin/python -m tests.benchmarks.supersteps agent-framework w2 '{"n": 2000}'
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Never

from tests.benchmarks.measure import (
    KB,
    Meter,
    Numbers,
    commits,
    disk_kb,
    make_state,
    scratch,
    serve,
)

if TYPE_CHECKING or sys.argv[1] == "ours":
    from runtime import Executor, Workflow, WorkflowBuilder, WorkflowContext, handler
else:
    from agent_framework import (
        Executor,
        Workflow,
        WorkflowBuilder,
        WorkflowContext,
        handler,
    )

# How long a handler waits that does, in seconds.
WAIT = 0.001
# Two short runs: what the longer one commits more is what its additional supersteps
# commit.
SHORT = 10
LONG = 30


class Pass(Executor):
    @handler
    async def run(self, n: int, ctx: WorkflowContext[int]) -> None:
        await ctx.send_message(n + 1)


class Last(Executor):
    @handler
    async def run(self, n: int, ctx: WorkflowContext[Never, int]) -> None:
        await ctx.yield_output(n)


class Sink(Executor):
    @handler
    async def run(self, n: int, ctx: WorkflowContext) -> None:
        return None


class Ping(Executor):
    """One of two that send a number to and fro until it is `limit`."""

    def __init__(self, id: str, limit: int) -> None:
        super().__init__(id=id)
        self.limit = limit

    @handler
    async def run(self, n: int, ctx: WorkflowContext[int, int]) -> None:
        await go_on(ctx, n, self.limit)


class PlainPing(Ping):
    """As Ping, with a plain function, which runs in a thread."""

    @handler
    def run(self, n: int, ctx: WorkflowContext[int, int]) -> None:  # type: ignore[override]
        if n >= self.limit:
            ctx.yield_output(n)
        else:
            ctx.send_message(n + 1)


class WaitingPing(Ping):
    """As Ping, with a handler that waits, as one does that asks a server."""

    @handler
    async def run(self, n: int, ctx: WorkflowContext[int, int]) -> None:
        await asyncio.sleep(WAIT)
        await go_on(ctx, n, self.limit)


class StatePing(Ping):
    """As Ping: fills the state with the first message, then changes one small value of
    it.
    """

    def __init__(
        self,
        id: str,
        limit: int,
        size: int,
        *,
        one_key: bool,
        text: int,
        begun: Callable[[], None],
    ) -> None:
        super().__init__(id, limit)
        made = make_state(size, text)
        self.initial = {"doc": made} if one_key else made
        self.one_key = one_key
        self.begun = begun

    @handler
    async def run(self, n: int, ctx: WorkflowContext[int, int]) -> None:
        if n == 1:
            for key, value in self.initial.items():
                ctx.set_state(key, value)
        elif n == 2:
            self.begun()
        if self.one_key:
            document = ctx.get_state("doc")
            document["tick"] = n
            ctx.set_state("doc", document)
        else:
            ctx.set_state("tick", n)
        await go_on(ctx, n, self.limit)


class Gather(Executor):
    def __init__(self, id: str, rounds: int) -> None:
        super().__init__(id=id)
        self.rounds = rounds
        self.done = 0

    @handler
    async def run(self, ns: list[int], ctx: WorkflowContext[int, int]) -> None:
        self.done += 1
        await go_on(ctx, self.done, self.rounds)


class Carry(Executor):
    """Sends a large message on, so many times."""

    def __init__(self, id: str, limit: int) -> None:
        super().__init__(id=id)
        self.limit = limit
        self.count = 0

    @handler
    async def run(self, data: dict, ctx: WorkflowContext[dict, int]) -> None:  # type: ignore[type-arg]
        self.count += 1
        if self.count < self.limit:
            await ctx.send_message(data)


async def go_on(ctx: WorkflowContext[int, int], n: int, limit: int) -> None:
    if n >= limit:
        await ctx.yield_output(n)
    else:
        await ctx.send_message(n + 1)


def two(a: Executor, b: Executor, limit: int, store: Any = None) -> Workflow:
    builder = WorkflowBuilder(
        start_executor=a,
        max_iterations=2 * limit + 10,
        checkpoint_storage=store,
        name="bench",
    )
    return builder.add_edge(a, b).add_edge(b, a).build()


def loop(limit: int) -> Workflow:
    return two(Ping("a", limit), Ping("b", limit), limit)


def state_loop(
    limit: int,
    size: int,
    store: Any,
    *,
    one_key: bool = False,
    text: int = 0,
    begun: Callable[[], None] = lambda: None,
) -> Workflow:
    first = StatePing("a", limit, size, one_key=one_key, text=text, begun=begun)
    return two(
        first,
        StatePing("b", limit, 0, one_key=one_key, text=0, begun=begun),
        limit,
        store,
    )


def fan_out(width: int) -> Workflow:
    source = Pass(id="source")
    targets = [Sink(id=f"s{number}") for number in range(width)]
    return (
        WorkflowBuilder(start_executor=source)
        .add_fan_out_edges(source, targets)
        .build()
    )


def fan(width: int, rounds: int) -> Workflow:
    source = Pass(id="source")
    sink = Gather("sink", rounds)
    middle = [Pass(id=f"m{number}") for number in range(width)]
    builder = WorkflowBuilder(start_executor=source, max_iterations=3 * rounds + 10)
    return (
        builder.add_fan_out_edges(source, middle)
        .add_fan_in_edges(middle, sink)
        .add_edge(sink, source)
        .build()
    )


def check(result: Any, expected: int) -> None:
    if result.get_outputs() != [expected]:
        raise AssertionError(
            f"The run put out {result.get_outputs()}, not [{expected}]."
        )


async def chain(n: int, reps: int) -> Numbers:
    nodes = [Pass(id=f"n{number}") for number in range(n - 1)] + [Last(id="last")]
    workflow = (
        WorkflowBuilder(start_executor=nodes[0], max_iterations=n + 10)
        .add_chain(nodes)
        .build()
    )
    check(await workflow.run(0), n - 1)
    with Meter() as meter:
        for _ in range(reps):
            await workflow.run(0)
    return meter.numbers(n * reps)


async def cycle(n: int) -> Numbers:
    await loop(50).run(1)
    workflow = loop(n)
    with Meter() as meter:
        result = await workflow.run(1)
    check(result, n)
    return meter.numbers(n)


async def fan_in(n: int, rounds: int) -> Numbers:
    """A message counts once on its way out and once on its way in."""
    await fan(5, 2).run(0)
    workflow = fan(n, rounds)
    with Meter() as meter:
        result = await workflow.run(0)
    check(result, rounds)
    return meter.numbers(2 * n * rounds)


async def wide(n: int, reps: int) -> Numbers:
    await fan_out(5).run(0)
    begun = time.process_time()
    workflow = fan_out(n)
    built = time.process_time() - begun
    await workflow.run(0)
    with Meter() as meter:
        for _ in range(reps):
            await workflow.run(0)
    return meter.numbers(n * reps, build_us=1e6 * built / n)


def memory_store() -> Any:
    from runtime.stores import open_store

    return open_store("memory:")


def sqlite_store(path: Path) -> Any:
    from runtime.stores import open_store

    return open_store(f"sqlite:{path}")


async def in_memory(n: int, state: int, one_key: bool = False) -> Numbers:
    """A checkpoint in each superstep; all of them stay."""
    await state_loop(20, KB, memory_store()).run(1)
    store = memory_store()
    workflow = state_loop(n, state, store, one_key=one_key)
    with Meter() as meter:
        result = await workflow.run(1)
    check(result, n)
    return meter.numbers(n, kept=len(await store.headers()))


async def committed(path: Path, steps: int) -> int:
    store = sqlite_store(path)
    await state_loop(steps, KB, store).run(1)
    try:
        return commits(path)
    finally:
        await store.close()


async def on_disk(n: int, state: int, one_key: bool = False) -> Numbers:
    with scratch() as folder:
        counts = [
            await committed(folder / f"{steps}.db", steps) for steps in (SHORT, LONG)
        ]
        each = (counts[1] - counts[0]) / (LONG - SHORT)
        (folder / "run").mkdir()
        store = sqlite_store(folder / "run" / "run.db")
        workflow = state_loop(n, state, store, one_key=one_key)
        with Meter() as meter:
            result = await workflow.run(1)
        check(result, n)
        await store.close()
        return meter.numbers(n, disk_kb=disk_kb(folder / "run") / n, commits=each)


async def on_postgres(n: int, state: int) -> Numbers:
    """The CPU time of the client; the server is a private one."""
    from runtime.stores import open_store
    from tests.postgres import server

    with server() as url:
        store = open_store(url)
        await state_loop(SHORT, KB, store).run(1)
        workflow = state_loop(n, state, store)
        with Meter() as meter:
            result = await workflow.run(1)
        check(result, n)
        await store.close()
        return meter.numbers(n)


async def flat(n: int, state: int) -> Numbers:
    """What a checkpoint costs on SQLite once `state` bytes lie in the state that nobody
    touches.
    """
    with scratch() as folder, Meter() as meter:
        store = sqlite_store(folder / "run.db")
        result = await state_loop(n, state, store, text=KB, begun=meter.start).run(1)
        meter.__exit__()
        check(result, n)
        await store.close()
    return meter.numbers(n - 1)


async def plain(n: int) -> Numbers:
    """A loop of two executors whose handlers are plain functions."""
    workflow = two(PlainPing("a", n), PlainPing("b", n), n)
    with Meter() as meter:
        result = await workflow.run(1)
    check(result, n)
    return meter.numbers(n)


async def waiting(n: int, durability: Any) -> Numbers:
    """Handlers that wait, saved on SQLite; pipelined, a superstep is saved while the
    handler of the next one waits.
    """
    from runtime import Runner

    with scratch() as folder:
        store = sqlite_store(folder / "run.db")
        for limit in (20, n):
            workflow = two(WaitingPing("a", limit), WaitingPing("b", limit), limit)
            runner = Runner(workflow, store, durability=durability)
            await runner.start(1)
            with Meter() as meter:
                await runner.finish()
        await store.close()
    return meter.numbers(n, wall_ms=1000 * meter.wall / n)


async def carried(n: int, payload: int, saved: bool = False) -> Numbers:
    """A message of so many bytes, sent on in every superstep; with checkpoints in
    memory if `saved`.
    """
    data = make_state(payload)
    store = memory_store() if saved else None
    workflow = two(Carry("a", n // 2), Carry("b", n // 2), n, store)
    with Meter() as meter:
        await workflow.run(data)
    return meter.numbers(n)


if __name__ == "__main__":
    serve(
        {
            "chain": chain,
            "loop": cycle,
            "fan": fan_in,
            "wide": wide,
            "memory": in_memory,
            "sqlite": on_disk,
            "postgres": on_postgres,
            "flat": flat,
            "carried": carried,
            "plain": plain,
            "waiting": waiting,
        }
    )
