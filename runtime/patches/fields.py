"""Values with fields: dataclasses, pydantic models and named tuples. They are taken apart
and made as the codec does it, so that no `__init__` of the user's runs.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, get_type_hints

from runtime.codec import TypeRegistry
from runtime.codec.class_kinds import Dataclasses, Kind, NamedTuples, PydanticModels
from runtime.codec.sections import FIELDS, FIELDS_SET
from runtime.patches.refused import Refused
from runtime.values.coercion import coerce
from runtime.values.type_matching import describe, is_instance_of
from runtime.values.user_failures import in_words

_WITH_FIELDS = (Dataclasses, NamedTuples, PydanticModels)


def kind_with_fields(cls: type, types: TypeRegistry) -> Kind | None:
    """Return how instances of a class are taken apart; None if they have no fields."""
    if types.name_of(cls) is None:
        return None
    kind = types.kind_of(cls)
    return kind if isinstance(kind, _WITH_FIELDS) else None


def fields_of(value: Any, types: TypeRegistry) -> dict[str, Any] | None:
    """Return the fields of a value; None if it has none."""
    kind = kind_with_fields(type(value), types)
    if kind is None:
        return None
    try:
        return dict(kind.take(value)[FIELDS])
    except (ValueError, AttributeError):
        # It lacks a field that its class declares, so it cannot be saved either.
        return None


def with_fields(like: Any, values: Mapping[str, Any], types: TypeRegistry) -> Any:
    """Return a value that is like another one, with other values in its fields. What it
    has beside its fields stays.

    Raise `Refused` for a field that its class does not have, and for a value that does
    not fit the field.
    """
    cls = type(like)
    kind = kind_with_fields(cls, types)
    if kind is None:
        raise Refused(f"A {cls.__name__} has no fields that can be changed.")
    sections = dict(kind.take(like))
    before = sections[FIELDS]
    for name in values:
        if name not in before:
            known = ", ".join(before)
            raise Refused(
                f"{cls.__name__} has no field '{name}'. It has {known}.", f".{name}"
            )
    hints = _hints(cls)
    fields = {
        name: _fitted(cls, name, values[name], before[name], hints)
        if name in values
        else before[name]
        for name in before
    }
    _validate(cls, fields)
    sections[FIELDS] = fields
    if FIELDS_SET in sections:
        now_set = {name: True for name in fields if fields[name] is not before[name]}
        sections[FIELDS_SET] = {**sections[FIELDS_SET], **now_set}
    return kind.make(cls, sections)


def _hints(cls: type) -> dict[str, Any]:
    try:
        return get_type_hints(cls)
    except (NameError, TypeError, AttributeError):
        # A text annotation that only a type checker can resolve says nothing here.
        return {}


def _fitted(
    cls: type, name: str, value: Any, before: Any, hints: Mapping[str, Any]
) -> Any:
    """Return the value for a field, as its annotation wants it."""
    hint = hints.get(name, Any)
    # Where the value of before does not fit either, the annotation is no promise.
    if value is before or not is_instance_of(before, hint):
        return value
    fitted = coerce(value, hint)
    if not is_instance_of(fitted, hint):
        raise Refused(
            f"The field '{name}' of {cls.__name__} takes {describe(hint)}, not {type(value).__name__}.",
            f".{name}",
        )
    return fitted


def _validate(cls: Any, fields: Mapping[str, Any]) -> None:
    """Raise `Refused` if the model of the user does not take these fields."""
    main = sys.modules.get("pydantic.main")  # a model class cannot exist without it
    if main is None or not issubclass(cls, main.BaseModel):
        return
    named = {}
    for name, info in cls.model_fields.items():
        alias = info.validation_alias or info.alias or name
        if not isinstance(alias, str):
            return
        named[alias] = fields[name]
    try:
        cls.model_validate(named)
    except Exception as error:
        errors = getattr(error, "errors", None)
        if errors is None:
            raise Refused(
                f"{cls.__name__} does not take this: {in_words(error)}"
            ) from error
        first = errors()[0]
        path = "".join(f".{step}" for step in first["loc"])
        raise Refused(
            f"{cls.__name__} does not take this{f' at {path}' if path else ''}: {first['msg']}.",
            path,
        ) from error
