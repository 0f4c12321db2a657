"""Fan-outs: a dot from which a wire runs to each target."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter

from designer.canvas.drawing import routes
from designer.canvas.drawing.figures.base import (
    Draft,
    EdgeFigure,
    Figure,
    HubState,
    Wire,
)
from designer.canvas.drawing.style import Style
from runtime.document.definition import FanOutEdge


class FanOutFigure(EdgeFigure[FanOutEdge]):
    hub_half = 6.0

    def figure(self, draft: Draft, edge: FanOutEdge) -> Figure | None:
        source = draft.boxes.get(edge.source)
        targets = draft.known(edge.targets)
        if source is None or not targets:
            return None
        hub = draft.hub_at(source, targets)
        wires = [Wire(source.id, "", routes.forward(source.outlet, hub))]
        wires += [
            draft.wire(source.id, target.id, hub, target.tip) for target in targets
        ]
        return draft.figure(wires, hub=hub)

    def paint_hub(
        self, painter: QPainter, style: Style, hub: QPointF, state: HubState
    ) -> None:
        role = "accent" if state.sent or state.chosen else "edge"
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.brush(role))
        painter.drawEllipse(hub, 3.5, 3.5)

    def paint_small_hub(self, painter: QPainter, style: Style, hub: QPointF) -> None:
        painter.setBrush(style.brush("edge"))
        painter.drawEllipse(hub, 4, 4)
