"""Where the limit stops a loop, the checkpoint before goes on in a workflow that may go further."""

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowConvergenceException,
    handler,
)

from tests.compatibility.facts import caught


class Count(Executor):
    @handler
    async def count(self, left: int, ctx: WorkflowContext[int, str]) -> None:
        await (ctx.send_message(left - 1) if left else ctx.yield_output("done"))


def build(storage, limit: int):
    a, b = Count("a"), Count("b")
    builder = WorkflowBuilder(
        name="count", start_executor=a, checkpoint_storage=storage, max_iterations=limit
    )
    return builder.add_edge(a, b).add_edge(b, a).build()


async def main() -> dict:
    storage = InMemoryCheckpointStorage()
    error = await caught(WorkflowConvergenceException, lambda: build(storage, 3).run(5))
    latest = await storage.get_latest(workflow_name="count")
    at_once = await caught(
        WorkflowConvergenceException,
        lambda: build(storage, 3).run(checkpoint_id=latest.checkpoint_id),
    )
    further = await build(storage, 6).run(checkpoint_id=latest.checkpoint_id)
    return {
        "error": error,
        "latest": latest.iteration_count,
        "at once": at_once,
        "further": further.get_outputs(),
        "counted on": (await storage.get_latest(workflow_name="count")).iteration_count,
    }
