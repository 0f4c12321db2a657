"""The types that need no registration beside JSON's own: one entry per type, both directions side by side.

An entry's payload stands under "v" beside its tag under "$". `down` lowers what is inside a value, `up` rebuilds it.
"""

from __future__ import annotations

import base64
import collections
import datetime as dt
import decimal
import fractions
import pathlib
import types
import uuid
import zoneinfo
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol


class Down(Protocol):
    """Lowers what is inside a value."""

    def value(self, value: Any) -> Any: ...

    def items(self, values: Iterable[Any]) -> list[Any]: ...

    def unordered(self, values: Iterable[Any]) -> list[Any]: ...

    def pairs(self, mapping: Mapping[Any, Any]) -> list[Any]: ...


class Up(Protocol):
    """Rebuilds what is inside a payload."""

    def value(self, tree: Any) -> Any: ...

    def items(self, trees: Any) -> list[Any]: ...

    def pairs(self, trees: Any) -> list[tuple[Any, Any]]: ...


class Builtin(NamedTuple):
    tag: str
    cls: type
    lower: Callable[[Any, Down], Any]
    build: Callable[[Any, Up], Any]


def _big(number: int) -> str:
    return format(number, "x")  # decimal text has a digit limit in Python, hexadecimal has none


def _mapping(pairs: list[tuple[Any, Any]], kind: Callable[[Any], Any] = dict) -> Any:
    made = kind(dict(pairs))
    if len(made) != len(pairs):
        raise ValueError("two keys are equal")
    return made


def _unique(items: list[Any], kind: type) -> Any:
    made = kind(items)
    if len(made) != len(items):
        raise ValueError("two elements are equal")
    return made


def _bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def _text(data: bytes | bytearray) -> str:
    return base64.b64encode(data).decode("ascii")


def _lower_datetime(value: dt.datetime, down: Down) -> list[Any]:
    return [value.replace(tzinfo=None, fold=0).isoformat(), value.fold, down.value(value.tzinfo)]


def _build_datetime(payload: Any, up: Up) -> dt.datetime:
    text, fold, zone = payload
    return dt.datetime.fromisoformat(text).replace(fold=fold, tzinfo=up.value(zone))


def _lower_time(value: dt.time, down: Down) -> list[Any]:
    return [value.replace(tzinfo=None, fold=0).isoformat(), value.fold, down.value(value.tzinfo)]


def _build_time(payload: Any, up: Up) -> dt.time:
    text, fold, zone = payload
    return dt.time.fromisoformat(text).replace(fold=fold, tzinfo=up.value(zone))


def _lower_zone(value: zoneinfo.ZoneInfo, _: Down) -> str:
    if value.key is None:
        raise ValueError("a zone that was read from a file has no name to be found again by")
    return value.key


def _build_defaultdict(payload: Any, up: Up) -> Any:
    factory, pairs = payload
    made: Any = collections.defaultdict(up.value(factory))
    made.update(_mapping(up.pairs(pairs)))
    return made


def _build_deque(payload: Any, up: Up) -> Any:
    limit, items = payload
    made: Any = collections.deque(up.items(items), limit)
    if len(made) != len(items):
        raise ValueError("more items than the length allows")
    return made


_TABLE = (
    Builtin("int", int, lambda v, _: _big(v), lambda p, _: int(p, 16)),
    Builtin("float", float, lambda v, _: repr(v), lambda p, _: float(p)),
    Builtin("str", str, lambda v, _: v.encode("unicode_escape").decode("ascii"),
            lambda p, _: p.encode("ascii").decode("unicode_escape")),
    Builtin("tuple", tuple, lambda v, d: d.items(v), lambda p, u: tuple(u.items(p))),
    Builtin("dict", dict, lambda v, d: d.pairs(v), lambda p, u: _mapping(u.pairs(p))),
    Builtin("set", set, lambda v, d: d.unordered(v), lambda p, u: _unique(u.items(p), set)),
    Builtin("frozenset", frozenset, lambda v, d: d.unordered(v), lambda p, u: _unique(u.items(p), frozenset)),
    Builtin("bytes", bytes, lambda v, _: _text(v), lambda p, _: _bytes(p)),
    Builtin("bytearray", bytearray, lambda v, _: _text(v), lambda p, _: bytearray(_bytes(p))),
    Builtin("complex", complex, lambda v, d: d.items((v.real, v.imag)), lambda p, u: complex(*u.items(p))),
    Builtin("range", range, lambda v, d: d.items((v.start, v.stop, v.step)), lambda p, u: range(*u.items(p))),
    Builtin("mappingproxy", types.MappingProxyType, lambda v, d: d.value(v.copy()),
            lambda p, u: types.MappingProxyType(u.value(p))),
    Builtin("Decimal", decimal.Decimal, lambda v, _: str(v), lambda p, _: decimal.Decimal(p)),
    Builtin("Fraction", fractions.Fraction, lambda v, d: d.items((v.numerator, v.denominator)),
            lambda p, u: fractions.Fraction(*u.items(p))),
    Builtin("UUID", uuid.UUID, lambda v, _: v.hex, lambda p, _: uuid.UUID(hex=p)),
    Builtin("Path", type(pathlib.Path()), lambda v, d: d.value(str(v)), lambda p, u: pathlib.Path(u.value(p))),
    Builtin("PurePosixPath", pathlib.PurePosixPath, lambda v, d: d.value(str(v)),
            lambda p, u: pathlib.PurePosixPath(u.value(p))),
    Builtin("PureWindowsPath", pathlib.PureWindowsPath, lambda v, d: d.value(str(v)),
            lambda p, u: pathlib.PureWindowsPath(u.value(p))),
    Builtin("date", dt.date, lambda v, _: v.isoformat(), lambda p, _: dt.date.fromisoformat(p)),
    Builtin("datetime", dt.datetime, _lower_datetime, _build_datetime),
    Builtin("time", dt.time, _lower_time, _build_time),
    Builtin("timedelta", dt.timedelta, lambda v, _: [v.days, v.seconds, v.microseconds],
            lambda p, _: dt.timedelta(*p)),
    Builtin("timezone", dt.timezone, lambda v, d: d.items(v.__getinitargs__()),
            lambda p, u: dt.timezone(*u.items(p))),
    Builtin("ZoneInfo", zoneinfo.ZoneInfo, _lower_zone, lambda p, _: zoneinfo.ZoneInfo(p)),
    Builtin("deque", collections.deque, lambda v, d: [v.maxlen, d.items(v)], _build_deque),
    Builtin("Counter", collections.Counter, lambda v, d: d.pairs(v),
            lambda p, u: _mapping(u.pairs(p), collections.Counter)),
    Builtin("OrderedDict", collections.OrderedDict, lambda v, d: d.pairs(v),
            lambda p, u: _mapping(u.pairs(p), collections.OrderedDict)),
    Builtin("defaultdict", collections.defaultdict, lambda v, d: [d.value(v.default_factory), d.pairs(v)],
            _build_defaultdict),
)  # fmt: skip

BY_TAG = {entry.tag: entry for entry in _TABLE}
BY_CLASS = {entry.cls: entry for entry in _TABLE}
# Values that are written inline by JSON itself, or have their own modules, have names too.
BUILTIN_NAMES = frozenset({*BY_TAG, "type", "ndarray", "numpy", "bool", "list", "object", "NoneType", "Any"})
