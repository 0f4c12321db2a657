"""A fan-out in a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from runtime.edges.definition import (
    Compiler,
    ConditionWords,
    EdgeDefinition,
    End,
    Finding,
    FunctionNames,
    PythonText,
)
from runtime.edges.drawing import Drawing, plain_lines
from runtime.edges.kinds.fan_out.group import FanOutEdgeGroup


class FanOutEdge(EdgeDefinition):
    """Every message of the source goes to every target."""

    kind: Literal["fan_out"] = "fan_out"
    source: str
    targets: tuple[str, ...]

    def ends(self) -> Iterator[End]:
        yield End("source", self.source)
        for number, target in enumerate(self.targets):
            yield End(f"targets[{number}]", target)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        return tuple((self.source, target) for target in self.targets)

    @property
    def source_ids(self) -> tuple[str, ...]:
        return (self.source,)

    def problems(self) -> Iterator[Finding]:
        if len(self.targets) < 2:
            text = "A fan-out needs at least two targets"
            remedy = "Add one, or use a plain edge."
            yield Finding("enough-ends", text, "targets", remedy)

    def build(self, compiler: Compiler) -> FanOutEdgeGroup:
        return FanOutEdgeGroup(self.source, list(self.targets), id=self.id)

    def drawing(self) -> Drawing:
        return plain_lines(self.source, self.targets)

    def to_python(self, python: PythonText) -> tuple[str, list[str]]:
        arguments = [
            python.node(self.source),
            python.nodes(self.targets),
            self._python_id(python),
        ]
        return "add_fan_out_edges", arguments

    @classmethod
    def refusal_of(cls, group: FanOutEdgeGroup) -> str:
        if group.selection_func is None:
            return ""
        return (
            f"the fan-out '{group.id}' with a selection "
            "(make it with add_multi_selection_edge_group)"
        )

    @classmethod
    def fields_of(cls, group: FanOutEdgeGroup, names: FunctionNames) -> dict[str, Any]:
        return {"source": group.source_ids[0], "targets": list(group.target_ids)}

    @classmethod
    def fields_of_signature(
        cls,
        pairs: Sequence[tuple[str, str]],
        logic: Mapping[str, Any],
        words: ConditionWords,
    ) -> dict[str, Any]:
        source = pairs[0][0]
        targets = [target for _, target in pairs]
        if "selection" not in logic:
            return {"source": source, "targets": targets}
        # A document has a kind of its own for a fan-out that selects.
        when = words(logic["selection"])
        selections = [{"target": target, "when": when} for target in targets]
        return {
            "kind": "multi_selection",
            "source": source,
            "selections": selections,
        }
