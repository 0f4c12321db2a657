"""Rows to headers and lists of parts, and the seal that shows whether they are what was
saved.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from runtime.checkpoint import Cause, CheckpointHeader, Record, digest_of
from runtime.errors import CheckpointDamagedError
from runtime.stores import manifest
from runtime.stores.header import SEALED, added_values, header_from_json
from runtime.stores.manifest import Manifest
from runtime.system.bounded_files import from_json

# Whether a row is what was saved. The server finds that out, so that a listing fetches
# no list of parts.
WHOLE = (
    "sha256(checkpoint.header || checkpoint.base || checkpoint.steps) = checkpoint.seal"
)
# The columns of every query for headers, in the order that `to_header` reads.
COLUMNS = f"""
    checkpoint.sequence, checkpoint.id, run.run_id, line.branch, checkpoint.workflow, checkpoint.tags, checkpoint.note,
    checkpoint.header, {WHOLE}
"""
JOINS = "LEFT JOIN run ON run.number = checkpoint.run LEFT JOIN line ON line.number = checkpoint.line"
_WIDTH = 9
FIRST_FIELDS = ("id", "run_id", "branch", "workflow")  # of a header as bytes
_ORDER = [*FIRST_FIELDS, *(name for name in SEALED if name not in FIRST_FIELDS)]


def to_bytes(text: str) -> bytes:
    """Return a text as it is kept and searched. A text with a lone surrogate equals
    nothing that is kept.
    """
    return text.encode("utf-8", "surrogatepass")


def header_bytes(header: CheckpointHeader) -> bytes:
    """Return a list of all fields that a seal covers; fields added later stand in a
    mapping at its end, if any is set.

    By the JSON of the standard library, because that has integers of any size and every
    float.
    """
    fields = [getattr(header, name) for name in _ORDER]
    added = added_values(header)
    if added:
        fields.append(added)
    return json.dumps(fields, separators=(",", ":")).encode()


def seal_of(header: bytes, base: bytes, steps: bytes) -> bytes:
    return sha256(header + base + steps).digest()


def to_header(row: Any) -> CheckpointHeader:
    """Return the header of a row of `COLUMNS`. If the row is not what was saved, the
    header is marked as damaged and has what is left.
    """
    sequence, checkpoint_id, run_id, branch, workflow, tags, note, header, is_whole = (
        row[:_WIDTH]
    )
    try:
        checkpoint_header = _header(
            from_json(header),
            sequence,
            tuple([tag.decode() for tag in tags]),
            note.decode(),
            is_whole,
        )
        if [
            checkpoint_header.id,
            checkpoint_header.run_id,
            checkpoint_header.branch,
            checkpoint_header.workflow,
        ] != [text.decode() for text in (checkpoint_id, run_id, branch, workflow)]:
            raise ValueError("it belongs to another row")
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        fields = _said(header) if is_whole else {}
        return CheckpointHeader(
            id=_left(checkpoint_id) or fields.get("id", ""),
            run_id=_agreed(run_id, fields.get("run_id")),
            workflow=_agreed(workflow, fields.get("workflow")),
            superstep=0,
            cause=Cause.SUPERSTEP,
            branch=_agreed(branch, fields.get("branch")),
            sequence=sequence,
            tags=tuple([_left(tag) for tag in tags or ()]),
            note=_left(note),
            damaged=f"its header cannot be read ({error})",
        )
    return checkpoint_header


def _said(header: bytes) -> dict[str, str]:
    """Return the names in the header of a row that is what was saved."""
    try:
        return dict(zip(FIRST_FIELDS, from_json(header), strict=False))
    except ValueError:
        return {}


def _agreed(column: bytes | None, field: str | None) -> str:
    """Return a name that a row has twice: the one that can be read, or nothing if the
    two differ.
    """
    if field is None or column is None:
        return field or _left(column)
    return field if column == to_bytes(field) or not _is_text(column) else ""


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _header(
    fields: Any, sequence: int, tags: tuple[str, ...], note: str, is_whole: bool
) -> CheckpointHeader:
    added = fields[len(_ORDER)] if len(fields) > len(_ORDER) else {}
    return header_from_json(
        dict(zip(_ORDER, fields, strict=False)) | added,
        sequence=sequence,
        tags=tags,
        note=note,
        damaged="" if is_whole else "its record is not what was saved",
    )


def _left(text: bytes | None) -> str:
    return "" if text is None else text.decode(errors="replace")


@dataclass(frozen=True, slots=True)
class Entry:
    """A row with its list of parts, which is not read yet: `COLUMNS`, base, steps."""

    header: CheckpointHeader
    base: bytes
    steps: bytes

    @classmethod
    def of(cls, row: Any) -> Entry:
        return cls(to_header(row), *row[_WIDTH:])

    def record(self, bases: dict[bytes, bytes]) -> Record:
        """Return the record. `bases` has the bytes of whole lists by their digest.
        Raise `CheckpointDamagedError` if the list of parts cannot be read.
        """
        header = self.header
        if header.damaged:
            raise CheckpointDamagedError(header.id, header.damaged)
        try:
            return Record(header, self._manifest(bases.get(self.base)))
        except (
            ValueError,
            TypeError,
            LookupError,
            AttributeError,
            OverflowError,
        ) as error:
            raise CheckpointDamagedError(
                header.id, f"its list of parts cannot be read ({error})"
            ) from None

    def _manifest(self, base_manifest: bytes | None) -> Manifest:
        if base_manifest is None or digest_of(base_manifest) != self.base.hex():
            raise ValueError("what it differs from is missing or not intact")
        base = manifest.from_bytes(base_manifest)
        return manifest.from_bytes(self.steps, base) if self.steps else base
