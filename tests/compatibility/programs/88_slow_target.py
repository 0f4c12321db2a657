"""Two messages for a fast and a slow target of one fan-out."""

import asyncio

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)

LOG = []


@executor
async def start(text: str, ctx: WorkflowContext[str]) -> None:
    await ctx.send_message("1")
    await ctx.send_message("2")


class Take(Executor):
    @handler
    async def take(self, text: str, ctx: WorkflowContext) -> None:
        if self.id == "slow":
            for _ in range(50):
                await asyncio.sleep(0)
        LOG.append(f"{self.id} {text}")


async def main() -> dict:
    targets = [Take("slow"), Take("fast")]
    await (
        WorkflowBuilder(start_executor=start)
        .add_fan_out_edges(start, targets)
        .build()
        .run("x")
    )
    return {"log": LOG}
