"""On error: one source, one target, which gets the failure of the source as a message.

Nothing else that the source sends goes along it, and the failure goes along no other
edge. The engine asks whether an edge takes the failure as soon as the handler has
failed, because a failure that no edge takes fails the superstep. The next superstep
then routes the failure like any message.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from runtime.edges.drawing import Drawing, error_line
from runtime.edges.one_target import OneTargetEdgeGroup
from runtime.message import ExecutorFailure


class OnErrorEdgeGroup(OneTargetEdgeGroup):
    """One source, one target. The condition is asked about the `ExecutorFailure`."""

    kind = "on_error"
    carries_failures: ClassVar[bool] = True

    def types_along(self, sent: Sequence[Any]) -> list[Any]:
        return [ExecutorFailure]

    def drawing(self) -> Drawing:
        return error_line(self.source_ids[0], self.target_ids[0], self.drawn_condition)
