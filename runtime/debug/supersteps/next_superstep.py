"""The next superstep, from data alone: no condition is evaluated, no code is run.

A queued message on a way without a condition will be delivered; one on a way with a
condition may be. A join fires in the next superstep if its messages, held and queued,
satisfy its policy. Where the routing is known (the superstep after a past checkpoint
has run; the live run can be asked for a preview), nothing stays open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from runtime.debug.graphs.graph import Graph, Join
from runtime.edges.arcs import Arc
from runtime.message import Message, is_failure_of_source
from runtime.state import Fate, Release, RunState, owner_of

INTERNAL = "internal:"


@dataclass(frozen=True, slots=True)
class Outlook:
    """The next superstep, as far as the data decides it.

    next      executor -> number of messages that the next superstep hands it
    maybe     executors that a condition may choose
    ways      (edge, source, target) -> messages queued on it
    cases     (edge, case) of the switches that are known to decide so
    arriving  (join's edge, source) -> messages queued for the join
    firing    edges of the joins that fire in the next superstep
    active    executors from which new messages can come: those above, those with an open request or a running child
    resting   nothing is queued and no child has anything queued
    untaken   executors that nothing can reach any more, because conditions went elsewhere
    """

    next: dict[str, int] = field(default_factory=dict)
    maybe: frozenset[str] = frozenset()
    ways: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    cases: tuple[tuple[str, str], ...] = ()
    arriving: Counter[tuple[str, str]] = field(default_factory=Counter)
    firing: frozenset[str] = frozenset()
    active: frozenset[str] = frozenset()
    resting: bool = True
    untaken: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Routed:
    """The routing of the queued messages: from the `Trace` of the superstep, or
    from a preview.
    """

    fates: tuple[Fate, ...] = ()
    releases: tuple[Release, ...] = ()


def outlook(graph: Graph, state: RunState, routed: Routed | None = None) -> Outlook:
    """Return what is known about the superstep after this barrier."""
    routes = _Routes(graph)
    if routed is None:
        routes.add_certain(state)
    else:
        routes.add_routed(routed)
    busy = [owner_of(key) for key, child in state.children.items() if _is_busy(child)]
    following = routes.next + Counter(busy)
    asking = {request.executor_id for request in state.requests.values()}
    asking |= {owner_of(key) for key, child in state.children.items() if child.requests}
    active = frozenset(
        {
            *following,
            *routes.maybe,
            *asking,
            *(join.target for join in _joins_with_arrivals(graph, routes)),
        }
    )
    return Outlook(
        next=dict(following),
        maybe=frozenset(routes.maybe),
        ways=routes.ways,
        cases=tuple(routes.cases),
        arriving=routes.arriving,
        firing=frozenset(routes.firing),
        active=active,
        resting=not state.queue and not busy,
        untaken=_untaken(graph, state, active),
    )


def held(join: Join, state: RunState) -> tuple[Message, ...]:
    """Return the messages that a join holds, in arrival order."""
    return tuple(state.buffers.get(join.key, ())) if join.key is not None else ()


def targets(graph: Graph, message: Message) -> list[tuple[str, str]]:
    """Return `(target, edge)` for every way that this queued message takes for
    certain, joins included.
    """
    if is_from_outside(message):
        return [(message.target_id or graph.start, "")]
    ways = ways_for(graph, message)
    if message.target_id is not None and not ways:
        return [(message.target_id, "")]
    return [
        (way.target, way.edge.id)
        for way in ways
        if way.is_certain and message.target_id in (None, way.target)
    ]


def ways_for(graph: Graph, message: Message) -> list[Arc]:
    """Return the ways out of its source that can carry such a message: failures go
    along error edges only, other messages never.
    """
    fails = is_failure_of_source(message)
    return [
        way
        for way in graph.out.get(message.source_id, ())
        if way.edge.carries_failures == fails
    ]


def is_from_outside(message: Message) -> bool:
    """Whether the message is the first input or an answer, which no edge carries."""
    return message.request is not None or message.source_id.startswith(INTERNAL)


def will_fire(
    join: Join, messages: Iterable[Message], arriving: Counter[tuple[str, str]]
) -> bool:
    """Whether the join fires once the queued messages have reached it."""
    have = Counter(message.source_id for message in messages)
    have.update(
        {
            source: arriving[join.edge, source]
            for source in join.sources
            if arriving[join.edge, source]
        }
    )
    total = have.total()
    if join.rule.policy == "any":
        return total > 0
    if join.rule.policy == "count":
        return total >= max(join.rule.count, 1)
    return all(have[source] for source in join.awaited) and bool(join.awaited)


class _Routes:
    """Collect where messages go: along certain ways, or as they were routed."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._joins = {join.edge: join for join in graph.joins}
        self.next: Counter[str] = Counter()
        self.maybe: set[str] = set()
        self.ways: Counter[tuple[str, str, str]] = Counter()
        self.cases: dict[tuple[str, str], None] = {}
        self.arriving: Counter[tuple[str, str]] = Counter()
        self.firing: set[str] = set()

    def add_certain(self, state: RunState) -> None:
        for message in state.queue:
            self._add_message(message)
        for join in self._graph.joins:
            if will_fire(join, held(join, state), self.arriving):
                self.firing.add(join.edge)
                self.next[join.target] += 1

    def add_routed(self, routed: Routed) -> None:
        for fate in routed.fates:
            target = fate.target_id
            if (
                fate.kind != "dropped"
                and target is not None
                and target in self._graph.titles
            ):
                self._add(fate.source_id, target, fate.edge_id or "", fate.count)
                if fate.case:
                    self.cases[fate.edge_id or "", fate.case] = None
        for release in routed.releases:
            if release.edge_id in self._joins:
                self.firing.add(release.edge_id)
                self.next[release.target_id] += 1

    def _add_message(self, message: Message) -> None:
        for target, edge in targets(self._graph, message):
            self._add(message.source_id, target, edge, 1)
        if not is_from_outside(message):
            ways = ways_for(self._graph, message)
            self.maybe |= {
                w.target
                for w in ways
                if not w.is_certain and message.target_id in (None, w.target)
            }

    def _add(self, source: str, target: str, edge: str, count: int) -> None:
        if edge:
            self.ways[edge, source, target] += count
        if edge in self._joins:
            self.arriving[edge, source] += count
        else:
            self.next[target] += count


def _joins_with_arrivals(graph: Graph, routes: _Routes) -> list[Join]:
    return [
        join
        for join in graph.joins
        if any(routes.arriving[join.edge, source] for source in join.sources)
    ]


def _is_busy(child: RunState) -> bool:
    return bool(child.queue) or any(
        _is_busy(inner) for inner in child.children.values()
    )


def _untaken(graph: Graph, state: RunState, active: frozenset[str]) -> frozenset[str]:
    """Return executors that never ran because each way to them starts at a condition
    that chose another target, or at such an executor.

    This is the greatest set with that property, so that a loop that was never
    entered counts whole.
    """
    ran = {id_ for id_, record in state.executors.items() if record.runs}
    holding = {join.target for join in graph.joins if held(join, state)}
    possible = graph.reachable([graph.start])
    untaken = (
        possible - ran - holding - active - graph.reachable(active) - {graph.start}
    )
    changed = True
    while changed:
        staying = {
            id_
            for id_ in untaken
            if all(
                way.source in untaken
                or way.source not in possible | {graph.start}
                or (
                    way.source in ran
                    and (way.edge.carries_failures or not way.is_certain)
                )
                for way in graph.into.get(id_, ())
            )
        }
        changed = staying != untaken
        untaken = staying
    return frozenset(untaken)
