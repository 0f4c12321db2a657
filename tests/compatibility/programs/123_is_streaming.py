"""A handler asks whether somebody reads a stream, and which tools the run has."""

from agent_framework import Executor, WorkflowBuilder, WorkflowContext, handler


class Look(Executor):
    @handler
    async def look(self, text: str, ctx: WorkflowContext[None, list]) -> None:
        await ctx.yield_output(
            [
                ctx.is_streaming(),
                ctx.get_source_executor_id(),
                ctx.source_executor_ids,
                ctx.request_id,
            ]
        )


async def main() -> dict:
    workflow = WorkflowBuilder(start_executor=Look("look")).build()
    plain = await workflow.run("x")
    streamed = [
        event.data
        async for event in workflow.run("x", stream=True)
        if event.type == "output"
    ]
    return {"plain": plain.get_outputs(), "streamed": streamed}
