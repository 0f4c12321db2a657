"""Frames and notes, which are under everything else: how they look, and what is where.

They have no colour of their own choosing: colour on the canvas means state or
selection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPolygonF

from designer.canvas.drawing.geometry import around
from designer.canvas.drawing.style import COMPACT, Style, elided, fonts
from designer.model.frames import LEAST, Frame, frames_of
from designer.model.names import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from designer.model.design import Design

HEAD = 28.0  # the strip of a frame that has its title, and by which it is dragged
# beside and above words
PAD = 12.0
ABOVE = 10.0
FOLD = 14.0  # the corner of a note
RADIUS = 8.0
# Below this zoom words keep their size on the screen: smaller ones could not be read.
READABLE = 0.9
GRIP = 6.0  # pixels of the screen on both sides of a border
NOTE = (200.0, 96.0)
WRAPPED = (
    Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
)
Sides = frozenset[Literal["left", "top", "right", "bottom"]]


def cursor_of(sides: Sides) -> Qt.CursorShape:
    """Return the shape of the pointer that moves these sides, or the whole."""
    if not sides:
        return Qt.CursorShape.SizeAllCursor
    if sides in ({"left"}, {"right"}):
        return Qt.CursorShape.SizeHorCursor
    if sides in ({"top"}, {"bottom"}):
        return Qt.CursorShape.SizeVerCursor
    if sides in ({"left", "top"}, {"right", "bottom"}):
        return Qt.CursorShape.SizeFDiagCursor
    return Qt.CursorShape.SizeBDiagCursor


class Backdrop:
    """Follows the frames of a design; `preview` has the rectangles of those that are
    being dragged.
    """

    def __init__(self) -> None:
        self.frames: dict[str, Frame] = {}
        self.preview: dict[str, QRectF] = {}
        self._made_of: object = None

    def follow(self, design: Design) -> bool:
        """Take over the frames of a design. Return whether anything looks different
        now.
        """
        dragged = bool(self.preview)
        self.preview.clear()
        if design.layout_extra is self._made_of:
            return dragged
        self._made_of = design.layout_extra
        frames = {frame.id: frame for frame in sorted(frames_of(design), key=_depth)}
        changed = list(frames.values()) != list(self.frames.values())
        self.frames = frames
        return changed or dragged

    def rect(self, key: str) -> QRectF:
        return self.preview.get(key) or QRectF(*self.frames[key].rect)

    def rects(self, ids: Collection[str] | None = None) -> list[QRectF]:
        return [self.rect(key) for key in self.frames if ids is None or key in ids]

    def inside(self, band: QRectF) -> frozenset[str]:
        """Return those that are wholly in a rectangle: so a rubber band can select what
        is on a frame without the frame.
        """
        return frozenset(key for key in self.frames if band.contains(self.rect(key)))

    # --- what a point means -----------------------------------------------------------

    def at(self, point: QPointF, zoom: float) -> str:
        """Return the topmost one whose border, title or text is at a point, or "".

        The middle of a frame counts as empty canvas.
        """
        reach = GRIP / zoom
        for key in reversed(self.frames):
            rect = self.rect(key)
            if not rect.adjusted(-reach, -reach, reach, reach).contains(point):
                continue
            head = QRectF(
                rect.topLeft(), QSizeF(rect.width(), max(HEAD, HEAD * READABLE / zoom))
            )
            on_border = not rect.adjusted(reach, reach, -reach, -reach).contains(point)
            if on_border or self.frames[key].kind == "note" or head.contains(point):
                return key
        return ""

    def sides_at(self, key: str, point: QPointF, zoom: float) -> Sides:
        """Return the sides that a drag from a point moves; none where it moves all of
        it.
        """
        rect = self.rect(key)
        reach = GRIP / zoom
        sides: set[Literal["left", "top", "right", "bottom"]] = set()
        if abs(point.x() - rect.left()) <= reach:
            sides.add("left")
        elif abs(point.x() - rect.right()) <= reach:
            sides.add("right")
        if abs(point.y() - rect.top()) <= reach:
            sides.add("top")
        elif abs(point.y() - rect.bottom()) <= reach:
            sides.add("bottom")
        return frozenset(sides)

    # --- painting ---------------------------------------------------------------------

    def paint(
        self,
        painter: QPainter,
        style: Style,
        exposed: QRectF,
        selection: Collection[str],
    ) -> None:
        """Paint all frames. The scale of the painter decides how much there is room
        for.
        """
        zoom = painter.worldTransform().m11()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
        for key, frame in self.frames.items():
            rect = self.rect(key)
            if rect.adjusted(-4, -4, 4, 4).intersects(exposed):
                _paint_ground(painter, style, frame, rect, selected=key in selection)
                if frame.kind == "frame":
                    _paint_title(painter, style, frame, rect, zoom)
                elif zoom > COMPACT:
                    _paint_text(painter, style, frame, rect, zoom)


def _depth(frame: Frame) -> tuple[bool, float]:
    """Return what to sort by, so that what lies deeper comes first: a frame may be
    around another one, and a note lies on all of them.
    """
    return frame.kind == "note", -frame.rect[2] * frame.rect[3]


def _paint_ground(
    painter: QPainter, style: Style, frame: Frame, rect: QRectF, *, selected: bool
) -> None:
    painter.setPen(style.pen("accent", 1.5) if selected else style.pen("line2"))
    painter.setBrush(style.brush("panel" if frame.kind == "frame" else "raised"))
    inner = rect.adjusted(0.5, 0.5, -0.5, -0.5)
    if frame.kind == "frame":
        painter.drawRoundedRect(inner, RADIUS, RADIUS)
    else:
        right = inner.right()
        top = inner.top()
        fold = [
            QPointF(right - FOLD, top),
            QPointF(right - FOLD, top + FOLD),
            QPointF(right, top + FOLD),
        ]
        corners = [
            inner.topLeft(),
            fold[0],
            fold[2],
            inner.bottomRight(),
            inner.bottomLeft(),
        ]
        painter.drawPolygon(QPolygonF(corners))
        painter.drawPolyline(QPolygonF(fold))
    if selected:
        painter.setPen(style.ring())
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(
            rect.adjusted(-2.5, -2.5, 2.5, 2.5), RADIUS + 3, RADIUS + 3
        )


def _paint_title(
    painter: QPainter, style: Style, frame: Frame, rect: QRectF, zoom: float
) -> None:
    """Paint a title that can be read from afar, because one finds the way by it."""
    scale = min(1.0, zoom / READABLE)
    words = elided(
        one_line(frame.text),
        "title",
        int((rect.width() - 2 * PAD) * scale),
        middle=False,
    )
    painter.save()
    painter.translate(rect.left() + PAD * min(1.0, scale * 2), rect.top())
    painter.scale(1 / scale, 1 / scale)
    painter.setPen(style.colour("text2"))
    painter.setFont(fonts().title)
    painter.drawText(QPointF(0, 19), words)
    painter.restore()


def _paint_text(
    painter: QPainter, style: Style, frame: Frame, rect: QRectF, zoom: float
) -> None:
    """Paint as many whole lines as there is room for."""
    scale = min(1.0, zoom / READABLE)
    line = QFontMetricsF(fonts().words).lineSpacing()
    width = (rect.width() - 2 * PAD) * scale
    height = (rect.height() - 2 * ABOVE) * scale
    painter.save()
    painter.translate(rect.left() + PAD, rect.top() + ABOVE)
    painter.scale(1 / scale, 1 / scale)
    room = QRectF(0, 0, width, max(line, height - height % line))
    painter.setClipRect(room, Qt.ClipOperation.IntersectClip)
    painter.setPen(style.colour("text"))
    painter.setFont(fonts().words)
    painter.drawText(room, WRAPPED, frame.text)
    painter.restore()


def height_of(text: str, width: float) -> float:
    """Return the height that a note of this width needs for a text."""
    metrics = QFontMetricsF(fonts().words)
    area = metrics.boundingRect(
        QRectF(0, 0, width - 2 * PAD, 1e5), WRAPPED, text or " "
    )
    return max(LEAST[1], float(-(-(area.height() + 2 * ABOVE) // 8) * 8))


def frame_around(rects: Mapping[str, QRectF]) -> QRectF:
    """Return the rectangle of a frame around these, with room for its title."""
    return around(rects.values()).adjusted(-24, -24 - HEAD, 24, 24)
