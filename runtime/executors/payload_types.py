"""Registers the types of a workflow with the codec: those that its handlers take, send,
yield and ask with.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Any, get_type_hints

from runtime.values.type_matching import classes_in

if TYPE_CHECKING:
    from runtime.codec import TypeRegistry
    from runtime.executors.executor import Executor


def types_of(executors: Iterable[Executor]) -> list[type]:
    """Return the classes in the annotations of handlers, and in the fields of these,
    that the codec must know.
    """
    classes: dict[type, None] = {}
    for executor in executors:
        for handler in executor.all_handlers:
            annotations = (
                *(handler.message_type, handler.request_type),
                *(*handler.output_types, *handler.workflow_output_types),
            )
            for annotation in annotations:
                _collect(annotation, classes)
    return list(classes)


def _collect(annotation: Any, classes: dict[type, None]) -> None:
    for cls in classes_in(annotation):
        if cls not in classes and is_registrable(cls):
            classes[cls] = None
            for inner in _fields(cls):
                _collect(inner, classes)


def is_registrable(cls: type) -> bool:
    """Return True for a class that the codec encodes only if it is registered."""
    return (
        is_dataclass(cls)
        or issubclass(cls, enum.Enum)
        or hasattr(cls, "__pydantic_core_schema__")
        or hasattr(cls, "__get_pydantic_core_schema__")
        or issubclass(cls, BaseException)
        or (issubclass(cls, tuple) and hasattr(cls, "_fields"))
    ) and cls.__module__ != "enum"


def _fields(cls: type) -> Iterator[Any]:
    try:
        yield from get_type_hints(cls).values()
    except (NameError, TypeError, AttributeError):
        # A text annotation of a field may be one that only a type checker can resolve.
        return


def register(types: Iterable[type], registry: TypeRegistry | None = None) -> None:
    """Register the types that the codec can encode, by default in the default registry.

    A value of a type that is left out is refused when it is saved, with its path.
    """
    for cls in types:
        # Imported here, because most workflows only send built-in types.
        from runtime.codec import DEFAULT_TYPES, can_register

        if can_register(cls):
            (DEFAULT_TYPES if registry is None else registry).register(cls)
