"""A dialog that is never larger than its screen, nor partly off it."""

from __future__ import annotations

from PySide6.QtCore import QMargins, QRect
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QWidget

FRAME = QMargins(1, 30, 1, 1)  # what the system puts around a window: it tells only once the window is shown


class Dialog(QDialog):
    """What can be long in it has to scroll: then it gives way when it is made to fit."""

    def showEvent(self, event: QShowEvent) -> None:
        fit_to_screen(self)
        super().showEvent(event)


def fit_to_screen(window: QWidget) -> None:
    """Make a window that is about to be shown no larger than its screen, and put it there wholly."""
    area = window.screen().availableGeometry().marginsRemoved(FRAME)
    size = window.size().boundedTo(area.size())
    if size != window.size():
        window.setMinimumSize(window.minimumSize().boundedTo(area.size()))
        window.resize(size)
    here = window.geometry()
    window.move(window.pos() + moved_into(here, area).topLeft() - here.topLeft())


def moved_into(rect: QRect, area: QRect) -> QRect:
    """The rectangle inside of an area: smaller only where it is larger than that."""
    inside = QRect(rect.topLeft(), rect.size().boundedTo(area.size()))
    inside.moveLeft(max(area.left(), min(inside.left(), area.right() + 1 - inside.width())))
    inside.moveTop(max(area.top(), min(inside.top(), area.bottom() + 1 - inside.height())))
    return inside
