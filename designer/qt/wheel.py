"""How far a wheel or two fingers were moved: mice tell it in angles, some touchpads in pixels only, some in both."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication, QWheelEvent

NOTCH = 120  # what one click of an ordinary wheel tells
# the angle that stands for a pixel, as where Qt makes one from the other
_PER_PIXEL = 2


def angle(event: QWheelEvent) -> QPoint:
    """The angle in eighths of a degree, across and down; made from pixels where these are all there is."""
    if event.angleDelta().isNull():
        return event.pixelDelta() * _PER_PIXEL
    return event.angleDelta()


def turn(event: QWheelEvent) -> int:
    """One angle for what goes one way only, such as zooming: Alt turns a wheel sideways on some systems."""
    turned = angle(event)
    return turned.y() or turned.x()


def pixels(event: QWheelEvent, platform: str | None = None) -> QPoint | None:
    """How far two fingers moved what is under them; None for a wheel."""
    if not event.hasPixelDelta():
        return None
    on_x11 = (platform or QGuiApplication.platformName()) == "xcb"
    return None if on_x11 and _turns_by_notches(event) else event.pixelDelta()


def _turns_by_notches(event: QWheelEvent) -> bool:
    """Only wheels do. Drivers of X11 tell pixels for them too, which are of no use."""
    turned = event.angleDelta()
    return not turned.isNull() and turned.x() % NOTCH == 0 and turned.y() % NOTCH == 0
