"""Handlers are inherited, overridden and added; so are response handlers."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    handler,
    response_handler,
)


class Base(Executor):
    @handler
    async def text(self, text: str, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"base text {text}")

    @handler
    async def number(self, number: int, ctx: WorkflowContext) -> None:
        await ctx.request_info(number, str, request_id="why")

    @response_handler
    async def why(
        self, number: int, reason: str, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"base {number} as {reason}")


class Child(Base):
    @handler
    async def text(self, text: str, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"child text {text}")

    @handler
    async def truth(self, items: list[str], ctx: WorkflowContext[None, str]) -> None:
        await super().text(f"of {items}", ctx)


class Counted(Executor):
    made = 0

    def __init__(self, id: str, step: int) -> None:
        self.step = step
        super().__init__(id=id)
        Counted.made += 1

    @handler
    async def add(self, number: int, ctx: WorkflowContext[None, int]) -> None:
        await ctx.yield_output(number + self.step)


async def main() -> dict:
    workflow = WorkflowBuilder(start_executor=Child("child")).build()
    texts = [(await workflow.run(value)).get_outputs() for value in ("x", ["a"])]
    await workflow.run(3)
    answered = await workflow.run(responses={"why": "asked"})
    counted = await WorkflowBuilder(start_executor=Counted("counted", 5)).build().run(1)
    return {
        "texts": texts,
        "answered": answered.get_outputs(),
        "types": sorted(str(one) for one in Child("c").input_types),
        "counted": counted.get_outputs(),
    }
