"""What a save sends to the server, and what its answer means.

Paid for by `python -m tests.benchmarks --only w6-postgres`: without what is remembered
here a superstep takes half as much CPU again. A save remembers the newest checkpoint of
each branch that it wrote over its connection. So the next one sends the list of its
parts as a difference, and asks the server only for parts that the parent does not have.

What is remembered may have become wrong, because other processes write and remove too.
So the sequence of the parent is sent along, and the server compares it in the
transaction of the save. Where it differs, the save is sent again in whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runtime.checkpoint import CheckpointHeader, Record, digest_of
from runtime.errors import BranchMovedError, CheckpointStoreError, PartsMissingError
from runtime.stores import common
from runtime.stores import manifest as manifests
from runtime.stores.header import with_sequence
from runtime.stores.manifest import Base, Manifest
from runtime.stores.postgres.link import Connection
from runtime.stores.postgres.rows import header_bytes, seal_of, to_bytes

_QUERY = """
    SELECT outcome, new_sequence, detail FROM save(
        %s, %s, %s, %s, %s::bytea[], %s, %s, %s, %s, %s, %s, %s, %s::bytea[], %s::bytea[], %s::bytea[]
    )
"""
_STALE = "stale"
# More branches than anybody goes on with at once over one connection.
_MAX_LINES = 32


@dataclass(slots=True)
class _Line:
    """The newest checkpoint of a branch, as it was saved here. It holds while one of
    that id has that sequence.

    base      the whole manifest from which those of the branch are differences
    base_key  its digest, by which the store keeps it
    """

    sequence: int
    run_id: str
    base_key: bytes
    base: Base
    manifest: Manifest


@dataclass(slots=True)
class _Content:
    """What is sent of a manifest and of its parts.

    steps     the difference from the base, empty for a manifest that is the base itself
    present   digests of parts that must be in the store already
    new_parts bytes by digest
    """

    base_key: bytes
    base: Base
    steps: bytes
    present: list[bytes]
    new_parts: dict[bytes, bytes]


class Saver:
    """Saves over one connection, and remembers the newest checkpoint of each branch."""

    def __init__(self) -> None:
        self._lines: dict[str, _Line] = {}

    async def save(
        self, connection: Connection, record: Record, parts: Mapping[str, bytes]
    ) -> CheckpointHeader:
        header = record.header
        manifest = tuple(record.manifest)
        known = self._lines.get(header.parent) if header.parent is not None else None
        if known is not None and known.run_id != header.run_id:
            known = None
        content = _content(manifest, parts, known)
        outcome, sequence, detail = await _ask(connection, header, content, known)
        if outcome == _STALE:
            known = None
            content = _content(manifest, parts, None)
            outcome, sequence, detail = await _ask(connection, header, content, None)
        if outcome != "saved":
            raise _refusal(header, outcome, detail)
        if known is not None:
            del self._lines[str(header.parent)]
        self._lines[header.id] = _Line(
            sequence, header.run_id, content.base_key, content.base, manifest
        )
        if len(self._lines) > _MAX_LINES:
            del self._lines[next(iter(self._lines))]
        return with_sequence(header, sequence)


def _content(
    manifest: Manifest, parts: Mapping[str, bytes], known: _Line | None
) -> _Content:
    fresh = manifest if known is None else manifests.others(manifest, known.manifest)
    common.check_texts(*[part.name for part in fresh])
    present = []
    new_parts = {}
    for digest in dict.fromkeys([part.digest for part in fresh]):
        key = common.key_of(digest)
        if digest in parts:
            new_parts[key] = parts[digest]
        else:
            present.append(key)
    if known is not None:
        steps = known.base.difference(manifest, len(fresh))
        if steps is not None:
            return _Content(known.base_key, known.base, steps, present, new_parts)
    data = manifests.to_bytes(manifest)
    base_key = common.key_of(digest_of(data))
    new_parts[base_key] = data
    return _Content(base_key, Base(manifest, len(data)), b"", present, new_parts)


async def _ask(
    connection: Connection,
    header: CheckpointHeader,
    content: _Content,
    known: _Line | None,
) -> tuple[Any, ...]:
    fields = header_bytes(header)
    # In the order of the parameters of the function `save`, see `schema`.
    values = (
        to_bytes(header.id),
        to_bytes(header.run_id),
        to_bytes(header.branch),
        to_bytes(header.workflow),
        [to_bytes(tag) for tag in header.tags],
        to_bytes(header.note),
        fields,
        content.base_key,
        content.steps,
        seal_of(fields, content.base_key, content.steps),
        None if header.parent is None else to_bytes(header.parent),
        None if known is None else known.sequence,
        content.present,
        list(content.new_parts),
        list(content.new_parts.values()),
    )
    cursor = connection.cursor(binary=True)
    row = await (await cursor.execute(_QUERY, values, prepare=True)).fetchone()
    assert row is not None  # noqa: S101 - a function has one result
    return row


def _refusal(
    header: CheckpointHeader, outcome: str, detail: list[bytes] | None
) -> Exception:
    if outcome == "taken":
        return common.id_taken(header.id)
    if outcome == "orphan":
        return common.parent_unknown(header.id, str(header.parent))
    if outcome == "missing":
        return PartsMissingError(header.id, [key.hex() for key in detail or ()])
    if outcome == "moved":
        return BranchMovedError(
            header.id,
            header.branch,
            (detail or [b""])[0].decode(errors="replace"),
            header.parent,
        )
    return CheckpointStoreError(
        f"The store answered '{outcome}', which this program does not know."
    )
