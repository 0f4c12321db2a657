"""The movement of a wheel or of two fingers. Mice report angles, some touchpads pixels,
and some both.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication, QWheelEvent

NOTCH = 120  # the angle of one click of an ordinary wheel
# The angle for a pixel, as Qt converts it.
_PER_PIXEL = 2


def angle(event: QWheelEvent) -> QPoint:
    """Return the angle in eighths of a degree, across and down, if necessary from
    pixels.
    """
    if event.angleDelta().isNull():
        return event.pixelDelta() * _PER_PIXEL
    return event.angleDelta()


def turn(event: QWheelEvent) -> int:
    """Return one angle, for example for zooming. On some systems, Alt makes a wheel
    horizontal.
    """
    both = angle(event)
    return both.y() or both.x()


def pixels(event: QWheelEvent, platform: str | None = None) -> QPoint | None:
    """Return the pixels that two fingers moved; None for a wheel."""
    if not event.hasPixelDelta():
        return None
    on_x11 = (platform or QGuiApplication.platformName()) == "xcb"
    return None if on_x11 and _turns_by_notches(event) else event.pixelDelta()


def _turns_by_notches(event: QWheelEvent) -> bool:
    """Return whether an event is of a wheel. X11 reports pixels for it too, which are
    useless.
    """
    both = event.angleDelta()
    if both.isNull():
        return False
    return both.x() % NOTCH == 0 and both.y() % NOTCH == 0
