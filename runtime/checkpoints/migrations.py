"""Older formats of saved parts: format version -> function that lifts the parts of a
checkpoint by one.

The version is the header's `format`. A new format is one function and one line in
`MIGRATIONS`; records are lifted when they are read, never rewritten.
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


def _as_it_is(parts: Encoded) -> Encoded:
    return parts


# 2 has more in the trace (the way of each message, what each call wrote and asked,
# attempts) and further types of values. 3 has the parts `change`, `patch` and `call`, and
# the origin of calls; only a checkpoint with one of them is a 3. All of it may be missing,
# so an older record is a newer one, but a program that knows only the older format cannot
# read the newer.
MIGRATIONS: Mapping[int, Lift] = {1: _as_it_is, 2: _as_it_is}


def lift(
    parts: Encoded,
    version: int,
    *,
    steps: Mapping[int, Lift] = MIGRATIONS,
    newest: int = FORMAT_VERSION,
) -> Encoded:
    """Return the parts in the newest format. Raise `DecodeError` for a version that is
    newer, or that no step lifts.
    """
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
