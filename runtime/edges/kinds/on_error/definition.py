"""An error edge in a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from runtime.edges.definition import Compiler, PythonText
from runtime.edges.drawing import Drawing, error_line
from runtime.edges.kinds.on_error.group import OnErrorEdgeGroup
from runtime.edges.one_target_definition import OneTargetEdge


class OnErrorEdge(OneTargetEdge):
    """The failure of the source goes to the target, in the place of failing the
    superstep; only if the condition, CEL over the failure as `message`, is true.
    """

    carries_failures: ClassVar[bool] = True

    kind: Literal["on_error"] = "on_error"

    def build(self, compiler: Compiler) -> OnErrorEdgeGroup:
        test = compiler.condition(self.condition) if self.condition else None
        return OnErrorEdgeGroup(self.source, self.target, test, id=self.id)

    def drawing(self) -> Drawing:
        return error_line(self.source, self.target, self.condition)

    def to_python(self, python: PythonText) -> tuple[str, list[str]]:
        return "add_error_edge", self._python_arguments(python)

    @classmethod
    def name_for(cls, raw: Mapping[str, Any]) -> str:
        return f"error-{raw.get('source')}-{raw.get('target')}"
