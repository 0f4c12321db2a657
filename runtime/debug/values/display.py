"""Decoded values for display: trees of `Value`, and plain JSON for exports."""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Sequence
from enum import Enum
from itertools import islice
from typing import Any

from runtime.debug.protocol import Value
from runtime.debug.values.shapes import (
    MAPPINGS,
    MASKED,
    SEQUENCES,
    SETS,
    Items,
    clean,
    cut,
    line,
    shape_of,
)
from runtime.document.secret_names import is_secret

LEVEL_LIMIT = 200
LABEL_LIMIT = 500
# The most values in one tree. A level is always sent whole (up to its limit); what is
# below it only while there is room, so that a wide state costs milliseconds: the rest
# is a click (`expand`) away.
TREE_LIMIT = 500
_INT64 = range(-(2**63), 2**63)

Children = tuple[tuple[str, Value], ...]


def to_value(value: Any, depth: int = 2, limit: int = LEVEL_LIMIT) -> Value:
    """Return the tree of a value: `depth` levels of children, at most `limit` per
    parent, and about `TREE_LIMIT` in all.
    """
    return _Tree(limit).of(value, depth)


def expand(
    value: Any, path: Sequence[int], offset: int = 0, limit: int = LEVEL_LIMIT
) -> tuple[Children, int]:
    """Return the children of the value at `path` (positions from the root), from
    `offset` on, and how many there are.

    Raise `LookupError` if the path leads nowhere or into a masked value.
    """
    value = value_at(value, path)
    shape = shape_of(value)
    tree = _Tree(limit)
    return tree.children(
        islice(shape.items(), offset, offset + limit), depth=1
    ), shape.count


def value_at(value: Any, path: Sequence[int]) -> Any:
    """Return the value at these positions from the root. Raise `LookupError` if
    they lead nowhere or into a masked value.
    """
    for position in path:
        label, value = _child(value, position)
        if is_secret(label):
            raise LookupError(f"'{label}' is masked: it is named like a secret.")
    return value


def field(value: Any, name: str) -> Any:
    """Return a field of a dataclass, model, record or mapping by its name, or
    None. It calls no user code.
    """
    return next(
        (child for label, child in shape_of(value).items() if label == name), None
    )


def _child(value: Any, position: int) -> tuple[str, Any]:
    if position >= 0:
        child = next(islice(shape_of(value).items(), position, position + 1), None)
    else:
        child = None
    if child is None:
        raise LookupError(
            f"There is no child {position} in a value of type {shape_of(value).type}."
        )
    return child


class _Tree:
    """Make a tree of values and count its nodes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._left = TREE_LIMIT

    def of(self, value: Any, depth: int) -> Value:
        shape = shape_of(value)
        self._left -= 1
        # The lines of a text are sent on request only.
        if depth <= 0 or not shape.count or self._left <= 0 or isinstance(value, str):
            return Value(type=shape.type, text=shape.text, count=shape.count)
        children = self.children(islice(shape.items(), self._limit), depth - 1)
        return Value(
            type=shape.type, text=shape.text, count=shape.count, children=children
        )

    def children(self, items: Items, depth: int) -> Children:
        return tuple(
            [
                (cut(label, LABEL_LIMIT), self._named(label, child, depth))
                for label, child in items
            ]
        )

    def _named(self, label: str, value: Any, depth: int) -> Value:
        if is_secret(label) and value is not None:
            return Value(type=shape_of(value).type, text=MASKED)
        return self.of(value, depth)


# --- plain --------------------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """Return the whole value as JSON values, secrets masked. It is for reading;
    the value cannot be restored from it.
    """
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, Enum):
        return plain(value._value_)
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, int):
        return value if value in _INT64 else line(value)
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode("ascii")
    return _plain_inside(value)


def _plain_inside(value: Any) -> Any:
    if type(value).__module__ == "numpy":
        return value.tolist()
    shape = shape_of(value)
    if isinstance(value, SEQUENCES + SETS) and not _has_fields(value):
        return [plain(child) for _label, child in shape.items()]
    if shape.count or isinstance(value, MAPPINGS) or _has_fields(value):
        return {
            clean(label): MASKED
            if is_secret(label) and child is not None
            else plain(child)
            for label, child in shape.items()
        }
    return clean(shape.text)


def _has_fields(value: Any) -> bool:
    return dataclasses.is_dataclass(value) or hasattr(type(value), "_fields")
