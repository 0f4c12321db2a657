"""Error edges: a dashed wire from a port of its own, low at the source."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter

from designer.canvas.drawing.figures.base import (
    Draft,
    EdgeFigure,
    Figure,
    HubState,
    paint_square,
    wire_tag,
)
from designer.canvas.drawing.geometry import Box
from designer.canvas.drawing.style import Style
from runtime.document.definition import OnErrorEdge

ERROR_PORT = 14.0  # the side of the square that failures leave by


class OnErrorFigure(EdgeFigure[OnErrorEdge]):
    hub_half = ERROR_PORT / 2
    role = "bad"
    has_condition_mark = True

    def figure(self, draft: Draft, edge: OnErrorEdge) -> Figure | None:
        """Return a wire from a port of its own, low at the source, so that it does not
        look like a way of messages.
        """
        source = draft.boxes.get(edge.source)
        target = draft.boxes.get(edge.target)
        if source is None or target is None:
            return None
        port = error_port(source)
        start = port + (
            QPointF(0, ERROR_PORT / 2) if source.diamond else QPointF(ERROR_PORT / 2, 0)
        )
        bow = draft.topology.bows.get(edge.id, 0.0)
        wire = replace(
            draft.wire(source.id, target.id, start, target.tip, bow=bow), dashed=True
        )
        # Nearer to its port than conditions are, because in a run the middle has what
        # it carried.
        tags = wire_tag(
            edge.condition or "on error", wire, mono=bool(edge.condition), at=0.34
        )
        return draft.figure([wire], hub=port, tags=tags)

    def paint_hub(
        self, painter: QPainter, style: Style, hub: QPointF, state: HubState
    ) -> None:
        """Paint a small square with an exclamation mark: its shape and its sign say
        what its colour says.
        """
        role = "accent" if state.chosen else "bad"
        painter.setPen(style.pen(role, 1.5))
        painter.setBrush(style.brush("node"))
        paint_square(painter, hub, ERROR_PORT, 3)
        x = hub.x()
        y = hub.y()
        painter.drawLine(QPointF(x, y - 3.5), QPointF(x, y + 0.5))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.brush(role))
        painter.drawEllipse(QPointF(x, y + 3.5), 1.0, 1.0)

    def paint_small_hub(self, painter: QPainter, style: Style, hub: QPointF) -> None:
        paint_square(painter, hub, ERROR_PORT, 3)


def error_port(box: Box) -> QPointF:
    """Return where a failure leaves a node: beside it, under the port of its messages;
    of a diamond, below it.
    """
    if box.diamond:
        return QPointF(box.rect.center().x(), box.rect.bottom() + ERROR_PORT / 2)
    return QPointF(
        box.rect.right() + ERROR_PORT / 2,
        max(box.outlet.y() + 14, box.rect.bottom() - 10),
    )
