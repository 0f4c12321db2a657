"""Where a window stands: on a screen that there is, wholly, and no larger than it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QByteArray, QRect, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from designer.panels.widgets.dialog import FRAME, moved_into


def place_window(window: QWidget, saved: str, wanted: QSize, least: QSize) -> None:
    """Put a window where it was, by what `saveGeometry` gave as base 64, or in the middle of the screen."""
    areas = screen_areas()
    room = areas[0].marginsRemoved(FRAME).size() if areas else least
    window.setMinimumSize(least.boundedTo(room))
    known = bool(saved) and window.restoreGeometry(
        QByteArray.fromBase64(saved.encode())
    )
    rect = placed(window.geometry() if known else None, wanted, areas)
    if (
        rect is not None
        and rect != window.geometry()
        and not (window.isMaximized() or window.isFullScreen())
    ):
        window.setGeometry(rect)


def screen_areas() -> list[QRect]:
    """What each screen has for windows, the main one first."""
    main = QGuiApplication.primaryScreen()
    screens = sorted(QGuiApplication.screens(), key=lambda screen: screen is not main)
    return [screen.availableGeometry() for screen in screens]


def placed(before: QRect | None, wanted: QSize, areas: Sequence[QRect]) -> QRect | None:
    """Where a window should stand: where it was `before`, as far as there is a screen for that, else in the middle of
    the main one. None where no screen is known.
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
