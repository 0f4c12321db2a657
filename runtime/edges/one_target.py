"""What the edge groups with one source, one target and a condition share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from runtime.edges.base import (
    CONDITION_FALSE,
    TYPE_MISMATCH,
    UNDECIDED,
    Ask,
    Edge,
    EdgeCondition,
    EdgeGroup,
    Way,
    drawn_name,
)
from runtime.message import Message


class OneTargetEdgeGroup(EdgeGroup):
    """One source, one target. The condition is asked only about values that the target
    takes.
    """

    def __init__(
        self,
        source_id: str,
        target_id: str,
        condition: EdgeCondition | None = None,
        *,
        id: str | None = None,
    ) -> None:
        super().__init__([Edge(source_id, target_id, condition)], id)
        self.condition = condition
        self._goes = (Way(target_id),)

    @property
    def only_targets_decide(self) -> bool:
        return self.condition is None

    def ways(self, message: Message, ask: Ask) -> Sequence[Way]:
        target = self.target_ids[0]
        if not ask.takes(target, message.data):
            return (Way(target, TYPE_MISMATCH),)
        if self.condition is None:
            return self._goes
        holds = ask.holds(self, self.condition, message.data)
        if holds is None:
            return (Way(target, UNDECIDED),)
        return self._goes if holds else (Way(target, CONDITION_FALSE),)

    @property
    def drawn_condition(self) -> str:
        """What a picture writes on the line."""
        return (
            "" if self.condition is None else drawn_name(self.edges[0].condition_name)
        )

    @classmethod
    def of(cls, data: dict[str, Any], edges: Sequence[Edge]) -> Self:
        return cls(
            edges[0].source_id, edges[0].target_id, edges[0].condition, id=data["id"]
        )

    def logic(self) -> dict[str, Any]:
        return {} if self.condition is None else {"condition": self.condition}
