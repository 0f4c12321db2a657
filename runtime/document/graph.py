"""A workflow as a graph: one for the checks, the debugger and exports.

A graph has an arc for each source and target of an edge. An arc says how often a
message goes along it: always, one of several arcs takes it, or maybe. Nodes that are
disabled never send, so nothing comes along the arcs out of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from runtime.document.definition import WorkflowDefinition
from runtime.document.disabled import disabled_ids
from runtime.edges.arcs import Arc
from runtime.edges.definition import EdgeDefinition

Targets = Mapping[str, Sequence[str]]


class Graph:
    """Nodes and arcs.

    titles  node id -> title, in the order of the document
    start   the node that gets the input of a run
    edges   all edges; an end may be no node where the document is half-finished
    silent  nodes that are disabled, so that nothing comes along the arcs out of them
    arcs    the arcs of all edges, in their order; `live` and `muted` are its two parts
    """

    def __init__(
        self,
        titles: Mapping[str, str],
        start: str,
        edges: Iterable[EdgeDefinition],
        silent: frozenset[str] = frozenset(),
    ) -> None:
        self.titles = titles
        self.start = start
        self.edges = tuple(edges)
        self.silent = silent

    @cached_property
    def arcs(self) -> tuple[Arc, ...]:
        return tuple(arc for edge in self.edges for arc in edge.arcs())

    @cached_property
    def live(self) -> tuple[Arc, ...]:
        """The arcs along which messages or failures can come."""
        if not self.silent:
            return self.arcs
        return tuple(arc for arc in self.arcs if arc.source not in self.silent)

    @cached_property
    def muted(self) -> tuple[Arc, ...]:
        """The arcs out of disabled nodes. A join waits for its other sources, so of a
        join they count only where all its sources are disabled.
        """
        return tuple(
            arc
            for arc in self.arcs
            if arc.source in self.silent
            and (arc.edge.join is None or self.silent.issuperset(arc.edge.source_ids))
        )

    @cached_property
    def out(self) -> Mapping[str, Sequence[Arc]]:
        """The live arcs by source."""
        arcs: dict[str, list[Arc]] = {}
        for arc in self.live:
            arcs.setdefault(arc.source, []).append(arc)
        return arcs

    @cached_property
    def into(self) -> Mapping[str, Sequence[Arc]]:
        """The live arcs by target."""
        arcs: dict[str, list[Arc]] = {}
        for arc in self.live:
            arcs.setdefault(arc.target, []).append(arc)
        return arcs

    @cached_property
    def targets(self) -> Targets:
        """Node id -> the nodes to which its live arcs lead."""
        return self.targets_by(self.live)

    def targets_by(self, arcs: Iterable[Arc]) -> Targets:
        """Return node id -> the nodes to which these arcs lead."""
        targets: dict[str, list[str]] = {node_id: [] for node_id in self.titles}
        for arc in arcs:
            targets.setdefault(arc.source, []).append(arc.target)
        return targets

    def targets_without(self, edge: EdgeDefinition) -> Targets:
        """Return node id -> the nodes to which it leads by other edges than this one."""
        return self.targets_by(arc for arc in self.live if arc.edge is not edge)

    @cached_property
    def edge_ids(self) -> frozenset[str]:
        return frozenset(edge.id for edge in self.edges)

    @cached_property
    def edge_of(self) -> Mapping[tuple[str, str], str]:
        """(source, target) -> the id of the edge between them.

        An error edge may stand beside another edge; then it is the other one.
        """
        arcs = sorted(self.live, key=lambda arc: not arc.edge.carries_failures)
        return {(arc.source, arc.target): arc.edge.id for arc in arcs}

    def title(self, node_id: str) -> str:
        return self.titles.get(node_id, node_id)

    def reachable(self, starts: Iterable[str]) -> set[str]:
        """Return every node that messages from `starts` can reach. A start is included
        only where a loop leads back to it.
        """
        seen: set[str] = set()
        waiting = list(starts)
        while waiting:
            for target in self.targets.get(waiting.pop(), ()):
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return seen

    @cached_property
    def lost(self) -> Mapping[str, Sequence[str]]:
        """Every node that no message can reach because of disabled ones -> the disabled
        ones.
        """
        causes: dict[str, list[str]] = {}
        if not self.muted:
            return causes
        reached = {self.start, *self.reachable([self.start])}
        for arc in self.muted:
            if arc.source not in reached:
                continue
            for node_id in {arc.target, *self.reachable([arc.target])} - reached:
                disabled = causes.setdefault(node_id, [])
                if arc.source not in disabled:
                    disabled.append(arc.source)
        return causes

    @cached_property
    def drawn_targets(self) -> Targets:
        """Node id -> the nodes to which its edges lead, also where it is disabled."""
        targets: dict[str, list[str]] = {}
        for edge in self.edges:
            for source, target in edge.pairs:
                targets.setdefault(source, []).append(target)
        return targets

    # --- loops ----------------------------------------------------------------------------

    @cached_property
    def back_pairs(self) -> frozenset[tuple[str, str]]:
        """The (source, target) pairs that lead back to a node on the way that was
        walked, depth first from the start. Pictures draw them as ways back.
        """
        pairs: set[tuple[str, str]] = set()
        done: set[str] = set()
        for root in dict.fromkeys((self.start, *self.titles)):
            if root not in done:
                self._walk_back(root, done, pairs)
        return frozenset(pairs)

    def _walk_back(
        self, root: str, done: set[str], pairs: set[tuple[str, str]]
    ) -> None:
        # Without recursion, because people draw chains of thousands of nodes.
        on_the_way = {root}
        stack = [(root, iter(self.drawn_targets.get(root, ())))]
        while stack:
            node_id, targets = stack[-1]
            target = next(targets, None)
            if target is None:
                stack.pop()
                on_the_way.discard(node_id)
                done.add(node_id)
            elif target in on_the_way:
                pairs.add((node_id, target))
            elif target not in done:
                on_the_way.add(target)
                stack.append((target, iter(self.drawn_targets.get(target, ()))))

    def components_of(self, targets: Targets) -> Iterator[tuple[list[str], bool]]:
        """Yield the strongly connected components, each with its nodes in the
        document's order and whether it is a loop.
        """
        order = {node_id: place for place, node_id in enumerate(self.titles)}
        for component in strongly_connected(targets):
            nodes = sorted(component, key=order.__getitem__)
            yield nodes, len(nodes) > 1 or nodes[0] in targets[nodes[0]]

    @cached_property
    def components(self) -> Sequence[tuple[list[str], bool]]:
        """The components of all live arcs."""
        return list(self.components_of(self.targets))

    @cached_property
    def component_of(self) -> Mapping[str, int]:
        """Node id -> the number of its component; two nodes of one number lead to each
        other.
        """
        return {
            node_id: number
            for number, (nodes, _) in enumerate(self.components)
            for node_id in nodes
        }


def graph_of(definition: WorkflowDefinition) -> Graph:
    """Return the graph of a document."""
    titles = {node.id: node.title for node in definition.nodes}
    silent = disabled_ids(definition)
    return Graph(titles, definition.start, definition.edges, silent)


def reached(targets: Targets, start: str) -> set[str]:
    """Return what can be reached from a node, the node included."""
    nodes = {start}
    waiting = [start]
    while waiting:
        for target in targets.get(waiting.pop(), ()):
            if target not in nodes:
                nodes.add(target)
                waiting.append(target)
    return nodes


def strongly_connected(targets: Targets) -> Iterator[list[str]]:
    """Yield the strongly connected components of a graph, each after those to which it
    leads. `targets` has every node as a key.

    networkx has this too, but to import it takes 170 milliseconds, and every process
    that opens a document would pay for it.
    """
    walk = _Walk(targets)
    for root in targets:
        if root not in walk.numbers:
            yield from walk.components_from(root)


class _Walk:
    """Gabow's algorithm (2000): depth first, with a stack of the nodes whose component
    is not complete, and a stack of those that may be the first of theirs. Without
    recursion, because people draw chains of thousands of nodes.
    """

    def __init__(self, targets: Targets) -> None:
        self.numbers: dict[str, int] = {}  # in the order in which the walk came there
        self._targets = targets
        self._incomplete: list[str] = []
        self._firsts: list[str] = []
        self._complete: set[str] = set()

    def components_from(self, root: str) -> Iterator[list[str]]:
        way = [(root, self._enter(root))]
        while way:
            node_id, targets = way[-1]
            target = next(targets, None)
            if target is None:
                way.pop()
                if self._firsts[-1] == node_id:
                    yield self._complete_component(node_id)
            elif target not in self.numbers:
                way.append((target, self._enter(target)))
            elif target not in self._complete:
                # It leads back, so all that was entered since is in one component.
                while self.numbers[self._firsts[-1]] > self.numbers[target]:
                    self._firsts.pop()

    def _enter(self, node_id: str) -> Iterator[str]:
        self.numbers[node_id] = len(self.numbers)
        self._incomplete.append(node_id)
        self._firsts.append(node_id)
        return iter(self._targets[node_id])

    def _complete_component(self, first: str) -> list[str]:
        self._firsts.pop()
        component: list[str] = []
        while not component or component[-1] != first:
            component.append(self._incomplete.pop())
        self._complete.update(component)
        return component
