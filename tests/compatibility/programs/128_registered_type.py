"""A type that no handler names is registered once and comes back from a file."""

import tempfile
from dataclasses import dataclass
from typing import Any

from agent_framework import (
    Executor,
    FileCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    handler,
    register_checkpoint_type,
)

from tests.compatibility.facts import refused


@dataclass
class Hidden:
    value: int


class Keep(Executor):
    @handler
    async def keep(self, number: int, ctx: WorkflowContext[Any, Any]) -> None:
        ctx.set_state("hidden", {"list": [number]})
        await ctx.send_message(number)


class Show(Executor):
    @handler
    async def show(self, number: int, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"{ctx.get_state('hidden')} {number}")


def build(storage):
    keep, show = Keep("keep"), Show("show")
    return (
        WorkflowBuilder(name="hidden", start_executor=keep, checkpoint_storage=storage)
        .add_edge(keep, show)
        .build()
    )


async def main() -> dict:
    with tempfile.TemporaryDirectory() as folder:
        storage = FileCheckpointStorage(folder)
        await build(storage).run(4)
        found = await storage.list_checkpoints(workflow_name="hidden")
        (middle,) = [one for one in found if one.iteration_count == 1]
        return {
            "returned": Hidden is None,
            "outputs": (
                await build(storage).run(checkpoint_id=middle.checkpoint_id)
            ).get_outputs(),
            "no class": refused(TypeError, lambda: register_checkpoint_type("x"), 12),
        }
