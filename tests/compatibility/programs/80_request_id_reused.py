"""Two questions under one id."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    handler,
    response_handler,
)


class Ask(Executor):
    @handler
    async def ask(self, text: str, ctx: WorkflowContext) -> None:
        await ctx.request_info(f"first {text}", bool, request_id="q")
        await ctx.request_info(f"second {text}", bool, request_id="q")

    @response_handler
    async def answer(
        self, text: str, yes: bool, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"{text} {yes}")


async def main() -> dict:
    workflow = WorkflowBuilder(start_executor=Ask("ask")).build()
    try:
        asked = await workflow.run("x")
    except ValueError as error:
        return {"asked": type(error).__name__, "answered": []}
    answered = await workflow.run(responses={"q": True})
    return {
        "asked": len(asked.get_request_info_events()),
        "answered": answered.get_outputs(),
    }
