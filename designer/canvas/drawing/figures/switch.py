"""Switches: a diamond, and a tag for each case between it and its target."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPainterPath

from designer.canvas.drawing import routes
from designer.canvas.drawing.figures.base import (
    TAG_H,
    Draft,
    EdgeFigure,
    Figure,
    HubState,
    Tag,
    Wire,
    label_area,
    paint_diamond,
)
from designer.canvas.drawing.geometry import DIAMOND, Box
from designer.canvas.drawing.glyphs import paint_glyph
from designer.canvas.drawing.style import Style, elided, text_width
from designer.model.names import one_line
from runtime.document.definition import SwitchEdge

NUMBER = 18.0
TAG_AT = DIAMOND / 2 + 14.0  # from the diamond's centre to its tags
TAG_STEP = TAG_H + 6.0
TAG_REACH = 104.0
# widths of a tag, and what lies free before the next node
TAG_LEAST = 46.0
TAG_MOST = 183.0
TAG_CLEAR = 13.0


class SwitchFigure(EdgeFigure[SwitchEdge]):
    tags_carry_wires = True

    def figure(self, draft: Draft, edge: SwitchEdge) -> Figure | None:
        source = draft.boxes.get(edge.source)
        if source is None:
            return None
        ways = [
            (case.target, one_line(case.name or case.when), k + 1)
            for k, case in enumerate(edge.cases)
        ]
        ways.append((edge.default, "default", 0))
        wires, hub = self._diamond(draft, source, [target for target, _, _ in ways])
        levels = tag_levels([draft.boxes.get(target) for target, _, _ in ways], hub.y())
        tags = [
            case_tag(hub, level, way, self._room(draft, hub, level, way[0]))
            for level, way in zip(levels, ways, strict=True)
        ]
        for tag in tags:
            wires.append(
                Wire(source.id, tag.target, _to_tag(hub, tag.rect), way=tag.number)
            )
            if tag.target in draft.boxes:
                start = QPointF(tag.rect.right(), tag.rect.center().y())
                wires.append(
                    draft.wire(
                        source.id,
                        tag.target,
                        start,
                        draft.boxes[tag.target].tip,
                        way=tag.number,
                    )
                )
        label = self._label_at(draft, source, tags[0]) if source.diamond else None
        return draft.figure(
            wires, hub=hub, own_hub=not source.diamond, tags=tuple(tags), label=label
        )

    def _room(self, draft: Draft, hub: QPointF, level: float, target: str) -> float:
        """Return how wide a tag may be before it comes near a node, or past its target."""
        left = hub.x() + TAG_AT
        width = TAG_MOST
        if target in draft.boxes:
            before_target = draft.boxes[target].rect.left() - left - TAG_CLEAR
            if before_target >= TAG_LEAST:
                width = min(width, before_target)
        if draft.obstacles is None:
            return width
        top = level - TAG_H / 2
        while width > TAG_LEAST:
            if draft.obstacles.free(QRectF(left, top, width + TAG_CLEAR, TAG_H)):
                break
            width -= 8
        return width

    def _label_at(self, draft: Draft, source: Box, first: Tag) -> QPointF:
        """Return where the title of a diamond begins: over its first tag, further left
        or higher where a node is.
        """
        x = first.rect.left()
        baseline = first.rect.top() - 7
        if draft.obstacles is None:
            return QPointF(x, baseline)
        marked = source.rect.adjusted(0, -12, 10, 0)  # with its badge
        for up in range(0, 97, 12):
            for aside in (0, 28, 56):
                place = QPointF(x - aside, baseline - up)
                area = label_area(place, source.label).adjusted(-4, 0, 4, 0)
                if draft.obstacles.free(area) and not area.intersects(marked):
                    return place
        return QPointF(x, baseline)

    def _diamond(
        self, draft: Draft, source: Box, targets: Sequence[str]
    ) -> tuple[list[Wire], QPointF]:
        """Return the centre of the switch, and the wire that leads to it unless the
        node itself is the diamond.
        """
        if source.diamond and not draft.topology.ranks.get(draft.edge.id):
            return [], source.rect.center()
        hub = draft.hub_at(source, draft.known(targets)) + QPointF(DIAMOND / 2, 0)
        return [
            Wire(
                source.id,
                "",
                routes.forward(source.outlet, QPointF(hub.x() - DIAMOND / 2, hub.y())),
            )
        ], hub

    def paint_hub(
        self, painter: QPainter, style: Style, hub: QPointF, state: HubState
    ) -> None:
        painter.setPen(style.pen(state.role, 1.5 if state.chosen else 1))
        painter.setBrush(style.brush("node"))
        paint_diamond(painter, hub, DIAMOND / 2)
        colour = style.colour("accent" if state.chosen else "text2")
        paint_glyph(painter, "shuffle", hub.x() - 8, hub.y() - 8, colour, colour, 16)

    def paint_small_hub(self, painter: QPainter, style: Style, hub: QPointF) -> None:
        paint_diamond(painter, hub, DIAMOND / 2)


def tag_levels(targets: Sequence[Box | None], middle: float) -> list[float]:
    """Return heights of the tags: each at its target's port where that keeps the order
    of the cases and the distance.

    Pool adjacent violators: tags that would overtake each other share the mean of their
    wishes.
    """
    seen: set[str] = set()
    wishes = []
    for box in targets:
        wish = middle
        if box is not None and box.id not in seen:
            wish = min(max(box.inlet.y(), middle - TAG_REACH), middle + TAG_REACH)
        wishes.append(wish)
        seen.add(box.id if box else "")
    # [sum, count], in heights from which the steps are taken out
    pools: list[list[float]] = []
    for number, wish in enumerate(wishes):
        pools.append([wish - number * TAG_STEP, 1])
        while len(pools) > 1 and _mean(pools[-2]) > _mean(pools[-1]):
            last = pools.pop()
            pools[-1] = [pools[-1][0] + last[0], pools[-1][1] + last[1]]
    flat = [total / count for total, count in pools for _ in range(int(count))]
    return [
        float(round(level + number * TAG_STEP)) for number, level in enumerate(flat)
    ]


def _mean(pool: list[float]) -> float:
    return pool[0] / pool[1]


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
    """Return the way from the diamond's nearest corner round to the left of a tag."""
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
