"""All edge groups in one item: wires, hubs, join bars, diamonds and their tags, with a grid of its own.

One item for all costs one Python call a frame; one item for each would cost thousands when the whole graph is in view.
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
    """A dot by its edge, the wire of that, and its place in the order."""

    edge: str
    source: str
    target: str
    way: int
    place: int


class EdgeItem(QGraphicsItem):
    """`figures` by edge id. `faces` and `joins` are the overlay's; `nodes` lends titles and states to switch labels."""

    def __init__(self, style: Style, nodes: Mapping[str, NodeItem]) -> None:
        super().__init__()
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)
        self.style = style
        self.nodes = nodes
        self.figures: dict[str, Figure] = {}
        self.faces: Mapping[str, EdgeFace] = {}
        self.joins: Mapping[str, JoinFace] = {}
        self.selected: Collection[str] = frozenset()
        # nodes that are disabled: on their wires nothing happens
        self.silent: set[str] = set()
        self.hovered = ""
        # zooming goes on: many wires are drawn rough, and smoothed when it rests
        self.hurried = False
        self.accepting = ""  # the join that would take what is being dragged
        self.dot: Dot | None = None  # the chosen one
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

    # --- figures ------------------------------------------------------------------------------------------------

    def put(self, edge: str, figure: Figure | None, *, quiet: bool = False) -> None:
        """Set, replace or (None) remove a figure, and repaint where it was and is; not when `quiet`."""
        old = self.figures.get(edge)
        if old is not None and not quiet:
            self.update(old.bounds)
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
        """Other figures for all; `grid` knows where they are."""
        self.figures = figures
        self._grid = grid
        self._hairlines = hairlines
        self._lines.clear()

    def repaint(self, edges: Iterable[str]) -> None:
        for edge in edges:
            if edge in self.figures:
                self.update(self.figures[edge].bounds)

    def near(self, rect: QRectF) -> list[Figure]:
        """Figures whose bounds meet a rectangle, in the order in which they came."""
        found = [self.figures[edge] for edge in self._grid.near(rect)]
        return [figure for figure in found if figure.bounds.intersects(rect)]

    # --- hit tests ----------------------------------------------------------------------------------------------

    def edge_at(self, point: QPointF, tolerance: float = HIT) -> str:
        """The edge group under a point; hubs, bars and tags win over wires. Empty for none."""
        area = QRectF(
            point.x() - tolerance, point.y() - tolerance, 2 * tolerance, 2 * tolerance
        )
        near = self.near(area)
        for figure in near:
            if any(rect.intersects(area) for rect in solid(figure)):
                return figure.id
        best = min(
            ((self._distance(figure, point), figure.id) for figure in near),
            default=(tolerance + 1, ""),
        )
        return best[1] if best[0] <= tolerance else ""

    def dot_at(self, point: QPointF) -> Dot | None:
        """The dot of a wire within reach of a point."""
        area = QRectF(
            point.x() - DOT_REACH, point.y() - DOT_REACH, 2 * DOT_REACH, 2 * DOT_REACH
        )
        found: list[tuple[float, Dot]] = []
        for figure in self.near(area):
            for wire, k, at in dots_of(figure):
                away = math.hypot(at.x() - point.x(), at.y() - point.y())
                if away <= DOT_REACH:
                    found.append(
                        (away, Dot(figure.id, wire.source, wire.target, wire.way, k))
                    )
        return min(found)[1] if found else None

    def join_at(self, point: QPointF, tolerance: float = 8.0) -> str:
        """The join whose bar is under a point."""
        area = QRectF(
            point.x() - tolerance, point.y() - tolerance, 2 * tolerance, 2 * tolerance
        )
        for figure in self.near(area):
            if figure.segments and figure.segments[0].united(
                figure.segments[-1]
            ).intersects(area):
                return figure.id
        return ""

    def crossing(self, rect: QRectF) -> list[str]:
        """Edge groups with a wire or a hub inside of a rectangle."""
        return [
            figure.id
            for figure in self.near(rect)
            if rect.contains(figure.bounds)
            or any(part.intersects(rect) for part in solid(figure))
            or self.wires_cross(figure, rect)
        ]

    def wires_cross(self, figure: Figure, rect: QRectF) -> bool:
        return any(polyline_meets(line, rect) for line in self.lines(figure))

    def lines(self, figure: Figure) -> list[list[tuple[float, float]]]:
        """The wires as polylines, made when somebody asks."""
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
        """`hairlines_of` a figure, made when somebody asks."""
        lines = self._hairlines.get(figure.id)
        if lines is None:
            lines = self._hairlines[figure.id] = hairlines_of(figure)
        return lines

    def noted(self, switches: Mapping[str, str]) -> set[str]:
        """Edge groups of which there is something to say: a run, the selection. `switches` are those of diamonds."""
        found = {*self.faces, *self.joins, *self.selected}
        found.update([switches[node] for node in self.selected if node in switches])
        return found & self.figures.keys()

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

    # --- painting -----------------------------------------------------------------------------------------------

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Nothing: the view paints figures, past the scene."""

    def paint_figures(self, painter: QPainter, figures: Sequence[Figure]) -> None:
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
        """Grouped by pen: setting one costs more than a stroke."""
        groups: dict[_PenKey, list[Wire]] = defaultdict(list)
        faces = self.faces
        joins = self.joins
        selected = self.selected
        hovered = self.hovered
        silent = self.silent
        for figure in figures:
            edge = figure.id
            told = edge in faces or edge in joins or edge in selected or edge == hovered
            # as `wire_pen` would say, which costs more than the stroke
            if not told and figure.own_hub:
                dashed = (look_of(figure.kind).role, 1.5, _DASH)
                for wire in figure.wires:
                    muted = silent and (wire.source in silent or wire.target in silent)
                    groups[
                        _MUTED if muted else dashed if wire.dashed else _PLAIN
                    ].append(wire)
                continue
            for wire in figure.wires:
                groups[self.wire_pen(figure, wire)].append(wire)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        # Wires that say something lie over those that do not, and so do their heads.
        order = sorted(groups, key=lambda key: (key[0] != "edge", key))
        for key in order:
            painter.setPen(
                self.style.hairline(key[0]) if rough else self.style.pen(*key)
            )
            for wire in groups[key]:
                painter.drawPath(wire.path)
        painter.setPen(Qt.PenStyle.NoPen)
        for key in order if heads else ():
            painter.setBrush(self.style.brush(key[0]))
            for wire in groups[key]:
                if wire.arrow is not None:
                    painter.drawPolygon(
                        arrow_head(
                            wire.arrow.x(), wire.arrow.y(), leftward=wire.leftward
                        )
                    )

    def wire_pen(self, figure: Figure, wire: Wire) -> _PenKey:
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
        """In the colour of their wire; a ring round the chosen one."""
        for wire, k, at in dots_of(figure):
            chosen = self.dot == Dot(figure.id, wire.source, wire.target, wire.way, k)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(
                self.style.brush("accent" if chosen else self.wire_pen(figure, wire)[0])
            )
            painter.drawEllipse(at, 4.5 if chosen else 3.0, 4.5 if chosen else 3.0)
            if chosen:
                painter.setPen(self.style.ring())
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(at, 8.0, 8.0)

    def _paint_bar(self, painter: QPainter, figure: Figure) -> None:
        join = self.joins.get(figure.id)
        states = join.segments if join is not None else ()
        for k, rect in enumerate(figure.segments):
            state = states[k] if k < len(states) else "empty"
            self._paint_segment(painter, rect, state, figure.id)
        if figure.id in self.selected or figure.id == self.accepting:
            whole = figure.segments[0].united(figure.segments[-1])
            painter.setPen(
                self.style.ring()
                if figure.id in self.selected
                else self.style.pen("accent", 1.5)
            )
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(whole.adjusted(-3.5, -3.5, 3.5, 3.5), 6, 6)

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
        source = figure.wires[0].source
        chosen = figure.id in self.selected or (
            not figure.own_hub and source in self.selected
        )
        role = "accent" if chosen or sent else "line2"
        painter.setPen(
            style.pen(
                role, 1.25 if role == "accent" else 1, "4 2.5" if tag.dashed else ""
            )
        )
        painter.setBrush(style.brush("raised"))
        painter.drawRoundedRect(rect, 4, 4)
        left = rect.left() + 7
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
            left = edge + 7
        painter.setPen(style.colour("text2" if tag.dashed or tag.mono else "text"))
        painter.drawText(QPointF(left, baseline), tag.text)

    def _paint_through(self, painter: QPainter, figure: Figure, tag: Tag) -> None:
        """Without words a tag is a part of its wire."""
        wire = next(
            (
                wire
                for wire in figure.wires
                if wire.target == tag.target and wire.way == tag.number
            ),
            None,
        )
        if wire is not None and look_of(figure.kind).tags_carry_wires:
            painter.setPen(self.style.pen(*self.wire_pen(figure, wire)))
            middle = tag.rect.center().y()
            painter.drawLine(
                QPointF(tag.rect.left(), middle), QPointF(tag.rect.right(), middle)
            )

    def _paint_label(self, painter: QPainter, figure: Figure) -> None:
        """Title and state of a diamond node, over the first of its cases."""
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
    """The strokes of a pair that were used, the longest first; a pair that only the shared part carries has none."""
    used = [
        wire
        for wire in figure.wires
        if (wire.source, wire.target) == pair and _taken(face, wire.way)
    ]
    # Between a diamond and its tag there is no room: marks stand on what leads to the target.
    paths = [wire.path for wire in used if wire.arrow is not None] or [
        wire.path for wire in used
    ]
    return sorted(paths, key=QPainterPath.length, reverse=True)


def _carried(face: EdgeFace, join: JoinFace | None, wire: Wire) -> bool:
    if not wire.target:
        return bool(face.sent)
    if not wire.source:
        return join is not None and join.fired
    return (wire.source, wire.target) in face.sent and _taken(face, wire.way)


def _taken(face: EdgeFace, way: int) -> bool:
    """Several cases may lead to one target: the pair alone does not tell which of them it was."""
    return way == ANY_WAY or not face.cases or way in face.cases


def _diamond(x: float, y: float, r: float) -> QPolygonF:
    return QPolygonF(
        [QPointF(x, y - r), QPointF(x + r, y), QPointF(x, y + r), QPointF(x - r, y)]
    )
