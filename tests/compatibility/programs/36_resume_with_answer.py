"""A paused run is answered in a rebuilt workflow, once with yes and once with no."""

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    handler,
    response_handler,
)

from tests.compatibility.facts import told


class Gate(Executor):
    @handler
    async def ask(self, order: str, ctx: WorkflowContext) -> None:
        ctx.set_state("order", order)
        await ctx.request_info(f"ship {order}?", bool, request_id="ship")

    @response_handler
    async def answer(
        self, question: str, yes: bool, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(
            f"{ctx.get_state('order')} {'ships' if yes else 'stays'}"
        )


def build(storage):
    return WorkflowBuilder(
        name="orders", start_executor=Gate("gate"), checkpoint_storage=storage
    ).build()


async def main() -> dict:
    storage = InMemoryCheckpointStorage()
    first = build(storage)
    await first.run("tea")
    paused = first.get_last_checkpoint_id()
    done = await first.run(responses={"ship": True})
    found = sorted(
        one.iteration_count
        for one in await storage.list_checkpoints(workflow_name="orders")
    )
    only_loaded = build(storage)
    announced = await only_loaded.run(checkpoint_id=paused)
    answered = await only_loaded.run(responses={"ship": False})
    at_once = await build(storage).run(checkpoint_id=paused, responses={"ship": False})
    return {
        "counts": found,
        "straight": done.get_outputs(),
        "announced": told(announced, "request_info", "output"),
        "announced state": announced.get_final_state(),
        "answered": answered.get_outputs(),
        "at once": at_once.get_outputs(),
        "at once asks": told(at_once, "request_info"),
        "other storage": (
            await build(None).run(
                checkpoint_id=paused,
                checkpoint_storage=storage,
                responses={"ship": True},
            )
        ).get_outputs(),
        "pending": sorted((await storage.load(paused)).pending_request_info_events),
    }
