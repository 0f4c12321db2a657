"""A handler raises: what is told, what reaches the caller, and what is left."""

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    handler,
)

from tests.compatibility.facts import caught, told


class Step(Executor):
    @handler
    async def step(self, number: int, ctx: WorkflowContext[int, int]) -> None:
        ctx.set_state("last", self.id)
        if self.id == "b":
            raise LookupError("no such number")
        await ctx.send_message(number + 1)


async def main() -> dict:
    a, b = Step("a"), Step("b")
    storage = InMemoryCheckpointStorage()
    workflow = (
        WorkflowBuilder(name="failing", start_executor=a, checkpoint_storage=storage)
        .add_edge(a, b)
        .build()
    )
    seen = []

    async def watch() -> None:
        async for event in workflow.run(1, stream=True):
            seen.append(event)  # noqa: PERF401

    error = await caught(LookupError, watch)
    failed = [event for event in seen if event.type == "failed"]
    handler_failed = [event for event in seen if event.type == "executor_failed"]
    checkpoints = sorted(
        await storage.list_checkpoints(workflow_name="failing"),
        key=lambda one: one.iteration_count,
    )
    return {
        "error": error,
        "events": told(seen),
        "status": workflow.status,
        "awaited": await caught(
            LookupError,
            lambda: workflow.run(checkpoint_id=checkpoints[0].checkpoint_id),
        ),
        "details": [
            [one.details.error_type, one.details.executor_id]
            for one in (*failed, *handler_failed)
        ],
        "text of the error": [
            one.details.message for one in (*failed, *handler_failed)
        ],
        "data": [one.data is one.details for one in (*failed, *handler_failed)],
        "counts": [one.iteration_count for one in checkpoints],
        "states": [one.state.get("last") for one in checkpoints],
    }
