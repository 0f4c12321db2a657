"""Pens, brushes, fonts, measured text and small pictures, made once and kept.

What pays for it: `python -m tests.benchmarks.window --only canvas5000`, rows "pan at
1:1, everything painted" and "zoom, worst step". To make a pen, shape a text or fill a
rounded path costs more than to paint it: with five hundred nodes in view nothing of
that may happen in a paint call. So pens and brushes are kept by their colour and shape,
texts once they are shaped, and boxes, ports and badges as pictures of as many pixels as
they cover.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPdfWriter,
    QPen,
    QPixmap,
    QStaticText,
)
from PySide6.QtSvg import QSvgGenerator

from designer.look.fonts import data_font, ui_font
from designer.look.theme import Theme, ThemeName, load_theme, mix

# zoom above which a node is drawn full, and above which it is drawn compact
FULL = 0.70
COMPACT = 0.35
# zoom below which arrow heads and ports that say nothing are under three pixels, and
# left out
HEADS = 0.5
GRID = 24
TILE = 256  # device pixels that a tile of the grid has at least
PenKey = tuple[str, float, str]  # role, width, dash


@dataclass(frozen=True)
class Fonts:
    """The texts of the canvas; sizes in logical pixels as the look names them."""

    title: QFont
    words: QFont
    tag: QFont
    badge: QFont
    data: QFont
    caption: QFont


@cache
def fonts() -> Fonts:
    medium = QFont.Weight.Medium
    strong = QFont.Weight.DemiBold
    return Fonts(
        title=ui_font(13, strong),
        words=ui_font(11.5),
        tag=ui_font(11.5, medium),
        badge=ui_font(11, strong),
        data=data_font(11),
        caption=ui_font(11),
    )


@cache
def _metrics(font_key: str) -> QFontMetricsF:
    return QFontMetricsF(getattr(fonts(), font_key))


@lru_cache(maxsize=20_000)
def text_width(text: str, font: str = "title") -> float:
    """Return the width of a text in one of `Fonts`, in logical pixels."""
    return _metrics(font).horizontalAdvance(text)


@lru_cache(maxsize=20_000)
def elided(text: str, font: str, width: int, *, middle: bool = True) -> str:
    """Return the text cut to a width, in the middle or at its end."""
    # Most texts fit, and their width is kept; the room is another at every zoom.
    if text_width(text, font) <= width:
        return text
    mode = Qt.TextElideMode.ElideMiddle if middle else Qt.TextElideMode.ElideRight
    return _metrics(font).elidedText(text, mode, max(width, 0))


@lru_cache(maxsize=20_000)
def _static(text: str, font: str) -> tuple[QStaticText, float]:
    static = QStaticText(text)
    static.setTextFormat(Qt.TextFormat.PlainText)
    static.prepare(font=getattr(fonts(), font))
    return static, _metrics(font).ascent()


def draw_text(
    painter: QPainter, x: float, baseline: float, text: str, font: str
) -> None:
    """Paint a text in one of `Fonts`, in the colour of the pen.

    It is shaped once and kept, because shaping is most of what a text costs.
    """
    static, ascent = _static(text, font)
    painter.setFont(getattr(fonts(), font))
    painter.drawStaticText(QPointF(x, baseline - ascent), static)


@lru_cache(maxsize=20_000)
def _cut(text: str, width: int) -> tuple[QStaticText, float]:
    return _static(elided(text, "tag", width, middle=False), "tag")


def draw_cut(
    painter: QPainter, x: float, baseline: float, text: str, width: int
) -> None:
    """Paint a text in the font of tags, cut at its end to a width."""
    static, ascent = _cut(text, width)
    painter.setFont(fonts().tag)
    painter.drawStaticText(QPointF(x, baseline - ascent), static)


@dataclass
class Style:
    """The colours of a theme, with pens and brushes that are kept by colour and shape."""

    theme: Theme
    _pens: dict[tuple[str, float, str], QPen] = field(default_factory=dict)
    _brushes: dict[str, QBrush] = field(default_factory=dict)
    _mixed: dict[tuple[str, str, float], QColor] = field(default_factory=dict)

    def colour(self, role: str) -> QColor:
        colour: QColor = getattr(self.theme, role)
        return colour

    def mixed(self, role: str, into: str, share: float) -> QColor:
        key = (role, into, share)
        if key not in self._mixed:
            self._mixed[key] = mix(self.colour(role), self.colour(into), share)
        return self._mixed[key]

    def pen(self, role: str, width: float = 1.0, dash: str = "") -> QPen:
        """Return a pen. `dash` has lengths in logical pixels, such as "4 3"; "" is
        solid.
        """
        key = (role, width, dash)
        pen = self._pens.get(key)
        if pen is None:
            pen = self._pens[key] = _pen(self.colour(role), width, dash)
        return pen

    def hairline(self, role: str) -> QPen:
        """Return a pen of one pixel at every zoom, several times as fast as a wider
        one.
        """
        key = (role, 0.0, "")
        if key not in self._pens:
            self._pens[key] = _pen(self.colour(role), 1.0, "")
            self._pens[key].setCosmetic(True)
        return self._pens[key]

    def ring(self) -> QPen:
        """Return the pen of the ring around what is selected: accent, 45 % into the
        canvas.
        """
        key = ("ring", 1.0, "")
        if key not in self._pens:
            self._pens[key] = _pen(self.mixed("accent", "canvas", 0.45), 1.0, "")
        return self._pens[key]

    def brush(self, role: str) -> QBrush:
        brush = self._brushes.get(role)
        if brush is None:
            brush = self._brushes[role] = QBrush(self.colour(role))
        return brush


def _pen(colour: QColor, width: float, dash: str) -> QPen:
    pen = QPen(colour, width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    # Round joins would be made at every step of a flattened curve: twice the time of a
    # stroke.
    pen.setJoinStyle(Qt.PenJoinStyle.BevelJoin)
    if dash:
        pen.setDashPattern([float(part) / max(width, 0.1) for part in dash.split()])
    return pen


@lru_cache(maxsize=512)
def rounded(
    width: float, height: float, radius: float, inset: float = 0.5
) -> QPainterPath:
    """Return a rounded box at the origin, with its border on half pixels."""
    path = QPainterPath()
    path.addRoundedRect(
        QRectF(inset, inset, width - 2 * inset, height - 2 * inset), radius, radius
    )
    return path


def paint_grid(painter: QPainter, theme: Theme, exposed: QRectF, zoom: float) -> None:
    """Paint the ground: dots of 1.5 px every 24 px, or every 48 px when they would be
    close.

    It is one picture of many dots, repeated: thousands of dots in each frame would cost
    more than the nodes. The picture has whole pixels of the screen, so at odd zooms the
    dots are not exactly on the grid, which cannot be seen.
    """
    transform = painter.worldTransform()
    device = painter.device()
    ratio = device.devicePixelRatio() if device is not None else 1.0
    pixels = max(8, round((GRID if zoom > FULL else GRID * 2) * zoom * ratio))
    area = transform.mapRect(exposed)
    side = pixels / ratio
    painter.save()
    painter.resetTransform()
    offset = QPointF(
        (area.left() - transform.dx()) % side, (area.top() - transform.dy()) % side
    )
    painter.drawTiledPixmap(
        area, _tile(theme.canvas.name(), theme.dot.name(), pixels, ratio), offset
    )
    painter.restore()


@lru_cache(maxsize=16)
def _tile(ground: str, dot: str, pixels: int, ratio: float) -> QPixmap:
    """Return a picture of many dots: to paint a few pixels costs as much as thousands."""
    many = -(-TILE // pixels)
    tile = QPixmap(many * pixels, many * pixels)
    tile.fill(QColor(ground))
    tile.setDevicePixelRatio(ratio)
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(dot))
    for place in range(many * many):
        x = place % many * pixels / ratio
        y = place // many * pixels / ratio
        painter.drawEllipse(QRectF(x + 0.25, y + 0.25, 1.5, 1.5))
    painter.end()
    return tile


def is_vector(painter: QPainter) -> bool:
    """Return whether shapes stay shapes there, where the pictures that are fast on a
    screen would be coarse.
    """
    return isinstance(painter.device(), QPdfWriter | QSvgGenerator)


def set_picture(
    painter: QPainter, x: float, y: float, picture: Callable[[float, float], QPixmap]
) -> None:
    """Paint a picture with its corner at (x, y), sharp at every zoom.

    It has as many pixels as it covers, and is on whole ones. `picture` makes it, from
    how many pixels are one of the painter's and one of the device's.
    """
    transform = painter.worldTransform()
    device = painter.device()
    ratio = device.devicePixelRatio() if device is not None else 1.0
    corner = transform.map(QPointF(x, y))
    painter.resetTransform()
    place = QPointF(
        round(corner.x() * ratio) / ratio, round(corner.y() * ratio) / ratio
    )
    painter.drawPixmap(place, picture(round(transform.m11() * ratio, 3), ratio))
    painter.setWorldTransform(transform)


def picture_of(
    width: float, height: float, scale: float, ratio: float
) -> tuple[QPixmap, QPainter]:
    """Return an empty picture for `set_picture`, and a painter with the scene's pixels."""
    picture = QPixmap(math.ceil(width * scale), math.ceil(height * scale))
    picture.fill(Qt.GlobalColor.transparent)
    picture.setDevicePixelRatio(ratio)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(scale / ratio, scale / ratio)
    return picture, painter


# px around a body's picture, for the half of its border that lies outside
BODY_ROOM = 2


def body_picture(
    style: Style,
    size: tuple[float, float],
    scale: float,
    pen: PenKey,
    fill: str,
    ratio: float,
) -> QPixmap:
    """Return the box of a node, in as many pixels as it covers.

    To paint a rounded path costs ten times as much as its picture.
    """
    width = round(size[0] * scale)
    height = round(size[1] * scale)
    return _body(style.theme.name, width, height, scale, pen, fill, ratio)


@lru_cache(maxsize=400)
def _body(
    theme: ThemeName,
    width: int,
    height: int,
    scale: float,
    pen: PenKey,
    fill: str,
    ratio: float,
) -> QPixmap:
    picture = QPixmap(width + 2 * BODY_ROOM, height + 2 * BODY_ROOM)
    picture.fill(Qt.GlobalColor.transparent)
    style = Style(load_theme(theme))
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    role, line, dash = pen
    painter.setPen(
        style.pen(
            role,
            max(line * scale, 1.0),
            " ".join(str(float(part) * scale) for part in dash.split()),
        )
    )
    painter.setBrush(style.brush(fill))
    # so that a border of one logical pixel fills whole ones
    half = max(round(scale), 1) / 2
    area = QRectF(
        BODY_ROOM + half, BODY_ROOM + half, width - 2 * half, height - 2 * half
    )
    painter.drawRoundedRect(area, 8 * scale, 8 * scale)
    painter.end()
    picture.setDevicePixelRatio(ratio)
    return picture


def port_picture(style: Style, scale: float) -> QPixmap:
    """Return a port without a state: a ring of 8 px and 1.5 wide around its middle."""
    return _port(style.theme.name, round(scale, 3))


@lru_cache(maxsize=100)
def _port(theme: ThemeName, scale: float) -> QPixmap:
    side = round(9.5 * scale) + 2
    picture = QPixmap(side, side)
    picture.fill(Qt.GlobalColor.transparent)
    style = Style(load_theme(theme))
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(style.pen("edge", 1.5 * scale))
    painter.setBrush(style.brush("node"))
    painter.drawEllipse(QPointF(side / 2, side / 2), 4 * scale, 4 * scale)
    painter.end()
    return picture
