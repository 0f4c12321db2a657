"""Multi-selection: any number of ways, chosen by a function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from runtime.edges.base import Ask, Edge, EdgeGroup, Way, chosen, selected_by, untaken
from runtime.message import Message


class MultiSelectionEdgeGroup(EdgeGroup):
    """A message goes to the targets that `selection_func(data, target_ids)` names; none is a valid answer."""

    kind = "multi_selection"

    def __init__(
        self,
        source_id: str,
        target_ids: Sequence[str],
        selection_func: Callable[[Any, list[str]], Iterable[str]],
        *,
        id: str | None = None,
    ) -> None:
        if not target_ids:
            raise ValueError("MultiSelectionEdgeGroup must contain at least one target.")
        super().__init__([Edge(source_id, target) for target in target_ids], id)
        self.selection_func = selection_func

    def ways(self, message: Message, ask: Ask) -> Sequence[Way]:
        nobody = untaken(message, self.target_ids, ask)
        if nobody is not None:
            return nobody
        picked = ask.once(self, lambda: selected_by(self.selection_func, self, message.data))
        return chosen(message, self.target_ids, picked, ask)

    def logic(self) -> dict[str, Any]:
        return {"selection": self.selection_func}
