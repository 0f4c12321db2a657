"""The drawing from far away: straight hairlines and plain boxes, one call for each
colour.

What pays for it: `python -m tests.benchmarks.window --only canvas5000` (and
canvas20000), rows "all visible, whole repaint", "all visible, after an edit", "select
all, all visible" and "drag 500 nodes, all visible".

Below 35 % a node is a dot and a wire is a line. Painting each through its item costs a
hundred milliseconds at five thousand nodes; Qt paints a whole list of rectangles or
lines of one colour in one call, which costs three. So this module keeps *batches*:
lists of lines and boxes by their colours. A `_Layer` is a part of the drawing that has
its own batches: usually one for everything, and while a group is carried, one for what
stands still and one for the group, which is painted with a shift. Layers are made again
when the `version` of the scene is another (something moved), and their colours after
`forget` (a state, a selection or the theme is another).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter

from designer.canvas.drawing.strokes import wire_lines

if TYPE_CHECKING:
    from designer.canvas.drawing.node_item import NodeItem
    from designer.canvas.drawing.scene import CanvasScene

GLYPHS_AT = 0.12  # zoom from which dots show their glyph
GLYPHS_MOST = 300
_QUIET = {"idle", "not_taken"}
_SEGMENT_ROLES = {
    "filled": "warnFill",
    "fired": "ok",
    "missing": "warnSoft",
    "never": "warn",
}
_Look = tuple[str, str]  # roles of the ground and of the border


class _Layer:
    """A part of the nodes and edges, with the batches of what they look like now."""

    def __init__(
        self, scene: CanvasScene, items: Iterable[NodeItem], edges: Collection[str]
    ) -> None:
        self.items = list(items)
        self.edges = edges
        self.plain = [
            line
            for edge in edges
            for line in scene.edges.hairlines(scene.edges.figures[edge])
        ]
        self.boxes: dict[_Look, list[QRectF]] = {}
        self.lines: dict[str, list[QLineF]] = {}
        self.starts: list[NodeItem] = []
        self._inner: dict[_Look, list[QRectF]] = {}
        self._rim = 0.0

    def look(self, scene: CanvasScene) -> None:
        """Sort the boxes and lines by what they look like now."""
        self.boxes = _boxes(self.items)
        self._inner = {}
        self.starts = [item for item in self.items if item.start]
        self.lines = _lines(
            scene, scene.edges.noted(scene.topology.switches).intersection(self.edges)
        )

    def inner(self, look: _Look, rim: float) -> list[QRectF]:
        """Return the boxes without a rim."""
        if rim != self._rim:
            self._inner = {}
            self._rim = rim
        if look not in self._inner:
            self._inner[look] = [
                rect.adjusted(rim, rim, -rim, -rim) for rect in self.boxes[look]
            ]
        return self._inner[look]


class OverviewPainter:
    """Paints the batches, and keeps them as long as they are right."""

    def __init__(self, scene: CanvasScene) -> None:
        self._scene = scene
        self._key: object = None
        self._layers: list[_Layer] = []
        self._stale = True

    def forget(self) -> None:
        """Look at all colours again with the next frame."""
        self._stale = True

    def paint(self, painter: QPainter, exposed: QRectF, zoom: float) -> None:
        """Paint everything, in scene coordinates."""
        self._follow()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        carried = self._scene.carried
        pixel = 1 / zoom
        shifts = [QPointF(), carried.shift if carried is not None else QPointF()]
        for layer, shift in zip(self._layers, shifts, strict=False):
            painter.translate(shift)
            self._draw_lines(painter, layer.plain, layer.lines, pixel)
            painter.translate(-shift)
        if carried is not None:
            edges = self._scene.edges
            # An edge with a loose end has no figure.
            drawn = carried.across & edges.figures.keys()
            across = [
                line for edge in drawn for line in edges.hairlines(edges.figures[edge])
            ]
            self._draw_lines(painter, across, _lines(self._scene, drawn), pixel)
        for layer, shift in zip(self._layers, shifts, strict=False):
            painter.translate(shift)
            self._draw_boxes(painter, layer, 2 * pixel)
            painter.translate(-shift)
        self._paint_starts(painter, exposed, zoom)
        self._paint_bars(painter, exposed)
        if zoom >= GLYPHS_AT:
            self._paint_glyphs(painter, exposed, zoom)

    def _follow(self) -> None:
        scene = self._scene
        carried = self._scene.carried
        key = (scene.version,) if carried is None else carried.nodes
        if key != self._key:
            self._key = key
            self._stale = True
            nodes = scene.nodes
            edges = scene.edges.figures
            if carried is None:
                self._layers = [_Layer(scene, nodes.values(), edges.keys())]
            else:
                still = [
                    item for node, item in nodes.items() if node not in carried.nodes
                ]
                moving = [item for node, item in nodes.items() if node in carried.nodes]
                still_edges = edges.keys() - carried.edges - carried.across
                self._layers = [
                    _Layer(scene, still, still_edges),
                    _Layer(scene, moving, carried.edges & edges.keys()),
                ]
        if self._stale:
            for layer in self._layers:
                layer.look(scene)
            self._stale = False

    def _draw_lines(
        self,
        painter: QPainter,
        plain: list[QLineF],
        noted: Mapping[str, list[QLineF]],
        pixel: float,
    ) -> None:
        """Paint the lines that say something over all lines, which include them."""
        style = self._scene.style_
        painter.setPen(style.hairline("edge"))
        painter.drawLines(plain)
        for role, lines in noted.items():
            painter.setPen(style.hairline(role))
            painter.drawLines(lines)
            if role == "accent":
                _draw_beside(painter, lines, pixel)

    def _draw_boxes(self, painter: QPainter, layer: _Layer, rim: float) -> None:
        style = self._scene.style_
        for (fill, border), rects in layer.boxes.items():
            if border == "line2":
                painter.setPen(style.hairline(border))
                painter.setBrush(style.brush(fill))
                painter.drawRects(rects)
            else:
                _draw_framed(
                    painter,
                    rects,
                    layer.inner((fill, border), rim),
                    style.brush(border),
                    style.brush(fill),
                )

    def _paint_starts(self, painter: QPainter, exposed: QRectF, zoom: float) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        for layer in self._layers:
            for item in layer.starts:
                if item.area().intersects(exposed):
                    painter.save()
                    painter.translate(item.box.rect.topLeft())
                    item.paint_start(painter, zoom)
                    painter.restore()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)

    def _paint_bars(self, painter: QPainter, exposed: QRectF) -> None:
        style = self._scene.style_
        painter.setPen(Qt.PenStyle.NoPen)
        for edge, join in self._scene.overlay.joins.items():
            figure = self._scene.edges.figures.get(edge)
            if figure is not None and figure.bounds.intersects(exposed):
                for state, rect in zip(join.segments, figure.segments, strict=False):
                    painter.setBrush(style.brush(_SEGMENT_ROLES.get(state, "edge")))
                    painter.drawRect(rect)

    def _paint_glyphs(self, painter: QPainter, exposed: QRectF, zoom: float) -> None:
        """Paint states by shape as well as by colour, 12 px on the screen at each zoom."""
        items = [
            item
            for item in self._scene.nodes.values()
            if (face := item.shown) is not None
            and face.state not in _QUIET
            and exposed.intersects(item.box.rect)
        ]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        size = min(12.0, 60 * zoom)
        for item in items[:GLYPHS_MOST]:
            painter.save()
            painter.translate(item.box.rect.center())
            painter.scale(size / 12 / zoom, size / 12 / zoom)
            item.paint_glyph(painter, -6, -6)
            painter.restore()


# Qt strokes a pen of two pixels as a shape of its own for every line, which is eight
# times as slow as the two functions below. "select all, all visible" pays for them.


def _draw_beside(painter: QPainter, lines: list[QLineF], pixel: float) -> None:
    """Paint lines again a pixel lower and to the left: nearly all are two wide then."""
    painter.translate(-pixel, pixel)
    painter.drawLines(lines)
    painter.translate(pixel, -pixel)


def _draw_framed(
    painter: QPainter,
    rects: list[QRectF],
    inner: list[QRectF],
    border: QBrush,
    fill: QBrush,
) -> None:
    """Paint boxes in the colour of their border, and smaller ones in that of the
    ground.
    """
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(border)
    painter.drawRects(rects)
    painter.setBrush(fill)
    painter.drawRects(inner)


def _boxes(items: Iterable[NodeItem]) -> dict[_Look, list[QRectF]]:
    boxes: dict[_Look, list[QRectF]] = defaultdict(list)
    plain = boxes["node", "line2"]
    chosen = boxes["node", "accent"]
    for item in items:
        if item.face is not None or item.off or item.problems[0]:
            boxes[_look(item)].append(item.box.rect)
        else:
            (chosen if item.selected else plain).append(item.box.rect)
    return {look: rects for look, rects in boxes.items() if rects}


def _look(item: NodeItem) -> _Look:
    face = item.shown
    fill = "canvas" if item.off else "node"
    border = "line2" if face is None else face.border
    if item.off and border == "edge":
        # A strong border would be what one sees first.
        border = "line2"
    if face is not None and face.colour in ("bad", "ask", "warn"):
        fill = face.colour + "Soft"
    elif face is not None and face.border == "accent":
        fill = "accentSoft"
    if item.face is None and item.problems[0]:
        border = "bad"
    return fill, "accent" if item.selected else border


def _lines(scene: CanvasScene, noted: Collection[str]) -> dict[str, list[QLineF]]:
    """Return the wires of these edges that have a colour of their own."""
    lines: dict[str, list[QLineF]] = {"accent": [], "bad": []}
    edges = scene.edges
    chosen = lines["accent"]
    for edge in noted:
        figure = edges.figures[edge]
        hair = edges.hairlines(figure)
        if (
            edge in edges.selected
            and edge not in edges.faces
            and edge not in edges.joins
        ):
            chosen += hair[: len(hair) - len(figure.tags)]
            continue
        for wire, line in zip(figure.wires, hair, strict=False):
            role = edges.wire_pen(figure, wire)[0]
            if role in lines:
                lines[role] += wire_lines(wire) if figure.dotted else [line]
    return lines
