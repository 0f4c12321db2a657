"""The scrolling of areas over time, by a wheel or by two fingers."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea

from designer.qt import wheel

PX_PER_ANGLE = 0.8  # so that a notch of an ordinary wheel scrolls by 96 px


def scroll_by_wheel(area: QAbstractScrollArea, event: QWheelEvent) -> None:
    """Scroll an area. With Shift, or where nothing is out of view above or below, a
    wheel and two fingers scroll across.
    """
    across = area.horizontalScrollBar()
    down = area.verticalScrollBar()
    moved = wheel.pixels(event)
    turned = wheel.angle(event)
    if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or not down.maximum():
        step = wheel.turn(event) * PX_PER_ANGLE
        if moved is not None:
            step = moved.x() or moved.y()
        across.setValue(across.value() - round(step))
    elif moved is not None:
        across.setValue(across.value() - moved.x())
        down.setValue(down.value() - moved.y())
    else:
        across.setValue(across.value() - round(turned.x() * PX_PER_ANGLE))
        down.setValue(down.value() - round(turned.y() * PX_PER_ANGLE))
