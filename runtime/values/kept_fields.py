"""What a dataclass declares of its fields beside their types: how stores keep them and
how views show them.

The header of a checkpoint is declared so, and everything that handles its fields one by
one derives from that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from enum import StrEnum
from types import NoneType
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints


class Keeper(StrEnum):
    """Who decides the value of a field of a checkpoint's header, and until when."""

    # The caller of `save`, once and for all: the seal of a record covers the field.
    SAVE = "save"
    # The caller of `annotate`, who may replace the value.
    ANNOTATE = "annotate"
    # The store, as it saves or reads the record.
    STORE = "store"


@dataclass(frozen=True, slots=True)
class Kept:
    """How a header field is kept and shown. A field that does not say it is as here by
    default.

    repeats  the same text stands in many checkpoints, so a store may keep it once for all of them
    added    records of before do not have it, and are read with its default. True for every new field, which also
             stands behind all others, because stores keep added fields in this order
    caption  views that do not know the field show it by this name where it is not its default; without one, not at all
    words    its value as they show it
    """

    by: Keeper = Keeper.SAVE
    repeats: bool = False
    added: bool = False
    caption: str = ""
    words: Callable[[Any], str] = str


class KeptField(NamedTuple):
    """One field as its class declares it. `type` is without its None, which is
    `optional`.
    """

    name: str
    type: Any
    optional: bool
    default: Any
    kept: Kept


def kept_fields(cls: type) -> tuple[KeptField, ...]:
    """Return the fields of a dataclass in their order."""
    hints = get_type_hints(cls, include_extras=True)
    declared = []
    for declared_field in fields(cls):
        type_ = hints[declared_field.name]
        kept = Kept()
        if get_origin(type_) is Annotated:
            type_, kept = get_args(type_)
        optional = NoneType in get_args(type_)
        if optional:
            (type_,) = [choice for choice in get_args(type_) if choice is not NoneType]
        declared.append(
            KeptField(
                declared_field.name, type_, optional, declared_field.default, kept
            )
        )
    return tuple(declared)


def is_set(instance: Any, kept_field: KeptField) -> bool:
    """Return whether an instance has another value than the default in a field."""
    value = getattr(instance, kept_field.name)
    return kept_field.default is MISSING or bool(value != kept_field.default)
