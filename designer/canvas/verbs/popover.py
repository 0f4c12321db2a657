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
    """It stands under its target or over it, else beside it, so that the target is
    seen where there is room. `escaped` is emitted for Escape, which its content may
    take first.
    """

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
        """Put it under a rectangle of the view, or over it where there is more room.
        Without one it stands at the lower edge of the view.
        """
        self._layout.activate()
        # The content may need less than before, and a fixed height would keep it.
        height = self._layout.totalHeightForWidth(WIDTH)
        if height < 0:
            height = self._layout.totalSizeHint().height()
        height = min(height, self._canvas.widget.height() - 2 * RIM)
        view = self._canvas.widget.rect().adjusted(RIM, RIM, -RIM, -RIM)
        middle = target.center().x() if target is not None else view.center().x()
        left = max(view.left(), min(middle - WIDTH / 2, view.right() - WIDTH))
        room = RADIUS + NOTCH_WIDTH / 2
        self._tip = max(room, min(middle - left, WIDTH - room))
        top: float = view.bottom() - height
        self._side = ""
        if target is not None:
            below = target.bottom() + AWAY
            above = target.top() - AWAY - height
            if below + height <= view.bottom():
                self._side = "below"
                top = below
            elif above >= view.top():
                self._side = "above"
                top = above
            elif target.right() + AWAY + WIDTH <= view.right():
                left = target.right() + AWAY
            elif target.left() - AWAY - WIDTH >= view.left():
                left = target.left() - AWAY - WIDTH
        top = max(float(view.top()), top)
        self.setGeometry(round(left), round(top), WIDTH, height)
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
        body = QRectF(self.rect()).adjusted(
            0.5, NOTCH_HEIGHT - 0.5, -0.5, -NOTCH_HEIGHT + 0.5
        )
        box = QPainterPath()
        box.addRoundedRect(body, RADIUS, RADIUS)
        if not self._side:
            return box
        is_above = self._side == "above"
        base = body.bottom() if is_above else body.top()
        tip = base + NOTCH_HEIGHT if is_above else base - NOTCH_HEIGHT
        notch = QPainterPath(QPointF(self._tip - NOTCH_WIDTH / 2, base))
        notch.lineTo(self._tip, tip)
        notch.lineTo(self._tip + NOTCH_WIDTH / 2, base)
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
