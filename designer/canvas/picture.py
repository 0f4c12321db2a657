"""The whole drawing as a picture, for files and the clipboard."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage, QPainter

from designer.canvas.marks import paint_marks
from designer.canvas.near import paint_near
from designer.canvas.scene import CanvasScene
from designer.canvas.style import FULL

ROOM = 32


def render_image(scene: CanvasScene, scale: float) -> QImage:
    """`scale` is pixels of the picture for one of the scene; 1 x 1 when there is nothing to draw."""
    area = scene.drawing_rect().adjusted(-ROOM, -ROOM, ROOM, ROOM)
    size = (area.size() * scale).toSize() if scene.nodes else QSize(1, 1)
    image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(scene.style_.theme.canvas)
    painter = QPainter(image)
    painter.scale(scale, scale)
    painter.translate(-area.topLeft())
    paint_near(painter, scene, area)
    if scale > FULL:
        paint_marks(painter, scene.style_, scene.marks, area, scale, 1.0)
    painter.end()
    return image
