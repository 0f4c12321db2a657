"""A response handler raises; then the same answer is given again."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    handler,
    response_handler,
)

from tests.compatibility.facts import caught


class Ask(Executor):
    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.broken = True

    @handler
    async def ask(self, text: str, ctx: WorkflowContext) -> None:
        await ctx.request_info(text, bool, request_id="q")

    @response_handler
    async def answer(
        self, text: str, yes: bool, ctx: WorkflowContext[None, str]
    ) -> None:
        if self.broken:
            self.broken = False
            raise OSError("offline")
        await ctx.yield_output(f"{text} {yes}")


async def main() -> dict:
    workflow = WorkflowBuilder(start_executor=Ask("ask")).build()
    await workflow.run("x")
    first = await caught(OSError, lambda: workflow.run(responses={"q": True}))
    try:
        second = (await workflow.run(responses={"q": True})).get_outputs()
    except RuntimeError as error:
        second = str(error)[:19]
    return {"first": first, "second": second}
