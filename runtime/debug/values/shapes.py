"""How any decoded value looks: the name of its type, one line of text, and its
children.

No user code is called for it (no `__repr__`, no `__str__`, no property): displaying a
value never runs the code of a workflow, and a broken `__repr__` cannot break the
debugger.
"""

from __future__ import annotations

import dataclasses
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import islice
from pathlib import PurePath
from types import MappingProxyType
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from pydantic import AnyUrl, BaseModel, PostgresDsn, Secret, SecretBytes, SecretStr

from runtime.codec import Record, pydantic_types
from runtime.codec.builtin import ADDRESSES
from runtime.document.secret_names import is_secret

TEXT_LIMIT = 120
PIECE = 100
PREVIEWED = 12  # items of a mapping or list in a preview
MASKED = pydantic_types.MASKED

Items = Iterable[tuple[str, Any]]

# Python's own containers, the only ones that are looked into: to ask another one for
# its length would run its code.
MAPPINGS: tuple[type[Collection[Any]], ...] = (dict, MappingProxyType)
SEQUENCES: tuple[type[Collection[Any]], ...] = (list, tuple, deque)
SETS: tuple[type[Collection[Any]], ...] = (set, frozenset)
CONTAINERS = (*MAPPINGS, *SEQUENCES, *SETS)


@dataclasses.dataclass(slots=True)
class Shape:
    """The display of a value; the children are built only on demand."""

    type: str
    text: str
    count: int = 0
    items: Callable[[], Items] = tuple


def line(value: Any) -> str:
    """Return the value in one line, at most about 120 characters."""
    return shape_of(value).text


def preview(value: Any) -> str:
    """Return the value in one line, of a mapping or a list its first items:
    `{n: 1, tags: list[2]}`. `line` only counts them.
    """
    if isinstance(value, MAPPINGS) and value:
        return cut("{" + _summary_of_mapping(value) + "}")
    if type(value) in (list, tuple, set, frozenset) and value:
        items = (_brief(child) for child in islice(value, PREVIEWED))
        more = ", …" if len(value) > PREVIEWED else ""
        return cut("[" + ", ".join(items) + more + "]")
    return line(value)


def _summary_of_mapping(value: Any) -> str:
    parts = []
    for key, child in islice(value.items(), PREVIEWED):
        label = _label(key)
        text = MASKED if is_secret(label) else _brief(child)
        parts.append(f"{label}: {text}")
    if len(value) > PREVIEWED:
        parts.append("…")
    return ", ".join(parts)


def clean(text: str) -> str:
    """Return text that can travel as UTF-8: lone surrogates become escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _label(key: Any) -> str:
    # Only a plain str: a subclass may run user code.
    if type(key) is not str:
        return line(key)
    return key if key.isprintable() else clean(key)


def cut(text: str, limit: int = TEXT_LIMIT) -> str:
    """Return clean text of at most so many characters."""
    text = clean(text)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _string(value: str) -> str:
    # Cut before quoting: a text of a megabyte costs as much as one of 120 characters.
    if len(value) <= TEXT_LIMIT:
        return repr(value)
    return f"{str.__repr__(value[: TEXT_LIMIT - 20])}… {len(value):,} characters"


def _text(value: str, name: str) -> Shape:
    """Return the shape of a text. Its children are its lines, labelled by number;
    of a long line pieces, labelled by offset.
    """
    if "\n" in value:
        return Shape(
            name,
            _string(value),
            value.count("\n") + 1,
            lambda: _numbered(value.split("\n"), 1),
        )
    if len(value) <= TEXT_LIMIT:
        return Shape(name, _string(value))
    starts = range(0, len(value), PIECE)
    return Shape(
        name,
        _string(value),
        len(starts),
        lambda: ((str(start), value[start : start + PIECE]) for start in starts),
    )


def _numbered(values: Iterable[Any], first: int = 0) -> Items:
    return ((str(number), child) for number, child in enumerate(values, first))


def _bytes(value: bytes | bytearray | memoryview) -> str:
    start = repr(bytes(value[:24]))
    return start if len(value) <= 24 else f"{start}… {len(value):,} bytes"


def _integer(value: int) -> str:
    # Python refuses to write out integers of more than 4300 digits.
    if value.bit_length() < 380:
        return str(value)
    return f"an integer of {value.bit_length():,} bits"


_LEAVES: dict[type, Callable[[Any], str]] = {
    str: _string,
    int: _integer,
    bytes: _bytes,
    bytearray: _bytes,
    memoryview: _bytes,
    **dict.fromkeys((type(None), bool, float, complex), repr),
    range: lambda value: (
        f"range({_integer(value.start)}, {_integer(value.stop)}, {_integer(value.step)})"
    ),
    Fraction: lambda value: (
        f"{_integer(value.numerator)}/{_integer(value.denominator)}"
    ),
    **dict.fromkeys((datetime, date, time), lambda value: value.isoformat()),
    **dict.fromkeys(
        (Decimal, UUID, timedelta, timezone, *ADDRESSES), lambda value: cut(str(value))
    ),
    re.Pattern: lambda value: cut(repr(value)),
}


def shape_of(value: Any) -> Shape:
    kind = type(value)
    if kind is str:
        return _text(value, "str")
    leaf = _LEAVES.get(kind)
    if leaf is not None:
        return Shape("None" if value is None else kind.__name__, leaf(value))
    # Before the containers: a dataclass may be a mapping of its own making, with a
    # `__len__` that is the user's.
    if dataclasses.is_dataclass(value) and not isinstance(value, type | Record | Enum):
        return _fields(kind.__name__, _dataclass_items(value))
    for test, make in _SHAPES:
        if isinstance(value, test):
            return make(value)
    if kind.__module__.split(".")[0] == "numpy":
        return _array(value)
    return Shape(
        kind.__name__, cut(f"a value of {kind.__module__}.{kind.__qualname__}")
    )


def _things(count: int, word: str = "item") -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def _mapping(value: Mapping[Any, Any]) -> Shape:
    def items() -> Items:
        return ((_label(key), child) for key, child in value.items())

    return Shape(
        type(value).__name__,
        _things(len(value)) if value else "empty",
        len(value),
        items,
    )


def _sequence(value: Sequence[Any]) -> Shape:
    return Shape(
        type(value).__name__,
        _things(len(value)) if value else "empty",
        len(value),
        lambda: _numbered(value),
    )


def _tuple(value: tuple[Any, ...]) -> Shape:
    names = getattr(type(value), "_fields", None)
    if names is None:
        return _sequence(value)
    return _fields(type(value).__name__, dict(zip(names, value, strict=False)))


def _set(value: AbstractSet[Any]) -> Shape:
    def items() -> Items:
        # A set has no order of its own, and positions must mean the same from one
        # question to the next.
        ordered = sorted(value, key=lambda child: (type(child).__name__, line(child)))
        return _numbered(ordered)

    return Shape(
        type(value).__name__,
        _things(len(value)) if value else "empty",
        len(value),
        items,
    )


def _fields(name: str, items: Mapping[str, Any]) -> Shape:
    return Shape(name, _summary(items), len(items), items.items)


def _summary(items: Mapping[str, Any]) -> str:
    parts = []
    length = 0
    for label, child in items.items():
        if length > TEXT_LIMIT:
            break
        text = MASKED if is_secret(label) else _brief(child)
        parts.append(f"{label}={text}")
        length += len(parts[-1]) + 2
    return cut(", ".join(parts))


def _brief(value: Any) -> str:
    """Return a field's value for a summary: a leaf as it is, a container by its
    size, so that this cannot recurse.
    """
    if type(value) in _LEAVES or isinstance(value, Enum):
        return line(value)
    if isinstance(value, CONTAINERS):
        return f"{type(value).__name__}[{len(value)}]"
    if isinstance(value, Record):
        return value.type.rpartition(":")[2].rpartition(".")[2]
    return type(value).__name__


def _dataclass_items(value: Any) -> dict[str, Any]:
    return {f.name: _stored(value, f.name) for f in dataclasses.fields(value)}


def _stored(value: Any, name: str) -> Any:
    # `object.__getattribute__` reads slots and instance attributes without the user's own `__getattr__`.
    try:
        return object.__getattribute__(value, name)
    except AttributeError:
        return None


def _url(value: Any) -> Shape:
    return Shape(type(value).__name__, cut(pydantic_types.without_password(str(value))))


def _exception_items(value: BaseException) -> dict[str, Any]:
    # Not its text, which may be made by code of the user's.
    return {
        "args": BaseException.args.__get__(value),  # type: ignore[attr-defined]
        **object.__getattribute__(value, "__dict__"),
    }


def _model_items(value: BaseModel) -> dict[str, Any]:
    extra = value.__pydantic_extra__ or {}
    return {
        **{name: _stored(value, name) for name in type(value).model_fields},
        **extra,
    }


def _record_items(value: Record) -> Mapping[str, Any]:
    fields = value.fields
    return fields if isinstance(fields, Mapping) else {"value": fields}


def _record(value: Record) -> Shape:
    name = value.type.rpartition(":")[2].rpartition(".")[2]
    return _fields(name, _record_items(value))


def _array(value: Any) -> Shape:
    shape = getattr(value, "shape", ())
    if not shape:
        return Shape(type(value).__name__, cut(str(value)))
    text = f"{value.dtype} of {' × '.join(map(str, shape))}"
    return Shape(
        type(value).__name__,
        text,
        shape[0],
        lambda: ((str(i), value[i]) for i in range(shape[0])),
    )


def _plain(write: Callable[[Any], str]) -> Callable[[Any], Shape]:
    return lambda value: Shape(type(value).__name__, write(value))


# In this order: a named tuple is a tuple, an enum may be an int or a str, a Counter is
# a dict.
_SHAPES: tuple[tuple[type | tuple[type, ...], Callable[[Any], Shape]], ...] = (
    (Record, _record),
    (
        Enum,
        lambda value: Shape(
            type(value).__name__, f"{type(value).__name__}.{value._name_}"
        ),
    ),
    (
        (SecretStr, SecretBytes, Secret),
        lambda value: Shape(type(value).__name__, MASKED),
    ),
    (
        BaseException,
        lambda value: _fields(type(value).__name__, _exception_items(value)),
    ),
    ((AnyUrl, *PostgresDsn.__bases__), _url),
    (BaseModel, lambda value: _fields(type(value).__name__, _model_items(value))),
    (str, lambda value: _text(str.__str__(value), type(value).__name__)),
    (int, _plain(lambda value: _integer(int(value)))),
    (float, _plain(float.__repr__)),
    ((bytes, bytearray), _plain(lambda value: _bytes(bytes(value)))),
    (MAPPINGS, _mapping),
    (tuple, _tuple),
    (SETS, _set),
    (PurePath, _plain(lambda value: cut(str(value)))),
    (ZoneInfo, _plain(str)),
    (SEQUENCES, _sequence),
)
