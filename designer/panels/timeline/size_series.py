"""How the sizes of the parts of a checkpoint grew along a branch, fetched a page at a
time.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from designer.session.session import DebugSession
from designer.session.timeline_model import TimelineModel
from runtime.debug.protocol import PartSize, SizesBody, SizesColumn

PAGE = 16  # checkpoints of a question
MOST = 128  # checkpoints of a branch that are measured
_WORDS = {
    "executor": "executor",
    "buffer": "held for",
    "request": "question",
    "queue": "queued messages",
    "trace": "trace of the superstep",
    "definition": "graph",
    "change": "change of the graph",
    "call": "result of",
}


class PartName(NamedTuple):
    """A part of a checkpoint: the way to its run, its kind, and its name there."""

    way: tuple[str, ...]
    kind: str
    name: str

    @property
    def words(self) -> str:
        """Return its name for people."""
        kind = _WORDS.get(self.kind, "" if self.kind == "shared" else self.kind)
        text = " ".join(filter(None, (kind, self.name)))
        return f"{'/'.join(self.way)}: {text}" if self.way else text


def name_of(part: PartSize) -> PartName:
    return PartName(part.way, part.kind, part.name)


def sampled_way(model: TimelineModel, lane: int) -> list[int]:
    """Return rows on the way to the head of a lane, in order: all of a short way, else
    every second, fourth and so on. The same rows stay while a run grows, so that few
    are measured again. The head is always there.
    """
    pieces: list[list[int]] = []
    count = 0
    last = model.lanes[lane].last_row
    while True:
        rows = model.lane_rows[lane].rows
        piece = rows[: bisect_right(rows, last)]
        pieces.append(piece)
        count += len(piece)
        parent = model.parent_row(model.lanes[lane].first_row)
        if parent is None:
            break
        last = parent
        lane = model.lane_of(parent)
    step = 1
    while count > MOST * step:
        step *= 2
    sampled = []
    place = 0
    for piece in reversed(pieces):
        sampled += piece[-place % step :: step]
        place += len(piece)
    head = pieces[0][-1]
    return sampled if sampled[-1] == head else [*sampled, head]


class SizeSeries(QObject):
    """The measured checkpoints of the way to the head of a lane. `changed` is emitted
    when more of them are known.
    """

    changed = Signal()

    def __init__(self, session: DebugSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._model = session.timeline
        self._columns: dict[str, SizesColumn] = {}
        self._is_asked = False
        self.rows: list[int] = []
        self._model.modelReset.connect(self._forget)

    def show_lane(self, lane: int) -> None:
        """Show the way to the head of a lane, as far as it is known, and fetch the
        rest.
        """
        self.rows = sampled_way(self._model, lane)
        self._fetch()

    def sizes_at(self, row: int) -> dict[PartName, int] | None:
        """Return the sizes at a checkpoint in bytes; None as long as it is not known."""
        column = self._columns.get(self._model.header_at(row).id)
        if column is None or column.unreadable:
            return None
        return {name_of(part): part.size for part in column.parts}

    def known(self) -> list[tuple[int, dict[PartName, int]]]:
        """Return the rows that are known, with their sizes."""
        pairs = [(row, self.sizes_at(row)) for row in self.rows]
        return [(row, sizes) for row, sizes in pairs if sizes is not None]

    def _forget(self) -> None:
        self._columns.clear()
        self.rows = []

    def _fetch(self) -> None:
        """Ask for the newest ones first, because the user looks at the end mostly."""
        if self._is_asked:
            return
        ids = [self._model.header_at(row).id for row in reversed(self.rows)]
        unknown = [each for each in ids if each not in self._columns]
        if unknown:
            self._is_asked = True
            self._session.questions.part_sizes(unknown[:PAGE], self._on_page)

    def _on_page(self, body: SizesBody | None) -> None:
        self._is_asked = False
        if body is None:
            return
        for column in body.columns:
            self._columns[column.checkpoint_id] = column
        self.changed.emit()
        self._fetch()
