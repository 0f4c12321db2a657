"""The icons: one SVG file each, drawn in any colour and size, sharp at every scale."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from designer.look.theme import Look, Theme

FALLBACK = "box"


@cache
def _source(name: str) -> str:
    entry = files("resources").joinpath(f"icons/{name}.svg")
    return entry.read_text("utf-8") if entry.is_file() else _source(FALLBACK)


@cache
def _renderer(name: str, colour: str, stroke: float) -> QSvgRenderer:
    text = (
        _source(name)
        .replace("currentColor", colour)
        .replace('stroke-width="1.5"', f'stroke-width="{stroke}"')
    )
    return QSvgRenderer(QByteArray(text.encode()))


def paint_icon(painter: QPainter, name: str, rect: QRectF, colour: QColor) -> None:
    """Draw an icon into a square. At 16 px and below the stroke is widened so that it
    stays 1.4 px.
    """
    stroke = 2.1 if rect.width() <= 16 else 1.5
    _renderer(name, colour.name(), stroke).render(painter, rect)


@cache
def icon_pixmap(name: str, colour: str, size: int, ratio: float) -> QPixmap:
    pixmap = QPixmap(round(size * ratio), round(size * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_icon(painter, name, QRectF(0, 0, size, size), QColor(colour))
    painter.end()
    return pixmap


class _Engine(QIconEngine):
    """Paints with the present theme, so that icons need not be set again when it
    changes.
    """

    def __init__(self, name: str, look: Look, role: str) -> None:
        super().__init__()
        self._name = name
        self._look = look
        self._role = role

    def clone(self) -> QIconEngine:
        return _Engine(self._name, self._look, self._role)

    def paint(
        self, painter: QPainter, rect: object, mode: QIcon.Mode, state: QIcon.State
    ) -> None:
        _paint_in(painter, QRectF(rect), self._name, self._colour(mode), mode)  # type: ignore[call-overload]

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        return _engine_pixmap(
            self._name, self._colour(mode), size.width(), size.height(), mode
        )

    def _colour(self, mode: QIcon.Mode) -> str:
        theme: Theme = self._look.theme
        if mode == QIcon.Mode.Disabled:
            colour: QColor = theme.text3
        else:
            colour = getattr(theme, self._role)
        return colour.name()


def _paint_in(
    painter: QPainter, area: QRectF, name: str, colour: str, mode: QIcon.Mode
) -> None:
    side = min(area.width(), area.height())
    # In the middle of the height, but on the left of a wide area, which is an icon and
    # the gap before the text of a button that Qt does not leave.
    square = QRectF(area.left(), area.center().y() - side / 2, side, side)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if mode == QIcon.Mode.Disabled:
        painter.setOpacity(0.45)
    paint_icon(painter, name, square, QColor(colour))
    painter.restore()


@cache  # because a window paints its buttons with each superstep
def _engine_pixmap(
    name: str, colour: str, width: int, height: int, mode: QIcon.Mode
) -> QPixmap:
    pixmap = QPixmap(width, height)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    _paint_in(painter, QRectF(pixmap.rect()), name, colour, mode)
    painter.end()
    return pixmap


def themed_icon(name: str, look: Look, role: str = "text2") -> QIcon:
    """Return a QIcon that follows the theme; `role` is a colour of `Theme`."""
    return QIcon(_Engine(name, look, role))
