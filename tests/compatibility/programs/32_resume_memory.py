"""Checkpoints in memory: how many, what they hold, and going on from each of them in a rebuilt workflow."""

from itertools import pairwise

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    handler,
)

from tests.compatibility.facts import told


class Add(Executor):
    @handler
    async def add(self, number: int, ctx: WorkflowContext[int, int]) -> None:
        ctx.set_state("seen", [*ctx.get_state("seen", []), self.id])
        if self.id == "c":
            await ctx.yield_output(number + 1)
            await ctx.yield_output(len(ctx.get_state("seen")))
        else:
            await ctx.send_message(number + 1)


def build(storage):
    a, b, c = Add("a"), Add("b"), Add("c")
    return (
        WorkflowBuilder(name="adding", start_executor=a, checkpoint_storage=storage)
        .add_chain([a, b, c])
        .build()
    )


async def main() -> dict:
    storage = InMemoryCheckpointStorage()
    straight = await build(storage).run(1)
    checkpoints = await storage.list_checkpoints(workflow_name="adding")
    checkpoints.sort(key=lambda one: one.iteration_count)
    resumed = [
        await build(storage).run(checkpoint_id=one.checkpoint_id)
        for one in checkpoints[:-1]
    ]
    return {
        "outputs": straight.get_outputs(),
        "counts": [one.iteration_count for one in checkpoints],
        "names": [one.workflow_name for one in checkpoints],
        "parents": [
            before.checkpoint_id == one.previous_checkpoint_id
            for before, one in pairwise(checkpoints)
        ],
        "first parent": checkpoints[0].previous_checkpoint_id,
        "resumed": [one.get_outputs() for one in resumed],
        "events": told(resumed[1]),
        "queued": [sorted(one.messages) for one in checkpoints],
        "states": [one.state.get("seen") for one in checkpoints],
        "of another name": await storage.list_checkpoints(workflow_name="other"),
    }
