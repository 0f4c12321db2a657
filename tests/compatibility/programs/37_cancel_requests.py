"""Open questions are withdrawn, and the run goes on without them."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    handler,
    response_handler,
)

from tests.compatibility.facts import caught, told


class Ask(Executor):
    @handler
    async def ask(self, text: str, ctx: WorkflowContext) -> None:
        for name in ("one", "two", "three"):
            await ctx.request_info(text, bool, request_id=name)

    @response_handler
    async def answer(
        self, text: str, yes: bool, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"{ctx.request_id} {yes}")


async def main() -> dict:
    workflow = WorkflowBuilder(start_executor=Ask("ask")).build()
    await workflow.run("x")
    first = await workflow.cancel_pending_requests(["one"])
    refused = await caught(ValueError, lambda: workflow.run(responses={"one": True}), 0)
    answered = await workflow.run(responses={"two": True})
    last = await workflow.cancel_pending_requests(["three"])
    return {
        "first": [
            first.get_final_state(),
            first.get_outputs(),
            told(first, "request_info"),
        ],
        "refused": refused,
        "answered": [answered.get_outputs(), answered.get_final_state()],
        "last": [last.get_final_state(), workflow.status],
        "unknown": await caught(
            ValueError, lambda: workflow.cancel_pending_requests(["nobody"]), 0
        ),
    }
