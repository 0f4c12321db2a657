"""Bookmarks on the canvas: set and removed, gone to, and painted as a ribbon."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPolygonF

from designer.canvas.base import Canvas
from designer.canvas.drawing.style import COMPACT
from designer.model.bookmarks import bookmarks_of, toggle
from designer.model.design import Design

WIDTH = 9.0
HEIGHT = 13.0
NOTCH = 4.0


class Bookmarks:
    """Sets and removes bookmarks of what is selected, and goes from one to the next."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        # The bookmarks are read again only for another design, because they are painted
        # with every frame.
        self._design: Design | None = None
        self._marked: tuple[str, ...] = ()

    @property
    def marked(self) -> tuple[str, ...]:
        """The ids of what has a bookmark, in the order in which they were set."""
        design = self.canvas.scene().design
        if design is not self._design:
            self._design = design
            self._marked = bookmarks_of(design)
        return self._marked

    def toggle(self) -> None:
        """Bookmark what is selected, or remove the bookmarks when all of it has one."""
        chosen = self.canvas.order
        if not chosen:
            self.canvas.tell(
                "Select what you want to come back to, and press Ctrl+B to bookmark it."
            )
            return
        is_marked = set(chosen) <= set(self.marked)
        verb = "Remove the bookmark of" if is_marked else "Bookmark"
        words = f"{verb} {self.canvas.commands.called(chosen)}"
        self.canvas.commands.edit(words, lambda design: toggle(design, chosen))
        self.canvas.widget.viewport().update()

    def next(self) -> None:
        """Go to the bookmark after the selected one, from the last to the first."""
        marked = self.marked
        if not marked:
            self.canvas.tell(
                "There is no bookmark. Ctrl+B sets one at what is selected."
            )
            return
        chosen = next((key for key in reversed(self.canvas.order) if key in marked), "")
        place = marked.index(chosen) + 1 if chosen else 0
        self.canvas.reveal(marked[place % len(marked)])

    def paint(self, painter: QPainter, exposed: QRectF, zoom: float) -> None:
        """Paint the ribbons: smaller on the screen only where they would hide the
        nodes.
        """
        if not self.marked:
            return
        scale = max(1.0, COMPACT / zoom)
        style = self.canvas.scene().style_
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.brush("text2"))
        around = exposed.adjusted(-40, -40, 40, 40)
        for key in self.marked:
            corner = self._corner(key)
            if corner is not None and around.contains(corner):
                painter.drawPolygon(_ribbon(corner, scale))

    def _corner(self, key: str) -> QPointF | None:
        """Return where a ribbon hangs: at the upper left; of an edge in its middle."""
        scene = self.canvas.scene()
        if key in scene.boxes:
            return scene.boxes[key].rect.topLeft() + QPointF(8, -7)
        if key in scene.backdrop.frames:
            return scene.backdrop.rect(key).topLeft() + QPointF(8, -7)
        figure = scene.figure(key)
        if figure is not None:
            return figure.wires[0].path.pointAtPercent(0.5) + QPointF(0, -6)
        return None


def _ribbon(corner: QPointF, scale: float) -> QPolygonF:
    corners = (
        (0, 0),
        (WIDTH, 0),
        (WIDTH, HEIGHT),
        (WIDTH / 2, HEIGHT - NOTCH),
        (0, HEIGHT),
    )
    return QPolygonF([corner + QPointF(x, y) * scale for x, y in corners])
