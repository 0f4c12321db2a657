"""A sub-workflow whose outputs are the parent's, and progress that always is."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    executor,
    handler,
)

from tests.compatibility.facts import told


class Step(Executor):
    @handler
    async def step(self, number: int, ctx: WorkflowContext[int, str]) -> None:
        await ctx.yield_output(f"{self.id} {number}")
        if self.id == "a":
            await ctx.send_message(number + 1)


@executor
async def start(number: int, ctx: WorkflowContext[int]) -> None:
    await ctx.send_message(number + 1)


async def main() -> dict:
    a, b = Step("a"), Step("b")
    inner = (
        WorkflowBuilder(start_executor=a, output_from=[b], intermediate_output_from=[a])
        .add_edge(a, b)
        .build()
    )
    sub = WorkflowExecutor(inner, id="sub", allow_direct_output=True)
    workflow = WorkflowBuilder(start_executor=start).add_edge(start, sub).build()
    result = await workflow.run(1)
    return {
        "outputs": result.get_outputs(),
        "intermediate": result.get_intermediate_outputs(),
        "told": told(result, "output", "intermediate"),
        "types": [sub.output_types, sub.workflow_output_types],
    }
