"""What the edge kinds that join messages share: they hold them until they are complete.

A join keeps nothing by itself. `RunState.buffers` has what it holds, under its `key`.
The key is made of the kind and of the JSON of its sorted [source, target] pairs, so
that no two joins have one key, whatever characters their ids contain.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self

from runtime.edges.base import TYPE_MISMATCH, Ask, Edge, EdgeGroup, Way
from runtime.message import Message

Held = tuple[Message, ...]


class JoinEdgeGroup(EdgeGroup):
    """Some sources, one target. What the sources send is held until `release` says that
    it goes out, which is asked after all messages of the superstep have been routed.
    """

    is_join: ClassVar[bool] = True
    delivers_lists: ClassVar[bool] = True

    def __init__(self, edges: Iterable[Edge], id: str | None = None) -> None:
        edges = tuple(edges)
        pairs = sorted([edge.source_id, edge.target_id] for edge in edges)
        self.key = f"{self.kind}:{json.dumps(pairs, separators=(',', ':'))}"
        super().__init__(edges, id)
        self.target_id = self.target_ids[0]
        self.awaited_ids = self.source_ids

    def without(self, silent: Collection[str]) -> Self:
        """Return the join that does not wait for sources that never send."""
        if set(self.source_ids).isdisjoint(silent):
            return self
        join = copy.copy(self)
        join.awaited_ids = tuple(
            source for source in self.source_ids if source not in silent
        )
        return join

    def structural_id(self) -> str:
        return self.key

    @property
    def only_targets_decide(self) -> bool:
        return True

    def ways(self, message: Message, ask: Ask) -> Sequence[Way]:
        # Each message is tried as a list of its own, because the target takes lists.
        data = [message.data] if self.delivers_lists else message.data
        takes = ask.takes(self.target_id, data)
        return (Way(self.target_id, "" if takes else TYPE_MISMATCH),)

    def release(self, held: Held) -> tuple[list[Held], Held]:
        """Return the groups of messages that go out now, each in the order in which
        they are delivered, and what stays.
        """
        raise NotImplementedError

    def delivered(self, messages: Held) -> Any:
        """Return what the target gets of one group of messages."""
        return [message.data for message in messages]

    def types_along(self, sent: Sequence[Any]) -> list[Any]:
        if not self.delivers_lists:
            return list(sent)
        return [list[type_] for type_ in sent]  # type: ignore[valid-type]

    def by_source(self, held: Held) -> dict[str, list[Message]]:
        """Return what is held, per source in declared order."""
        messages: dict[str, list[Message]] = {source: [] for source in self.source_ids}
        for message in held:
            messages[message.source_id].append(message)
        return messages

    def missing(self, held: Held) -> tuple[str, ...]:
        """Return the sources that it waits for and of which it holds nothing."""
        present = {message.source_id for message in held}
        return tuple(source for source in self.awaited_ids if source not in present)

    def awaited(self, held: Held) -> tuple[str, ...]:
        """Return the sources that could complete it."""
        return self.missing(held)


class HeldJoin(NamedTuple):
    """A join that holds messages at a barrier.

    held     source id -> how many of its messages the join holds
    missing  the sources that the join waits for, each with the reason why nothing has come
    path     leads to the run of the sub-workflow that the join is in; empty at the root
    """

    group: JoinEdgeGroup
    held: Mapping[str, int]
    missing: tuple[tuple[str, str], ...]
    path: tuple[str, ...] = ()
