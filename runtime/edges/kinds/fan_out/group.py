"""Fan-out: every message of the source goes to every target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.edges.base import (
    Ask,
    Edge,
    EdgeGroup,
    SelectionFunction,
    Way,
    check_callable,
    missing,
    name_of,
)
from runtime.edges.drawing import Drawing, plain_lines
from runtime.edges.selection import (
    drawn_selection,
    open_targets,
    refused_ways,
    selected_by,
    selected_ways,
)
from runtime.message import Message


class FanOutEdgeGroup(EdgeGroup):
    """Every message goes to every target that takes it; with a `selection_func`, only
    to those that it names.
    """

    kind = "fan_out"

    def __init__(
        self,
        source_id: str,
        target_ids: Sequence[str],
        selection_func: SelectionFunction | None = None,
        *,
        selection_func_name: str | None = None,
        id: str | None = None,
    ) -> None:
        if len(target_ids) < 2:
            raise ValueError(
                "FanOutEdgeGroup must contain at least two targets. For one, use add_edge."
            )
        super().__init__([Edge(source_id, target) for target in target_ids], id)
        check_callable("selection of a fan-out", selection_func)
        self.selection_func = selection_func
        if not selection_func_name and selection_func is not None:
            selection_func_name = name_of(selection_func)
        self.selection_func_name = selection_func_name or None

    @property
    def only_targets_decide(self) -> bool:
        return self.selection_func is None

    def ways(self, message: Message, ask: Ask) -> Sequence[Way]:
        selection = self.selection_func
        if selection is None:
            targets = open_targets(message, self.target_ids)
            return selected_ways(message, targets, targets, ask)
        refused = refused_ways(message, self.target_ids, ask)
        if refused is not None:
            return refused
        selected = ask.once(self, lambda: selected_by(selection, self, message.data))
        return selected_ways(message, self.target_ids, selected, ask)

    def drawing(self) -> Drawing:
        if self.selection_func is None:
            return plain_lines(self.source_ids[0], self.target_ids)
        return drawn_selection(self, self.selection_func)

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"selection_func_name": self.selection_func_name}

    @classmethod
    def of(cls, data: dict[str, Any], edges: Sequence[Edge]) -> FanOutEdgeGroup:
        targets = [edge.target_id for edge in edges]
        selection = missing(data.get("selection_func_name"))
        return cls(edges[0].source_id, targets, selection, id=data["id"])

    def logic(self) -> dict[str, Any]:
        return {} if self.selection_func is None else {"selection": self.selection_func}
