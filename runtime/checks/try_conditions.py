"""The answers of an edge group's conditions for a value, without a run: each by itself,
and the ways taken.

CEL is pure and bounded, so this may run anywhere, even where no code of a document may
run. The answer of a condition in Python is known only in a run.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from runtime.edges.definition import EdgeDefinition
from runtime.edges.trial import Answer, Outcome, Trial
from runtime.errors import ConditionError
from runtime.expressions.cel import MAX_WORK, PYTHON_PREFIX, Condition

__all__ = ["Answer", "Outcome", "Trial", "try_value"]


def try_value(edge: EdgeDefinition, value: Any, most: int = MAX_WORK) -> Trial:
    """Take JSON data through the conditions of an edge.

    A condition that would touch more than `most` elements is not evaluated. Raise
    `TypeError` for a kind of edge without conditions.
    """
    return edge.try_value(partial(_ask, value, most))


def _ask(value: Any, most: int, text: str, empty: Answer) -> Outcome:
    if not text.strip():
        return Outcome(
            empty, "The condition is not written yet." if empty == "error" else ""
        )
    if text.startswith(PYTHON_PREFIX):
        return Outcome("unknown", "This condition is Python. Only a run may call it.")
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
