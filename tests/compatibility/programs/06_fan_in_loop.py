"""A join inside a loop: it fires once in every round."""

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


class Plus(Executor):
    @handler
    async def plus(self, number: int, ctx: WorkflowContext[int]) -> None:
        await ctx.send_message(number + 1)


@executor
async def join(numbers: list[int], ctx: WorkflowContext[int, str]) -> None:
    total = sum(numbers)
    if total < 50:
        await ctx.send_message(total)
    else:
        await ctx.yield_output(f"total {total}")


async def main() -> dict:
    left, right = Plus("left"), Plus("right")
    workflow = (
        WorkflowBuilder(start_executor=start)
        .add_fan_out_edges(start, [left, right])
        .add_fan_in_edges([left, right], join)
        .add_fan_out_edges(join, [left, right])
        .build()
    )
    result = await workflow.run(1)
    return {
        "outputs": result.get_outputs(),
        "joins": [one for one in told(result, "executor_invoked") if "join" in one],
        "supersteps": len(told(result, "superstep_completed")),
        "state": result.get_final_state(),
    }
