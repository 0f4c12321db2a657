"""A sender that goes on changing what it has sent."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)


@executor
async def start(text: str, ctx: WorkflowContext[list[str]]) -> None:
    texts = [text]
    await ctx.send_message(texts)
    texts.append("later")


class Take(Executor):
    @handler
    async def take(self, texts: list[str], ctx: WorkflowContext[None, list]) -> None:
        await ctx.yield_output(texts)


async def main() -> dict:
    result = (
        await WorkflowBuilder(start_executor=start)
        .add_edge(start, end := Take("end"))
        .build()
        .run("x")
    )
    return {"outputs": result.get_outputs(), "end": end.id}
