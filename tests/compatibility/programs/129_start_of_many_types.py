"""A start that takes several types; what it does not take is refused with the types named."""

from dataclasses import dataclass

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowMessage,
    handler,
)

from tests.compatibility.facts import caught


@dataclass
class Order:
    item: str


class Start(Executor):
    @handler
    async def order(self, order: Order, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"order of {order.item}")

    @handler
    async def items(self, items: list[Order], ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"{len(items)} orders")

    @handler
    async def settings(
        self, settings: dict[str, int], ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"settings {sorted(settings)}")


async def main() -> dict:
    workflow = WorkflowBuilder(start_executor=Start("start")).build()
    inputs = [
        Order("tea"),
        [Order("a"), Order("b")],
        {"x": 1},
        WorkflowMessage(Order("wrapped"), "outside"),
    ]
    outputs = [(await workflow.run(one)).get_outputs() for one in inputs]
    wrong = [["text"], {"x": "y"}, 4.5, b"x"]
    return {
        "outputs": outputs,
        "wrong": [
            await caught(RuntimeError, lambda one=one: workflow.run(one), 53)
            for one in wrong
        ],
        "afterwards": (await workflow.run(Order("again"))).get_outputs(),
    }
