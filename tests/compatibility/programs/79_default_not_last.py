"""A default that is not the last case."""

from agent_framework import (
    Case,
    Default,
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)


@executor
async def source(number: int, ctx: WorkflowContext[int]) -> None:
    await ctx.send_message(number)


class Say(Executor):
    @handler
    async def say(self, number: int, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"{self.id} {number}")


async def main() -> dict:
    cases = [
        Case(condition=lambda number: number > 100, target=Say("huge")),
        Default(target=Say("small")),
        Case(condition=lambda number: number > 10, target=Say("large")),
    ]
    workflow = (
        WorkflowBuilder(start_executor=source)
        .add_switch_case_edge_group(source, cases)
        .build()
    )
    return {
        str(number): (await workflow.run(number)).get_outputs()
        for number in (5, 50, 500)
    }
