"""agent-framework's checkpoint storages, as thin faces of stores: the store does the
work and makes the promises.

`StoreCheckpointStorage` is the face of any store, the other two are faces of the store
in memory and of a folder. `Workflow`, `WorkflowBuilder` and
`run(checkpoint_storage=...)` take a face, a store, or a storage of one's own.
"""

from __future__ import annotations

import os
import uuid
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from runtime.agent_framework.conversion import (
    definition_of,
    extra_fields,
    own_metadata,
    run_state_of,
    to_workflow_checkpoint,
)
from runtime.agent_framework.storage_record import RECORD, record_in, record_of
from runtime.checkpoint import (
    MAIN_BRANCH,
    Cause,
    CheckpointHeader,
    CheckpointStore,
    Part,
    Record,
)
from runtime.checkpoints.archive import Archive
from runtime.checkpoints.storage import (
    STORAGE_METHODS,
    CheckpointID,
    WorkflowCheckpoint,
)
from runtime.codec import DEFAULT_TYPES
from runtime.engine.status import status_of
from runtime.errors import (
    BranchMovedError,
    CheckpointDamagedError,
    CheckpointNotFoundError,
    DecodeError,
)
from runtime.state import Trace
from runtime.stores import open_store
from runtime.stores.memory import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Mapping


def register_checkpoint_type(cls: type[Any]) -> None:
    """Allow values of a class in checkpoints, in the whole process: dataclasses, named
    tuples, enums, exceptions, pydantic models, and classes that pydantic can write and
    read. The types in the annotations of a workflow's handlers are registered by
    themselves.

    Raise `TypeError` for what is no class, and `CodecError` for a class that could not
    be restored exactly.
    """
    if not isinstance(cls, type):
        raise TypeError("Checkpoint types must be classes.")
    DEFAULT_TYPES.register(cls)


class StoreCheckpointStorage:
    """agent-framework's `CheckpointStorage` over a store, or over the one that a URL
    names (see `open_store`):

    storage = StoreCheckpointStorage("sqlite:runs.db") storage =
    StoreCheckpointStorage("postgresql://me@server/runs")

    Order is lineage: the latest is what was saved last. `store` has what the six
    methods cannot ask for.
    """

    def __init__(self, store: CheckpointStore | str) -> None:
        self.store = open_store(store) if isinstance(store, str) else store

    def store_behind(self) -> CheckpointStore | None:
        """Return the store, for callers that can use it directly.

        None for a subclass that overrides one of the six methods, because then that
        method has to be called.
        """
        for name in STORAGE_METHODS:
            if getattr(type(self), name) is not getattr(StoreCheckpointStorage, name):
                return None
        return self.store

    async def save(self, checkpoint: WorkflowCheckpoint) -> CheckpointID:
        """Keep a checkpoint: one of another storage exactly as it is, one made or
        changed by hand by its fields.

        Raise `CheckpointConflictError` if the id is taken: the past is never rewritten.
        Save under a new id.
        """
        carried = record_in(checkpoint)
        if carried is not None and await _is_unchanged(checkpoint, *carried):
            await self._keep(*carried)
        else:
            await self._keep_fields(checkpoint)
        await self._annotate(checkpoint)
        return checkpoint.checkpoint_id

    async def _annotate(self, checkpoint: WorkflowCheckpoint) -> None:
        tags = checkpoint.metadata.get("tags")
        note = checkpoint.metadata.get("note")
        if tags or note:
            await self.store.annotate(checkpoint.checkpoint_id, tags=tags, note=note)

    async def _keep(self, record: Record, parts: Mapping[str, bytes]) -> None:
        header = replace(
            record.header, parent=await self._parent_here(record.header.parent)
        )
        try:
            await self.store.save(Record(header, record.manifest), parts)
        except BranchMovedError:
            await self.store.save(
                Record(replace(header, branch=_own_branch()), record.manifest), parts
            )

    async def _keep_fields(self, checkpoint: WorkflowCheckpoint) -> None:
        state = run_state_of(checkpoint)
        parent = await self._header(checkpoint.previous_checkpoint_id)
        archive = Archive(
            self.store,
            clock=lambda: datetime.fromisoformat(checkpoint.timestamp).timestamp(),
            new_id=lambda: checkpoint.checkpoint_id,
        )
        branch = MAIN_BRANCH if parent is None else parent.branch
        run_id = checkpoint.metadata.get("run_id") or uuid.uuid4().hex
        for name in (branch, _own_branch()):
            try:
                await archive.save(
                    state,
                    Trace(),
                    run_id=str(run_id) if parent is None else parent.run_id,
                    workflow=checkpoint.workflow_name,
                    cause=Cause.EDIT,
                    parent=parent,
                    branch=name,
                    signature=checkpoint.graph_signature_hash,
                    status=status_of(state).value,
                    definition=definition_of(
                        checkpoint, None if parent is None else parent.id
                    ),
                )
                return
            except BranchMovedError:
                continue

    async def _parent_here(self, checkpoint_id: str | None) -> str | None:
        header = await self._header(checkpoint_id)
        return None if header is None else header.id

    async def _header(self, checkpoint_id: str | None) -> CheckpointHeader | None:
        if checkpoint_id is None:
            return None
        try:
            return (await self.store.load(checkpoint_id)).header
        except CheckpointNotFoundError:
            return None

    async def load(self, checkpoint_id: CheckpointID) -> WorkflowCheckpoint:
        """Return a checkpoint, which the caller may change.

        Raise `CheckpointNotFoundError`, `CheckpointDamagedError`, or `DecodeError` for
        a type that is not registered; each is a `WorkflowCheckpointException`.
        """
        archive = Archive(self.store)
        record, parts = await archive.record(checkpoint_id)
        return _with_record(
            to_workflow_checkpoint(archive.rebuilt(record, parts)), record, parts
        )

    async def list_checkpoints(self, *, workflow_name: str) -> list[WorkflowCheckpoint]:
        """Return all checkpoints of a workflow, in the order in which they were saved.

        A checkpoint with types that are not registered has `codec.Record` in their
        place. A damaged one has no content, and `metadata["damaged"]` says why.
        """
        return [
            await self._listed(header)
            for header in await self.store.headers(workflow=workflow_name)
        ]

    async def _listed(self, header: CheckpointHeader) -> WorkflowCheckpoint:
        archive = Archive(self.store)
        try:
            record, parts = await archive.record(header.id)
            try:
                checkpoint = to_workflow_checkpoint(archive.rebuilt(record, parts))
            except DecodeError as error:
                checkpoint = to_workflow_checkpoint(archive.viewed(record, parts))
                checkpoint.metadata["not_decoded"] = str(error)
            return _with_record(checkpoint, record, parts)
        except CheckpointDamagedError as error:
            return WorkflowCheckpoint(
                header.workflow,
                header.signature,
                header.id,
                header.parent,
                iteration_count=header.superstep,
                metadata={"damaged": error.reason},
            )

    async def list_checkpoint_ids(self, *, workflow_name: str) -> list[CheckpointID]:
        """Return the ids of all checkpoints of a workflow, in the order in which they
        were saved.
        """
        return [
            header.id for header in await self.store.headers(workflow=workflow_name)
        ]

    async def get_latest(self, *, workflow_name: str) -> WorkflowCheckpoint | None:
        """Return the checkpoint of a workflow that was saved last, whatever its clock
        said.
        """
        header = await self.store.latest(workflow=workflow_name)
        return None if header is None else await self.load(header.id)

    async def delete(self, checkpoint_id: CheckpointID) -> bool:
        """Remove a checkpoint; False if it is not there.

        Raise `CheckpointKeptError` for a pinned one, and for the newest of a branch
        while the run has others.
        """
        header = await self._header(checkpoint_id)
        if header is None:
            return False
        if len(await self.store.headers(run_id=header.run_id, limit=2)) == 1:
            return bool(await self.store.delete_run(header.run_id))
        return bool(await self.store.delete([checkpoint_id]))

    async def close(self) -> None:
        """Release what the store holds."""
        await self.store.close()


class InMemoryCheckpointStorage(StoreCheckpointStorage):
    """Checkpoints in this process, as immutable bytes: see `runtime.stores.memory`."""

    def __init__(self) -> None:
        super().__init__(MemoryStore())


class FileCheckpointStorage(StoreCheckpointStorage):
    """Checkpoints in a folder, one file each, written through to the disk: see
    `runtime.stores.directory`.

    `allowed_checkpoint_types` names further types, as `"module:qualname"`: such a type
    is looked up when a checkpoint that needs it is read, not before, and is then known
    in the whole process. Raise `CheckpointStoreError` for a folder with other files in
    it, such as those of agent-framework.
    """

    def __init__(
        self,
        storage_path: str | os.PathLike[str],
        *,
        allowed_checkpoint_types: list[str] | None = None,
    ) -> None:
        from pathlib import Path

        from runtime.stores.directory import DirectoryStore

        DEFAULT_TYPES.allow(allowed_checkpoint_types or ())
        self.storage_path = Path(storage_path)
        super().__init__(DirectoryStore(self.storage_path))


def _own_branch() -> str:
    return f"saved {uuid.uuid4().hex[:8]}"


def _with_record(
    checkpoint: WorkflowCheckpoint, record: Record, parts: Mapping[str, bytes]
) -> WorkflowCheckpoint:
    checkpoint.metadata[RECORD] = record_of(record, parts)
    return checkpoint


def _says_the_same(
    checkpoint: WorkflowCheckpoint,
    record: Record,
    parts: Mapping[str, bytes],
    *,
    bare: bool,
) -> bool:
    """Return True if the record has the metadata of the caller, and the fields that a
    state cannot hold.
    """
    of_record = to_workflow_checkpoint(Archive(MemoryStore()).viewed(record, parts))
    parent = record.header.parent
    own_keys = own_metadata(checkpoint.metadata)
    if own_keys and own_metadata(of_record.metadata) != own_keys:
        return False
    beside = extra_fields(checkpoint, parent)
    beside_of_record = extra_fields(of_record, parent)
    names = ("previous", "version") if bare else (*beside, *beside_of_record)
    return all(beside.get(name) == beside_of_record.get(name) for name in names)


async def _is_unchanged(
    checkpoint: WorkflowCheckpoint, record: Record, parts: Mapping[str, bytes]
) -> bool:
    """Return True if the fields still say what the record says. Some storages keep the
    record only.
    """
    is_bare = not (
        checkpoint.messages
        or checkpoint.state
        or checkpoint.pending_request_info_events
    )
    is_for_looking = "not_decoded" in checkpoint.metadata
    if record.header.id != checkpoint.checkpoint_id:
        return False
    if not _says_the_same(checkpoint, record, parts, bare=is_bare or is_for_looking):
        return False
    if is_bare or is_for_looking:
        return True
    probe = MemoryStore()
    header = await Archive(probe).save(
        run_state_of(checkpoint),
        Trace(),
        run_id="",
        workflow="",
        cause=Cause.EDIT,
        parent=None,
        branch=MAIN_BRANCH,
    )
    return _state_parts(await probe.load(header.id)) == _state_parts(record)


def _state_parts(record: Record) -> set[Part]:
    return {
        part for part in record.manifest if part.kind not in ("trace", "definition")
    }
