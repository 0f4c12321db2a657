"""Plain edges: one wire, with its condition as a tag and a mark where it leaves."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter

from designer.canvas.drawing import routes
from designer.canvas.drawing.figures.base import (
    Draft,
    EdgeFigure,
    Figure,
    HubState,
    Wire,
    paint_diamond,
    wire_tag,
)
from designer.canvas.drawing.style import Style
from runtime.document.definition import DirectEdge

MARK = 6.0


class DirectFigure(EdgeFigure[DirectEdge]):
    hub_half = 7.0
    has_condition_mark = True

    def figure(self, draft: Draft, edge: DirectEdge) -> Figure | None:
        source = draft.boxes.get(edge.source)
        target = draft.boxes.get(edge.target)
        if source is None or target is None:
            return None
        bow = draft.topology.bows.get(edge.id, 0.0)
        if source is target and edge.target not in draft.dots:
            step = max(0.0, bow + 30) if draft.topology.bows.get(edge.id) else 0.0
            top = source.rect.top() - 34 - step * 0.6
            reach = 44 + step * 0.4
            end = QPointF(source.tip.x() - routes.ARROW, source.tip.y())
            wire = Wire(
                source.id,
                source.id,
                routes.over(source.outlet, end, top, reach),
                source.tip,
            )
        else:
            wire = draft.wire(source.id, target.id, source.outlet, target.tip, bow=bow)
        if not edge.condition:
            return draft.figure([wire])
        return draft.figure(
            [wire], tags=wire_tag(edge.condition, wire), hub=_condition_mark(wire)
        )

    def paint_hub(
        self, painter: QPainter, style: Style, hub: QPointF, state: HubState
    ) -> None:
        painter.setPen(style.pen(state.role, 1.5))
        painter.setBrush(style.brush("canvas"))
        paint_diamond(painter, hub, MARK)

    def paint_small_hub(self, painter: QPainter, style: Style, hub: QPointF) -> None:
        paint_diamond(painter, hub, MARK)


def _condition_mark(wire: Wire) -> QPointF:
    length = max(wire.path.length(), 1.0)
    return wire.path.pointAtPercent(min(0.5, 18 / length))
