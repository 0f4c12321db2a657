"""An exception travels as a message, with an `__init__` of its own, and through a checkpoint."""

import tempfile

from agent_framework import (
    Executor,
    FileCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    handler,
)


class OrderError(Exception):
    def __init__(self, order: int, reason: str) -> None:
        super().__init__(order, reason)
        self.order = order

    def __str__(self) -> str:
        return f"order {self.order}: {self.args[1]}"


class Try(Executor):
    @handler
    async def attempt(self, order: int, ctx: WorkflowContext[OrderError]) -> None:
        try:
            raise OrderError(order, "late")
        except OrderError as error:
            await ctx.send_message(error)


class Report(Executor):
    @handler
    async def report(self, error: OrderError, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"{type(error).__name__} {error} {error.args}")


def build(storage):
    attempt, report = Try("attempt"), Report("report")
    builder = WorkflowBuilder(
        name="orders", start_executor=attempt, checkpoint_storage=storage
    )
    return builder.add_edge(attempt, report).build()


async def main() -> dict:
    with tempfile.TemporaryDirectory() as folder:
        storage = FileCheckpointStorage(
            folder, allowed_checkpoint_types=[f"{__name__}:OrderError"]
        )
        straight = await build(storage).run(4)
        found = {
            one.iteration_count: one
            for one in await storage.list_checkpoints(workflow_name="orders")
        }
        resumed = await build(storage).run(checkpoint_id=found[1].checkpoint_id)
        return {"straight": straight.get_outputs(), "resumed": resumed.get_outputs()}
