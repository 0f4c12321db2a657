"""Two executors use one key of the shared state in one superstep."""

import asyncio

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowException,
    executor,
    handler,
)


@executor
async def start(mode: str, ctx: WorkflowContext[str]) -> None:
    ctx.set_state("key", "start")
    await ctx.send_message(mode)


class Use(Executor):
    @handler
    async def use(self, mode: str, ctx: WorkflowContext[None, str]) -> None:
        if mode == "read" and self.id == "b":
            for _ in range(5):
                await asyncio.sleep(0)
            await ctx.yield_output(ctx.get_state("key"))
        else:
            ctx.set_state("key", self.id)


async def main() -> dict:
    branches = [Use("a"), Use("b")]
    workflow = (
        WorkflowBuilder(start_executor=start).add_fan_out_edges(start, branches).build()
    )
    read = (await workflow.run("read")).get_outputs()
    try:
        written = (await workflow.run("write")).get_final_state()
    except WorkflowException as error:
        written = type(error).__name__
    return {"read": read, "both write": written}
