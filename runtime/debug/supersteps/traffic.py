"""Where each message went in one superstep, from queue and buffers of the barrier
before and the recorded fates.

What an older record leaves open stays open: it is never guessed.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from runtime.debug.graphs.graph import Graph, Join
from runtime.debug.supersteps.next_superstep import Routed, held, targets
from runtime.message import Message
from runtime.state import Fate, RunState


@dataclass(frozen=True, slots=True)
class Place:
    """A message, and its section in the checkpoint."""

    section: str
    message: Message


@dataclass(frozen=True, slots=True)
class Delivery:
    """The messages of one handler call: one message, or the list that a join released.
    `case` is that of a switch which chose the way, "" for another edge.
    """

    edge: str
    places: tuple[Place, ...]
    case: str = ""


@dataclass(frozen=True, slots=True)
class Stop:
    """A message that an edge dropped, and whether no other edge took it; None if
    that is not recorded.
    """

    place: Place
    fate: Fate
    lost: bool | None


def held_places(graph: Graph, state: RunState) -> Iterator[tuple[Join, Place]]:
    """Yield all messages that joins hold, in the order of `held:<place>`."""
    number = 0
    for join in graph.joins:
        for message in held(join, state):
            yield join, Place(f"held:{number}", message)
            number += 1


@dataclass(frozen=True)
class Traffic:
    """A barrier with the routing of its queued messages in the superstep after it;
    None if that is unknown.
    """

    graph: Graph
    state: RunState
    routed: Routed | None

    def fates_of(self, position: int) -> Sequence[Fate]:
        """Return what happened to the message at a place in the queue, as far
        as it is recorded.
        """
        return self._fates_by_position.get(position, ())

    @property
    def is_incomplete(self) -> bool:
        """Whether the record does not say which of several messages went where."""
        return self.routed is not None and bool(self._unassigned)

    def deliveries(self, node: str) -> list[Delivery] | None:
        """Return the handler calls of an executor, in their order; None if the
        record leaves open what they got.
        """
        if self.routed is None or any(
            fate.target_id == node for fate in self._unassigned
        ):
            return None
        return [*self._direct_deliveries(node), *self._join_deliveries(node)]

    def carried(self, edge: str) -> list[tuple[Fate, Place]]:
        """Return the messages that an edge group carried, into a join too."""
        return [
            (fate, place)
            for fate, place in self._fates_along(edge)
            if fate.kind != "dropped" and fate.target_id is not None
        ]

    def stopped(self, edge: str = "", *, target: str = "") -> list[Stop]:
        """Return the messages that an edge group, or any edge into a target,
        dropped.
        """
        return [
            Stop(place, fate, self.is_lost(position))
            for position, place, fate in self._all_fates()
            if fate.kind == "dropped"
            and fate.target_id is not None
            and (fate.edge_id == edge if edge else fate.target_id == target)
        ]

    def released(self, edge: str) -> list[Delivery]:
        """Return the lists that a join released."""
        join = next((join for join in self.graph.joins if join.edge == edge), None)
        return [] if join is None or self.routed is None else self._released_lists(join)

    def next_ways(self, position: int) -> tuple[list[tuple[str, str]], str]:
        """Return where a queued message goes, as (target, edge); or why it
        goes nowhere, or when that is decided.
        """
        message = self.state.queue[position]
        fates: Sequence[Fate] = ()
        if not self._has_unassigned(message.source_id):
            fates = self.fates_of(position)
        ways_taken = [
            (fate.target_id or "", fate.edge_id or "")
            for fate in fates
            if fate.kind != "dropped"
        ]
        if ways_taken:
            return ways_taken, ""
        if fates:
            return [], f"dropped: {_reasons(fates)}"
        # Without a record of its own, only the ways without a condition are known.
        certain_ways = targets(self.graph, message)
        if certain_ways:
            return certain_ways, ""
        if self.routed is None:
            return [], "decided when it is routed"
        return [], "its way is not recorded"

    def is_lost(self, position: int) -> bool | None:
        """Return whether no edge took the message at a place in the queue; None if
        that is not recorded.
        """
        if any(fate.kind != "dropped" for fate in self.fates_of(position)):
            return False
        source = self.state.queue[position].source_id
        if any(
            fate.source_id == source and fate.kind != "dropped"
            for fate in self._unassigned
        ):
            return None
        return True

    # --- inside

    @cached_property
    def _sent(self) -> Counter[str]:
        return Counter(message.source_id for message in self.state.queue)

    @cached_property
    def _unassigned(self) -> list[Fate]:
        """Return the fates that cannot be assigned to messages.

        Old records have counts without positions. Such a fate can be assigned only
        if it counts every message of its source.
        """
        fates = self.routed.fates if self.routed is not None else ()
        return [
            fate
            for fate in fates
            if not fate.positions and fate.count != self._sent[fate.source_id]
        ]

    def _has_unassigned(self, source: str) -> bool:
        return any(fate.source_id == source for fate in self._unassigned)

    @cached_property
    def _fates_by_position(self) -> dict[int, list[Fate]]:
        fates_by_position: dict[int, list[Fate]] = {}
        by_source: dict[str, list[int]] = {}
        for position, message in enumerate(self.state.queue):
            by_source.setdefault(message.source_id, []).append(position)
        for fate in self.routed.fates if self.routed is not None else ():
            positions: Sequence[int] = fate.positions
            sent_positions = by_source.get(fate.source_id, [])
            if not positions and fate.count == len(sent_positions):
                positions = sent_positions
            for position in positions:
                fates_by_position.setdefault(position, []).append(fate)
        return fates_by_position

    def _all_fates(self) -> Iterator[tuple[int, Place, Fate]]:
        for position, message in enumerate(self.state.queue):
            for fate in self.fates_of(position):
                yield position, Place(f"queue:{position}", message), fate

    def _fates_along(self, edge: str) -> Iterator[tuple[Fate, Place]]:
        return (
            (fate, place)
            for _, place, fate in self._all_fates()
            if fate.edge_id == edge
        )

    def _direct_deliveries(self, node: str) -> Iterator[Delivery]:
        join_edges = {join.edge for join in self.graph.joins}
        for position, message in enumerate(self.state.queue):
            place = Place(f"queue:{position}", message)
            ways = [
                (fate.edge_id or "", fate.case)
                for fate in self.fates_of(position)
                if fate.target_id == node and fate.kind == "delivered"
            ]
            # Several edges may deliver one message to the same executor. The calls
            # follow the order in which the edges are defined.
            ways.sort(key=lambda way: self._edge_order.get(way[0], 0))
            for edge, case in ways:
                if edge not in join_edges:
                    yield Delivery(edge, (place,), case)

    @cached_property
    def _edge_order(self) -> dict[str, int]:
        edges = [arc.edge.id for arc in self.graph.live if arc.edge.join is None]
        return {edge: number for number, edge in enumerate(dict.fromkeys(edges))}

    def _join_deliveries(self, node: str) -> Iterator[Delivery]:
        for join in self.graph.joins:
            if join.target == node:
                yield from self._released_lists(join)

    def _released_lists(self, join: Join) -> list[Delivery]:
        """Return the lists that a join released: of each source the oldest
        messages.
        """
        # A join releases the oldest messages first, so those that it held before the
        # superstep come ahead of those that arrived in it.
        waiting: dict[str, deque[Place]] = {source: deque() for source in join.sources}
        for holder, place in held_places(self.graph, self.state):
            if holder.edge == join.edge:
                waiting.setdefault(place.message.source_id, deque()).append(place)
        for _, place in self.carried(join.edge):
            waiting.setdefault(place.message.source_id, deque()).append(place)
        lists = []
        for release in self.routed.releases if self.routed is not None else ():
            if release.edge_id == join.edge:
                counts = zip(join.sources, release.counts, strict=False)
                lists.append(Delivery(join.edge, _take_oldest(waiting, counts)))
        return lists


def _take_oldest(
    waiting: dict[str, deque[Place]], counts: Iterable[tuple[str, int]]
) -> tuple[Place, ...]:
    places: list[Place] = []
    for source, count in counts:
        oldest = waiting[source]
        places += [oldest.popleft() for _ in range(min(count, len(oldest)))]
    return tuple(places)


def _reasons(fates: Iterable[Fate]) -> str:
    reasons = dict.fromkeys(fate.reason for fate in fates if fate.reason)
    return ", ".join(reasons) or "no reason recorded"
