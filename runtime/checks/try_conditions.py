"""What the conditions of one edge group say of a value, without a run: each by itself, and the ways that are taken.

CEL is pure and bounded, so this may be done anywhere, also where no code of a document may run; what a condition in
Python says is known in a run only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    MultiSelectionEdge,
    OnErrorEdge,
    SwitchEdge,
)
from runtime.errors import ConditionError
from runtime.expressions.cel import MAX_WORK, PYTHON_PREFIX, Condition

Answer = Literal["true", "false", "error", "unknown"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one condition says. `reason` tells why, for "error" and "unknown"."""

    answer: Answer
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """`outcomes` of all conditions in order, also of those that a run would not ask any more. `targets` get the value;
    None where that cannot be said, because of `blamed`, the place of a condition that fails or is in Python. `case` is
    the place of the case that a switch takes, or None for its default.
    """

    outcomes: tuple[Outcome, ...]
    targets: tuple[str, ...] | None
    case: int | None = None
    blamed: int | None = None


def try_value(edge: EdgeDefinition, value: Any, most: int = MAX_WORK) -> Trial:
    """Take JSON data through a direct edge, a switch or a multi-selection. A condition that would touch more than
    `most` elements is not evaluated. Raises `TypeError` for a group without conditions.
    """
    match edge:
        case DirectEdge() | OnErrorEdge():
            outcome = _ask(edge.condition, value, most, "true")
            return _all([outcome], [edge.target])
        case MultiSelectionEdge():
            outcomes = [_ask(way.when, value, most, "true") for way in edge.selections]
            return _all(outcomes, [way.target for way in edge.selections])
        case SwitchEdge():
            return _first(
                edge, [_ask(case.when, value, most, "error") for case in edge.cases]
            )
    raise TypeError(f"A {edge.kind} edge has no conditions to try.")


def _ask(text: str, value: Any, most: int, empty: Answer) -> Outcome:
    if not text.strip():
        return Outcome(
            empty, "The condition is not written yet." if empty == "error" else ""
        )
    if text.startswith(PYTHON_PREFIX):
        return Outcome(
            "unknown", "This condition is Python, which only a run may call."
        )
    try:
        condition = Condition(text)
        if condition.work(value) > most:
            return Outcome(
                "unknown",
                "This would take too long here: try a smaller value, or a run.",
            )
        return Outcome("true" if condition(value) else "false")
    except ConditionError as error:
        reason = str(error)
        return Outcome("error", reason.removeprefix(f"Condition '{text}' failed: "))


def _first(edge: SwitchEdge, outcomes: Sequence[Outcome]) -> Trial:
    for at, outcome in enumerate(outcomes):
        if outcome.answer == "true":
            return Trial(tuple(outcomes), (edge.cases[at].target,), at)
        if outcome.answer != "false":
            return Trial(tuple(outcomes), None, blamed=at)
    return Trial(tuple(outcomes), (edge.default,))


def _all(outcomes: Sequence[Outcome], targets: Sequence[str]) -> Trial:
    for at, outcome in enumerate(outcomes):
        if outcome.answer in ("error", "unknown"):
            return Trial(tuple(outcomes), None, blamed=at)
    taken = (
        target
        for target, outcome in zip(targets, outcomes, strict=True)
        if outcome.answer == "true"
    )
    return Trial(tuple(outcomes), tuple(taken))
