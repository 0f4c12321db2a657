"""The keys and the mouse of the handles A and B: what is compared, and where both are."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QPointF

from designer.look.difference_marks import Side
from designer.panels.timeline.handles import Handles, chip_rect
from designer.panels.timeline.walk import Walker
from designer.session.session import DebugSession


class HandleMouse:
    """B is what is viewed. Before there is an A, a checkpoint can wait as B for one.

    `point_of` returns the point of a checkpoint's mark, `changed` repaints.
    """

    def __init__(
        self,
        session: DebugSession,
        walker: Walker,
        point_of: Callable[[str], QPoint],
        changed: Callable[[], object],
    ) -> None:
        self._session = session
        self._model = session.timeline
        self._walker = walker
        self._point_of = point_of
        self._changed = changed
        self._dragged: Side | None = None
        self._waiting = ""  # the checkpoint that waits as B; "" for none

    @property
    def handles(self) -> Handles:
        """The rows of the handles."""
        session = self._session
        if not session.base:
            return Handles(other=self._model.row_of(self._waiting))
        divergence = session.divergence
        equal = None
        if session.shows_first and divergence is not None:
            equal = self._model.row_of(divergence.equal_other)
        base = None if session.base_name else self._model.row_of(session.base)
        return Handles(base, self._walker.current, equal)

    # --- keys ---------------------------------------------------------------------------------------------------

    def put_a(self) -> None:
        """Put A on the current checkpoint, or take it away from it. A waiting B is
        viewed then.
        """
        current = self._walker.current_id
        waiting = self._waiting
        self._waiting = ""
        if not current:
            return
        if waiting and waiting != current:
            self._session.compare_pair(current, waiting)
        else:
            base = "" if current == self._session.base else current
            self._session.compare_with(base)
        self._changed()

    def put_b(self) -> None:
        """Let the current checkpoint wait as B for an A, or no longer. While two are
        compared, B is always the one that is viewed.
        """
        current = self._walker.current_id
        if current and not self._session.base:
            self._waiting = "" if self._waiting == current else current
            self._changed()

    def compare(self) -> None:
        """Compare the current checkpoint with the one before it, or stop comparing."""
        before = self._model.parent_row(self._walker.current)
        if self._session.base:
            self._session.compare_with("")
        elif before is not None:
            self._waiting = ""
            self._session.compare_with(self._walker.id_of(before))

    def forget_waiting(self) -> bool:
        """Let no checkpoint wait as B. Return False if none did."""
        if not self._waiting:
            return False
        self._waiting = ""
        self._changed()
        return True

    # --- mouse --------------------------------------------------------------------------------------------------

    def side_at(self, point: QPoint) -> Side | None:
        """Return the handle whose chip is at a point of the viewport."""
        handles = self.handles
        for side, row in handles.places():
            mark = QPointF(self._point_of(self._walker.id_of(row)))
            if chip_rect(mark, side, handles).contains(QPointF(point)):
                return side
        return None

    @property
    def is_pressed(self) -> bool:
        return self._dragged is not None

    def press(self, point: QPoint) -> bool:
        """Begin to drag the handle at a point. Return False if there is none."""
        self._dragged = self.side_at(point)
        return self._dragged is not None

    def move(self, row: int | None) -> None:
        """Put the dragged handle on a checkpoint."""
        if row is None:
            return
        if self._dragged == "A":
            self._session.compare_with(self._walker.id_of(row))
        elif self._session.base:
            self._walker.view(row)
        else:
            self._waiting = self._walker.id_of(row)
        self._changed()

    def release(self) -> None:
        self._dragged = None
