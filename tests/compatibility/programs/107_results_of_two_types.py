"""A join takes lists of two types at once."""

import statistics

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)


@executor
async def dispatch(numbers: list[int], ctx: WorkflowContext[list[int]]) -> None:
    await ctx.send_message(numbers)


class Average(Executor):
    @handler
    async def average(self, numbers: list[int], ctx: WorkflowContext[float]) -> None:
        await ctx.send_message(statistics.fmean(numbers))


class Total(Executor):
    @handler
    async def total(self, numbers: list[int], ctx: WorkflowContext[int]) -> None:
        await ctx.send_message(sum(numbers))


@executor
async def collect(
    results: list[int | float], ctx: WorkflowContext[None, list[int | float]]
) -> None:
    await ctx.yield_output(results)


async def main() -> dict:
    average, total = Average("average"), Total("total")
    workflow = (
        WorkflowBuilder(start_executor=dispatch)
        .add_fan_out_edges(dispatch, [average, total])
        .add_fan_in_edges([average, total], collect)
        .build()
    )
    return {
        "outputs": (await workflow.run([1, 2, 6])).get_outputs(),
        "types": [str(collect.input_types[0])],
    }
