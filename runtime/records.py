"""Records that the engine makes many times per superstep: frozen for type checkers, and cheap to make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def record(cls: type[T]) -> type[T]:
    """As `dataclass(frozen=True, slots=True)`, but only a type checker keeps its fields from being assigned to.

    A frozen dataclass sets each field through `object.__setattr__`: five times the time. Where many are
    made, give the fields by position: by name a class is called in three times the time. What a store hands out, and
    what a caller is asked, is a frozen dataclass.
    """
    made = dataclass(slots=True, unsafe_hash=True)(cls)
    made.__dataclass_params__.frozen = True  # type: ignore[attr-defined]
    return made
