"""Generic types are checked element by element."""

from typing import Any, Literal

from agent_framework import Executor, WorkflowBuilder, WorkflowContext, handler


class Make(Executor):
    @handler
    async def make(self, number: int, ctx: WorkflowContext[Any]) -> None:
        values = [
            [1, 2],
            ["a"],
            {"a": 1},
            {1: "a"},
            (1, "a"),
            ("a", 1),
            {1},
            "yes",
            [1, "a"],
        ]
        await ctx.send_message(values[number])


class Take(Executor):
    @handler
    async def numbers(self, value: list[int], ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output("list[int]")

    @handler
    async def texts(self, value: list[str], ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output("list[str]")

    @handler
    async def counts(
        self, value: dict[str, int], ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output("dict[str, int]")

    @handler
    async def pair(
        self, value: tuple[int, str], ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output("tuple[int, str]")

    @handler
    async def some(self, value: set[int], ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output("set[int]")

    @handler
    async def word(
        self, value: Literal["yes", "no"], ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output("yes or no")


async def main() -> dict:
    make, take = Make("make"), Take("take")
    workflow = WorkflowBuilder(start_executor=make).add_edge(make, take).build()
    return {
        "outputs": [(await workflow.run(number)).get_outputs() for number in range(9)]
    }
