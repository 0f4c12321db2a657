"""Multi-selections: a box with a tick from which a wire runs to each target."""

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
    paint_square,
)
from designer.canvas.drawing.glyphs import paint_glyph
from designer.canvas.drawing.style import Style
from runtime.document.definition import MultiSelectionEdge

BOX = 19.0


class MultiSelectionFigure(EdgeFigure[MultiSelectionEdge]):
    hub_half = BOX / 2
    dashes_unsent = True
    edits_under_tag = False

    def figure(self, draft: Draft, edge: MultiSelectionEdge) -> Figure | None:
        targets = draft.known([selection.target for selection in edge.selections])
        source = draft.boxes.get(edge.source)
        if source is None or not targets:
            return None
        hub = draft.hub_at(source, targets) + QPointF(BOX / 2 - 4, 0)
        wires = [
            Wire(
                source.id,
                "",
                routes.forward(source.outlet, QPointF(hub.x() - BOX / 2, hub.y())),
            )
        ]
        start = QPointF(hub.x() + BOX / 2, hub.y())
        wires += [
            draft.wire(source.id, target.id, start, target.tip) for target in targets
        ]
        return draft.figure(wires, hub=hub)

    def paint_hub(
        self, painter: QPainter, style: Style, hub: QPointF, state: HubState
    ) -> None:
        painter.setPen(style.pen(state.role, 1.5))
        painter.setBrush(style.brush("node"))
        paint_square(painter, hub, BOX, 4)
        tick = style.colour("text2")
        paint_glyph(
            painter, "tick", hub.x() - 6, hub.y() - 6, tick, style.colour("node")
        )

    def paint_small_hub(self, painter: QPainter, style: Style, hub: QPointF) -> None:
        paint_square(painter, hub, BOX, 4)
