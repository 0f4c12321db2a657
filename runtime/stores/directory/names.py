"""The names of files in the store. Ids are data: a name has a fixed alphabet, whatever
the id is.

A record is `SEQUENCE.RUN.ID.record`. `SEQUENCE.RUN.deleted` says that all records of
that run up to that number are deleted, and `DIGEST.removed` lists records that are
removed.

Ids are written in lower-case letters, digits, `-` and `_`: every other byte is `_` and
its two digits. So no name is special to any system, and names that differ only in case
differ elsewhere too. A long id is `__` and its hash.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import NamedTuple

MAX_SEQUENCE = 10**16 - 1
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-")
# Characters of a key. Two keys and a number are under 255, the most that file systems
# take.
_LONGEST = 80
_RECORD = re.compile(r"([0-9]{16})\.([a-z0-9_-]{1,80})\.([a-z0-9_-]{1,80})\.record")
_DELETED = re.compile(r"([0-9]{16})\.([a-z0-9_-]{1,80})\.deleted")
_REMOVED = re.compile(r"([0-9a-f]{32})\.removed")
_ESCAPED = re.compile(rb"_([0-9a-f]{2})")


class Entry(NamedTuple):
    """A record by its name: `run` and `key` are the ids of the run and of the
    checkpoint as `key_of` gives them.
    """

    name: str
    sequence: int
    run: str
    key: str


def key_of(text: str) -> str:
    """Return an id in the alphabet of file names. No two ids have the same."""
    # Because such an id may be asked for, although it is in no store.
    data = text.encode("utf-8", "surrogatepass")
    if not data:
        return "_"
    key = "".join([chr(byte) if byte in _PLAIN else f"_{byte:02x}" for byte in data])
    if len(key) <= _LONGEST:
        return key
    return "__" + blake2b(data, digest_size=16).hexdigest()


def is_key_of(key: str, text: str) -> bool:
    return (key == text and "_" not in key) or key_of(text) == key


def text_of(key: str) -> str:
    """Return the id behind a key, or the key itself if it is a hash, from which no id
    can be read.
    """
    if key == "_":
        data = b""
    else:
        data = _ESCAPED.sub(
            lambda match: bytes.fromhex(match[1].decode()), key.encode()
        )
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return key
    return text if key_of(text) == key else key


def record_name(sequence: int, run_id: str, checkpoint_id: str) -> str:
    return f"{sequence:016d}.{key_of(run_id)}.{key_of(checkpoint_id)}.record"


def deleted_name(sequence: int, run: str) -> str:
    return f"{sequence:016d}.{run}.deleted"


def as_record(name: str) -> Entry | None:
    match = _RECORD.fullmatch(name)
    return Entry(name, int(match[1]), match[2], match[3]) if match else None


def as_deleted(name: str) -> tuple[int, str] | None:
    match = _DELETED.fullmatch(name)
    return (int(match[1]), match[2]) if match else None


def removed_name(digest: str) -> str:
    return f"{digest}.removed"


def as_removed(name: str) -> str | None:
    """Return the digest of the list in the file, or None for another file."""
    match = _REMOVED.fullmatch(name)
    return match[1] if match else None
