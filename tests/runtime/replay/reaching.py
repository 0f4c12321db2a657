"""Workflows whose calls reach outside: each call is noted in a list, as a server would."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from runtime.checkpoint import CheckpointHeader
from runtime.engine.runner import Runner
from runtime.executors.executor import (
    Executor,
    FunctionExecutor,
    WorkflowContext,
    handler,
)
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.workflow import Workflow


@dataclass
class World:
    """Everything that was called, and what answers."""

    calls: list[str] = field(default_factory=list)

    def ask(self, question: str) -> str:
        self.calls.append(question)
        return f"{question}/{len(self.calls)}"


class Fetch(Executor):
    """Asks the world about each message."""

    def __init__(self, id: str, world: World) -> None:
        super().__init__(id, outside=f"request of {id}")
        self._world = world

    @handler
    async def fetch(self, message: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(self._world.ask(f"{self.id}:{message}"))


def upper(id: str) -> FunctionExecutor:
    """Reaches nothing."""

    async def run(message: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(message.upper())

    return FunctionExecutor(run, id)


def sink() -> FunctionExecutor:
    async def out(message: Any, ctx: WorkflowContext[Any, Any]) -> None:
        await ctx.yield_output(message)

    return FunctionExecutor(out, "out")


def chain(*executors: Executor, **settings: Any) -> Workflow:
    builder = WorkflowBuilder(start_executor=executors[0], name="w", **settings)
    for first, second in pairwise(executors):
        builder.add_edge(first, second)
    return builder.build()


def two_requests(world: World, **settings: Any) -> Workflow:
    """First request, then one of its answer, then the output."""
    return chain(
        Fetch("first", world), upper("big"), Fetch("second", world), sink(), **settings
    )


async def finished(
    workflow: Workflow, store: MemoryStore, message: Any = "a", **settings: Any
) -> list[CheckpointHeader]:
    """The checkpoints of a run that went to its end."""
    runner = Runner(workflow, store, **settings)
    await runner.start(message)
    await runner.finish()
    return await store.headers()


def outputs_of(runner: Runner) -> list[Any]:
    return [output.data for output in runner.trace.outputs]


async def origins(store: MemoryStore) -> dict[str, str]:
    """Where the results of each executor came from, on the newest branch."""
    from runtime.checkpoints.archive import Archive

    found: dict[str, str] = {}
    newest = (await store.headers())[-1].branch
    for header in await store.headers(branch=newest):
        _, trace = await Archive(store).trace(header.id)
        for call in trace.invocations:
            found[call.executor_id] = call.origin
    return found
