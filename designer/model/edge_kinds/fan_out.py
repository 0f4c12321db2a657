"""Fan-outs: every message of the source goes to every target."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from designer.model.edge_kinds.base import (
    EdgeKind,
    Name,
    PlainWay,
    all_plain_ways,
    check_list,
    plain_edge,
    refuse_conditions,
    replaced,
    require_group,
    sources_of,
    targets_of,
)
from runtime.document.definition import EdgeDefinition, FanOutEdge


def fan_out(source: str, targets: Sequence[str]) -> FanOutEdge:
    return FanOutEdge(id=f"fan_out:{source}", source=source, targets=tuple(targets))


class FanOutKind(EdgeKind[FanOutEdge]):
    kind = "fan_out"
    title = "Fan-out"
    label = "Fan-out"
    word = "fan-out"
    plural = "a fan-out"
    make_text = "Make a fan-out of its source's edges"
    grow_text = "Add a target"
    icon = "fanout"
    turns_into = ("direct", "multi_selection")

    def with_ends(
        self, edge: FanOutEdge, sources: Mapping[str, str], targets: Mapping[str, str]
    ) -> EdgeDefinition:
        source = sources.get(edge.source, edge.source)
        moved = replaced(edge.targets, targets)
        return edge.model_copy(update={"source": source, "targets": moved})

    def with_targets(self, edge: FanOutEdge, targets: Sequence[str]) -> EdgeDefinition:
        return edge.model_copy(update={"targets": tuple(targets)})

    def fewer(
        self, edge: FanOutEdge, removed: Collection[str]
    ) -> EdgeDefinition | None:
        remaining = [target for target in edge.targets if target not in removed]
        if len(remaining) > 1:
            return self.with_targets(edge, remaining)
        if remaining:
            return plain_edge(edge.source, remaining[0], like=edge)
        return None

    def grown(self, edge: FanOutEdge, node: str) -> EdgeDefinition | None:
        return self.with_targets(edge, (*edge.targets, node))

    def with_copies(
        self, twin: FanOutEdge, edge: FanOutEdge, copies: Mapping[str, str]
    ) -> EdgeDefinition | None:
        if twin.source != edge.source or twin.source in copies:
            return None
        added = [copies[target] for target in edge.targets if target in copies]
        return self.with_targets(twin, (*twin.targets, *added))

    def distinct(self, edge: FanOutEdge) -> EdgeDefinition:
        targets = edge.target_ids
        if len(targets) > 1:
            return self.with_targets(edge, targets)
        return plain_edge(edge.source, targets[0])

    def check(self, edge: FanOutEdge) -> None:
        check_list(edge, edge.targets, "targets")

    def common_condition(self, edge: FanOutEdge) -> str | None:
        return ""

    def plain_ways(self, edge: FanOutEdge) -> tuple[PlainWay, ...]:
        return tuple(PlainWay(edge.source, target) for target in edge.targets)

    def made_of(self, edges: Sequence[EdgeDefinition]) -> list[EdgeDefinition]:
        ways = all_plain_ways(edges)
        sources = sources_of(ways)
        targets = targets_of(ways)
        require_group(ways, sources, targets, "leave one node")
        refuse_conditions(ways)
        return [fan_out(sources[0], targets)]

    def without_doubles(
        self, edge: FanOutEdge, pairs: Collection[tuple[str, str]]
    ) -> EdgeDefinition | None:
        targets = dict.fromkeys(target for _, target in pairs)
        return self.with_targets(edge, list(targets))

    def sentence(self, edge: FanOutEdge, name: Name) -> str:
        return f"{self.name_of(edge, name)} to {len(edge.targets)} targets"


FAN_OUT = FanOutKind()
