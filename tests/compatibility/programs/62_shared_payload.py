"""A branch of a fan-out changes the payload that it got."""

import asyncio

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)


@executor
async def start(text: str, ctx: WorkflowContext[list[str]]) -> None:
    await ctx.send_message([text])


class Change(Executor):
    @handler
    async def change(self, texts: list[str], ctx: WorkflowContext[None, list]) -> None:
        texts.append(self.id)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await ctx.yield_output(texts)


async def main() -> dict:
    branches = [Change("a"), Change("b")]
    result = (
        await WorkflowBuilder(start_executor=start)
        .add_fan_out_edges(start, branches)
        .build()
        .run("x")
    )
    return {"lengths": sorted(len(one) for one in result.get_outputs())}
