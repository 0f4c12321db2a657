"""What a join held at the end of one run, in the next run of the same instance."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)


@executor
async def start(text: str, ctx: WorkflowContext[str]) -> None:
    await ctx.send_message(text)


class Relay(Executor):
    @handler
    async def relay(self, text: str, ctx: WorkflowContext[str]) -> None:
        if text == "both" or self.id == "a":
            await ctx.send_message(f"{self.id} {text}")


@executor
async def join(texts: list[str], ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output("+".join(texts))


async def main() -> dict:
    a, b = Relay("a"), Relay("b")
    workflow = (
        WorkflowBuilder(start_executor=start)
        .add_fan_out_edges(start, [a, b])
        .add_fan_in_edges([a, b], join)
        .build()
    )
    first, second = await workflow.run("one"), await workflow.run("both")
    return {"first": first.get_outputs(), "second": second.get_outputs()}
