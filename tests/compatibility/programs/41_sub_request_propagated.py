"""A sub-workflow's question goes to the outside and its answer comes back in."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    executor,
    handler,
    response_handler,
)

from tests.compatibility.facts import told


class Ask(Executor):
    @handler
    async def ask(self, text: str, ctx: WorkflowContext) -> None:
        await ctx.request_info(f"{text}?", bool, request_id="inside")

    @response_handler
    async def answer(
        self, text: str, yes: bool, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"{text} {yes}")


@executor
async def show(text: str, ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output(f"<{text}>")


async def main() -> dict:
    inner = WorkflowBuilder(start_executor=Ask("ask")).build()
    sub = WorkflowExecutor(inner, id="sub", propagate_request=True)
    workflow = WorkflowBuilder(start_executor=sub).add_edge(sub, show).build()
    asked = await workflow.run("really")
    done = await workflow.run(responses={"inside": True})
    return {
        "asked": told(asked, "request_info"),
        "state": asked.get_final_state(),
        "outputs": done.get_outputs(),
        "end": done.get_final_state(),
        "invoked": told(done, "executor_invoked"),
    }
