"""The values inside a value, by a path of keys, names of fields and places. Nothing is
changed in place: a change makes the values around it anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runtime.codec import TypeRegistry
from runtime.patches.fields import fields_of, with_fields
from runtime.patches.refused import PathStep, Refused, path_words
from runtime.values.sealed import unseal
from runtime.values.unset import UNSET

Make = Callable[[Any], Any]


def inner_value(value: Any, path: Sequence[PathStep], types: TypeRegistry) -> Any:
    """Return what stands at a path. Raise `Refused` if nothing does."""
    value = unseal(value)
    for depth, step in enumerate(path):
        value = _item(value, step, types)
        if value is UNSET:
            raise Refused("Nothing stands there.", path_words(path[: depth + 1]))
    return value


def with_inner_value(
    value: Any, path: Sequence[PathStep], make: Make, types: TypeRegistry
) -> Any:
    """Return the value with another one at a path: what `make` returns for that which
    stands there, or for None where a new key or a new last item is set.

    Raise `Refused` where there is no such place.
    """
    value = unseal(value)
    if not path:
        return make(value)
    step = path[0]
    item = _item(value, step, types)
    if item is UNSET and (len(path) > 1 or not _can_add(value, step)):
        raise Refused(_no_place(value, step, types), path_words(path[:1]))
    try:
        if item is UNSET:
            new_item = make(None)
        else:
            new_item = with_inner_value(item, path[1:], make, types)
    except Refused as refused:
        raise Refused(refused.text, path_words(path[:1]) + refused.path) from refused
    return _with_item(value, step, new_item, types)


def without_inner_value(
    value: Any, path: Sequence[PathStep], types: TypeRegistry
) -> Any:
    """Return the value without the key or item at a path. Raise `Refused` where there is
    none, and for a field, which cannot go.
    """
    *way, last = path

    def without(container: Any) -> Any:
        if _item(container, last, types) is UNSET:
            raise Refused("Nothing stands there.", path_words([last]))
        if isinstance(container, dict) and type(container) is dict:
            return {key: item for key, item in container.items() if key != last}
        if type(container) in (list, tuple):
            place = int(last)
            return type(container)(
                item for number, item in enumerate(container) if number != place
            )
        raise Refused(
            f"A {type(container).__name__} cannot do without it. Set another value.",
            path_words([last]),
        )

    return with_inner_value(value, way, without, types)


def _item(value: Any, step: PathStep, types: TypeRegistry) -> Any:
    """Return the item of a container; `UNSET` if it has none there."""
    if type(value) is dict:
        return value.get(step, UNSET)
    if type(value) in (list, tuple):
        is_place = isinstance(step, int) and 0 <= step < len(value)
        return value[step] if is_place else UNSET
    fields = fields_of(value, types) or {}
    return fields.get(step, UNSET) if isinstance(step, str) else UNSET


def _can_add(value: Any, step: PathStep) -> bool:
    if type(value) is dict:
        return isinstance(step, str)
    return type(value) is list and step == len(value)


def _no_place(value: Any, step: PathStep, types: TypeRegistry) -> str:
    name = type(value).__name__
    if type(value) in (list, tuple):
        return f"There is no item {step}: the {name} has {len(value)}."
    fields = fields_of(value, types)
    if fields:
        return f"A {name} has no field '{step}'. Its fields: {', '.join(fields)}."
    return f"Nothing inside a {name} can be set there."


def _with_item(value: Any, step: Any, item: Any, types: TypeRegistry) -> Any:
    if type(value) is dict:
        return {**value, step: item}
    if type(value) is list and step == len(value):
        return [*value, item]
    if type(value) in (list, tuple):
        return type(value)((*value[:step], item, *value[step + 1 :]))
    return with_fields(value, {step: item}, types)
