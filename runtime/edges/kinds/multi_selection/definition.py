"""A multi-selection in a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from runtime.edges.arcs import Arc
from runtime.edges.definition import (
    Compiler,
    ConditionText,
    ConditionWords,
    EdgeDefinition,
    End,
    Finding,
    FunctionNames,
    Part,
    PythonText,
)
from runtime.edges.drawing import Drawing, selection_box
from runtime.edges.kinds.multi_selection.group import MultiSelectionEdgeGroup
from runtime.edges.trial import Ask, Trial, try_each


class Selection(BaseModel):
    """One way of a multi-selection: taken when its condition is true; an empty
    condition always is.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    target: str
    when: str = ""


class MultiSelectionEdge(EdgeDefinition):
    """Any number of ways: every target whose condition is true."""

    kind: Literal["multi_selection"] = "multi_selection"
    source: str
    selections: tuple[Selection, ...]

    def ends(self) -> Iterator[End]:
        yield End("source", self.source)
        for number, way in enumerate(self.selections):
            yield End(f"selections[{number}].target", way.target)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        return tuple((self.source, way.target) for way in self.selections)

    @property
    def source_ids(self) -> tuple[str, ...]:
        return (self.source,)

    def arcs(self) -> Iterator[Arc]:
        for way in self.selections:
            taken: Literal["maybe", "always"] = "maybe" if way.when else "always"
            yield Arc(self.source, way.target, self, taken, way.when)

    def conditions(self) -> Sequence[ConditionText]:
        return [
            ConditionText(
                f"selections[{number}].when",
                f"The condition of way {number + 1}",
                way.when,
            )
            for number, way in enumerate(self.selections)
            if way.when
        ]

    def rules(self) -> tuple[tuple[str, str], ...]:
        return tuple((way.target, way.when) for way in self.selections)

    def parts(self) -> Iterator[Part]:
        for number, way in enumerate(self.selections):
            yield Part(f"selections[{number}]", f"way {number + 1}", way)

    def problems(self) -> Iterator[Finding]:
        if len(self.selections) < 2:
            text = "A multi-selection needs at least two targets"
            remedy = "Add one, or use a plain edge with a condition."
            yield Finding("enough-ends", text, "selections", remedy)

    def try_value(self, ask: Ask) -> Trial:
        return try_each(ask, self.rules())

    def build(self, compiler: Compiler) -> MultiSelectionEdgeGroup:
        targets = [way.target for way in self.selections]
        if len(targets) < 2:
            raise ValueError("A multi-selection needs at least two targets.")
        selection = compiler.selection(self.rules())
        return MultiSelectionEdgeGroup(self.source, targets, selection, id=self.id)

    def drawing(self) -> Drawing:
        return selection_box(self.source, self.rules())

    def to_python(self, python: PythonText) -> tuple[str, list[str]]:
        targets = python.nodes([way.target for way in self.selections])
        conditions = python.value(dict(self.rules()))
        arguments = [
            python.node(self.source),
            targets,
            f"parts.any_of({conditions})",
            self._python_id(python),
        ]
        return "add_multi_selection_edge_group", arguments

    @classmethod
    def fields_of(
        cls, group: MultiSelectionEdgeGroup, names: FunctionNames
    ) -> dict[str, Any]:
        selections = [
            {"target": target, "when": names.selection(group.selection_func, target)}
            for target in group.target_ids
        ]
        return {"source": group.source_ids[0], "selections": selections}

    @classmethod
    def fields_of_signature(
        cls,
        pairs: Sequence[tuple[str, str]],
        logic: Mapping[str, Any],
        words: ConditionWords,
    ) -> dict[str, Any]:
        when = words(logic.get("selection"))
        selections = [{"target": target, "when": when} for _, target in pairs]
        return {"source": pairs[0][0], "selections": selections}
