"""Multi-selection: any number of ways, selected_ways by a function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.edges.base import (
    Ask,
    Edge,
    EdgeGroup,
    MissingFunction,
    SelectionFunction,
    Way,
    check_callable,
    name_of,
)
from runtime.edges.drawing import Drawing
from runtime.edges.selection import (
    drawn_selection,
    refused_ways,
    selected_by,
    selected_ways,
)
from runtime.message import Message


class MultiSelectionEdgeGroup(EdgeGroup):
    """A message goes to the targets that `selection_func(data, target_ids)` names,
    perhaps to none.
    """

    kind = "multi_selection"

    def __init__(
        self,
        source_id: str,
        target_ids: Sequence[str],
        selection_func: SelectionFunction,
        *,
        id: str | None = None,
    ) -> None:
        if not target_ids:
            raise ValueError(
                "MultiSelectionEdgeGroup must contain at least one target."
            )
        super().__init__([Edge(source_id, target) for target in target_ids], id)
        check_callable("selection of a multi-selection", selection_func)
        self.selection_func = selection_func
        self.selection_func_name = name_of(selection_func)

    def ways(self, message: Message, ask: Ask) -> Sequence[Way]:
        refused = refused_ways(message, self.target_ids, ask)
        if refused is not None:
            return refused
        selected = ask.once(
            self, lambda: selected_by(self.selection_func, self, message.data)
        )
        return selected_ways(message, self.target_ids, selected, ask)

    def drawing(self) -> Drawing:
        return drawn_selection(self, self.selection_func)

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"selection_func_name": self.selection_func_name}

    @classmethod
    def of(cls, data: dict[str, Any], edges: Sequence[Edge]) -> MultiSelectionEdgeGroup:
        selection = MissingFunction(data["selection_func_name"])
        return cls(
            edges[0].source_id,
            [edge.target_id for edge in edges],
            selection,
            id=data["id"],
        )

    def logic(self) -> dict[str, Any]:
        return {"selection": self.selection_func}
