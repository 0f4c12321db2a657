"""A handler for a base class takes objects of its subclasses."""

from dataclasses import dataclass

from agent_framework import Executor, WorkflowBuilder, WorkflowContext, handler


@dataclass
class Shape:
    name: str


@dataclass
class Circle(Shape):
    radius: int


class Make(Executor):
    @handler
    async def make(self, radius: int, ctx: WorkflowContext[Circle]) -> None:
        await ctx.send_message(Circle("circle", radius))


class Show(Executor):
    @handler
    async def show(self, shape: Shape, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"{type(shape).__name__} {shape}")


async def main() -> dict:
    make, show = Make("make"), Show("show")
    workflow = WorkflowBuilder(start_executor=make).add_edge(make, show).build()
    return {
        "outputs": [
            one.replace("Circle", "C") for one in (await workflow.run(4)).get_outputs()
        ]
    }
