"""Records that the engine makes many times per superstep, at a price near that of plain objects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, make_dataclass
from typing import Any, TypeVar, dataclass_transform

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True)
def record(cls: type[_T]) -> type[_T]:
    """As `dataclass(frozen=True, slots=True)`, but only a type checker keeps its fields from being assigned to.

    A frozen dataclass sets each field through `object.__setattr__`: five times the time. Where many are
    made, give the fields by position: by name a class is called in three times the time. A run's state, what a
    store hands out, and what a caller is asked, is a frozen dataclass; see `maker_of`.
    """
    made = dataclass(slots=True, unsafe_hash=True)(cls)
    # For `isolate`, which shares a frozen value whose fields nobody can change, and copies any other.
    made.__dataclass_params__.frozen = True  # type: ignore[attr-defined]
    return made


def maker_of(cls: type[_T]) -> Callable[..., _T]:
    """A function that makes instances of a frozen dataclass with slots from the values of all its fields, in order.

    A fifth of the time of the constructor, which sets each field through `object.__setattr__`: here an instance of a
    twin that is not frozen is filled, and becomes one of the class. Raises `TypeError` for a class that does more.
    """
    if hasattr(cls, "__post_init__") or "__slots__" not in vars(cls):
        raise TypeError(
            f"{cls.__name__} is more than its slots: make it with its constructor"
        )
    names = [(field.name, Any) for field in fields(cls)]  # type: ignore[arg-type]
    twin = make_dataclass(cls.__name__, names, slots=True, repr=False, eq=False)

    def make(*values: Any) -> _T:
        made = twin(*values)
        made.__class__ = cls
        return made  # type: ignore[no-any-return]

    return make


class Lent:
    """Slots of the engine in what it tells of. They stand in a class of their own, as a checkpoint keeps the slots of
    the class itself.

    _lent   a value that is lent until it is read
    _place  of an output that is told at once: its place among those that count, None as long as it does not
    """

    _lent: Any
    _place: int | None
    __slots__ = ("_lent", "_place")
