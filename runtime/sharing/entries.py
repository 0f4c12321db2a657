"""The content of a shared file: entries, each one line of JSON. The bytes of a part
follow its line.

    ["part", digest, length]                             a part that no entry before has; then its bytes
    ["gap", id, run id, branch]                          a parent that is not in the file, before its first child
    ["checkpoint", {header}, [steps]]                    its parts as a difference from the checkpoint before

Checkpoints come in the order of their sequence, parents before children. The number of
its sequence is not in the file, because each store gives its own.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import Enum
from typing import Any, NamedTuple

import orjson

from runtime.checkpoint import (
    FORMAT_VERSION,
    HEADER_FIELDS,
    CheckpointHeader,
    Part,
    Record,
    digest_of,
)
from runtime.checkpoints.parts import known_kinds
from runtime.errors import CheckpointStoreError, SharedFileError
from runtime.sharing.blocks import BlockReader, BlockWriter
from runtime.stores import common
from runtime.stores import manifest as manifests
from runtime.stores.header import ADDED, SEALED, header_from_json
from runtime.system.bounded_files import from_json
from runtime.values.kept_fields import Keeper, is_set

# Bytes. The line of a checkpoint with 100,000 values in its state has 8 MB.
_LONGEST_LINE = 64 * 2**20
# A part is a piece of a value; stores in folders read no larger one.
_LARGEST_PART = 10**9
_ANNOTATED = [field.name for field in HEADER_FIELDS if field.kept.by is Keeper.ANNOTATE]
_IN_FILE = {*SEALED, *_ANNOTATED, *(field.name for field in ADDED)}
_DIGEST_LENGTH = 32


class Gap(NamedTuple):
    """A checkpoint that others of the file follow, and that is not in it; `branch` is
    one on which it can have stood.
    """

    id: str
    run_id: str
    branch: str


class PartEntry(NamedTuple):
    digest: str
    data: bytes


Entry = Gap | PartEntry | Record


class EntryWriter:
    """Writes entries; parts of which the digest was written already are left out."""

    def __init__(self, blocks: BlockWriter) -> None:
        self._blocks = blocks
        self._digests: set[bytes] = set()
        self._manifest: tuple[Part, ...] = ()
        self.parts = 0
        self.checkpoints = 0

    def missing(self, record: Record) -> list[str]:
        """Return the digests of a checkpoint whose parts are not in the file yet."""
        return [
            digest
            for digest in record.digests
            if common.key_of(digest) not in self._digests
        ]

    def part(self, digest: str, data: bytes) -> None:
        self._digests.add(common.key_of(digest))
        self._line(["part", digest, len(data)])
        self._blocks.write(data + b"\n")
        self.parts += 1

    def gap(self, gap: Gap) -> None:
        self._line(["gap", *gap])

    def checkpoint(self, record: Record) -> None:
        """Add a checkpoint; its parts must be there."""
        before = self._manifest
        positions: dict[Part, int] = {}
        # Manifests of one length are compared place by place.
        if len(before) != len(record.manifest):
            positions = {part: position for position, part in enumerate(before)}
        steps, _ = manifests.difference(before, positions, record.manifest)
        header = _header_line(record.header)
        self._blocks.write(b'["checkpoint",' + header + b"," + steps + b"]\n")
        self._manifest = record.manifest
        self.checkpoints += 1

    def _line(self, entry: list[Any]) -> None:
        self._blocks.write(orjson.dumps(entry) + b"\n")


def _header_line(header: CheckpointHeader) -> bytes:
    fields: dict[str, Any] = {}
    for field in HEADER_FIELDS:
        value = getattr(header, field.name)
        # An added field that says nothing is left out, so that versions from before it
        # read the file.
        if field.name in _IN_FILE and (not field.kept.added or is_set(header, field)):
            fields[field.name] = value
    is_finite = all(math.isfinite(v) for v in fields.values() if isinstance(v, float))
    if is_finite:
        return orjson.dumps(fields)
    return json.dumps(fields, ensure_ascii=False).encode()


class EntryReader:
    """Reads entries, and checks each on its own. Raise `SharedFileError`."""

    def __init__(self, blocks: BlockReader) -> None:
        self._blocks = blocks
        self._manifest: tuple[Part, ...] = ()

    def __iter__(self) -> Iterator[Entry]:
        while line := self._blocks.line(_LONGEST_LINE):
            yield self._entry(line)

    def _entry(self, line: bytes) -> Entry:
        try:
            match _json(line):
                case ["part", str(digest), int(length)]:
                    return self._part(digest, length)
                case ["gap", str(id_), str(run_id), str(branch)]:
                    return Gap(id_, run_id, branch)
                case ["checkpoint", {**fields}, list(steps)]:
                    return self._checkpoint(fields, steps)
                case ["part" | "gap" | "checkpoint", *_]:
                    raise self._blocks.broken("an entry has another shape")
                case [str(kind), *_]:
                    raise SharedFileError(
                        f"The shared file has an entry of the kind '{kind[:40]}', which this program does not know. "
                        "Read it with a newer version of Stepwell. Nothing was imported."
                    )
        except (
            ValueError,
            TypeError,
            LookupError,
            RecursionError,
            CheckpointStoreError,
        ) as error:
            raise self._blocks.broken(f"an entry cannot be read ({error})") from None
        raise self._blocks.broken("an entry has another shape")

    def _part(self, digest: str, length: int) -> PartEntry:
        if not 0 <= length <= _LARGEST_PART:
            raise ValueError(f"a part claims {length:,} bytes")
        data = self._blocks.read(length)
        if self._blocks.read(1) != b"\n" or digest_of(data) != digest:
            raise ValueError(f"part {digest[:_DIGEST_LENGTH]} is not intact")
        return PartEntry(digest, data)

    def _checkpoint(self, fields: Mapping[Any, Any], steps: list[Any]) -> Record:
        header = _header(fields)
        manifest = manifests.from_bytes(orjson.dumps(steps), self._manifest)
        if not manifest:
            raise ValueError(f"checkpoint {header.id} has no parts")
        _check_parts(header.id, manifest)
        self._manifest = manifest
        return Record(header, manifest)


def _json(line: bytes) -> Any:
    # Only the header of a checkpoint may have numbers that are none, and only this
    # reader knows them.
    if b"NaN" in line or b"Infinity" in line:
        return from_json(line)
    return orjson.loads(line)


def _header(fields: Mapping[Any, Any]) -> CheckpointHeader:
    unknown = fields.keys() - _IN_FILE
    checkpoint_id = str(fields.get("id"))[:80]
    if unknown:
        raise SharedFileError(
            f"Checkpoint {checkpoint_id} of the shared file has '{min(unknown)[:40]}', which this program does not "
            "know. Read the file with a newer version of Stepwell. Nothing was imported."
        )
    header = header_from_json(fields, sequence=0, damaged="")
    header = replace(header, time=float(header.time))
    for field in HEADER_FIELDS:
        _check_value(field.name, getattr(header, field.name))
    common.check_header(header)
    if header.format > FORMAT_VERSION:
        raise SharedFileError(
            f"Checkpoint {checkpoint_id} of the shared file has format {header.format}, and this program knows "
            f"formats up to {FORMAT_VERSION}. Read it with a newer version of Stepwell. Nothing was imported."
        )
    return header


def _check_value(name: str, value: Any) -> None:
    """Refuse a value that only JSON can have: a number that no store counts to, a
    number in the place of a text in a list.
    """
    if name == "id" and not value:
        raise ValueError("a checkpoint has no id")
    if isinstance(value, bool) or not isinstance(
        value, str | int | float | tuple | Enum | None
    ):
        raise TypeError(f"a header has no proper {name}")
    if isinstance(value, int) and not 0 <= value <= common.MAX_INTEGER:
        raise ValueError(f"a header has no proper {name}")
    if isinstance(value, tuple) and not all(type(text) is str for text in value):
        raise TypeError(f"a header has no proper {name}")


def _check_parts(checkpoint_id: str, manifest: tuple[Part, ...]) -> None:
    kinds = {part.kind for part in manifest}
    unknown = kinds - known_kinds()
    if unknown:
        raise SharedFileError(
            f"Checkpoint {checkpoint_id[:80]} of the shared file has parts of the kind '{min(unknown)[:40]}', which "
            "this program does not know. Read it with a newer version of Stepwell. Nothing was imported."
        )
    common.check_texts(*[part.name for part in manifest])
    if not all(type(part.name) is str for part in manifest):
        raise TypeError("the name of a part is no text")
