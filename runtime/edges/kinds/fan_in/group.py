"""Fan-in: a join. Its target gets one list when the policy says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Literal, get_args

from runtime.edges.base import Edge
from runtime.edges.drawing import Drawing, join_box
from runtime.edges.join import Held, JoinEdgeGroup
from runtime.message import Message

Policy = Literal["all", "zip", "any", "count"]


class FanInEdgeGroup(JoinEdgeGroup):
    """Some sources, one target, which gets a list of what the sources sent: in declared
    order of the sources, then in send order. The policy decides when:

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
        super().__init__([Edge(source, target_id) for source in source_ids], id)

    def release(self, held: Held) -> tuple[list[Held], Held]:
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
        remaining = []
        for message in held:
            seen[message.source_id] += 1
            if seen[message.source_id] > rounds:
                remaining.append(message)
        return lists, tuple(remaining)

    def awaited(self, held: Held) -> tuple[str, ...]:
        # Any source can complete it where only the number counts.
        return self.awaited_ids if self.policy == "count" else self.missing(held)

    def drawing(self) -> Drawing:
        return join_box(self.source_ids, self.target_id, self.policy, self.count)

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
