"""Copies of payloads, so that no two owners hold the same mutable value.

Immutable values are shared. Containers, dataclasses and exceptions are copied item by item; other objects by
`copy.deepcopy`. What cannot be copied (sockets, locks, generators, open files, what is nested too deep for Python) is
shared, and who asks is told so; and so is, without a word, what is nothing without its identity (the locks and queues
of asyncio): a workflow without a store may pass such things.
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
from itertools import cycle
from operator import is_not
from typing import Any, NamedTuple

from runtime.values.exception_parts import copies_by_parts, fill, parts_of, with_parts
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
        # These can be copied, but nobody would ever be woken by a copy.
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
_SHARED = -1  # in a memo, beside copies by their address: what could not be copied
# of a prime length, so that all of some keys written in turn are tried
_now_and_then = cycle((True, *(False,) * 6))


class Shared(NamedTuple):
    """Something that could not be copied, and why."""

    cls: type
    error: Exception


def isolate(value: Any, shared: list[Shared] | None = None) -> Any:
    """A value that shares nothing mutable with the given one, as far as it can be copied. What could not be copied is
    added to `shared`.
    """
    if type(value) in _ATOMS:
        return value
    memo: _Memo = {}
    try:
        made = _copy(value, memo)
    except RecursionError as error:
        made, memo[_SHARED] = value, [Shared(type(value), error)]
    if shared is not None and _SHARED in memo:
        shared += memo[_SHARED]
    return made


def keep(value: Any, before: Any = None, shared: list[Shared] | None = None) -> Any:
    """What a state keeps of a value that is written: its copy, or one that is large, sealed. `before` is what the state
    keeps where it is written; what could not be copied is added to `shared`.

    That it is large is guessed of what was there, or seen of the copy: looking first would cost all others.
    """
    if type(value) in _ATOMS:
        return value
    if type(before) is Sealed and (sealed := seal(value)) is not None:
        # What is written back as it was read is no change, and nothing of it is saved anew.
        return before if sealed.data == before.data else sealed
    memo: _Memo = {}
    try:
        made = _copy(value, memo)
    except RecursionError as error:
        made, memo[_SHARED] = value, [Shared(type(value), error)]
    if _SHARED in memo:
        if shared is not None:
            shared += memo[_SHARED]
        return made
    # In the place of a value that is not sealed, which may have been tried in vain, one is tried only now and then.
    if len(memo) < LARGE or (type(before) in (dict, list) and not next(_now_and_then)):
        return made
    return seal(made) or made


def _copy(value: Any, memo: _Memo) -> Any:
    """Most of what is copied are trees of dicts and lists: these in one function, which loops over what they hold only
    for what is no atom, and copies the rest at C speed.
    """
    place = id(value)
    known = memo.get(place)
    if known is not None:
        return known
    cls = type(value)
    if cls is dict:
        memo[place] = made = value.copy()
        odd = False
        for key, item in value.items():
            odd = odd or type(key) not in _ATOMS
            if type(item) not in _ATOMS:
                made[key] = _copy(item, memo)
        return _copy_keys(made, memo) if odd else made
    if cls is list:
        memo[place] = made = value.copy()
        for at, item in enumerate(value):
            if type(item) not in _ATOMS:
                made[at] = _copy(item, memo)
        return made
    return _copy_other(value, memo)


def _copy_keys(made: dict[Any, Any], memo: _Memo) -> dict[Any, Any]:
    items = [(_copy(key, memo), item) for key, item in made.items()]
    made.clear()
    made.update(items)
    return made


def _copy_other(value: Any, memo: _Memo) -> Any:
    cls = type(value)
    special = _COPIERS.get(cls)
    if special is not None:
        return special(value, memo)
    if cls in _ATOMS or isinstance(value, enum.Enum | type):
        return value
    if isinstance(value, BaseException) and copies_by_parts(cls):  # type: ignore[arg-type]  # as below
        return _copy_exception(value, memo)
    if _is_plain_dataclass(cls):  # type: ignore[arg-type]  # mypy takes no class for hashable
        return _copy_dataclass(value, memo)
    return _copy_object(value, memo)


def _copy_set(value: set[Any], memo: _Memo) -> set[Any]:
    if _are_atoms(map(type, value)):
        made = value.copy()
    else:
        made = {_copy(item, memo) for item in value}
    memo[id(value)] = made
    return made


def _copy_tuple(value: tuple[Any, ...], memo: _Memo) -> tuple[Any, ...]:
    if _are_atoms(map(type, value)):
        return value
    items = [item if type(item) in _ATOMS else _copy(item, memo) for item in value]
    if not any(map(is_not, items, value)):
        return value
    # A cycle through the tuple has made it already.
    return memo.setdefault(id(value), tuple(items))  # type: ignore[no-any-return]


def _copy_frozenset(value: frozenset[Any], memo: _Memo) -> frozenset[Any]:
    # Its members are hashable, hence normally immutable: look first, copy only if one is not.
    items = [_copy(item, memo) for item in value]
    return frozenset(items) if any(map(is_not, items, value)) else value


def _copy_proxy(
    value: types.MappingProxyType[Any, Any], memo: _Memo
) -> types.MappingProxyType[Any, Any]:
    return types.MappingProxyType(_copy(_kept(value.copy(), memo), memo))


def _kept(value: Any, memo: _Memo) -> Any:
    """A value that nobody else holds, kept as long as the memo: another one would get its address, and its copy."""
    memo.setdefault(id(memo), []).append(value)
    return value


@lru_cache(maxsize=1024)
def _is_plain_dataclass(cls: type) -> bool:
    """Whether the fields are all there is to copy: nothing of a list or an exception below, no slots that are no
    fields, no copying of its own.
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
    made = object.__new__(cls)
    memo[id(value)] = made
    changed = False
    for name in _attributes(value):
        original = getattr(value, name)
        item = _copy(original, memo)
        changed = changed or item is not original
        object.__setattr__(made, name, item)
    # A class below a frozen one need not be frozen itself.
    if (
        changed
        or "__dataclass_params__" not in vars(cls)
        or not cls.__dataclass_params__.frozen
    ):
        return made
    memo[id(value)] = value
    return value


def _copy_exception(value: BaseException, memo: _Memo) -> Any:
    """By its parts: `copy.deepcopy` would call the class with `args`, which many cannot be called with."""
    known = len(memo)
    try:
        arguments, more, attributes = parts_of(value)
        copied = tuple([_copy(one, memo) for one in arguments])
        if id(value) in memo:  # a cycle through the arguments has made it already
            return memo[id(value)]
        made = memo[id(value)] = with_parts(type(value), copied, {}, {})
        copied_more = {name: _copy(one, memo) for name, one in more.items()}
        fill(
            made,
            copied_more,
            {name: _copy(one, memo) for name, one in attributes.items()},
        )
    except RecursionError:  # nested too deep: shared as a whole, as everything else is
        raise
    except Exception as error:  # noqa: BLE001 - whatever its parts may raise
        return _share(value, error, memo, known)
    made.__cause__ = value.__cause__
    made.__context__ = value.__context__
    made.__suppress_context__ = value.__suppress_context__
    return made.with_traceback(value.__traceback__)


def _attributes(value: Any) -> list[str]:
    names = dict.fromkeys(
        field.name for field in fields(value) if hasattr(value, field.name)
    )
    names.update(dict.fromkeys(getattr(value, "__dict__", ())))
    return list(names)


def _copy_object(value: Any, memo: _Memo) -> Any:
    known = len(memo)
    try:
        made = copy.deepcopy(value, memo)
    except Exception as error:  # noqa: BLE001 - whatever its own copying raises: it cannot be copied, so it is shared
        return _share(value, error, memo, known)
    memo[id(value)] = made
    return made


def _share(value: Any, error: Exception, memo: _Memo, known: int) -> Any:
    """The value itself, as it cannot be copied. The memo had `known` items before that was tried."""
    while len(memo) > known:  # copies that were begun are not whole
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
