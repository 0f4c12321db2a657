"""A switch: the first case that is true, else the default."""

from agent_framework import (
    Case,
    Default,
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)

from tests.compatibility.facts import told


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
        Case(condition=lambda number: number > 10, target=Say("large")),
        Default(target=Say("small")),
    ]
    workflow = (
        WorkflowBuilder(start_executor=source)
        .add_switch_case_edge_group(source, cases)
        .build()
    )
    results = [await workflow.run(number) for number in (5, 50, 500, 10)]
    return {
        "outputs": [result.get_outputs() for result in results],
        "events": told(results[1]),
        "statuses": told(results[1].status_timeline()),
    }
