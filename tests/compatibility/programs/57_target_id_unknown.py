"""A message addressed to somebody whom no edge leads to."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowException,
    executor,
    handler,
)


@executor
async def source(text: str, ctx: WorkflowContext[str]) -> None:
    await ctx.send_message(text, target_id="sya")


class Say(Executor):
    @handler
    async def say(self, text: str, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(text)


async def main() -> dict:
    workflow = (
        WorkflowBuilder(start_executor=source).add_edge(source, Say("say")).build()
    )
    try:
        result = await workflow.run("x")
    except WorkflowException as error:
        return {"outcome": type(error).__name__}
    return {"outcome": result.get_final_state(), "outputs": result.get_outputs()}
