"""A popover on the canvas: a panel with a notch that points at what it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from designer.canvas.base import Canvas

if TYPE_CHECKING:
    from designer.canvas.verbs.breakpoints import BreakpointEditor

WIDTH = 336
AWAY = 8  # px between the tip of the notch and its target
NOTCH_WIDTH = 18
NOTCH_HEIGHT = 9
RADIUS = 6
RIM = 8  # px that stay free around it in the view


class Popover(QWidget):
    """`escaped` is emitted for Escape, which its content may take first."""

    escaped = Signal()

    def __init__(self, canvas: Canvas, content: BreakpointEditor) -> None:
        super().__init__(canvas.widget)
        self._canvas = canvas
        self._content = cast("QWidget", content)
        self._side = ""  # of its target; "" where the notch would point at nothing
        self._tip = WIDTH / 2
        self.setObjectName("popover")
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.setAccessibleName("Breakpoint")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(1, NOTCH_HEIGHT, 1, NOTCH_HEIGHT)
        self._layout.setSpacing(0)
        self._layout.addWidget(self._content)
        self.setFixedWidth(WIDTH)

    def has_focus(self) -> bool:
        """Whether the focus is in it."""
        focused = QApplication.focusWidget()
        return focused is not None and (focused is self or self.isAncestorOf(focused))

    def place(self, target: QRectF | None) -> None:
        """Put it under a rectangle of the view, or over it or beside it where there is
        room. Without one it stands at the lower edge of the view.
        """
        self._layout.activate()
        # The content may need less than before, and a fixed height would keep it.
        height = self._layout.totalHeightForWidth(WIDTH)
        if height < 0:
            height = self._layout.totalSizeHint().height()
        height = min(height, self._canvas.widget.height() - 2 * RIM)
        view = QRectF(self._canvas.widget.rect()).adjusted(RIM, RIM, -RIM, -RIM)
        self._side = _side_of(target, view, height)
        is_beside = self._side in ("left", "right")
        width = WIDTH + NOTCH_HEIGHT - 1 if is_beside else WIDTH
        middle = target.center() if target is not None else view.center()
        left = _within(middle.x() - width / 2, view.left(), view.right() - width)
        top = view.bottom() - height
        if target is not None and is_beside:
            is_left = self._side == "left"
            left = target.left() - AWAY - width if is_left else target.right() + AWAY
            top = _within(middle.y() - height / 2, view.top(), top)
        elif target is not None and self._side:
            is_above = self._side == "above"
            top = target.top() - AWAY - height if is_above else target.bottom() + AWAY
        room = RADIUS + NOTCH_WIDTH / 2
        if is_beside:
            room += NOTCH_HEIGHT
            self._tip = _within(middle.y() - top, room, height - room)
        else:
            self._tip = _within(middle.x() - left, room, width - room)
        self._layout.setContentsMargins(
            NOTCH_HEIGHT if self._side == "right" else 1,
            NOTCH_HEIGHT,
            NOTCH_HEIGHT if self._side == "left" else 1,
            NOTCH_HEIGHT,
        )
        self.setFixedWidth(width)
        self.setGeometry(round(left), round(max(view.top(), top)), width, height)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._canvas.look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.edge)
        painter.setBrush(theme.raised)
        painter.drawPath(self._outline())
        painter.end()

    def _outline(self) -> QPainterPath:
        body = QRectF(self._content.geometry()).adjusted(-0.5, -0.5, 0.5, 0.5)
        box = QPainterPath()
        box.addRoundedRect(body, RADIUS, RADIUS)
        if not self._side:
            return box
        half = NOTCH_WIDTH / 2
        if self._side in ("left", "right"):
            base = body.right() if self._side == "left" else body.left()
            away = NOTCH_HEIGHT if self._side == "left" else -NOTCH_HEIGHT
            notch = QPainterPath(QPointF(base, self._tip - half))
            notch.lineTo(base + away, self._tip)
            notch.lineTo(base, self._tip + half)
        else:
            base = body.bottom() if self._side == "above" else body.top()
            away = NOTCH_HEIGHT if self._side == "above" else -NOTCH_HEIGHT
            notch = QPainterPath(QPointF(self._tip - half, base))
            notch.lineTo(self._tip, base + away)
            notch.lineTo(self._tip + half, base)
        notch.closeSubpath()
        return box.united(notch)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.escaped.emit()
                return True
        return super().event(event)


def _within(value: float, least: float, most: float) -> float:
    return max(least, min(value, most))


def _side_of(target: QRectF | None, view: QRectF, height: float) -> str:
    """Return the side of its target on which a popover fits; "" for none."""
    if target is None:
        return ""
    width = WIDTH + NOTCH_HEIGHT
    rooms = {
        "below": view.bottom() - target.bottom() - AWAY - height,
        "above": target.top() - AWAY - height - view.top(),
        "right": view.right() - target.right() - AWAY - width,
        "left": target.left() - AWAY - width - view.left(),
    }
    return next((side for side, room in rooms.items() if room >= 0), "")
