"""Checkpoints in files, read by another storage object and a rebuilt workflow."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from agent_framework import (
    Executor,
    FileCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    handler,
)


@dataclass
class Parcel:
    text: str
    stamps: list[str]


class Pack(Executor):
    @handler
    async def pack(self, text: str, ctx: WorkflowContext[Parcel]) -> None:
        await ctx.send_message(Parcel(text, ["packed"]))


class Stamp(Executor):
    @handler
    async def stamp(self, parcel: Parcel, ctx: WorkflowContext[Parcel, str]) -> None:
        parcel.stamps.append(self.id)
        if len(parcel.stamps) < 4:
            await ctx.send_message(parcel)
        else:
            await ctx.yield_output(f"{parcel.text} {parcel.stamps}")


def build(storage):
    pack, one, two = Pack("pack"), Stamp("one"), Stamp("two")
    builder = WorkflowBuilder(
        name="post", start_executor=pack, checkpoint_storage=storage
    )
    return builder.add_edge(pack, one).add_edge(one, two).add_edge(two, one).build()


def store(folder: str) -> FileCheckpointStorage:
    return FileCheckpointStorage(
        folder, allowed_checkpoint_types=[f"{__name__}:Parcel"]
    )


async def main() -> dict:
    with tempfile.TemporaryDirectory() as folder:
        straight = await build(store(folder)).run("tea")
        later = store(folder)
        checkpoints = sorted(
            await later.list_checkpoints(workflow_name="post"),
            key=lambda one: one.iteration_count,
        )
        resumed = [
            await build(later).run(checkpoint_id=one.checkpoint_id)
            for one in checkpoints[:-1]
        ]
        return {
            "outputs": straight.get_outputs(),
            "counts": [one.iteration_count for one in checkpoints],
            "resumed": [one.get_outputs() for one in resumed],
            "folder is there": Path(folder).is_dir() and any(Path(folder).iterdir()),
        }
