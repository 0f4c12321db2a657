"""A question without a response handler for its answer."""

from agent_framework import Executor, WorkflowBuilder, WorkflowContext, handler


class Ask(Executor):
    @handler
    async def ask(self, text: str, ctx: WorkflowContext) -> None:
        await ctx.request_info(text, bool, request_id="q")


async def main() -> dict:
    workflow = WorkflowBuilder(start_executor=Ask("ask")).build()
    try:
        asked = await workflow.run("x")
        return {
            "asked": asked.get_final_state(),
            "answered": (await workflow.run(responses={"q": True})).get_outputs(),
        }
    except ValueError as error:
        return {"asked": type(error).__name__}
