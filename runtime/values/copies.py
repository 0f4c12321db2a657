"""Copies of payloads, so that no two owners hold the same mutable value.

Immutable values are shared. Containers, dataclasses and exceptions are copied item by
item, other objects by `copy.deepcopy`. Values that cannot be copied (sockets, locks,
generators, open files, values that are nested too deep for Python) are shared, and
reported to the caller. The locks and queues of asyncio are shared without a report,
because their identity is their purpose, and a workflow without a store may pass them
around.

Not `copy.deepcopy` alone, because payloads are mostly trees of dicts and lists. Paid
for by `python -m tests.benchmarks --only payload`: with `copy.deepcopy`, a superstep
with a message of 100 KB takes twice the CPU.
"""

from __future__ import annotations

import asyncio
import copy
import datetime as dt
import decimal
import enum
import fractions
import pathlib
import types
import uuid
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import lru_cache
from operator import is_not
from typing import Any, NamedTuple

from runtime.values.exception_parts import copies_by_parts, fill, parts_of, with_parts
from runtime.values.records import is_immutable
from runtime.values.sealed import LARGE, Sealed, seal

_ATOMS = frozenset(
    {
        *(
            type(None),
            bool,
            int,
            float,
            complex,
            str,
            bytes,
            type,
            range,
            slice,
            type(...),
            type(NotImplemented),
        ),
        *(dt.date, dt.datetime, dt.time, dt.timedelta, dt.timezone),
        *(
            decimal.Decimal,
            fractions.Fraction,
            uuid.UUID,
            pathlib.PurePosixPath,
            pathlib.PosixPath,
            pathlib.WindowsPath,
        ),
        *(types.FunctionType, types.BuiltinFunctionType, types.ModuleType),
        # These can be copied, but a copy would never wake a waiter of the original.
        *(
            asyncio.Event,
            asyncio.Lock,
            asyncio.Condition,
            asyncio.Semaphore,
            asyncio.BoundedSemaphore,
            asyncio.Barrier,
        ),
        *(asyncio.Queue, asyncio.PriorityQueue, asyncio.LifoQueue),
    }
)
_are_atoms = _ATOMS.issuperset

_Memo = dict[int, Any]
# A key of the memo, which is no address of an object: the values that could not be
# copied.
_SHARED = -1


class Shared(NamedTuple):
    """A value that could not be copied, and why."""

    cls: type
    error: Exception


def isolate(value: Any, shared: list[Shared] | None = None) -> Any:
    """Return a value that shares nothing mutable with the given one, as far as it can
    be copied.

    Values inside that could not be copied are added to `shared`.
    """
    if type(value) in _ATOMS:
        return value
    result, memo = _copy_whole(value)
    if shared is not None and _SHARED in memo:
        shared += memo[_SHARED]
    return result


def copy_for_state(
    value: Any, before: Any = None, shared: list[Shared] | None = None
) -> Any:
    """Return what a state stores of a value that is written: a copy, or for a large
    value a `Sealed`.

    `before` is the stored value that it replaces. Values inside that could not be
    copied are added to `shared`.
    """
    if type(value) in _ATOMS:
        return value
    # Where a large value was, a large one is expected, so it is sealed without a copy
    # first.
    if type(before) is Sealed:
        sealed = seal(value)
        if sealed is not None:
            # A value that is written back as it was read is no change, and the
            # checkpoint shares its bytes.
            return before if sealed.data == before.data else sealed
    result, memo = _copy_whole(value)
    if _SHARED in memo:
        if shared is not None:
            shared += memo[_SHARED]
        return result
    # The memo has an entry for each container, so it tells the size without another
    # walk.
    if len(memo) < LARGE:
        return result
    return seal(result) or result


def _copy_whole(value: Any) -> tuple[Any, _Memo]:
    memo: _Memo = {}
    try:
        return _copy(value, memo), memo
    except RecursionError as error:
        memo[_SHARED] = [Shared(type(value), error)]
        return value, memo


def _copy(value: Any, memo: _Memo) -> Any:
    # Dicts and lists are copied at C speed first, atoms included; then only items that
    # are no atoms are replaced.
    place = id(value)
    known_copy = memo.get(place)
    if known_copy is not None:
        return known_copy
    cls = type(value)
    if cls is dict:
        mapping = value.copy()
        memo[place] = mapping
        has_other_keys = False
        for key, item in value.items():
            has_other_keys = has_other_keys or type(key) not in _ATOMS
            if type(item) not in _ATOMS:
                mapping[key] = _copy(item, memo)
        if has_other_keys:
            _copy_keys(mapping, memo)
        return mapping
    if cls is list:
        items = value.copy()
        memo[place] = items
        for position, item in enumerate(value):
            if type(item) not in _ATOMS:
                items[position] = _copy(item, memo)
        return items
    return _copy_other(value, memo)


def _copy_keys(mapping: dict[Any, Any], memo: _Memo) -> None:
    pairs = [(_copy(key, memo), item) for key, item in mapping.items()]
    mapping.clear()
    mapping.update(pairs)


def _copy_other(value: Any, memo: _Memo) -> Any:
    cls = type(value)
    copier = _COPIERS.get(cls)
    if copier is not None:
        return copier(value, memo)
    if cls in _ATOMS or isinstance(value, enum.Enum | type):
        return value
    if isinstance(value, BaseException) and copies_by_parts(cls):  # type: ignore[arg-type]  # as below
        return _copy_exception(value, memo)
    if _is_plain_dataclass(cls):  # type: ignore[arg-type]  # mypy takes no class for hashable
        return _copy_dataclass(value, memo)
    return _copy_object(value, memo)


def _copy_set(value: set[Any], memo: _Memo) -> set[Any]:
    if _are_atoms(map(type, value)):
        members = value.copy()
    else:
        members = {_copy(item, memo) for item in value}
    memo[id(value)] = members
    return members


def _copy_tuple(value: tuple[Any, ...], memo: _Memo) -> tuple[Any, ...]:
    if _are_atoms(map(type, value)):
        return value
    items = [item if type(item) in _ATOMS else _copy(item, memo) for item in value]
    if not any(map(is_not, items, value)):
        return value
    # If the tuple contains itself through a list, copying its items has made its copy
    # already.
    return memo.setdefault(id(value), tuple(items))  # type: ignore[no-any-return]


def _copy_frozenset(value: frozenset[Any], memo: _Memo) -> frozenset[Any]:
    # Members are hashable, hence normally immutable: in most cases the copies are the
    # members themselves.
    items = [_copy(item, memo) for item in value]
    return frozenset(items) if any(map(is_not, items, value)) else value


def _copy_proxy(
    value: types.MappingProxyType[Any, Any], memo: _Memo
) -> types.MappingProxyType[Any, Any]:
    return types.MappingProxyType(_copy(_kept_alive(value.copy(), memo), memo))


def _kept_alive(value: Any, memo: _Memo) -> Any:
    """Keep a temporary value alive as long as the memo, because another object at its
    address would get its copy.
    """
    memo.setdefault(id(memo), []).append(value)
    return value


@lru_cache(maxsize=1024)
def _is_plain_dataclass(cls: type) -> bool:
    """Return True if a class has nothing to copy but its fields and attributes.

    That excludes a dataclass over a list or an exception, one with further slots, and
    one that defines its own copying.
    """
    return (
        is_dataclass(cls)
        and cls.__new__ is object.__new__
        and cls.__reduce_ex__ is object.__reduce_ex__
        and not hasattr(cls, "__deepcopy__")
        and all(
            "__dataclass_fields__" in vars(base) or not vars(base).get("__slots__")
            for base in cls.__mro__
        )
    )


def _copy_dataclass(value: Any, memo: _Memo) -> Any:
    cls = type(value)
    result = object.__new__(cls)
    memo[id(value)] = result
    has_changed = False
    for name in _attributes(value):
        original = getattr(value, name)
        item = _copy(original, memo)
        has_changed = has_changed or item is not original
        object.__setattr__(result, name, item)
    if has_changed or not is_immutable(cls):
        return result
    # Immutable, and made of immutable values only: the original can be shared.
    memo[id(value)] = value
    return value


def _copy_exception(value: BaseException, memo: _Memo) -> Any:
    # By its parts, because `copy.deepcopy` calls the class with `args`, which many
    # exceptions do not accept.
    known = len(memo)
    try:
        arguments, more, attributes = parts_of(value)
        copied = tuple([_copy(argument, memo) for argument in arguments])
        if id(value) in memo:
            # The exception is among its own arguments, so copying these has made its
            # copy already.
            return memo[id(value)]
        result = memo[id(value)] = with_parts(type(value), copied, {}, {})
        copied_more = {name: _copy(item, memo) for name, item in more.items()}
        fill(
            result,
            copied_more,
            {name: _copy(item, memo) for name, item in attributes.items()},
        )
    except RecursionError:
        # Nested too deep: `_copy_whole` shares the whole value.
        raise
    except Exception as error:  # noqa: BLE001 - whatever its parts may raise
        return _share(value, error, memo, known)
    result.__cause__ = value.__cause__
    result.__context__ = value.__context__
    result.__suppress_context__ = value.__suppress_context__
    return result.with_traceback(value.__traceback__)


def _attributes(value: Any) -> list[str]:
    names = dict.fromkeys(
        field.name for field in fields(value) if hasattr(value, field.name)
    )
    names.update(dict.fromkeys(getattr(value, "__dict__", ())))
    return list(names)


def _copy_object(value: Any, memo: _Memo) -> Any:
    known = len(memo)
    try:
        result = copy.deepcopy(value, memo)
    except Exception as error:  # noqa: BLE001 - whatever its own copying raises
        return _share(value, error, memo, known)
    memo[id(value)] = result
    return result


def _share(value: Any, error: Exception, memo: _Memo, known: int) -> Any:
    """Return the value itself, because it cannot be copied. The memo had `known` items
    before the attempt.
    """
    # Copies that the attempt has begun are incomplete, so nothing else may use them.
    while len(memo) > known:
        memo.popitem()
    memo.setdefault(_SHARED, []).append(Shared(type(value), error))
    return value


_COPIERS: dict[type, Callable[[Any, _Memo], Any]] = {
    set: _copy_set,
    tuple: _copy_tuple,
    frozenset: _copy_frozenset,
    types.MappingProxyType: _copy_proxy,
    Sealed: lambda value, _: value.open(),
}
