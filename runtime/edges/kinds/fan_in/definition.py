"""A join in a document."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, Self

from runtime.edges.arcs import JoinRule
from runtime.edges.definition import (
    Compiler,
    ConditionWords,
    EdgeDefinition,
    End,
    Finding,
    FunctionNames,
    PythonText,
)
from runtime.edges.drawing import Drawing, join_box
from runtime.edges.kinds.fan_in.group import FanInEdgeGroup, Policy


class FanInEdge(EdgeDefinition):
    """A join: the target gets one list, when the policy says so. `count` belongs to the
    policy of that name.
    """

    kind: Literal["fan_in"] = "fan_in"
    sources: tuple[str, ...]
    target: str
    policy: Policy = "all"
    count: int = 0

    def ends(self) -> Iterator[End]:
        for number, source in enumerate(self.sources):
            yield End(f"sources[{number}]", source)
        yield End("target", self.target)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        return tuple((source, self.target) for source in self.sources)

    @property
    def target_ids(self) -> tuple[str, ...]:
        return (self.target,)

    @property
    def join(self) -> JoinRule:
        return JoinRule(self.policy, self.count)

    def without_sources(self, silent: Collection[str]) -> Self | None:
        sources = tuple(source for source in self.sources if source not in silent)
        if sources == self.sources:
            return self
        return self.model_copy(update={"sources": sources}) if sources else None

    def types_along(self, sent: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"list[{type_}]" for type_ in sent)

    def problems(self) -> Iterator[Finding]:
        if len(self.sources) < 2:
            text = "A join needs at least two sources"
            remedy = "Add one, or use a plain edge."
            yield Finding("enough-ends", text, "sources", remedy)
        elif (self.policy == "count") != (self.count > 0):
            text = (
                "The policy 'count' needs a count of at least 1, "
                "and no other policy has one"
            )
            remedy = "Set the count, or choose another policy."
            yield Finding("join-count", text, "count", remedy)

    def label_to(self, target: str) -> str:
        return f"join of {len(self.sources)}"

    def build(self, compiler: Compiler) -> FanInEdgeGroup:
        return FanInEdgeGroup(
            list(self.sources),
            self.target,
            policy=self.policy,
            count=self.count,
            id=self.id,
        )

    def drawing(self) -> Drawing:
        return join_box(self.sources, self.target, self.policy, self.count)

    def to_python(self, python: PythonText) -> tuple[str, list[str]]:
        arguments = [python.nodes(self.sources), python.node(self.target)]
        if self.policy != "all":
            arguments.append(f"policy={python.value(self.policy)}")
        if self.count:
            arguments.append(f"count={self.count}")
        arguments.append(self._python_id(python))
        return "add_fan_in_edges", arguments

    @classmethod
    def fields_of(cls, group: FanInEdgeGroup, names: FunctionNames) -> dict[str, Any]:
        return {
            "sources": list(group.source_ids),
            "target": group.target_id,
            "policy": group.policy,
            "count": group.count,
        }

    @classmethod
    def fields_of_signature(
        cls,
        pairs: Sequence[tuple[str, str]],
        logic: Mapping[str, Any],
        words: ConditionWords,
    ) -> dict[str, Any]:
        return {
            "sources": [source for source, _ in pairs],
            "target": pairs[0][1],
            "policy": str(logic.get("policy", "all")),
            "count": int(logic.get("count", 0)),
        }

    @classmethod
    def name_for(cls, raw: Mapping[str, Any]) -> str:
        # A node has one join as a rule, so the target is enough to name it.
        return f"join-{raw.get('target')}"
