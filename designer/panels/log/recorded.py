"""The recorded lines of checkpoints, fetched from the host a page at a time, the newest
first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from typing import Literal

from PySide6.QtCore import QObject, Signal

from designer.session.session import DebugSession
from runtime.debug.protocol import EventItem, EventsBody

Scope = Literal["way", "checkpoint", "run"]
PAGE = 100  # checkpoints in one question
KEPT = 3000  # checkpoints whose lines are kept


class RecordedLog(QObject):
    """The lines of the checkpoints on the way to one, of one alone, or of the whole run.

    A long way is read from its end: `read_earlier` reads the page before. `changed` is
    emitted when lines have arrived.
    """

    changed = Signal()

    def __init__(self, session: DebugSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._shown: tuple[Scope, str, int] = ("way", "", 0)
        self._rows: list[int] = []  # of the timeline, whose lines are wanted
        self._earliest: int | None = None  # the row before them
        self._lines: OrderedDict[str, tuple[EventItem, ...]] = OrderedDict()
        self._asked: tuple[str, ...] = ()
        session.timeline.modelReset.connect(self._on_reset)

    @property
    def has_earlier(self) -> bool:
        """Whether there are checkpoints before those that are read."""
        return self._earliest is not None

    @property
    def is_reading(self) -> bool:
        return bool(self._asked)

    @property
    def items(self) -> list[EventItem]:
        """The lines that have arrived, the oldest first."""
        timeline = self._session.timeline
        items: list[EventItem] = []
        for row in self._rows:
            items += self._lines.get(timeline.header_at(row).id, ())
        return items

    def show(self, scope: Scope, checkpoint_id: str) -> None:
        """Want the lines of a scope, for one checkpoint."""
        count = self._session.timeline.rowCount()
        shown = (scope, checkpoint_id, count if scope == "run" else 0)
        if shown == self._shown:
            return
        # Lines that were read earlier stay in the list while the run grows.
        is_same_run = scope == "run" and self._shown[0] == "run"
        wanted = max(PAGE, len(self._rows)) if is_same_run else PAGE
        self._shown = shown
        self._rows = []
        self._earliest = self._last_row(scope, checkpoint_id, count)
        self._extend(wanted)
        self._ask()

    def read_earlier(self) -> None:
        """Read the page of checkpoints before those that are there."""
        self._extend(PAGE)
        self._ask()
        self.changed.emit()

    def _last_row(self, scope: Scope, checkpoint_id: str, count: int) -> int | None:
        if scope == "run":
            return count - 1 if count else None
        return self._session.timeline.row_of(checkpoint_id)

    def _extend(self, number: int) -> None:
        rows: list[int] = []
        row = self._earliest
        while row is not None and len(rows) < number:
            rows.append(row)
            row = self._row_before(row)
        self._rows = [*reversed(rows), *self._rows]
        self._earliest = row

    def _row_before(self, row: int) -> int | None:
        match self._shown[0]:
            case "checkpoint":
                return None
            case "run":
                return row - 1 if row else None
            case "way":
                return self._session.timeline.parent_row(row)

    # --- asking: one question at a time, the newest lines first ---

    def _ask(self) -> None:
        if self._asked:
            return
        timeline = self._session.timeline
        missing = []
        for row in reversed(self._rows):
            checkpoint_id = timeline.header_at(row).id
            if checkpoint_id not in self._lines:
                missing.append(checkpoint_id)
            if len(missing) == PAGE:
                break
        if missing:
            self._asked = tuple(reversed(missing))
            self._session.questions.log(
                self._asked, partial(self._on_lines, self._asked)
            )

    def _on_lines(self, asked: Sequence[str], body: EventsBody | None) -> None:
        if asked != self._asked:
            return  # another run is on the timeline since
        self._asked = ()
        lines: dict[str, list[EventItem]] = {id_: [] for id_ in asked}
        for item in body.events if body is not None else ():
            lines.setdefault(item.checkpoint_id, []).append(item)
        for checkpoint_id, items in lines.items():
            self._lines[checkpoint_id] = tuple(items)
        while len(self._lines) > max(KEPT, len(self._rows) + PAGE):
            self._lines.popitem(last=False)
        self.changed.emit()
        self._ask()

    def _on_reset(self) -> None:
        self._shown = ("way", "", 0)
        self._rows = []
        self._earliest = None
        self._lines.clear()
        self._asked = ()
