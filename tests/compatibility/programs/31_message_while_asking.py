"""A new message while a question is open: both can be answered."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    handler,
    response_handler,
)

from tests.compatibility.facts import told


class Ask(Executor):
    @handler
    async def ask(self, text: str, ctx: WorkflowContext) -> None:
        await ctx.request_info(text, bool, request_id=text)

    @response_handler
    async def answer(
        self, text: str, yes: bool, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"{text} {yes}")


async def main() -> dict:
    workflow = WorkflowBuilder(start_executor=Ask("ask")).build()
    await workflow.run("first")
    second = await workflow.run("second", include_status_events=True)
    done = await workflow.run(responses={"second": True, "first": False})
    return {
        "second": told(second),
        "outputs": sorted(done.get_outputs()),
        "state": done.get_final_state(),
    }
