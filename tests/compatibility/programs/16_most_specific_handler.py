"""Which of two handlers takes a value that fits both."""

from agent_framework import Executor, WorkflowBuilder, WorkflowContext, handler


class Base:
    pass


class Derived(Base):
    pass


class Make(Executor):
    @handler
    async def make(self, which: str, ctx: WorkflowContext[Base]) -> None:
        await ctx.send_message(Base() if which == "base" else Derived())


class Take(Executor):
    @handler
    async def a_base(self, value: Base, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output("base handler")

    @handler
    async def b_derived(self, value: Derived, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output("derived handler")


async def main() -> dict:
    make, take = Make("make"), Take("take")
    workflow = WorkflowBuilder(start_executor=make).add_edge(make, take).build()
    return {
        "a base": (await workflow.run("base")).get_outputs(),
        "a derived": (await workflow.run("derived")).get_outputs(),
    }
