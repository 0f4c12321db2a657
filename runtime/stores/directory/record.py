"""A record as bytes: three lines of UTF-8 text, of which the first two are enough for a
timeline.

stepwell checkpoint FORMAT DIGEST-OF-HEADER LENGTH-OF-MANIFEST DIGEST-OF-MANIFEST
{"id": ..., "run_id": ..., ...}
[["shared", "draft", "DIGEST"], ...]
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import orjson

from runtime.checkpoint import (
    HEADER_FIELDS,
    CheckpointHeader,
    Part,
    Record,
    digest_of,
)
from runtime.stores.header import header_from_json
from runtime.system.bounded_files import from_json

FORMAT = 1
_MARK = [b"stepwell", b"checkpoint"]
_CUT = "its list of parts is cut or too long"
_FIELDS = [field.name for field in HEADER_FIELDS if field.name != "damaged"]


class UnreadableError(ValueError):
    """The reason why bytes are no record."""


def to_bytes(record: Record) -> bytes:
    fields = {name: getattr(record.header, name) for name in _FIELDS}
    header = json.dumps(fields, ensure_ascii=False).encode()
    manifest = orjson.dumps([list(part) for part in record.manifest])
    head = (
        f"{FORMAT} {digest_of(header)} {len(manifest)} {digest_of(manifest)}".encode()
    )
    return b"\n".join([b" ".join([*_MARK, head]), header, manifest, b""])


def header_of(data: bytes, size: int) -> CheckpointHeader:
    """Return the header of a record of `size` bytes; `data` has at least its first two
    lines.

    A record that is cut behind its header still has its header, which comes marked as
    damaged.
    """
    head, line, _ = _lines(data, size)
    header = _header(head, line)
    return header if _has_length(head, line, size) else replace(header, damaged=_CUT)


def record_of(data: bytes) -> Record:
    head, header, manifest = _lines(data, len(data))
    if not _has_length(head, header, len(data)):
        raise UnreadableError(_CUT)
    if digest_of(manifest).encode() != head[5]:
        raise UnreadableError("its list of parts is not what was saved")
    entries = orjson.loads(manifest)
    return Record(_header(head, header), tuple([Part(*entry) for entry in entries]))


def _lines(data: bytes, size: int) -> tuple[list[bytes], bytes, bytes]:
    """Return the words of the first line, the header, and the manifest as far as it was
    read.
    """
    lines = data.split(b"\n", 2)
    head = lines[0].split(b" ")
    if len(lines) < 3 or head[:2] != _MARK or len(head) < 3 or not head[2].isdigit():
        raise UnreadableError(
            "it is cut, empty or no record" if size else "it is empty"
        )
    if int(head[2]) > FORMAT:
        raise UnreadableError(
            f"it has format {head[2].decode()}, and this program knows formats up to {FORMAT}"
        )
    if len(head) != 6:
        raise UnreadableError("its first line is not what was saved")
    return head, lines[1], lines[2][:-1]


def _has_length(head: list[bytes], header: bytes, size: int) -> bool:
    """Return whether the list of parts is as long as the first line says."""
    ends_of_lines = 3
    return head[4] == b"%d" % (
        size - len(b" ".join(head)) - len(header) - ends_of_lines
    )


def _header(head: list[bytes], line: bytes) -> CheckpointHeader:
    if digest_of(line).encode() != head[3]:
        raise UnreadableError("its header is not what was saved")
    if b"Infinity" in line or b"NaN" in line:
        fields: dict[str, Any] = from_json(line)
    else:
        fields = orjson.loads(line)
    try:
        return header_from_json(fields)
    except TypeError as error:
        raise UnreadableError(str(error)) from None
