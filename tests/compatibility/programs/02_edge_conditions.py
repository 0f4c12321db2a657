"""Conditions on direct edges, plain and asynchronous ones."""

from agent_framework import WorkflowBuilder, WorkflowContext, executor

from tests.compatibility.facts import told


@executor
async def source(number: int, ctx: WorkflowContext[int]) -> None:
    await ctx.send_message(number)


@executor
async def even(number: int, ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output(f"even {number}")


@executor
async def large(number: int, ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output(f"large {number}")


async def is_large(number: int) -> bool:
    return number > 10


async def main() -> dict:
    workflow = (
        WorkflowBuilder(start_executor=source)
        .add_edge(source, even, condition=lambda number: number % 2 == 0)
        .add_edge(source, large, condition=is_large)
        .build()
    )
    results = [await workflow.run(number) for number in (2, 11, 12, 1)]
    return {
        "outputs": [result.get_outputs() for result in results],
        "states": [result.get_final_state() for result in results],
        "nobody": told(results[3]),
    }
