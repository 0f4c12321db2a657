"""Immutable records that cost little to make. The engine makes several for each message
and one for each superstep.

Paid for by `python -m tests.benchmarks --only w1,w2,w3`: with frozen dataclasses in the
place of `record`, and their constructors in the place of `maker_of`, a superstep takes
20 to 30 % more CPU. The reason is that a frozen dataclass sets every field through
`object.__setattr__`, which takes five times as long as an assignment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, TypeVar, dataclass_transform

_T = TypeVar("_T")
_RECORDS: set[type] = set()


@dataclass_transform(frozen_default=True)
def record(cls: type[_T]) -> type[_T]:
    """Make a dataclass with slots that only the type checker keeps from being changed.

    Everything else is as with `dataclass(frozen=True, slots=True)`; `is_immutable` says
    True for it. Give the fields by position where many are made, because a call by
    keyword takes three times as long. A state that users get to see is a real frozen
    dataclass instead, and the engine makes it by `maker_of`.
    """
    made = dataclass(slots=True, unsafe_hash=True)(cls)
    _RECORDS.add(made)
    return made


def is_immutable(cls: type) -> bool:
    """Return True for a frozen dataclass and for a record: their instances are shared,
    and never copied for safety.
    """
    if cls in _RECORDS:
        return True
    # A subclass of a frozen dataclass has its parameters too, but need not be frozen
    # itself.
    own_parameters = vars(cls).get("__dataclass_params__")
    return own_parameters is not None and own_parameters.frozen


def maker_of(cls: type[_T]) -> Callable[..., _T]:
    """Return a function that makes instances of a frozen dataclass with slots, by
    position or by keyword.

    Only the last fields, up to the first without a plain default, may be left out. The
    function fills the slots through their descriptors, because these do not ask
    `__setattr__`, which refuses on a frozen class: a third of the constructor's time.
    Raise `TypeError` for a class whose constructor does more than that.
    """
    parameters: list[str] = []
    defaults: dict[str, Any] = {}
    is_end = True
    for field in reversed(fields(cls)):  # type: ignore[arg-type]
        is_end = is_end and field.default is not MISSING
        if is_end:
            parameters.insert(0, f"{field.name}=default_{field.name}")
            defaults[f"default_{field.name}"] = field.default
        else:
            parameters.insert(0, field.name)
    values = {name: name for name in _slots(cls)}
    return _generated(cls, ", ".join(parameters), values, defaults)


def replacer_of(cls: type[_T], name: str) -> Callable[[_T, Any], _T]:
    """Return a function `(original, value)` that copies an instance with another value
    in one field.

    For the classes of `maker_of`. It takes a sixth of the time of
    `dataclasses.replace`.
    """
    values = {slot: f"original.{slot}" for slot in _slots(cls)}
    values[name] = "value"
    return _generated(cls, "original, value", values, {})


def _slots(cls: type) -> list[str]:
    if hasattr(cls, "__post_init__") or "__slots__" not in vars(cls):
        raise TypeError(
            f"{cls.__name__} is more than its slots: make it with its constructor"
        )
    return [field.name for field in fields(cls)]


def _generated(
    cls: type[_T],
    parameters: str,
    values: Mapping[str, str],
    defaults: Mapping[str, Any],
) -> Callable[..., _T]:
    """Return a function that fills each slot with an expression.

    Generated, as dataclasses generate their constructors: a loop over the fields would
    cost what is gained.
    """
    lines = [f"def make({parameters}):", "    instance = new(cls)"]
    lines += [f"    set_{name}(instance, {value})" for name, value in values.items()]
    lines += ["    return instance"]
    setters = {f"set_{name}": vars(cls)[name].__set__ for name in values}
    namespace: dict[str, Any] = {
        "new": object.__new__,
        "cls": cls,
        **setters,
        **defaults,
    }
    exec("\n".join(lines), namespace)  # noqa: S102 - of the names of fields alone
    function: Callable[..., _T] = namespace["make"]
    return function


class EngineSlots:
    """Slots of a `WorkflowEvent` that only the engine uses.

    In a class of their own, because a checkpoint saves the slots of the event class
    itself; and in this module, because the codec allows every class of `runtime.events`
    in checkpoints.

    _lent   a value that belongs to the run, and is copied when the event is read for the first time
    _place  of an output that is emitted at once: its place among the outputs that count; None before the barrier
    """

    _lent: Any
    _place: int | None
    __slots__ = ("_lent", "_place")
