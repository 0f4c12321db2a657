"""Takes exceptions apart and makes them again without calling their class.

The `__init__` of an exception may need other arguments than its `args`. And it may be
anybody's code, which must not run when a checkpoint is read.
"""

from __future__ import annotations

import builtins
import types
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

_NOT_KEPT = frozenset(
    {
        "__dict__",
        "__traceback__",
        "__context__",
        "__cause__",
        "__suppress_context__",
        "args",
    }
)
_C_ATTRIBUTES = (types.MemberDescriptorType, types.GetSetDescriptorType)
# The arguments; what else the builtin class keeps, such as the `name` of an
# `ImportError`; all other attributes.
Parts = tuple[tuple[Any, ...], dict[str, Any], dict[str, Any]]


@lru_cache(maxsize=1024)
def has_parts(cls: Any) -> bool:
    """Return True if the parts are all there is: no slots of a user's class, and no
    builtin base but exceptions.
    """
    builtin_bases = [
        base
        for base in cls.__mro__
        if base.__module__ == "builtins" and base is not object
    ]
    members = [member for base in _own_bases(cls) for member in vars(base).values()]
    has_slots = any(
        isinstance(member, types.MemberDescriptorType) for member in members
    )
    return not has_slots and all(
        issubclass(base, BaseException) for base in builtin_bases
    )


@lru_cache(maxsize=1024)
def copies_by_parts(cls: Any) -> bool:
    """Return True if a class can be copied by its parts, and does not define copying in
    another way.
    """
    names = (
        "__deepcopy__",
        "__reduce__",
        "__reduce_ex__",
        "__getstate__",
        "__setstate__",
    )
    return has_parts(cls) and not any(
        name in vars(base) for base in _own_bases(cls) for name in names
    )


def _own_bases(cls: type) -> list[type]:
    """Return the class and its bases without the builtin ones."""
    return [base for base in cls.__mro__ if base.__module__ != "builtins"]


def parts_of(value: BaseException) -> Parts:
    """Return the parts of an exception. They are not copies."""
    base = _base(type(value))
    # `args` leaves out the file name of an `OSError`, and this does not.
    arguments = base.__reduce__(value)[1]
    fresh = with_parts(type(value), arguments, {}, {})
    more = {
        name: item
        for name, item in _filled(base, value).items()
        if not _has(fresh, name, item)
    }
    return arguments, more, dict(value.__dict__)


def with_parts(
    cls: Any,
    arguments: tuple[Any, ...],
    more: Mapping[str, Any],
    attributes: Mapping[str, Any],
) -> BaseException:
    """Return an exception of these parts, made by its builtin base. Raise what that
    raises for wrong arguments.
    """
    base = _base(cls)
    error: BaseException = base.__new__(cls, *arguments)
    base.__init__(error, *arguments)
    fill(error, more, attributes)
    return error


def fill(
    error: BaseException, more: Mapping[str, Any], attributes: Mapping[str, Any]
) -> None:
    """Give an exception that was made of its arguments its other parts."""
    descriptors = _descriptors(_base(type(error)))
    for name, item in more.items():
        descriptors[name].__set__(error, item)
    error.__dict__.update(attributes)


def builtin_exception(name: str) -> type | None:
    """Return the builtin exception class of that name, or None."""
    cls = vars(builtins).get(name)
    return cls if isinstance(cls, type) and issubclass(cls, BaseException) else None


def _base(cls: type) -> Any:
    """Return the nearest builtin base of an exception class."""
    return next(base for base in cls.__mro__ if base.__module__ == "builtins")


@lru_cache(maxsize=128)
def _descriptors(base: Any) -> dict[str, Any]:
    return {
        name: member
        for cls in reversed(base.__mro__)
        for name, member in vars(cls).items()
        if isinstance(member, _C_ATTRIBUTES) and name not in _NOT_KEPT
    }


def _filled(base: type, value: BaseException) -> dict[str, Any]:
    filled = {}
    for name, descriptor in _descriptors(base).items():
        try:
            item = descriptor.__get__(value, type(value))
        except AttributeError:
            # Such as `characters_written` of an error that has none.
            continue
        if item is not None:
            filled[name] = item
    return filled


def _has(value: BaseException, name: str, item: Any) -> bool:
    try:
        present = getattr(value, name)
    except AttributeError:
        return False
    return type(present) is type(item) and (present is item or bool(present == item))
