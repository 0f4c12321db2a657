"""The scrolling of the timeline strip over time and branches, its zoom, and where things
are in the viewport.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from designer.panels.timeline.branches import Branches
from designer.panels.timeline.brush import GUTTER, HEAD
from designer.panels.timeline.layout import TimelineLayout
from designer.panels.widgets.wheel_scroll import scroll_by_wheel
from designer.qt import wheel
from designer.session.timeline_model import TimelineModel

TAG_ROOM = 120  # px kept in view beyond the head of a branch, for its tags


class LaneScrollArea(QAbstractScrollArea):
    """A view of lanes of checkpoints. A subclass paints them.

    is_placing  True while the area itself moves its scroll bars, because only the
                user's own scrolling counts as such
    """

    def __init__(self, model: TimelineModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.branches = Branches(model, self)
        self.places = TimelineLayout(model, self.branches)
        self.is_placing = False
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)

    @property
    def is_running(self) -> bool:
        """Whether there is a column for the superstep that runs."""
        return False

    def set_zoom(self, column: float, at: float | None = None) -> None:
        """Set the width of a superstep. The superstep at x (of the viewport, else its
        middle) keeps its place.
        """
        bar = self.horizontalScrollBar()
        offset = at - GUTTER if at is not None else self.time_width() / 2
        superstep = (offset + bar.value()) / self.places.column
        self.places.zoom(column, self.time_width())
        self.fit_bars()
        bar.setValue(round(superstep * self.places.column - offset))
        self.viewport().update()

    def time_width(self) -> int:
        return max(1, self.viewport().width() - GUTTER)

    def fit_bars(self) -> None:
        self.is_placing = True
        view = self.viewport()
        self.places.fit_lanes(view.height() - HEAD)
        across = self.horizontalScrollBar()
        down = self.verticalScrollBar()
        width = round(self.places.width(running=self.is_running))
        across.setRange(0, max(0, width - self.time_width()))
        across.setPageStep(self.time_width())
        across.setSingleStep(round(max(20.0, self.places.column / 2)))
        down.setRange(0, max(0, self.places.height() - (view.height() - HEAD)))
        down.setPageStep(view.height() - HEAD)
        down.setSingleStep(self.places.lane_height // 2)
        self.is_placing = False

    def show_row(self, row: int) -> None:
        """Scroll just far enough to show a checkpoint."""
        self.is_placing = True
        across = self.horizontalScrollBar()
        down = self.verticalScrollBar()
        row = self.places.shown_row(row)
        x = self.places.x_of(row)
        margin = min(self.places.column, self.time_width() / 4)
        right = max(margin, TAG_ROOM if self.model.is_last(row) else 0)
        across.setValue(
            round(min(max(across.value(), x + right - self.time_width()), x - margin))
        )
        lane = self.model.lane_of(row)
        top = self.branches.place_of(lane) * self.places.lane_height
        room = self.viewport().height() - HEAD - self.places.lane_height
        down.setValue(round(min(max(down.value(), top - room), top)))
        self.is_placing = False

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll over time, and over branches when not all fit; Ctrl zooms."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            factor = 1.2 ** (wheel.turn(event) / wheel.NOTCH)
            self.set_zoom(self.places.column * factor, event.position().x())
        else:
            scroll_by_wheel(self, event)
        event.accept()

    # --- places in the viewport ---

    @property
    def scroll_y(self) -> int:
        return self.verticalScrollBar().value()

    def point_of(self, checkpoint_id: str) -> QPoint:
        """Return the point of a checkpoint's mark in the viewport."""
        row = self.model.row_of(checkpoint_id)
        if row is None:
            return QPoint(-1, -1)
        row = self.places.shown_row(row)
        return self.viewport_point(self.places.x_of(row), self.model.lane_of(row))

    def viewport_point(self, content_x: float, lane: int) -> QPoint:
        x = GUTTER + content_x - self.horizontalScrollBar().value()
        y = HEAD + self.places.lane_y(lane) - self.verticalScrollBar().value()
        return QPoint(round(x), round(y))
