"""A switch said as a multi-selection, and back: each way carries the negation of those before it.

Both then choose the same for every message, also for one on which a condition fails: the first that fails is one of
the conditions of either. Only what has exactly this form is turned into a switch, so nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

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
    """Raises `EditError` where a multi-selection could not say the same."""
    targets = [*(case.target for case in edge.cases), edge.default]
    twice = next((target for target in targets if targets.count(target) > 1), "")
    if twice:
        raise EditError(
            f"Several cases of '{edge.id}' lead to '{twice}'; a multi-selection knows each target once."
        )
    for at, case in enumerate(edge.cases, start=1):
        if case.when.startswith(PYTHON_PREFIX) or not _compiles(case.when):
            raise EditError(
                f"Case {at} of '{edge.id}' needs a condition in CEL first.", edge.id
            )
    conditions = exclusive([case.when for case in edge.cases])
    if any(len(text) > MAX_TEXT for text in conditions):
        raise EditError(
            f"The conditions of '{edge.id}' would become too long for one another.",
            edge.id,
        )
    # The names of cases come along as fields that a multi-selection does not use, for the way back.
    ways = [
        Selection.model_validate({**case.model_dump(), "when": text})
        for case, text in zip(edge.cases, conditions, strict=False)
    ]
    last = Selection(target=edge.default, when=conditions[-1])
    return MultiSelectionEdge(
        id=f"multi_selection:{edge.source}",
        source=edge.source,
        selections=(*ways, last),
        **(edge.model_extra or {}),
    )


def as_switch(edge: MultiSelectionEdge) -> SwitchEdge:
    """Raises `EditError` unless exactly one way is taken for every message, and this can be seen from the texts."""
    conditions = _cases([way.when for way in edge.selections])
    if conditions is None:
        text = (
            f"'{edge.id}' may take several ways or none, and a switch takes exactly one. It can be a switch when the "
            "last condition negates the others, as in: a, !(a)."
        )
        raise EditError(text, edge.id)
    cases = []
    for at, (way, when) in enumerate(
        zip(edge.selections, conditions, strict=False), start=1
    ):
        cases.append(
            SwitchCase.model_validate(
                {"name": f"case {at}", **way.model_dump(), "when": when}
            )
        )
    return SwitchEdge(
        id=f"switch:{edge.source}",
        source=edge.source,
        cases=tuple(cases),
        default=edge.selections[-1].target,
        **(edge.model_extra or {}),
    )


def exclusive(conditions: Sequence[str]) -> list[str]:
    """Each condition with the negation of those before it, and at last the negation of all."""
    found = []
    before = ""
    for text in conditions:
        found.append(f"{before} && ({_inner(text)})" if before else text)
        before = f"{before} && {_negated(text)}" if before else _negated(text)
    return [*found, before]


def _cases(conditions: Sequence[str]) -> list[str] | None:
    """The conditions that `exclusive` made these of; None if it did not."""
    first = conditions[0]
    last = conditions[-1]
    if len(conditions) == 2 and _NAME.fullmatch(first) and last == f"!{first}":
        return [first]
    cases = [first]
    for text in conditions[1:-1]:
        start = f"{exclusive(cases)[-1]} && ("
        if not (text.startswith(start) and text.endswith(")")):
            return None
        cases.append(text[len(start) : -1].removesuffix("\n"))
    made = all(map(_compiles, cases)) and exclusive(cases) == list(conditions)
    return cases if made else None


def _negated(text: str) -> str:
    return f"!({_inner(text)})"


def _inner(text: str) -> str:
    """With an end of line where a comment would swallow the bracket."""
    return f"{text}\n" if "//" in text else text


def _compiles(text: str) -> bool:
    try:
        Condition(text)
    except ConditionError:
        return False
    return True
