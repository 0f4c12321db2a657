"""Whether a value is a plain JSON tree, asked at C speed: one level of the tree at a time, never item by item.

`gc.get_referents` is the one call that gives the items of many lists and the values of many dicts at once; a scan by
chained iterators takes twice as long, and one by a recursive function ten times.
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
    """The types in a tree that holds nothing but what JSON gives back as it is, or None for any other.

    Numbers that JSON does not know pass, and so do keys that are no texts, which orjson refuses. A tree of too many
    levels, such as one that contains itself, does not pass, nor one that is very wide in many: they may be the same.
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
            level = [x for x in level if type(x) in _CONTAINERS]
            if sum(map(len, level)) > _MANY:
                # Each object once: a list that holds itself a thousand times would fill the memory in a few levels.
                level = list({id(x): x for x in level}.values())
        level = gc.get_referents(*level)
    return None


def all_finite(value: Any) -> bool:
    """Whether a plain tree is free of NaN and infinities."""
    level: list[Any] = [value]
    while level:
        if not all(map(isfinite, [x for x in level if type(x) is float])):
            return False
        level = gc.get_referents(*level)
    return True
