"""A payload that cannot be copied, without any storage."""

import threading

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)


class Holder:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.name = "holder"


@executor
async def start(text: str, ctx: WorkflowContext[Holder]) -> None:
    await ctx.send_message(Holder())


class Take(Executor):
    @handler
    async def take(self, holder: Holder, ctx: WorkflowContext[None, str]) -> None:
        with holder.lock:
            await ctx.yield_output(holder.name)


async def main() -> dict:
    workflow = (
        WorkflowBuilder(start_executor=start).add_edge(start, Take("take")).build()
    )
    try:
        return {"outputs": (await workflow.run("x")).get_outputs()}
    except TypeError as error:
        return {"outputs": type(error).__name__}
