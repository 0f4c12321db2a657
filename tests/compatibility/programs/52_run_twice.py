"""Two runs of one instance: state and attributes go on, the count of supersteps begins anew."""

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    handler,
)

from tests.compatibility.facts import told


class Count(Executor):
    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.calls = 0

    @handler
    async def count(self, text: str, ctx: WorkflowContext[str, str]) -> None:
        self.calls += 1
        ctx.set_state("texts", [*ctx.get_state("texts", []), f"{self.id}:{text}"])
        if self.id == "a":
            await ctx.send_message(text)
        else:
            await ctx.yield_output(f"{self.calls} {ctx.get_state('texts')}")


async def main() -> dict:
    a, b = Count("a"), Count("b")
    storage = InMemoryCheckpointStorage()
    workflow = (
        WorkflowBuilder(name="twice", start_executor=a, checkpoint_storage=storage)
        .add_edge(a, b)
        .build()
    )
    first, second = await workflow.run("x"), await workflow.run("y")
    found = await storage.list_checkpoints(workflow_name="twice")
    return {
        "outputs": [first.get_outputs(), second.get_outputs()],
        "supersteps": told(second, "superstep_started"),
        "counts": sorted(one.iteration_count for one in found),
        "without parent": sum(one.previous_checkpoint_id is None for one in found),
    }
