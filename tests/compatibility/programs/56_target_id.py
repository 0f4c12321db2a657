"""A message addressed to one of several targets."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)


@executor
async def source(text: str, ctx: WorkflowContext[str]) -> None:
    await ctx.send_message(text, target_id=text)


class Say(Executor):
    @handler
    async def say(self, text: str, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"{self.id} {text}")


async def main() -> dict:
    a, b, c, d = Say("a"), Say("b"), Say("c"), Say("d")
    workflow = (
        WorkflowBuilder(start_executor=source)
        .add_fan_out_edges(source, [a, b])
        .add_edge(source, c)
        .add_edge(source, d, condition=lambda text: False)
        .build()
    )
    results = [await workflow.run(text) for text in ("a", "b", "c", "d")]
    return {
        "outputs": [one.get_outputs() for one in results],
        "states": [one.get_final_state() for one in results],
    }
