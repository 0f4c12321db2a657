"""Large values of the shared state, kept as the bytes of their JSON: who reads one gets a value of his own from them.

A value of the state is copied when it is written and for everybody who reads it, and encoded for the checkpoint. For a
large tree of small plain values one `orjson.dumps` is the first copy and the encoding, and an `orjson.loads` the other:
a third of the time that a walk in Python takes. Nobody sees it: a `Mapping` of the state opens what is asked for.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from typing import Any

LARGE = 100  # containers, from which on sealing pays
_LEAVES = frozenset({str, int, float, bool, type(None)})
_are_containers = frozenset({list, dict}).issuperset
_MAX_LEVELS = 250  # as many as can be encoded
# A copy shares its texts, and what comes from bytes does not: long ones are better copied. Average length per value.
_LONG = 128
_SAMPLE = 100


class Sealed:
    """A tree of lists and mappings as JSON from which `open` makes one that is equal, of the same types."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data

    def open(self) -> Any:
        import orjson

        return orjson.loads(self.data)


class SharedState(Mapping[str, Any]):
    """The values of a state of which some are sealed. Each access to one of these gives a new value."""

    __slots__ = ("kept",)

    def __init__(self, kept: Mapping[str, Any]) -> None:
        self.kept = kept

    def __getitem__(self, key: str) -> Any:
        return opened(self.kept[key])

    def __contains__(self, key: object) -> bool:
        return key in self.kept

    def __iter__(self) -> Iterator[str]:
        return iter(self.kept)

    def __len__(self) -> int:
        return len(self.kept)

    def __repr__(self) -> str:
        return repr(dict(self))


def shared_state(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a state holds of values as they are kept."""
    return SharedState(values) if Sealed in map(type, values.values()) else values


def kept(shared: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values of a state as they are kept, sealed ones as `Sealed`."""
    return shared.kept if type(shared) is SharedState else shared


def opened(value: Any) -> Any:
    return value.open() if type(value) is Sealed else value


def seal(value: Any) -> Sealed | None:
    """The value as JSON, or None for one that is small, that JSON would not give back as it is, or that holds one
    container twice, which would be two.
    """
    items = _items(value)
    if items is None:
        return None
    import orjson

    from runtime.values.plain_json import all_finite

    try:
        data = orjson.dumps(value)
    except TypeError:
        return None  # a key that is no text, a large integer, a lone surrogate
    # orjson writes a number that JSON does not know as null.
    if len(data) > _LONG * items or (b"null" in data and not all_finite(value)):
        return None
    return Sealed(data)


def _items(value: Any) -> int | None:
    """How many values are in a tree that may be sealed, by its types and places, otherwise None."""
    level = [value]
    places: set[int] = set()
    texts: list[str] = []
    items = containers = 0
    for _ in range(_MAX_LEVELS):
        inner = [one for one in level if type(one) not in _LEAVES]
        if not inner:
            is_long = sum(map(len, texts)) > _LONG * len(texts)
            return None if containers < LARGE or is_long else items
        places.update(map(id, inner))
        containers += len(inner)
        if not _are_containers(map(type, inner)) or len(places) != containers:
            return None
        level = gc.get_referents(*inner)
        items += len(level)
        texts += [one for one in level[:_SAMPLE] if type(one) is str]
    return None
