"""Where each message went in one superstep, from queue and buffers of the barrier before
and the recorded fates.

What an older record leaves open stays open: it is never guessed.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from runtime.debug.graph import Graph, Join
from runtime.debug.next_superstep import Routed, held, targets
from runtime.message import Message
from runtime.state import Fate, RunState


@dataclass(frozen=True, slots=True)
class Place:
    """A message, and its section in the checkpoint."""

    section: str
    message: Message


@dataclass(frozen=True, slots=True)
class Delivery:
    """What one handler call gets: one message, or the list that a join released."""

    edge: str
    places: tuple[Place, ...]


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
        return self._fates.get(position, ())

    @property
    def is_open(self) -> bool:
        """Whether the record leaves open which of several messages went where."""
        return self.routed is not None and bool(self._unclear)

    def deliveries(self, node: str) -> list[Delivery] | None:
        """Return the handler calls of an executor, in their order; None if the
        record leaves open what they got.
        """
        if self.routed is None or any(fate.target_id == node for fate in self._unclear):
            return None
        return [*self._direct(node), *self._from_joins(node)]

    def carried(self, edge: str) -> list[tuple[Fate, Place]]:
        """Yield the messages that an edge group carried, into a join too."""
        return [
            (fate, place)
            for fate, place in self._along(edge)
            if fate.kind != "dropped" and fate.target_id is not None
        ]

    def stopped(self, edge: str = "", *, target: str = "") -> list[Stop]:
        """Yield the messages that an edge group, or any edge into a target,
        dropped.
        """
        return [
            Stop(place, fate, self._is_lost(position))
            for position, place, fate in self._all()
            if fate.kind == "dropped"
            and fate.target_id is not None
            and (fate.edge_id == edge if edge else fate.target_id == target)
        ]

    def released(self, edge: str) -> list[Delivery]:
        """Return the lists that a join released."""
        join = next((join for join in self.graph.joins if join.edge == edge), None)
        return [] if join is None or self.routed is None else self._lists(join)

    def next_ways(self, position: int) -> tuple[list[tuple[str, str]], str]:
        """Return where a queued message goes, as (target, edge); or why it
        goes nowhere, or when that is decided.
        """
        message = self.state.queue[position]
        if self.routed is not None and not any(
            fate.source_id == message.source_id for fate in self._unclear
        ):
            fates = self.fates_of(position)
            taken = [
                (fate.target_id or "", fate.edge_id or "")
                for fate in fates
                if fate.kind != "dropped"
            ]
            if taken or fates:
                return taken, "" if taken else f"dropped: {_reasons(fates)}"
        certain = targets(self.graph, message)
        if self.routed is None:
            unknown = "decided when it is routed"
        else:
            unknown = "not recorded which way it went"
        return certain, "" if certain else unknown

    # --- inside

    @cached_property
    def _sent(self) -> Counter[str]:
        return Counter(message.source_id for message in self.state.queue)

    @cached_property
    def _unclear(self) -> list[Fate]:
        """Return the fates whose messages are not recorded."""
        fates = self.routed.fates if self.routed is not None else ()
        return [
            fate
            for fate in fates
            if not fate.positions and fate.count != self._sent[fate.source_id]
        ]

    @cached_property
    def _fates(self) -> dict[int, list[Fate]]:
        fates_by_position: dict[int, list[Fate]] = {}
        by_source: dict[str, list[int]] = {}
        for position, message in enumerate(self.state.queue):
            by_source.setdefault(message.source_id, []).append(position)
        for fate in self.routed.fates if self.routed is not None else ():
            everything = by_source.get(fate.source_id, [])
            positions = fate.positions or (
                everything if fate.count == len(everything) else ()
            )
            for position in positions:
                fates_by_position.setdefault(position, []).append(fate)
        return fates_by_position

    def _all(self) -> Iterator[tuple[int, Place, Fate]]:
        for position, message in enumerate(self.state.queue):
            for fate in self.fates_of(position):
                yield position, Place(f"queue:{position}", message), fate

    def _along(self, edge: str) -> Iterator[tuple[Fate, Place]]:
        return ((fate, place) for _, place, fate in self._all() if fate.edge_id == edge)

    def _is_lost(self, position: int) -> bool | None:
        if any(fate.kind != "dropped" for fate in self.fates_of(position)):
            return False
        source = self.state.queue[position].source_id
        if any(
            fate.source_id == source and fate.kind != "dropped"
            for fate in self._unclear
        ):
            return None
        return True

    def _direct(self, node: str) -> Iterator[Delivery]:
        joins = {join.edge for join in self.graph.joins}
        for position, message in enumerate(self.state.queue):
            place = Place(f"queue:{position}", message)
            mine = [
                fate
                for fate in self.fates_of(position)
                if fate.target_id == node and fate.kind == "delivered"
            ]
            for fate in sorted(
                mine, key=lambda fate: self._order.get(fate.edge_id or "", 0)
            ):
                if fate.edge_id not in joins:
                    yield Delivery(fate.edge_id or "", (place,))

    @cached_property
    def _order(self) -> dict[str, int]:
        return {
            edge: number
            for number, edge in enumerate(
                dict.fromkeys(
                    arc.edge.id for arc in self.graph.live if arc.edge.join is None
                )
            )
        }

    def _from_joins(self, node: str) -> Iterator[Delivery]:
        for join in self.graph.joins:
            if join.target == node:
                yield from self._lists(join)

    def _lists(self, join: Join) -> list[Delivery]:
        """Return the lists that a join released: of each source the oldest
        messages.
        """
        waiting: dict[str, deque[Place]] = {source: deque() for source in join.sources}
        held_before = (
            place
            for holder, place in held_places(self.graph, self.state)
            if holder.edge == join.edge
        )
        arrived = (place for _, place in self.carried(join.edge))
        for place in (*held_before, *arrived):
            waiting.setdefault(place.message.source_id, deque()).append(place)
        releases = self.routed.releases if self.routed is not None else ()
        return [
            Delivery(
                join.edge,
                tuple(_taken(waiting, zip(join.sources, release.counts, strict=False))),
            )
            for release in releases
            if release.edge_id == join.edge
        ]


def _taken(
    waiting: dict[str, deque[Place]], counts: Iterable[tuple[str, int]]
) -> Iterator[Place]:
    for source, count in counts:
        for _ in range(min(count, len(waiting[source]))):
            yield waiting[source].popleft()


def _reasons(fates: Iterable[Fate]) -> str:
    return (
        ", ".join(dict.fromkeys(fate.reason for fate in fates if fate.reason))
        or "no reason recorded"
    )
