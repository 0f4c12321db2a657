"""The branches that the timeline shows: in which order, and which of them are folded
into the branch that they leave.

Both are choices of the person who looks. They stay in the window, because a store is
changed by no looking.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Signal

from designer.session.timeline_model import TimelineModel


@dataclass(slots=True)
class _Choices:
    """What the user chose for one run.

    order   lanes from top to bottom; lanes that came later follow in their own order
    folded  lanes whose forks are not shown
    hidden  forks that are not shown
    """

    order: list[int] = field(default_factory=list)
    folded: set[int] = field(default_factory=set)
    hidden: set[int] = field(default_factory=set)


class Branches(QObject):
    """The rows of the timeline: a lane of the model for each place."""

    changed = Signal()  # order or folding

    def __init__(self, model: TimelineModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._by_run: dict[str, _Choices] = {}
        self._choices = _Choices()
        self._run_id = ""
        self._parents: list[int | None] = []
        self._forks: list[list[int]] = []
        self._shown: list[int] = []
        self._places: dict[int, int] = {}
        # Before the strip, which asks for places when the model has grown.
        model.grown.connect(self._on_grown)
        model.modelReset.connect(self._on_grown)
        self._on_grown()

    # --- what is shown ------------------------------------------------------------------------------------------

    @property
    def shown(self) -> Sequence[int]:
        """The lanes that are shown, from top to bottom."""
        return self._shown

    def is_shown(self, lane: int) -> bool:
        return lane in self._places

    def place_of(self, lane: int) -> int:
        """Return the place of a lane from the top. A folded lane has that of the lane
        that it is folded into.
        """
        while lane not in self._places:
            parent = self._parents[lane]
            if parent is None:
                return 0
            lane = parent
        return self._places[lane]

    def forks_of(self, lane: int) -> Sequence[int]:
        """Return the lanes that leave a lane."""
        return self._forks[lane]

    def is_open(self, lane: int) -> bool:
        """Return whether all lanes that leave a lane are shown."""
        return all(fork in self._places for fork in self._forks[lane])

    def folded_count(self, lane: int) -> int:
        """Return how many lanes are folded into a lane that is shown, and not into one
        below it.
        """
        place = self._places.get(lane)
        folded = [below for below in self._below(lane) if below not in self._places]
        return sum(1 for below in folded if self.place_of(below) == place)

    def can_hide(self, lane: int) -> bool:
        """Return whether a lane leaves another, which can stand for it."""
        return self._parents[lane] is not None

    @property
    def has_folded(self) -> bool:
        return len(self._shown) < len(self._parents)

    # --- choices ------------------------------------------------------------------------------------------------

    def toggle(self, lane: int) -> None:
        """Fold the branches that leave a lane, or show them."""
        if self.is_open(lane):
            self._choices.folded.add(lane)
        else:
            self._choices.folded.discard(lane)
            self._choices.hidden.difference_update(self._forks[lane])
        self._arrange()

    def hide(self, lane: int) -> None:
        """Fold one branch into the branch that it leaves."""
        if self.can_hide(lane):
            self._choices.hidden.add(lane)
            self._arrange()

    def show_all(self) -> None:
        self._choices.folded.clear()
        self._choices.hidden.clear()
        self._arrange()

    def reveal(self, lane: int) -> None:
        """Show a lane, and those that lead to it."""
        if self.is_shown(lane):
            return
        step: int | None = lane
        while step is not None:
            self._choices.hidden.discard(step)
            step = self._parents[step]
            if step is not None:
                self._choices.folded.discard(step)
        self._arrange()

    def move(self, lane: int, by: int) -> None:
        """Move a lane up (-1) or down (1) by one place."""
        if lane in self._places:
            place = self._places[lane]
            self.move_to(lane, place + by + (by > 0))

    def move_to(self, lane: int, place: int) -> None:
        """Move a lane in front of the lane that is at a place; behind the last for a
        place after it.
        """
        place = max(0, min(place, len(self._shown)))
        order = self._order()
        if place == len(self._shown):
            order.remove(lane)
            order.append(lane)
        else:
            target = self._shown[place]
            if target == lane:
                return
            order.remove(lane)
            order.insert(order.index(target), lane)
        self._choices.order = order
        self._arrange()

    # --- inside -------------------------------------------------------------------------------------------------

    def _on_grown(self) -> None:
        if self._model.run_id != self._run_id:
            self._run_id = self._model.run_id
            self._choices = self._by_run.setdefault(self._run_id, _Choices())
        if len(self._parents) > self._model.branch_count:
            self._parents = []
            self._forks = []
        if len(self._parents) == self._model.branch_count:
            if not self._parents:
                self._arrange()
            return
        for lane in range(len(self._parents), self._model.branch_count):
            parent = self._parent(lane)
            self._parents.append(parent)
            self._forks.append([])
            if parent is not None:
                self._forks[parent].append(lane)
        self._arrange()

    def _parent(self, lane: int) -> int | None:
        row = self._model.parent_row(self._model.lanes[lane].first_row)
        return None if row is None else self._model.lane_of(row)

    def _order(self) -> list[int]:
        count = len(self._parents)
        order = [lane for lane in self._choices.order if lane < count]
        known = set(order)
        return order + [lane for lane in range(count) if lane not in known]

    def _arrange(self) -> None:
        folded: set[int] = set()
        # A parent's lane always comes before the lanes that leave it.
        for lane, parent in enumerate(self._parents):
            if parent is None:
                continue
            is_folded = parent in folded or parent in self._choices.folded
            if is_folded or lane in self._choices.hidden:
                folded.add(lane)
        shown = [lane for lane in self._order() if lane not in folded]
        if shown != self._shown:
            self._shown = shown
            self._places = {lane: place for place, lane in enumerate(shown)}
            self.changed.emit()

    def _below(self, lane: int) -> Iterator[int]:
        waiting = list(self._forks[lane])
        while waiting:
            fork = waiting.pop()
            yield fork
            waiting += self._forks[fork]
