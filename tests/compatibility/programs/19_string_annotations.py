"""Annotations as text, as `from __future__ import annotations` makes them."""

from __future__ import annotations

from dataclasses import dataclass

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
    response_handler,
)


@dataclass
class Order:
    item: str


class Ask(Executor):
    @handler
    async def ask(self, order: Order, ctx: WorkflowContext[None, str]) -> None:
        await ctx.request_info(order, bool, request_id="really")

    @response_handler
    async def answer(
        self, order: Order, yes: bool, ctx: WorkflowContext[Order, str]
    ) -> None:
        await ctx.send_message(order)
        await ctx.yield_output(f"{order.item} {yes}")


@executor
async def ship(order: Order, ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output(f"shipped {order.item}")


async def main() -> dict:
    ask = Ask("ask")
    workflow = WorkflowBuilder(start_executor=ask).add_edge(ask, ship).build()
    first = await workflow.run(Order("tea"))
    second = await workflow.run(responses={"really": True})
    return {
        "asked": first.get_outputs(),
        "outputs": second.get_outputs(),
        "types": ask.input_types,
    }
