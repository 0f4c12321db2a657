"""Joins that can never fill, whatever the switches choose: which messages can be in
their buffers at the same time.

The workflow is read as a Petri net: a place holds messages, a node or an edge moves
them on, a join takes one from each of its buffers. The check computes the places that
can be filled, and the pairs of places that can be filled together, as the least
relation that the moves allow (Kovalyov's concurrency relation). It has every pair that
occurs and perhaps a few more. So a join that it calls unfillable never fills.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from runtime.checks.graph import Choice, Flow
from runtime.checks.rules import problem
from runtime.document.definition import NodeInfo, WorkflowDefinition
from runtime.document.graph import reached
from runtime.document.problem import Problem
from runtime.edges.definition import EdgeDefinition

# Pairs of places that are computed at most: about half a second.
MAX_PAIRS = 400_000


class Net:
    """The Petri net of a workflow. Every node sends one message for each that it gets;
    nodes whose type says `sends_many` may send any number.

    If `is_complete` is false, the workflow is too large to compute the net to the end,
    and its answers mean nothing.
    """

    def __init__(
        self, definition: WorkflowDefinition, infos: Mapping[str, NodeInfo]
    ) -> None:
        self._places: dict[tuple[str, ...], int] = {}
        self._moves: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        self._many = {node for node, info in infos.items() if info.sends_many}
        self._groups: dict[str, list[EdgeDefinition]] = {
            node.id: [] for node in definition.nodes
        }
        # A message goes along edges of the one kind or, if the node fails, of the
        # other.
        self._errors: dict[str, list[EdgeDefinition]] = {
            node.id: [] for node in definition.nodes
        }
        for edge in definition.edges:
            groups = self._errors if edge.carries_failures else self._groups
            for source in edge.source_ids:
                groups[source].append(edge)
        self._inboxes: dict[str, int] = {}
        for node_id in self._groups:
            self._add_node(node_id)
        for edge in definition.edges:
            self._add_edge(edge)
        # Bit k of row n: the places n and k can be filled together. Bits, because there
        # are thousands of places, and one step joins a whole row.
        self._together: list[int] = [0] * len(self._places)
        self._filled = 0
        self.is_complete = self._fill_places(self._inbox(definition.start))

    def runs_twice_at_once(self, node_id: str) -> bool:
        """Whether two messages can be on their way to a node, neither caused
        by the other.
        """
        inbox = self._inbox(node_id)
        return bool(self._together[inbox] >> inbox & 1)

    def silent(self, join: EdgeDefinition) -> list[str]:
        """Return the sources that never send to the join."""
        return [
            source
            for source in join.source_ids
            if not self._filled >> self._buffer(join, source) & 1
        ]

    def exclusive(self, join: EdgeDefinition) -> list[tuple[str, str]]:
        """Return the pairs of sources of which at most one has sent at any
        time since the join was empty.
        """
        pairs = combinations(join.source_ids, 2)
        return [
            (source, other)
            for source, other in pairs
            if not self._together[self._buffer(join, source)]
            >> self._buffer(join, other)
            & 1
        ]

    # --- building -------------------------------------------------------------------------------------------------

    def _place(self, *name: str) -> int:
        return self._places.setdefault(name, len(self._places))

    def _buffer(self, join: EdgeDefinition, source: str) -> int:
        return self._place("buffer", join.id, source)

    def _inbox(self, node_id: str) -> int:
        """Return the place of the messages for a node.

        A node that only passes them on to one place has no place of its own,
        because the messages are there already. That keeps the net small; in a
        loop of such nodes, one has its own.
        """
        if node_id not in self._inboxes:
            self._inboxes[node_id] = inbox = self._place("inbox", node_id)
            if (
                node_id not in self._many
                and len(self._groups[node_id]) == 1
                and not self._errors[node_id]
            ):
                sent = self._sent(node_id, self._groups[node_id][0])
                self._inboxes[node_id] = sent[0] if len(sent) == 1 else inbox
        return self._inboxes[node_id]

    def _sent(self, node_id: str, edge: EdgeDefinition) -> list[int]:
        """Return where a message goes by an edge. Conditions can be true, all
        at once; at a switch it waits for the choice.
        """
        if edge.join is not None:
            return [self._buffer(edge, node_id)]
        if edge.takes_one_arc:
            return [self._place("choice", edge.id)]
        return [
            self._inbox(target) for source, target in edge.pairs if source == node_id
        ]

    def _add_node(self, node_id: str) -> None:
        inbox = self._inbox(node_id)
        sent = [
            place
            for edge in self._groups[node_id]
            for place in self._sent(node_id, edge)
        ]
        if sent and sent != [inbox]:
            self._moves.append(
                ((inbox,), tuple(sent * 2 if node_id in self._many else sent))
            )
        failed = [
            place
            for edge in self._errors[node_id]
            for place in self._sent(node_id, edge)
        ]
        if failed:
            self._moves.append(((inbox,), tuple(failed)))

    def _add_edge(self, edge: EdgeDefinition) -> None:
        if edge.takes_one_arc:
            choice = self._place("choice", edge.id)
            self._moves += [
                ((choice,), (self._inbox(target),)) for target in edge.target_ids
            ]
        elif edge.join is not None:
            target = self._inbox(edge.target_ids[0])
            buffers = [self._buffer(edge, source) for source in edge.source_ids]
            if edge.join.needs_every_source:
                self._moves.append((tuple(buffers), (target,)))
            else:
                self._moves += [((buffer,), (target,)) for buffer in buffers]

    # --- computing ------------------------------------------------------------------------------------------------

    def _fill_places(self, start: int) -> bool:
        """Move until nothing new comes. Return False if that takes too long."""
        after: list[list[int]] = [[] for _ in self._places]
        for number, (taken, _) in enumerate(self._moves):
            for place in taken:
                after[place].append(number)
        self._filled |= 1 << start
        waiting = dict.fromkeys(after[start])
        steps_left = MAX_PAIRS
        while waiting:
            number, _ = waiting.popitem()
            changed = self._move(*self._moves[number])
            steps_left -= len(changed)
            if steps_left < 0:
                return False
            for place in changed:
                waiting.update(dict.fromkeys(after[place]))
        return True

    def _move(self, taken: tuple[int, ...], put_into: tuple[int, ...]) -> list[int]:
        """Take one message from each of some places and put one into others.
        Return the changed places.
        """
        if not all(self._filled >> place & 1 for place in taken):
            return []
        if not all(
            self._together[place] >> other & 1
            for place, other in combinations(taken, 2)
        ):
            return []
        beside = self._together[taken[0]]
        for place in taken[1:]:
            beside &= self._together[place]
        changed: list[int] = []
        for place in put_into:
            if not self._filled >> place & 1:
                self._filled |= 1 << place
                changed.append(place)
            changed += self._relate(place, beside & ~self._together[place])
        for place, other in combinations(put_into, 2):
            changed += self._relate(place, 1 << other & ~self._together[place])
        return changed

    def _relate(self, place: int, others: int) -> list[int]:
        if not others:
            return []
        self._together[place] |= others
        changed = [place]
        while others:
            other = (others & -others).bit_length() - 1
            others &= others - 1
            self._together[other] |= 1 << place
            changed.append(other)
        return changed


# --- the problems -------------------------------------------------------------------------------------------------


def join_problems(flow: Flow) -> Iterator[Problem]:
    """Yield a warning, with the reason, for each join that needs a message of
    every source and can never have them.
    """
    joins = [
        edge
        for edge in flow.edges
        if edge.join is not None and edge.join.needs_every_source
    ]
    if not joins:
        return
    net = Net(flow.definition, flow.infos)
    if not net.is_complete:
        yield problem("too-large", "joins")
        return
    ever = reached(flow.targets, flow.start)
    for join in joins:
        # Another rule reports sources that cannot be reached.
        if all(source in ever for source in join.source_ids):
            yield from _never_fills(flow, net, join)


def _never_fills(flow: Flow, net: Net, join: EdgeDefinition) -> Iterator[Problem]:
    silent = net.silent(join)
    exclusive = net.exclusive(join)
    if silent:
        breach, words = _why_silent(flow, join, silent)
    elif exclusive:
        breach, words = _why_exclusive(flow, exclusive)
    elif (switch := _switch_between(flow, net, join.source_ids)) is not None:
        breach = "one_way_each"
        names = flow.names(join.source_ids)
        words = {"switch": flow.titles[switch.source], "names": names}
    else:
        return
    target = flow.titles[join.target_ids[0]]
    yield problem("join-can-fill", breach, join.id, target=target, **words)


def _why_silent(
    flow: Flow, join: EdgeDefinition, silent: Sequence[str]
) -> tuple[str, dict[str, Any]]:
    before = reached(flow.targets_without(join), flow.start)
    behind = [source for source in silent if source not in before]
    if behind:
        return "behind_itself", {"names": flow.names(behind)}
    return "behind_another", {"names": flow.names(silent)}


def _why_exclusive(
    flow: Flow, pairs: Sequence[tuple[str, str]]
) -> tuple[str, dict[str, Any]]:
    for choice in flow.choices:
        for source, other in pairs:
            ways = choice.ways_to(source)
            other_ways = choice.ways_to(other)
            if ways and other_ways and not ways & other_ways:
                return "exclusive_ways", {
                    "switch": flow.titles[choice.source],
                    "one": flow.titles[source],
                    "ways": _named(choice.edge, ways),
                    "other": flow.titles[other],
                    "other_ways": _named(choice.edge, other_ways),
                }
    choices = "the switches" if flow.switches else "the error edges"
    return "exclusive_nodes", {"names": flow.names(pairs[0]), "choices": choices}


def _switch_between(flow: Flow, net: Net, sources: Sequence[str]) -> Choice | None:
    """Return a switch that decides once, and has no way to all sources that depend
    on it.
    """
    for choice in flow.choices:
        if net.runs_twice_at_once(choice.source):
            continue
        ways = [to for source in sources if (to := choice.ways_to(source)) is not None]
        if ways and not frozenset.intersection(*ways):
            return choice
    return None


def _named(edge: EdgeDefinition, ways: Collection[str]) -> str:
    return " or ".join(edge.ways_to(ways))
