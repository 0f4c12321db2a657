"""Older formats of saved parts: format version -> function that lifts the parts of a checkpoint by one.

The version is the header's `format`. A new format is one function and one line in `MIGRATIONS`; records are lifted when
they are read, never rewritten.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from runtime.checkpoint import FORMAT_VERSION
from runtime.errors import DecodeError


class EncodedPart(NamedTuple):
    """A part as it is stored, its pieces joined."""

    kind: str
    name: str
    data: bytes


Encoded = tuple[EncodedPart, ...]
Lift = Callable[[Encoded], Encoded]

MIGRATIONS: Mapping[int, Lift] = {}


def lift(
    parts: Encoded, version: int, *, steps: Mapping[int, Lift] = MIGRATIONS, newest: int = FORMAT_VERSION
) -> Encoded:
    """The parts in the newest format. Raises `DecodeError` for a version that is newer, or that nothing lifts."""
    if version > newest:
        raise DecodeError(
            f"this checkpoint has format {version}, and this program knows formats up to {newest}. "
            "Read it with a newer version of Stepwell; it was left untouched"
        )
    for number in range(version, newest):
        step = steps.get(number)
        if step is None:
            raise DecodeError(f"format {version} is not one that this program can read")
        parts = step(parts)
    return parts
