"""What the conditions of one edge say of one value, without a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

Answer = Literal["true", "false", "error", "unknown"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one condition says. `reason` tells why, for "error" and "unknown"."""

    answer: Answer
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """`outcomes` of all conditions in order, also of those that a run would not ask.

    `targets` get the value. They are None where that is not known, because of `blamed`:
    the place of a condition that fails or is in Python. `case` is the place of the case
    that a switch takes, or None for its default.
    """

    outcomes: tuple[Outcome, ...]
    targets: tuple[str, ...] | None
    case: int | None = None
    blamed: int | None = None


# Evaluates a condition; the second argument is the answer of an empty one.
Ask = Callable[[str, Answer], Outcome]


def try_each(ask: Ask, ways: Sequence[tuple[str, str]]) -> Trial:
    """Take a value along every way whose condition is true; an empty one always is."""
    outcomes = tuple(ask(condition, "true") for _, condition in ways)
    for place, outcome in enumerate(outcomes):
        if outcome.answer in ("error", "unknown"):
            return Trial(outcomes, None, blamed=place)
    taken = [
        target
        for (target, _), outcome in zip(ways, outcomes, strict=True)
        if outcome.answer == "true"
    ]
    return Trial(outcomes, tuple(taken))


def try_first(ask: Ask, cases: Sequence[tuple[str, str]], default: str) -> Trial:
    """Take a value along the first case that is true, else to the default."""
    outcomes = tuple(ask(condition, "error") for _, condition in cases)
    for place, outcome in enumerate(outcomes):
        if outcome.answer == "true":
            return Trial(outcomes, (cases[place][0],), place)
        if outcome.answer != "false":
            return Trial(outcomes, None, blamed=place)
    return Trial(outcomes, (default,))
