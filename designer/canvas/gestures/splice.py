"""The light on the wire that takes what is dragged over it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath

from designer.canvas.base import Canvas
from designer.canvas.drawing.spots import Fits, Spot, spot_at


class SpliceLight:
    """`spot` is the wire that is lit while something is dragged over it."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        self.spot: Spot | None = None
        self._rect = QRectF()

    def over(self, rect: QRectF, fits: Fits) -> None:
        """Light the wire that takes what would be in this rectangle."""
        self._rect = rect
        self._light(spot_at(self.canvas.scene(), rect.center(), fits))

    def clear(self) -> None:
        """Light no wire."""
        self._light(None)

    def take(self) -> Spot | None:
        """Return the lit wire, and light none."""
        spot = self.spot
        self.clear()
        return spot

    def _light(self, spot: Spot | None) -> None:
        before = self.spot
        self.spot = spot
        if _place(before) == _place(spot):
            return
        changed = [lit.edge for lit in (before, spot) if lit is not None]
        self.canvas.scene().edges.repaint(changed)
        words = ""
        if spot is not None:
            words = "Release to put it into this wire; with Alt it is only moved here"
        self.canvas.status.emit(words)

    def paint(self, painter: QPainter) -> None:
        """Paint over the lit wire, but not over what is dragged."""
        if self.spot is None:
            return
        path = self.spot.wire.path
        area = path.controlPointRect().united(self._rect).adjusted(-8, -8, 8, 8)
        beside = QPainterPath()
        beside.addRect(area)
        # What is inside of both rectangles counts as outside of the path.
        beside.addRect(self._rect)
        painter.save()
        painter.setClipPath(beside, Qt.ClipOperation.IntersectClip)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        painter.setPen(self.canvas.scene().style_.pen("accent", 3))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)
        painter.restore()


def _place(spot: Spot | None) -> object:
    return None if spot is None else (spot.edge, spot.way)
