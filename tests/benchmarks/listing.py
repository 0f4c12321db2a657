"""Our stores as a timeline reads them: lists of headers, the latest checkpoint, one by
its id.

python -m tests.benchmarks.listing few '{"n": 1000, "state": 10240, "reps": 20}'
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

from runtime import WorkflowBuilder, WorkflowContext, executor
from runtime.checkpoint import (
    Cause,
    CheckpointHeader,
    CheckpointStore,
    Part,
    Record,
    digest_of,
)
from runtime.checkpoints.archive import Archive
from runtime.debug.protocol import TimelineArguments
from runtime.stores import open_store
from tests.benchmarks.measure import Numbers, make_state, scratch, serve

PAGE = TimelineArguments().limit  # what the window asks for at a time


async def each_ms(call: Callable[[], Awaitable[Any]], times: int) -> float:
    """Milliseconds of CPU time."""
    await call()
    begun = time.process_time()
    for _ in range(times):
        await call()
    return 1000 * (time.process_time() - begun) / times


async def fill_by_running(url: str, n: int, state: int) -> None:
    """A run of `n` supersteps that changes one small key."""

    @executor(id="again")
    async def again(number: int, ctx: WorkflowContext[int]) -> None:
        for key, value in make_state(state).items() if number == 1 else ():
            ctx.set_state(key, value)
        ctx.set_state("tick", number)
        if number < n:
            await ctx.send_message(number + 1)

    store = open_store(url)
    builder = WorkflowBuilder(
        start_executor=again, max_iterations=n, checkpoint_storage=store
    )
    await builder.add_edge(again, again).build().run(1)
    await store.close()


async def few(n: int, state: int, reps: int) -> Numbers:
    with scratch(in_memory=True) as folder:
        url = f"sqlite:{folder / 'run.db'}"
        await fill_by_running(url, n, state)
        store = open_store(url)
        archive = Archive(store)
        newest = await store.latest()
        if newest is None:
            raise AssertionError("Nothing was saved.")

        async def load_latest() -> None:
            header = await store.latest(run_id=newest.run_id)
            await archive.load(header.id if header else "")

        numbers = {
            "list_ms": await each_ms(lambda: store.headers(run_id=newest.run_id), reps),
            "latest_ms": await each_ms(load_latest, reps),
            "one_ms": await each_ms(lambda: archive.load(newest.id), reps),
        }
        await store.close()
    return numbers


async def fill(store: CheckpointStore, n: int) -> None:
    """`n` checkpoints of one run; only what a list shows of them is as in a real one."""
    data = [b'{"tick":%d}' % number for number in range(64)]
    parts = [Part("shared", "tick", digest_of(one)) for one in data]
    parent = None
    for number in range(n):
        at = number % len(data)
        header = CheckpointHeader(
            f"{number:020x}",
            "run",
            "bench",
            number,
            Cause.SUPERSTEP,
            parent,
            size=len(data[at]),
        )
        await store.save(
            Record(header, (parts[at],)),
            {parts[at].digest: data[at]} if number < len(data) else {},
        )
        parent = header.id


async def many(n: int, reps: int, kind: str = "sqlite") -> Numbers:
    with scratch(in_memory=True) as folder:
        url = f"{kind}:{folder / 'runs'}"
        store = open_store(url)
        await fill(store, n)
        await store.close()
        store = open_store(url)
        middle = (await store.headers(run_id="run"))[n // 2].sequence
        numbers = {
            "first_ms": await each_ms(
                lambda: store.headers(run_id="run", limit=PAGE), reps
            ),
            "middle_ms": await each_ms(
                lambda: store.headers(run_id="run", after=middle, limit=PAGE), reps
            ),
            "latest_ms": await each_ms(lambda: store.latest(run_id="run"), reps),
            "list_ms": await each_ms(lambda: store.headers(run_id="run"), 2),
        }
        await store.close()
    return numbers


if __name__ == "__main__":
    serve({"few": few, "many": many})
