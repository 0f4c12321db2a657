"""A switch said as a multi-selection, and back: each way carries the negation of those
before it.

Both then choose the same for every message, also for one on which a condition fails:
the first that fails is one of the conditions of either. Only what has exactly this form
is turned into a switch, so nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from designer.model.edge_kinds.base import extra_fields
from designer.model.errors import EditError
from runtime.document.definition import (
    MultiSelectionEdge,
    Selection,
    SwitchCase,
    SwitchEdge,
)
from runtime.errors import ConditionError
from runtime.expressions.cel import MAX_TEXT, PYTHON_PREFIX, Condition

_NAME = re.compile(r"[\w.]+")


def as_selections(edge: SwitchEdge) -> MultiSelectionEdge:
    """Return a switch as a multi-selection. Raise `EditError` where that could not say
    the same.
    """
    targets = [*(case.target for case in edge.cases), edge.default]
    repeated = [target for target in targets if targets.count(target) > 1]
    if repeated:
        text = (
            f"Several cases of '{edge.id}' lead to '{repeated[0]}'; "
            "a multi-selection knows each target once."
        )
        raise EditError(text)
    for number, case in enumerate(edge.cases, start=1):
        if case.when.startswith(PYTHON_PREFIX) or not _compiles(case.when):
            text = f"Case {number} of '{edge.id}' needs a condition in CEL first."
            raise EditError(text, edge.id)
    *conditions, last_condition = exclusive([case.when for case in edge.cases])
    if any(len(text) > MAX_TEXT for text in (*conditions, last_condition)):
        text = f"The conditions of '{edge.id}' would become too long for one another."
        raise EditError(text, edge.id)
    # The names of cases come along as fields that a multi-selection does not use, for
    # the way back.
    selections = [
        Selection.model_validate({**case.model_dump(), "when": condition})
        for case, condition in zip(edge.cases, conditions, strict=True)
    ]
    selections.append(Selection(target=edge.default, when=last_condition))
    return MultiSelectionEdge(
        id=f"multi_selection:{edge.source}",
        source=edge.source,
        selections=tuple(selections),
        **extra_fields(edge),
    )


def as_switch(edge: MultiSelectionEdge) -> SwitchEdge:
    """Return a multi-selection as a switch.

    Raise `EditError` unless every message takes exactly one way and the texts show it.
    """
    conditions = _case_conditions([way.when for way in edge.selections])
    if conditions is None:
        text = (
            f"'{edge.id}' may take several ways or none, and a switch takes exactly "
            "one. It can be a switch when the last condition negates the others, as "
            "in: a, !(a)."
        )
        raise EditError(text, edge.id)
    *ways, last_way = edge.selections
    cases = []
    for number, (way, when) in enumerate(zip(ways, conditions, strict=True), start=1):
        fields = {"name": f"case {number}", **way.model_dump(), "when": when}
        cases.append(SwitchCase.model_validate(fields))
    return SwitchEdge(
        id=f"switch:{edge.source}",
        source=edge.source,
        cases=tuple(cases),
        default=last_way.target,
        **extra_fields(edge),
    )


def exclusive(conditions: Sequence[str]) -> list[str]:
    """Return each condition with the negation of those before it, and at last the
    negation of all.
    """
    texts = []
    negations = ""
    for condition in conditions:
        if negations:
            texts.append(f"{negations} && ({_inner(condition)})")
            negations = f"{negations} && {_negated(condition)}"
        else:
            texts.append(condition)
            negations = _negated(condition)
    return [*texts, negations]


def _case_conditions(texts: Sequence[str]) -> list[str] | None:
    """Return the conditions that `exclusive` made these texts of; None if it did not
    make them.
    """
    first = texts[0]
    last = texts[-1]
    if len(texts) == 2 and _NAME.fullmatch(first) and last == f"!{first}":
        return [first]
    conditions = [first]
    for text in texts[1:-1]:
        start = f"{exclusive(conditions)[-1]} && ("
        if not (text.startswith(start) and text.endswith(")")):
            return None
        conditions.append(text[len(start) : -1].removesuffix("\n"))
    if not all(map(_compiles, conditions)) or exclusive(conditions) != list(texts):
        return None
    return conditions


def _negated(text: str) -> str:
    return f"!({_inner(text)})"


def _inner(text: str) -> str:
    """Return the text with an end of line where a comment would swallow the bracket."""
    return f"{text}\n" if "//" in text else text


def _compiles(text: str) -> bool:
    try:
        Condition(text)
    except ConditionError:
        return False
    return True
