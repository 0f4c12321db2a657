"""Prints what a run saves, with all that depends on time left out: for processes with
different hash seeds to compare.

PYTHONHASHSEED=1 python -m tests.runtime.hash_seeds

A fan-out to ten executors that end in any order and all send to one join, with sets and
dicts in messages and state, a selection that returns a set, a question from each, and a
sub-workflow.
"""

from __future__ import annotations

import asyncio
import hashlib
import sys
from dataclasses import replace
from typing import Any

from runtime.checkpoints.archive import Archive
from runtime.engine.runner import Runner
from runtime.executors.executor import (
    Executor,
    WorkflowContext,
    handler,
    response_handler,
)
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import WorkflowExecutor
from runtime.workflow.workflow import Workflow

WORDS = ("zebra", "apple", "mango", "kiwi", "lemon", "quince")
Ctx = WorkflowContext[Any, Any]


class Worker(Executor):
    """Ends sooner or later, as the hash of its id has it, and sends what depends on no
    hash.
    """

    @handler
    async def take(self, message: dict[str, Any], ctx: Ctx) -> None:
        for _ in range(hash(self.id) % 7):
            await asyncio.sleep(0)
        ctx.set_state(self.id, {"seen": set(message["words"]), "by": self.id})
        ctx.executor_state["words"] = frozenset(message["words"])
        await ctx.request_info(f"question of {self.id}", bool)
        await ctx.send_message({"from": self.id, "words": set(message["words"])})

    @response_handler
    async def hear(self, original_request: str, response: bool, ctx: Ctx) -> None: ...


class Start(Executor):
    @handler
    async def take(self, message: str, ctx: Ctx) -> None:
        await ctx.send_message({"words": set(WORDS) | {message}})


class Inside(Executor):
    @handler
    async def take(self, message: dict[str, Any], ctx: Ctx) -> None:
        await ctx.yield_output(message["from"])


class Join(Executor):
    @handler
    async def take(self, message: list[dict[str, Any]], ctx: Ctx) -> None:
        await ctx.yield_output([one["from"] for one in message])
        for one in message:
            await ctx.send_message(one)


class End(Executor):
    @handler
    async def take(self, message: str, ctx: Ctx) -> None:
        ctx.set_state("last", message)


def build() -> Workflow:
    start = Start("start")
    join = Join("join")
    end = End("end")
    workers = [Worker(f"w{number}") for number in range(10)]
    child = WorkflowExecutor(
        WorkflowBuilder(start_executor=Inside("inside")).build(), "child"
    )
    return (
        WorkflowBuilder(start_executor=start, name="seeds", state_conflicts="last")
        .add_multi_selection_edge_group(start, workers, lambda _data, ids: set(ids))
        .add_fan_in_edges(workers, join)
        .add_edge(join, child)
        .add_edge(child, end)
        .build()
    )


def tell(*values: Any) -> None:
    sys.stdout.write(" ".join(map(str, values)) + "\n")


async def main() -> None:
    store = MemoryStore()
    runner = Runner(build(), store)
    await runner.start("start")
    await runner.finish()
    for header in await store.headers():
        parts = [
            part
            for part in (await store.load(header.id)).manifest
            if part.kind != "trace"
        ]
        found = await store.parts(sorted({part.digest for part in parts}))
        for part in parts:
            tell(part.kind, part.name, hashlib.sha256(found[part.digest]).hexdigest())
        checkpoint = await Archive(store).load(header.id)
        trace = checkpoint.trace
        timeless = [replace(one, started=0.0, seconds=0.0) for one in trace.invocations]
        tell(replace(trace, invocations=tuple(timeless), seconds=0.0))
        tell(
            [
                (message.source_id, message.target_id)
                for message in checkpoint.state.queue
            ]
        )
        tell(
            header.superstep,
            header.cause,
            header.branch,
            header.signature,
            header.status,
            header.queued,
        )
        tell(
            header.buffered,
            header.requests,
            header.stalled,
            list(checkpoint.state.requests),
        )


if __name__ == "__main__":
    asyncio.run(main())
