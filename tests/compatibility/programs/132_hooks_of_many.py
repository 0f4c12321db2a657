"""Each executor saves what it wants; a rebuilt workflow gives it back to those that are in the checkpoint."""

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    handler,
)

LOG: list[str] = []


class Keep(Executor):
    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.seen: list[str] = []

    @handler
    async def take(self, text: str, ctx: WorkflowContext[str, str]) -> None:
        self.seen.append(text)
        await ctx.send_message(f"{text}{self.id}")
        await ctx.yield_output(f"{self.id} {self.seen}")

    async def on_checkpoint_save(self) -> dict:
        return {"seen": list(self.seen)}

    async def on_checkpoint_restore(self, state: dict) -> None:
        LOG.append(f"{self.id} {state['seen']}")
        self.seen = list(state["seen"])


def build(storage):
    a, b, c = Keep("a"), Keep("b"), Keep("c")
    return (
        WorkflowBuilder(name="keep", start_executor=a, checkpoint_storage=storage)
        .add_chain([a, b, c])
        .build()
    )


async def main() -> dict:
    LOG.clear()
    storage = InMemoryCheckpointStorage()
    workflow = build(storage)
    await workflow.run("x")
    found = {
        one.iteration_count: one
        for one in await storage.list_checkpoints(workflow_name="keep")
    }
    states = {
        count: one.state.get("_executor_state", {})
        for count, one in sorted(found.items())
    }
    resumed = await build(storage).run(checkpoint_id=found[2].checkpoint_id)
    again = await workflow.run("y")
    return {
        "states": {
            count: {key: value for key, value in state.items() if value}
            for count, state in states.items()
        },
        "resumed": resumed.get_outputs(),
        "again": again.get_outputs(),
        "given back to": sorted({line.split()[0] for line in LOG}),
    }
