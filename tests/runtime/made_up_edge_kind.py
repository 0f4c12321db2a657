"""A kind of edge that is not ours: every second message of the source goes to the
target.

It holds the first message of two back, so it has a state that a checkpoint must carry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Literal

from runtime.edges import EDGE_KINDS, EdgeKind
from runtime.edges.arcs import JoinRule
from runtime.edges.base import Edge
from runtime.edges.definition import (
    Compiler,
    ConditionWords,
    EdgeDefinition,
    End,
    Finding,
    FunctionNames,
)
from runtime.edges.drawing import Drawing, DrawnWay
from runtime.edges.join import Held, JoinEdgeGroup


class EverySecondGroup(JoinEdgeGroup):
    kind = "every_second"
    delivers_lists: ClassVar[bool] = False

    def __init__(self, source_id: str, target_id: str, *, id: str | None = None):
        super().__init__([Edge(source_id, target_id)], id)

    def release(self, held: Held) -> tuple[list[Held], Held]:
        whole = len(held) // 2 * 2
        pairs = [held[first : first + 2] for first in range(0, whole, 2)]
        return pairs, held[whole:]

    def delivered(self, messages: Held) -> Any:
        return messages[-1].data

    def awaited(self, held: Held) -> tuple[str, ...]:
        return self.awaited_ids

    def drawing(self) -> Drawing:
        return drawn(self.source_ids[0], self.target_id)

    @classmethod
    def of(cls, data: dict[str, Any], edges: Sequence[Edge]) -> EverySecondGroup:
        return cls(edges[0].source_id, edges[0].target_id, id=data["id"])


class EverySecondEdge(EdgeDefinition):
    """Every second message goes to the target."""

    kind: Literal["every_second"] = "every_second"
    source: str
    target: str

    def ends(self) -> Iterator[End]:
        yield End("source", self.source)
        yield End("target", self.target)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        return ((self.source, self.target),)

    @property
    def join(self) -> JoinRule:
        return JoinRule("count", 2, delivers_lists=False)

    def problems(self) -> Iterator[Finding]:
        if self.source == self.target:
            text = "An edge for every second message cannot lead back to its source"
            yield Finding("enough-ends", text, "target", "Connect another node.")

    def build(self, compiler: Compiler) -> EverySecondGroup:
        return EverySecondGroup(self.source, self.target, id=self.id)

    def drawing(self) -> Drawing:
        return drawn(self.source, self.target)

    @classmethod
    def fields_of(cls, group: EverySecondGroup, names: FunctionNames) -> dict[str, Any]:
        return {"source": group.source_ids[0], "target": group.target_id}

    @classmethod
    def fields_of_signature(
        cls,
        pairs: Sequence[tuple[str, str]],
        logic: Mapping[str, Any],
        words: ConditionWords,
    ) -> dict[str, Any]:
        source, target = pairs[0]
        return {"source": source, "target": target}


def drawn(source: str, target: str) -> Drawing:
    return Drawing((source,), (DrawnWay(target),), "every second")


EVERY_SECOND = EdgeKind(
    "every_second", f"{__name__}:EverySecondGroup", f"{__name__}:EverySecondEdge"
)


@contextmanager
def every_second_is_known() -> Iterator[None]:
    EDGE_KINDS.register(EVERY_SECOND)
    try:
        yield
    finally:
        EDGE_KINDS.remove(EVERY_SECOND.name)
