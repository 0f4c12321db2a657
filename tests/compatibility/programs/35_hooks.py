"""An executor that keeps attributes through its checkpoint hooks."""

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    handler,
)


class Sum(Executor):
    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.total, self.restored = 0, 0

    @handler
    async def add(self, number: int, ctx: WorkflowContext[int, str]) -> None:
        self.total += number
        if number > 1:
            await ctx.send_message(number - 1)
        else:
            await ctx.yield_output(f"{self.id} {self.total}")

    async def on_checkpoint_save(self) -> dict:
        return {"total": self.total}

    async def on_checkpoint_restore(self, state: dict) -> None:
        self.total = state["total"]
        self.restored += 1


def build(storage):
    a, b = Sum("a"), Sum("b")
    builder = WorkflowBuilder(name="sums", start_executor=a, checkpoint_storage=storage)
    return builder.add_edge(a, b).add_edge(b, a).build(), a, b


async def main() -> dict:
    storage = InMemoryCheckpointStorage()
    workflow, a, b = build(storage)
    straight = await workflow.run(5)
    found = await storage.list_checkpoints(workflow_name="sums")
    checkpoints = {one.iteration_count: one.checkpoint_id for one in found}
    resumed = []
    for count in range(1, 5):
        fresh, _, _ = build(storage)
        resumed.append(
            (await fresh.run(checkpoint_id=checkpoints[count])).get_outputs()
        )
    used = await workflow.run(checkpoint_id=checkpoints[2])
    return {
        "outputs": straight.get_outputs(),
        "resumed": resumed,
        "in the same instance": used.get_outputs(),
        "totals": [a.total, b.total],
    }
