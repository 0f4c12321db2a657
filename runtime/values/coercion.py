"""JSON values become values of the type that is wanted, where that is safe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

from runtime.values.type_matching import is_instance_of, members


def is_json(value: Any) -> bool:
    """Return True for a value that JSON can express. Of other answers, only the type is
    checked.
    """
    if isinstance(value, dict):
        return type(value) is dict and all(
            isinstance(key, str) and is_json(item) for key, item in value.items()
        )
    if isinstance(value, list):
        return type(value) is list and all(map(is_json, value))
    return value is None or type(value) in (bool, int, float, str)


def coerce(value: Any, annotation: Any) -> Any:
    """Return the value as the wanted type where that is safe, else the value as it is,
    for the type check to refuse.
    """
    if is_instance_of(value, annotation):
        return value
    for member in members(annotation):
        coerced = _coerce(value, member)
        if is_instance_of(coerced, member):
            return coerced
    return value


def _coerce(value: Any, annotation: Any) -> Any:
    origin = get_origin(annotation) or annotation
    if annotation is float and type(value) is int:
        return float(value)
    if origin in (list, set, frozenset, tuple) and isinstance(
        value, list | set | frozenset | tuple
    ):
        return origin(_items(list(value), origin, get_args(annotation)))
    if origin is dict and isinstance(value, dict) and len(get_args(annotation)) == 2:
        return {
            key: coerce(item, get_args(annotation)[1]) for key, item in value.items()
        }
    if isinstance(annotation, type):
        return _construct(value, annotation)
    return value


def _items(values: list[Any], origin: Any, arguments: tuple[Any, ...]) -> list[Any]:
    if not arguments:
        return values
    if origin is tuple and not (len(arguments) == 2 and arguments[1] is ...):
        if len(arguments) != len(values):
            return values
        return [
            coerce(value, argument)
            for value, argument in zip(values, arguments, strict=True)
        ]
    return [coerce(value, arguments[0]) for value in values]


def _construct(value: Any, cls: Any) -> Any:
    make: Callable[[Any], Any] | None = None
    if hasattr(cls, "model_validate"):
        make = cls.model_validate
    elif hasattr(cls, "from_dict") and isinstance(value, Mapping):
        make = cls.from_dict
    elif is_dataclass(cls) and isinstance(value, Mapping):
        make = _dataclass_maker(cls)
    elif hasattr(cls, "__members__"):
        make = cls
    if make is None:
        return value
    try:
        return make(value)
    except Exception:  # noqa: BLE001 - code of the class; the type check refuses the value then
        return value


def _dataclass_maker(cls: Any) -> Callable[[Mapping[str, Any]], Any]:
    def make(value: Mapping[str, Any]) -> Any:
        hints = get_type_hints(cls)
        known = {field.name for field in fields(cls) if field.init}
        unknown = set(value) - known
        if unknown:
            raise TypeError(f"{cls.__name__} has no field {min(unknown)!r}")
        return cls(
            **{name: coerce(item, hints.get(name, Any)) for name, item in value.items()}
        )

    return make
