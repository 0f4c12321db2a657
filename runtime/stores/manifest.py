"""A manifest as bytes: whole, or as what differs from another one.

A whole one is a list of entries `[kind, name, digest]`. A difference is a list of
steps: `[start, count]` copies entries of the base, and an entry stands for itself. A
reader is at most one step away from a whole manifest, however long the run is.

Paid for by `python -m tests.benchmarks --only w6,flat-100mb`: with whole manifests
alone a superstep of w6 writes 3.0 KB instead of 1.4, and with 10,000 values in the
state it takes twice the CPU. Two things make the difference cheap:

- entries that two manifests share are the same objects, so `is` finds what changed at C speed (`others`);
- a base stays for many checkpoints, and is given up when the repetitions that it causes cost as much as a whole one.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import b2a_base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import compress, count
from operator import is_not
from typing import Any

import orjson

from runtime.checkpoint import Part

Manifest = tuple[Part, ...]

_LETTERS = {
    "shared": "s",
    "executor": "e",
    "buffer": "b",
    "queue": "q",
    "request": "r",
    "child": "c",
    "trace": "t",
    "definition": "d",
}
_KINDS = {letter: kind for kind, letter in _LETTERS.items()}


@dataclass(slots=True)
class Base:
    """A whole manifest of `size` bytes, from which later ones are differences."""

    manifest: Manifest
    size: int
    surplus: int = 0  # entries that were written only because the base is old
    positions: dict[Part, int] = field(init=False)

    def __post_init__(self) -> None:
        self.positions = {part: position for position, part in enumerate(self.manifest)}

    def difference(self, manifest: Manifest, fresh: int) -> bytes | None:
        """Return a manifest as a difference, or None when it is time for a whole one.

        `fresh` is how many of its entries the last manifest did not have. A base is
        given up when the entries that are repeated because of it would make up a whole
        manifest. So neither whole ones nor repetitions cost more than twice what they
        must.
        """
        data, entries = difference(self.manifest, self.positions, manifest)
        self.surplus += max(0, entries - fresh)
        if self.surplus > len(manifest) or len(data) * 4 > self.size * 3:
            return None
        return data


def to_bytes(manifest: Iterable[Part]) -> bytes:
    return orjson.dumps([_entry(part) for part in manifest])


def from_bytes(data: bytes, base: Manifest = ()) -> Manifest:
    """Raise `ValueError`, `TypeError` or `LookupError` if the bytes are not a manifest."""
    out: list[Part] = []
    for step in orjson.loads(data):
        if len(step) == 2:
            start, number = step
            if not 0 <= start < start + number <= len(base):
                raise ValueError("a step outside of the base")
            out.extend(base[start : start + number])
        else:
            kind, name, digest = step
            kind = kind[1:] if kind.startswith(":") else _KINDS[kind]
            out.append(Part(kind, name, b64decode(digest, validate=True).hex()))
    return tuple(out)


def difference(
    base: Manifest, positions: dict[Part, int], manifest: Manifest
) -> tuple[bytes, int]:
    """Return the steps from `base` to `manifest` as bytes, and how many entries are
    new.

    `positions` says where each entry is in the base.
    """
    aligned = len(base) == len(manifest)
    steps = _by_position(base, manifest) if aligned else _by_lookup(positions, manifest)
    return orjson.dumps(steps), sum(len(step) == 3 for step in steps)


def others(manifest: Manifest, last: Manifest) -> Manifest:
    """Return the entries that the last manifest does not have, and perhaps some that it
    has.
    """
    if len(manifest) != len(last):
        known = set(last)
        return tuple([part for part in manifest if part not in known])
    return tuple(compress(manifest, map(is_not, manifest, last)))


def _by_position(base: Manifest, manifest: Manifest) -> list[Any]:
    """Return the steps between manifests of one length.

    Nearly all entries are the same objects, which are passed over at C speed.
    """
    steps: list[Any] = []
    done = 0
    for position in compress(count(), map(is_not, base, manifest)):
        if base[position] != manifest[position]:
            if position > done:
                steps.append([done, position - done])
            steps.append(_entry(manifest[position]))
            done = position + 1
    if done < len(base):
        steps.append([done, len(base) - done])
    return steps


def _by_lookup(positions: dict[Part, int], manifest: Manifest) -> list[Any]:
    steps: list[Any] = []
    for part in manifest:
        position = positions.get(part)
        if position is None:
            steps.append(_entry(part))
        elif steps and len(steps[-1]) == 2 and sum(steps[-1]) == position:
            steps[-1][1] += 1
        else:
            steps.append([position, 1])
    return steps


def _entry(part: Part) -> Sequence[str]:
    kind = _LETTERS.get(part.kind) or f":{part.kind}"
    return (
        kind,
        part.name,
        b2a_base64(bytes.fromhex(part.digest), newline=False).decode("ascii"),
    )
