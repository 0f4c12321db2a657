"""The order of keys in CEL's results. The library keeps none: one expression gives
another order with every call.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def in_order(result: Any, literals: Iterable[str], values: Iterable[Any]) -> Any:
    """Return the result with ordered map keys: as in the expression's texts, then
    as in the values it used, then sorted. So equal runs have equal messages.
    """
    if not _has_map(result):
        return result
    ranks: dict[Any, int] = {}
    for literal in literals:
        ranks.setdefault(literal, len(ranks))
    for value in values:
        _rank(value, ranks)
    return _ordered(result, ranks)


def _has_map(value: Any) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and any(map(_has_map, value))
    )


def _rank(value: Any, ranks: dict[Any, int]) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            ranks.setdefault(key, len(ranks))
            _rank(item, ranks)
    elif isinstance(value, list):
        for item in value:
            _rank(item, ranks)


def _ordered(value: Any, ranks: dict[Any, int]) -> Any:
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: (ranks.get(key, len(ranks)), str(key)))
        return {key: _ordered(value[key], ranks) for key in keys}
    if isinstance(value, list):
        return [_ordered(item, ranks) for item in value]
    return value
