"""Three functions in a row."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)

from tests.compatibility.facts import told


@executor(id="strip")
async def strip(text: str, ctx: WorkflowContext[str]) -> None:
    await ctx.send_message(text.strip())


class Upper(Executor):
    @handler
    async def upper(self, text: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(text.upper())


@executor
async def out(text: str, ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output(f"{text}!")


async def main() -> dict:
    workflow = (
        WorkflowBuilder(start_executor=strip)
        .add_chain([strip, Upper("upper"), out])
        .build()
    )
    result = await workflow.run("  hello ")
    return {
        "outputs": result.get_outputs(),
        "state": result.get_final_state(),
        "events": told(result),
        "statuses": told(result.status_timeline()),
        "status": workflow.status,
    }
