"""Paint the left edge of the timeline strip: the names of the branches, and the
triangles that fold the branches that leave them.
"""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF

from designer.look.fonts import ui_font
from designer.look.icons import paint_icon
from designer.panels.timeline.brush import GUTTER, HEAD
from designer.panels.timeline.drafts import DraftPainter
from designer.panels.timeline.layout import TimelineLayout
from designer.panels.timeline.paint import StripPainter
from designer.panels.timeline.words import folded_caption, lane_caption

TALL = 44  # px of a lane whose name has a second line
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


def triangle_of(layout: TimelineLayout, lane: int, scroll_y: int) -> QRect:
    """Return the place, in the viewport, of the triangle that folds the branches that
    leave a lane; an empty one where no branch leaves it.
    """
    if not layout.branches.forks_of(lane):
        return QRect()
    middle = round(HEAD + layout.lane_y(lane) - scroll_y)
    return QRect(GUTTER - 26, middle - 11, 22, 22)


class GutterPainter:
    """Paints the gutter of a strip with what `StripPainter` knows of the paint event."""

    def __init__(self, strip: StripPainter) -> None:
        self._strip = strip
        self._p = strip.p
        self._theme = strip.theme
        self._layout = strip.layout

    def paint(self) -> None:
        height = self._strip.view.height()
        self._strip.clip(QRect(0, HEAD, GUTTER, height - HEAD), self._paint_names)
        self._paint_corner(height)

    def _paint_names(self) -> None:
        theme = self._theme
        height = self._strip.view.height()
        self._p.fillRect(QRect(0, HEAD, GUTTER, height), theme.panel)
        for lane in self._strip.lanes():
            self._paint_name(lane)
            self._paint_triangle(lane)
            line = QRect(0, self._strip.below(lane), GUTTER, 1)
            self._p.fillRect(line, theme.line)
        DraftPainter(self._strip).paint_names()
        drop = self._strip.state.drop
        if drop is not None:
            y = HEAD + drop * self._layout.lane_height - self._strip.scroll_y
            self._p.fillRect(QRect(0, y - 2, GUTTER, 3), theme.accent)

    def _paint_name(self, number: int) -> None:
        lane = self._strip.model.lanes[number]
        theme = self._theme
        middle = self._strip.y(number)
        tall = self._layout.lane_height >= TALL
        current = self._is_current(number)
        icon_y = middle - (16 if tall else 8)
        colour = theme.accent if current else theme.text2
        paint_icon(self._p, "branch", QRectF(8, icon_y, 16, 16), colour)
        font = ui_font(13, QFont.Weight.DemiBold if current else QFont.Weight.Medium)
        has_triangle = bool(self._layout.branches.forks_of(number))
        width = GUTTER - 36 - (28 if has_triangle else 8)
        top = middle - 20 if tall else middle - 10
        self._line(QRectF(36, top, width, 20), lane.branch, theme.text, font)
        if tall:
            caption, colour = self._caption(number)
            self._line(QRectF(36, middle, width, 18), caption, colour, ui_font(12))

    def _caption(self, lane: int) -> tuple[str, QColor]:
        folded = self._layout.branches.folded_count(lane)
        if folded:
            return folded_caption(folded), self._theme.accent
        return lane_caption(self._strip.model, lane), self._theme.text3

    def _is_current(self, lane: int) -> bool:
        state = self._strip.state
        row = state.viewed if state.head is None else state.head
        return row is not None and self._strip.model.lane_of(row) == lane

    def _paint_triangle(self, lane: int) -> None:
        box = triangle_of(self._layout, lane, self._strip.scroll_y)
        if not box.isEmpty():
            icon = "chev" if self._layout.branches.is_open(lane) else "chevr"
            room = QRectF(box).adjusted(3, 3, -3, -3)
            paint_icon(self._p, icon, room, self._theme.text2)

    def _paint_corner(self, height: int) -> None:
        theme = self._theme
        self._p.fillRect(QRect(0, 0, GUTTER, HEAD) & self._strip.area, theme.panel)
        self._p.fillRect(QRect(0, HEAD - 1, GUTTER, 1), theme.line)
        self._p.fillRect(QRect(GUTTER - 1, 0, 1, height), theme.line)
        self._p.setFont(ui_font(11, QFont.Weight.DemiBold))
        self._p.setPen(theme.text2)
        self._p.drawText(QRectF(12, 0, GUTTER - 12, HEAD - 1), _LEFT, "Superstep")

    def _line(self, box: QRectF, text: str, colour: QColor, font: QFont) -> None:
        self._p.setFont(font)
        self._p.setPen(colour)
        elided = QFontMetricsF(font).elidedText(
            text, Qt.TextElideMode.ElideMiddle, box.width()
        )
        self._p.drawText(box, _LEFT, elided)
