"""A direct edge in a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from runtime.edges.definition import Compiler, PythonText
from runtime.edges.drawing import Drawing, one_line
from runtime.edges.kinds.direct.group import SingleEdgeGroup
from runtime.edges.one_target_definition import OneTargetEdge


class DirectEdge(OneTargetEdge):
    """One source, one target, and perhaps a condition in CEL over `message`."""

    kind: Literal["direct"] = "direct"

    def build(self, compiler: Compiler) -> SingleEdgeGroup:
        test = compiler.condition(self.condition) if self.condition else None
        return SingleEdgeGroup(self.source, self.target, test, id=self.id)

    def drawing(self) -> Drawing:
        return one_line(self.source, self.target, self.condition)

    def to_python(self, python: PythonText) -> tuple[str, list[str]]:
        return "add_edge", self._python_arguments(python)

    @classmethod
    def name_for(cls, raw: Mapping[str, Any]) -> str:
        return f"{raw.get('source')}-{raw.get('target')}"
