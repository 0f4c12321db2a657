"""Makes the types of a workflow known to the codec: what its handlers take, send, yield and ask with."""

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
    """What the codec takes by registration in the annotations of handlers, and in the fields of that."""
    found: dict[type, None] = {}
    for executor in executors:
        for handler in executor.all_handlers:
            annotations = (
                *(handler.message_type, handler.request_type),
                *(*handler.output_types, *handler.workflow_output_types),
            )
            for annotation in annotations:
                _collect(annotation, found)
    return list(found)


def _collect(annotation: Any, found: dict[type, None]) -> None:
    for cls in classes_in(annotation):
        if cls not in found and is_registrable(cls):
            found[cls] = None
            for inner in _fields(cls):
                _collect(inner, found)


def is_registrable(cls: type) -> bool:
    """True for the classes that the codec takes by registration."""
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
    except (
        NameError,
        TypeError,
        AttributeError,
    ):  # a field's text annotation that only a type checker can resolve
        return


def register(types: Iterable[type], registry: TypeRegistry | None = None) -> None:
    """Register the types that the codec takes; with no registry given, in the default one, which is imported only if
    there is something. A value of another type is refused when it is saved, with its path.
    """
    for cls in types:
        from runtime.codec import DEFAULT_TYPES, can_register

        if can_register(cls):
            (DEFAULT_TYPES if registry is None else registry).register(cls)
