"""A plain function sends a message."""

from agent_framework import WorkflowBuilder, WorkflowContext, executor


@executor
def start(text: str, ctx: WorkflowContext[str]) -> None:
    ctx.send_message(text.upper())


@executor
async def show(text: str, ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output(text)


async def main() -> dict:
    result = (
        await WorkflowBuilder(start_executor=start)
        .add_edge(start, show)
        .build()
        .run("x")
    )
    return {"outputs": result.get_outputs(), "state": result.get_final_state()}
