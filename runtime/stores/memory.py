"""A store in this process: immutable bytes, shared by digest."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress, islice
from operator import is_not

from runtime.checkpoint import CheckpointHeader, Part, Record, RunSummary
from runtime.errors import (
    CheckpointNotFoundError,
    CheckpointStoreError,
    PartsMissingError,
)
from runtime.stores import common
from runtime.stores.header import with_sequence
from runtime.values.records import maker_of


@dataclass(slots=True)
class _Shelf:
    """What a store holds; several stores share one when they are opened by name. `ids`
    and `sequences` run in step; `heads` has the newest checkpoint of each branch of
    each run.
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    records: dict[str, Record] = field(default_factory=dict)
    parts: dict[str, bytes] = field(default_factory=dict)
    heads: dict[tuple[str, str], str] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)
    sequences: list[int] = field(default_factory=list)
    last_sequence: int = 0


_record = maker_of(Record)
_NAMED: dict[str, _Shelf] = {}


def open_memory(name: str, read_only: bool) -> MemoryStore:
    """Return the store of a name, or a new store for the empty name."""
    if not name:
        return MemoryStore()
    if read_only and name not in _NAMED:
        raise CheckpointStoreError(f"There is no store memory:{name} in this process.")
    return MemoryStore(
        _NAMED.setdefault(name, _Shelf()), f"memory:{name}", read_only=read_only
    )


class MemoryStore:
    """Keeps checkpoints as long as the process lives; see `CheckpointStore`. Safe from
    several threads.
    """

    def __init__(
        self,
        shelf: _Shelf | None = None,
        url: str = "memory:",
        *,
        read_only: bool = False,
    ) -> None:
        self.url = url
        self._read_only = read_only
        self._held: _Shelf | None = _Shelf() if shelf is None else shelf

    @property
    def _shelf(self) -> _Shelf:
        if self._held is None:
            raise common.closed(self.url)
        return self._held

    def _writable(self) -> _Shelf:
        if self._read_only:
            raise common.read_only(self.url)
        return self._shelf

    async def save(
        self, record: Record, parts: Mapping[str, bytes]
    ) -> CheckpointHeader:
        shelf = self._writable()
        common.check_header(record.header)
        # True copies, because bytes from orjson hold on to about 4 KB, however short
        # they are, and these stay.
        copies = {digest: b"".join((data, b"")) for digest, data in parts.items()}
        with shelf.lock:
            return _put(shelf, record, copies)

    async def load(self, checkpoint_id: str) -> Record:
        record = self._shelf.records.get(checkpoint_id)
        if record is None:
            raise CheckpointNotFoundError(checkpoint_id)
        return record

    async def parts(self, digests: Sequence[str]) -> dict[str, bytes]:
        return common.whole_parts(digests, self._shelf.parts)

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
        shelf = self._shelf
        with shelf.lock:
            start = bisect_right(shelf.sequences, after)
            ids = islice(shelf.ids, start, None)
            headers = (shelf.records[checkpoint_id].header for checkpoint_id in ids)
            matching = common.matching(
                headers, run_id=run_id, branch=branch, workflow=workflow, tag=tag
            )
            return list(islice(matching, limit))

    async def latest(
        self,
        *,
        run_id: str | None = None,
        branch: str | None = None,
        workflow: str | None = None,
    ) -> CheckpointHeader | None:
        shelf = self._shelf
        with shelf.lock:
            headers = (
                shelf.records[checkpoint_id].header
                for checkpoint_id in reversed(shelf.ids)
            )
            return next(
                common.matching(
                    headers, run_id=run_id, branch=branch, workflow=workflow
                ),
                None,
            )

    async def runs(self) -> list[RunSummary]:
        return common.summed(await self.headers())

    async def annotate(
        self,
        checkpoint_id: str,
        *,
        tags: Sequence[str] | None = None,
        note: str | None = None,
    ) -> CheckpointHeader:
        shelf = self._writable()
        common.check_texts(*(tags or ()), note or "")
        with shelf.lock:
            record = shelf.records.get(checkpoint_id)
            if record is None:
                raise CheckpointNotFoundError(checkpoint_id)
            header = common.annotated(record.header, tags, note)
            shelf.records[checkpoint_id] = Record(header, record.manifest)
            return header

    async def delete(self, checkpoint_ids: Sequence[str]) -> int:
        shelf = self._writable()
        with shelf.lock:
            removed_ids = {key for key in checkpoint_ids if key in shelf.records}
            _check_removable(shelf, removed_ids)
            _remove(shelf, removed_ids)
            return len(removed_ids)

    async def delete_run(self, run_id: str) -> int:
        shelf = self._writable()
        with shelf.lock:
            removed_ids = {
                key
                for key, record in shelf.records.items()
                if record.header.run_id == run_id
            }
            for line in [line for line in shelf.heads if line[0] == run_id]:
                del shelf.heads[line]
            _remove(shelf, removed_ids)
            return len(removed_ids)

    async def close(self) -> None:
        self._held = None


def _put(shelf: _Shelf, record: Record, parts: dict[str, bytes]) -> CheckpointHeader:
    header = record.header
    if header.id in shelf.records:
        raise common.id_taken(header.id)
    before: tuple[Part, ...] = ()
    if header.parent is not None:
        parent = shelf.records.get(header.parent)
        if parent is None:
            raise common.parent_unknown(header.id, header.parent)
        before = parent.manifest
    line = (header.run_id, header.branch)
    common.check_head(header, shelf.heads.get(line))
    manifest = tuple(record.manifest)
    fresh = list(_new(manifest, before))
    common.check_texts(*[part.name for part in fresh])
    missing = [
        part.digest
        for part in fresh
        if part.digest not in parts and part.digest not in shelf.parts
    ]
    if missing:
        raise PartsMissingError(header.id, missing)
    header = with_sequence(header, shelf.last_sequence + 1)
    shelf.last_sequence += 1
    for part in fresh:
        if part.digest in parts:
            shelf.parts.setdefault(part.digest, parts[part.digest])
    shelf.records[header.id] = _record(header, manifest)
    shelf.heads[line] = header.id
    shelf.ids.append(header.id)
    shelf.sequences.append(header.sequence)
    return header


def _new(manifest: tuple[Part, ...], before: tuple[Part, ...]) -> Iterable[Part]:
    """Return the parts to look at: those that are not the same objects in the manifest
    of the parent, whose parts are all here.
    """
    if len(manifest) != len(before):
        return manifest
    return compress(manifest, map(is_not, manifest, before))


def _check_removable(shelf: _Shelf, removed_ids: set[str]) -> None:
    headers = [shelf.records[key].header for key in removed_ids]
    sequences = {header.sequence for header in headers}
    for run_id in {header.run_id for header in headers}:
        run = (shelf.records[key].header for key in shelf.ids)
        common.check_removable(common.matching(run, run_id=run_id), sequences)


def _remove(shelf: _Shelf, removed_ids: set[str]) -> None:
    """Remove records, with the parts that no other record uses."""
    used_there = {
        part.digest for key in removed_ids for part in shelf.records.pop(key).manifest
    }
    used = {
        part.digest for record in shelf.records.values() for part in record.manifest
    }
    for digest in used_there - used:
        del shelf.parts[digest]
    shelf.ids[:] = [key for key in shelf.ids if key not in removed_ids]
    shelf.sequences[:] = [shelf.records[key].header.sequence for key in shelf.ids]
