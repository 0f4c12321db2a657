"""Where the hits of questions are on the lanes of the timeline."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

from designer.session.past_search import PastQuestion
from designer.session.timeline_model import TimelineModel


@dataclass(frozen=True, slots=True)
class HitTag:
    """The tag of a question at a mark. `count` checkpoints there have hits of it."""

    number: int
    is_active: bool
    count: int = 1


@dataclass(slots=True)
class _LaneHits:
    """The rows and supersteps of the checkpoints of a lane with hits, in order."""

    rows: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)


class _Marked:
    """The checkpoints with hits of one question, by lanes. Grows with its hits."""

    def __init__(self, question: PastQuestion) -> None:
        self.question = question
        self.id = question.id
        self.taken = 0
        self.missing = 0
        self.lanes: dict[int, _LaneHits] = {}

    def grow(self, model: TimelineModel) -> None:
        hits = self.question.hits
        last = None
        for place in range(self.taken, len(hits)):
            checkpoint_id = hits[place].checkpoint_id
            if checkpoint_id == last:
                continue
            last = checkpoint_id
            row = model.row_of(checkpoint_id)
            if row is None:
                self.missing += 1
                continue
            lane = self.lanes.setdefault(model.lane_of(row), _LaneHits())
            if not lane.rows or lane.rows[-1] < row:
                lane.rows.append(row)
                lane.columns.append(model.column_of(row))
        self.taken = len(hits)


class HitMarks:
    """Follows the questions. Finding the tags of a mark costs two searches in a sorted
    list for each question, because a question may have thousands of hits.
    """

    def __init__(self, model: TimelineModel) -> None:
        self._model = model
        self._marked: list[_Marked] = []
        self._active: PastQuestion | None = None
        self._rows = 0

    @property
    def is_empty(self) -> bool:
        return not self._marked

    def follow(
        self, questions: Iterable[PastQuestion], active: PastQuestion | None
    ) -> None:
        """Take the present questions and what was found since."""
        known = {marked.question: marked for marked in self._marked}
        has_grown = self._model.rowCount() != self._rows
        self._rows = self._model.rowCount()
        self._active = active
        self._marked = []
        for question in questions:
            marked = known.get(question)
            # A hit of a checkpoint that was not on the timeline yet is looked up again.
            is_late = marked is not None and marked.missing and has_grown
            if marked is None or marked.id != question.id or is_late:
                marked = _Marked(question)
            if len(question.hits) < marked.taken:
                marked = _Marked(question)
            marked.grow(self._model)
            self._marked.append(marked)

    def at_rows(self, lane: int, first: int, last: int) -> list[HitTag]:
        """Return the tags of the checkpoints of a lane from row `first` to `last`."""
        tags = []
        for marked in self._marked:
            hits = marked.lanes.get(lane)
            if hits is not None:
                count = bisect_right(hits.rows, last) - bisect_left(hits.rows, first)
                if count:
                    tags.append(self._tag(marked, count))
        return tags

    def at_columns(self, lane: int, first: int, last: int) -> list[HitTag]:
        """Return the tags of the checkpoints of a lane in supersteps `first` to `last`."""
        tags = []
        for marked in self._marked:
            hits = marked.lanes.get(lane)
            if hits is not None:
                start = bisect_left(hits.columns, first)
                count = bisect_right(hits.columns, last) - start
                if count:
                    tags.append(self._tag(marked, count))
        return tags

    def _tag(self, marked: _Marked, count: int) -> HitTag:
        is_active = marked.question is self._active
        return HitTag(marked.question.number, is_active, count)
