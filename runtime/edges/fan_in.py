"""Fan-in: a join. Its target gets one list when the policy says so.

A join keeps nothing by itself. `RunState.buffers` has what it holds, under its `key`; the key is made of the kind and
of the JSON of its sorted [source, target] pairs, so that no two joins meet, whatever characters their ids contain.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple, get_args

from runtime.edges.base import TYPE_MISMATCH, Ask, Edge, EdgeGroup, Way
from runtime.message import Message

Policy = Literal["all", "zip", "any", "count"]
Held = tuple[Message, ...]


class FanInEdgeGroup(EdgeGroup):
    """Some sources, one target, which gets a list of what the sources sent: in declared order of the sources, then in
    send order. When, is said by the policy, judged after all messages of the superstep have been routed:

    all    every source has sent at least once: everything held goes out as one list
    zip    every source has sent at least once: one message of each goes out, the rest stay for the next round
    any    something has arrived: everything held goes out as one list
    count  at least `count` messages are held: everything held goes out as one list
    """

    kind = "fan_in"

    def __init__(
        self,
        source_ids: Sequence[str],
        target_id: str,
        *,
        policy: Policy = "all",
        count: int = 0,
        id: str | None = None,
    ) -> None:
        if len(source_ids) < 2:
            raise ValueError(
                "FanInEdgeGroup must contain at least two sources. For one, use add_edge."
            )
        if policy not in get_args(Policy):
            raise ValueError(
                f"Unknown fan-in policy '{policy}'. Use one of: {', '.join(get_args(Policy))}."
            )
        if (policy == "count") != (count > 0):
            raise ValueError(
                "Give a fan-in with policy 'count' a count of at least 1, and no other policy a count."
            )
        self.policy = policy
        self.count = count
        pairs = sorted([source, target_id] for source in source_ids)
        self.key = f"{self.kind}:{json.dumps(pairs, separators=(',', ':'))}"
        super().__init__([Edge(source, target_id) for source in source_ids], id)
        self.awaited_ids = self.source_ids

    def without(self, silent: Collection[str]) -> FanInEdgeGroup:
        """The same join, which does not wait for those of its sources that never send."""
        made = FanInEdgeGroup(
            self.source_ids,
            self.target_id,
            policy=self.policy,
            count=self.count,
            id=self.id,
        )
        made.awaited_ids = tuple(
            source for source in self.source_ids if source not in silent
        )
        return made

    @property
    def target_id(self) -> str:
        return self.target_ids[0]

    def structural_id(self) -> str:
        return self.key

    @property
    def asks_nobody(self) -> bool:
        return True

    def ways(self, message: Message, ask: Ask) -> Sequence[Way]:
        # The target takes lists: each message is tried as a list of its own.
        takes = ask.takes(self.target_id, [message.data])
        return (Way(self.target_id, "" if takes else TYPE_MISMATCH),)

    def release(self, held: Held) -> tuple[list[Held], Held]:
        """The lists that go out now, each in delivery order, and what stays."""
        by_source = self.by_source(held)
        if self.policy == "zip":
            return self._zip(held, by_source)
        if not self._is_ready(held, by_source):
            return [], held
        return [tuple(chain.from_iterable(by_source.values()))], ()

    def _is_ready(self, held: Held, by_source: Mapping[str, list[Message]]) -> bool:
        match self.policy:
            case "any":
                return bool(held)
            case "count":
                return len(held) >= self.count
            case _:
                return all(by_source[source] for source in self.awaited_ids)

    def _zip(
        self, held: Held, by_source: Mapping[str, list[Message]]
    ) -> tuple[list[Held], Held]:
        rounds = min((len(by_source[source]) for source in self.awaited_ids), default=0)
        lists = [
            tuple(by_source[source][number] for source in self.awaited_ids)
            for number in range(rounds)
        ]
        seen = dict.fromkeys(self.source_ids, 0)
        rest = []
        for message in held:
            seen[message.source_id] += 1
            if seen[message.source_id] > rounds:
                rest.append(message)
        return lists, tuple(rest)

    def by_source(self, held: Held) -> dict[str, list[Message]]:
        """What is held, per source in declared order."""
        found: dict[str, list[Message]] = {source: [] for source in self.source_ids}
        for message in held:
            found[message.source_id].append(message)
        return found

    def missing(self, held: Held) -> tuple[str, ...]:
        """The sources that it waits for and that have nothing here, in declared order."""
        present = {message.source_id for message in held}
        return tuple(source for source in self.awaited_ids if source not in present)

    def awaited(self, held: Held) -> tuple[str, ...]:
        """The sources that could complete it: those that have nothing here, or any where only the number counts."""
        return self.awaited_ids if self.policy == "count" else self.missing(held)

    def logic(self) -> dict[str, Any]:
        return {"policy": self.policy} | ({"count": self.count} if self.count else {})

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | self.logic()

    @classmethod
    def of(cls, data: dict[str, Any], edges: Sequence[Edge]) -> FanInEdgeGroup:
        sources = [edge.source_id for edge in edges]
        policy = data.get("policy", "all")
        count = data.get("count", 0)
        return cls(
            sources, edges[0].target_id, policy=policy, count=count, id=data["id"]
        )


class HeldJoin(NamedTuple):
    """A join that holds messages at a barrier.

    held     source id -> how many of its messages the join holds
    missing  the sources that the join waits for, each with the reason why nothing has come
    path     leads to the run of the sub-workflow that the join is in; empty at the root
    """

    group: FanInEdgeGroup
    held: Mapping[str, int]
    missing: tuple[tuple[str, str], ...]
    path: tuple[str, ...] = ()
