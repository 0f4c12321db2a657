"""The place of a window: wholly on a screen that exists, and no larger than it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QByteArray, QRect, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from designer.panels.widgets.dialog import FRAME, moved_into


def place_window(window: QWidget, saved: str, wanted: QSize, least: QSize) -> None:
    """Put a window where it was (`saveGeometry` in base 64), or in the middle of the
    screen.
    """
    areas = screen_areas()
    room = areas[0].marginsRemoved(FRAME).size() if areas else least
    window.setMinimumSize(least.boundedTo(room))
    before = None
    if saved and window.restoreGeometry(QByteArray.fromBase64(saved.encode())):
        before = window.geometry()
    rect = placed(before, wanted, areas)
    if rect is None or window.isMaximized() or window.isFullScreen():
        return
    if rect != window.geometry():
        window.setGeometry(rect)


def screen_areas() -> list[QRect]:
    """Return the area for windows of each screen, the main screen first."""
    main = QGuiApplication.primaryScreen()
    screens = sorted(QGuiApplication.screens(), key=lambda screen: screen is not main)
    return [screen.availableGeometry() for screen in screens]


def placed(before: QRect | None, wanted: QSize, areas: Sequence[QRect]) -> QRect | None:
    """Return the rectangle for a window: that of `before`, moved onto a screen, or the
    middle of the main screen. None if no screen is known.
    """
    if not areas:
        return None
    if before is None:
        return _centred(wanted, areas[0])
    area = max(areas, key=lambda area: _common(area, before))
    if not _common(area, before):
        return _centred(before.size(), areas[0])
    return moved_into(before, area.marginsRemoved(FRAME))


def _centred(size: QSize, area: QRect) -> QRect:
    room = area.marginsRemoved(FRAME)
    rect = QRect(room.topLeft(), size.boundedTo(room.size()))
    rect.moveCenter(room.center())
    return rect


def _common(area: QRect, rect: QRect) -> int:
    common = area.intersected(rect)
    return max(0, common.width()) * max(0, common.height())
