"""Payloads as CEL sees them: null, bool, int, float, text, bytes, times, lists and
maps.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import BaseModel

from runtime.codec import Record
from runtime.errors import ConditionError

MAX_ELEMENTS = 500_000
MAX_DEPTH = 64
_INT64 = range(-(2**63), 2**63)


class Plain(NamedTuple):
    """A payload made of CEL's types, the length of the longest list or map in it, how
    many elements there are in all, where 64 characters of text count as one, and
    whether all texts in it are ASCII.
    """

    value: Any
    longest: int
    elements: int
    ascii_only: bool


def to_plain(payload: Any) -> Plain:
    """Convert dataclasses and pydantic models to maps of their fields, tuples to
    lists, sets to sorted lists, enums to their value.

    Raise `ConditionError`, naming the path, for an integer outside 64 bit, a time
    without a zone, a type that CEL does not have, and a payload that is too deep or
    too large.
    """
    # The most usual ones, as `_Walk` does it.
    kind = type(payload)
    if (kind is int and payload in _INT64) or kind is bool or payload is None:
        return Plain(payload, 0, 0, True)
    if kind is str:
        return Plain(payload, 0, len(payload) // 64, payload.isascii())
    walk = _Walk()
    value = walk.convert(payload, "message", 0)
    return Plain(value, walk.longest, walk.elements, walk.ascii_only)


class _Walk:
    def __init__(self) -> None:
        self.longest = 0
        self.elements = 0
        self.ascii_only = True

    def convert(self, value: Any, path: str, depth: int) -> Any:
        if isinstance(value, Enum):
            value = value.value
        if isinstance(value, str | bytes):
            return self._text(value)
        if value is None or isinstance(value, bool | float | timedelta):
            return value
        if isinstance(value, int):
            return _checked_int(value, path)
        if isinstance(value, bytearray | memoryview):
            return self._text(bytes(value))
        if depth >= MAX_DEPTH:
            raise ConditionError(
                f"{path}: nested more than {MAX_DEPTH} levels deep; a condition cannot look into it."
            )
        fields = _fields(value)
        if fields is not None:
            return self._map(fields, path, depth)
        if isinstance(value, AbstractSet):
            value = _in_order(value)
        if isinstance(value, Sequence):
            return self._list(value, path, depth)
        scalar = _scalar(value, path)
        return self._text(scalar) if isinstance(scalar, str) else scalar

    def _text(self, value: Any) -> Any:
        self.elements += len(value) // 64
        self.ascii_only = self.ascii_only and value.isascii()
        return value

    def _map(self, fields: Mapping[Any, Any], path: str, depth: int) -> dict[Any, Any]:
        self._count(len(fields), path)
        return {
            self._key(key, path): self.convert(item, f"{path}.{key}", depth + 1)
            for key, item in fields.items()
        }

    def _key(self, key: Any, path: str) -> Any:
        plain = _key(key, path)
        return self._text(plain) if isinstance(plain, str) else plain

    def _list(self, items: Sequence[Any], path: str, depth: int) -> list[Any]:
        self._count(len(items), path)
        return [
            self.convert(item, f"{path}[{index}]", depth + 1)
            for index, item in enumerate(items)
        ]

    def _count(self, length: int, path: str) -> None:
        self.longest = max(self.longest, length)
        self.elements += length
        if self.elements > MAX_ELEMENTS:
            raise ConditionError(
                f"{path}: the message has more than {MAX_ELEMENTS} elements; a condition cannot see it all."
            )


def _fields(value: Any) -> Mapping[Any, Any] | None:
    if isinstance(value, Mapping):
        return value
    if isinstance(value, Record):
        # A value of a user's class, read for display.
        return value.fields
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return {name: getattr(value, name) for name in names if hasattr(value, name)}
    if isinstance(value, BaseModel):
        # fields and extras, not serialised: no validator or serializer of the model
        # runs
        return dict(value)
    return None


def _checked_int(value: int, path: str) -> int:
    if value not in _INT64:
        raise ConditionError(
            f"{path}: an integer of {value.bit_length()} bits does not fit 64 bit, which is all that CEL has; "
            "it is not rounded."
        )
    return int(value)


def _key(key: Any, path: str) -> Any:
    if isinstance(key, Enum):
        key = key.value
    if isinstance(key, int) and not isinstance(key, bool):
        return _checked_int(key, path)
    if isinstance(key, str | bool):
        return key
    raise ConditionError(
        f"{path}: a map key of type {type(key).__name__} cannot be seen by a condition; use text or integers."
    )


def _in_order(values: AbstractSet[Any]) -> list[Any]:
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=lambda value: (type(value).__name__, repr(value)))


def _to_aware(value: datetime, path: str) -> datetime:
    if value.tzinfo is None:
        raise ConditionError(
            f"{path}: a time without a zone cannot be compared; give it one (datetime.UTC)."
        )
    return value


def _scalar(value: Any, path: str) -> Any:
    if isinstance(value, datetime):
        return _to_aware(value, path)
    for types, convert in _SCALARS:
        if isinstance(value, types):
            try:
                return convert(value)
            except (ArithmeticError, ValueError) as error:
                raise ConditionError(
                    f"{path}: this {type(value).__name__} has no place in a condition: {error}."
                ) from error
    raise ConditionError(
        f"{path}: a value of type {type(value).__name__} cannot be seen by a condition."
    )


_SCALARS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    ((date, time), lambda value: value.isoformat()),
    ((Decimal, Fraction), float),
    ((UUID, PurePath), str),
)
