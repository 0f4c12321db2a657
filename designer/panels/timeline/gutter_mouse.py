"""The mouse over the names of the branches: a click on a triangle folds, a click on a
name goes to the head of the branch, and dragging a name moves the branch.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication

from designer.panels.timeline.brush import GUTTER, HEAD
from designer.panels.timeline.gutter import triangle_of
from designer.panels.timeline.layout import TimelineLayout


class GutterMouse:
    """One press of the mouse in the gutter, until it is released.

    drop  the place in front of which the dragged branch would be put; None as long as
          nothing is dragged
    """

    def __init__(self, layout: TimelineLayout) -> None:
        self.drop: int | None = None
        self._layout = layout
        self._pressed: int | None = None  # the lane
        self._pressed_at = QPoint()

    @property
    def is_pressed(self) -> bool:
        return self._pressed is not None

    def lane_at(self, point: QPoint, scroll_y: int) -> int | None:
        """Return the lane whose name is at a point of the viewport."""
        if point.x() >= GUTTER or point.y() < HEAD:
            return None
        return self._layout.lane_at(point.y() - HEAD + scroll_y)

    def is_on_triangle(self, point: QPoint, scroll_y: int) -> bool:
        lane = self.lane_at(point, scroll_y)
        return lane is not None and triangle_of(self._layout, lane, scroll_y).contains(
            point
        )

    def press(self, point: QPoint, scroll_y: int) -> None:
        lane = self.lane_at(point, scroll_y)
        if lane is None:
            return
        if self.is_on_triangle(point, scroll_y):
            self._layout.branches.toggle(lane)
        else:
            self._pressed = lane
            self._pressed_at = point

    def move(self, point: QPoint, scroll_y: int) -> None:
        distance = (point - self._pressed_at).manhattanLength()
        if self.drop is None and distance < QApplication.startDragDistance():
            return
        y = point.y() - HEAD + scroll_y
        place = round(y / self._layout.lane_height)
        self.drop = max(0, min(place, len(self._layout.branches.shown)))

    def release(self) -> int | None:
        """End the press. Return the lane that was only clicked."""
        lane = self._pressed
        drop = self.drop
        self._pressed = None
        self.drop = None
        if lane is None or drop is None:
            return lane
        self._layout.branches.move_to(lane, drop)
        return None
