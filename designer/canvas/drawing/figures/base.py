"""The figure of an edge group as data: wires, hub, join bar, diamond, tags; and what
all kinds share to make one.

A figure depends on the edge, the boxes of its nodes and the topology alone; the edge
item paints what it says. Each kind has an `EdgeFigure` in a file beside this one. The
spec is the look's anatomy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, Generic, NamedTuple, TypeVar

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPainterPath, QPolygonF

from designer.canvas.drawing import routes
from designer.canvas.drawing.geometry import LABEL_MAX, Box, Topology, drawn_at
from designer.canvas.drawing.style import Style, elided, text_width
from designer.model.design import Points
from designer.model.edge_kinds import kind_of
from designer.model.edits.dots import key_of
from designer.model.names import one_line
from runtime.document.definition import EdgeDefinition

TAG_H = 19.0
HUB_REACH = 40.0  # from a port to its hub, at most
STATE_ROOM = 130.0
MARGIN = 10.0
ANY_WAY = -1
NO_DOTS: Mapping[str, Points] = MappingProxyType({})
AnyEdge = TypeVar("AnyEdge", bound=EdgeDefinition)


@dataclass(frozen=True, slots=True)
class Wire:
    """One stroke. `source` and `target` name the pair it carries; the part that all
    share has an empty end. `way` is the number of the switch case that it belongs to,
    as on its tag. `dots` are the points that it runs through.
    """

    source: str
    target: str
    path: QPainterPath
    arrow: QPointF | None = None
    leftward: bool = False
    dashed: bool = False
    way: int = ANY_WAY
    dots: tuple[QPointF, ...] = ()

    def shifted(self, by: QPointF) -> Wire:
        arrow = self.arrow + by if self.arrow is not None else None
        path = self.path.translated(by)
        dots = tuple([dot + by for dot in self.dots]) if self.dots else ()
        return Wire(
            self.source,
            self.target,
            path,
            arrow,
            self.leftward,
            self.dashed,
            self.way,
            dots,
        )


@dataclass(frozen=True, slots=True)
class Tag:
    """A text with its own ground. `number` is the place of a switch case, 0 for none;
    `plain` sets text in mono.
    """

    rect: QRectF
    text: str
    target: str = ""
    number: int = 0
    dashed: bool = False
    mono: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """`hub` is the centre of the fan-out dot, the multi-selection box, the switch
    diamond or the condition mark; `own_hub` is false where the source node itself is
    the diamond. `label` is where that node's title begins. `dotted` tells whether any
    wire has dots.
    """

    id: str
    kind: str
    wires: tuple[Wire, ...]
    bounds: QRectF
    hub: QPointF | None = None
    own_hub: bool = True
    segments: tuple[QRectF, ...] = ()
    sources: tuple[str, ...] = ()
    tags: tuple[Tag, ...] = ()
    label: QPointF | None = None
    dotted: bool = False

    @property
    def is_bare(self) -> bool:
        """Nothing of it is set on whole pixels: moved with its nodes, it is what would
        be drawn there.
        """
        return not (self.tags or self.segments or self.label)

    def shifted(self, dx: float, dy: float) -> Figure:
        """Return the same figure elsewhere; only for a bare one."""
        by = QPointF(dx, dy)
        wires = tuple([wire.shifted(by) for wire in self.wires])
        hub = self.hub + by if self.hub is not None else None
        bounds = self.bounds.translated(by)
        return Figure(
            self.id,
            self.kind,
            wires,
            bounds,
            hub,
            self.own_hub,
            (),
            self.sources,
            (),
            None,
            dotted=self.dotted,
        )


class Draft:
    """What a figure is made from, and the helpers that all kinds share."""

    def __init__(
        self,
        edge: EdgeDefinition,
        boxes: Mapping[str, Box],
        topology: Topology,
        obstacles: routes.Obstacles | None,
        dots: Mapping[str, Points],
    ) -> None:
        self.edge = edge
        self.boxes = boxes
        self.topology = topology
        self.obstacles = obstacles
        self.dots = dots

    def wire(
        self,
        source: str,
        target: str,
        start: QPointF,
        tip: QPointF,
        *,
        head: bool = True,
        bow: float = 0,
        way: int = ANY_WAY,
    ) -> Wire:
        """Return a wire from a point to a tip.

        It runs through its reroute dots if it has any, else round the nodes in its way.
        With `head` the stroke ends under the back of the arrow.
        """
        end = QPointF(tip.x() - routes.ARROW, tip.y()) if head else tip
        points: Points = ()
        if self.dots:
            key = key_of(self.edge, source, target, way)
            points = self.dots.get(key, ())
        if not points:
            wire = self._led(source, target, start, tip, end, head=head, bow=bow)
            return wire if way == ANY_WAY else replace(wire, way=way)
        dots = tuple([QPointF(*drawn_at(point)) for point in points])
        return Wire(
            source,
            target,
            routes.through(start, dots, end),
            tip if head else None,
            dashed=(source, target) in self.topology.back,
            way=way,
            dots=dots,
        )

    def _led(
        self,
        source: str,
        target: str,
        start: QPointF,
        tip: QPointF,
        end: QPointF,
        *,
        head: bool,
        bow: float,
    ) -> Wire:
        ahead = end.x() - start.x()
        aside = abs(end.y() - start.y())
        if ahead >= 4 or (ahead > -20 and aside < 60 and source != target):
            return Wire(
                source,
                target,
                self._forward(source, target, start, end, bow),
                tip if head else None,
            )
        return self._backward(source, target, start, tip, end, head=head)

    def _forward(
        self, source: str, target: str, start: QPointF, end: QPointF, bow: float
    ) -> QPainterPath:
        """Return a path straight to its end, or round the nodes that it would cross."""
        path = routes.forward(start, end, bow)
        if self.obstacles is None:
            return path
        length = end.x() - start.x()
        if not routes.LONG <= length <= self.obstacles.longest:
            return path
        # The shared part of a group has no name for the node that holds it.
        hub = kind_of(self.edge).hub(self.edge)
        ends = (source, target, hub)
        box = self.obstacles.in_the_way(path, ends)
        if box.isEmpty():
            return path
        points = self.obstacles.detour(start, end, ends)
        if points is not None:
            return routes.through(start, points, end)
        for way in routes.round_box(start, end, box):
            if self.obstacles.in_the_way(way, ends).isEmpty():
                return way
        return path

    def _backward(
        self,
        source: str,
        target: str,
        start: QPointF,
        tip: QPointF,
        end: QPointF,
        *,
        head: bool,
    ) -> Wire:
        loops = (source, target) in self.topology.back
        if not loops and abs(end.y() - start.y()) >= 100:
            return Wire(
                source,
                target,
                routes.between(start, end, self.level(start, end)),
                tip if head else None,
            )
        low = self.low(source, target, start, end)
        if not loops:
            return Wire(
                source, target, routes.below(start, end, low), tip if head else None
            )
        middle = QPointF((start.x() + end.x()) / 2 - 3.5, low)
        end = QPointF(tip.x() + 2, tip.y())
        return Wire(
            source,
            target,
            routes.below(start, end, low),
            middle,
            leftward=True,
            dashed=True,
        )

    def level(self, start: QPointF, end: QPointF) -> float:
        """Return where a wire goes back between two rows: in the middle, or lower where
        that is taken by a node.
        """
        top, bottom = sorted((start.y(), end.y()))
        middle = (top + bottom) / 2
        if self.obstacles is None:
            return middle
        free = self.obstacles.clear_level(
            min(start.x(), end.x()), max(start.x(), end.x()), middle
        )
        return free if free < bottom - 24 else middle

    def low(self, source: str, target: str, start: QPointF, end: QPointF) -> float:
        """Return how far down a wire goes back under its nodes."""
        bottoms = [
            self.boxes[node].rect.bottom()
            for node in (source, target)
            if node in self.boxes
        ]
        lowest = max([*bottoms, start.y() + 24, end.y() + 24]) + routes.LOW
        lowest += abs(self.topology.bows.get(self.edge.id, 0.0))
        if self.obstacles is None:
            return lowest
        return self.obstacles.clear_level(
            end.x() - routes.SIDE, start.x() + routes.SIDE, lowest
        )

    def hub_at(self, source: Box, targets: Sequence[Box]) -> QPointF:
        """Return where a group branches: 16 to 40 px right of the port, nearer when the
        targets are near, and lower for each further group of the node.
        """
        ahead = [
            box.rect.left() - source.rect.right()
            for box in targets
            if box.rect.left() > source.rect.right()
        ]
        reach = min(HUB_REACH, max(16.0, min(ahead, default=100.0) * 0.4))
        return QPointF(
            source.rect.right() + reach,
            source.outlet.y() + 26 * self.topology.ranks.get(self.edge.id, 0),
        )

    def known(self, ids: Sequence[str]) -> list[Box]:
        """Return the boxes of those nodes that are in the drawing."""
        return [self.boxes[node] for node in ids if node in self.boxes]

    def figure(
        self,
        wires: Sequence[Wire],
        *,
        hub: QPointF | None = None,
        own_hub: bool = True,
        segments: tuple[QRectF, ...] = (),
        sources: tuple[str, ...] = (),
        tags: tuple[Tag, ...] = (),
        label: QPointF | None = None,
    ) -> Figure:
        bounds = QRectF()
        for wire in wires:
            bounds = bounds.united(wire.path.controlPointRect())
        for rect in (*segments, *(tag.rect for tag in tags)):
            bounds = bounds.united(rect)
        if hub is not None:
            bounds = bounds.united(QRectF(hub.x() - 22, hub.y() - 22, 44, 44))
        if label is not None:
            bounds = bounds.united(label_area(label, LABEL_MAX))
        bounds = bounds.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)
        return Figure(
            self.edge.id,
            self.edge.kind,
            tuple(wires),
            bounds,
            hub,
            own_hub,
            segments,
            sources,
            tags,
            label,
            dotted=bool(self.dots) and any(wire.dots for wire in wires),
        )


class EdgeFigure(Generic[AnyEdge]):
    """How the groups of one kind are drawn and painted."""

    # What can be taken hold of: half the side of a square round the hub.
    hub_half: ClassVar[float] = 16.0
    # The colour of its wires, where neither a run nor the mouse says another one.
    role: ClassVar[str] = "edge"
    # True where a message takes some of the wires: in a run the others are dashed.
    dashes_unsent: ClassVar[bool] = False
    # True where each tag stands in the middle of a wire, which runs on through it when
    # there are no words.
    tags_carry_wires: ClassVar[bool] = False
    # True where a click on the hub, or on the only tag, opens the condition.
    has_condition_mark: ClassVar[bool] = False
    # True where the field for a condition opens under its tag.
    edits_under_tag: ClassVar[bool] = True

    def figure(self, draft: Draft, edge: AnyEdge) -> Figure | None:
        """Return the figure; None when none of its ends are in the drawing."""
        raise NotImplementedError

    def paint_hub(
        self, painter: QPainter, style: Style, hub: QPointF, state: HubState
    ) -> None:
        """Paint what stands at the hub. Kinds without a hub paint nothing."""

    def paint_small_hub(self, painter: QPainter, style: Style, hub: QPointF) -> None:
        """Paint the hub on a thumbnail, with the pen and the brush that are set."""


class PlainWires(EdgeFigure[EdgeDefinition]):
    """A wire for each pair: of a kind that the window does not know."""

    def figure(self, draft: Draft, edge: EdgeDefinition) -> Figure | None:
        wires = []
        for source_id, target_id in edge.pairs:
            source = draft.boxes.get(source_id)
            target = draft.boxes.get(target_id)
            if source is not None and target is not None:
                wire = draft.wire(source_id, target_id, source.outlet, target.tip)
                wires.append(wire)
        return draft.figure(wires) if wires else None


class HubState(NamedTuple):
    """`sent` says that something went along the group; `chosen` that it is selected."""

    sent: bool = False
    chosen: bool = False
    hovered: bool = False

    @property
    def role(self) -> str:
        """The colour of its line."""
        if self.chosen:
            return "accent"
        return "text3" if self.hovered else "edge"


def paint_diamond(painter: QPainter, middle: QPointF, radius: float) -> None:
    x = middle.x()
    y = middle.y()
    corners = [
        QPointF(x, y - radius),
        QPointF(x + radius, y),
        QPointF(x, y + radius),
        QPointF(x - radius, y),
    ]
    painter.drawPolygon(QPolygonF(corners))


def paint_square(
    painter: QPainter, middle: QPointF, side: float, corner: float
) -> None:
    half = side / 2
    rect = QRectF(middle.x() - half, middle.y() - half, side, side)
    painter.drawRoundedRect(rect, corner, corner)


def wire_tag(
    text: str, wire: Wire, *, mono: bool = True, at: float = 0.54
) -> tuple[Tag, ...]:
    """Return a text on its wire, mostly in the middle.

    There is none where it would lie on a node: the mark and the tooltip say it.
    """
    room = wire.path.controlPointRect().width() - 2 * 14 - 22
    if room < 40:
        return ()
    font = "data" if mono else "tag"
    short = elided(one_line(text), font, int(min(room, 168)) - 14)
    width = round(text_width(short, font)) + 14
    middle = wire.path.pointAtPercent(at)
    return (
        Tag(
            QRectF(
                round(middle.x() - width / 2), round(middle.y()) - 9.5, width, TAG_H
            ),
            short,
            wire.target,
            mono=mono,
        ),
    )


def label_area(at: QPointF, width: float) -> QRectF:
    """Return what the title that begins at `at` covers, with the line over it that has
    its state in a run.
    """
    return QRectF(at.x(), at.y() - 33, max(width, STATE_ROOM), 37)
