"""From what a caller gives as `checkpoint_storage` to a store: a face's store, a store itself, or an adapter over a
storage of the caller's own that has agent-framework's six methods.
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

# The parts of how many records are kept at hand: of the last ones read and saved.
_AT_HAND = 8


def store_of(storage: Any, workflow_name: str) -> CheckpointStore:
    """The store behind what was given as `checkpoint_storage`. Raises `TypeError` for something else."""
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
    """A `CheckpointStore` over a storage with agent-framework's methods, for one workflow.

    Each checkpoint is one `WorkflowCheckpoint`, whole in itself: the store's record with all parts stands in `metadata`
    as JSON values, and `messages`, `state` and `pending_request_info_events` are empty, so that a storage which keeps
    `to_dict()` as JSON will do. What a store promises and this cannot, as the six methods have no way to ask for it:

    - that a checkpoint is on the disk when `save` returns, all of it or nothing: that is the storage's matter;
    - that of two processes which go on from one checkpoint only one gets the branch; tasks of one it keeps apart;
    - that only what changed is written: each checkpoint is written whole, and a listing reads all of them;
    - tags and notes, and checkpoints of other workflows.
    """

    def __init__(self, storage: CheckpointStorage, workflow_name: str) -> None:
        self.url = f"storage:{type(storage).__name__}"
        self._storage = storage
        self._workflow = workflow_name
        # What is there, by id, once the storage was listed.
        self._known: dict[str, CheckpointHeader] = {}
        self._is_listed = False
        # What is on its way into the storage: another task must see that a head has moved.
        self._saving: dict[str, CheckpointHeader] = {}
        self._last_sequence = 0
        self._at_hand: OrderedDict[str, dict[str, bytes]] = OrderedDict()

    # --- writing ------------------------------------------------------------------------------------------------------

    async def save(
        self, record: Record, parts: Mapping[str, bytes]
    ) -> CheckpointHeader:
        common.check_header(record.header)
        if not self._is_listed:
            await self._headers()
        given = {**self._kept_parts(), **parts}
        missing = [part.digest for part in record.manifest if part.digest not in given]
        if missing:
            raise PartsMissingError(record.header.id, missing)
        whole = {part.digest: bytes(given[part.digest]) for part in record.manifest}
        header = self._saving[record.header.id] = self._placed(record.header)
        try:
            await self._storage.save(
                self._checkpoint(Record(header, record.manifest), whole)
            )
            self._known[header.id] = header
        finally:
            del self._saving[header.id]
        self._keep_at_hand(header.id, whole)
        return header

    def _placed(self, header: CheckpointHeader) -> CheckpointHeader:
        known = {**self._known, **self._saving}
        if header.id in known:
            raise common.id_taken(header.id)
        if header.parent is not None and header.parent not in known:
            raise common.parent_unknown(header.id, header.parent)
        line = [
            one
            for one in known.values()
            if (one.run_id, one.branch) == (header.run_id, header.branch)
        ]
        common.check_head(header, max(line, key=_sequence).id if line else None)
        self._last_sequence = (
            max([self._last_sequence, *map(_sequence, known.values())]) + 1
        )
        return common.with_sequence(header, self._last_sequence)

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
            found = await self._storage.load(checkpoint_id)
        except CheckpointDamagedError:
            raise
        except (WorkflowCheckpointException, LookupError, FileNotFoundError) as error:
            raise CheckpointNotFoundError(checkpoint_id) from error
        if found is None:
            raise CheckpointNotFoundError(checkpoint_id)
        carried = record_in(found)
        if carried is None:
            raise CheckpointDamagedError(checkpoint_id, FOREIGN)
        record, parts = carried
        self._keep_at_hand(checkpoint_id, parts)
        return record

    async def parts(self, digests: Sequence[str]) -> dict[str, bytes]:
        kept = self._kept_parts()
        if not all(digest in kept for digest in digests):
            for one in await self._storage.list_checkpoints(
                workflow_name=self._workflow
            ):
                carried = None if header_in(one).damaged else record_in(one)
                kept.update(carried[1] if carried else {})
        return common.whole_parts(digests, kept)

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
            one
            for one in sorted((await self._headers()).values(), key=_sequence)
            if _is_after(one, after)
        ]
        return list(
            common.matching(
                later, run_id=run_id, workflow=workflow, branch=branch, tag=tag
            )
        )[:limit]

    async def _headers(self) -> dict[str, CheckpointHeader]:
        listed = await self._storage.list_checkpoints(workflow_name=self._workflow)
        self._known = {one.checkpoint_id: header_in(one) for one in listed}
        self._is_listed = True
        return self._known

    async def latest(
        self,
        *,
        run_id: str | None = None,
        branch: str | None = None,
        workflow: str | None = None,
    ) -> CheckpointHeader | None:
        found = await self.headers(run_id=run_id, branch=branch, workflow=workflow)
        return found[-1] if found else None

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
        there = [known[one] for one in dict.fromkeys(checkpoint_ids) if one in known]
        for header in there:
            # it may have lost its number, by which the others are told apart
            if header.damaged:
                raise CheckpointDamagedError(header.id, header.damaged)
        ordered = sorted(known.values(), key=_sequence)
        for run_id in {header.run_id for header in there}:
            common.check_removable(
                common.matching(ordered, run_id=run_id),
                {header.sequence for header in there},
            )
        return await self._remove(there)

    async def delete_run(self, run_id: str) -> int:
        # A damaged one that only may be of this run stays.
        return await self._remove(
            [one for one in await self.headers(run_id=run_id) if one.run_id == run_id]
        )

    async def _remove(self, headers: Sequence[CheckpointHeader]) -> int:
        gone = 0
        for header in headers:
            gone += bool(await self._storage.delete(header.id))
            self._at_hand.pop(header.id, None)
            self._known.pop(header.id, None)
        return gone

    async def close(self) -> None:
        """Nothing: the storage is closed by whoever made it."""
        self._known = {}
        self._is_listed = False
        self._at_hand.clear()

    def _keep_at_hand(self, checkpoint_id: str, parts: dict[str, bytes]) -> None:
        self._at_hand[checkpoint_id] = parts
        self._at_hand.move_to_end(checkpoint_id)
        if len(self._at_hand) > _AT_HAND:
            self._at_hand.popitem(last=False)

    def _kept_parts(self) -> dict[str, bytes]:
        return {
            digest: data
            for parts in self._at_hand.values()
            for digest, data in parts.items()
        }


def _is_after(header: CheckpointHeader, sequence: int) -> bool:
    # A damaged one may have lost its number: it is listed where everything is.
    return header.sequence > sequence or (bool(header.damaged) and not sequence)


def _sequence(header: CheckpointHeader) -> int:
    return header.sequence
