"""A storage written by the user against the protocol."""

import copy

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowCheckpoint,
    WorkflowCheckpointException,
    WorkflowContext,
    handler,
)


class ListStorage:
    def __init__(self) -> None:
        self.saved = {}

    async def save(self, checkpoint: WorkflowCheckpoint) -> str:
        self.saved[checkpoint.checkpoint_id] = copy.deepcopy(checkpoint)
        return checkpoint.checkpoint_id

    async def load(self, checkpoint_id: str) -> WorkflowCheckpoint:
        if checkpoint_id not in self.saved:
            raise WorkflowCheckpointException(f"No checkpoint {checkpoint_id}")
        return copy.deepcopy(self.saved[checkpoint_id])

    async def list_checkpoints(self, *, workflow_name: str) -> list:
        return [
            copy.deepcopy(one)
            for one in self.saved.values()
            if one.workflow_name == workflow_name
        ]

    async def list_checkpoint_ids(self, *, workflow_name: str) -> list:
        return [
            one.checkpoint_id
            for one in self.saved.values()
            if one.workflow_name == workflow_name
        ]

    async def get_latest(self, *, workflow_name: str):
        found = await self.list_checkpoints(workflow_name=workflow_name)
        return found[-1] if found else None

    async def delete(self, checkpoint_id: str) -> bool:
        return self.saved.pop(checkpoint_id, None) is not None


class Count(Executor):
    @handler
    async def count(self, number: int, ctx: WorkflowContext[int, str]) -> None:
        if number:
            await ctx.send_message(number - 1)
        else:
            await ctx.yield_output(self.id)


async def main() -> dict:
    storage, a, b = ListStorage(), Count("a"), Count("b")
    builder = WorkflowBuilder(name="own", start_executor=a, checkpoint_storage=storage)
    workflow = builder.add_edge(a, b).add_edge(b, a).build()
    outputs = (await workflow.run(3)).get_outputs()
    ids = list(storage.saved)
    return {
        "outputs": outputs,
        "counts": [one.iteration_count for one in storage.saved.values()],
        "resumed": (await workflow.run(checkpoint_id=ids[1])).get_outputs(),
    }
