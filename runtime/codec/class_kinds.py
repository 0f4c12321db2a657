"""How instances of registered classes are taken apart into named values, and made again
without running code.

No `__init__`, `__post_init__` or validator runs when a value is made: it gets exactly
the attributes that were saved. Running them again could change the value, and a stored
record could call user code by them. Only a class that fits no other kind, and that
pydantic can write and read, is read by pydantic.
"""

from __future__ import annotations

import dataclasses
import enum
import sys
import types
from collections.abc import Mapping
from typing import Any, Protocol

from runtime.codec.exceptions import Exceptions
from runtime.codec.pydantic_types import Dumped, Secrets
from runtime.codec.sections import (
    EXTRA,
    FIELDS,
    FIELDS_SET,
    PRIVATE,
    UNDECLARED,
    Sections,
)


class Kind(Protocol):
    """One kind of class with fields. `take` and `make` exchange sections: section ->
    attribute name -> value.
    """

    plain_object: bool

    def fits(self, cls: type) -> bool: ...

    def take(self, value: Any) -> Sections: ...

    def make(self, cls: Any, sections: Sections) -> Any: ...


class Enums:
    """An enum member by its name; a combination of flags by its number."""

    plain_object = False

    def fits(self, cls: type) -> bool:
        return issubclass(cls, enum.Enum)

    def take(self, value: Any) -> Sections:
        cls = type(value)
        if cls.__members__.get(value.name) is value:
            return {FIELDS: {"name": value.name}}
        return {FIELDS: {"value": value.value}}

    def make(self, cls: Any, sections: Sections) -> Any:
        fields = sections[FIELDS]
        if "name" in fields:
            return cls.__members__[fields["name"]]
        if not issubclass(cls, enum.Flag) or type(fields["value"]) is not int:
            raise ValueError(f"no member of {cls.__qualname__}")
        # As `cls(value)` finds or makes it, but by the hook of `Flag` itself, because a
        # class may have one of its own, which would be code of the user's. `_missing_`
        # is a documented name, and gives a member that there is already.
        member = enum.Flag._missing_.__func__(cls, fields["value"])  # type: ignore[attr-defined]
        if type(member) is not cls or member.value != fields["value"]:
            raise ValueError(f"no combination of {cls.__qualname__}")
        return member


class NamedTuples:
    """A tuple whose items have names."""

    plain_object = False

    def fits(self, cls: type) -> bool:
        return issubclass(cls, tuple) and isinstance(
            getattr(cls, "_fields", None), tuple
        )

    def take(self, value: Any) -> Sections:
        if getattr(value, "__dict__", None):
            raise ValueError("it has attributes beside its items, which would be lost")
        return {FIELDS: dict(zip(type(value)._fields, value, strict=True))}

    def make(self, cls: Any, sections: Sections) -> Any:
        fields = _complete(cls, sections[FIELDS], cls._fields, cls._field_defaults)
        return tuple.__new__(cls, (fields[name] for name in cls._fields))


class PydanticModels:
    """A pydantic model: fields, extra fields, private attributes, and which fields were
    set.
    """

    plain_object = True

    def fits(self, cls: type) -> bool:
        main = sys.modules.get("pydantic.main")  # a model class cannot exist without it
        return main is not None and issubclass(cls, main.BaseModel)

    def take(self, value: Any) -> Sections:
        names = type(value).model_fields
        fields = {name: item for name, item in value.__dict__.items() if name in names}
        private = value.__pydantic_private__ or {}
        lacking = [
            *(names.keys() - fields.keys()),
            *(_private_defaults(type(value)).keys() - private.keys()),
        ]
        if lacking:
            raise ValueError(f"it has no {', '.join(sorted(lacking))}")
        sections: Sections = {FIELDS: fields}
        if value.model_fields_set != names.keys():
            sections[FIELDS_SET] = dict.fromkeys(sorted(value.model_fields_set), True)
        if extra := {
            name: item for name, item in value.__dict__.items() if name not in names
        }:
            sections[EXTRA] = extra
        if value.__pydantic_extra__:
            sections[UNDECLARED] = value.__pydantic_extra__
        if private:
            sections[PRIVATE] = private
        return sections

    def make(self, cls: Any, sections: Sections) -> Any:
        saved = sections[FIELDS]
        private = sections.get(PRIVATE, {})
        defaults = {
            name: info.get_default(call_default_factory=True)
            for name, info in cls.model_fields.items()
            if name not in saved and not info.is_required()
        }
        fields = _complete(cls, saved, cls.model_fields, defaults)
        if not private.keys() <= cls.__private_attributes__.keys():
            raise ValueError(
                f"{cls.__qualname__} has no private attributes {', '.join(private)}"
            )
        for name, info in _private_defaults(cls).items():
            if name not in private:
                private[name] = info.get_default()
        instance = object.__new__(cls)
        # Because a class may have a `__setstate__` of its own.
        base = sys.modules["pydantic.main"].BaseModel
        base.__setstate__(
            instance,
            {
                "__dict__": {**fields, **sections.get(EXTRA, {})},
                "__pydantic_fields_set__": set(
                    sections.get(FIELDS_SET, cls.model_fields)
                ),
                "__pydantic_extra__": sections.get(
                    UNDECLARED, {} if cls.model_config.get("extra") == "allow" else None
                ),
                "__pydantic_private__": private if cls.__private_attributes__ else None,
            },
        )
        return instance


def _private_defaults(cls: Any) -> dict[str, Any]:
    """Return the private attributes that every instance gets."""
    undefined = sys.modules["pydantic_core"].PydanticUndefined
    return {
        name: info
        for name, info in cls.__private_attributes__.items()
        if info.default is not undefined or info.default_factory is not None
    }


class Dataclasses:
    """A dataclass: its fields, and everything else in the `__dict__` of its instance."""

    plain_object = True

    def fits(self, cls: type) -> bool:
        return dataclasses.is_dataclass(cls)

    def take(self, value: Any) -> Sections:
        names = [field.name for field in dataclasses.fields(value)]
        sections: Sections = {FIELDS: {name: getattr(value, name) for name in names}}
        held = getattr(value, "__dict__", None)
        if held and not held.keys() <= sections[FIELDS].keys():
            sections[EXTRA] = {
                name: item
                for name, item in held.items()
                if name not in sections[FIELDS]
            }
        return sections

    def make(self, cls: Any, sections: Sections) -> Any:
        fields = dataclasses.fields(cls)
        saved = sections[FIELDS]
        defaults = _defaults(fields, saved) if len(saved) != len(fields) else {}
        instance = object.__new__(cls)
        for name, value in _complete(
            cls, saved, [field.name for field in fields], defaults
        ).items():
            object.__setattr__(instance, name, value)
        if EXTRA in sections:
            # Not by `setattr`, because a name such as `__class__` would abuse it.
            instance.__dict__.update(sections[EXTRA])
        return instance


class OwnSlots:
    """A class of the runtime that is no dataclass, such as `WorkflowEvent`: the values
    of its slots.
    """

    plain_object = True

    def fits(self, cls: type) -> bool:
        return is_own(cls) and bool(vars(cls).get("__slots__"))

    def take(self, value: Any) -> Sections:
        return {FIELDS: {name: getattr(value, name) for name in type(value).__slots__}}

    def make(self, cls: Any, sections: Sections) -> Any:
        instance = object.__new__(cls)
        for name, value in _complete(cls, sections[FIELDS], cls.__slots__, {}).items():
            object.__setattr__(instance, name, value)
        return instance


def odd_attributes(cls: Any) -> list[str]:
    """Return the attributes that a dataclass or pydantic model holds where `take` does
    not see them: slots that are no fields, and fields behind a descriptor, whose code
    would run when an instance is made.
    """
    is_data = dataclasses.is_dataclass(cls)
    if is_data:
        fields = {field.name for field in dataclasses.fields(cls)}
    else:
        fields = set(cls.model_fields)
    members: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if base.__module__ != "pydantic.main":
            members.update(vars(base))
    slots = {
        name
        for name, member in members.items()
        if isinstance(member, types.MemberDescriptorType)
    }
    behind = {
        name for name in fields - slots if hasattr(type(members.get(name)), "__set__")
    }
    return sorted((slots - fields) | behind)


def is_own(cls: type) -> bool:
    """Return whether a class is one of the runtime, whose code may run when a value is
    only displayed.
    """
    return cls.__module__.partition(".")[0] == __name__.partition(".")[0]


def _defaults(
    fields: tuple[dataclasses.Field[Any], ...], saved: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the values of fields that were added to a class since the record was
    saved.
    """
    out = {}
    for field in fields:
        if field.name in saved:
            continue
        if field.default is not dataclasses.MISSING:
            out[field.name] = field.default
        elif field.default_factory is not dataclasses.MISSING:
            out[field.name] = field.default_factory()
    return out


def _complete(
    cls: type, saved: Mapping[str, Any], names: Any, defaults: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return `saved` with defaults, if it has exactly the fields of the class."""
    fields = {**defaults, **saved}
    if len(fields) == len(names) and all(name in fields for name in names):
        return fields
    missing = [name for name in names if name not in fields]
    unknown = [name for name in fields if name not in names]
    if missing:
        problem = f"no value for {', '.join(missing)}"
    else:
        problem = f"no field {', '.join(unknown)}"
    raise ValueError(
        f"{cls.__qualname__} has changed since: {problem} in {cls.__module__}"
    )


EXCEPTIONS = Exceptions()
# The first that fits is used, because a pydantic dataclass is a dataclass too, and an
# exception may be one. The last one asks pydantic.
KINDS: tuple[Kind, ...] = (
    *(
        Enums(),
        NamedTuples(),
        EXCEPTIONS,
        Secrets(),
        PydanticModels(),
        Dataclasses(),
        OwnSlots(),
    ),
    Dumped(),
)
