"""Bookmarks on the canvas: set, taken away, gone to, and a ribbon at the corner of what has one."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPolygonF

from designer.canvas.base import Canvas
from designer.canvas.drawing.style import COMPACT
from designer.model.bookmarks import bookmarks_of, toggle

WIDTH = 9.0
HEIGHT = 13.0
NOTCH = 4.0


class Bookmarks:
    """`marked` has the ids, in the order in which they were marked."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        self._made_of: tuple[object, object] = (None, None)
        self._marked: tuple[str, ...] = ()

    @property
    def marked(self) -> tuple[str, ...]:
        design = self.canvas.scene().design
        made_of = (design.workflow, design.layout_extra)
        if made_of[0] is not self._made_of[0] or made_of[1] is not self._made_of[1]:
            self._made_of = made_of
            self._marked = bookmarks_of(design)
        return self._marked

    def toggle(self) -> None:
        """Bookmark what is selected, or not any more when all of it is."""
        chosen = self.canvas.order
        if not chosen:
            self.canvas.tell(
                "Select what you want to come back to, and press Ctrl+B to bookmark it."
            )
            return
        if set(chosen) <= set(self.marked):
            words = "Remove the bookmark of"
        else:
            words = "Bookmark"
        self.canvas.commands.edit(
            f"{words} {self.canvas.commands.called(chosen)}",
            lambda design: toggle(design, chosen),
        )
        self.canvas.widget.viewport().update()

    def next(self) -> None:
        """To the bookmark after the one that is selected, from the last to the first."""
        marked = self.marked
        if not marked:
            self.canvas.tell(
                "There is no bookmark. Ctrl+B sets one at what is selected."
            )
            return
        chosen = next((key for key in reversed(self.canvas.order) if key in marked), "")
        self.canvas.reveal(
            marked[(marked.index(chosen) + 1) % len(marked)] if chosen else marked[0]
        )

    def paint(self, painter: QPainter, exposed: QRectF, zoom: float) -> None:
        """As large on the screen at every zoom but the smallest, where it would hide the node."""
        if not self.marked:
            return
        scale = max(1.0, COMPACT / zoom)
        style = self.canvas.scene().style_
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.brush("text2"))
        for key in self.marked:
            at = self._corner(key)
            if at is not None and exposed.adjusted(-40, -40, 40, 40).contains(at):
                painter.drawPolygon(_ribbon(at, scale))

    def _corner(self, key: str) -> QPointF | None:
        """Over the upper border, at the left; of an edge at its middle."""
        scene = self.canvas.scene()
        if key in scene.boxes:
            return scene.boxes[key].rect.topLeft() + QPointF(8, -7)
        if key in scene.backdrop.frames:
            return scene.backdrop.rect(key).topLeft() + QPointF(8, -7)
        figure = scene.figure(key)
        if figure is not None:
            return figure.wires[0].path.pointAtPercent(0.5) + QPointF(0, -6)
        return None


def _ribbon(at: QPointF, scale: float) -> QPolygonF:
    corners = (
        (0, 0),
        (WIDTH, 0),
        (WIDTH, HEIGHT),
        (WIDTH / 2, HEIGHT - NOTCH),
        (0, HEIGHT),
    )
    return QPolygonF([at + QPointF(x, y) * scale for x, y in corners])
