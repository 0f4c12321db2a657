"""A storage that cannot save."""

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    handler,
)


class Full(InMemoryCheckpointStorage):
    async def save(self, checkpoint) -> str:
        if checkpoint.iteration_count == 1:
            raise OSError("disk full")
        return await super().save(checkpoint)


class Count(Executor):
    @handler
    async def count(self, number: int, ctx: WorkflowContext[int, str]) -> None:
        if number:
            await ctx.send_message(number - 1)
        else:
            await ctx.yield_output(self.id)


async def main() -> dict:
    a, b, storage = Count("a"), Count("b"), Full()
    builder = WorkflowBuilder(name="full", start_executor=a, checkpoint_storage=storage)
    workflow = builder.add_edge(a, b).add_edge(b, a).build()
    try:
        outcome = (await workflow.run(2)).get_outputs()
    except Exception as error:  # noqa: BLE001
        outcome = f"raised, {'disk full' in str(error)}"
    found = await storage.list_checkpoints(workflow_name="full")
    return {"outcome": outcome, "counts": sorted(one.iteration_count for one in found)}
