"""A fresh run after one that failed."""

import asyncio

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)

from tests.compatibility.facts import caught


@executor
async def start(text: str, ctx: WorkflowContext[str]) -> None:
    await ctx.send_message(text)


class Step(Executor):
    @handler
    async def step(self, text: str, ctx: WorkflowContext[str, str]) -> None:
        if self.id == "b":
            await asyncio.sleep(0)
            raise OSError("offline")
        await ctx.send_message(text)


class End(Executor):
    @handler
    async def end(self, text: str, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(text)


async def main() -> dict:
    a, b = Step("a"), Step("b")
    workflow = (
        WorkflowBuilder(start_executor=start)
        .add_fan_out_edges(start, [a, b])
        .add_edge(a, End("end"))
        .build()
    )
    return {
        "first": await caught(OSError, lambda: workflow.run("x")),
        "second": await caught(RuntimeError, lambda: workflow.run("y")),
        "status": workflow.status,
    }
