"""Loops without an end, nodes that lead to themselves, and ways that are longer than
the limit allows.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator

from runtime.checks.graph import Flow
from runtime.checks.rules import problem
from runtime.document.problem import Problem
from runtime.edges.arcs import Arc


def loop_problems(flow: Flow) -> Iterator[Problem]:
    """Yield warnings for loops without an exit and a limit that is too low, and
    hints for nodes that lead to themselves.
    """
    endless = list(_endless(flow))
    yield from (_without_exit(flow, members) for members in endless)
    reported = {members[0] for members in endless if len(members) == 1}
    yield from _to_themselves(flow, reported)
    yield from _beyond_the_limit(flow)


# --- without an exit ----------------------------------------------------------------------------------------------


def _endless(flow: Flow) -> Iterator[list[str]]:
    """Yield loops that are never left once they are reached, because their nodes
    always send.
    """
    onward = _onward(flow)
    inside = _staying(flow, onward)
    arcs: list[Arc] = []
    for node in inside:
        for way in onward[node]:
            if _all_inside(way, inside):
                arcs += way
    for members, is_loop in flow.components_of(flow.targets_by(arcs)):
        if is_loop:
            yield members


def _staying(flow: Flow, onward: dict[str, list[list[Arc]]]) -> set[str]:
    """Return the largest set of nodes that always send, each with a way whose ends are
    all in the set.

    Nodes leave the set one after the other; each way is dropped once, so this
    takes time in proportion to the edges.
    """
    inside = {
        node for node, info in flow.infos.items() if info.always_sends and onward[node]
    }
    ways = [way for node in inside for way in onward[node]]
    ways_left = Counter(way[0].source for way in ways)
    of_target: dict[str, list[int]] = {}
    for number, way in enumerate(ways):
        for arc in way:
            of_target.setdefault(arc.target, []).append(number)
    dropped = [False] * len(ways)
    leaving = [node for node in of_target if node not in inside]
    while leaving:
        for number in of_target.get(leaving.pop(), ()):
            if dropped[number]:
                continue
            dropped[number] = True
            source = ways[number][0].source
            ways_left[source] -= 1
            if not ways_left[source]:
                inside.discard(source)
                leaving.append(source)
    return inside


def _onward(flow: Flow) -> dict[str, list[list[Arc]]]:
    """Return by node the ways that surely take each of its messages on: edges
    without a condition, and all ways of a switch. A join is not among them: it
    waits for others, so it may end a loop.
    """
    ways_by_node: dict[str, list[list[Arc]]] = {node: [] for node in flow.titles}
    switches: dict[str, list[Arc]] = {}
    for arc in flow.arcs:
        if arc.taken == "one":
            switches.setdefault(arc.edge.id, []).append(arc)
        elif arc.taken == "always" and arc.edge.join is None:
            ways_by_node[arc.source].append([arc])
    for ways in switches.values():
        ways_by_node[ways[0].source].append(ways)
    return ways_by_node


def _all_inside(way: list[Arc], inside: set[str]) -> bool:
    """Whether all ends of the way are inside."""
    return all(arc.target in inside for arc in way)


def _without_exit(flow: Flow, members: list[str]) -> Problem:
    name = "several" if len(members) > 1 else "one"
    return problem("loop-has-exit", name, members[0], names=flow.names(members))


# --- to themselves ------------------------------------------------------------------------------------------------


def _to_themselves(flow: Flow, reported: set[str]) -> Iterator[Problem]:
    for node, arcs in _own_arcs(flow).items():
        if node not in reported:
            limit = flow.definition.max_supersteps
            yield problem(
                "self-loop",
                "loop",
                arcs[0].edge.id,
                node=flow.titles[node],
                how=_how(arcs),
                limit=limit,
            )


def _own_arcs(flow: Flow) -> dict[str, list[Arc]]:
    arcs_by_node: dict[str, list[Arc]] = {}
    for arc in flow.arcs:
        if arc.source == arc.target and arc.edge.join is None:
            arcs_by_node.setdefault(arc.source, []).append(arc)
    return arcs_by_node


def _how(arcs: list[Arc]) -> str:
    ways = arcs[0].edge.ways_to([arcs[0].target])
    if ways:
        return f"by {ways[0]}"
    if arcs[0].taken == "maybe":
        return "when its condition is true"
    return "with each message"


# --- the limit ----------------------------------------------------------------------------------------------------


def _beyond_the_limit(flow: Flow) -> Iterator[Problem]:
    """Yield nodes that even the shortest way reaches too late."""
    last, earliest = _farthest(flow)
    limit = flow.definition.max_supersteps
    if earliest > limit:
        yield problem(
            "limit-suffices",
            "low",
            part="max_supersteps",
            node=flow.titles[last],
            superstep=earliest,
            limit=limit,
        )


def _farthest(flow: Flow) -> tuple[str, int]:
    """Return the node that is reached last, and the first superstep in which it
    can run.
    """
    superstep = {flow.start: 1}
    waiting = deque([flow.start])
    last = flow.start
    while waiting:
        last = waiting.popleft()
        for target in flow.targets[last]:
            if target not in superstep:
                superstep[target] = superstep[last] + 1
                waiting.append(target)
    return last, superstep[last]
