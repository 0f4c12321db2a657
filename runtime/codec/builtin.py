"""The types that need no registration beside those of JSON: one entry per type, both
directions side by side.

The payload of an entry is under "v", and its tag under "$". `down` lowers the inside of
a value, `up` rebuilds it.
"""

from __future__ import annotations

import base64
import collections
import datetime as dt
import decimal
import fractions
import gc
import ipaddress
import pathlib
import re
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
    # A view shows this instead of the value: its parts by name.
    shown: Callable[[Any, Up], Mapping[str, Any]] | None = None


def _big(number: int) -> str:
    # Hexadecimal, because Python limits the digits of decimal text.
    return format(number, "x")


def _mapping(pairs: list[tuple[Any, Any]], kind: Callable[[Any], Any] = dict) -> Any:
    mapping = kind(dict(pairs))
    if len(mapping) != len(pairs):
        raise ValueError("two keys are equal")
    return mapping


def _unique(items: list[Any], kind: type) -> Any:
    collection = kind(items)
    if len(collection) != len(items):
        raise ValueError("two elements are equal")
    return collection


def _bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def _text(data: bytes | bytearray) -> str:
    return base64.b64encode(data).decode("ascii")


# Builders take nothing but the output of `lower`. A class of the user must not be asked
# to be a number or a path, because that would be user code; and Python must not read a
# number from a text, which for "1e999999999" would not end.


def _exactly(values: Any, *kinds: type | tuple[type, ...]) -> Any:
    """Return the values if they are a list of exactly these types."""
    if type(values) is not list or len(values) != len(kinds):
        raise TypeError(f"a list of {len(kinds)} is needed")
    for value, kind in zip(values, kinds, strict=True):
        if type(value) is not kind and not (
            isinstance(kind, tuple) and type(value) in kind
        ):
            raise TypeError(f"it holds a value of type {type(value).__name__}")
    return values


def _path(kind: type[Any]) -> Callable[[Any, Up], Any]:
    return lambda payload, up: kind(*_exactly([up.value(payload)], str))


def _lower_path(value: pathlib.PurePath, down: Down) -> Any:
    text = str(value)
    # Such as PureWindowsPath("./a:b"), whose text names a drive.
    if type(value)(text) != value:
        raise ValueError("its text is that of another path")
    return down.value(text)


_ZONES = (type(None), dt.timezone, zoneinfo.ZoneInfo)


def _lower_moment(value: Any, down: Down) -> list[Any]:
    return [
        value.replace(tzinfo=None, fold=0).isoformat(),
        value.fold,
        down.value(value.tzinfo),
    ]


def _build_moment(kind: Any) -> Callable[[Any, Up], Any]:
    def build(payload: Any, up: Up) -> Any:
        text, fold, tree = _exactly(payload, str, int, (type(None), dict))
        (zone,) = _exactly([up.value(tree)], _ZONES)
        return kind.fromisoformat(text).replace(fold=fold, tzinfo=zone)

    return build


def _lower_zone(value: zoneinfo.ZoneInfo, _: Down) -> str:
    # Zones are equal only as one object, and a zone that was read from a file may have
    # any name and any rules.
    if value.key is None or zoneinfo.ZoneInfo(value.key) is not value:
        raise ValueError(
            "a zone that was read from a file, or past the cache, is not the one that its name gives"
        )
    return value.key


def _lower_proxy(value: types.MappingProxyType[Any, Any], down: Down) -> Any:
    # Not by `copy`, because some mappings return another type.
    (mapping,) = gc.get_referents(value)
    return down.value(mapping)


def _build_proxy(payload: Any, up: Up) -> Any:
    mapping = up.value(payload)
    if not isinstance(mapping, dict):
        raise TypeError("no mapping")
    return types.MappingProxyType(mapping)


def _lower_bare(value: Any, down: Down) -> list[Any]:
    if vars(value):
        raise ValueError("it has attributes beside its items, which would be lost")
    return down.pairs(value)


def _build_defaultdict(payload: Any, up: Up) -> Any:
    factory, pairs = _exactly(payload, (type(None), dict), list)
    mapping: Any = collections.defaultdict(up.value(factory))
    mapping.update(_mapping(up.pairs(pairs)))
    return mapping


def _build_deque(payload: Any, up: Up) -> Any:
    limit, items = _exactly(payload, (type(None), int), list)
    items_deque: Any = collections.deque(up.items(items), limit)
    if len(items_deque) != len(items):
        raise ValueError("more items than the length allows")
    return items_deque


def _lower_pattern(value: re.Pattern[Any], down: Down) -> list[Any]:
    if value.flags & re.DEBUG:
        raise ValueError("with re.DEBUG it would print itself again when it is read")
    return [down.value(value.pattern), value.flags]


def _build_pattern(payload: Any, up: Up) -> Any:
    pattern, flags = _exactly([up.value(payload[0]), payload[1]], (str, bytes), int)
    compiled = re.compile(pattern, flags & ~re.DEBUG)
    if compiled.flags != flags:
        raise ValueError("its flags do not belong to it")
    return compiled


def _show_pattern(payload: Any, up: Up) -> Mapping[str, Any]:
    # Not compiled, because a foreign pattern may take any time, and a record is only
    # displayed.
    return {"pattern": up.value(payload[0]), "flags": re.RegexFlag(payload[1])}


def _address(kind: Any) -> Builtin:
    return Builtin(
        kind.__name__,
        kind,
        lambda value, _: str(value),
        lambda payload, _: kind(*_exactly([payload], str)),
    )


ADDRESSES = (
    *(
        ipaddress.IPv4Address,
        ipaddress.IPv6Address,
        ipaddress.IPv4Network,
        ipaddress.IPv6Network,
    ),
    *(ipaddress.IPv4Interface, ipaddress.IPv6Interface),
)

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
    Builtin("complex", complex, lambda v, d: d.items((v.real, v.imag)),
            lambda p, u: complex(*_exactly(u.items(p), float, float))),
    Builtin("range", range, lambda v, d: d.items((v.start, v.stop, v.step)),
            lambda p, u: range(*_exactly(u.items(p), int, int, int))),
    Builtin("mappingproxy", types.MappingProxyType, _lower_proxy, _build_proxy),
    Builtin("Decimal", decimal.Decimal, lambda v, _: str(v),
            lambda p, _: decimal.Decimal(*_exactly([p], str))),
    Builtin("Fraction", fractions.Fraction, lambda v, d: d.items((v.numerator, v.denominator)),
            lambda p, u: fractions.Fraction(*_exactly(u.items(p), int, int))),
    Builtin("UUID", uuid.UUID, lambda v, _: v.hex, lambda p, _: uuid.UUID(hex=p)),
    Builtin("Path", type(pathlib.Path()), _lower_path, _path(pathlib.Path)),
    Builtin("PurePosixPath", pathlib.PurePosixPath, _lower_path, _path(pathlib.PurePosixPath)),
    Builtin("PureWindowsPath", pathlib.PureWindowsPath, _lower_path, _path(pathlib.PureWindowsPath)),
    Builtin("date", dt.date, lambda v, _: v.isoformat(), lambda p, _: dt.date.fromisoformat(p)),
    Builtin("datetime", dt.datetime, _lower_moment, _build_moment(dt.datetime)),
    Builtin("time", dt.time, _lower_moment, _build_moment(dt.time)),
    Builtin("timedelta", dt.timedelta, lambda v, _: [v.days, v.seconds, v.microseconds],
            lambda p, _: dt.timedelta(*_exactly(p, int, int, int))),
    Builtin("timezone", dt.timezone, lambda v, d: d.items(v.__getinitargs__()),
            lambda p, u: dt.timezone(*u.items(p))),
    Builtin("ZoneInfo", zoneinfo.ZoneInfo, _lower_zone, lambda p, _: zoneinfo.ZoneInfo(p)),
    Builtin("deque", collections.deque, lambda v, d: [v.maxlen, d.items(v)], _build_deque),
    Builtin("Counter", collections.Counter, _lower_bare,
            lambda p, u: _mapping(u.pairs(p), collections.Counter)),
    Builtin("OrderedDict", collections.OrderedDict, _lower_bare,
            lambda p, u: _mapping(u.pairs(p), collections.OrderedDict)),
    Builtin("defaultdict", collections.defaultdict, lambda v, d: [d.value(v.default_factory), d.pairs(v)],
            _build_defaultdict),
    Builtin("Pattern", re.Pattern, _lower_pattern, _build_pattern, _show_pattern),
    *map(_address, ADDRESSES),
)  # fmt: skip

BY_TAG = {entry.tag: entry for entry in _TABLE}
BY_CLASS = {entry.cls: entry for entry in _TABLE}
# Values that JSON writes itself, or that have their own modules, have names too.
BUILTIN_NAMES = frozenset(
    {*BY_TAG, "type", "ndarray", "numpy", "bool", "list", "object", "NoneType", "Any"}
)
