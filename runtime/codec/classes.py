"""Classes and annotations as values, such as `str`, `list[str]`, `Literal["a", "b"]`,
`Draft | None`.

A class is written by its name, a generic as `[head, argument, ...]`. Only named and
registered classes come back: nothing is imported to find one.
"""

from __future__ import annotations

import collections.abc
import functools
import operator
import pathlib
import types
import typing
from collections.abc import Callable
from typing import Any

from runtime.codec.builtin import BY_CLASS
from runtime.codec.refusal import Refusal
from runtime.codec.registry import TypeRegistry

_ABSTRACT = (
    "Sequence",
    "MutableSequence",
    "Mapping",
    "MutableMapping",
    "Set",
    "Iterable",
    "Collection",
    "Callable",
)
_ALIASES = (
    "List",
    "Dict",
    "Set",
    "FrozenSet",
    "Tuple",
    "Type",
    "Sequence",
    "Mapping",
    "Iterable",
)
_NAMED: dict[str, Any] = {
    **{cls.__name__: cls for cls in (bool, list, object, type, type(None))},
    **{entry.tag: cls for cls, entry in BY_CLASS.items()},
    # Annotations name this class, and values are of its subclass for the system.
    "Path": pathlib.Path,
    **{f"collections.abc:{name}": getattr(collections.abc, name) for name in _ABSTRACT},
    **{f"typing:{name}": getattr(typing, name) for name in _ALIASES},
    "Any": Any,
    "...": ...,
}
_NAMES: dict[Any, str] = {cls: name for name, cls in _NAMED.items()}
# Generics that may stand without arguments.
_BARE = tuple(getattr(typing, name) for name in _ALIASES)
# The head for a generic class of the user, which its name and its arguments follow.
_GENERIC = "typing:Generic"


def is_annotation(value: Any) -> bool:
    """Return whether a value is a class, or something that is written into an
    annotation.
    """
    return (
        isinstance(value, type) or value is Any or typing.get_origin(value) is not None
    )


def lower_class(value: Any, types_: TypeRegistry, lower: Callable[[Any], Any]) -> Any:
    """Return the tree of a class or annotation; `lower` is for the values of a
    `Literal`. Refuse one that would come back as another, such as `tuple[*Ts]` as
    `tuple[Ts]`.
    """
    literals: list[Any] = []

    def note(argument: Any) -> Any:
        literals.append(argument)
        return lower(argument)

    tree = _lower(value, types_, note)
    again = iter(literals)
    try:
        back = build_class(tree, types_.class_of, lambda _: next(again))
    except TypeError:
        back = None
    if type(back) is not type(value) or back != value:
        raise Refusal(f"the annotation {value} would come back as another")
    return tree


def _lower(value: Any, types_: TypeRegistry, lower: Callable[[Any], Any]) -> Any:
    origin = typing.get_origin(value)
    if origin is None or value in _BARE:
        return _name(value, types_)
    arguments = typing.get_args(value)
    if origin is typing.Literal:
        return ["Literal", *(lower(argument) for argument in arguments)]
    if origin is types.UnionType:
        head = "|"
    elif origin is typing.Union:
        head = "Union"
    elif isinstance(value, types.GenericAlias):
        head = _name(origin, types_)
    elif _is_generic(origin):
        head = _GENERIC
        arguments = (origin, *arguments)
    else:
        head = f"typing:{getattr(value, '_name', None)}"
        if head not in _NAMED:
            raise Refusal(f"the annotation {value} has no name to be found again by")
    return [head, *(_lower(argument, types_, lower) for argument in arguments)]


def _name(value: Any, types_: TypeRegistry) -> str:
    try:
        name = _NAMES.get(value) or (
            types_.name_of(value) if isinstance(value, type) else None
        )
    except TypeError:  # unhashable, such as the argument list of a Callable
        name = None
    if name is None:
        shown = getattr(value, "__qualname__", None) or str(value)
        raise Refusal(
            f"class {shown} is not registered. Register it with DEFAULT_TYPES.register({shown})"
        )
    return name


def build_class(
    tree: Any, class_of: Callable[[str], Any], build: Callable[[Any], Any]
) -> Any:
    """Return the class or annotation of a tree. `class_of` finds registered classes by
    name, or refuses.
    """
    if isinstance(tree, str):
        return _NAMED[tree] if tree in _NAMED else class_of(tree)
    head, *argument_trees = tree
    if head == "Literal":
        return typing.Literal[tuple(build(argument) for argument in argument_trees)]
    arguments = tuple(
        build_class(argument, class_of, build) for argument in argument_trees
    )
    if head == "|":
        return functools.reduce(operator.or_, arguments)
    if head == "Union":
        return typing.Union[arguments]  # noqa: UP007 - made at run time
    if head == _GENERIC:
        if not _is_generic(arguments[0]):
            raise TypeError("no generic class")
        # By the function of `Generic` itself, because a class of the user may have
        # another, which would be user code.
        return typing.Generic.__class_getitem__.__func__(arguments[0], arguments[1:])  # type: ignore[attr-defined]
    if isinstance(head, str) and head.startswith("typing:"):
        return _NAMED[head][arguments]
    return types.GenericAlias(build_class(head, class_of, build), arguments)


def _is_generic(cls: Any) -> bool:
    return isinstance(cls, type) and issubclass(cls, typing.Generic)


def class_text(tree: Any) -> str:
    """Return the tree of a class as it is written in Python, for display."""
    if not isinstance(tree, list):
        return str(tree).rpartition(":")[2]
    head, *arguments = tree
    if head == "Literal":
        return f"Literal[{', '.join(map(repr, arguments))}]"
    if head in ("|", "Union"):
        return " | ".join(map(class_text, arguments))
    if head == _GENERIC and arguments:
        head, *arguments = arguments
    return f"{class_text(head)}[{', '.join(map(class_text, arguments))}]"
