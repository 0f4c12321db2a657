"""Multi-selections: a message goes to every target whose condition is true."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from designer.model.edge_kinds.base import (
    EdgeKind,
    Name,
    PlainWay,
    all_plain_ways,
    check_list,
    plain_edge,
    require_group,
    sources_of,
    targets_of,
)
from designer.model.edge_kinds.switch_as_selection import as_selections
from designer.model.errors import EditError
from runtime.document.definition import (
    EdgeDefinition,
    MultiSelectionEdge,
    Selection,
    SwitchEdge,
)


class MultiSelectionKind(EdgeKind[MultiSelectionEdge]):
    kind = "multi_selection"
    title = "Multi-selection"
    label = "Multi-selection"
    word = "multi-selection"
    plural = "a multi-selection"
    make_text = "Make a multi-selection"
    grow_text = "Add a target"
    icon = "multi"
    turns_into = ("direct", "fan_out", "switch")

    def with_ends(
        self,
        edge: MultiSelectionEdge,
        sources: Mapping[str, str],
        targets: Mapping[str, str],
    ) -> EdgeDefinition:
        selections = [
            way.model_copy(update={"target": targets.get(way.target, way.target)})
            for way in edge.selections
        ]
        source = sources.get(edge.source, edge.source)
        moved = edge.model_copy(update={"source": source})
        return self._with_selections(moved, selections)

    def _with_selections(
        self, edge: MultiSelectionEdge, selections: Sequence[Selection]
    ) -> MultiSelectionEdge:
        return edge.model_copy(update={"selections": tuple(selections)})

    def fewer(
        self, edge: MultiSelectionEdge, removed: Collection[str]
    ) -> EdgeDefinition | None:
        remaining = [way for way in edge.selections if way.target not in removed]
        if len(remaining) > 1:
            return self._with_selections(edge, remaining)
        if remaining:
            (way,) = remaining
            return plain_edge(edge.source, way.target, way.when, like=edge)
        return None

    def grown(self, edge: MultiSelectionEdge, node: str) -> EdgeDefinition | None:
        return self._with_selections(edge, (*edge.selections, Selection(target=node)))

    def with_copies(
        self,
        twin: MultiSelectionEdge,
        edge: MultiSelectionEdge,
        copies: Mapping[str, str],
    ) -> EdgeDefinition | None:
        if twin.source != edge.source or twin.source in copies:
            return None
        added = [
            way.model_copy(update={"target": copies[way.target]})
            for way in edge.selections
            if way.target in copies
        ]
        return self._with_selections(twin, (*twin.selections, *added))

    def distinct(self, edge: MultiSelectionEdge) -> EdgeDefinition:
        if len(edge.target_ids) == len(edge.selections):
            return edge
        text = (
            f"'{edge.id}' would lead to one node twice. "
            "Remove one of its targets first."
        )
        raise EditError(text, edge.id)

    def check(self, edge: MultiSelectionEdge) -> None:
        check_list(edge, [way.target for way in edge.selections], "targets")

    def plain_ways(self, edge: MultiSelectionEdge) -> tuple[PlainWay, ...]:
        return tuple(
            PlainWay(edge.source, way.target, way.when) for way in edge.selections
        )

    def only_condition(self, edge: MultiSelectionEdge) -> str:
        return edge.selections[0].when

    def made_of(self, edges: Sequence[EdgeDefinition]) -> list[EdgeDefinition]:
        if len(edges) == 1 and isinstance(edges[0], SwitchEdge):
            return [as_selections(edges[0])]
        ways = all_plain_ways(edges)
        sources = sources_of(ways)
        require_group(ways, sources, targets_of(ways), "leave one node")
        selections = [Selection(target=way.target, when=way.condition) for way in ways]
        group = MultiSelectionEdge(
            id=f"multi_selection:{sources[0]}",
            source=sources[0],
            selections=tuple(selections),
        )
        return [group]

    def conditions(self, edge: MultiSelectionEdge) -> tuple[str, ...]:
        return tuple(way.when for way in edge.selections)

    def condition_part(self, number: int) -> str:
        return f"selections[{number}].when"

    def with_condition(
        self, edge: MultiSelectionEdge, number: int, text: str
    ) -> EdgeDefinition:
        selections = list(edge.selections)
        selections[number] = selections[number].model_copy(update={"when": text})
        return self._with_selections(edge, selections)

    def without_doubles(
        self, edge: MultiSelectionEdge, pairs: Collection[tuple[str, str]]
    ) -> EdgeDefinition | None:
        targets = dict.fromkeys(target for _, target in pairs)
        first = {way.target: way for way in reversed(edge.selections)}
        return self._with_selections(edge, [first[target] for target in targets])

    def has_tags(self, edge: MultiSelectionEdge) -> bool:
        return bool(edge.selections)

    def sentence(self, edge: MultiSelectionEdge, name: Name) -> str:
        return f"{self.name_of(edge, name)} among {len(edge.selections)} targets"


MULTI_SELECTION = MultiSelectionKind()
