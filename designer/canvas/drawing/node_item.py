"""One node, which paints itself in three levels of detail. What it shows is set on it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap, QPolygonF

from designer.canvas.drawing.disabled import off_face
from designer.canvas.drawing.geometry import LABEL_MAX, PAD, TEXT_X, Box
from designer.canvas.drawing.glyphs import (
    arrow_head,
    paint_arc,
    paint_flat_icon,
    paint_glyph,
    paint_zoomed_icon,
)
from designer.canvas.drawing.overlay import Face
from designer.canvas.drawing.style import (
    BODY_ROOM,
    FULL,
    HEADS,
    Style,
    body_picture,
    draw_cut,
    draw_text,
    elided,
    is_vector,
    picture_of,
    port_picture,
    rounded,
    set_picture,
    text_width,
)
from designer.look.theme import ThemeName, load_theme
from runtime.document.definition import Off

PORT = 4.0
EDGE_ROOM = 16.0  # around the box: ring, ports, focus ring
# Badges keep their size on the screen, so they grow in the scene, up to 1 / 35 %.
BADGE_ABOVE = 44.0
BADGE_LEFT = 80.0
DIAMOND_SHAPE = QPolygonF(
    [QPointF(22, 0), QPointF(44, 22), QPointF(22, 44), QPointF(0, 22)]
)
_AA = QPainter.RenderHint.Antialiasing


class NodeItem:
    """Paints with its origin at the top left corner of the box.

    `repaint` takes the area to paint again, in scene pixels. It is no item of Qt's
    scene: the canvas paints and finds nodes by its own grid (see `close_up`), and
    thousands of items, each in the index of Qt's scene, would only make opening and
    moving slower.
    """

    def __init__(
        self, box: Box, style: Style, repaint: Callable[[QRectF], None]
    ) -> None:
        self.style = style
        self._repaint = repaint
        self.id = box.id
        self.title = ""
        self.icon = "box"
        self.summary = ""
        # A diamond with a switch leaves its title to the figure of the switch.
        self.titled = True
        self.start = False
        self.off: Off = ""
        self.face: Face | None = None  # its state in a run; None while editing
        self.problems = (0, 0)  # errors, warnings
        self.selected = self.hovered = self.focused = False
        # what it is for the wire that is being drawn: "", accept, in, out
        self.port = ""
        self.clock_ms = 0
        self.box = box

    def place(self, box: Box) -> None:
        """Move it, and paint where it was and is."""
        self.update()
        self.box = box
        self.update()

    def area(self) -> QRectF:
        """Return where it may paint, in scene pixels."""
        right, below = 0.0, 0.0
        if self.box.diamond:
            right, below = LABEL_MAX - self.box.rect.width(), 4.0
        return self.box.rect.adjusted(
            -BADGE_LEFT, -BADGE_ABOVE, EDGE_ROOM + right, EDGE_ROOM + below
        )

    @property
    def shown(self) -> Face | None:
        """The state that it shows: that of the run, or that it is disabled or bypassed."""
        return off_face(self.off, self.face, self.summary) if self.off else self.face

    @property
    def _muted(self) -> bool:
        face = self.shown
        return face is not None and face.muted

    def update(self, part: QRectF | None = None) -> None:
        """Paint it again, or a part of it, which is relative to the corner of the box."""
        if part is None:
            self._repaint(self.area())
        else:
            self._repaint(part.translated(self.box.rect.topLeft()))

    # --- painting ---------------------------------------------------------------------

    def paint_here(self, painter: QPainter) -> None:
        """Paint with the origin of the painter at the corner of the box."""
        painter.setRenderHint(_AA, on=True)
        transform = painter.worldTransform()
        zoom = transform.m11()
        if self.box.diamond:
            self._paint_diamond(painter, zoom)
        elif is_vector(painter):
            self._paint_shapes(painter)
        else:
            device = painter.device()
            painter.resetTransform()
            ratio = device.devicePixelRatio() if device is not None else 1.0
            self._paint_flat(painter, transform.dx(), transform.dy(), zoom, ratio)
            painter.setWorldTransform(transform)
            self._paint_rings(painter)
            if zoom > FULL:
                self._paint_full(painter)
            if not self._has_plain_ports:
                self._paint_ports(painter)
        if self.start:
            self.paint_start(painter, zoom)
        self._paint_badges(painter, min(1.0, zoom))

    def _paint_shapes(self, painter: QPainter) -> None:
        """Paint in full for a file that keeps shapes, at whatever size one looks at it."""
        painter.setPen(self.style.pen(*self._border()))
        painter.setBrush(self.style.brush("canvas" if self._muted else "node"))
        painter.drawPath(rounded(self.box.rect.width(), self.box.rect.height(), 8))
        self._paint_full(painter)
        self._paint_ports(painter)
        if self.start:
            self.paint_start(painter, 1.0)

    def _paint_flat(
        self, painter: QPainter, x: float, y: float, zoom: float, ratio: float
    ) -> None:
        """Paint the box, ports without a state and, when it is compact, its one line.

        The painter is not transformed, because pictures on whole pixels of the screen
        are sharp: (x, y) is where the corner is on the screen.
        """
        self._paint_body(painter, x, y, zoom * ratio, ratio)
        if zoom <= FULL:
            self._paint_compact(painter, x, y, zoom, ratio)
        if zoom > HEADS and self._has_plain_ports:
            self._paint_flat_ports(
                painter, x, y + self.box.rect.height() / 2 * zoom, zoom, ratio
            )

    @property
    def _has_plain_ports(self) -> bool:
        if self.port:
            return False
        return self.face is None or not (self.face.sent or self.face.queued)

    def _paint_flat_ports(
        self, painter: QPainter, x: float, middle: float, zoom: float, ratio: float
    ) -> None:
        picture = port_picture(self.style, zoom * ratio)
        source = QRectF(picture.rect())
        side = picture.width() / ratio
        top = round((middle - side / 2) * ratio) / ratio
        ports = []
        if self.box.takes:
            ports.append(x)
        if self.box.gives:
            ports.append(x + self.box.rect.width() * zoom)
        for port_x in ports:
            port_left = round((port_x - side / 2) * ratio) / ratio
            painter.drawPixmap(QRectF(port_left, top, side, side), picture, source)

    def _border(self) -> tuple[str, float, str]:
        if self.selected:
            return "accent", 1.5, ""
        face = self.shown
        if face is not None and (face.border != "line2" or not self.hovered):
            return face.border, face.width, face.dash
        return ("text3" if self.hovered else "line2"), 1.0, ""

    def _paint_body(
        self, painter: QPainter, x: float, y: float, scale: float, ratio: float
    ) -> None:
        """Paint the box as a picture on whole pixels of the screen."""
        rect = self.box.rect
        size = (rect.width(), rect.height())
        fill = "canvas" if self._muted else "node"
        picture = body_picture(self.style, size, scale, self._border(), fill, ratio)
        corner = QPointF(round(x * ratio) - BODY_ROOM, round(y * ratio) - BODY_ROOM)
        painter.drawPixmap(corner / ratio, picture)

    def _paint_rings(self, painter: QPainter) -> None:
        if not (self.selected or self.focused):
            return
        width = self.box.rect.width()
        height = self.box.rect.height()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.selected:
            painter.setPen(self.style.ring())
            painter.drawPath(rounded(width, height, 11, -2.5))
        if self.focused:
            painter.setPen(self.style.pen("accent", 2, "5 3"))
            painter.drawPath(rounded(width, height, 12, -4))

    def _paint_full(self, painter: QPainter) -> None:
        style = self.style
        width = self.box.rect.width()
        face = self.shown
        if self.off == "bypassed" and self.box.gives:
            self._paint_through(painter)
        muted = face is not None and face.muted
        colour = style.colour("text3" if muted else "text2").name()
        paint_zoomed_icon(painter, self.icon, QRectF(10, 10.5, 18, 18), colour)
        painter.setPen(style.colour("text3" if muted else "text"))
        title = elided(self.title, "title", int(width - TEXT_X - PAD + 2))
        draw_text(painter, TEXT_X, 24.5, title, "title")
        if self.off == "disabled":
            painter.drawLine(
                QPointF(TEXT_X, 20.5),
                QPointF(TEXT_X + text_width(title, "title"), 20.5),
            )
        if face is None:
            self._paint_summary(painter)
        else:
            self._paint_state(painter, face)

    def _paint_through(self, painter: QPainter) -> None:
        """Paint the wire that runs through a bypassed node."""
        middle = self.box.rect.height() / 2
        painter.setPen(self.style.pen("edge", 1.5))
        painter.drawLine(QPointF(0, middle), QPointF(self.box.rect.width(), middle))

    def _paint_summary(self, painter: QPainter) -> None:
        if self.summary:
            painter.setPen(self.style.colour("text2"))
            room = int(self.box.rect.width() - TEXT_X - PAD)
            draw_text(
                painter,
                TEXT_X,
                47.5,
                elided(self.summary, "data", room, middle=False),
                "data",
            )

    def _paint_state(self, painter: QPainter, face: Face) -> None:
        style = self.style
        right = self.box.rect.width() - PAD
        colour = style.colour(face.colour)
        ground = style.colour("canvas" if face.muted else "node")
        if face.glyph == "running":
            painter.save()
            painter.translate(13, 38)
            paint_arc(painter, colour, ground, self.clock_ms)
            painter.restore()
        else:
            paint_glyph(painter, face.glyph, 13, 38, colour, ground)
        painter.setPen(colour)
        room = right - TEXT_X
        words = elided(face.words, "words", int(room), middle=False)
        draw_text(painter, TEXT_X, 48, words, "words")
        detail_room = room - text_width(words, "words") - 8
        if face.detail and detail_room > 14:
            detail = elided(face.detail, "data", int(detail_room), middle=False)
            painter.setPen(style.colour("text2"))
            draw_text(painter, right - text_width(detail, "data"), 48, detail, "data")

    def _paint_compact(
        self, painter: QPainter, x: float, y: float, zoom: float, ratio: float
    ) -> None:
        """Paint icon, title and state in one line at their size on the screen: text
        never gets smaller than 11 px.
        """
        style = self.style
        rect = self.box.rect
        width = rect.width() * zoom
        middle = y + rect.height() * zoom / 2
        text_left = 7.0
        right = width - 7
        if self.shown is not None:
            right -= 12
            self.paint_glyph(painter, x + right, middle - 6)
            right -= 4
        # The icon goes when there is no room for both: the name says more.
        if text_width(self.title, "tag") + 21 <= right - text_left:
            paint_flat_icon(
                painter,
                self.icon,
                (x + text_left, middle - 8),
                16,
                style.colour("text2").name(),
                ratio,
            )
            text_left += 21
        painter.setPen(style.colour("text3" if self._muted else "text"))
        # In steps, so that a turn of the wheel does not cut every title again.
        room = int(right - text_left) // 4 * 4
        draw_cut(painter, x + text_left, middle + 4, self.title, room)
        if self.off == "disabled":
            title = elided(self.title, "tag", room, middle=False)
            start = QPointF(x + text_left, middle)
            painter.drawLine(start, start + QPointF(text_width(title, "tag"), 0))

    def paint_glyph(self, painter: QPainter, x: float, y: float) -> None:
        """Paint the sign of its state at a place."""
        face = self.shown
        if face is None:
            return
        colour = self.style.colour(face.colour)
        ground = self.style.colour("canvas" if face.muted else "node")
        if face.glyph == "running":
            painter.save()
            painter.translate(x, y)
            paint_arc(painter, colour, ground, self.clock_ms)
            painter.restore()
        else:
            paint_glyph(painter, face.glyph, x, y, colour, ground)

    def _paint_diamond(self, painter: QPainter, zoom: float) -> None:
        style = self.style
        role, line, dash = self._border()
        painter.setPen(style.pen(role, line, dash))
        painter.setBrush(style.brush("canvas" if self._muted else "node"))
        painter.drawPolygon(DIAMOND_SHAPE)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.selected or self.focused:
            painter.setPen(
                style.pen("accent", 2, "5 3") if self.focused else style.ring()
            )
            painter.drawPolygon(_grown_diamond(4.5))
        colour = style.colour("accent" if self.selected else "text2")
        if self.icon == "switch":
            paint_glyph(painter, "shuffle", 14, 14, colour, colour, 16)
        else:
            paint_zoomed_icon(painter, self.icon, QRectF(13, 13, 18, 18), colour.name())
        if self.hovered or self.port:
            self._paint_ports(painter)
        if zoom > FULL and self.titled:
            painter.setPen(style.colour("text" if self.selected else "text2"))
            # It begins at the left side, because the bar of a join may be right before
            # it, and is clear of the badge.
            title = elided(self.title, "title", int(LABEL_MAX))
            draw_text(painter, 0, -14, title, "title")
        if (zoom > FULL and self.titled) or (zoom <= FULL and self.off):
            self.paint_glyph(painter, 40, -2)

    def _paint_ports(self, painter: QPainter) -> None:
        middle = self.box.rect.height() / 2
        style = self.style
        if self.box.takes:
            fits = self.port in ("accept", "in")
            is_queued = self.face is not None and self.face.queued > 0
            painter.setPen(style.pen("accent" if fits or is_queued else "edge", 1.5))
            painter.setBrush(style.brush("accent" if self.port == "in" else "node"))
            painter.drawEllipse(QPointF(0, middle), PORT, PORT)
            if fits:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(QPointF(0, middle), 7.5, 7.5)
        if self.box.gives:
            sent = self.face is not None and self.face.sent
            is_lit = sent or self.port == "out"
            painter.setPen(style.pen("accent" if is_lit else "edge", 1.5))
            painter.setBrush(style.brush("accent" if sent else "node"))
            painter.drawEllipse(QPointF(self.box.rect.width(), middle), PORT, PORT)

    def paint_start(self, painter: QPainter, zoom: float) -> None:
        """Paint the arrow where a run begins, above the port, where no wire ends.

        It keeps its size on the screen at every zoom and in every mode.
        """
        quarter = self.box.rect.height() / 4
        scale = min(1.0, zoom)
        painter.save()
        painter.translate(quarter if self.box.diamond else 0.0, quarter)
        painter.scale(1 / scale, 1 / scale)
        painter.setPen(self.style.pen("text2", 1.5))
        painter.drawLine(QPointF(-14, 0), QPointF(-8, 0))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.style.brush("text2"))
        painter.drawPolygon(arrow_head(-2, 0))
        painter.restore()

    def _paint_badges(self, painter: QPainter, zoom: float) -> None:
        """Paint badges at their size on the screen also when the node is smaller,
        because one looks for them from afar.
        """
        if self.face is None and self.problems == (0, 0):
            return
        painter.save()
        is_full = zoom > FULL
        scale = 1.0 if is_full else zoom
        painter.scale(1 / scale, 1 / scale)
        if not is_full:
            # clear of the only line that a small node has
            painter.translate(0, -5)
        right = self.box.rect.width() - 6 + (12 if self.box.diamond else 0)
        self._paint_badge_row(painter, right * scale, words=is_full)
        painter.restore()

    def _paint_badge_row(self, painter: QPainter, right: float, *, words: bool) -> None:
        style = self.style
        if self.face is not None:
            count = self.face.questions
            if count:
                text = f"{count} question{'s' * (count != 1)}" if words else str(count)
                paint_badge(painter, style, right, 0, text, "bubble", "ask")
            return
        errors, warnings = self.problems
        if errors:
            text = str(errors)
            right = paint_badge(painter, style, right, 0, text, "failed", "bad") - 4
        if warnings:
            paint_badge(painter, style, right, 0, str(warnings), "warning", "warn")


def paint_badge(
    painter: QPainter,
    style: Style,
    right: float,
    middle: float,
    text: str,
    glyph: str,
    role: str,
) -> float:
    """Paint a round badge of 18 px that ends at `right` and straddles the line at
    `middle`.

    Return its left side.
    """
    x = right - badge_width(text)
    theme = style.theme.name

    def picture(scale: float, ratio: float) -> QPixmap:
        return _badge(theme, text, glyph, role, scale, ratio)

    set_picture(painter, x, middle - 9, picture)
    return x


def badge_width(text: str) -> int:
    """Return how wide the badge with a text is."""
    return round(text_width(text, "badge")) + 30


@lru_cache(maxsize=300)
def _badge(
    theme: ThemeName, text: str, glyph: str, role: str, scale: float, ratio: float
) -> QPixmap:
    style = Style(load_theme(theme))
    width = badge_width(text)
    picture, painter = picture_of(width, 18, scale, ratio)
    painter.setPen(style.pen(role, 1))
    painter.setBrush(style.brush(role + "Soft"))
    painter.drawRoundedRect(QRectF(0.5, 0.5, width - 1, 17), 8.5, 8.5)
    paint_glyph(painter, glyph, 7, 3, style.colour(role), style.colour(role + "Soft"))
    painter.setPen(style.colour(role))
    draw_text(painter, 22, 13, text, "badge")
    painter.end()
    return picture


def _grown_diamond(by: float) -> QPolygonF:
    return QPolygonF(
        [QPointF(22, -by), QPointF(44 + by, 22), QPointF(22, 44 + by), QPointF(-by, 22)]
    )
