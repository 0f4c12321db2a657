"""Wheel events as mice and touchpads make them."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

PLAIN = Qt.KeyboardModifier.NoModifier
CTRL = Qt.KeyboardModifier.ControlModifier


Pair = tuple[int, int]


def wheel_event(
    angle: Pair,
    pixels: Pair,
    held: Qt.KeyboardModifier = PLAIN,
    at: QPointF | None = None,
) -> QWheelEvent:
    place = at or QPointF()
    none = Qt.MouseButton.NoButton
    return QWheelEvent(
        place,
        place,
        QPoint(*pixels),
        QPoint(*angle),
        none,
        held,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )


def turn(
    widget: QWidget,
    angle: Pair = (0, 0),
    pixels: Pair = (0, 0),
    held: Qt.KeyboardModifier = PLAIN,
) -> None:
    """Turn a wheel, or move two fingers, over the middle of a widget."""
    QApplication.sendEvent(
        widget, wheel_event(angle, pixels, held, QPointF(widget.rect().center()))
    )
