"""Values of any class as plain trees, so that two of them can be compared without the
code of their classes; and which objects of a value could be changed in place.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import functools
import hashlib
import itertools
import random
import re
import types
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from runtime.codec import Record
from runtime.engine.live_parts import attributes_of
from runtime.values.records import is_immutable
from runtime.values.sealed import Sealed

# Deeper, and beyond so many objects, a value is named by its type alone.
DEEPEST = 60
LARGEST = 500_000
_OPAQUE = (
    types.ModuleType,
    type,
    types.BuiltinFunctionType,
    types.GeneratorType,
    types.CoroutineType,
)

_ATOMS = frozenset(
    {
        *(str, bytes, int, float, complex, bool, type(None), range),
        *(dt.date, dt.datetime, dt.time, dt.timedelta, dt.timezone),
        *(decimal.Decimal, fractions.Fraction, uuid.UUID, re.Pattern),
    }
)

# Whether instances of a class are looked into.
Follow = Callable[[type], bool]


def always(_: type) -> bool:
    return True


def tree_of(value: Any, follow: Follow = always) -> Any:
    """Return the value as lists, dicts, atoms and `Record`s. An object that is not
    looked into is a record without fields.
    """
    return _Trees(follow).tree(value)


class _Trees:
    """Makes one tree. A value that is inside itself, or too deep or too large, is named
    by its type alone there.
    """

    def __init__(self, follow: Follow) -> None:
        self._follow = follow
        self._around: set[int] = set()
        self._left = LARGEST

    def tree(self, value: Any) -> Any:
        if _is_atom(value):
            return value
        self._left -= 1
        is_around = id(value) in self._around
        if is_around or len(self._around) > DEEPEST or self._left < 0:
            return Record(_name(type(value)), {})
        self._around.add(id(value))
        try:
            return self._open(value)
        finally:
            self._around.discard(id(value))

    def _open(self, value: Any) -> Any:
        if isinstance(value, Sealed):
            return value.open()
        if isinstance(value, enum.Enum):
            return Record(_name(type(value)), {"name": value.name})
        if isinstance(value, list | tuple):
            items = [self.tree(item) for item in value]
            return tuple(items) if isinstance(value, tuple) else items
        if isinstance(value, Mapping):
            return {
                key if isinstance(key, str) else repr(key): self.tree(item)
                for key, item in value.items()
            }
        if isinstance(value, set | frozenset | collections.deque):
            items = [self.tree(item) for item in value]
            if not isinstance(value, collections.deque):
                # A set has no order of its own.
                items.sort(key=repr)
            return Record(_name(type(value)), {"items": items})
        if isinstance(value, random.Random):
            return Record("Random", {"state": _digest(repr(value.getstate()).encode())})
        if isinstance(value, itertools.count):
            return Record("count", {"next": repr(value)})
        fields = fields_of(value, self._follow)
        if fields is None:
            return value
        trees = {name: self.tree(item) for name, item in fields.items()}
        return Record(_name(type(value)), trees)


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def fields_of(value: Any, follow: Follow) -> dict[str, Any] | None:
    """Return the attributes of an object by name; none of one that is not looked into.
    Return None for an atom, which is compared as it is.
    """
    cls = type(value)
    if isinstance(value, _OPAQUE) or callable(value):
        return {}
    if isinstance(value, BaseException):
        return {"args": value.args}
    if dataclasses.is_dataclass(value):
        return {
            field.name: getattr(value, field.name, None)
            for field in dataclasses.fields(value)
        }
    if isinstance(value, BaseModel):
        return dict(value)
    if cls.__module__.partition(".")[0] == "numpy":
        return None
    if not _has_attributes(value) or not follow(cls):
        return {}
    return {name: getattr(value, name) for name in attributes_of(value)}


def _has_attributes(value: Any) -> bool:
    return hasattr(value, "__dict__") or any(
        "__slots__" in vars(cls) for cls in type(value).__mro__
    )


def _is_atom(value: Any) -> bool:
    """Whether a value is compared by its `==`, which is no user code."""
    return type(value) in _ATOMS or type(value).__module__ == "pathlib"


def _name(cls: type) -> str:
    return cls.__qualname__


# --- functions ----------------------------------------------------------------------------------------------------

# Functions inside functions are looked into so deep: a node wraps that of the user.
_WRAPPED = 4


def function_state(function: Any, depth: int = 0) -> dict[str, Any]:
    """Return what a function remembers between calls, by name: the defaults of its
    parameters, such as `(rows=)`, and the variables around it, such as ` rows`.
    """
    function = _plain(function)
    if function is None or depth > _WRAPPED:
        return {}
    remembered: dict[str, Any] = {}
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    defaults = function.__defaults__ or ()
    named = dict(zip(reversed(names), reversed(defaults), strict=False))
    for name, value in {**named, **(function.__kwdefaults__ or {})}.items():
        remembered[f"({name}=)"] = value
    for name, cell in zip(
        function.__code__.co_freevars, function.__closure__ or (), strict=True
    ):
        try:
            value = cell.cell_contents
        except ValueError:
            # Not assigned yet.
            continue
        if _plain(value) is not None:
            remembered |= function_state(value, depth + 1)
        else:
            remembered[f"() {name}"] = value
    return remembered


def _plain(function: Any) -> types.FunctionType | None:
    """Return the function behind a method, a partial or a callable object."""
    for _ in range(_WRAPPED):
        if isinstance(function, types.FunctionType):
            return function
        if isinstance(function, functools.partial):
            function = function.func
        else:
            function = getattr(function, "__func__", None)
    return None


# --- what could be changed in place -------------------------------------------------------------------------------


def mutable_objects(
    value: Any, path: str = "", follow: Follow = always
) -> Iterator[tuple[str, Any]]:
    """Yield each object in a value that could be changed in place, with its path."""
    seen: set[int] = set()
    # By hand and not by recursion, because a state may have a million values.
    left = [(path, value)]
    while left:
        place, current = left.pop()
        if id(current) in seen or isinstance(current, enum.Enum):
            continue
        seen.add(id(current))
        if isinstance(current, _CONTAINERS):
            yield place, current
        items = _items_of(current, place, follow)
        if items is None:
            continue
        if _is_mutable_object(current):
            yield place, current
        left += reversed(items)


_CONTAINERS = (list, set, bytearray, dict, collections.deque)


def _items_of(value: Any, place: str, follow: Follow) -> list[tuple[str, Any]] | None:
    """Return the values in a value that are no atoms, each with its path; None for an
    atom.
    """
    if isinstance(value, Mapping):
        return [
            (f"{place}[{key!r}]", item)
            for key, item in value.items()
            if type(item) not in _ATOMS
        ]
    if isinstance(value, list | tuple | collections.deque):
        return [
            (f"{place}[{index}]", item)
            for index, item in enumerate(value)
            if type(item) not in _ATOMS
        ]
    fields = fields_of(value, follow)
    if not fields:
        # An atom, or an object that is not looked into.
        return None
    return [(f"{place}.{name}", item) for name, item in fields.items()]


def _is_mutable_object(value: Any) -> bool:
    """Whether an object has attributes that could be set."""
    if isinstance(value, (BaseException, Mapping, tuple, *_CONTAINERS)):
        return False
    if isinstance(value, BaseModel):
        return not value.model_config.get("frozen", False)
    return not is_immutable(type(value))
