"""Compares values and annotations: whether a value fits one, whether one fits another,
which one is more specific.

Values are checked element by element for list, set, frozenset, dict, tuple, unions and
Literal, and by their origin for every other generic. Checks are compiled once per
annotation, so that routing a message costs one call.
"""

from __future__ import annotations

import types
from abc import ABCMeta
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import (
    Annotated,
    Any,
    Literal,
    NewType,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

Check = Callable[[Any], bool]

_ANYTHING = (Any, object, ...)
_ELEMENTWISE = (list, set, frozenset)
_BY_CLASS = (type.__instancecheck__, ABCMeta.__instancecheck__)


def plain(annotation: Any) -> Any:
    """Return the annotation without `Annotated` and `NewType`, which say nothing about
    values; NoneType for None.
    """
    if annotation is None:
        return type(None)
    if isinstance(annotation, NewType):
        return plain(annotation.__supertype__)
    if get_origin(annotation) is Annotated:
        return plain(get_args(annotation)[0])
    return annotation


def members(annotation: Any) -> tuple[Any, ...]:
    """Return the alternatives of a union. Any other annotation is its own only
    alternative.
    """
    annotation = plain(annotation)
    if get_origin(annotation) in (Union, types.UnionType):
        return tuple(
            member for part in get_args(annotation) for member in members(part)
        )
    return (annotation,)


def is_instance_of(value: Any, annotation: Any) -> bool:
    """Return True if the value fits the annotation."""
    return check_for(annotation)(value)


def check_for(annotation: Any) -> Check:
    """Return a function that checks whether a value fits the annotation."""
    try:
        return _cached_check(annotation)
    except TypeError:
        # The annotation cannot be hashed, such as Literal of a list.
        return _compile(annotation)


@lru_cache(maxsize=4096)
def _cached_check(annotation: Any) -> Check:
    return _compile(annotation)


def _compile(annotation: Any) -> Check:
    alternatives = members(annotation)
    if len(alternatives) > 1:
        checks = tuple(check_for(alternative) for alternative in alternatives)
        return lambda value: any(check(value) for check in checks)
    annotation = alternatives[0]
    if annotation in _ANYTHING or isinstance(annotation, TypeVar):
        return lambda _value: True
    origin = get_origin(annotation)
    arguments = get_args(annotation)
    if origin is Literal:
        return lambda value: any(
            value == literal and type(value) is type(literal) for literal in arguments
        )
    if origin is None:
        return _by_class(annotation)
    return _compile_generic(origin, arguments)


def _by_class(cls: Any) -> Check:
    if isinstance(cls, type) and _is_typed_dict(cls):
        return lambda value: isinstance(value, dict)

    def check(value: Any) -> bool:
        try:
            return isinstance(value, cls)
        except TypeError:
            # Not a class, or a protocol that cannot be checked at run time.
            return False

    return check


def _is_typed_dict(cls: type) -> bool:
    return issubclass(cls, dict) and hasattr(cls, "__total__")


def _compile_generic(origin: Any, arguments: tuple[Any, ...]) -> Check:
    by_origin = _by_class(origin)
    if origin in _ELEMENTWISE and arguments:
        element = check_for(arguments[0])
        return lambda value: by_origin(value) and all(map(element, value))
    if isinstance(origin, type) and issubclass(origin, Mapping) and len(arguments) == 2:
        key = check_for(arguments[0])
        item = check_for(arguments[1])
        return lambda value: (
            by_origin(value) and all(key(k) and item(v) for k, v in value.items())
        )
    if origin is tuple:
        return _compile_tuple(arguments)
    return by_origin


def _compile_tuple(arguments: tuple[Any, ...]) -> Check:
    if len(arguments) == 2 and arguments[1] is ...:
        element = check_for(arguments[0])
        return lambda value: isinstance(value, tuple) and all(map(element, value))
    checks = tuple(check_for(argument) for argument in arguments)
    return lambda value: (
        isinstance(value, tuple)
        and len(value) == len(checks)
        and all(check(item) for check, item in zip(checks, value, strict=True))
    )


def is_subtype(narrow: Any, wide: Any) -> bool:
    """Return True if every value of `narrow` is one of `wide`, as far as annotations
    tell. `Any` is the widest.
    """
    wide_members = members(wide)
    return all(
        any(_is_subtype(narrow_member, member) for member in wide_members)
        for narrow_member in members(narrow)
    )


def _is_subtype(narrow: Any, wide: Any) -> bool:
    if wide in _ANYTHING or narrow == wide:
        return True
    if narrow in _ANYTHING:
        return False
    if get_origin(narrow) is Literal:
        check = check_for(wide)
        return all(check(literal) for literal in get_args(narrow))
    if not issubclass_safe(get_origin(narrow) or narrow, get_origin(wide) or wide):
        return False
    return _arguments_fit(get_args(narrow), get_args(wide), is_subtype)


def issubclass_safe(narrow: Any, wide: Any) -> bool:
    """Return `issubclass`, or False if one of the two is not a class."""
    try:
        return issubclass(narrow, wide)
    except TypeError:
        return False


def _arguments_fit(
    narrow: tuple[Any, ...], wide: tuple[Any, ...], fits: Callable[[Any, Any], bool]
) -> bool:
    # Containers are compared covariantly. That is safe because a message is handed over
    # as a copy, so that a receiver cannot put a wider item into the sender's container.
    if not wide:
        return True
    if not narrow:
        return all(argument in _ANYTHING for argument in wide)
    if len(wide) == 2 and wide[1] is ... and narrow[-1] is not ...:
        return all(fits(argument, wide[0]) for argument in narrow)
    return len(narrow) == len(wide) and all(map(fits, narrow, wide))


def can_flow(source: Any, target: Any) -> bool:
    """Return True if some value of `source` may be one of `target`, which the check of
    a graph asks. `Any` fits on either side.
    """
    return any(
        _can_flow(source_member, target_member)
        for source_member in members(source)
        for target_member in members(target)
    )


def _can_flow(source: Any, target: Any) -> bool:
    if source in _ANYTHING or target in _ANYTHING:
        return True
    if (
        isinstance(source, TypeVar)
        or isinstance(target, TypeVar)
        or _is_subtype(source, target)
    ):
        return True
    if not issubclass_safe(get_origin(source) or source, get_origin(target) or target):
        return False
    narrow = get_args(source)
    wide = get_args(target)
    return not narrow or _arguments_fit(narrow, wide, can_flow)


def is_decided_by_class(annotation: Any) -> bool:
    """Return True if the class of a value alone decides whether it fits.

    Not so for generics, and for classes that look at the value, as protocols do.
    """
    if annotation is Any:
        return True
    if not isinstance(annotation, type) or hasattr(annotation, "__args__"):
        return False
    return type(annotation).__instancecheck__ in _BY_CLASS


def is_decided_in_list(annotation: Any) -> bool:
    """Return True if the class of a value alone decides whether a list of that value
    fits.
    """
    if get_origin(annotation) is list:
        return all(
            is_decided_by_class(plain(argument)) for argument in get_args(annotation)
        )
    return is_decided_by_class(annotation)


def is_more_specific(narrow: Any, wide: Any) -> bool:
    """Return True if `narrow` is strictly narrower than `wide`."""
    return is_subtype(narrow, wide) and not is_subtype(wide, narrow)


def most_specific(annotations: Iterable[Any]) -> int | None:
    """Return the position of the first annotation that no other is narrower than, or
    None if there are none.
    """
    candidates = list(annotations)
    for position, annotation in enumerate(candidates):
        if not any(is_more_specific(other, annotation) for other in candidates):
            return position
    return 0 if candidates else None


def classes_in(annotation: Any) -> Iterator[type]:
    """Yield every class that an annotation mentions."""
    for member in members(annotation):
        arguments = () if get_origin(member) is Literal else get_args(member)
        if isinstance(member, type) and get_origin(member) is None:
            yield member
        for argument in arguments:
            yield from classes_in(argument)


def describe(annotation: Any) -> str:
    """Return the annotation as people write it."""
    if isinstance(annotation, type) and not get_args(annotation):
        return annotation.__name__
    return str(annotation).replace("typing.", "")
