"""A drag that comes to the rim of the view scrolls it, so that one can draw and carry further than one sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, QTimer

from designer.canvas.gestures.tools import Pointer

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView

# px, px a tick
RIM = 20
FASTEST = 24
TICK_MS = 16


class EdgeScroll(QObject):
    """Follows the pointer of a gesture; what is dragged is dragged on as the drawing moves under it."""

    def __init__(self, view: CanvasView) -> None:
        super().__init__(view)
        self._view = view
        self._push = QPoint()
        self._at = Pointer(view.centre(), QPoint(), Qt.KeyboardModifier.NoModifier)
        self._timer = QTimer(self, interval=TICK_MS)
        self._timer.timeout.connect(self.tick)

    def follow(self, at: Pointer) -> None:
        """The pointer of a drag is here now."""
        room = self._view.viewport().rect()
        self._at = at
        self._push = QPoint(
            _push(at.view.x(), room.width()), _push(at.view.y(), room.height())
        )
        if self._push.isNull():
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def tick(self) -> None:
        view = self._view
        if view.tool is None:
            self.stop()
            return
        view.scroll_by(self._push)
        view.tool.move(
            Pointer(view.mapToScene(self._at.view), self._at.view, self._at.modifiers)
        )


def _push(at: int, length: int) -> int:
    """How far to scroll: the more, the further out."""
    over = min(at - RIM, 0) + max(at - (length - RIM), 0)
    return max(-FASTEST, min(FASTEST, over))
