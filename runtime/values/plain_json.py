"""Finds out whether a value is a plain JSON tree, one level of the tree at a time, so
that most work runs at C speed.

Paid for by `python -m tests.benchmarks --only payload-saved`: every value that is saved
is scanned. `gc.get_referents` gives the items of many lists and the values of many
dicts in one call. A scan by chained iterators takes twice as long, one by a recursive
function ten times.
"""

from __future__ import annotations

import gc
from math import isfinite
from typing import Any

LEAVES = frozenset({str, int, float, bool, type(None)})
_CONTAINERS = frozenset({list, dict})
_PLAIN = LEAVES | _CONTAINERS
_MAX_LEVELS = 250
_WIDE = 100
_VERY_WIDE = 10_000
_MANY = 300_000
_MAX_VERY_WIDE_LEVELS = 12


def plain_kinds(value: Any) -> set[type] | None:
    """Return the types in a tree that JSON gives back unchanged, or None for any other
    value.

    NaN and infinities pass, and so do keys that are no text, which orjson refuses. A
    tree with too many levels does not pass, because it may contain itself, nor one with
    many very wide levels, for the same reason.
    """
    level: list[Any] = [value]
    seen: set[type] = set()
    very_wide = 0
    for _ in range(_MAX_LEVELS):
        kinds = set(map(type, level))
        if not kinds <= _PLAIN:
            return None
        seen |= kinds
        if kinds.isdisjoint(_CONTAINERS):
            return seen
        if len(level) > _WIDE:
            very_wide += len(level) > _VERY_WIDE
            if very_wide > _MAX_VERY_WIDE_LEVELS:
                return None
            level = [item for item in level if type(item) in _CONTAINERS]
            if sum(map(len, level)) > _MANY:
                # Each object once, because a list that holds itself a thousand times
                # would fill the memory.
                level = list({id(item): item for item in level}.values())
        level = gc.get_referents(*level)
    return None


def all_finite(value: Any) -> bool:
    """Return True if a plain tree is free of NaN and infinities."""
    level: list[Any] = [value]
    while level:
        floats = [item for item in level if type(item) is float]
        if not all(map(isfinite, floats)):
            return False
        level = gc.get_referents(*level)
    return True
