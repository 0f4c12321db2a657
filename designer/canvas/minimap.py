"""A small overview of the drawing: a kept picture, over which the frame of the view
moves.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from designer.canvas.drawing.scene import CanvasScene
from designer.canvas.drawing.style import rounded
from designer.look.theme import mix

SIZE = QSize(178, 110)
INNER = 12.0


class MiniMap(QWidget):
    """`moved` carries the place of the scene that goes into the middle of the view."""

    moved = Signal(QPointF)

    def __init__(self, scene: CanvasScene, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(SIZE)
        self.setAccessibleName("Overview of the drawing")
        self._scene = scene
        self._picture: QPixmap | None = None
        self._frame = QRectF()
        scene.content_changed.connect(self.forget)

    def forget(self) -> None:
        """Paint the picture again when it is next shown."""
        self._picture = None
        if self.isVisible():
            self.update()

    def set_frame(self, frame: QRectF) -> None:
        """Frame the part of the scene that is in view."""
        if frame != self._frame:
            self._frame = frame
            if self.isVisible():
                self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        style = self._scene.style_
        painter.setPen(style.pen("line2"))
        painter.setBrush(style.brush("panel"))
        painter.drawPath(rounded(self.width(), self.height(), 6))
        self._paint_frame(painter, filled=True)
        if (
            self._picture is None
            or self._picture.devicePixelRatio() != self.devicePixelRatio()
        ):
            self._picture = self._draw()
        painter.drawPixmap(0, 0, self._picture)
        self._paint_frame(painter, filled=False)
        painter.end()

    def _paint_frame(self, painter: QPainter, *, filled: bool) -> None:
        scale, offset = self._transform()
        frame = QRectF(
            self._frame.topLeft() * scale + offset, self._frame.size() * scale
        )
        frame = frame.intersected(QRectF(6, 6, self.width() - 12, self.height() - 12))
        theme = self._scene.style_.theme
        painter.setPen(QPen(theme.accent, 1) if not filled else Qt.PenStyle.NoPen)
        painter.setBrush(
            mix(theme.accent, theme.panel, 0.08) if filled else Qt.BrushStyle.NoBrush
        )
        painter.drawRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)

    def _transform(self) -> tuple[float, QPointF]:
        area = self._scene.drawing_rect().adjusted(-60, -60, 60, 60)
        scale = min(
            (self.width() - 2 * INNER) / area.width(),
            (self.height() - 2 * INNER) / area.height(),
            0.2,
        )
        return scale, QPointF(
            self.width() / 2, self.height() / 2
        ) - area.center() * scale

    def _draw(self) -> QPixmap:
        ratio = self.devicePixelRatio()
        picture = QPixmap(SIZE * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        scale, offset = self._transform()
        painter.translate(offset)
        painter.scale(scale, scale)
        self._draw_boxes(painter, 2 / scale)
        painter.end()
        return picture

    def _draw_boxes(self, painter: QPainter, radius: float) -> None:
        scene = self._scene
        painter.setBrush(scene.style_.brush("hover"))
        for rect in scene.backdrop.rects():
            painter.drawRoundedRect(rect, radius, radius)
        painter.setBrush(scene.style_.brush("line2"))
        for figure in scene.edges.figures.values():
            if figure.segments:
                painter.drawRect(figure.segments[0].united(figure.segments[-1]))
        for item in scene.nodes.values():
            role = "accent" if item.selected else "line2"
            if item.face is not None and item.face.colour in ("bad", "ask", "warn"):
                role = item.face.colour
            faint = item.off and role == "line2"
            painter.setBrush(
                scene.style_.mixed("line2", "panel", 0.4)
                if faint
                else scene.style_.brush(role)
            )
            rect = item.box.rect
            if item.box.diamond:
                centre = rect.center()
                corners = ((0, -30), (30, 0), (0, 30), (-30, 0))
                painter.drawPolygon(
                    [QPointF(centre.x() + x, centre.y() + y) for x, y in corners]
                )
            else:
                painter.drawRoundedRect(rect, radius, radius)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        scale, offset = self._transform()
        self.moved.emit((event.position() - offset) / scale)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.mousePressEvent(event)
