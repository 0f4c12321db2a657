"""Several inputs for one sub-workflow: whether they share its state."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    executor,
    handler,
)


class Count(Executor):
    @handler
    async def count(self, number: int, ctx: WorkflowContext[None, str]) -> None:
        ctx.set_state("count", ctx.get_state("count", 0) + 1)
        await ctx.yield_output(f"{number} as {ctx.get_state('count')}")


@executor
async def two(number: int, ctx: WorkflowContext[int]) -> None:
    await ctx.send_message(number)
    await ctx.send_message(number + 1)


@executor
async def last(text: str, ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output(text)


async def main() -> dict:
    sub = WorkflowExecutor(
        WorkflowBuilder(start_executor=Count("count")).build(), id="sub"
    )
    workflow = WorkflowBuilder(start_executor=two).add_chain([two, sub, last]).build()
    return {
        "outputs": [(await workflow.run(number)).get_outputs() for number in (1, 5)]
    }
