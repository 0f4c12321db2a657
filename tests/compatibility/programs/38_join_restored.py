"""A checkpoint taken while a join is half full: every one of them finishes the same."""

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    handler,
)


class Relay(Executor):
    @handler
    async def relay(self, text: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(f"{text}.{self.id}")


class Join(Executor):
    @handler
    async def join(self, texts: list[str], ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output("+".join(texts))


def build(storage):
    start, fast, relay, slow, join = (
        *map(Relay, ("start", "fast", "relay", "slow")),
        Join("join"),
    )
    return (
        WorkflowBuilder(name="joined", start_executor=start, checkpoint_storage=storage)
        .add_fan_out_edges(start, [fast, relay])
        .add_edge(relay, slow)
        .add_fan_in_edges([fast, slow], join)
        .build()
    )


async def main() -> dict:
    storage = InMemoryCheckpointStorage()
    used = build(storage)
    straight = await used.run("x")
    found = sorted(
        await storage.list_checkpoints(workflow_name="joined"),
        key=lambda one: one.iteration_count,
    )
    fresh = [
        await build(storage).run(checkpoint_id=one.checkpoint_id) for one in found[:-1]
    ]
    same = [await used.run(checkpoint_id=one.checkpoint_id) for one in found[:-1]]
    return {
        "counts": [one.iteration_count for one in found],
        "outputs": straight.get_outputs(),
        "fresh": [one.get_outputs() for one in fresh],
        "same instance": [one.get_outputs() for one in same],
        "twice from one": [
            (
                await build(storage).run(checkpoint_id=found[3].checkpoint_id)
            ).get_outputs()
            for _ in range(2)
        ],
    }
