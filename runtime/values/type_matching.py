"""Does a value fit an annotation, does one annotation fit another, and which of two is the more specific.

Values are checked element by element for list, set, frozenset, dict, tuple, unions and Literal, and by their origin for
every other generic. Checks are compiled once per annotation, so that routing a message costs one call.
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
    """The annotation without what says nothing about values: `Annotated`, `NewType`, `None` for its type."""
    if annotation is None:
        return type(None)
    if isinstance(annotation, NewType):
        return plain(annotation.__supertype__)
    if get_origin(annotation) is Annotated:
        return plain(get_args(annotation)[0])
    return annotation


def members(annotation: Any) -> tuple[Any, ...]:
    """The alternatives of a union; any other annotation is its own only alternative."""
    annotation = plain(annotation)
    if get_origin(annotation) in (Union, types.UnionType):
        return tuple(
            member for part in get_args(annotation) for member in members(part)
        )
    return (annotation,)


def is_instance_of(value: Any, annotation: Any) -> bool:
    """True when the value fits the annotation."""
    return check_for(annotation)(value)


def check_for(annotation: Any) -> Check:
    """A function that says whether a value fits the annotation."""
    try:
        return _cached_check(annotation)
    except TypeError:  # an annotation that cannot be hashed, such as Literal of a list
        return _compile(annotation)


@lru_cache(maxsize=4096)
def _cached_check(annotation: Any) -> Check:
    return _compile(annotation)


def _compile(annotation: Any) -> Check:
    alternatives = members(annotation)
    if len(alternatives) > 1:
        checks = tuple(check_for(one) for one in alternatives)
        return lambda value: any(check(value) for check in checks)
    annotation = alternatives[0]
    if annotation in _ANYTHING or isinstance(annotation, TypeVar):
        return lambda _value: True
    origin = get_origin(annotation)
    arguments = get_args(annotation)
    if origin is Literal:
        return lambda value: any(
            value == one and type(value) is type(one) for one in arguments
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
        except (
            TypeError
        ):  # not a class, or a protocol that cannot be checked at run time
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
    checks = tuple(check_for(one) for one in arguments)
    return lambda value: (
        isinstance(value, tuple)
        and len(value) == len(checks)
        and all(check(item) for check, item in zip(checks, value, strict=True))
    )


def is_subtype(narrow: Any, wide: Any) -> bool:
    """True when every value of `narrow` is one of `wide`, as far as annotations tell; `Any` is the widest."""
    wide_members = members(wide)
    return all(
        any(_is_subtype(one, other) for other in wide_members)
        for one in members(narrow)
    )


def _is_subtype(narrow: Any, wide: Any) -> bool:
    if wide in _ANYTHING or narrow == wide:
        return True
    if narrow in _ANYTHING:
        return False
    if get_origin(narrow) is Literal:
        check = check_for(wide)
        return all(check(one) for one in get_args(narrow))
    if not issubclass_safe(get_origin(narrow) or narrow, get_origin(wide) or wide):
        return False
    return _arguments_fit(get_args(narrow), get_args(wide), is_subtype)


def issubclass_safe(narrow: Any, wide: Any) -> bool:
    """`issubclass`, and False where one of the two is not a class."""
    try:
        return issubclass(narrow, wide)
    except TypeError:
        return False


def _arguments_fit(
    narrow: tuple[Any, ...], wide: tuple[Any, ...], fits: Callable[[Any, Any], bool]
) -> bool:
    # Containers are compared covariantly: a message is handed over as a copy, so nobody can write a wider item into it.
    if not wide:
        return True
    if not narrow:
        return all(one in _ANYTHING for one in wide)
    if len(wide) == 2 and wide[1] is ... and narrow[-1] is not ...:
        return all(fits(one, wide[0]) for one in narrow)
    return len(narrow) == len(wide) and all(
        fits(one, other) for one, other in zip(narrow, wide, strict=True)
    )


def can_flow(source: Any, target: Any) -> bool:
    """True when some value of `source` may be one of `target`: what validation asks. `Any` fits on either side."""
    return any(
        _can_flow(one, other) for one in members(source) for other in members(target)
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


def is_told_by_class(annotation: Any) -> bool:
    """True when the class of a value alone says whether it fits: not for generics, nor for what looks at the value, as
    protocols do.
    """
    if annotation is Any:
        return True
    if not isinstance(annotation, type) or hasattr(annotation, "__args__"):
        return False
    return type(annotation).__instancecheck__ in _BY_CLASS


def is_told_in_list(annotation: Any) -> bool:
    """True when of a list of one value the class of that value says whether it fits."""
    if get_origin(annotation) is list:
        return all(is_told_by_class(plain(one)) for one in get_args(annotation))
    return is_told_by_class(annotation)


def is_more_specific(one: Any, other: Any) -> bool:
    """True when `one` is strictly narrower than `other`."""
    return is_subtype(one, other) and not is_subtype(other, one)


def most_specific(annotations: Iterable[Any]) -> int | None:
    """The position of the most specific annotation: the first that no other is narrower than; None without any."""
    some = list(annotations)
    for position, annotation in enumerate(some):
        if not any(is_more_specific(other, annotation) for other in some):
            return position
    return 0 if some else None


def classes_in(annotation: Any) -> Iterator[type]:
    """Every class that an annotation mentions."""
    for one in members(annotation):
        arguments = () if get_origin(one) is Literal else get_args(one)
        if isinstance(one, type) and get_origin(one) is None:
            yield one
        for argument in arguments:
            yield from classes_in(argument)


def describe(annotation: Any) -> str:
    """The annotation as people write it."""
    if isinstance(annotation, type) and not get_args(annotation):
        return annotation.__name__
    return str(annotation).replace("typing.", "")
