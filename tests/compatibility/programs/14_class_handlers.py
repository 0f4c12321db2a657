"""An executor with a handler for each of several types."""

from dataclasses import dataclass

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)

from tests.compatibility.facts import told


@dataclass
class Order:
    item: str
    count: int


@executor
async def split(what: str, ctx: WorkflowContext[str | int | Order | float]) -> None:
    await ctx.send_message(what)
    await ctx.send_message(len(what))
    await ctx.send_message(Order(what, 2))
    await ctx.send_message(True)


class Clerk(Executor):
    @handler
    async def text(self, text: str, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"text {text}")

    @handler
    async def number(self, number: int, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"number {number}")

    @handler
    async def order(self, order: Order, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"order {order.count} {order.item}")


async def main() -> dict:
    clerk = Clerk("clerk")
    workflow = WorkflowBuilder(start_executor=split).add_edge(split, clerk).build()
    result = await workflow.run("tea")
    return {
        "outputs": result.get_outputs(),
        "invoked": told(result, "executor_invoked"),
        "input types": sorted(one.__name__ for one in clerk.input_types),
        "outputs of": clerk.workflow_output_types,
    }
