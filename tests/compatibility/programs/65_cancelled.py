"""The caller is cancelled in the middle of a run."""

import asyncio

from agent_framework import Executor, WorkflowBuilder, WorkflowContext, handler


class Wait(Executor):
    @handler
    async def wait(self, text: str, ctx: WorkflowContext[None, str]) -> None:
        if text == "wait":
            WAITS.set()
            await asyncio.Event().wait()
        await ctx.yield_output(text)


async def main() -> dict:
    global WAITS  # noqa: PLW0603
    WAITS = asyncio.Event()
    workflow = WorkflowBuilder(start_executor=Wait("wait")).build()
    task = asyncio.ensure_future(_run(workflow))
    await asyncio.wait_for(WAITS.wait(), 10)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        raised = "CancelledError"
    return {"the caller gets": raised, "status": workflow.status}


async def _run(workflow) -> None:
    await workflow.run("wait")
