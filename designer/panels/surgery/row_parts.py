"""What a row of Edit and fork is made of: a text that may be struck through, the handle
of a message, and what a row asks for.
"""

from __future__ import annotations

from typing import Any, Protocol

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.panels.surgery.rows import Row
from designer.panels.widgets.basic import ElidedLabel


class RowOf(Protocol):
    """The row that a handle belongs to."""

    row: Row | None

    def setFocus(self, reason: Qt.FocusReason) -> None: ...


class Verbs(Protocol):
    """What a row asks the task for."""

    def toggle(self, row: Row) -> None: ...
    def type_value(self, row: Row, value: Any) -> None: ...
    def settle(self) -> None: ...
    def undo(self, row: Row) -> None: ...
    def open_menu(self, row: Row, where: QPoint) -> None: ...
    def act(self, row: Row, verb: str) -> None: ...
    def drag(self, row: Row, where: QPoint, *, is_over: bool) -> None: ...
    def walk(self, view: QWidget, by: int) -> None: ...


class StruckLabel(ElidedLabel):
    """A text that may be struck through. The line is painted, because a font with one
    is lost when the theme changes.
    """

    is_struck = False

    def strike(self, *, on: bool) -> None:
        self.is_struck = on
        self.update()

    def sizeHint(self) -> QSize:
        width = QFontMetrics(self.font()).horizontalAdvance(self.text())
        return QSize(width + 2, super().sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.is_struck:
            painter = QPainter(self)
            painter.setPen(self.palette().color(self.foregroundRole()))
            width = QFontMetrics(self.font()).horizontalAdvance(self.text())
            middle = self.height() // 2 + 1
            painter.drawLine(0, middle, min(width, self.width()), middle)


class Grip(QLabel):
    """The handle by which a message is dragged to another place."""

    def __init__(self, look: Look, view: RowOf, verbs: Verbs) -> None:
        super().__init__()
        self._view = view
        self._verbs = verbs
        self._is_pressed = False
        self.setPixmap(themed_icon("grip", look, "text3").pixmap(QSize(12, 12)))
        self.setFixedWidth(14)
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.setToolTip("Drag to another place in the order (Alt+Up, Alt+Down)")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._is_pressed = event.button() == Qt.MouseButton.LeftButton
        self._view.setFocus(Qt.FocusReason.MouseFocusReason)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._is_pressed and self._view.row is not None:
            where = event.globalPosition().toPoint()
            self._verbs.drag(self._view.row, where, is_over=False)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._is_pressed and self._view.row is not None:
            self._is_pressed = False
            where = event.globalPosition().toPoint()
            self._verbs.drag(self._view.row, where, is_over=True)
