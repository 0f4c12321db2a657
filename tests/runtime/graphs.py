"""Small executors and workflows that the engine's tests share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from runtime.executors.executor import (
    Executor,
    FunctionExecutor,
    WorkflowContext,
    handler,
)
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.workflow import Workflow


class Step(Executor):
    """Appends its id to the text and sends it on; keeps every input that it saw."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.seen: list[Any] = []

    @handler
    async def take(self, message: str, ctx: WorkflowContext[str]) -> None:
        self.seen.append(message)
        await ctx.send_message(f"{message}{self.id}")


class Collect(Executor):
    """Yields every list that a join delivers."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.seen: list[Any] = []

    @handler
    async def take(
        self, message: list[Any], ctx: WorkflowContext[str, list[Any]]
    ) -> None:
        self.seen.append(message)
        await ctx.yield_output(message)


class Sink(Executor):
    """Yields whatever it gets."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.seen: list[Any] = []

    @handler
    async def take(self, message: Any, ctx: WorkflowContext[Any, Any]) -> None:
        self.seen.append(message)
        await ctx.yield_output(message)


def react(
    id: str, body: Callable[..., Any], *, input: Any = Any, output: Any = Any
) -> FunctionExecutor:
    """An executor made of an `async (message, ctx)` function, for any types."""
    return FunctionExecutor(body, id, input=input, output=output, workflow_output=Any)


def uneven_join() -> Workflow:
    """A sends to B and C, C sends to D, and J joins B and D: B's message waits a
    superstep for D's.
    """
    a = Step("A")
    b = Step("B")
    c = Step("C")
    d = Step("D")
    j = Collect("J")
    return (
        WorkflowBuilder(start_executor=a, name="uneven")
        .add_fan_out_edges(a, [b, c])
        .add_edge(c, d)
        .add_fan_in_edges([b, d], j)
        .build()
    )


def outcome(workflow: Workflow, message: Any) -> list[Any]:
    """The outputs of one run."""

    async def run() -> list[Any]:
        return (await workflow.run(message)).get_outputs()

    return asyncio.run(run())
