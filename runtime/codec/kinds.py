"""How instances of registered classes are taken apart into named values, and made from them without running code.

No `__init__`, `__post_init__` or validator runs when a value is made: it gets exactly the attributes that were saved.
Running them again could change what they changed before, and they would be code that a stored record can call.
"""

from __future__ import annotations

import dataclasses
import enum
import sys
from collections.abc import Mapping
from typing import Any, Protocol

Sections = dict[str, dict[str, Any]]
FIELDS, EXTRA, PRIVATE, UNDECLARED, FIELDS_SET = "v", "a", "p", "x", "s"


class Kind(Protocol):
    """One way of being a class with fields. `take` and `make` speak in sections: section -> attribute name -> value."""

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
        if not issubclass(cls, enum.Flag):
            raise ValueError(f"no member of {cls.__qualname__}")
        return cls(fields["value"])


class NamedTuples:
    """A tuple whose items have names."""

    plain_object = False

    def fits(self, cls: type) -> bool:
        return issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple)

    def take(self, value: Any) -> Sections:
        if getattr(value, "__dict__", None):
            raise ValueError("it has attributes beside its items, which would be lost")
        return {FIELDS: dict(zip(type(value)._fields, value, strict=True))}

    def make(self, cls: Any, sections: Sections) -> Any:
        fields = _complete(cls, sections[FIELDS], cls._fields, cls._field_defaults)
        return tuple.__new__(cls, (fields[name] for name in cls._fields))


class PydanticModels:
    """A pydantic model: fields, extra fields, private attributes, and which fields were set."""

    plain_object = True

    def fits(self, cls: type) -> bool:
        main = sys.modules.get("pydantic.main")  # a model class cannot exist without it
        return main is not None and issubclass(cls, main.BaseModel)

    def take(self, value: Any) -> Sections:
        names = type(value).model_fields
        fields = {name: item for name, item in value.__dict__.items() if name in names}
        sections: Sections = {FIELDS: fields}
        if value.model_fields_set != names.keys():
            sections[FIELDS_SET] = dict.fromkeys(sorted(value.model_fields_set), True)
        if rest := {name: item for name, item in value.__dict__.items() if name not in names}:
            sections[EXTRA] = rest
        if value.__pydantic_extra__:
            sections[UNDECLARED] = value.__pydantic_extra__
        if value.__pydantic_private__:
            sections[PRIVATE] = value.__pydantic_private__
        return sections

    def make(self, cls: Any, sections: Sections) -> Any:
        given = sections[FIELDS]
        defaults = {
            name: info.get_default(call_default_factory=True)
            for name, info in cls.model_fields.items()
            if name not in given and not info.is_required()
        }
        fields = _complete(cls, given, cls.model_fields, defaults)
        extra = sections.get(UNDECLARED)
        if extra is None and cls.model_config.get("extra") == "allow":
            extra = {}
        private = {name: info.get_default() for name, info in cls.__private_attributes__.items()}
        made = cls.__new__(cls)
        made.__setstate__(
            {
                "__dict__": {**fields, **sections.get(EXTRA, {})},
                "__pydantic_fields_set__": set(sections.get(FIELDS_SET, cls.model_fields)),
                "__pydantic_extra__": extra,
                "__pydantic_private__": {**private, **sections.get(PRIVATE, {})} or None,
            }
        )
        return made


class Dataclasses:
    """A dataclass: its fields, and what else its instance holds in `__dict__`."""

    plain_object = True

    def fits(self, cls: type) -> bool:
        return dataclasses.is_dataclass(cls)

    def take(self, value: Any) -> Sections:
        names = [field.name for field in dataclasses.fields(value)]
        sections: Sections = {FIELDS: {name: getattr(value, name) for name in names}}
        held = getattr(value, "__dict__", None)
        if held and not held.keys() <= sections[FIELDS].keys():
            sections[EXTRA] = {name: item for name, item in held.items() if name not in sections[FIELDS]}
        return sections

    def make(self, cls: Any, sections: Sections) -> Any:
        fields = dataclasses.fields(cls)
        given = sections[FIELDS]
        defaults = _defaults(fields, given) if len(given) != len(fields) else {}
        made = object.__new__(cls)
        for name, value in _complete(cls, given, [field.name for field in fields], defaults).items():
            object.__setattr__(made, name, value)
        if EXTRA in sections:
            made.__dict__.update(sections[EXTRA])  # not by setattr, which a name such as `__class__` would abuse
        return made


class OwnSlots:
    """One of the runtime's own classes that is no dataclass, such as `WorkflowEvent`: what its slots hold."""

    plain_object = True

    def fits(self, cls: type) -> bool:
        return is_own(cls) and bool(vars(cls).get("__slots__"))

    def take(self, value: Any) -> Sections:
        return {FIELDS: {name: getattr(value, name) for name in type(value).__slots__}}

    def make(self, cls: Any, sections: Sections) -> Any:
        made = object.__new__(cls)
        for name, value in _complete(cls, sections[FIELDS], cls.__slots__, {}).items():
            object.__setattr__(made, name, value)
        return made


def is_own(cls: type) -> bool:
    """Whether a class is the runtime's, whose code may run when one only looks."""
    return cls.__module__.partition(".")[0] == __name__.partition(".")[0]


def _defaults(fields: tuple[dataclasses.Field[Any], ...], given: Mapping[str, Any]) -> dict[str, Any]:
    """Values of fields that a class has got since the record was saved."""
    out = {}
    for field in fields:
        if field.name in given:
            continue
        if field.default is not dataclasses.MISSING:
            out[field.name] = field.default
        elif field.default_factory is not dataclasses.MISSING:
            out[field.name] = field.default_factory()
    return out


def _complete(cls: type, given: Mapping[str, Any], names: Any, defaults: Mapping[str, Any]) -> Mapping[str, Any]:
    """`given` with defaults, if it has exactly the fields of the class."""
    fields = {**defaults, **given}
    if len(fields) == len(names) and all(name in fields for name in names):
        return fields
    missing = [name for name in names if name not in fields]
    unknown = [name for name in fields if name not in names]
    problem = f"no value for {', '.join(missing)}" if missing else f"no field {', '.join(unknown)}"
    raise ValueError(f"{cls.__qualname__} has changed since: {problem} in {cls.__module__}")


# The first that fits; a pydantic dataclass is a dataclass.
KINDS: tuple[Kind, ...] = (Enums(), NamedTuples(), PydanticModels(), Dataclasses(), OwnSlots())
