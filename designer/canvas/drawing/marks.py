"""What lies over the nodes while a run is looked at: count tags, pulses, dropped tags,
and the tags of joins.

Marks are made anew for each moment, as places with their text; the view paints them in
its foreground.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath

from designer.canvas.drawing.edge_item import wires_of
from designer.canvas.drawing.figures import Figure
from designer.canvas.drawing.geometry import Box
from designer.canvas.drawing.glyphs import paint_glyph
from designer.canvas.drawing.overlay import EdgeFace, JoinFace, Overlay
from designer.canvas.drawing.style import FULL, Style, elided, fonts, text_width
from designer.look.difference_marks import SIGNS, paint_sign
from designer.model.differences import Chip

DOTS = ((0.28, 2.5), (0.34, 3.5), (0.41, 5.0))
SHORT = 40.0
JOIN_WORDS = 360
DROP_WORDS = 190
STOPPED = "stopped: "  # what the sign of a tag says, too
CHIP_WORDS = 170
FAR_CHIP = 15.0  # px on the screen of a chip that is seen from far away
FAR_CHIP_MOST = 80  # px of the scene that it may reach over its tag
CHIP_BELOW = 14.0  # px from a node to the middle of its chip
_NO_FACE = EdgeFace()
PULSE_ROOM = 84.0  # a shorter wire has no room for the dots
Free = Callable[[QRectF, str], bool]


@dataclass(frozen=True, slots=True)
class Mark:
    """A tag or a pulse.

    `path` is the wire of a pulse; `leader` runs from the tag of a join to its bar.
    """

    rect: QRectF
    text: str = ""
    glyph: str = ""
    role: str = ""
    soft: bool = False
    path: QPainterPath | None = None
    leader: tuple[QPointF, QPointF] | None = None

    @property
    def area(self) -> QRectF:
        """Where it paints."""
        above = 4
        if self.glyph in SIGNS:
            above = FAR_CHIP_MOST
        area = self.rect.adjusted(-4, -above, 4, above)
        if self.leader is not None:
            area = area.united(QRectF(*self.leader).normalized().adjusted(-3, -3, 3, 3))
        return area


def marks_of(
    overlay: Overlay, figures: Callable[[str], Figure | None], free: Free
) -> list[Mark]:
    """Return the marks of a run. `free(rect, edge)` says whether no node and no wire
    but the edge's own is in a place.
    """
    marks: list[Mark] = []
    for edge, face in overlay.edges.items():
        figure = figures(edge)
        if figure is not None:
            if overlay.pulses:
                marks += _pulses(figure, face)
            marks += _counts(figure, face)
            marks += _drops(figure, face)
    taken: list[QRectF] = []
    for edge, join in overlay.joins.items():
        figure = figures(edge)
        if figure is not None and figure.segments:
            mark = join_tag(figure, join, partial(_clear_of, taken, free, edge))
            taken.append(mark.rect)
            marks.append(mark)
    return marks


def chip_marks(
    chips: Mapping[str, Chip],
    boxes: Mapping[str, Box],
    figures: Callable[[str], Figure | None],
    free: Free,
) -> Iterator[Mark]:
    """Yield the tags of a comparison: under a node, or on the wire of an edge."""
    for element, chip in chips.items():
        text = elided(chip.text, "tag", CHIP_WORDS)
        width = tag_width(text, glyph=True)
        box = boxes.get(element)
        figure = figures(element)
        if box is not None:
            places = _under(box, width)
            rect = next((place for place in places if free(place, "")), places[0])
        elif figure is not None:
            middle = _wire_of(figure, chip.source).pointAtPercent(0.5)
            rect = _centred(middle, width, 20)
        else:
            continue
        role = SIGNS[chip.kind].role
        yield Mark(rect, text, chip.kind, role, soft=True)


def staged_marks(staged: Mapping[str, str], boxes: Mapping[str, Box]) -> Iterator[Mark]:
    """Yield the tags of what is staged: over the right end of a node."""
    for node, words in staged.items():
        box = boxes.get(node)
        if box is None:
            continue
        text = elided(words, "tag", CHIP_WORDS)
        width = tag_width(text, glyph=False)
        if box.rect.width() > width + 16:
            left = round(box.rect.right() - width - 4)
            rect = QRectF(left, round(box.rect.top()) - 9, width, 18)
        else:  # it would cover the whole of a small figure
            below = QPointF(box.rect.center().x(), box.rect.bottom() + CHIP_BELOW)
            rect = _centred(below, width, 18)
        yield Mark(rect, text, "", "accent", soft=True)


def _under(box: Box, width: float) -> list[QRectF]:
    """Return the places for a chip under a node, the best one first."""
    middle = box.rect.center().x()
    top = box.rect.bottom() + CHIP_BELOW
    shifts = (0.0, width / 2, -width / 2)
    return [
        _centred(QPointF(middle + shift, top + row), width, 20)
        for row in (0.0, 22.0, 44.0)
        for shift in shifts
    ]


def _wire_of(figure: Figure, source: str) -> QPainterPath:
    """Return the wire of an edge that comes from a node, or else its first."""
    for wire in figure.wires:
        if wire.source == source:
            return wire.path
    return figure.wires[0].path


def _clear_of(taken: list[QRectF], free: Free, edge: str, rect: QRectF) -> bool:
    return free(rect, edge) and not any(rect.intersects(other) for other in taken)


def _pulses(figure: Figure, face: EdgeFace) -> Iterator[Mark]:
    for pair in face.sent:
        paths = wires_of(figure, pair, face)
        if paths and paths[0].length() >= PULSE_ROOM:
            yield Mark(
                paths[0].controlPointRect().adjusted(-8, -8, 8, 8),
                path=paths[0],
                role="accent",
            )


def _counts(figure: Figure, face: EdgeFace) -> Iterator[Mark]:
    for pair, count in face.queued.items():
        paths = wires_of(figure, pair, face)
        if paths:
            long = pair in face.sent and paths[0].length() >= PULSE_ROOM
            place = paths[0].pointAtPercent(0.72 if long else 0.5)
            if paths[0].length() < SHORT:
                # On a short wire the arrow head is a part of the room that there is.
                place += QPointF(3, 0)
            width = round(text_width(str(count), "badge")) + 23
            if figure.segments:
                # Rather over the rim of the node than over the bar, which shows what
                # has arrived.
                place.setX(
                    min(place.x(), paths[0].currentPosition().x() - width / 2 - 2)
                )
            yield Mark(_centred(place, width, 18), str(count), "queued", "accent")


def _drops(figure: Figure, face: EdgeFace) -> Iterator[Mark]:
    """Yield a loud mark where a message was lost, a quiet one where another edge took
    it.
    """
    for pair, stopped in face.stopped.items():
        # It does not matter which of several cases it was: none of them took it.
        paths = wires_of(figure, pair, _NO_FACE)
        if not paths:
            continue
        text = elided(stopped.text, "tag", DROP_WORDS)
        room = abs(paths[0].currentPosition().x() - paths[0].elementAt(0).x)
        if tag_width(text, glyph=True) > room:
            # On a short wire the sign alone says it, so that no node is covered.
            text = text.removeprefix(STOPPED)
        # Where messages wait on the same wire, their number is in its middle.
        share = 0.28 if pair in face.queued else 0.5
        middle = paths[0].pointAtPercent(share)
        rect = _centred(middle, tag_width(text, glyph=True), 20)
        if stopped.lost:
            yield Mark(rect, text, "failed", "bad", soft=True)
        else:
            yield Mark(rect, text, "dash", "text2")


def tag_width(text: str, *, glyph: bool) -> float:
    """Return how wide the tag with a text is."""
    return round(text_width(text, "tag")) + (33 if glyph else 15)


def _centred(point: QPointF, width: float, height: float) -> QRectF:
    left = round(point.x() - width / 2)
    top = round(point.y() - height / 2)
    return QRectF(left, top, width, height)


def join_tag(figure: Figure, join: JoinFace, free: Callable[[QRectF], bool]) -> Mark:
    """Return the words at a join: over its bar on a dotted leader, else under it, at
    the nearest place that covers no node and no wire.
    """
    first = figure.segments[0]
    last = figure.segments[-1]
    text = elided(join.text, "tag", JOIN_WORDS)
    width = tag_width(text, glyph=bool(join.glyph))
    x = first.center().x()
    tops = [first.top() - step - 20 for step in range(20, 130, 10)]
    tops += [last.bottom() + step for step in range(20, 130, 10)]
    shares = (0.5, 0.62, 0.38, 0.8, 0.2)
    places = [
        QRectF(round(x - width * share), round(top), width, 20)
        for top in tops
        for share in shares
    ]
    rect = next(
        (place for place in places if free(place.adjusted(-5, -4, 5, 4))), places[0]
    )
    above = rect.bottom() < first.top()
    if above:
        leader = (QPointF(x, rect.bottom()), QPointF(x, first.top() - 4))
    else:
        leader = (QPointF(x, last.bottom() + 4), QPointF(x, rect.top()))
    return Mark(rect, text, join.glyph, join.role, soft=bool(join.role), leader=leader)


# --- painting -------------------------------------------------------------------------


def paint_marks(
    painter: QPainter,
    style: Style,
    marks: Iterable[Mark],
    exposed: QRectF,
    zoom: float,
    travel: float,
) -> None:
    """Paint the marks; `travel` is 1 at rest, and less while pulses run to their
    places.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
    for mark in marks:
        if mark.path is not None:
            if mark.rect.intersects(exposed) and zoom > FULL / 2:
                paint_pulse(painter, style, mark.path, travel)
        elif zoom > FULL:
            _paint_tag(painter, style, mark)
        elif mark.glyph in SIGNS:
            _paint_far_chip(painter, style, mark, zoom)


def paint_pulse(
    painter: QPainter, style: Style, path: QPainterPath, travel: float
) -> None:
    """Paint three dots on a wire: messages that were sent."""
    points = [
        (path.pointAtPercent(min(1.0, share * travel)), radius)
        for share, radius in DOTS
    ]
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(style.brush("canvas"))
    for point, radius in points:
        painter.drawEllipse(point, radius + 3, radius + 3)
    painter.setBrush(style.brush("accent"))
    for point, radius in points:
        painter.drawEllipse(point, radius, radius)


def _paint_far_chip(painter: QPainter, style: Style, mark: Mark, zoom: float) -> None:
    """Paint only the sign of a difference, in its usual size on the screen: a
    difference that cannot be seen is missed.
    """
    size = FAR_CHIP / zoom
    middle = mark.rect.center()
    rect = QRectF(middle.x() - size / 2, middle.y() - size / 2, size, size)
    painter.setPen(style.pen(mark.role, 1 / zoom))
    painter.setBrush(style.brush(mark.role + "Soft"))
    painter.drawRoundedRect(rect, size / 4, size / 4)
    inner = rect.adjusted(size / 5, size / 5, -size / 5, -size / 5)
    paint_sign(painter, mark.glyph, inner, style.colour(mark.role))


def _paint_tag(painter: QPainter, style: Style, mark: Mark) -> None:
    rect = mark.rect.adjusted(0.5, 0.5, -0.5, -0.5)
    if mark.leader is not None:
        painter.setPen(style.pen(mark.role or "text3", 1.25, "1.5 3"))
        painter.drawLine(*mark.leader)
    ground = mark.role + "Soft" if mark.soft else "raised"
    painter.setPen(style.pen(mark.role or "line2", 1))
    painter.setBrush(style.brush(ground))
    painter.drawRoundedRect(rect, 4, 4)
    x = rect.left() + 7
    is_count = mark.glyph == "queued"
    if mark.glyph:
        colour = style.colour(mark.role)
        y = rect.center().y() - 6
        glyph_x = x - (2 if is_count else 1)
        paint_glyph(painter, mark.glyph, glyph_x, y, colour, style.colour(ground))
        x += 13 if is_count else 18
    painter.setFont(fonts().badge if is_count else fonts().tag)
    painter.setPen(style.colour("text" if is_count else mark.role or "text2"))
    painter.drawText(QPointF(x, rect.center().y() + 4), mark.text)
