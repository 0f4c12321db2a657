"""On error: one source, one target, which gets the failure of the source as a message.

Nothing else that the source sends goes along it, and the failure goes along no other edge. Whether a failure is taken
is asked when the handler has failed, as a failure that nobody takes fails the superstep; where it goes is then decided
like that of any message, in the next superstep.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.edges.base import CONDITION_FALSE, TYPE_MISMATCH, UNDECIDED, Ask, Edge, EdgeCondition, EdgeGroup, Way
from runtime.message import Message


class OnErrorEdgeGroup(EdgeGroup):
    """One source, one target. The condition, if there is one, is asked about the `ExecutorFailure`."""

    kind = "on_error"

    def __init__(
        self, source_id: str, target_id: str, condition: EdgeCondition | None = None, *, id: str | None = None
    ) -> None:
        super().__init__([Edge(source_id, target_id, condition)], id)
        self.condition = condition

    @property
    def asks_nobody(self) -> bool:
        return self.condition is None

    def ways(self, message: Message, ask: Ask) -> Sequence[Way]:
        target = self.target_ids[0]
        if not ask.takes(target, message.data):
            return (Way(target, TYPE_MISMATCH),)
        holds = True if self.condition is None else ask.holds(self, self.condition, message.data)
        if holds is None:
            return (Way(target, UNDECIDED),)
        return (Way(target, "" if holds else CONDITION_FALSE),)

    @classmethod
    def of(cls, data: dict[str, Any], edges: Sequence[Edge]) -> OnErrorEdgeGroup:
        return cls(edges[0].source_id, edges[0].target_id, edges[0].condition, id=data["id"])

    def logic(self) -> dict[str, Any]:
        return {} if self.condition is None else {"condition": self.condition}
