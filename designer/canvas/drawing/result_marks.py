"""The marks of nodes whose results are pinned or live by the user's choice, at their
lower right corner.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPixmap

from designer.canvas.drawing.geometry import Box
from designer.canvas.drawing.style import (
    COMPACT,
    Style,
    draw_text,
    picture_of,
    set_picture,
    text_width,
)
from designer.look.icons import paint_icon
from designer.look.theme import ThemeName, load_theme
from runtime.debug.protocol import CallMode

if TYPE_CHECKING:
    from designer.canvas.drawing.scene import CanvasScene

HEIGHT = 18
_RIGHT = 6.0  # px from the corner of the node
_BEYOND_DIAMOND = 12.0


class _Sign(NamedTuple):
    icon: str
    role: str
    words: str


_SIGNS: dict[CallMode, _Sign] = {
    "pinned": _Sign("pin", "past", "gives its pinned result on going on from the past"),
    "live": _Sign("globe", "warn", "runs live on going on from the past"),
}


def words_of(mode: CallMode) -> str:
    """Return what a mark means."""
    return _SIGNS[mode].words


def result_mark_area(scene: CanvasScene, key: str, zoom: float) -> QRectF:
    """Return where the mark of a node paints; empty for what is not drawn."""
    box = scene.boxes.get(key)
    if box is None:
        return QRectF()
    scale = _scale_at(zoom)
    width = max(map(_width, _SIGNS)) * scale
    height = HEIGHT * scale
    corner = _corner(box)
    return QRectF(corner.x() - width, corner.y() - height / 2, width, height)


def result_mark_at(scene: CanvasScene, point: QPointF, zoom: float) -> str:
    """Return the node whose mark is at a point; "" for none."""
    for key, mode in scene.results.items():
        area = result_mark_area(scene, key, zoom)
        area.setLeft(area.right() - _width(mode) * _scale_at(zoom))
        if area.contains(point):
            return key
    return ""


def paint_results(
    painter: QPainter, scene: CanvasScene, exposed: QRectF, zoom: float
) -> None:
    """Paint all marks in a rectangle. They keep their size on the screen when one looks
    from far away.
    """
    scale = _scale_at(zoom)
    for key, mode in scene.results.items():
        box = scene.boxes.get(key)
        area = result_mark_area(scene, key, zoom)
        if box is None or not area.intersects(exposed):
            continue
        painter.save()
        painter.translate(_corner(box))
        painter.scale(scale, scale)
        _paint_mark(painter, scene.style_, mode)
        painter.restore()


def _paint_mark(painter: QPainter, style: Style, mode: CallMode) -> None:
    theme = style.theme.name

    def picture(scale: float, ratio: float) -> QPixmap:
        return _picture(theme, mode, scale, ratio)

    set_picture(painter, -_width(mode), -HEIGHT / 2, picture)


@lru_cache(maxsize=64)
def _picture(theme: ThemeName, mode: CallMode, scale: float, ratio: float) -> QPixmap:
    style = Style(load_theme(theme))
    sign = _SIGNS[mode]
    width = _width(mode)
    picture, painter = picture_of(width, HEIGHT, scale, ratio)
    painter.setPen(style.pen(sign.role, 1))
    painter.setBrush(style.brush(sign.role + "Soft"))
    painter.drawRoundedRect(QRectF(0.5, 0.5, width - 1, HEIGHT - 1), 8.5, 8.5)
    colour = style.colour(sign.role)
    paint_icon(painter, sign.icon, QRectF(6, 3, 12, 12), colour)
    painter.setPen(colour)
    draw_text(painter, 21, 13, mode, "badge")
    painter.end()
    return picture


def _width(mode: CallMode) -> int:
    return round(text_width(mode, "badge")) + 29


def _corner(box: Box) -> QPointF:
    beyond = _BEYOND_DIAMOND if box.diamond else -_RIGHT
    return box.rect.bottomRight() + QPointF(beyond, 0)


def _scale_at(zoom: float) -> float:
    return max(1.0, COMPACT / zoom)
