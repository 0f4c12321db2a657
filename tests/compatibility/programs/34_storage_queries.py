"""What a storage can be asked: ids, the latest, one by id; deleting; what is not there."""

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowCheckpointException,
    WorkflowContext,
    handler,
)

from tests.compatibility.facts import caught


class Count(Executor):
    @handler
    async def count(self, number: int, ctx: WorkflowContext[int, str]) -> None:
        if number:
            await ctx.send_message(number - 1)
        else:
            await ctx.yield_output("done")


async def main() -> dict:
    storage = InMemoryCheckpointStorage()
    a, b = Count("a"), Count("b")
    workflow = (
        WorkflowBuilder(name="counting", start_executor=a)
        .add_edge(a, b)
        .add_edge(b, a)
        .build()
    )
    nothing = await storage.get_latest(workflow_name="counting")
    before = workflow.get_last_checkpoint_id()
    await workflow.run(2, checkpoint_storage=storage)
    ids = await storage.list_checkpoint_ids(workflow_name="counting")
    latest = await storage.get_latest(workflow_name="counting")
    loaded = await storage.load(latest.checkpoint_id)
    again = await storage.load(latest.checkpoint_id)
    loaded.state["changed"] = True
    return {
        "before": [nothing, before],
        "ids": len(ids),
        "latest is the last": latest.checkpoint_id == workflow.get_last_checkpoint_id(),
        "latest": [latest.iteration_count, latest.workflow_name, latest.version],
        "metadata is empty": latest.metadata == {},
        "loaded": [
            loaded.checkpoint_id == latest.checkpoint_id,
            loaded.iteration_count,
        ],
        "own": "changed" in again.state
        or "changed" in (await storage.load(latest.checkpoint_id)).state,
        "deleted": [await storage.delete(ids[0]), await storage.delete("nobody")],
        "left": len(await storage.list_checkpoint_ids(workflow_name="counting")),
        "unknown": await caught(
            WorkflowCheckpointException, lambda: storage.load("nobody"), 24
        ),
        "unknown to resume": await caught(
            WorkflowCheckpointException,
            lambda: workflow.run(checkpoint_id="nobody", checkpoint_storage=storage),
            0,
        ),
        "no storage": await caught(
            ValueError, lambda: workflow.run(checkpoint_id=ids[-1]), 0
        ),
    }
