"""A shared file into a store. It is read twice: the first time it is only checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from runtime.checkpoint import CheckpointStore, Part, Record, digest_of
from runtime.errors import CheckpointConflictError, SharedFileError
from runtime.sharing.blocks import BlockReader
from runtime.sharing.entries import EntryReader, Gap, PartEntry
from runtime.sharing.plan import ImportPlan, plan_import
from runtime.system.bounded_files import opened

# Is called with the number of checkpoints that were checked, and of those written.
Progress = Callable[[int, int], None]
_EMPTY_QUEUE = b"[0,[]]"


@dataclass(frozen=True)
class Imported:
    """What came of an import.

    newest  id of the last checkpoint of the file, to go on from or to look at
    """

    plan: ImportPlan
    added: int
    newest: str


async def plan_file(
    store: CheckpointStore,
    path: Path,
    progress: Progress = lambda _checked, _added: None,
) -> ImportPlan:
    """Return what an import of the file would do. Raise as `import_file` does."""
    with opened(path, None) as stream:
        return await plan_import(store, stream, lambda done: progress(done, 0))


async def import_file(
    store: CheckpointStore,
    path: Path,
    progress: Progress = lambda _checked, _added: None,
) -> Imported:
    """Import a shared file. What the store has already stays as it is.

    Raise `SharedFileError` for a file that is damaged, needs a newer version, or cannot
    go into this store, and `OSError` if it cannot be read. Then nothing was imported.
    If the store fails in the middle, runs that it did not have are removed again; of
    other runs it may have some checkpoints more, each of them whole.
    """
    with opened(path, None) as stream:
        plan = await plan_import(store, stream, lambda done: progress(done, 0))
        stream.seek(0)
        work = _Work(store, plan)
        try:
            await work.save_all(stream, lambda done: progress(plan.checkpoints, done))
        except BaseException:
            await work.take_back()
            raise
    return Imported(plan, work.added, work.newest)


class _Work:
    def __init__(self, store: CheckpointStore, plan: ImportPlan) -> None:
        self._store = store
        self._plan = plan
        self._parts: dict[str, bytes] = {}
        self._standing: list[str] = []
        self.added = 0
        self.newest = ""

    async def save_all(self, stream: BinaryIO, progress: Callable[[int], None]) -> None:
        blocks = BlockReader(stream)
        for entry in EntryReader(blocks):
            if isinstance(entry, PartEntry):
                self._parts[entry.digest] = entry.data
            elif not isinstance(entry, Gap):
                await self._take(entry)
                progress(self.added)
        if blocks.digest != self._plan.digest:
            raise SharedFileError(
                "The shared file was changed while it was read. Import it again."
            )
        await self._store.delete([*self._standing, *self._plan.leftovers])

    async def _take(self, record: Record) -> None:
        self.newest = record.header.id
        if record.header.id not in self._plan.present:
            try:
                await self._save(record)
            except CheckpointConflictError as error:
                raise SharedFileError(
                    f"The store {self._store.url} was written to meanwhile: {error}"
                ) from error
        self._parts.clear()

    async def _save(self, record: Record) -> None:
        parent = record.header.parent
        if parent in self._plan.placeholders and parent not in self._standing:
            await self._save_placeholder(parent)
        await self._store.save(record, self._parts)
        self.added += 1

    async def _save_placeholder(self, checkpoint_id: str) -> None:
        header = self._plan.placeholders[checkpoint_id]
        digest = digest_of(_EMPTY_QUEUE)
        record = Record(header, (Part("queue", "", digest),))
        await self._store.save(record, {digest: _EMPTY_QUEUE})
        self._standing.append(checkpoint_id)

    async def take_back(self) -> None:
        """Remove the runs of which the store had nothing before."""
        if self.added or self._standing:
            for run_id in self._plan.new_runs:
                await self._store.delete_run(run_id)
