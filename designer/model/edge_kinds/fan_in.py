"""Joins: the target gets one list of what its sources sent, when the policy says so."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from designer.model.edge_kinds.base import (
    EdgeKind,
    Name,
    PlainWay,
    Repair,
    all_plain_ways,
    check_list,
    plain_edge,
    refuse_conditions,
    replaced,
    require_group,
    sources_of,
    targets_of,
)
from designer.model.edge_kinds.direct import DIRECT
from designer.model.errors import EditError
from runtime.document.definition import EdgeDefinition, FanInEdge


def join(sources: Sequence[str], target: str) -> FanInEdge:
    """Return a join with the policy `all`."""
    return FanInEdge(id=f"fan_in:{target}", sources=tuple(sources), target=target)


class FanInKind(EdgeKind[FanInEdge]):
    kind = "fan_in"
    title = "Join"
    label = "Join"
    word = "join"
    plural = "a join"
    make_text = "Make a join of its target's edges"
    grow_text = "Add a source"
    icon = "join"
    hub_side = "in"
    turns_into = ("direct",)

    def with_ends(
        self, edge: FanInEdge, sources: Mapping[str, str], targets: Mapping[str, str]
    ) -> EdgeDefinition:
        moved = replaced(edge.sources, sources)
        target = targets.get(edge.target, edge.target)
        return edge.model_copy(update={"sources": moved, "target": target})

    def fewer(self, edge: FanInEdge, removed: Collection[str]) -> EdgeDefinition | None:
        remaining = [source for source in edge.sources if source not in removed]
        if len(remaining) > 1:
            return self._with_sources(edge, remaining)
        if remaining:
            return plain_edge(remaining[0], edge.target, like=edge)
        return None

    def _with_sources(self, edge: FanInEdge, sources: Sequence[str]) -> EdgeDefinition:
        return edge.model_copy(update={"sources": tuple(sources)})

    def grown(self, edge: FanInEdge, node: str) -> EdgeDefinition | None:
        return self.with_source(edge, node)

    def with_source(self, edge: FanInEdge, node: str) -> EdgeDefinition:
        return self._with_sources(edge, (*edge.sources, node))

    def with_copies(
        self, twin: FanInEdge, edge: FanInEdge, copies: Mapping[str, str]
    ) -> EdgeDefinition | None:
        if twin.target != edge.target or twin.target in copies:
            return None
        added = [copies[source] for source in edge.sources if source in copies]
        return self._with_sources(twin, (*twin.sources, *added))

    def distinct(self, edge: FanInEdge) -> EdgeDefinition:
        sources = tuple(dict.fromkeys(edge.sources))
        if len(sources) > 1:
            return self._with_sources(edge, sources)
        return plain_edge(sources[0], edge.target)

    def check(self, edge: FanInEdge) -> None:
        check_list(edge, edge.sources, "sources")

    def plain_ways(self, edge: FanInEdge) -> tuple[PlainWay, ...]:
        if edge.policy != "all":
            text = (
                f"The join '{edge.id}' has the policy '{edge.policy}'. "
                "Set it to 'all' before you take it apart."
            )
            raise EditError(text, edge.id)
        return tuple(PlainWay(source, edge.target) for source in edge.sources)

    def made_of(self, edges: Sequence[EdgeDefinition]) -> list[EdgeDefinition]:
        ways = all_plain_ways(edges)
        sources = sources_of(ways)
        targets = targets_of(ways)
        require_group(ways, targets, sources, "lead to one node")
        refuse_conditions(ways)
        return [join(sources, targets[0])]

    def completed(
        self, edge: FanInEdge, changes: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Give a policy without a count the one that fits: a message per source for
        `count`, else none.
        """
        if "policy" not in changes:
            return changes
        count = len(edge.sources) if changes["policy"] == "count" else 0
        return {"count": count, **changes}

    def repairs(self, edge: FanInEdge, rule: str, part: str) -> Iterator[Repair]:
        count = len(edge.sources)
        for_all = edge.model_copy(update={"policy": "all", "count": 0})
        if rule == "join-count":
            counting = {"policy": "count", "count": count}
            counted = edge.model_copy(update=counting)
            yield Repair(f"Set the count to {count}", (counted,))
            yield Repair("Use the policy all", (for_all,))
        elif rule == "join-can-fill":
            for_any = edge.model_copy(update={"policy": "any", "count": 0})
            yield Repair("Use the policy any", (for_any,))
            plain = tuple(DIRECT.made_of([for_all]))
            yield Repair("Make plain edges of it", plain)

    def without_doubles(
        self, edge: FanInEdge, pairs: Collection[tuple[str, str]]
    ) -> EdgeDefinition | None:
        sources = dict.fromkeys(source for source, _ in pairs)
        return self._with_sources(edge, list(sources))

    def name_of(self, edge: FanInEdge, name: Name) -> str:
        return f"Join into {name(edge.target)}"

    def sentence(self, edge: FanInEdge, name: Name) -> str:
        sources = ", ".join(name(source) for source in edge.sources)
        text = f"{self.name_of(edge, name)} of {sources}"
        return text if edge.policy == "all" else f"{text}, policy {edge.policy}"


FAN_IN = FanInKind()
