"""Sealing: a large value of the shared state is kept as the bytes of its JSON, a
`Sealed`.

Paid for by `python -m tests.benchmarks --only w6k`: without it a superstep that changes
one number in a value of 100 KB takes 2.3 times the CPU. The reason: such a value is
copied when it is written, copied for everybody who reads it, and encoded for the
checkpoint, and a copy in Python walks over every item. One `orjson.dumps` is the copy
of the writer and the encoding at once, one `orjson.loads` is the copy of a reader, and
both run at C speed.

Users never see it, because the state of a run is a `Mapping` that opens what is asked
for. The engine has three rules:

- `copies.copy_for_state` makes the value that a state stores, and decides whether it is sealed;
- `stored_values` gives the values as they are stored, for code that would otherwise open one only to encode or to copy
  it again; `isolate` copies either kind;
- code that compares or reads such a value calls `unseal` first.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from typing import Any

# Sealing pays from so many containers on. Below, a copy in Python is faster than JSON
# and back.
LARGE = 100
_LEAVES = frozenset({str, int, float, bool, type(None)})
_are_containers = frozenset({list, dict}).issuperset
# The codec encodes no more levels than these.
_MAX_LEVELS = 250
# A copy shares its texts with the original, and JSON does not. Where texts are long on
# average, a copy is faster.
_LONG_TEXT = 128
_SAMPLE = 100


class Sealed:
    """A tree of lists and dicts as JSON. `open` makes an equal tree, of the same types."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data

    def open(self) -> Any:
        import orjson

        return orjson.loads(self.data)


class SharedState(Mapping[str, Any]):
    """The values of a state of which some are sealed. Each access to a sealed one gives
    a new value.
    """

    __slots__ = ("stored",)

    def __init__(self, stored: Mapping[str, Any]) -> None:
        self.stored = stored

    def __getitem__(self, key: str) -> Any:
        return unseal(self.stored[key])

    def __contains__(self, key: object) -> bool:
        return key in self.stored

    def __iter__(self) -> Iterator[str]:
        return iter(self.stored)

    def __len__(self) -> int:
        return len(self.stored)

    def __repr__(self) -> str:
        return repr(dict(self))


def shared_state(stored: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the mapping that users read: the values themselves if none is sealed, else
    one that opens them.
    """
    if Sealed in map(type, stored.values()):
        return SharedState(stored)
    return stored


def stored_values(shared: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the values of a state as they are stored, sealed ones as `Sealed`."""
    return shared.stored if type(shared) is SharedState else shared


def unseal(value: Any) -> Any:
    return value.open() if type(value) is Sealed else value


def seal(value: Any) -> Sealed | None:
    """Return the value as JSON, or None if it must stay as it is.

    That is so for a small value, for one that JSON would not give back unchanged, and
    for one that holds a container in two places, because JSON would make two of it.
    """
    items = _count_items(value)
    if items is None:
        return None
    import orjson

    from runtime.values.plain_json import all_finite

    try:
        data = orjson.dumps(value)
    except TypeError:
        # a key that is no text, a large integer, a lone surrogate
        return None
    if len(data) > _LONG_TEXT * items:
        return None
    # orjson writes NaN and infinities as null.
    if b"null" in data and not all_finite(value):
        return None
    return Sealed(data)


def _count_items(value: Any) -> int | None:
    """Return how many values a tree holds, or None if its types or its shape forbid
    sealing.

    The tree is walked level by level with `gc.get_referents`, which gives the items of
    many containers in one call.
    """
    level = [value]
    places: set[int] = set()
    texts: list[str] = []
    items = 0
    containers = 0
    for _ in range(_MAX_LEVELS):
        inner = [item for item in level if type(item) not in _LEAVES]
        if not inner:
            has_long_texts = sum(map(len, texts)) > _LONG_TEXT * len(texts)
            return None if containers < LARGE or has_long_texts else items
        places.update(map(id, inner))
        containers += len(inner)
        # Fewer places than containers: one container is in the tree twice.
        if not _are_containers(map(type, inner)) or len(places) != containers:
            return None
        level = gc.get_referents(*inner)
        items += len(level)
        texts += [item for item in level[:_SAMPLE] if type(item) is str]
    return None
