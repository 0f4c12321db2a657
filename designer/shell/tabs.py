"""A tab bar painted here: icon, name, counts in pills, a dot for unsaved changes, a cross to close.

A style sheet can neither place an icon beside the text of a tab nor colour a count, and a tab does not measure the
widgets put into it anew.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QTabBar

from designer.look.fonts import ui_font
from designer.look.icons import paint_icon
from designer.look.theme import Look

HEIGHT, ICON, GAP, PILL, CROSS = 32, 16, 8, 16, 12
PAD, LEAST_PAD = 12, 3


@dataclass(frozen=True)
class Face:
    """What a tab shows besides its text: an icon, a count in the colour of its `tone`, a dot."""

    icon: str = ""
    badge: str = ""
    tone: str = "accent"
    dot: bool = False


class TabStrip(QTabBar):
    """Tabs 32 px high with a 2 px line under the one in front. `close_requested` carries an index.

    room   how many pixels there are: tabs stand closer so that all fit; 0 for as many as they like
    """

    close_requested = Signal(int)

    def __init__(self, look: Look, *, closable: bool = False, room: int = 0) -> None:
        super().__init__()
        self._look, self._closable, self._room = look, closable, room
        self._hovered = -1
        self.setExpanding(False)
        self.setDrawBase(False)
        self.setUsesScrollButtons(closable)
        self.setElideMode(Qt.TextElideMode.ElideNone)
        self.setMouseTracking(True)
        self.setFont(ui_font(13, QFont.Weight.Medium))  # the widest it gets, so that nothing moves
        look.changed.connect(self.update)

    # --- what tabs show -----------------------------------------------------------------------------------------

    def face(self, index: int) -> Face:
        data = self.tabData(index)
        return data if isinstance(data, Face) else Face()

    def set_face(self, index: int, **changes: object) -> None:
        """Change some fields of a tab's `Face`."""
        old = self.face(index)
        new = replace(old, **changes)  # type: ignore[arg-type]
        if new != old:
            self.setTabData(index, new)
            # Qt asks for the size of a tab anew only when its text changes.
            text = self.tabText(index)
            self.setTabText(index, text + " ")
            self.setTabText(index, text)

    def tabSizeHint(self, index: int) -> QSize:
        pad = PAD
        if self._room:
            content = sum(self._content(tab) for tab in range(self.count()))
            pad = min(PAD, max(LEAST_PAD, (self._room - content) // (2 * max(1, self.count()))))
        return QSize(self._content(index) + 2 * pad, HEIGHT)

    def minimumTabSizeHint(self, index: int) -> QSize:
        return self.tabSizeHint(index)

    def _content(self, index: int) -> int:
        face = self.face(index)
        width = QFontMetrics(self.font()).horizontalAdvance(self.tabText(index).strip())
        width += ICON + GAP if face.icon else 0
        width += 4 + self._pill_width(face.badge) if face.badge else 0
        return width + (GAP + CROSS if self._closable else 0)

    def _pill_width(self, text: str) -> int:
        return max(PILL, QFontMetrics(ui_font(11)).horizontalAdvance(text) + 10)

    # --- painting -----------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for index in range(self.count()):
            self._paint_tab(painter, index)

    def _paint_tab(self, painter: QPainter, index: int) -> None:
        theme, rect, face = self._look.theme, self.tabRect(index), self.face(index)
        front = index == self.currentIndex()
        strong = front or index == self._hovered
        left = rect.left() + (rect.width() - self._content(index)) // 2
        if face.icon:
            square = QRectF(left, rect.top() + (HEIGHT - ICON) / 2, ICON, ICON)
            paint_icon(painter, face.icon, square, theme.text if front else theme.text2)
            left += ICON + GAP
        painter.setFont(self.font() if front else ui_font(13))
        painter.setPen(theme.text if strong else theme.text2)
        text = self.tabText(index).strip()
        painter.drawText(QRect(left, rect.top(), rect.width(), HEIGHT), Qt.AlignmentFlag.AlignVCenter, text)
        left += QFontMetrics(self.font()).horizontalAdvance(text)
        if face.badge:
            self._paint_pill(painter, face, QRect(left + 4, rect.top() + 8, self._pill_width(face.badge), PILL))
        if self._closable:
            self._paint_end(painter, index, face)
        if front:
            painter.fillRect(rect.left(), rect.bottom() - 1, rect.width(), 2, theme.accent)
            if self.hasFocus():
                painter.setPen(theme.accent)
                painter.drawRoundedRect(QRectF(rect).adjusted(2.5, 3.5, -2.5, -4.5), 4, 4)

    def _paint_pill(self, painter: QPainter, face: Face, rect: QRect) -> None:
        theme = self._look.theme
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(getattr(theme, f"{face.tone}Soft", theme.hover))
        painter.drawRoundedRect(rect, PILL / 2, PILL / 2)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(getattr(theme, face.tone))
        painter.setFont(ui_font(11))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, face.badge)

    def _paint_end(self, painter: QPainter, index: int, face: Face) -> None:
        theme, rect = self._look.theme, QRectF(self.cross_rect(index))
        if index == self._hovered or (index == self.currentIndex() and not face.dot):
            paint_icon(painter, "x", rect, theme.text2 if index == self._hovered else theme.text3)
        elif face.dot:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.text2)
            painter.drawEllipse(rect.center(), 3.0, 3.0)
            painter.setBrush(Qt.BrushStyle.NoBrush)

    # --- the cross ----------------------------------------------------------------------------------------------

    def cross_rect(self, index: int) -> QRect:
        """Where the cross of a tab is."""
        rect = self.tabRect(index)
        right = rect.right() - (rect.width() - self._content(index)) // 2
        return QRect(right - CROSS + 1, rect.top() + (HEIGHT - CROSS) // 2, CROSS, CROSS)

    def _on_cross(self, at: QPoint) -> int:
        index = self.tabAt(at)
        hit = self._closable and index >= 0 and self.cross_rect(index).adjusted(-4, -4, 4, 4).contains(at)
        return index if hit else -1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = event.position().toPoint()
        if event.button() == Qt.MouseButton.LeftButton and self._on_cross(at) >= 0:
            return  # not to the front first
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        at = event.position().toPoint()
        middle = event.button() == Qt.MouseButton.MiddleButton and self._closable
        index = self.tabAt(at) if middle else self._on_cross(at)
        if index >= 0 and event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self.close_requested.emit(index)
        else:
            super().mouseReleaseEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.tabAt(event.position().toPoint()))
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(-1)
        super().leaveEvent(event)

    def _hover(self, index: int) -> None:
        if index != self._hovered:
            self._hovered = index
            self.update()
