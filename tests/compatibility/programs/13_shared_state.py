"""Shared state: written in one superstep, read in the next; a value that was read is the reader's own."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)


@executor
async def write(text: str, ctx: WorkflowContext[str]) -> None:
    ctx.set_state("words", text.split())
    ctx.set_state("doomed", 1)
    own = ctx.get_state("words")
    await ctx.send_message(str(own))


class Change(Executor):
    @handler
    async def change(self, text: str, ctx: WorkflowContext[str]) -> None:
        ctx.get_state("words").append("not kept")
        words = ctx.get_state("words")
        words.append("kept")
        ctx.set_state("words", words)
        ctx.state.delete("doomed")
        await ctx.send_message(text)


@executor
async def read(text: str, ctx: WorkflowContext[None, object]) -> None:
    await ctx.yield_output(
        [
            text,
            ctx.get_state("words"),
            ctx.get_state("nothing"),
            ctx.get_state("other", 7),
        ]
    )
    await ctx.yield_output(
        [ctx.state.has("words"), ctx.state.has("doomed"), ctx.state.get("words")]
    )


async def main() -> dict:
    workflow = (
        WorkflowBuilder(start_executor=write)
        .add_chain([write, Change("change"), read])
        .build()
    )
    result = await workflow.run("a b")
    return {"outputs": result.get_outputs()}
