"""The way of a value on the canvas: a band under the wires and nodes that it came along,
and the numbers of its steps at the nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from designer.canvas.drawing.figures import ANY_WAY
from designer.canvas.drawing.geometry import Box
from designer.canvas.drawing.style import COMPACT, Style, fonts, text_width
from designer.model.origin_path import OriginPath

if TYPE_CHECKING:
    from designer.canvas.drawing.figures import Figure, Tag, Wire
    from designer.canvas.drawing.scene import CanvasScene

BAND = 9.0  # px, of a wire
RIM = 5.0  # px around a node
TAG_HEIGHT = 18.0
UNDER_STATE = 5  # px from the border of a node, so that its state can be read
NUMBERS = 4  # of one node that are written out
_SHARE = 0.45  # of the accent in the band, as in the ring of what is selected


def paint_bands(painter: QPainter, scene: CanvasScene, exposed: QRectF) -> None:
    """Paint what lies under the drawing."""
    path = scene.origin
    if not path.numbers:
        return
    colour = scene.style_.mixed("accent", "canvas", _SHARE)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
    pen = QPen(colour, BAND)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for wire in wires_on(scene, path):
        if wire.path.controlPointRect().adjusted(-9, -9, 9, 9).intersects(exposed):
            painter.drawPath(wire.path)
    for tag in _tags_on(scene, path):
        middle = tag.rect.center().y()
        start = QPointF(tag.rect.left(), middle)
        painter.drawLine(start, QPointF(tag.rect.right(), middle))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    for node in path.numbers:
        box = scene.boxes.get(node)
        if box is not None:
            _paint_rim(painter, box)


def _paint_rim(painter: QPainter, box: Box) -> None:
    rect = box.rect.adjusted(-RIM, -RIM, RIM, RIM)
    if not box.diamond:
        painter.drawRoundedRect(rect, 12, 12)
        return
    middle = rect.center()
    corners = [
        QPointF(middle.x(), rect.top() - 2),
        QPointF(rect.right() + 2, middle.y()),
        QPointF(middle.x(), rect.bottom() + 2),
        QPointF(rect.left() - 2, middle.y()),
    ]
    painter.drawPolygon(QPolygonF(corners))


def paint_numbers(
    painter: QPainter, scene: CanvasScene, exposed: QRectF, zoom: float
) -> None:
    """Paint the numbers of the steps at the lower border of their nodes. They keep
    their size on the screen when one looks from far away.
    """
    scale = 1 / max(COMPACT, min(1.0, zoom))
    for node, numbers in scene.origin.numbers.items():
        box = scene.boxes.get(node)
        if box is None or not box.rect.adjusted(-40, -40, 160, 60).intersects(exposed):
            continue
        painter.save()
        # The larger a tag is, the more of it is below the node, so that it hides no name.
        below = TAG_HEIGHT / 2 * (scale - 1)
        top = box.rect.bottom() + UNDER_STATE + below
        painter.translate(box.rect.left() + 8, top)
        painter.scale(scale, scale)
        is_chosen = node == scene.origin.chosen
        _paint_tag(painter, scene.style_, number_words(numbers), is_chosen=is_chosen)
        painter.restore()


def number_words(numbers: tuple[int, ...]) -> str:
    """Return the numbers of the steps of one node: "2, 5"; of many the ends."""
    if len(numbers) > NUMBERS:
        return f"{numbers[0]}, {numbers[1]} … {numbers[-1]}"
    return ", ".join(map(str, numbers))


def _paint_tag(painter: QPainter, style: Style, text: str, *, is_chosen: bool) -> None:
    width = max(TAG_HEIGHT, round(text_width(text, "badge")) + 11)
    rect = QRectF(0, -TAG_HEIGHT / 2, width, TAG_HEIGHT)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
    painter.setPen(style.pen("accent", 1))
    painter.setBrush(style.brush("accentFill" if is_chosen else "raised"))
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 9, 9)
    painter.setFont(fonts().badge)
    painter.setPen(style.colour("on" if is_chosen else "accent"))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)


def wires_on(scene: CanvasScene, path: OriginPath) -> Iterator[Wire]:
    """Yield the wires along which the value and what it was made from came."""
    for edge, source, target, case in path.wires:
        figure = scene.figure(edge)
        if figure is not None:
            yield from _wires_between(figure, source, target, case)


def _tags_on(scene: CanvasScene, path: OriginPath) -> Iterator[Tag]:
    """Yield the tags of cases on the way, at which the wires have a gap."""
    for edge, _source, target, case in path.wires:
        figure = scene.figure(edge)
        for tag in figure.tags if figure is not None else ():
            if tag.target == target and case in (None, tag.number):
                yield tag


def _wires_between(
    figure: Figure, source: str, target: str, case: int | None
) -> Iterator[Wire]:
    """Yield the wires of a pair, with those that a group shares."""
    for wire in figure.wires:
        is_taken = case is None or wire.way in (ANY_WAY, case)
        if is_taken and wire.source in ("", source) and wire.target in ("", target):
            yield wire
