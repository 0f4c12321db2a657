"""Joins: a bar before the target, with a segment for each source."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF

from designer.canvas.drawing.figures.base import TAG_H, Draft, EdgeFigure, Figure, Tag
from designer.canvas.drawing.style import text_width
from runtime.document.definition import FanInEdge

BAR_W = 10.0
BAR_GAP = 4.0
BAR_BEFORE = 30.0
# a bar of more than twelve sources keeps this height
SEGMENT = 40.0
SEGMENTS_HIGH = 528.0


class FanInFigure(EdgeFigure[FanInEdge]):
    def figure(self, draft: Draft, edge: FanInEdge) -> Figure | None:
        target = draft.boxes.get(edge.target)
        if target is None or not edge.sources:
            return None
        right = (
            target.rect.left() - BAR_BEFORE - 26 * draft.topology.ranks.get(edge.id, 0)
        )
        segments = bar(len(edge.sources), right, target.inlet.y())
        wires = []
        for source, segment in zip(edge.sources, segments, strict=True):
            if source in draft.boxes:
                end = QPointF(segment.left() - 2, segment.center().y())
                wires.append(
                    draft.wire(
                        source, target.id, draft.boxes[source].outlet, end, head=False
                    )
                )
        wires.append(
            draft.wire("", target.id, QPointF(right, target.inlet.y()), target.tip)
        )
        return draft.figure(
            wires,
            segments=segments,
            sources=edge.sources,
            tags=_policy_tag(edge, segments),
        )


def bar(count: int, right: float, middle: float) -> tuple[QRectF, ...]:
    """Return the segments of a join bar in source order, 40 high and 4 apart, centred
    on the target's port.
    """
    step = min(SEGMENT + BAR_GAP, SEGMENTS_HIGH / count)
    high = max(step - BAR_GAP, step * 0.6)
    top = middle - (step * count - (step - high)) / 2
    return tuple(
        QRectF(right - BAR_W, round(top + k * step, 1), BAR_W, round(high, 1))
        for k in range(count)
    )


def _policy_tag(edge: FanInEdge, segments: Sequence[QRectF]) -> tuple[Tag, ...]:
    """Return a tag under the bar with the policy, unless that is "all"."""
    if edge.policy == "all":
        return ()
    text = f"any {edge.count}" if edge.policy == "count" else edge.policy
    width = round(text_width(text, "tag")) + 14
    last = segments[-1]
    return (
        Tag(
            QRectF(
                round(last.center().x() - width / 2),
                round(last.bottom()) + 6,
                width,
                TAG_H,
            ),
            text,
        ),
    )
