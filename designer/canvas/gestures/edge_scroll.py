"""Scrolling at the rim: a drag that comes there moves the view, so that one can draw
and carry further than the window is large.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, QPointF, QTimer

from designer.canvas.base import Canvas, Pointer

RIM = 20  # px from the border of the view
FASTEST = 24  # px a tick
TICK_MS = 16


class EdgeScroll(QObject):
    """Follows the pointer of a gesture, which goes on as the drawing moves under it."""

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas.widget)
        self._canvas = canvas
        self._step = QPoint()
        self._at = Pointer(QPointF(), QPoint())
        self._timer = QTimer(self, interval=TICK_MS)
        self._timer.timeout.connect(self.tick)

    def follow(self, pointer: Pointer) -> None:
        """Take over where the pointer of a drag is."""
        viewport = self._canvas.widget.viewport().rect()
        self._at = pointer
        self._step = QPoint(
            _speed(pointer.view.x(), viewport.width()),
            _speed(pointer.view.y(), viewport.height()),
        )
        if self._step.isNull():
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start()

    def stop(self) -> None:
        """Scroll no more."""
        self._timer.stop()

    def tick(self) -> None:
        """Scroll one step, and move what is dragged along."""
        gesture = self._canvas.gesture
        if gesture is None:
            self.stop()
            return
        self._canvas.camera.scroll(self._step)
        view = self._at.view
        scene = self._canvas.mapToScene(view)
        gesture.move(Pointer(scene, view, self._at.modifiers))


def _speed(position: int, length: int) -> int:
    """Return how far to scroll: the more, the further out the pointer is."""
    before = min(position - RIM, 0)
    beyond = max(position - (length - RIM), 0)
    return max(-FASTEST, min(FASTEST, before + beyond))
