"""Sources of a join that send several messages in one superstep."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)


@executor
async def start(counts: list, ctx: WorkflowContext[list]) -> None:
    await ctx.send_message(counts)


class Send(Executor):
    @handler
    async def send(self, counts: list, ctx: WorkflowContext[str]) -> None:
        for number in range(counts["ab".index(self.id)]):
            await ctx.send_message(f"{self.id}{number + 1}")


@executor
async def join(texts: list[str], ctx: WorkflowContext[None, list]) -> None:
    await ctx.yield_output(texts)


async def run(*counts: int) -> list:
    a, b = Send("a"), Send("b")
    workflow = (
        WorkflowBuilder(start_executor=start)
        .add_fan_out_edges(start, [a, b])
        .add_fan_in_edges([a, b], join)
        .build()
    )
    return (await workflow.run(list(counts))).get_outputs()


async def main() -> dict:
    return {
        "one and one": await run(1, 1),
        "two and one": await run(2, 1),
        "two and two": await run(2, 2),
    }
