"""Values as JSON that people read and write, and back.

Lists, tuples and sets are lists, and values with fields are mappings. Moments and other
values of which a text says everything are texts, and members of an enum their values.
JSON alone does not name these types: it gets them from the value that stood there. What
JSON cannot express is as the codec writes it, with the name of its type under `$`.
"""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import pathlib
import uuid
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any

import orjson

from runtime.checkpoint import is_text
from runtime.codec import TypeRegistry, encode, rebuild
from runtime.codec.encoder import TAG
from runtime.errors import DecodeError, EncodeError
from runtime.patches.fields import fields_of, with_fields
from runtime.patches.refused import Refused
from runtime.values.sealed import unseal

_INTEGERS = range(-(2**63), 2**63)
_LISTS: tuple[type, ...] = (list, tuple, set, frozenset)
# Classes whose values one text makes again, with the function that does.
_FROM_TEXT: Mapping[type, Callable[[str], Any]] = {
    dt.date: dt.date.fromisoformat,
    dt.datetime: dt.datetime.fromisoformat,
    dt.time: dt.time.fromisoformat,
    decimal.Decimal: decimal.Decimal,
    uuid.UUID: uuid.UUID,
    type(pathlib.Path()): pathlib.Path,
}


def as_json(value: Any, types: TypeRegistry) -> Any:
    """Return a value as JSON. `typed` makes it again, beside the value that it was."""
    value = unseal(value)
    try:
        return _form(value, types)
    except RecursionError:
        raise EncodeError("nested too deep: at most 250 levels can be saved") from None


def _form(value: Any, types: TypeRegistry) -> Any:
    cls = type(value)
    if value is None or cls is bool:
        return value
    if cls is str:
        return value if is_text(value) else _coded(value, types)
    if cls is int:
        return value if value in _INTEGERS else _coded(value, types)
    if cls is float:
        return value if isfinite(value) else _coded(value, types)
    if cls is list or cls is tuple:
        return [_form(item, types) for item in value]
    if cls is set or cls is frozenset:
        return sorted((_form(item, types) for item in value), key=orjson.dumps)
    if cls is dict:
        return _mapping(value, types)
    if cls in _FROM_TEXT:
        return _text(value, types)
    if isinstance(value, enum.Enum):
        return _member(value, types)
    fields = fields_of(value, types)
    if fields is None:
        return _coded(value, types)
    return {name: _form(item, types) for name, item in fields.items()}


def _mapping(value: dict[Any, Any], types: TypeRegistry) -> Any:
    if TAG in value or not all(type(key) is str and is_text(key) for key in value):
        return _coded(value, types)
    return {key: _form(item, types) for key, item in value.items()}


def _text(value: Any, types: TypeRegistry) -> Any:
    """Return the text of a value if it makes the same again, such as a moment without
    the rules of a time zone.
    """
    text = value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)
    try:
        again = _FROM_TEXT[type(value)](text)
        is_same = again == value and repr(again) == repr(value)
    except (ValueError, ArithmeticError):
        is_same = False
    return text if is_same else _coded(value, types)


def _member(value: enum.Enum, types: TypeRegistry) -> Any:
    content = value.value
    if type(content) in (str, int, float, bool):
        form = _form(content, types)
        # A number that JSON does not have would be a mapping.
        if type(form) is type(content) and type(value)(content) is value:
            return form
    return _coded(value, types)


def _coded(value: Any, types: TypeRegistry) -> Any:
    return orjson.loads(encode(value, types))


# --- back ---------------------------------------------------------------------------------------------------------


def typed(value: Any, like: Any, types: TypeRegistry) -> Any:
    """Return a JSON value with the types of the value that stood there. JSON of another
    kind stays as it is: a text may become a number.

    Raise `Refused` for JSON of the same kind that does not fit, such as a mapping with a
    field that the class does not have.
    """
    try:
        return _typed(value, unseal(like), types, "")
    except RecursionError:
        raise Refused("The value is nested too deep.") from None


def _typed(value: Any, like: Any, types: TypeRegistry, path: str) -> Any:
    cls = type(like)
    if isinstance(value, Mapping):
        return _typed_mapping(value, like, types, path)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return _typed_list(value, like, types, path)
    if isinstance(like, enum.Enum):
        return _typed_member(value, like, path)
    if type(value) is int and cls is float:
        return float(value)
    if type(value) is str and cls in _FROM_TEXT:
        try:
            return _FROM_TEXT[cls](value)
        except (ValueError, ArithmeticError):
            raise Refused(f"{value!r:.60} is no {cls.__name__}.", path) from None
    return value


def _typed_mapping(
    value: Mapping[str, Any], like: Any, types: TypeRegistry, path: str
) -> Any:
    if TAG in value:
        try:
            return rebuild(dict(value), types)
        except DecodeError as error:
            raise Refused(f"{error}.", path) from None
    before = fields_of(like, types)
    if before is None:
        items = like if isinstance(like, dict) else {}
        return {
            key: _typed(item, items.get(key), types, f"{path}.{key}")
            for key, item in value.items()
        }
    missing = [name for name in before if name not in value]
    if missing:
        raise Refused(
            f"{type(like).__name__} needs the field '{missing[0]}' too.", path
        )
    values = {
        name: _kept_or_typed(item, before.get(name), types, f"{path}.{name}")
        for name, item in value.items()
    }
    return _with_fields(like, values, types, path)


def _kept_or_typed(value: Any, before: Any, types: TypeRegistry, path: str) -> Any:
    """Return what stood in a field if the JSON says the same, so that only changed
    fields are checked.
    """
    if as_json(before, types) == value:
        return before
    return _typed(value, before, types, path)


def _with_fields(
    like: Any, values: Mapping[str, Any], types: TypeRegistry, path: str
) -> Any:
    try:
        return with_fields(like, values, types)
    except Refused as refused:
        raise Refused(refused.text, f"{path}{refused.path}") from refused


def _typed_list(value: Sequence[Any], like: Any, types: TypeRegistry, path: str) -> Any:
    cls = type(like)
    if cls not in _LISTS:
        return [
            _typed(item, None, types, f"{path}[{place}]")
            for place, item in enumerate(value)
        ]
    before = (
        sorted(like, key=lambda item: orjson.dumps(as_json(item, types)))
        if cls in (set, frozenset)
        else list(like)
    )
    items = []
    for place, item in enumerate(value):
        # A further item is like the last one, because lists are mostly of one type.
        beside = before[min(place, len(before) - 1)] if before else None
        items.append(_typed(item, beside, types, f"{path}[{place}]"))
    try:
        return cls(items)
    except TypeError:
        raise Refused(f"A {cls.__name__} cannot hold such items.", path) from None


def _typed_member(value: Any, like: enum.Enum, path: str) -> Any:
    cls = type(like)
    if value is None:
        return None
    try:
        return cls(value)
    except Exception:  # noqa: BLE001 - code of the class; it says no
        known = ", ".join(repr(member.value) for member in list(cls)[:20])
        raise Refused(
            f"{value!r:.60} is no {cls.__name__}. It has {known}.", path
        ) from None
