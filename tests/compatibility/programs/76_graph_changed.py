"""A checkpoint of another graph is refused."""

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowCheckpointException,
    WorkflowContext,
    handler,
)

from tests.compatibility.facts import caught


class Step(Executor):
    @handler
    async def step(self, text: str, ctx: WorkflowContext[str, str]) -> None:
        await ctx.yield_output(text)


def build(storage, *names: str):
    steps = [Step(name) for name in names]
    return (
        WorkflowBuilder(
            name="steps", start_executor=steps[0], checkpoint_storage=storage
        )
        .add_chain(steps)
        .build()
    )


async def main() -> dict:
    storage = InMemoryCheckpointStorage()
    first, other = build(storage, "a", "b"), build(storage, "a", "c")
    await first.run("x")
    entry = next(
        one
        for one in await storage.list_checkpoints(workflow_name="steps")
        if one.iteration_count == 0
    ).checkpoint_id
    return {
        "refused": (
            await caught(
                WorkflowCheckpointException, lambda: other.run(checkpoint_id=entry), 200
            )
        )
        != "nothing",
        "same graph, same hash": build(None, "a", "b").graph_signature_hash
        == first.graph_signature_hash,
        "other graph, other hash": first.graph_signature_hash
        == other.graph_signature_hash,
        "goes on": (
            await build(storage, "a", "b").run(checkpoint_id=entry)
        ).get_outputs(),
    }
