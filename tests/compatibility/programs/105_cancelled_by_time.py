"""A run is given a second and takes for ever: the task that waits for it is cancelled, and a new instance runs."""

import asyncio

from agent_framework import Executor, WorkflowBuilder, WorkflowContext, handler


class Slow(Executor):
    @handler
    async def slow(self, text: str, ctx: WorkflowContext[str, str]) -> None:
        if self.id == "second" and text == "wait":
            await asyncio.Event().wait()
        await ctx.yield_output(f"{self.id} {text}")
        await ctx.send_message(text)


def build():
    first, second, third = Slow("first"), Slow("second"), Slow("third")
    return (
        WorkflowBuilder(start_executor=first).add_chain([first, second, third]).build()
    )


async def main() -> dict:
    workflow = build()
    try:
        await asyncio.wait_for(workflow.run("wait"), 0.2)
        outcome = "ended"
    except TimeoutError:
        outcome = "cancelled"
    return {"outcome": outcome, "another": (await build().run("go")).get_outputs()}
