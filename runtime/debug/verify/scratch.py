"""A scratch store for one checkpoint: a run goes on from it there, and the store that is
checked is only read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from runtime.checkpoint import CheckpointHeader, Record
from runtime.checkpoints.archive import Archive
from runtime.concurrency.clock import LoopClock
from runtime.engine.runner import Runner
from runtime.errors import CheckpointStoreError
from runtime.stores.memory import MemoryStore

if TYPE_CHECKING:
    from runtime.workflow.workflow import Workflow

# A recorded superstep has passed the limit of its run already.
NO_LIMIT = 10**9


class _QuickClock(LoopClock):
    """Does not wait between two attempts. Time limits hold."""

    async def sleep(self, seconds: float) -> None:
        await super().sleep(0)


class Taken:
    """A checkpoint as the store keeps it: its record and the bytes of its parts, and
    how it looks without any user code.
    """

    def __init__(self, record: Record, parts: Mapping[str, bytes]) -> None:
        self.record = record
        self.parts = parts
        self.viewed = Archive(MemoryStore()).viewed(record, parts)

    @property
    def header(self) -> CheckpointHeader:
        return self.record.header

    def joined_parts(self) -> dict[tuple[str, str], bytes]:
        """Return the bytes of each part of the state, by kind and name."""
        joined: dict[tuple[str, str], bytes] = {}
        for kind, name, digest in self.record.manifest:
            if kind in _BESIDE:
                continue
            joined[kind, name] = joined.get((kind, name), b"") + self.parts[digest]
        return joined


# Parts that are no input of the next superstep, or that a restore takes from the graph.
_BESIDE = ("trace", "definition", "change", "patch", "call")


async def take(archive: Archive, checkpoint_id: str) -> Taken:
    """Read a checkpoint. Raise `CheckpointDamagedError` or `DecodeError` if it cannot
    be read.
    """
    return Taken(*await archive.record(checkpoint_id))


class ScratchStore(MemoryStore):
    """Holds one checkpoint and what follows from it. With `refuses` every save fails,
    so that a superstep fails after all its handlers have run.
    """

    def __init__(self) -> None:
        super().__init__()
        self.refuses = False

    async def hold(self, taken: Taken) -> None:
        """Keep a checkpoint. It has no parent here, because the store has none, and a
        branch of its own.
        """
        header = replace(taken.header, parent=None, branch=taken.header.id)
        await super().save(Record(header, taken.record.manifest), taken.parts)

    async def hold_child(self, child: Taken, parent: Taken) -> None:
        """Keep what was recorded after a checkpoint that is held, on a branch beside
        it: its calls that reached outside are used again.
        """
        header = replace(child.header, parent=parent.header.id, branch=child.header.id)
        await super().save(Record(header, child.record.manifest), child.parts)

    async def save(
        self, record: Record, parts: Mapping[str, bytes]
    ) -> CheckpointHeader:
        if self.refuses:
            raise CheckpointStoreError("A restore proof lets this superstep fail.")
        return await super().save(record, parts)


async def scratch_of(taken: Taken, recorded: Taken | None = None) -> ScratchStore:
    """Return a scratch store that holds a checkpoint, and what was recorded after it."""
    store = ScratchStore()
    await store.hold(taken)
    if recorded is not None:
        await store.hold_child(recorded, taken)
    return store


def runner_of(workflow: Workflow, store: ScratchStore) -> Runner:
    """Return a runner that does recorded supersteps again."""
    return Runner(workflow, store, max_supersteps=NO_LIMIT, clock=_QuickClock())
