"""Direct edge: one source, one target, and perhaps a condition."""

from __future__ import annotations

from runtime.edges.drawing import Drawing, one_line
from runtime.edges.one_target import OneTargetEdgeGroup


class SingleEdgeGroup(OneTargetEdgeGroup):
    """One source, one target. The condition is asked only about values that the target
    takes.
    """

    kind = "direct"

    def drawing(self) -> Drawing:
        return one_line(self.source_ids[0], self.target_ids[0], self.drawn_condition)
