"""The whole drawing as a picture for files and the clipboard: pixels, SVG or PDF."""

from __future__ import annotations

import re
from html import unescape

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRectF, QSize
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QImage,
    QPageSize,
    QPaintDevice,
    QPainter,
    QPdfWriter,
)
from PySide6.QtSvg import QSvgGenerator

from designer.canvas.drawing.close_up import paint_close_up
from designer.canvas.drawing.marks import paint_marks
from designer.canvas.drawing.scene import CanvasScene
from designer.canvas.drawing.style import FULL
from designer.look.fonts import DATA_FAMILY, data_font, ui_font
from runtime.errors import DefinitionError

ROOM = 32
# of a PNG: what Qt can paint, and one gigabyte
LONGEST_SIDE = 32_000
MOST_PIXELS = 250_000_000
_RESOLUTION = 96  # pixels of the scene in an inch of paper
# characters that XML does not have
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TEXT = re.compile(
    r'font-family="([^"]*)" font-size="([0-9.]+)" font-weight="([0-9]+)"([^<>]*)>([^<]*)</text>'
)


def picture_area(scene: CanvasScene) -> QRectF:
    """Return what a picture shows: the drawing with room around it, or one pixel."""
    if scene.nodes or scene.backdrop.frames:
        return scene.drawing_rect().adjusted(-ROOM, -ROOM, ROOM, ROOM)
    return QRectF(0, 0, 1, 1)


def render_image(scene: CanvasScene, scale: float) -> QImage:
    """Return the drawing as an image, with `scale` pixels for each of the scene.

    It is 1 x 1 when there is nothing to draw, and null when there is not enough memory.
    """
    area = picture_area(scene)
    image = QImage(
        (area.size() * scale).toSize().expandedTo(QSize(1, 1)),
        QImage.Format.Format_ARGB32_Premultiplied,
    )
    if not image.isNull():
        image.fill(scene.style_.theme.canvas)
        _paint(image, scene, area, scale)
    return image


def image_for_file(scene: CanvasScene, scale: float) -> QImage:
    """Return an image as `render_image` does, without alpha, which a file does not
    need.

    Raise `DefinitionError` for one that is too large.
    """
    area = picture_area(scene)
    width = round(area.width() * scale)
    height = round(area.height() * scale)
    fits = max(width, height) <= LONGEST_SIDE and width * height <= MOST_PIXELS
    image = render_image(scene, scale) if fits else QImage()
    if image.isNull():
        raise DefinitionError(
            f"A picture of {width} x {height} pixels is too large for PNG. Choose a smaller scale, or SVG or PDF."
        )
    return image.convertToFormat(QImage.Format.Format_RGB32)


def png_of(image: QImage) -> bytes:
    """Return a PNG file of an image.

    Any thread may do it; for a hundred million pixels it takes seconds.
    """
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    buffer.close()
    return bytes(content.data())


def render_svg(scene: CanvasScene, title: str) -> bytes:
    """Return an SVG file as large as the drawing. Its texts are text, in our fonts
    where those are installed.
    """
    area = picture_area(scene)
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture = QSvgGenerator()
    picture.setOutputDevice(buffer)
    picture.setTitle(title)
    picture.setResolution(_RESOLUTION)
    picture.setSize(area.size().toSize())
    picture.setViewBox(QRectF(0, 0, area.width(), area.height()))
    _paint(picture, scene, area, 1.0, ground=True)
    buffer.close()
    svg = _NO_XML.sub("\ufffd", bytes(content.data()).decode(errors="replace"))
    # In pixels: Qt writes millimetres, of which browsers and Qt itself do not make the
    # same number.
    svg = re.sub(
        r'width="[^"]*" height="[^"]*"',
        f'width="{area.width():g}" height="{area.height():g}"',
        svg,
        count=1,
    )
    return _TEXT.sub(_with_length, svg).encode()


def _with_length(text: re.Match[str]) -> str:
    """Return a text that is as wide as here also where another font takes the place of
    ours.
    """
    family, size, weight, tail, words = text.groups()
    data = family == DATA_FAMILY
    if data:
        font = data_font(round(float(size)))
    else:
        font = ui_font(float(size), QFont.Weight(int(weight)))
    width = QFontMetricsF(font).horizontalAdvance(unescape(words))
    return (
        f'font-family="{family}, {"monospace" if data else "sans-serif"}" font-size="{size}" font-weight="{weight}"'
        f'{tail.rstrip()} textLength="{width:.2f}" lengthAdjust="spacingAndGlyphs">{words}</text>'
    )


def render_pdf(scene: CanvasScene, title: str, attachment: tuple[str, bytes]) -> bytes:
    """Return a PDF file of one page as large as the drawing, with a file attached to
    it.
    """
    area = picture_area(scene)
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture = QPdfWriter(buffer)
    picture.setTitle(title)
    picture.setCreator("Stepwell")
    picture.setResolution(_RESOLUTION)
    picture.setPageSize(
        QPageSize(area.size() * (72 / _RESOLUTION), QPageSize.Unit.Point)
    )
    picture.setPageMargins(QMarginsF())
    picture.addFileAttachment(
        attachment[0], QByteArray(attachment[1]), "application/json"
    )
    _paint(picture, scene, area, 1.0, ground=True)
    buffer.close()
    return bytes(content.data())


def _paint(
    device: QPaintDevice,
    scene: CanvasScene,
    area: QRectF,
    scale: float,
    *,
    ground: bool = False,
) -> None:
    painter = QPainter(device)
    if ground:
        painter.fillRect(
            QRectF(0, 0, area.width(), area.height()), scene.style_.theme.canvas
        )
    painter.scale(scale, scale)
    painter.translate(-area.topLeft())
    scene.backdrop.paint(painter, scene.style_, area, scene.selection)
    paint_close_up(painter, scene, area)
    if scale > FULL:
        paint_marks(painter, scene.style_, scene.marks, area, scale, 1.0)
    painter.end()
