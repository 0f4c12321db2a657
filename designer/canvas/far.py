"""The drawing from far away: straight hairlines and plain boxes, batched, instead of thousands of items.

Below 35 % a node is a dot and a wire is a line; painting each through its item would cost a hundred milliseconds at
five thousand nodes, one call for each colour costs three. Items stay for hit tests and dragging.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter

from designer.canvas.edge_item import EdgeItem

if TYPE_CHECKING:
    from designer.canvas.scene import CanvasScene

GLYPHS_AT = 0.12  # zoom from which dots show their glyph
GLYPHS_MOST = 300
_QUIET = {"idle", "not_taken"}


class FarPainter:
    """Keeps the batches until `forget`."""

    def __init__(self, scene: CanvasScene) -> None:
        self._scene = scene
        self._lines: dict[str, list[QLineF]] | None = None
        self._boxes: dict[tuple[str, str], list[QRectF]] = {}

    def forget(self) -> None:
        self._lines = None

    def paint(self, painter: QPainter, exposed: QRectF, zoom: float) -> None:
        """In scene coordinates."""
        if self._lines is None:
            self._lines, self._boxes = _lines(self._scene.edges), _boxes(self._scene)
        style = self._scene.style_
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        pixel = 1 / zoom
        for role, lines in self._lines.items():
            painter.setPen(style.hairline(role))
            painter.drawLines(lines)
            if role == "accent":
                _draw_beside(painter, lines, pixel)
        for (fill, border), rects in self._boxes.items():
            if border == "line2":
                painter.setPen(style.hairline(border))
                painter.setBrush(style.brush(fill))
                painter.drawRects(rects)
            else:
                _draw_framed(painter, rects, (style.brush(border), style.brush(fill)), 2 * pixel)
        self._paint_bars(painter, exposed)
        if zoom >= GLYPHS_AT:
            self._paint_glyphs(painter, exposed, zoom)

    def _paint_bars(self, painter: QPainter, exposed: QRectF) -> None:
        style = self._scene.style_
        painter.setPen(Qt.PenStyle.NoPen)
        for edge, join in self._scene.overlay.joins.items():
            figure = self._scene.edges.figures.get(edge)
            if figure is not None and figure.bounds.intersects(exposed):
                for state, rect in zip(join.segments, figure.segments, strict=False):
                    role = {"filled": "warnFill", "fired": "ok", "missing": "warnSoft", "never": "warn"}.get(
                        state, "edge"
                    )
                    painter.setBrush(style.brush(role))
                    painter.drawRect(rect)

    def _paint_glyphs(self, painter: QPainter, exposed: QRectF, zoom: float) -> None:
        """State by shape as well as by colour, 12 px on the screen whatever the zoom."""
        items = [
            item
            for item in self._scene.nodes.values()
            if item.face is not None and item.face.state not in _QUIET and exposed.intersects(item.box.rect)
        ]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        size = min(12.0, 60 * zoom)
        for item in items[:GLYPHS_MOST]:
            painter.save()
            painter.translate(item.box.rect.center())
            painter.scale(size / 12 / zoom, size / 12 / zoom)
            item.paint_glyph(painter, -6, -6)
            painter.restore()


# Qt strokes a pen of two pixels as a shape of its own for every line: eight times as slow as what stands here for it.


def _draw_beside(painter: QPainter, lines: list[QLineF], pixel: float) -> None:
    """The same lines a pixel lower and to the left, which makes nearly all of them two wide."""
    painter.translate(-pixel, pixel)
    painter.drawLines(lines)
    painter.translate(pixel, -pixel)


def _draw_framed(painter: QPainter, rects: list[QRectF], brushes: tuple[QBrush, QBrush], width: float) -> None:
    """Boxes in the colour of the border, and over each a smaller one in that of the ground."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(brushes[0])
    painter.drawRects(rects)
    painter.setBrush(brushes[1])
    painter.drawRects([rect.adjusted(width, width, -width, -width) for rect in rects])


def _boxes(scene: CanvasScene) -> dict[tuple[str, str], list[QRectF]]:
    boxes: dict[tuple[str, str], list[QRectF]] = defaultdict(list)
    for item in scene.nodes.values():
        face = item.face
        fill, border = "node", "line2" if face is None else face.border
        if face is not None and face.colour in ("bad", "ask", "warn"):
            fill = face.colour + "Soft"
        elif face is not None and face.border == "accent":
            fill = "accentSoft"
        if face is None and item.problems[0]:
            border = "bad"
        if item.selected:
            border = "accent"
        boxes[fill, border].append(item.box.rect)
    return boxes


def _lines(edges: EdgeItem) -> dict[str, list[QLineF]]:
    lines: dict[str, list[QLineF]] = {"edge": [], "accent": [], "bad": []}
    for edge, figure in edges.figures.items():
        hair = edges.hairlines(figure)
        if edges.is_plain(edge):
            lines["edge"] += hair
            continue
        lines["edge"] += hair[len(figure.wires) :]
        for wire, line in zip(figure.wires, hair, strict=False):
            role = edges.wire_pen(figure, wire)[0]
            lines.get(role, lines["edge"]).append(line)
    return lines
