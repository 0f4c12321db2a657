"""What a save sends to the server, and what its answer means."""

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
# More lines than anybody goes on with at once over one connection.
_MAX_LINES = 32


@dataclass(slots=True)
class _Line:
    """What is known of a checkpoint that was saved here. It is true as long as there is one of that id and sequence."""

    sequence: int
    run_id: str
    key: bytes
    base: Base
    manifest: Manifest


@dataclass(slots=True)
class _Content:
    """The list of parts as kept, and the parts that the parent is not known to have."""

    key: bytes
    base: Base
    steps: bytes
    relied: list[bytes]
    given: dict[bytes, bytes]


class Saver:
    """Saves over one connection. Remembers the newest checkpoint of each line, so that the next one costs what it
    changes: the server judges in the same transaction whether what is remembered still holds.
    """

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
            sequence, header.run_id, content.key, content.base, manifest
        )
        if len(self._lines) > _MAX_LINES:
            del self._lines[next(iter(self._lines))]
        return with_sequence(header, sequence)


def _content(
    manifest: Manifest, given: Mapping[str, bytes], known: _Line | None
) -> _Content:
    fresh = manifest if known is None else manifests.others(manifest, known.manifest)
    common.check_texts(*[part.name for part in fresh])
    digests = dict.fromkeys([part.digest for part in fresh])
    parts = {
        common.key_of(digest): given[digest] for digest in digests if digest in given
    }
    relied = [common.key_of(digest) for digest in digests if digest not in given]
    steps = None if known is None else known.base.difference(manifest, len(fresh))
    if known is not None and steps is not None:
        return _Content(known.key, known.base, steps, relied, parts)
    data = manifests.to_bytes(manifest)
    key = common.key_of(digest_of(data))
    return _Content(key, Base(manifest, len(data)), b"", relied, {**parts, key: data})


async def _ask(
    connection: Connection,
    header: CheckpointHeader,
    content: _Content,
    known: _Line | None,
) -> tuple[Any, ...]:
    fields = header_bytes(header)
    values = (
        to_bytes(header.id), to_bytes(header.run_id), to_bytes(header.branch), to_bytes(header.workflow),
        [to_bytes(tag) for tag in header.tags], to_bytes(header.note),
        fields, content.key, content.steps, seal_of(fields, content.key, content.steps),
        None if header.parent is None else to_bytes(header.parent), None if known is None else known.sequence,
        content.relied, list(content.given), list(content.given.values()),
    )  # fmt: skip
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
