"""Fan-out: every message of the source goes to every target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from runtime.edges.base import TYPE_MISMATCH, Ask, Edge, EdgeGroup, Way, chosen, open_targets, selected_by, untaken
from runtime.message import Message

SelectionFunction = Callable[[Any, list[str]], Iterable[str]]


class FanOutEdgeGroup(EdgeGroup):
    """Every message goes to every target that takes it; with a `selection_func`, to those that it names."""

    kind = "fan_out"

    def __init__(
        self,
        source_id: str,
        target_ids: Sequence[str],
        selection_func: SelectionFunction | None = None,
        *,
        id: str | None = None,
    ) -> None:
        if len(target_ids) < 2:
            raise ValueError("FanOutEdgeGroup must contain at least two targets.")
        super().__init__([Edge(source_id, target) for target in target_ids], id)
        self.selection_func = selection_func

    def ways(self, message: Message, ask: Ask) -> Sequence[Way]:
        selection = self.selection_func
        if selection is None:
            return [
                Way(target, "" if ask.takes(target, message.data) else TYPE_MISMATCH)
                for target in open_targets(message, self.target_ids)
            ]
        nobody = untaken(message, self.target_ids, ask)
        if nobody is not None:
            return nobody
        picked = ask.once(self, lambda: selected_by(selection, self, message.data))
        return chosen(message, self.target_ids, picked, ask)

    def logic(self) -> dict[str, Any]:
        return {} if self.selection_func is None else {"selection": self.selection_func}
