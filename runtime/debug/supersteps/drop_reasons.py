"""Why an edge did not take a message, line by line: its condition with the values that
the message had, each case of a switch, the types expected and given.

Conditions in CEL are evaluated again, on the recorded message. They are pure and run no
code of the workflow. A part that would be too costly is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from runtime.checks.try_conditions import Outcome, try_value
from runtime.debug.protocol import Reason
from runtime.debug.supersteps.traffic import Stop
from runtime.debug.values.shapes import MASKED, line, shape_of
from runtime.document.secret_names import is_secret
from runtime.edges.base import (
    CONDITION_FALSE,
    NO_EDGE,
    NOT_SELECTED,
    TARGET_MISMATCH,
    TYPE_MISMATCH,
)
from runtime.edges.definition import EdgeDefinition
from runtime.errors import ConditionError
from runtime.expressions.cel import PYTHON_PREFIX, Condition, Expression
from runtime.expressions.cel_clauses import clauses_of
from runtime.message import Message
from runtime.state import Fate

MOST_WORK = 200_000  # elements that one condition may touch; some milliseconds
LINES = 40
DEFAULT = "default"
# Names the types that the handlers of an executor take; empty where that is not known.
Types = Callable[[str], Sequence[str]]
_NAMES = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class DropReasons:
    """Explain the drops of one run. `edge_of` returns an edge group of the document
    that ran, None where there is none.
    """

    edge_of: Callable[[str], EdgeDefinition | None]
    types: Types = lambda _executor: ()

    def of(self, stop: Stop) -> tuple[Reason, ...]:
        """Return why an edge did not take a message."""
        edge = self.edge_of(stop.fate.edge_id or "")
        reasons = _reasons(stop.fate, stop.place.message, edge, self.types)
        return tuple(islice(reasons, LINES))


UNEXPLAINED = DropReasons(lambda _edge: None)


def _reasons(
    fate: Fate, message: Message, edge: EdgeDefinition | None, types: Types
) -> Iterator[Reason]:
    match fate.reason:
        case reason if reason == TYPE_MISMATCH:
            yield Reason(text="type of the message", value=shape_of(message.data).type)
            expected = types(fate.target_id or "")
            if expected:
                text = f"types that {fate.target_id} takes"
                yield Reason(text=text, value=", ".join(expected))
        case reason if reason == TARGET_MISMATCH:
            yield Reason(text="addressed to", value=message.target_id or "")
        case reason if reason == NO_EDGE:
            yield Reason(text=f"no edge leads from {message.source_id}")
        case reason if reason in (CONDITION_FALSE, NOT_SELECTED) and edge is not None:
            yield from _of_conditions(fate, message.data, edge)


def _of_conditions(fate: Fate, data: Any, edge: EdgeDefinition) -> Iterator[Reason]:
    rules = edge.rules()
    try:
        trial = try_value(edge, data, MOST_WORK)
    except TypeError:
        return  # a kind of edge that has no conditions
    is_switch = any(text == DEFAULT for _, text in rules)
    for number, (target, text) in enumerate(rules):
        if number >= len(trial.outcomes):
            break
        # The cases of a switch decide together; other conditions each for a target.
        if not is_switch and target != fate.target_id:
            continue
        outcome = trial.outcomes[number]
        name = f"case {number + 1} → {target}: {text}" if is_switch else text
        yield _line(name, outcome)
        yield from _parts(text, data)
        if is_switch and outcome.answer == "true":
            return
    if is_switch and trial.targets is not None and trial.case is None:
        yield Reason(text=f"default → {rules[-1][0]}", value="taken", holds=True)


def _line(text: str, outcome: Outcome, depth: int = 0) -> Reason:
    holds = {"true": True, "false": False}.get(outcome.answer)
    value = outcome.answer if holds is not None else outcome.reason
    return Reason(text=text or "no condition", value=value, holds=holds, depth=depth)


def _parts(text: str, data: Any) -> Iterator[Reason]:
    """Yield the clauses of a condition and the values of their operands."""
    if not text.strip() or text.startswith(PYTHON_PREFIX):
        return
    clauses = clauses_of(text)
    for clause in clauses:
        depth = 1
        if len(clauses) > 1:
            holds = _value_of(clause.text, data)
            if isinstance(holds, bool):
                words = "true" if holds else "false"
                yield Reason(text=clause.text, value=words, holds=holds, depth=1)
            else:
                yield Reason(text=clause.text, value=str(holds), depth=1)
            depth = 2
        for operand in clause.operands:
            yield Reason(text=operand, value=_text_of(operand, data), depth=depth)


def _text_of(operand: str, data: Any) -> str:
    if any(map(is_secret, _NAMES.findall(operand))):
        return MASKED
    value = _value_of(operand, data)
    return value.reason if isinstance(value, _NoValue) else line(value)


class _NoValue:
    """Says why an expression has no value."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


def _value_of(text: str, data: Any) -> Any:
    try:
        if Condition(text).work(data) > MOST_WORK:
            return _NoValue("too costly to evaluate here")
        return Expression(text)(message=data)
    except ConditionError as error:
        reason = str(error).removeprefix(f"Expression '{text}' failed: ")
        return _NoValue(reason)
