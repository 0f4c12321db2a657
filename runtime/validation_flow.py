"""Checks of the graph as a whole: what can be reached, joins that cannot fill, loops without an exit, dead ends.

Messages are not simulated. A finding is a warning where user code could make it harmless, and only what the drawing
alone decides is an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from runtime.children import info_of
from runtime.debug.protocol import Problem
from runtime.definition import (
    DirectEdge,
    EdgeDefinition,
    FanInEdge,
    MultiSelectionEdge,
    NodeInfo,
    SwitchEdge,
    WorkflowDefinition,
    edge_pairs,
)

Infos = Mapping[str, NodeInfo]
Graph = dict[str, list[str]]
Severity = Literal["error", "warning", "info"]
# How many steps along edges the checks of what switches exclude may take: about two seconds, far above what is drawn.
MAX_STEPS = 3_000_000


def check_flow(definition: WorkflowDefinition, infos: Infos, folder: Path | str | None = None) -> Iterator[Problem]:
    """The problems of a definition whose ids and ends are sound."""
    known = {node.id: info for node in definition.nodes if (info := info_of(node, infos, folder)) is not None}
    flow = Flow(definition, known)
    yield from _too_large(flow)
    yield from _unreachable(flow)
    yield from _joins(flow)
    if not flow.is_too_large:
        yield from _meetings(flow)
    yield from _loops(flow)
    yield from _dead_ends(flow)


# --- the graph ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Arc:
    """One source -> target pair. `always`: every message goes there; `one`: exactly one way of a switch; `maybe`."""

    source: str
    target: str
    edge: EdgeDefinition
    taken: Literal["always", "one", "maybe"]


def _arcs(edge: EdgeDefinition) -> Iterator[_Arc]:
    for at, (source, target) in enumerate(edge_pairs(edge)):
        if isinstance(edge, SwitchEdge):
            yield _Arc(source, target, edge, "one")
        else:
            yield _Arc(source, target, edge, "maybe" if _condition(edge, at) else "always")


def _condition(edge: EdgeDefinition, at: int) -> str:
    match edge:
        case DirectEdge():
            return edge.condition
        case MultiSelectionEdge():
            return edge.selections[at].when
        case _:
            return ""


def reached(graph: Graph, start: str) -> set[str]:
    """What can be reached, the start included."""
    found, waiting = {start}, [start]
    while waiting:
        for target in graph[waiting.pop()]:
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found


class _Flow:
    """A definition as a graph, and the questions that the checks ask of it."""

    def __init__(self, definition: WorkflowDefinition, infos: Infos) -> None:
        self.definition, self.start = definition, definition.start
        self.infos = {node.id: infos[node.type] for node in definition.nodes if node.type in infos}
        self.titles = {node.id: node.title for node in definition.nodes}
        self.arcs = [arc for edge in definition.edges for arc in _arcs(edge)]
        self.graph = self.graph_of(self.arcs)
        self.switches = [edge for edge in definition.edges if isinstance(edge, SwitchEdge)]

    def graph_of(self, arcs: Iterable[_Arc]) -> Graph:
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
        drawn.add_edges_from((source, target) for source, targets in graph.items() for target in targets)
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
        return {one: at for at, (members, _) in enumerate(self.components) for one in members}

    @cached_property
    def choices(self) -> list[_Choice]:
        """The switches that decide once per message. In a loop all ways of a switch are taken, one after another."""
        if self.is_too_large:
            return []
        looping = {one for members, is_loop in self.components if is_loop for one in members}
        return [_Choice(self, edge) for edge in self.switches if edge.source not in looping]

    @property
    def is_too_large(self) -> bool:
        """True when following every switch would take minutes: the definition is not taken for one that people drew."""
        return len(self.switches) * (len(self.titles) + len(self.arcs)) > MAX_STEPS

    @cached_property
    def incoming(self) -> Mapping[str, list[_Arc]]:
        """The arcs by target, without those of joins."""
        found: dict[str, list[_Arc]] = {node_id: [] for node_id in self.titles}
        for arc in self.arcs:
            if not isinstance(arc.edge, FanInEdge):
                found[arc.target].append(arc)
        return found

    def names(self, ids: Sequence[str]) -> str:
        titles = [self.titles[one] for one in ids]
        return titles[0] if len(titles) == 1 else f"{', '.join(titles[:-1])} and {titles[-1]}"


class _Choice:
    """A switch outside of loops, and for each node: which of its ways lead there."""

    def __init__(self, flow: _Flow, edge: SwitchEdge) -> None:
        self.edge, self.ways = edge, [target for _, target in edge_pairs(edge)]
        rest = flow.without(edge)
        self._without = reached(rest, flow.start)
        self._behind = {way: reached(rest, way) for way in self.ways}

    def ways_to(self, node_id: str) -> frozenset[str] | None:
        """The ways that lead to a node, or None if it runs whatever the switch decides."""
        if node_id in self._without:
            return None
        return frozenset(way for way in self.ways if node_id in self._behind[way])

    def ways_of(self, arc: _Arc) -> frozenset[str] | None:
        return frozenset({arc.target}) if arc.edge is self.edge else self.ways_to(arc.source)


def _problem(severity: Severity, rule: str, location: str, message: str, remedy: str) -> Problem:
    return Problem(severity=severity, rule=rule, message=message, location=location, remedy=remedy)


# --- the checks ---------------------------------------------------------------------------------------------------


def _too_large(flow: _Flow) -> Iterator[Problem]:
    if flow.is_too_large:
        text = f"With {len(flow.switches)} switches it is not checked which ways exclude each other"
        yield _problem(
            "info", "too-large", "", text, "Look at the joins behind switches yourself, or split the workflow."
        )


def _unreachable(flow: _Flow) -> Iterator[Problem]:
    found = reached(flow.graph, flow.start)
    for node in flow.definition.nodes:
        if node.id not in found:
            text = f"{node.title} cannot be reached from the start"
            yield _problem("error", "reachable", node.id, text, "Lead an edge to it, or delete it.")


def _joins(flow: _Flow) -> Iterator[Problem]:
    for edge in flow.definition.edges:
        if isinstance(edge, FanInEdge) and edge.policy in ("all", "zip"):
            yield from _exclusive_sources(flow, edge)
            yield from _sources_behind(flow, edge)


def _exclusive_sources(flow: _Flow, edge: FanInEdge) -> Iterator[Problem]:
    for choice in flow.choices:
        ways = {source: to for source in edge.sources if (to := choice.ways_to(source)) is not None}
        # A source with no way to it at all cannot be reached, which is said elsewhere.
        if all(ways.values()) and not any(all(way in to for to in ways.values()) for way in choice.ways):
            switch = flow.titles[choice.edge.source]
            text = f"{_never(flow, edge)}: {switch} takes only one of the ways to {flow.names(list(ways))}"
            remedy = "Use plain edges instead of the join, or the policy 'any'."
            yield _problem("warning", "join-can-fill", edge.id, text, remedy)


def _sources_behind(flow: _Flow, edge: FanInEdge) -> Iterator[Problem]:
    """Sources that only run after the join has fired, which it never does without them."""
    before, ever = reached(flow.without(edge), flow.start), reached(flow.graph, flow.start)
    behind = [source for source in edge.sources if source in ever and source not in before]
    if behind:
        text = f"{_never(flow, edge)}: {flow.names(behind)} only runs after it has fired"
        yield _problem("warning", "join-can-fill", edge.id, text, "Lead this way past the join, by a plain edge.")


def _never(flow: _Flow, edge: FanInEdge) -> str:
    return f"The join into {flow.titles[edge.target]} can never fill"


def _meetings(flow: _Flow) -> Iterator[Problem]:
    """Plain edges that meet although all of them carry a message each time: the node runs once for each."""
    certain = reached(flow.graph_of(arc for arc in flow.arcs if arc.taken != "maybe"), flow.start)
    for node in flow.definition.nodes:
        info = flow.infos.get(node.id)
        meeting = [arc for arc in flow.incoming[node.id] if arc.taken != "maybe" and arc.source in certain]
        if len(meeting) < 2 or (info is not None and not info.outputs):
            continue  # of an output, each message is a result of its own
        # Of those that come round a loop, the node was the cause.
        own = flow.component_of[node.id]
        meeting = [arc for arc in meeting if flow.component_of[arc.source] != own]
        together = [arc.source for arc in meeting if any(_go_together(flow, arc, other) for other in meeting)]
        if together:
            text = f"{node.title} runs once for each message of {flow.names(together)}: they meet without a join"
            remedy = "Make the edges one join if the messages belong together."
            yield _problem("warning", "meeting-without-join", node.id, text, remedy)


def _go_together(flow: _Flow, one: _Arc, other: _Arc) -> bool:
    if one is other:
        return False
    for choice in flow.choices:
        ways, other_ways = choice.ways_of(one), choice.ways_of(other)
        if ways is not None and other_ways is not None and not ways & other_ways:
            return False
    return True


def _loops(flow: _Flow) -> Iterator[Problem]:
    """Loops whose nodes always send and whose edges are always taken. A join waits for others, so it may end one."""
    sends = {node_id for node_id, info in flow.infos.items() if info.always_sends}
    always = [arc for arc in flow.arcs if arc.taken == "always" and not isinstance(arc.edge, FanInEdge)]
    endless = flow.graph_of(arc for arc in always if {arc.source, arc.target} <= sends)
    for members, is_loop in flow.loops_and_nodes(endless):
        if is_loop:
            text = f"{flow.names(members)} {'go' if len(members) > 1 else 'goes'} round until the limit of supersteps"
            remedy = "Give one edge of the loop a condition, or lead out of it by a switch."
            yield _problem("warning", "loop-has-exit", members[0], text, remedy)


def _dead_ends(flow: _Flow) -> Iterator[Problem]:
    """Nodes, or loops, that nothing leads out of, and that neither yield an output nor act on the outside."""
    for members, _ in flow.components:
        inside = set(members)
        leaves = any(target not in inside for one in members for target in flow.graph[one])
        if leaves or not all(one in flow.infos and not flow.infos[one].sink for one in members):
            continue
        verb = "are" if len(members) > 1 else "is"
        text = f"{flow.names(members)} {verb} not connected to an output; messages end there"
        yield _problem("info", "reaches-output", members[0], text, "Lead an edge to an output, or to a node that acts.")
