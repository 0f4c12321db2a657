"""All edge groups in one item: wires, hubs, join bars, diamonds and their tags.

What pays for it: `python -m tests.benchmarks.window --only canvas5000`, rows "pan at
1:1, everything painted" and "zoom, worst step". One item for each edge group would cost
Qt and Python a call for each in every frame. So there is one item, which finds what is
in view by a grid of its own, and paints all wires of one pen together, because to set a
pen costs more than a stroke.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from designer.canvas.drawing.figures import (
    ANY_WAY,
    Figure,
    HubState,
    Tag,
    Wire,
    look_of,
)
from designer.canvas.drawing.geometry import LABEL_MAX, Grid
from designer.canvas.drawing.glyphs import arrow_head, paint_glyph
from designer.canvas.drawing.node_item import NodeItem
from designer.canvas.drawing.overlay import EdgeFace, JoinFace
from designer.canvas.drawing.strokes import (
    dots_of,
    hairlines_of,
    polyline_meets,
    segment_distance,
    solid,
)
from designer.canvas.drawing.style import FULL, HEADS, Style, elided, fonts, text_width

HIT = 6.0
DOT_REACH = 12.0
ROUGH_FROM = 150  # figures in view
_NO_FACE = EdgeFace()
_PenKey = tuple[str, float, str]
_PLAIN = ("edge", 1.5, "")
_DASH = "6 3"
_DOTTED = "1.5 3.5"
_MUTED = ("edge", 1.5, _DOTTED)


class Dot(NamedTuple):
    """A reroute dot: its edge group, the wire of that, and its place on the wire."""

    edge: str
    source: str
    target: str
    way: int
    place: int


class EdgeItem(QGraphicsItem):
    """Paints `figures`, which are by edge id, and finds what is at a place.

    `faces` and `joins` are those of the run; `nodes` lends titles and states to the
    labels of switches.
    """

    def __init__(self, style: Style, nodes: Mapping[str, NodeItem]) -> None:
        super().__init__()
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)
        self.style = style
        self.nodes = nodes
        self.figures: dict[str, Figure] = {}
        self.faces: Mapping[str, EdgeFace] = {}
        self.joins: Mapping[str, JoinFace] = {}
        self.selected: Collection[str] = frozenset()
        # nodes that are disabled, so that nothing happens on their wires
        self.silent: set[str] = set()
        self.hovered = ""
        # While zooming goes on, many wires are drawn rough; they are smoothed after it.
        self.hurried = False
        self.accepting = ""  # the join that would take the wire that is being drawn
        self.dot: Dot | None = None  # the chosen dot
        self._grid = Grid()
        self._lines: dict[str, list[list[tuple[float, float]]]] = {}
        self._hairlines: dict[str, list[QLineF]] = {}
        self._area = QRectF()

    def boundingRect(self) -> QRectF:
        return self._area

    def set_area(self, area: QRectF) -> None:
        if area != self._area:
            self.prepareGeometryChange()
            self._area = area

    # --- figures ----------------------------------------------------------------------

    def put(self, edge: str, figure: Figure | None, *, quiet: bool = False) -> None:
        """Set or replace a figure, or remove it for None.

        Repaint where it was and is, unless `quiet`.
        """
        before = self.figures.get(edge)
        if before is not None and not quiet:
            self.update(before.bounds)
        self._lines.pop(edge, None)
        self._hairlines.pop(edge, None)
        if figure is None:
            self.figures.pop(edge, None)
            self._grid.drop(edge)
        else:
            self.figures[edge] = figure
            self._grid.put(edge, figure.bounds)
            if not quiet:
                self.update(figure.bounds)

    def take(
        self, figures: dict[str, Figure], grid: Grid, hairlines: dict[str, list[QLineF]]
    ) -> None:
        """Take over other figures for all edges, with the grid of where they are."""
        self.figures = figures
        self._grid = grid
        self._hairlines = hairlines
        self._lines.clear()

    def repaint(self, edges: Iterable[str]) -> None:
        """Paint these edge groups again with the next frame."""
        for edge in edges:
            if edge in self.figures:
                self.update(self.figures[edge].bounds)

    def near(self, rect: QRectF) -> list[Figure]:
        """Return the figures whose bounds meet a rectangle, in the order they were
        added.
        """
        figures = [self.figures[edge] for edge in self._grid.near(rect)]
        return [figure for figure in figures if figure.bounds.intersects(rect)]

    # --- hit tests --------------------------------------------------------------------

    def edge_at(self, point: QPointF, tolerance: float = HIT) -> str:
        """Return the edge group at a point, or "". Hubs, bars and tags win over wires."""
        area = _around(point, tolerance)
        figures = self.near(area)
        for figure in figures:
            if any(rect.intersects(area) for rect in solid(figure)):
                return figure.id
        if not figures:
            return ""
        distance, edge = min(
            (self._distance(figure, point), figure.id) for figure in figures
        )
        return edge if distance <= tolerance else ""

    def dot_at(self, point: QPointF) -> Dot | None:
        """Return the nearest dot within reach of a point, or None."""
        dots: list[tuple[float, Dot]] = []
        for figure in self.near(_around(point, DOT_REACH)):
            for wire, k, place in dots_of(figure):
                away = place - point
                distance = math.hypot(away.x(), away.y())
                if distance <= DOT_REACH:
                    dot = Dot(figure.id, wire.source, wire.target, wire.way, k)
                    dots.append((distance, dot))
        return min(dots)[1] if dots else None

    def join_at(self, point: QPointF, tolerance: float = 8.0) -> str:
        """Return the join whose bar is at a point, or ""."""
        area = _around(point, tolerance)
        for figure in self.near(area):
            if figure.segments and _bar_of(figure).intersects(area):
                return figure.id
        return ""

    def crossing(self, rect: QRectF) -> list[str]:
        """Return the edge groups of which a wire or a hub is in a rectangle."""
        return [figure.id for figure in self.near(rect) if self._meets(figure, rect)]

    def _meets(self, figure: Figure, rect: QRectF) -> bool:
        if rect.contains(figure.bounds):
            return True
        if any(part.intersects(rect) for part in solid(figure)):
            return True
        return self.wires_cross(figure, rect)

    def wires_cross(self, figure: Figure, rect: QRectF) -> bool:
        """Return whether a wire of a figure runs through a rectangle."""
        return any(polyline_meets(line, rect) for line in self.lines(figure))

    def lines(self, figure: Figure) -> list[list[tuple[float, float]]]:
        """Return the wires as polylines, made when they are first asked for."""
        lines = self._lines.get(figure.id)
        if lines is None:
            lines = [
                [(point.x(), point.y()) for point in polygon.toList()]
                for wire in figure.wires
                for polygon in wire.path.toSubpathPolygons()
            ]
            self._lines[figure.id] = lines
        return lines

    def hairlines(self, figure: Figure) -> list[QLineF]:
        """Return `hairlines_of` a figure, made when they are first asked for."""
        lines = self._hairlines.get(figure.id)
        if lines is None:
            lines = self._hairlines[figure.id] = hairlines_of(figure)
        return lines

    def noted(self, switches: Mapping[str, str]) -> set[str]:
        """Return the edge groups with a state or a selection of their own.

        `switches` are those of diamond nodes, which are selected with their node.
        """
        noted = {*self.faces, *self.joins, *self.selected}
        noted.update([switches[node] for node in self.selected if node in switches])
        return noted & self.figures.keys()

    def _distance(self, figure: Figure, point: QPointF) -> float:
        x = point.x()
        y = point.y()
        return min(
            (
                segment_distance(x, y, a, b)
                for line in self.lines(figure)
                for a, b in pairwise(line)
            ),
            default=1e9,
        )

    # --- painting ---------------------------------------------------------------------

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Paint nothing: the view paints figures, past the scene."""

    def paint_figures(self, painter: QPainter, figures: Sequence[Figure]) -> None:
        """Paint these figures, in as much detail as the zoom has room for."""
        zoom = painter.worldTransform().m11()
        hurried = self.hurried and len(figures) > ROUGH_FROM
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=not hurried)
        self._paint_wires(painter, figures, heads=zoom > HEADS, rough=hurried)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        for figure in figures:
            self._paint_hub(painter, figure)
            if figure.dotted:
                self._paint_dots(painter, figure)
            if figure.segments:
                self._paint_bar(painter, figure)
            for tag in figure.tags:
                self._paint_tag(painter, figure, tag, words=zoom > FULL)
            if figure.label is not None and zoom > FULL:
                self._paint_label(painter, figure)

    def _paint_wires(
        self, painter: QPainter, figures: Sequence[Figure], *, heads: bool, rough: bool
    ) -> None:
        """Paint the wires, and the heads of arrows, grouped by pen."""
        groups: dict[_PenKey, list[Wire]] = defaultdict(list)
        faces = self.faces
        joins = self.joins
        selected = self.selected
        hovered = self.hovered
        silent = self.silent
        for figure in figures:
            edge = figure.id
            noted = edge in faces or edge in joins or edge in selected
            if noted or edge == hovered or not figure.own_hub:
                for wire in figure.wires:
                    groups[self.wire_pen(figure, wire)].append(wire)
                continue
            # What `wire_pen` returns for all others. To ask it costs more than the
            # stroke.
            dashed = (look_of(figure.kind).role, 1.5, _DASH)
            for wire in figure.wires:
                key = dashed if wire.dashed else _PLAIN
                if silent and (wire.source in silent or wire.target in silent):
                    key = _MUTED
                groups[key].append(wire)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        # Wires with a state lie over those without, and so do their heads.
        order = sorted(groups, key=lambda key: (key[0] != "edge", key))
        for key in order:
            pen = self.style.hairline(key[0]) if rough else self.style.pen(*key)
            painter.setPen(pen)
            for wire in groups[key]:
                painter.drawPath(wire.path)
        if heads:
            painter.setPen(Qt.PenStyle.NoPen)
            for key in order:
                painter.setBrush(self.style.brush(key[0]))
                self._paint_heads(painter, groups[key])

    def _paint_heads(self, painter: QPainter, wires: Iterable[Wire]) -> None:
        for wire in wires:
            tip = wire.arrow
            if tip is not None:
                head = arrow_head(tip.x(), tip.y(), leftward=wire.leftward)
                painter.drawPolygon(head)

    def wire_pen(self, figure: Figure, wire: Wire) -> _PenKey:
        """Return the colour, width and dashes of a wire."""
        face = self.faces.get(figure.id, _NO_FACE)
        join = self.joins.get(figure.id)
        pair = (wire.source, wire.target)
        dash = _DASH if wire.dashed else ""
        look = look_of(figure.kind)
        if wire.source in self.silent or wire.target in self.silent:
            dash = _DOTTED
        stopped = face.stopped.get(pair)
        if stopped is not None and stopped.lost:
            return "bad", 1.5, dash
        if _carried(face, join, wire):
            return "accent", 2.25, dash
        if join is not None and wire.source in join.missing:
            dash = "5 4"
        if look.dashes_unsent and face.sent and wire.target:
            dash = "5 4"
        if figure.id in self.selected:
            return "accent", 2.0, dash
        if not figure.own_hub and wire.arrow is None and wire.source in self.selected:
            return "accent", 1.5, dash
        hovered = figure.id == self.hovered
        if look.role == "edge":
            return "text3" if hovered else "edge", 1.5, dash
        # A colour of its own stays under the mouse: the wire becomes thicker.
        role = "edge" if dash == _DOTTED else look.role
        return role, 2.0 if hovered else 1.5, dash

    def _paint_hub(self, painter: QPainter, figure: Figure) -> None:
        if figure.hub is None or not figure.own_hub:
            return
        state = HubState(
            sent=bool(self.faces.get(figure.id, _NO_FACE).sent),
            chosen=figure.id in self.selected,
            hovered=figure.id == self.hovered,
        )
        look_of(figure.kind).paint_hub(painter, self.style, figure.hub, state)

    def _paint_dots(self, painter: QPainter, figure: Figure) -> None:
        """Paint dots in the colour of their wire, and a ring round the chosen one."""
        for wire, k, place in dots_of(figure):
            is_chosen = self.dot == Dot(
                figure.id, wire.source, wire.target, wire.way, k
            )
            role = "accent" if is_chosen else self.wire_pen(figure, wire)[0]
            radius = 4.5 if is_chosen else 3.0
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.style.brush(role))
            painter.drawEllipse(place, radius, radius)
            if is_chosen:
                painter.setPen(self.style.ring())
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(place, 8.0, 8.0)

    def _paint_bar(self, painter: QPainter, figure: Figure) -> None:
        join = self.joins.get(figure.id)
        states = join.segments if join is not None else ()
        for k, rect in enumerate(figure.segments):
            state = states[k] if k < len(states) else "empty"
            self._paint_segment(painter, rect, state, figure.id)
        is_selected = figure.id in self.selected
        if is_selected or figure.id == self.accepting:
            ring = self.style.ring() if is_selected else self.style.pen("accent", 1.5)
            painter.setPen(ring)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            bar = _bar_of(figure)
            painter.drawRoundedRect(bar.adjusted(-3.5, -3.5, 3.5, 3.5), 6, 6)

    def _paint_segment(
        self, painter: QPainter, rect: QRectF, state: str, edge: str
    ) -> None:
        hollow = "accent" if edge in self.selected else "edge"
        light = self.style.theme.is_light
        pen, fill = {
            "filled": (("warn", 1.0, ""), "warnFill"),
            "missing": (("warn", 1.5, "3 2.2"), "canvas"),
            "never": (("warn", 1.5, ""), "warnSoft"),
            "fired": (("ok", 1.0, ""), "ok"),
        }.get(state, ((hollow, 1.5, ""), "node" if light else "canvas"))
        painter.setPen(self.style.pen(*pen))
        painter.setBrush(self.style.brush(fill))
        half = pen[1] / 2
        painter.drawRoundedRect(rect.adjusted(half, half, -half, -half), 3, 3)
        if state == "never":
            middle = rect.center()
            colour = self.style.colour("warn")
            paint_glyph(
                painter, "cross", middle.x() - 4, middle.y() - 4, colour, colour, 8
            )

    def _paint_tag(
        self, painter: QPainter, figure: Figure, tag: Tag, *, words: bool
    ) -> None:
        style = self.style
        rect = tag.rect.adjusted(0.5, 0.5, -0.5, -0.5)
        if not words:
            self._paint_through(painter, figure, tag)
            return
        face = self.faces.get(figure.id, _NO_FACE)
        sent = any(
            target == tag.target and _taken(face, tag.number) for _, target in face.sent
        )
        # A switch that is drawn as its node is selected with it.
        key = figure.id if figure.own_hub else figure.wires[0].source
        is_chosen = figure.id in self.selected or key in self.selected
        dash = "4 2.5" if tag.dashed else ""
        if is_chosen or sent:
            painter.setPen(style.pen("accent", 1.25, dash))
        else:
            painter.setPen(style.pen("line2", 1, dash))
        painter.setBrush(style.brush("raised"))
        painter.drawRoundedRect(rect, 4, 4)
        text_left = rect.left() + 7
        baseline = rect.center().y() + 4
        painter.setFont(fonts().data if tag.mono else fonts().tag)
        if tag.number:
            edge = rect.left() + 18
            painter.drawLine(QPointF(edge, rect.top()), QPointF(edge, rect.bottom()))
            painter.setPen(style.colour("text2"))
            painter.drawText(
                QRectF(rect.left(), rect.top(), 18, rect.height()),
                Qt.AlignmentFlag.AlignCenter,
                str(tag.number),
            )
            text_left = edge + 7
        painter.setPen(style.colour("text2" if tag.dashed or tag.mono else "text"))
        painter.drawText(QPointF(text_left, baseline), tag.text)

    def _paint_through(self, painter: QPainter, figure: Figure, tag: Tag) -> None:
        """Paint a tag that is too small for words as a part of its wire."""
        if not look_of(figure.kind).tags_carry_wires:
            return
        for wire in figure.wires:
            if wire.target == tag.target and wire.way == tag.number:
                painter.setPen(self.style.pen(*self.wire_pen(figure, wire)))
                middle = tag.rect.center().y()
                left = QPointF(tag.rect.left(), middle)
                painter.drawLine(left, QPointF(tag.rect.right(), middle))
                return

    def _paint_label(self, painter: QPainter, figure: Figure) -> None:
        """Paint title and state of a diamond node over the first of its cases."""
        item = self.nodes.get(figure.wires[0].source)
        if item is None or figure.label is None:
            return
        painter.setFont(fonts().title)
        painter.setPen(self.style.colour("text" if item.selected else "text2"))
        painter.drawText(figure.label, elided(item.title, "title", int(LABEL_MAX)))
        face = item.shown
        if face is not None and face.state != "idle":
            x = figure.label.x()
            y = figure.label.y() - 19
            item.paint_glyph(painter, x, y - 10)
            painter.setPen(self.style.colour(face.colour))
            painter.setFont(fonts().words)
            painter.drawText(QPointF(x + 17, y), face.words)
            painter.setPen(self.style.colour("text2"))
            painter.setFont(fonts().data)
            painter.drawText(
                QPointF(x + 25 + text_width(face.words, "words"), y), face.detail
            )


def wires_of(
    figure: Figure, pair: tuple[str, str], face: EdgeFace
) -> list[QPainterPath]:
    """Return the strokes of a pair that messages went along, the longest first.

    A pair that only the shared part of a group carries has none.
    """
    used = [
        wire
        for wire in figure.wires
        if (wire.source, wire.target) == pair and _taken(face, wire.way)
    ]
    # Between a diamond and its tag there is no room for marks: they are on the stroke
    # that leads to the target.
    last = [wire for wire in used if wire.arrow is not None]
    paths = [wire.path for wire in last or used]
    return sorted(paths, key=QPainterPath.length, reverse=True)


def _around(point: QPointF, reach: float) -> QRectF:
    return QRectF(point.x() - reach, point.y() - reach, 2 * reach, 2 * reach)


def _bar_of(figure: Figure) -> QRectF:
    """Return the rectangle of a join's bar."""
    return figure.segments[0].united(figure.segments[-1])


def _carried(face: EdgeFace, join: JoinFace | None, wire: Wire) -> bool:
    """Return whether a message went along a wire."""
    if not wire.target:
        return bool(face.sent)
    if not wire.source:
        return join is not None and join.fired
    return (wire.source, wire.target) in face.sent and _taken(face, wire.way)


def _taken(face: EdgeFace, way: int) -> bool:
    """Return whether a case of a switch was taken. Several cases may lead to one
    target, so the pair alone does not tell.
    """
    return way == ANY_WAY or not face.cases or way in face.cases


def _diamond(x: float, y: float, r: float) -> QPolygonF:
    return QPolygonF(
        [QPointF(x, y - r), QPointF(x + r, y), QPointF(x, y + r), QPointF(x - r, y)]
    )
