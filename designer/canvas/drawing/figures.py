"""The figure of each edge group, as data: wires, hub, join bar, diamond, tags. The spec is the look's anatomy.

`figure_of` is a pure function of the edge, the boxes of its nodes and the topology; the edge item paints what it says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath

from designer.canvas.drawing import routes
from designer.canvas.drawing.geometry import DIAMOND, LABEL_MAX, Box, Topology, drawn_at
from designer.canvas.drawing.style import elided, text_width
from designer.model.design import Points
from designer.model.edits.dots import key_of
from designer.model.names import one_line
from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    FanInEdge,
    FanOutEdge,
    MultiSelectionEdge,
    OnErrorEdge,
    SwitchEdge,
)

BAR_W = 10.0
BAR_GAP = 4.0
BAR_BEFORE = 30.0
# a bar of more than twelve sources keeps this height
SEGMENT = 40.0
SEGMENTS_HIGH = 528.0
BOX = 19.0
TAG_H = 19.0
NUMBER = 18.0
HUB_REACH = 40.0  # from a port to its hub, at most
TAG_AT = DIAMOND / 2 + 14.0  # from the diamond's centre to its tags
TAG_STEP = TAG_H + 6.0
TAG_REACH = 104.0
# widths of a tag, and what lies free before the next node
TAG_LEAST = 46.0
TAG_MOST = 183.0
TAG_CLEAR = 13.0
STATE_ROOM = 130.0
MARGIN = 10.0
ERROR_PORT = 14.0  # the side of the square that failures leave by
ANY_WAY = -1
_NO_DOTS: Mapping[str, Points] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Wire:
    """One stroke. `source` and `target` name the pair it carries; the part that all share has an empty end. `way` is
    the number of the switch case that it belongs to, as on its tag. `dots` are the points that it runs through.
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
    """A text with its own ground. `number` is the place of a switch case, 0 for none; `plain` sets text in mono."""

    rect: QRectF
    text: str
    target: str = ""
    number: int = 0
    dashed: bool = False
    mono: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """`hub` is the centre of the fan-out dot, the multi-selection box, the switch diamond or the condition mark;
    `own_hub` is false where the source node itself is the diamond. `label` is where that node's title begins. `dotted`
    tells whether any wire has dots.
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
        """Nothing of it is set on whole pixels: moved with its nodes, it is what would be drawn there."""
        return not (self.tags or self.segments or self.label)

    def shifted(self, dx: float, dy: float) -> Figure:
        """The same elsewhere; for a bare one."""
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


def figure_of(
    edge: EdgeDefinition,
    boxes: Mapping[str, Box],
    topology: Topology,
    ground: routes.Ground | None = None,
    dots: Mapping[str, Points] = _NO_DOTS,
) -> Figure | None:
    """The figure, or None when none of its ends are in the drawing. `ground` knows the nodes that wires run round;
    `dots` are those of the edge, by wire.
    """
    draw = _Draw(edge, boxes, topology, ground, dots)
    match edge:
        case DirectEdge():
            return draw.direct(edge)
        case FanOutEdge():
            return draw.fan_out(edge)
        case FanInEdge():
            return draw.fan_in(edge)
        case SwitchEdge():
            return draw.switch(edge)
        case MultiSelectionEdge():
            return draw.multi_selection(edge)
        case OnErrorEdge():
            return draw.on_error(edge)


class _Draw:
    """The helpers that all kinds share, with what they need at hand."""

    def __init__(
        self,
        edge: EdgeDefinition,
        boxes: Mapping[str, Box],
        topology: Topology,
        ground: routes.Ground | None,
        dots: Mapping[str, Points],
    ) -> None:
        self.edge = edge
        self.boxes = boxes
        self.topology = topology
        self.ground = ground
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
        """From a point to a tip. With `head` the stroke ends under the arrow's back."""
        end = QPointF(tip.x() - routes.ARROW, tip.y()) if head else tip
        if self.dots:
            points = self.dots.get(key_of(self.edge, source, target, way))
        else:
            points = None
        if points:
            dots = tuple([QPointF(*drawn_at(at)) for at in points])
            path = routes.through(start, dots, end)
            back = (source, target) in self.topology.back
            return Wire(
                source,
                target,
                path,
                tip if head else None,
                dashed=back,
                way=way,
                dots=dots,
            )
        wire = self._led(source, target, start, tip, end, head=head, bow=bow)
        return wire if way == ANY_WAY else replace(wire, way=way)

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
        """Straight to its end, or round the nodes that it would run through."""
        path = routes.forward(start, end, bow)
        if (
            self.ground is None
            or not routes.LONG <= end.x() - start.x() <= self.ground.longest
        ):
            return path
        ends = (source, target, *self._own())
        box = self.ground.in_the_way(path, ends)
        if box.isEmpty():
            return path
        points = self.ground.passage(start, end, ends)
        if points is not None:
            return routes.through(start, points, end)
        ways = routes.round_box(start, end, box)
        return next(
            (way for way in ways if self.ground.in_the_way(way, ends).isEmpty()), path
        )

    def _own(self) -> tuple[str, ...]:
        """The edge's single end: the shared part of a group has no name for it."""
        return (self.edge.target if self.edge.kind == "fan_in" else self.edge.source,)

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
        """Where a wire goes back between two rows: in the middle, or lower where that is taken by a node."""
        top, bottom = sorted((start.y(), end.y()))
        middle = (top + bottom) / 2
        if self.ground is None:
            return middle
        free = self.ground.clear_level(
            min(start.x(), end.x()), max(start.x(), end.x()), middle
        )
        return free if free < bottom - 24 else middle

    def low(self, source: str, target: str, start: QPointF, end: QPointF) -> float:
        bottoms = [
            self.boxes[node].rect.bottom()
            for node in (source, target)
            if node in self.boxes
        ]
        lowest = max([*bottoms, start.y() + 24, end.y() + 24]) + routes.LOW
        lowest += abs(self.topology.bows.get(self.edge.id, 0.0))
        if self.ground is None:
            return lowest
        return self.ground.clear_level(
            end.x() - routes.SIDE, start.x() + routes.SIDE, lowest
        )

    def hub_at(self, source: Box, targets: Sequence[Box]) -> QPointF:
        """16 to 40 right of the port, nearer when the targets are near; later groups of one node hang lower."""
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

    # --- the kinds ----------------------------------------------------------------------------------------------

    def direct(self, edge: DirectEdge) -> Figure | None:
        source = self.boxes.get(edge.source)
        target = self.boxes.get(edge.target)
        if source is None or target is None:
            return None
        bow = self.topology.bows.get(edge.id, 0.0)
        if source is target and edge.target not in self.dots:
            step = max(0.0, bow + 30) if self.topology.bows.get(edge.id) else 0.0
            top = source.rect.top() - 34 - step * 0.6
            reach = 44 + step * 0.4
            end = QPointF(source.tip.x() - routes.ARROW, source.tip.y())
            wire = Wire(
                source.id,
                source.id,
                routes.over(source.outlet, end, top, reach),
                source.tip,
            )
        else:
            wire = self.wire(source.id, target.id, source.outlet, target.tip, bow=bow)
        if not edge.condition:
            return self.figure([wire])
        return self.figure(
            [wire], tags=_wire_tag(edge.condition, wire), hub=_condition_mark(wire)
        )

    def on_error(self, edge: OnErrorEdge) -> Figure | None:
        """From a port of its own, low at the source, so that nobody takes it for a way of messages."""
        source = self.boxes.get(edge.source)
        target = self.boxes.get(edge.target)
        if source is None or target is None:
            return None
        port = error_port(source)
        start = port + (
            QPointF(0, ERROR_PORT / 2) if source.diamond else QPointF(ERROR_PORT / 2, 0)
        )
        bow = self.topology.bows.get(edge.id, 0.0)
        wire = replace(
            self.wire(source.id, target.id, start, target.tip, bow=bow), dashed=True
        )
        # Nearer to its port than conditions are: in a run, what it carried is told in the middle.
        tags = _wire_tag(
            edge.condition or "on error", wire, mono=bool(edge.condition), at=0.34
        )
        return self.figure([wire], hub=port, tags=tags)

    def fan_out(self, edge: FanOutEdge) -> Figure | None:
        source = self.boxes.get(edge.source)
        targets = self.known(edge.targets)
        if source is None or not targets:
            return None
        hub = self.hub_at(source, targets)
        wires = [Wire(source.id, "", routes.forward(source.outlet, hub))]
        wires += [
            self.wire(source.id, target.id, hub, target.tip) for target in targets
        ]
        return self.figure(wires, hub=hub)

    def multi_selection(self, edge: MultiSelectionEdge) -> Figure | None:
        targets = self.known([selection.target for selection in edge.selections])
        source = self.boxes.get(edge.source)
        if source is None or not targets:
            return None
        hub = self.hub_at(source, targets) + QPointF(BOX / 2 - 4, 0)
        wires = [
            Wire(
                source.id,
                "",
                routes.forward(source.outlet, QPointF(hub.x() - BOX / 2, hub.y())),
            )
        ]
        start = QPointF(hub.x() + BOX / 2, hub.y())
        wires += [
            self.wire(source.id, target.id, start, target.tip) for target in targets
        ]
        return self.figure(wires, hub=hub)

    def fan_in(self, edge: FanInEdge) -> Figure | None:
        target = self.boxes.get(edge.target)
        if target is None or not edge.sources:
            return None
        right = (
            target.rect.left() - BAR_BEFORE - 26 * self.topology.ranks.get(edge.id, 0)
        )
        segments = bar(len(edge.sources), right, target.inlet.y())
        wires = []
        for source, segment in zip(edge.sources, segments, strict=True):
            if source in self.boxes:
                end = QPointF(segment.left() - 2, segment.center().y())
                wires.append(
                    self.wire(
                        source, target.id, self.boxes[source].outlet, end, head=False
                    )
                )
        wires.append(
            self.wire("", target.id, QPointF(right, target.inlet.y()), target.tip)
        )
        return self.figure(
            wires,
            segments=segments,
            sources=edge.sources,
            tags=_policy_tag(edge, segments),
        )

    def switch(self, edge: SwitchEdge) -> Figure | None:
        source = self.boxes.get(edge.source)
        if source is None:
            return None
        ways = [
            (case.target, one_line(case.name or case.when), k + 1)
            for k, case in enumerate(edge.cases)
        ]
        ways.append((edge.default, "default", 0))
        wires, hub = self.diamond(source, [target for target, _, _ in ways])
        levels = tag_levels([self.boxes.get(target) for target, _, _ in ways], hub.y())
        tags = [
            case_tag(hub, level, way, self.room(hub, level, way[0]))
            for level, way in zip(levels, ways, strict=True)
        ]
        for tag in tags:
            wires.append(
                Wire(source.id, tag.target, _to_tag(hub, tag.rect), way=tag.number)
            )
            if tag.target in self.boxes:
                start = QPointF(tag.rect.right(), tag.rect.center().y())
                wires.append(
                    self.wire(
                        source.id,
                        tag.target,
                        start,
                        self.boxes[tag.target].tip,
                        way=tag.number,
                    )
                )
        label = self.label_at(source, tags[0]) if source.diamond else None
        return self.figure(
            wires, hub=hub, own_hub=not source.diamond, tags=tuple(tags), label=label
        )

    def room(self, hub: QPointF, level: float, target: str) -> float:
        """How wide a tag may be here before it comes near a node, or past its target."""
        at = hub.x() + TAG_AT
        most = TAG_MOST
        if target in self.boxes:
            ahead = self.boxes[target].rect.left() - at - TAG_CLEAR
            most = min(most, ahead) if ahead >= TAG_LEAST else most
        if self.ground is not None:
            while most > TAG_LEAST and not self.ground.free(
                QRectF(at, level - TAG_H / 2, most + TAG_CLEAR, TAG_H)
            ):
                most -= 8
        return most

    def label_at(self, source: Box, first: Tag) -> QPointF:
        """Where the title of a diamond begins: over its first tag, further left or higher where a node stands."""
        x = first.rect.left()
        baseline = first.rect.top() - 7
        if self.ground is None:
            return QPointF(x, baseline)
        marked = source.rect.adjusted(0, -12, 10, 0)  # with its badge
        for up in range(0, 97, 12):
            for aside in (0, 28, 56):
                place = QPointF(x - aside, baseline - up)
                area = label_area(place, source.label).adjusted(-4, 0, 4, 0)
                if self.ground.free(area) and not area.intersects(marked):
                    return place
        return QPointF(x, baseline)

    def diamond(
        self, source: Box, targets: Sequence[str]
    ) -> tuple[list[Wire], QPointF]:
        """The centre of the switch, and the wire that leads to it unless the node itself is the diamond."""
        if source.diamond and not self.topology.ranks.get(self.edge.id):
            return [], source.rect.center()
        hub = self.hub_at(source, self.known(targets)) + QPointF(DIAMOND / 2, 0)
        return [
            Wire(
                source.id,
                "",
                routes.forward(source.outlet, QPointF(hub.x() - DIAMOND / 2, hub.y())),
            )
        ], hub


def bar(count: int, right: float, middle: float) -> tuple[QRectF, ...]:
    """The segments of a join bar in source order, 40 high and 4 apart, centred on the target's port."""
    step = min(SEGMENT + BAR_GAP, SEGMENTS_HIGH / count)
    high = max(step - BAR_GAP, step * 0.6)
    top = middle - (step * count - (step - high)) / 2
    return tuple(
        QRectF(right - BAR_W, round(top + k * step, 1), BAR_W, round(high, 1))
        for k in range(count)
    )


def tag_levels(targets: Sequence[Box | None], middle: float) -> list[float]:
    """Heights of the tags: each at its target's port where that keeps the order of the cases and the distance.

    Pool adjacent violators: tags that would overtake each other share the mean of what they want.
    """
    seen: set[str] = set()
    wanted = []
    for box in targets:
        ahead = box is not None and box.id not in seen
        wanted.append(
            min(max(box.inlet.y(), middle - TAG_REACH), middle + TAG_REACH)
            if box and ahead
            else middle
        )
        seen.add(box.id if box else "")
    # [sum, count], in heights from which the steps are taken out
    pools: list[list[float]] = []
    for k, want in enumerate(wanted):
        pools.append([want - k * TAG_STEP, 1])
        while (
            len(pools) > 1 and pools[-2][0] / pools[-2][1] > pools[-1][0] / pools[-1][1]
        ):
            last = pools.pop()
            pools[-1] = [pools[-1][0] + last[0], pools[-1][1] + last[1]]
    flat = [total / count for total, count in pools for _ in range(int(count))]
    return [float(round(level + k * TAG_STEP)) for k, level in enumerate(flat)]


def label_area(at: QPointF, width: float) -> QRectF:
    """What the title that begins at `at` covers, with the line over it that tells its state in a run."""
    return QRectF(at.x(), at.y() - 33, max(width, STATE_ROOM), 37)


def case_tag(
    hub: QPointF, level: float, way: tuple[str, str, int], room: float = TAG_MOST
) -> Tag:
    target, text, number = way
    pad = NUMBER + 15 if number else 15
    text = elided(text, "tag", int(room - pad), middle=False)
    width = round(text_width(text, "tag")) + pad
    rect = QRectF(
        round(hub.x() + TAG_AT), level - TAG_H / 2, max(width, TAG_LEAST), TAG_H
    )
    return Tag(rect, text, target, number, dashed=not number)


def _to_tag(hub: QPointF, tag: QRectF) -> QPainterPath:
    """From the diamond's nearest corner round to the left of a tag."""
    x = tag.left()
    y = tag.center().y()
    rise = y - hub.y()
    if abs(rise) < 12:
        return routes.forward(QPointF(hub.x() + DIAMOND / 2, hub.y()), QPointF(x, y))
    sign = 1 if rise > 0 else -1
    if abs(rise) < 34:
        path = QPainterPath(QPointF(hub.x() + 4, hub.y() + sign * 18))
        path.cubicTo(hub.x() + 9, y - sign * 1, x - 20, y, x, y)
        return path
    path = QPainterPath(QPointF(hub.x() + 1, hub.y() + sign * 21))
    path.cubicTo(hub.x() + 3, hub.y() + rise * 0.72, x - 24, y, x, y)
    return path


def error_port(box: Box) -> QPointF:
    """Where a failure leaves a node: beside it, under the port of its messages; of a diamond, below it."""
    if box.diamond:
        return QPointF(box.rect.center().x(), box.rect.bottom() + ERROR_PORT / 2)
    return QPointF(
        box.rect.right() + ERROR_PORT / 2,
        max(box.outlet.y() + 14, box.rect.bottom() - 10),
    )


def _wire_tag(
    text: str, wire: Wire, *, mono: bool = True, at: float = 0.54
) -> tuple[Tag, ...]:
    """A text on its wire, mostly in the middle; none where it would stand on a node: the mark and the hover say it."""
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


def _condition_mark(wire: Wire) -> QPointF:
    length = max(wire.path.length(), 1.0)
    return wire.path.pointAtPercent(min(0.5, 18 / length))


def _policy_tag(edge: FanInEdge, segments: Sequence[QRectF]) -> tuple[Tag, ...]:
    """Any policy but "all" is said under the bar."""
    if edge.policy == "all":
        return ()
    text = f"any {edge.count}" if edge.policy == "count" else edge.policy
    width = round(text_width(text, "tag")) + 14
    last = segments[-1]
    return (
        Tag(
            QRectF(
                round(last.center().x() - width / 2),
                round(last.bottom()) + 6,
                width,
                TAG_H,
            ),
            text,
        ),
    )
