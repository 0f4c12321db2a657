"""The graph of a document as the checks read it: with node types, and with the switches
of which a message takes one arc.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from runtime.document.definition import Infos, WorkflowDefinition
from runtime.document.graph import Graph, reached
from runtime.edges.arcs import Arc
from runtime.edges.definition import EdgeDefinition

# How many steps along edges the checks of what switches exclude may take: about two
# seconds, far above what people draw.
MAX_STEPS = 3_000_000


class Flow(Graph):
    """A document as a graph. Its arcs are those along which messages can come, so the
    caller decides whether disabled nodes send.
    """

    def __init__(self, definition: WorkflowDefinition, infos: Infos) -> None:
        titles = {node.id: node.title for node in definition.nodes}
        super().__init__(titles, definition.start, definition.edges)
        self.definition = definition
        self.infos = infos  # by node
        self.switches = [edge for edge in self.edges if edge.takes_one_arc]

    @cached_property
    def choices(self) -> list[Choice]:
        """The switches that decide once per message. In a loop a message may take all
        arcs of a switch, one after another.
        """
        if self.is_too_large:
            return []
        looping = {
            node_id
            for nodes, is_loop in self.components
            if is_loop
            for node_id in nodes
        }
        return [
            Choice(self, edge)
            for edge in self.switches
            if looping.isdisjoint(edge.source_ids)
        ]

    @property
    def is_too_large(self) -> bool:
        """True when following every switch would take minutes. People draw no such
        workflow, so it is not checked for what switches exclude.
        """
        return len(self.switches) * (len(self.titles) + len(self.arcs)) > MAX_STEPS

    @cached_property
    def incoming(self) -> Mapping[str, list[Arc]]:
        """The arcs by target, without those of joins."""
        arcs: dict[str, list[Arc]] = {node_id: [] for node_id in self.titles}
        for arc in self.arcs:
            if arc.edge.join is None:
                arcs[arc.target].append(arc)
        return arcs

    def names(self, ids: Sequence[str]) -> str:
        """Return the titles of nodes as a list in words."""
        titles = [self.titles[node_id] for node_id in ids]
        if len(titles) == 1:
            return titles[0]
        return f"{', '.join(titles[:-1])} and {titles[-1]}"


class Choice:
    """A switch outside of loops, and for each node: which of its ways lead there."""

    def __init__(self, flow: Flow, edge: EdgeDefinition) -> None:
        self.edge = edge
        self.source = edge.source_ids[0]
        self.ways = edge.target_ids
        others = flow.targets_without(edge)
        self._without = reached(others, flow.start)
        self._behind = {way: reached(others, way) for way in self.ways}

    def ways_to(self, node_id: str) -> frozenset[str] | None:
        """Return the ways that lead to a node, or None if it runs whatever the switch
        decides.
        """
        if node_id in self._without:
            return None
        return frozenset(way for way in self.ways if node_id in self._behind[way])

    def ways_of(self, arc: Arc) -> frozenset[str] | None:
        """Return the ways that lead along an arc, or None as `ways_to` does."""
        if arc.edge is self.edge:
            return frozenset({arc.target})
        return self.ways_to(arc.source)
