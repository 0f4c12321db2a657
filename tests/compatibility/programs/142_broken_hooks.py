"""A hook that raises when a checkpoint is restored, and one that returns no mapping when it is saved."""

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
    async def count(self, left: int, ctx: WorkflowContext[int, str]) -> None:
        await (ctx.send_message(left - 1) if left else ctx.yield_output("done"))


class Breaks(Count):
    async def on_checkpoint_save(self) -> dict:
        return {"a": 1}

    async def on_checkpoint_restore(self, state: dict) -> None:
        raise ValueError("not today")


class NoMapping(Count):
    async def on_checkpoint_save(self) -> dict:
        return ["no mapping"]


def build(cls, storage):
    count = cls("count")
    return (
        WorkflowBuilder(name="w", start_executor=count, checkpoint_storage=storage)
        .add_edge(count, count)
        .build()
    )


async def main() -> dict:
    storage = InMemoryCheckpointStorage()
    await build(Breaks, storage).run(2)
    found = {
        one.iteration_count: one.checkpoint_id
        for one in await storage.list_checkpoints(workflow_name="w")
    }
    workflow = build(Breaks, storage)
    error = await caught(
        WorkflowCheckpointException, lambda: workflow.run(checkpoint_id=found[1]), 43
    )
    return {
        "restored": [error, workflow.status],
        "saved": await caught(
            WorkflowCheckpointException,
            lambda: build(NoMapping, InMemoryCheckpointStorage()).run(1),
        ),
    }
