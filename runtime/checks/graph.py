"""A workflow as a graph, for the checks: where a message may go, what can be reached, which ways exclude others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    FanInEdge,
    Infos,
    MultiSelectionEdge,
    OnErrorEdge,
    SwitchEdge,
    WorkflowDefinition,
    edge_pairs,
)

Graph = dict[str, list[str]]
# How many steps along edges the checks of what switches exclude may take: about two seconds, far above what is drawn.
MAX_STEPS = 3_000_000


@dataclass(frozen=True, slots=True)
class Arc:
    """One source -> target pair. `always`: every message goes there; `one`: exactly one way of a switch; `maybe`."""

    source: str
    target: str
    edge: EdgeDefinition
    taken: Literal["always", "one", "maybe"]


def arcs_of(edge: EdgeDefinition) -> Iterator[Arc]:
    for at, (source, target) in enumerate(edge_pairs(edge)):
        if isinstance(edge, SwitchEdge):
            yield Arc(source, target, edge, "one")
        elif isinstance(edge, OnErrorEdge):
            yield Arc(source, target, edge, "maybe")
        else:
            yield Arc(
                source, target, edge, "maybe" if condition_of(edge, at) else "always"
            )


def condition_of(edge: EdgeDefinition, at: int) -> str:
    match edge:
        case DirectEdge() | OnErrorEdge():
            return edge.condition
        case MultiSelectionEdge():
            return edge.selections[at].when
        case _:
            return ""


def reached(graph: Graph, start: str) -> set[str]:
    """What can be reached, the start included."""
    found = {start}
    waiting = [start]
    while waiting:
        for target in graph[waiting.pop()]:
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found


class Flow:
    """A definition as a graph, and the questions that the checks ask of it."""

    def __init__(self, definition: WorkflowDefinition, infos: Infos) -> None:
        self.definition = definition
        self.start = definition.start
        self.infos = infos  # by node
        self.titles = {node.id: node.title for node in definition.nodes}
        self.arcs = [arc for edge in definition.edges for arc in arcs_of(edge)]
        self.graph = self.graph_of(self.arcs)
        self.switches = [
            edge for edge in definition.edges if isinstance(edge, SwitchEdge)
        ]

    def graph_of(self, arcs: Iterable[Arc]) -> Graph:
        graph: Graph = {node_id: [] for node_id in self.titles}
        for arc in arcs:
            graph[arc.source].append(arc.target)
        return graph

    def without(self, edge: EdgeDefinition) -> Graph:
        return self.graph_of(arc for arc in self.arcs if arc.edge is not edge)

    def loops_and_nodes(self, graph: Graph) -> Iterator[tuple[list[str], bool]]:
        """The strongly connected components, members in the definition's order, and whether each is a loop."""
        import networkx as nx

        order = {node_id: at for at, node_id in enumerate(self.titles)}
        drawn: nx.DiGraph[str] = nx.DiGraph()
        drawn.add_nodes_from(graph)
        drawn.add_edges_from(
            (source, target) for source, targets in graph.items() for target in targets
        )
        for component in nx.strongly_connected_components(drawn):
            members: list[str] = sorted(component, key=order.__getitem__)
            yield members, len(members) > 1 or members[0] in graph[members[0]]

    @cached_property
    def components(self) -> list[tuple[list[str], bool]]:
        """`loops_and_nodes` of everything that is drawn."""
        return list(self.loops_and_nodes(self.graph))

    @cached_property
    def component_of(self) -> Mapping[str, int]:
        """Two nodes with one number lead to each other."""
        return {
            one: at
            for at, (members, _) in enumerate(self.components)
            for one in members
        }

    @cached_property
    def choices(self) -> list[Choice]:
        """The switches that decide once per message. In a loop all ways of a switch are taken, one after another."""
        if self.is_too_large:
            return []
        looping = {
            one for members, is_loop in self.components if is_loop for one in members
        }
        return [
            Choice(self, edge) for edge in self.switches if edge.source not in looping
        ]

    @property
    def is_too_large(self) -> bool:
        """True when following every switch would take minutes: the definition is not taken for one that people drew."""
        return len(self.switches) * (len(self.titles) + len(self.arcs)) > MAX_STEPS

    @cached_property
    def incoming(self) -> Mapping[str, list[Arc]]:
        """The arcs by target, without those of joins."""
        found: dict[str, list[Arc]] = {node_id: [] for node_id in self.titles}
        for arc in self.arcs:
            if not isinstance(arc.edge, FanInEdge):
                found[arc.target].append(arc)
        return found

    def names(self, ids: Sequence[str]) -> str:
        titles = [self.titles[one] for one in ids]
        if len(titles) == 1:
            return titles[0]
        return f"{', '.join(titles[:-1])} and {titles[-1]}"


class Choice:
    """A switch outside of loops, and for each node: which of its ways lead there."""

    def __init__(self, flow: Flow, edge: SwitchEdge) -> None:
        self.edge = edge
        self.ways = [target for _, target in edge_pairs(edge)]
        rest = flow.without(edge)
        self._without = reached(rest, flow.start)
        self._behind = {way: reached(rest, way) for way in self.ways}

    def ways_to(self, node_id: str) -> frozenset[str] | None:
        """The ways that lead to a node, or None if it runs whatever the switch decides."""
        if node_id in self._without:
            return None
        return frozenset(way for way in self.ways if node_id in self._behind[way])

    def ways_of(self, arc: Arc) -> frozenset[str] | None:
        if arc.edge is self.edge:
            return frozenset({arc.target})
        return self.ways_to(arc.source)
