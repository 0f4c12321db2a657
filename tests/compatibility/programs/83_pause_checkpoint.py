"""The checkpoint at which questions were asked."""

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    handler,
    response_handler,
)


class Ask(Executor):
    @handler
    async def ask(self, text: str, ctx: WorkflowContext) -> None:
        await ctx.request_info(text, bool, request_id="one")
        await ctx.request_info(text, bool, request_id="two")

    @response_handler
    async def answer(
        self, text: str, yes: bool, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"{ctx.request_id} {yes}")


async def main() -> dict:
    storage = InMemoryCheckpointStorage()
    workflow = WorkflowBuilder(
        name="pauses", start_executor=Ask("ask"), checkpoint_storage=storage
    ).build()
    await workflow.run("x")
    paused = workflow.get_last_checkpoint_id()
    both = await workflow.resolve_pause_checkpoint_id(["one", "two"])
    await workflow.run(responses={"one": True})
    later = await workflow.resolve_pause_checkpoint_id(["two"])
    nothing = await workflow.resolve_pause_checkpoint_id(["nobody"])
    return {
        "both": both == paused,
        "later": [later == workflow.get_last_checkpoint_id(), later == paused],
        "nothing": nothing,
    }
