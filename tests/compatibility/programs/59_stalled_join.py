"""A join of which one source never sends."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)

from tests.compatibility.facts import told


@executor
async def start(text: str, ctx: WorkflowContext[str]) -> None:
    await ctx.send_message(text)


class Relay(Executor):
    @handler
    async def relay(self, text: str, ctx: WorkflowContext[str]) -> None:
        if self.id != "silent":
            await ctx.send_message(text)


@executor
async def join(texts: list[str], ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output("+".join(texts))


async def main() -> dict:
    silent, loud = Relay("silent"), Relay("loud")
    workflow = (
        WorkflowBuilder(start_executor=start)
        .add_fan_out_edges(start, [silent, loud])
        .add_fan_in_edges([silent, loud], join)
        .build()
    )
    result = await workflow.run("x")
    return {
        "outputs": result.get_outputs(),
        "invoked": sorted(told(result, "executor_invoked")),
        "state": result.get_final_state(),
    }
