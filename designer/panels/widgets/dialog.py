"""A dialog that is never larger than its screen, nor partly off it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMargins, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QLabel, QScrollArea, QSizePolicy, QWidget

# what the system puts around a window: it tells only once the window is shown
FRAME = QMargins(4, 32, 4, 4)
# px for a scroll bar, and for all of a dialog but its text
BAR = 12
REST = 220


class Dialog(QDialog):
    """What can be long in it has to scroll: then it gives way when it is made to fit."""

    def showEvent(self, event: QShowEvent) -> None:
        shrink_to_screen(self)
        super().showEvent(event)  # which puts it in the middle of its parent
        move_onto_screen(self)


class LongText(QScrollArea):
    """A text that wraps, and scrolls where the screen has no room for all of it beside the rest of its dialog."""

    def __init__(self, text: QLabel, width: int) -> None:
        super().__init__()
        self._text = text
        self._width = width
        self.setAccessibleName("Details")
        self.setWidget(text)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        full_height = self._text.heightForWidth(self._width)
        return QSize(
            self._width + BAR,
            max(1, min(full_height, self.screen().availableGeometry().height() - REST)),
        )

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """With keys one only goes to what can be scrolled."""
        super().resizeEvent(event)
        scrolls = self._text.heightForWidth(self._width) > self.viewport().height()
        self.setFocusPolicy(
            Qt.FocusPolicy.StrongFocus if scrolls else Qt.FocusPolicy.NoFocus
        )

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # another text
            self.updateGeometry()
        return super().event(event)


def shrink_to_screen(window: QWidget) -> None:
    """Make a window that is about to be shown no larger than its screen."""
    area = window.screen().availableGeometry().marginsRemoved(FRAME)
    size = window.size().boundedTo(area.size())
    if size != window.size():
        window.setMinimumSize(window.minimumSize().boundedTo(area.size()))
        window.resize(size)


def move_onto_screen(window: QWidget) -> None:
    area = window.screen().availableGeometry().marginsRemoved(FRAME)
    geometry = window.geometry()
    inside = moved_into(geometry, area).topLeft()
    if inside != geometry.topLeft():
        window.move(window.pos() + inside - geometry.topLeft())


def moved_into(rect: QRect, area: QRect) -> QRect:
    """The rectangle inside of an area: smaller only where it is larger than that."""
    inside = QRect(rect.topLeft(), rect.size().boundedTo(area.size()))
    inside.moveLeft(
        max(area.left(), min(inside.left(), area.right() + 1 - inside.width()))
    )
    inside.moveTop(
        max(area.top(), min(inside.top(), area.bottom() + 1 - inside.height()))
    )
    return inside
