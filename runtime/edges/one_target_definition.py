"""What the models of edges with one source, one target and a condition share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from runtime.edges.arcs import Arc, Taken
from runtime.edges.definition import (
    ConditionText,
    ConditionWords,
    EdgeDefinition,
    End,
    FunctionNames,
    PythonText,
)
from runtime.edges.one_target import OneTargetEdgeGroup
from runtime.edges.trial import Ask, Trial, try_each


class OneTargetEdge(EdgeDefinition):
    """One source, one target, and perhaps a condition."""

    source: str
    target: str
    condition: str = ""

    def ends(self) -> Iterator[End]:
        yield End("source", self.source)
        yield End("target", self.target)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        return ((self.source, self.target),)

    def arcs(self) -> Iterator[Arc]:
        is_choice = bool(self.condition) or self.carries_failures
        taken: Taken = "maybe" if is_choice else "always"
        yield Arc(self.source, self.target, self, taken, self.condition)

    def conditions(self) -> Sequence[ConditionText]:
        if not self.condition:
            return ()
        return (ConditionText("condition", "The condition", self.condition),)

    def rules(self) -> tuple[tuple[str, str], ...]:
        return ((self.target, self.condition),) if self.condition else ()

    def try_value(self, ask: Ask) -> Trial:
        return try_each(ask, [(self.target, self.condition)])

    def _python_arguments(self, python: PythonText) -> list[str]:
        arguments = [python.node(self.source), python.node(self.target)]
        if self.condition:
            arguments.append(f"condition={python.condition(self.condition)}")
        return [*arguments, self._python_id(python)]

    @classmethod
    def fields_of(
        cls, group: OneTargetEdgeGroup, names: FunctionNames
    ) -> dict[str, Any]:
        condition = group.condition
        return {
            "source": group.source_ids[0],
            "target": group.target_ids[0],
            "condition": "" if condition is None else names.condition(condition),
        }

    @classmethod
    def fields_of_signature(
        cls,
        pairs: Sequence[tuple[str, str]],
        logic: Mapping[str, Any],
        words: ConditionWords,
    ) -> dict[str, Any]:
        source, target = pairs[0]
        condition = words(logic.get("condition"))
        return {"source": source, "target": target, "condition": condition}
