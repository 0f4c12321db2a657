"""A join gets one list in the order of its sources, not of arrival."""

import asyncio

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)

from tests.compatibility.facts import told


@executor
async def start(number: int, ctx: WorkflowContext[int]) -> None:
    await ctx.send_message(number)


class Add(Executor):
    def __init__(self, id: str, amount: int, turns: int) -> None:
        super().__init__(id)
        self.amount, self.turns = amount, turns

    @handler
    async def add(self, number: int, ctx: WorkflowContext[int]) -> None:
        for _ in range(self.turns):
            await asyncio.sleep(0)
        await ctx.send_message(number + self.amount)


@executor
async def join(numbers: list[int], ctx: WorkflowContext[None, dict]) -> None:
    await ctx.yield_output(
        {"numbers": numbers, "sources": list(ctx.source_executor_ids)}
    )


async def main() -> dict:
    a, b, c = Add("a", 1, 20), Add("b", 2, 1), Add("c", 3, 5)
    workflow = (
        WorkflowBuilder(start_executor=start)
        .add_fan_out_edges(start, [a, b, c])
        .add_fan_in_edges([c, a, b], join)
        .build()
    )
    result = await workflow.run(10)
    return {
        "outputs": result.get_outputs(),
        "supersteps": told(result, "superstep_started"),
    }
