"""Plain edges: one source, one target, perhaps a condition. All groups can become them,
and they any group.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from designer.model.edge_kinds.base import (
    AnyEdge,
    EdgeKind,
    Name,
    PlainWay,
    Repair,
    Way,
    kind_of,
    plain_edge,
)
from designer.model.errors import EditError
from runtime.document.definition import DirectEdge, EdgeDefinition


class SingleKind(EdgeKind[AnyEdge]):
    """One source, one target, one condition: what plain edges and error edges share."""

    single = True

    def grown(self, edge: AnyEdge, node: str) -> EdgeDefinition | None:
        return None

    def with_ends(
        self, edge: AnyEdge, sources: Mapping[str, str], targets: Mapping[str, str]
    ) -> EdgeDefinition:
        source = self.hub(edge)
        target = edge.target_ids[0]
        ends = {
            "source": sources.get(source, source),
            "target": targets.get(target, target),
        }
        return edge.model_copy(update=ends)

    def fewer(self, edge: AnyEdge, removed: Collection[str]) -> EdgeDefinition | None:
        return None

    def conditions(self, edge: AnyEdge) -> tuple[str, ...]:
        condition: str = getattr(edge, "condition", "")
        return (condition,)

    def with_condition(self, edge: AnyEdge, number: int, text: str) -> EdgeDefinition:
        return edge.model_copy(update={"condition": text})

    def repairs(self, edge: AnyEdge, rule: str, part: str) -> Iterator[Repair]:
        if rule == "condition-compiles":
            yield Repair("Remove the condition", (self.with_condition(edge, 0, ""),))
        elif rule == "self-loop":
            yield Repair("Delete the loop", ())

    def heading(self, edge: AnyEdge, name: Name) -> str:
        return f"{name(self.hub(edge))} → {name(edge.target_ids[0])}"

    def sentence(self, edge: AnyEdge, name: Name) -> str:
        text = f"{name(self.hub(edge))} to {name(edge.target_ids[0])}"
        condition = self.conditions(edge)[0]
        return f"{text}, when {condition}" if condition else text


class DirectKind(SingleKind[DirectEdge]):
    kind = "direct"
    title = "Edge"
    label = "Plain edges"
    word = "wire"
    plural = "plain edges"
    make_text = "Make plain edges"
    joins_groups = True
    turns_into: ClassVar[tuple[str, ...]] = (
        "fan_out",
        "fan_in",
        "multi_selection",
        "switch",
        "on_error",
    )

    def label_from(self, kind: EdgeKind[Any]) -> str:
        return "Plain edge" if kind.single else self.label

    def make_text_from(self, kind: EdgeKind[Any]) -> str:
        return "Convert to a plain edge" if kind.single else self.make_text

    def usual_id(self, edge: DirectEdge) -> str:
        return f"{edge.source}->{edge.target}"

    def beside(self, edge: DirectEdge, node: str) -> EdgeDefinition:
        return plain_edge(edge.source, node)

    def spliced(
        self, edge: DirectEdge, way: Way, node: str
    ) -> tuple[EdgeDefinition | None, tuple[EdgeDefinition, ...]]:
        """Return two plain edges in the place of the one. The condition stays where
        messages leave the source.
        """
        before = plain_edge(edge.source, node, edge.condition, edge)
        return None, (before, plain_edge(node, edge.target))

    def is_plain(self, edge: DirectEdge) -> bool:
        return not edge.condition

    def common_condition(self, edge: DirectEdge) -> str | None:
        return edge.condition

    def plain_ways(self, edge: DirectEdge) -> tuple[PlainWay, ...]:
        return (PlainWay(edge.source, edge.target, edge.condition),)

    def made_of(self, edges: Sequence[EdgeDefinition]) -> list[EdgeDefinition]:
        if all(edge.carries_failures for edge in edges):
            return [of_other_sense(edge, "the message") for edge in edges]
        like = edges[0] if len(edges) == 1 else None
        ways = [way for edge in edges for way in kind_of(edge).plain_ways(edge)]
        return [plain_edge(*way, like) for way in ways]


def of_other_sense(edge: EdgeDefinition, subject: str) -> EdgeDefinition:
    """Return a plain edge between the ends of an error edge, or of an edge that shall
    become one.

    Raise `EditError` for a group, and where there is a condition, because it would be
    asked about `subject`.
    """
    kind = kind_of(edge)
    if not kind.single:
        text = (
            f"'{edge.id}' is a group; only a plain edge can become an error edge. "
            "Make plain edges of it first."
        )
        raise EditError(text, edge.id)
    if any(kind.conditions(edge)):
        text = (
            f"The condition of '{edge.id}' would be asked about {subject} then. "
            "Clear it first."
        )
        raise EditError(text, edge.id)
    return plain_edge(kind.hub(edge), edge.target_ids[0], like=edge)


DIRECT = DirectKind()
