"""CEL expressions over long lists.

The library copies the whole result of `map` and `filter` once for each element, so a
list of 2,000 maps takes seconds. If an expression ends with such steps
(`message.items.filter(x, ...).map(x, ...)`), this module takes them, element by
element, each with an expression of its own. Everything else is the library's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runtime.errors import ConditionError
from runtime.expressions.cel import MAX_WORK, VARIABLE, Expression
from runtime.expressions.cel_tokens import TOKEN

_STEPS = ("map", "filter")
# Python has one kind of integer, so an unsigned one would come back as another kind.
_UNSIGNED = re.compile(r"\buint\b|\d[uU]\b")


class _WorkBudget:
    """The cost that one evaluation may still have, over all elements."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._left = MAX_WORK

    def spend(self, cost: int) -> None:
        self._left -= cost
        if self._left < 0:
            raise ConditionError(
                f"Expression '{self._text}' is too costly for this message. Do this work in a Python node, or for each "
                "element by itself.",
                text=self._text,
            )


class Transform:
    """An `Expression`, with the same errors, for lists of tens of thousands of
    elements in its last steps.
    """

    def __init__(self, text: str, variables: Sequence[str] = (VARIABLE,)) -> None:
        self.text = text
        expression = Expression(text, variables)
        base, cuts = _cut(text)
        self._base = Expression(base, variables) if cuts else expression
        self._steps = [_Step.of(cut, variables) for cut in cuts]

    def __call__(self, **values: Any) -> Any:
        return self._evaluate(values, _WorkBudget(self.text))

    def _evaluate(self, values: Mapping[str, Any], budget: _WorkBudget) -> Any:
        result, cost = self._base.measured(values)
        budget.spend(cost)
        for step in self._steps:
            result = self._apply_step(step, result, values, budget)
        return result

    def _apply_step(
        self,
        step: _Step,
        collection: Any,
        values: Mapping[str, Any],
        budget: _WorkBudget,
    ) -> list[Any]:
        if not isinstance(collection, list | dict):
            raise ConditionError(
                f"Expression '{self.text}' failed: {step.name} needs a list or a map, not {type(collection).__name__}.",
                text=self.text,
            )
        others = {
            name: _part(values[name], fields)
            for name, fields in step.needs.items()
            if name != step.variable
        }
        results = []
        for item in collection:
            result = step.body._evaluate({**others, step.variable: item}, budget)
            if step.name == "map":
                results.append(result)
            elif not isinstance(result, bool):
                raise ConditionError(
                    f"Expression '{self.text}' failed: filter needs true or false, not {type(result).__name__}.",
                    text=self.text,
                )
            elif result:
                results.append(item)
        return results


@dataclass(frozen=True, slots=True)
class _Cut:
    name: str
    variable: str
    body: str


@dataclass(frozen=True, slots=True)
class _Step:
    """`needs` are the names that the body uses: with their fields, or with None
    for the whole value.
    """

    name: str
    variable: str
    body: Transform
    needs: Mapping[str, frozenset[str] | None]

    @classmethod
    def of(cls, cut: _Cut, variables: Sequence[str]) -> _Step:
        return cls(
            cut.name,
            cut.variable,
            Transform(cut.body, (*variables, cut.variable)),
            _needs(cut.body, variables),
        )


def _part(value: Any, fields: frozenset[str] | None) -> Any:
    """Return only the fields that are needed, because passing a whole message for
    each element would cost more than the work.
    """
    if fields is None or not isinstance(value, dict):
        return value
    return {name: value[name] for name in fields if name in value}


def _needs(text: str, variables: Sequence[str]) -> dict[str, frozenset[str] | None]:
    words = [
        token.group() for token in TOKEN.finditer(text) if token.lastgroup != "skip"
    ]
    needs: dict[str, frozenset[str] | None] = {}
    for index, word in enumerate(words):
        if word not in variables or words[index - 1 : index] == ["."]:
            continue
        dotted = words[index + 1 : index + 2] == ["."] and words[
            index + 3 : index + 4
        ] != ["("]
        seen = needs.get(word, frozenset())
        needs[word] = seen | {words[index + 2]} if dotted and seen is not None else None
    return needs


def _cut(text: str) -> tuple[str, list[_Cut]]:
    """Return the expression before the last steps, and the steps. The library has
    parsed the text.
    """
    cuts: list[_Cut] = []
    while not _UNSIGNED.search(text):
        step = _last_step(text)
        if step is None:
            break
        text, cut = step
        cuts.insert(0, cut)
    return text, cuts


def _last_step(text: str) -> tuple[str, _Cut] | None:
    """Return the text before the step that ends it, and the step; None if it ends
    with none.
    """
    tokens = [token for token in TOKEN.finditer(text) if token.lastgroup != "skip"]
    words = [token.group() for token in tokens]
    depth = 0
    opened = -1
    commas: list[int] = []
    top: list[int] = []
    for index, word in enumerate(words):
        is_mark = tokens[index].lastgroup == "mark"
        if is_mark and word in ")]}":
            depth -= 1
        if depth == 0:
            top.append(index)
        if is_mark and word in "([{":
            opened, commas = (index, []) if depth == 0 else (opened, commas)
            depth += 1
        elif is_mark and word == "," and depth == 1:
            commas.append(index)
    if opened < 3 or len(commas) != 1 or commas[0] != opened + 2 or words[-1] != ")":
        return None
    name = words[opened - 1]
    if (
        name not in _STEPS
        or words[opened - 2] != "."
        or not all(_is_postfix(tokens[index]) for index in top)
    ):
        return None
    body = text[tokens[commas[0]].end() : tokens[-1].start()].strip()
    return text[: tokens[opened - 2].start()], _Cut(name, words[opened + 1], body)


def _is_postfix(token: re.Match[str]) -> bool:
    """Whether a token outside of brackets leaves the text one operand: with an operator
    a step would be only a part.
    """
    return (token.lastgroup == "name" and token.group() != "in") or (
        token.lastgroup == "mark" and token.group() in ".()[]{}"
    )
