"""Names similar to the name of a field that a value does not have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

# how far a value is looked through: it may be large, and an error needs a few names
DEEPEST = 4
ITEMS = 20
NAMES = 500
LIKE = 0.6
SHOWN = 3


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return `; did you mean 'confidence'?`, or nothing if no name is similar."""
    near = get_close_matches(name, list(dict.fromkeys(names)), n=SHOWN, cutoff=LIKE)
    return (
        f"; did you mean {' or '.join(repr(near_name) for near_name in near)}?"
        if near
        else ""
    )


def field_names(data: Any) -> list[str]:
    """Return the names of fields in plain data, outer ones first."""
    names: list[str] = []
    level = [data]
    for _ in range(DEEPEST):
        inner: list[Any] = []
        for item in level:
            names += _own_names(item)
            inner += _items(item)
        level = inner[:NAMES]
    return names[:NAMES]


def _own_names(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from (key for key in value if isinstance(key, str))


def _items(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return list(value.values())[:ITEMS]
    return list(value[:ITEMS]) if isinstance(value, list | tuple) else []
