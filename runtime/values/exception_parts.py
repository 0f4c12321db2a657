"""Exceptions taken apart and made again without calling their class, whose `__init__` may want other arguments than
`args`, and may be anybody's code.
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
# Arguments; what else Python's own class keeps, such as the `name` of an `ImportError`; and all other attributes.
Parts = tuple[tuple[Any, ...], dict[str, Any], dict[str, Any]]


@lru_cache(maxsize=1024)
def has_parts(cls: Any) -> bool:
    """Whether the parts are all there is: no slots of a user's class, nothing of another class of Python's below."""
    below = [
        base
        for base in cls.__mro__
        if base.__module__ == "builtins" and base is not object
    ]
    members = [member for base in _own_bases(cls) for member in vars(base).values()]
    has_slots = any(
        isinstance(member, types.MemberDescriptorType) for member in members
    )
    return not has_slots and all(issubclass(base, BaseException) for base in below)


@lru_cache(maxsize=1024)
def copies_by_parts(cls: Any) -> bool:
    """Whether a copy by its parts is what the class means by a copy: it says nothing else."""
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
    """The class and those it is built on, without Python's own."""
    return [base for base in cls.__mro__ if base.__module__ != "builtins"]


def parts_of(value: BaseException) -> Parts:
    """The parts of an exception; they are its own."""
    base = _base(type(value))
    # with the file name of an `OSError`, which `args` leaves out
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
    """An exception of these parts, as Python's own class makes it. Raise what that raises for wrong arguments."""
    base = _base(cls)
    made: BaseException = base.__new__(cls, *arguments)
    base.__init__(made, *arguments)
    fill(made, more, attributes)
    return made


def fill(
    made: BaseException, more: Mapping[str, Any], attributes: Mapping[str, Any]
) -> None:
    """Give an exception that was made of its arguments the rest of its parts."""
    descriptors = _descriptors(_base(type(made)))
    for name, item in more.items():
        descriptors[name].__set__(made, item)
    made.__dict__.update(attributes)


def builtin_exception(name: str) -> type | None:
    """The exception class of Python's own of that name."""
    cls = vars(builtins).get(name)
    return cls if isinstance(cls, type) and issubclass(cls, BaseException) else None


def _base(cls: type) -> Any:
    """The class of Python's own that an exception class is built on."""
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
        except AttributeError:  # such as `characters_written` of an error that has none
            continue
        if item is not None:
            filled[name] = item
    return filled


def _has(value: BaseException, name: str, item: Any) -> bool:
    try:
        there = getattr(value, name)
    except AttributeError:
        return False
    return type(there) is type(item) and (there is item or bool(there == item))
