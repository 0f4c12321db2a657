"""The last checkpoint of a finished run is restored."""

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    handler,
)

from tests.compatibility.facts import told


class Step(Executor):
    @handler
    async def step(self, text: str, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(text)


async def main() -> dict:
    storage = InMemoryCheckpointStorage()
    workflow = WorkflowBuilder(
        name="one", start_executor=Step("a"), checkpoint_storage=storage
    ).build()
    await workflow.run("x")
    again = await workflow.run(checkpoint_id=workflow.get_last_checkpoint_id())
    found = await storage.list_checkpoints(workflow_name="one")
    return {
        "outputs": again.get_outputs(),
        "state": again.get_final_state(),
        "events": told(again),
        "counts": sorted(one.iteration_count for one in found),
    }
