"""Status events, beside the result and in it."""

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
        await ctx.request_info(text, bool, request_id="q")

    @response_handler
    async def answer(
        self, text: str, yes: bool, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"{text} {yes}")


async def main() -> dict:
    workflow = WorkflowBuilder(start_executor=Ask("ask")).build()
    before = workflow.status
    asked = await workflow.run("really?", include_status_events=True)
    between = workflow.status
    done = await workflow.run(responses={"q": True}, include_status_events=True)
    return {
        "asked": told(asked),
        "asked, statuses": told(asked.status_timeline()),
        "done": told(done),
        "done, statuses": told(done.status_timeline()),
        "status": [before, between, workflow.status],
    }
