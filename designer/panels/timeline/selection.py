"""The selected checkpoints of the timeline: a piece of the way that led to one of
them.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from designer.session.timeline_model import TimelineModel


class Selection(QObject):
    """Rows of a timeline, in order. Empty as long as the user selects nothing: then
    commands are about the viewed checkpoint.
    """

    changed = Signal()

    def __init__(self, model: TimelineModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[int, ...] = ()
        self._start: int | None = None  # the checkpoint from which the user selects
        self._model = model
        model.modelReset.connect(self.clear)

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self._model.header_at(row).id for row in self.rows)

    def clear(self) -> None:
        self._start = None
        self._set(())

    def extend(self, start: int | None, row: int) -> None:
        """Select all from where the selection began (else from `start`) to a row."""
        if self._start is None:
            self._start = start if start is not None else row
        self._set(way_between(self._model, self._start, row))

    def select_lane(self, lane: int) -> None:
        """Select all checkpoints of a branch."""
        self._start = None
        self._set(self._model.lane_rows[lane].rows)

    def _set(self, rows: Sequence[int]) -> None:
        if tuple(rows) != self.rows:
            self.rows = tuple(rows)
            self.changed.emit()


def way_between(model: TimelineModel, first: int, last: int) -> Sequence[int]:
    """Return the rows from one checkpoint to another that came from it, or the other
    way round. Of two that are on different branches, return these two.
    """
    first, last = sorted((first, last))
    rows = [last]
    # A parent's row always comes before the rows that follow it.
    while rows[-1] > first:
        parent = model.parent_row(rows[-1])
        if parent is None:
            break
        rows.append(parent)
    if rows[-1] == first:
        return rows[::-1]
    return [first, last]
