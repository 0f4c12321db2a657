"""A dialog that is never larger than its screen, and never partly outside it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMargins, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QLabel, QScrollArea, QSizePolicy, QWidget

# The assumed frame of a window, because the system tells its size only when it is
# shown.
FRAME = QMargins(4, 32, 4, 4)
BAR = 12  # px for a scroll bar
REST = 220  # px for the parts of a dialog besides its long text


class Dialog(QDialog):
    """A dialog that is made to fit the screen. Its long parts must scroll, so that it
    can shrink.
    """

    def showEvent(self, event: QShowEvent) -> None:
        shrink_to_screen(self)
        super().showEvent(event)  # centres it over its parent
        move_onto_screen(self)


class LongText(QScrollArea):
    """A text that wraps, and scrolls when the screen has no room for all of it beside
    the other parts of its dialog.
    """

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
        room = self.screen().availableGeometry().height() - REST
        return QSize(self._width + BAR, max(1, min(full_height, room)))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take the focus only when there is something to scroll."""
        super().resizeEvent(event)
        scrolls = self._text.heightForWidth(self._width) > self.viewport().height()
        self.setFocusPolicy(
            Qt.FocusPolicy.StrongFocus if scrolls else Qt.FocusPolicy.NoFocus
        )

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # the text has changed
            self.updateGeometry()
        return super().event(event)


def shrink_to_screen(window: QWidget) -> None:
    """Shrink a window that is about to be shown to the size of its screen."""
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
    """Return the rectangle moved inside an area, and shrunk only where it is larger
    than the area.
    """
    inside = QRect(rect.topLeft(), rect.size().boundedTo(area.size()))
    most_left = area.right() + 1 - inside.width()
    most_top = area.bottom() + 1 - inside.height()
    inside.moveLeft(max(area.left(), min(inside.left(), most_left)))
    inside.moveTop(max(area.top(), min(inside.top(), most_top)))
    return inside
