"""A tab bar that paints itself: icon, name, count, a dot for unsaved changes, a cross
to close.

A style sheet can neither place an icon beside the text of a tab nor colour a count, and
Qt does not measure the widgets in a tab again when they change.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QTabBar, QTabWidget

from designer.look.fonts import ui_font
from designer.look.icons import paint_icon
from designer.look.theme import Look

HEIGHT = 32
ICON = 16
GAP = 8
PILL = 16
CROSS = 12
PAD = 12
LEAST_PAD = 5
SPARE = 8  # px beside the tabs of an area that stay free


@dataclass(frozen=True)
class Face:
    """What a tab shows besides its text: an icon, a count in the colour of its `tone`,
    a dot. `short` is the icon that replaces the text where it has no room.
    """

    icon: str = ""
    short: str = ""
    badge: str = ""
    tone: str = "accent"
    dot: bool = False


class TabStrip(QTabBar):
    """Tabs 32 px high, with a 2 px line under the one in front. `close_requested`
    carries an index.

    With a limited room (see `set_room`) tabs move closer together. If that is not
    enough, only the one in front shows its text, and the others show an icon.
    """

    close_requested = Signal(int)
    chosen = Signal()  # the user has brought a tab to the front
    activated = Signal()  # a double click on the tab in front

    def __init__(self, look: Look, *, closable: bool = False) -> None:
        super().__init__()
        self._look = look
        self._closable = closable
        self._room = 0  # px for all tabs; 0 for no limit
        self._tight = False
        self._pad = PAD  # px on both sides of what a tab shows
        self._hovered = -1
        self.setExpanding(False)
        self.setDrawBase(False)
        self.setUsesScrollButtons(closable)
        self.setElideMode(Qt.TextElideMode.ElideNone)
        self.setMouseTracking(True)
        # The widest of its fonts, so that no tab moves when it comes to the front.
        self.setFont(ui_font(13, QFont.Weight.Medium))
        look.changed.connect(self.update)
        self.currentChanged.connect(
            lambda _index: self._measure_again() if self._tight else None
        )

    def set_room(self, room: int) -> None:
        """Set the pixels for all tabs together."""
        if room != self._room:
            self._room = room
            self._measure_again()

    # --- what tabs show -----------------------------------------------------------------------------------------

    def face(self, index: int) -> Face:
        data = self.tabData(index)
        return data if isinstance(data, Face) else Face()

    def set_face(self, index: int, **changes: object) -> None:
        """Change some fields of a tab's `Face`."""
        face = replace(self.face(index), **changes)  # type: ignore[arg-type]
        if face == self.face(index):
            return
        width = self._content(index)
        self.setTabData(index, face)
        if self._content(index) == width:
            self.update()
        else:
            self._measure_again()

    def tabInserted(self, index: int) -> None:
        super().tabInserted(index)
        self._measure_again()

    def _measure_again(self) -> None:
        """Measure all tabs, because their sizes depend on each other."""
        least = sum(
            self._content(index, tight=False) + 2 * LEAST_PAD
            for index in range(self.count())
        )
        self._tight = 0 < self._room < least
        self._pad = self._fair_pad()
        for index in range(self.count()):
            text = self.tabText(index).strip()
            self.setTabToolTip(index, text if self._tight else "")
        if self.count():
            # Qt asks for the sizes of all tabs again only when the text of one changes.
            text = self.tabText(0).strip()
            self.setTabText(0, text + " ")
            self.setTabText(0, text)

    def _fair_pad(self) -> int:
        """Return the pixels beside the content of each tab, if all are to have room."""
        if not self._room:
            return PAD
        content = sum(self._content(index) for index in range(self.count()))
        fair_pad = (self._room - content) // (2 * max(1, self.count()))
        return min(PAD, max(LEAST_PAD, fair_pad))

    def tabSizeHint(self, index: int) -> QSize:
        return QSize(self._content(index) + 2 * self._pad, HEIGHT)

    def minimumTabSizeHint(self, index: int) -> QSize:
        return self.tabSizeHint(index)

    def _shown(self, index: int, *, tight: bool | None = None) -> tuple[str, str]:
        """Return the icon and the text of a tab, as far as there is room."""
        face = self.face(index)
        text = self.tabText(index).strip()
        is_tight = self._tight if tight is None else tight
        if is_tight and face.short and index != self.currentIndex():
            return (face.short, "")
        return (face.icon, text)

    def _content(self, index: int, *, tight: bool | None = None) -> int:
        """Return the width of what a tab shows."""
        face = self.face(index)
        icon, text = self._shown(index, tight=tight)
        width = QFontMetrics(self.font()).horizontalAdvance(text)
        width += ICON if icon else 0
        width += GAP if icon and text else 0
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
        theme = self._look.theme
        rect = self.tabRect(index)
        face = self.face(index)
        icon, text = self._shown(index)
        is_front = index == self.currentIndex()
        is_strong = is_front or index == self._hovered
        left = rect.left() + (rect.width() - self._content(index)) // 2
        if icon:
            square = QRectF(left, rect.top() + (HEIGHT - ICON) / 2, ICON, ICON)
            paint_icon(painter, icon, square, theme.text if is_strong else theme.text2)
            left += ICON + (GAP if text else 0)
        painter.setFont(self.font() if is_front else ui_font(13))
        painter.setPen(theme.text if is_strong else theme.text2)
        painter.drawText(
            QRect(left, rect.top(), rect.width(), HEIGHT),
            Qt.AlignmentFlag.AlignVCenter,
            text,
        )
        left += QFontMetrics(self.font()).horizontalAdvance(text)
        if face.badge:
            self._paint_pill(
                painter,
                face,
                QRect(left + 4, rect.top() + 8, self._pill_width(face.badge), PILL),
            )
        if self._closable:
            self._paint_end(painter, index, face)
        if is_front:
            painter.fillRect(
                rect.left(), rect.bottom() - 1, rect.width(), 2, theme.accent
            )
            if self.hasFocus():
                painter.setPen(theme.accent)
                painter.drawRoundedRect(
                    QRectF(rect).adjusted(2.5, 3.5, -2.5, -4.5), 4, 4
                )

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
        theme = self._look.theme
        rect = QRectF(self.cross_rect(index))
        if index == self._hovered or (index == self.currentIndex() and not face.dot):
            paint_icon(
                painter,
                "x",
                rect,
                theme.text2 if index == self._hovered else theme.text3,
            )
        elif face.dot:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.text2)
            painter.drawEllipse(rect.center(), 3.0, 3.0)
            painter.setBrush(Qt.BrushStyle.NoBrush)

    # --- the cross ----------------------------------------------------------------------------------------------

    def cross_rect(self, index: int) -> QRect:
        """Return the rectangle of a tab's cross."""
        rect = self.tabRect(index)
        right = rect.right() - (rect.width() - self._content(index)) // 2
        return QRect(
            right - CROSS + 1, rect.top() + (HEIGHT - CROSS) // 2, CROSS, CROSS
        )

    def _on_cross(self, at: QPoint) -> int:
        """Return the tab whose cross is at a point; -1 for none."""
        index = self.tabAt(at)
        if not self._closable or index < 0:
            return -1
        is_hit = self.cross_rect(index).adjusted(-4, -4, 4, 4).contains(at)
        return index if is_hit else -1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = event.position().toPoint()
        if event.button() == Qt.MouseButton.LeftButton and self._on_cross(at) >= 0:
            return  # because the tab is closed on release, not shown
        super().mousePressEvent(event)
        if self.tabAt(at) >= 0:
            self.chosen.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.tabAt(event.position().toPoint())
        is_left = event.button() == Qt.MouseButton.LeftButton
        if is_left and index >= 0 and index == self.currentIndex():
            self.activated.emit()
        super().mouseDoubleClickEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        before = self.currentIndex()
        super().keyPressEvent(event)
        if self.currentIndex() != before:
            self.chosen.emit()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        at = event.position().toPoint()
        middle = event.button() == Qt.MouseButton.MiddleButton and self._closable
        index = self.tabAt(at) if middle else self._on_cross(at)
        if index >= 0 and event.button() in (
            Qt.MouseButton.LeftButton,
            Qt.MouseButton.MiddleButton,
        ):
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


class TabArea(QTabWidget):
    """Panels behind tabs. The tabs have the room beside the widget in the corner."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.strip = TabStrip(look)
        self.setTabBar(self.strip)
        self.is_chosen = False  # whether the user chose the panel in front
        self.strip.chosen.connect(self._on_chosen)

    def _on_chosen(self) -> None:
        self.is_chosen = True

    def fit_tabs(self) -> None:
        room = self.width() - SPARE
        corner = self.cornerWidget(Qt.Corner.TopRightCorner)
        if corner is not None and not corner.isHidden():
            room -= corner.sizeHint().width()
        self.strip.set_room(room)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.fit_tabs()
        super().resizeEvent(event)
