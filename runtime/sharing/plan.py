"""What an import would do: the whole file is read and checked, and nothing is written.

Only ids, digests and places are kept of what was read, so memory does not grow with the
bytes of the file.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

from runtime.checkpoint import Cause, CheckpointHeader, CheckpointStore, Record
from runtime.errors import (
    CheckpointDamagedError,
    CheckpointNotFoundError,
    SharedFileError,
)
from runtime.sharing.blocks import BlockReader
from runtime.sharing.entries import EntryReader, Gap, PartEntry
from runtime.stores import common

Progress = Callable[[int], None]
Branch = tuple[str, str]  # a run and the name of a branch of it
# Bytes of the parts that one checkpoint may bring: they are in memory together.
_LARGEST_CHECKPOINT = 2**31
# The note by which a later import knows what an import has left that was killed.
PLACEHOLDER_NOTE = (
    "An import has put this in the place of a checkpoint that it does not have."
)
# Checkpoints between two moments in which other tasks may go on.
_AT_ONCE = 50


@dataclass
class ImportPlan:
    """What an import does with a file that has no fault.

    summary      what the file says of itself; only for people
    digest       of its content
    checkpoints  how many it has
    present      ids of those that the store has already
    reworded     how many of these have other tags or another note in the store, which stay
    runs         id and workflow of each run of the file
    new_runs     ids of runs of which the store has nothing yet
    placeholders by the id of a parent that neither has: what stands for it while its children are saved
    leftovers    ids of placeholders that an import has left which was killed
    """

    summary: dict[str, Any]
    digest: str = ""
    checkpoints: int = 0
    bytes: int = 0
    present: set[str] = field(default_factory=set)
    reworded: int = 0
    runs: dict[str, str] = field(default_factory=dict)
    new_runs: set[str] = field(default_factory=set)
    placeholders: dict[str, CheckpointHeader] = field(default_factory=dict)
    leftovers: list[str] = field(default_factory=list)

    @property
    def new(self) -> int:
        return self.checkpoints - len(self.present)


async def plan_import(
    store: CheckpointStore,
    stream: BinaryIO,
    progress: Progress = lambda _done: None,
) -> ImportPlan:
    """Read a shared file to its end, and return what an import would do.

    Raise `SharedFileError` for a file that is not what was written, that needs a newer
    version, or that cannot go into this store; and what the store raises.
    """
    blocks = BlockReader(stream)
    planner = _Planner(store, blocks)
    await planner.start()
    for entry in EntryReader(blocks):
        if isinstance(entry, PartEntry):
            planner.take_part(entry)
        elif isinstance(entry, Gap):
            planner.take_gap(entry)
        else:
            await planner.take_checkpoint(entry)
            done = planner.plan.checkpoints
            progress(done)
            if done % _AT_ONCE == 0:
                await asyncio.sleep(0)
    return planner.finish()


class _Planner:
    def __init__(self, store: CheckpointStore, blocks: BlockReader) -> None:
        self.plan = ImportPlan(blocks.summary)
        self._store = store
        self._blocks = blocks
        self._is_empty = False
        self._digests: set[bytes] = set()
        # Of parts that came since the last checkpoint, which must have them.
        self._waiting: set[str] = set()
        self._waiting_bytes = 0
        # Those of which no new checkpoint has come that follows them.
        self._gaps: dict[str, Gap] = {}
        self._branch_of_gap: dict[str, str] = {}
        self._run_of: dict[str, str] = {}
        self._heads_in_file: dict[Branch, str] = {}
        self._heads_in_store: dict[Branch, str | None] = {}

    async def start(self) -> None:
        self._is_empty = await self._store.latest() is None

    def take_part(self, part: PartEntry) -> None:
        key = common.key_of(part.digest)
        if key in self._digests:
            raise self._blocks.broken("a part stands there twice")
        self._digests.add(key)
        self._waiting.add(part.digest)
        self._waiting_bytes += len(part.data)
        self.plan.bytes += len(part.data)
        if self._waiting_bytes > _LARGEST_CHECKPOINT:
            raise self._blocks.broken(
                f"one checkpoint brings more than {_LARGEST_CHECKPOINT:,} bytes"
            )

    def take_gap(self, gap: Gap) -> None:
        if gap.id in self._run_of:
            raise self._blocks.broken("a checkpoint stands there twice")
        common.check_texts(*gap)
        self._run_of[gap.id] = gap.run_id
        self._gaps[gap.id] = gap
        self._branch_of_gap[gap.id] = gap.branch

    async def take_checkpoint(self, record: Record) -> None:
        header = record.header
        self._check_in_file(record)
        branch = (header.run_id, header.branch)
        if header.run_id not in self.plan.runs:
            await self._take_run(header)
        existing = await self._existing(header.id)
        if existing is None:
            await self._plan_new(header, branch)
        else:
            self._compare(existing, record)
            self._check_order(header)
            self.plan.present.add(header.id)
        self.plan.checkpoints += 1
        self._run_of[header.id] = header.run_id
        self._heads_in_file[branch] = header.id

    def finish(self) -> ImportPlan:
        if self._waiting or not self.plan.checkpoints:
            raise self._blocks.broken("parts are left that no checkpoint has")
        for checkpoint_id, placeholder in self.plan.placeholders.items():
            branch = (placeholder.run_id, placeholder.branch)
            if self._heads_in_store[branch] == checkpoint_id:
                raise self._blocks.broken("nothing follows a gap on its branch")
        self.plan.digest = self._blocks.digest
        return self.plan

    def _check_in_file(self, record: Record) -> None:
        """Check what the file alone tells: parts, parent, and that a branch is a line."""
        header = record.header
        if header.id in self._run_of:
            raise self._blocks.broken(f"checkpoint {header.id[:80]} is there twice")
        digests = record.digests
        if not all(bytes.fromhex(digest) in self._digests for digest in digests):
            raise self._blocks.broken(f"checkpoint {header.id[:80]} lacks parts")
        if not self._waiting <= set(digests):
            raise self._blocks.broken("a part belongs to no checkpoint")
        self._waiting.clear()
        self._waiting_bytes = 0
        parent = header.parent
        if parent is not None and self._run_of.get(parent) != header.run_id:
            raise self._blocks.broken(
                f"checkpoint {header.id[:80]} stands before its parent"
            )
        head = self._heads_in_file.get((header.run_id, header.branch))
        if head not in (None, parent) and not self._is_gap_between(head, header):
            raise self._blocks.broken(
                f"branch '{header.branch[:80]}' of the file is no line"
            )

    def _is_gap_between(self, head: str | None, header: CheckpointHeader) -> bool:
        """Return whether a checkpoint that is not in the file stands between the head
        of the branch and the next one.
        """
        branch = self._branch_of_gap.get(header.parent or "")
        return branch == header.branch and head is not None

    async def _take_run(self, header: CheckpointHeader) -> None:
        run_id = header.run_id
        self.plan.runs[run_id] = header.workflow
        if self._is_empty or await self._store.latest(run_id=run_id) is None:
            self.plan.new_runs.add(run_id)

    async def _existing(self, checkpoint_id: str) -> Record | None:
        if self._is_empty:
            return None
        try:
            return await self._store.load(checkpoint_id)
        except CheckpointNotFoundError:
            return None
        except CheckpointDamagedError as error:
            raise SharedFileError(
                f"Checkpoint {checkpoint_id} is in the store {self._store.url}, and is damaged there "
                f"({error.reason}). Nothing was imported. Import into another store."
            ) from error

    def _compare(self, existing: Record, record: Record) -> None:
        """Refuse a checkpoint that has the id of another one."""
        header = record.header
        there = existing.header
        same = replace(there, sequence=0, tags=header.tags, note=header.note)
        if same != header or existing.manifest != record.manifest:
            raise SharedFileError(
                f"Checkpoint {header.id} is in the store {self._store.url} with another content. The past is never "
                "rewritten. Nothing was imported. Import into another store."
            )
        if (there.tags, there.note) != (header.tags, header.note):
            self.plan.reworded += 1

    def _check_order(self, header: CheckpointHeader) -> None:
        """Refuse a parent that would stand behind its child, which the store has."""
        parent = header.parent
        if parent is None or parent in self._branch_of_gap:
            return
        if parent not in self.plan.present:
            raise SharedFileError(
                f"Checkpoint {header.id} is in the store {self._store.url} already, and {parent}, which it follows, is "
                "not. What is imported stands behind all that is there. Nothing was imported. Import into another "
                f"store, or remove the run first: stepwell delete STORE --run {header.run_id}"
            )

    async def _plan_new(self, header: CheckpointHeader, branch: Branch) -> None:
        parent = header.parent
        gap = self._gaps.pop(parent or "", None)
        if gap is not None:
            await self._bridge(gap, header)
        head = await self._head(branch)
        if head not in (None, parent):
            raise self._moved(header, str(head))
        self._heads_in_store[branch] = header.id

    async def _bridge(self, gap: Gap, child: CheckpointHeader) -> None:
        """See to it that the parent of a checkpoint is in the store while it is saved."""
        existing = await self._existing(gap.id)
        if existing is None:
            await self._plan_placeholder(gap, child)
        elif existing.header.note == PLACEHOLDER_NOTE:
            self.plan.leftovers.append(gap.id)

    async def _plan_placeholder(self, gap: Gap, child: CheckpointHeader) -> None:
        """Plan what stands in the place of a parent while its children are saved: a
        store takes no checkpoint without its parent.
        """
        branch = (gap.run_id, gap.branch)
        head = await self._head(branch)
        if head != self._heads_in_file.get(branch):
            # The branch has gone on in the store, so only the child needs the parent.
            branch = (child.run_id, child.branch)
            head = await self._head(branch)
        if head != self._heads_in_file.get(branch):
            raise self._moved(child, str(head))
        self.plan.placeholders[gap.id] = CheckpointHeader(
            gap.id,
            gap.run_id,
            child.workflow,
            superstep=0,
            cause=Cause.FORK,
            parent=head,
            branch=branch[1],
            note=PLACEHOLDER_NOTE,
        )
        self._heads_in_store[branch] = gap.id

    async def _head(self, branch: Branch) -> str | None:
        """Return the head of a branch in the store, as it would be by then."""
        if branch not in self._heads_in_store:
            head = None
            if not self._is_empty:
                run_id, name = branch
                headers = await self._store.headers(run_id=run_id, branch=name)
                sound = [header.id for header in headers if not header.damaged]
                head = sound[-1] if sound else None
            self._heads_in_store[branch] = head
        return self._heads_in_store[branch]

    def _moved(self, header: CheckpointHeader, head: str) -> SharedFileError:
        return SharedFileError(
            f"Branch '{header.branch}' of run {header.run_id} ends with checkpoint {head} in the store "
            f"{self._store.url}, and the file has {header.id} after {header.parent or 'nothing'} on it. A branch is a "
            "line, and the past is never rewritten. Nothing was imported. Import into another store."
        )
