"""Turns a `checkpoint_storage` argument into a store: the store behind a face, a store
itself, or an adapter over an object with agent-framework's six methods.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from runtime.agent_framework.storage_record import (
    FOREIGN,
    RECORD,
    header_in,
    record_in,
    record_of,
)
from runtime.checkpoint import CheckpointHeader, CheckpointStore, Record, RunSummary
from runtime.checkpoints.storage import (
    STORAGE_METHODS,
    CheckpointStorage,
    WorkflowCheckpoint,
)
from runtime.errors import (
    CheckpointDamagedError,
    CheckpointNotFoundError,
    CheckpointStoreError,
    PartsMissingError,
    WorkflowCheckpointException,
)
from runtime.stores import common, store_behind
from runtime.stores.header import with_sequence

# The parts of so many records are kept in memory, of those read or saved last.
_MOST_CACHED = 8


def store_of(storage: Any, workflow_name: str) -> CheckpointStore:
    """Return the store behind a `checkpoint_storage` argument. Raise `TypeError` for
    anything else.
    """
    store = store_behind(storage)
    if store is not None:
        return store
    if all(callable(getattr(storage, name, None)) for name in STORAGE_METHODS):
        return StorageAdapter(storage, workflow_name)
    raise TypeError(
        f"checkpoint_storage is a store of open_store(), an InMemoryCheckpointStorage, FileCheckpointStorage or "
        f"StoreCheckpointStorage, or an object with the methods {', '.join(STORAGE_METHODS)}; "
        f"got {type(storage).__name__}."
    )


class StorageAdapter:
    """A `CheckpointStore` over a storage with agent-framework's methods, for one
    workflow.

    Each checkpoint is one `WorkflowCheckpoint`, complete in itself: the store's record
    with all parts is in `metadata`, as JSON values, and `messages`, `state` and
    `pending_request_info_events` are empty. So a storage that keeps `to_dict()` as JSON
    works too. A store promises more than this can, because the six methods cannot
    express it:

    - that a checkpoint is on the disk when `save` returns, all of it or nothing: that depends on the storage;
    - that only one of two processes which go on from one checkpoint gets the branch; only tasks of one are kept apart;
    - that only what changed is written: each checkpoint is written whole, and a listing reads all of them;
    - tags and notes, and checkpoints of other workflows.
    """

    def __init__(self, storage: CheckpointStorage, workflow_name: str) -> None:
        self.url = f"storage:{type(storage).__name__}"
        self._storage = storage
        self._workflow = workflow_name
        # The headers in the storage by id, once it was listed.
        self._known: dict[str, CheckpointHeader] = {}
        self._is_listed = False
        # Headers on their way into the storage, because another task must see that a
        # head has moved.
        self._saving: dict[str, CheckpointHeader] = {}
        self._last_sequence = 0
        self._cache: OrderedDict[str, dict[str, bytes]] = OrderedDict()

    # --- writing ------------------------------------------------------------------------------------------------------

    async def save(
        self, record: Record, parts: Mapping[str, bytes]
    ) -> CheckpointHeader:
        common.check_header(record.header)
        if not self._is_listed:
            await self._headers()
        available_parts = {**self._cached_parts(), **parts}
        missing = [
            part.digest
            for part in record.manifest
            if part.digest not in available_parts
        ]
        if missing:
            raise PartsMissingError(record.header.id, missing)
        record_parts = {
            part.digest: bytes(available_parts[part.digest]) for part in record.manifest
        }
        header = self._saving[record.header.id] = self._placed(record.header)
        try:
            await self._storage.save(
                self._checkpoint(Record(header, record.manifest), record_parts)
            )
            self._known[header.id] = header
        finally:
            del self._saving[header.id]
        self._remember(header.id, record_parts)
        return header

    def _placed(self, header: CheckpointHeader) -> CheckpointHeader:
        known = {**self._known, **self._saving}
        if header.id in known:
            raise common.id_taken(header.id)
        if header.parent is not None and header.parent not in known:
            raise common.parent_unknown(header.id, header.parent)
        line = [
            known_header
            for known_header in known.values()
            if (known_header.run_id, known_header.branch)
            == (header.run_id, header.branch)
        ]
        common.check_head(header, max(line, key=_sequence).id if line else None)
        self._last_sequence = (
            max([self._last_sequence, *map(_sequence, known.values())]) + 1
        )
        return with_sequence(header, self._last_sequence)

    def _checkpoint(
        self, record: Record, parts: Mapping[str, bytes]
    ) -> WorkflowCheckpoint:
        header = record.header
        return WorkflowCheckpoint(
            self._workflow,
            header.signature,
            header.id,
            header.parent,
            datetime.fromtimestamp(header.time, UTC).isoformat(),
            iteration_count=header.superstep,
            metadata={RECORD: record_of(record, parts)},
        )

    # --- reading ------------------------------------------------------------------------------------------------------

    async def load(self, checkpoint_id: str) -> Record:
        try:
            checkpoint = await self._storage.load(checkpoint_id)
        except CheckpointDamagedError:
            raise
        except (WorkflowCheckpointException, LookupError, FileNotFoundError) as error:
            raise CheckpointNotFoundError(checkpoint_id) from error
        if checkpoint is None:
            raise CheckpointNotFoundError(checkpoint_id)
        carried = record_in(checkpoint)
        if carried is None:
            raise CheckpointDamagedError(checkpoint_id, FOREIGN)
        record, parts = carried
        self._remember(checkpoint_id, parts)
        return record

    async def parts(self, digests: Sequence[str]) -> dict[str, bytes]:
        known_parts = self._cached_parts()
        if not all(digest in known_parts for digest in digests):
            for checkpoint in await self._storage.list_checkpoints(
                workflow_name=self._workflow
            ):
                carried = (
                    None if header_in(checkpoint).damaged else record_in(checkpoint)
                )
                known_parts.update(carried[1] if carried else {})
        return common.whole_parts(digests, known_parts)

    async def headers(
        self,
        *,
        run_id: str | None = None,
        workflow: str | None = None,
        branch: str | None = None,
        tag: str | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> list[CheckpointHeader]:
        limit = common.checked_limit(limit)
        later = [
            header
            for header in sorted((await self._headers()).values(), key=_sequence)
            if _is_after(header, after)
        ]
        return list(
            common.matching(
                later, run_id=run_id, workflow=workflow, branch=branch, tag=tag
            )
        )[:limit]

    async def _headers(self) -> dict[str, CheckpointHeader]:
        listed = await self._storage.list_checkpoints(workflow_name=self._workflow)
        self._known = {
            checkpoint.checkpoint_id: header_in(checkpoint) for checkpoint in listed
        }
        self._is_listed = True
        return self._known

    async def latest(
        self,
        *,
        run_id: str | None = None,
        branch: str | None = None,
        workflow: str | None = None,
    ) -> CheckpointHeader | None:
        headers = await self.headers(run_id=run_id, branch=branch, workflow=workflow)
        return headers[-1] if headers else None

    async def runs(self) -> list[RunSummary]:
        return common.summed(await self.headers())

    # --- the rest -----------------------------------------------------------------------------------------------------

    async def annotate(
        self,
        checkpoint_id: str,
        *,
        tags: Sequence[str] | None = None,
        note: str | None = None,
    ) -> CheckpointHeader:
        raise CheckpointStoreError(
            f"{self.url} keeps no tags and notes: its checkpoints are written once. Use a store of open_store()."
        )

    async def delete(self, checkpoint_ids: Sequence[str]) -> int:
        known = await self._headers()
        present = [
            known[checkpoint_id]
            for checkpoint_id in dict.fromkeys(checkpoint_ids)
            if checkpoint_id in known
        ]
        for header in present:
            # A damaged one may have lost its number, which the checks below need.
            if header.damaged:
                raise CheckpointDamagedError(header.id, header.damaged)
        ordered = sorted(known.values(), key=_sequence)
        for run_id in {header.run_id for header in present}:
            common.check_removable(
                common.matching(ordered, run_id=run_id),
                {header.sequence for header in present},
            )
        return await self._remove(present)

    async def delete_run(self, run_id: str) -> int:
        # A damaged checkpoint may only look like one of this run, so it stays.
        return await self._remove(
            [
                header
                for header in await self.headers(run_id=run_id)
                if header.run_id == run_id
            ]
        )

    async def _remove(self, headers: Sequence[CheckpointHeader]) -> int:
        count = 0
        for header in headers:
            count += bool(await self._storage.delete(header.id))
            self._cache.pop(header.id, None)
            self._known.pop(header.id, None)
        return count

    async def close(self) -> None:
        """Forget what was read. The storage itself is closed by the code that made it."""
        self._known = {}
        self._is_listed = False
        self._cache.clear()

    def _remember(self, checkpoint_id: str, parts: dict[str, bytes]) -> None:
        self._cache[checkpoint_id] = parts
        self._cache.move_to_end(checkpoint_id)
        if len(self._cache) > _MOST_CACHED:
            self._cache.popitem(last=False)

    def _cached_parts(self) -> dict[str, bytes]:
        return {
            digest: data
            for parts in self._cache.values()
            for digest, data in parts.items()
        }


def _is_after(header: CheckpointHeader, sequence: int) -> bool:
    # A damaged one may have lost its number, so it is in the listing of everything
    # only.
    return header.sequence > sequence or (bool(header.damaged) and not sequence)


def _sequence(header: CheckpointHeader) -> int:
    return header.sequence
