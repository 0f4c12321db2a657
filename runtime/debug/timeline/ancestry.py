"""Which supersteps led to a checkpoint, and which of them had outputs.

A host may see millions of checkpoints, so it remembers nothing of those without
outputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from runtime.checkpoint import (
    Cause,
    CheckpointHeader,
    CheckpointStore,
    parent_among,
)
from runtime.errors import WorkflowCheckpointException


class Place(NamedTuple):
    """The place of a checkpoint in the lineage; `line` is its run and branch."""

    id: str
    parent: str | None
    is_superstep: bool
    line: tuple[str, str]
    sequence: int

    @classmethod
    def of(cls, header: CheckpointHeader) -> Place:
        # A fork or an answer repeats the barrier of its parent; only supersteps have
        # outputs of their own.
        is_superstep = header.cause == Cause.SUPERSTEP
        return cls(
            header.id,
            header.parent,
            is_superstep,
            (header.run_id, header.branch),
            header.sequence,
        )


class Step(NamedTuple):
    """A checkpoint on the way to another, with its place. For a gap, `at` is the
    place of the checkpoint after the gap and `id` that of the missing parent.
    """

    id: str
    at: Place

    @property
    def may_be_loud(self) -> bool:
        return self.at.is_superstep or self.id != self.at.id


class Ancestry:
    """The ways to checkpoints, read from the store. A header is read only once."""

    def __init__(self) -> None:
        self._places: dict[str, Place] = {}

    async def to(self, store: CheckpointStore, header: CheckpointHeader) -> list[str]:
        """Return the ids of the checkpoints of supersteps from the input to this
        one, in order.

        Where checkpoints were removed, the nearest one represents the whole
        gap, and the line goes on before it.
        """
        way = await self.back(store, Place.of(header))
        return [step.id for step in reversed(way) if step.may_be_loud]

    async def back(self, store: CheckpointStore, place: Place) -> list[Step]:
        """Return all checkpoints and gaps on the way, the newest first."""
        self._places[place.id] = place
        way: list[Step] = []
        current: Place | None = place
        has_read = False
        while current is not None:
            way.append(Step(current.id, current))
            if current.parent is None:
                break
            if current.parent not in self._places and not has_read:
                for header in await store.headers(run_id=place.line[0]):
                    self._places[header.id] = Place.of(header)
                has_read = True
            before = parent_among(current, self._places)
            if before is None:
                way.append(Step(current.parent, current))
                before = self._nearest(current)
            current = before
        return way

    def _nearest(self, after: Place) -> Place | None:
        """Return the last checkpoint before a gap on the same branch."""
        earlier = [
            candidate
            for candidate in self._places.values()
            if candidate.line == after.line and candidate.sequence < after.sequence
        ]
        return max(earlier, key=lambda candidate: candidate.sequence, default=None)


class Loud(NamedTuple):
    """A checkpoint with outputs, and how many; None if that is unknown or cannot
    be read.
    """

    sequence: int
    id: str
    values: int | None


@dataclass(slots=True, eq=False)
class _Stretch:
    """Consecutive checkpoints of one line, from the first to the head, and the
    loud ones among them. If `parent` is None, nothing comes before them.
    """

    first: int
    parent: str | None
    head: str
    last: int
    loud: list[Loud] = field(default_factory=list)


class Unseen(NamedTuple):
    """An unknown piece of a way, the newest step first. If `ends`, nothing comes
    before it.
    """

    steps: list[Step]
    ends: bool


class Way:
    """Remember which checkpoints on the ways have outputs. Read unknown pieces
    from the store.
    """

    def __init__(self) -> None:
        self._stretches: dict[tuple[str, str], list[_Stretch]] = {}

    def note(self, header: CheckpointHeader, values: int) -> None:
        """Note a checkpoint that was just saved or restored, and how many
        outputs it has.
        """
        stretch = self._extended(
            (header.run_id, header.branch), header.parent, header.id, header.sequence
        )
        if values and header.cause == Cause.SUPERSTEP:
            stretch.loud.append(Loud(header.sequence, header.id, values))

    async def to(
        self, store: CheckpointStore, header: CheckpointHeader
    ) -> tuple[list[Loud], list[Unseen]]:
        """Return the loud checkpoints on the way to a checkpoint, the newest
        first, and the pieces of the way that are unknown. Every step of an
        unknown piece that may be loud is included; `learn` takes what was
        read of them.
        """
        louds: list[Loud] = []
        unseen: list[Unseen] = []
        place: Place | None = Place.of(header)
        while place is not None:
            stretch = self._around(place)
            if stretch is None:
                steps, place = await self._unseen(store, place)
                unseen.append(Unseen(steps, ends=place is None))
                louds += [
                    Loud(step.at.sequence, step.id, None)
                    for step in steps
                    if step.may_be_loud
                ]
                continue
            if stretch.parent is None:
                before = None
            else:
                before = await _place(store, stretch.parent)
                if before is not None and before.sequence >= stretch.first:
                    before = None  # a damaged store, see `parent_among`
            if before is None and stretch.parent is not None:
                # Removed or damaged: all headers of the run show what was before it.
                self._stretches[place.line] = [
                    known_stretch
                    for known_stretch in self._stretches[place.line]
                    if known_stretch is not stretch
                ]
                continue
            sequence = place.sequence
            louds += [
                loud for loud in reversed(stretch.loud) if loud.sequence <= sequence
            ]
            place = before
        return louds, unseen

    def learn(self, unseen: Sequence[Unseen], values: Mapping[str, int | None]) -> None:
        """Note what was read of the pieces that `to` returned: the number of
        outputs of each checkpoint, None if it cannot be read.
        """
        for steps, ends in unseen:
            groups = [
                list(group)
                for _, group in groupby(steps, key=lambda step: step.at.line)
            ]
            for number, group in enumerate(groups, 1):
                first = group[-1].at
                last = group[0].at
                if self._around(last) is not None:
                    continue  # meanwhile, by another question
                parent = None if ends and number == len(groups) else first.parent
                stretch = self._extended(
                    first.line, parent, last.id, last.sequence, first.sequence
                )
                loud = [
                    Loud(step.at.sequence, step.id, values.get(step.id, 0))
                    for step in reversed(group)
                ]
                stretch.loud += [
                    loud_step for loud_step in loud if loud_step.values != 0
                ]

    def _extended(
        self,
        line: tuple[str, str],
        parent: str | None,
        head: str,
        last: int,
        first: int | None = None,
    ) -> _Stretch:
        """Return the stretch that ends in `parent`, extended to another head;
        or a new one.
        """
        stretches = self._stretches.setdefault(line, [])
        for stretch in reversed(stretches):  # nearly always the last
            if parent is not None and stretch.head == parent:
                stretch.head = head
                stretch.last = last
                return stretch
        new_stretch = _Stretch(last if first is None else first, parent, head, last)
        stretches.append(new_stretch)
        return new_stretch

    async def _unseen(
        self, store: CheckpointStore, place: Place
    ) -> tuple[list[Step], Place | None]:
        """Return the steps from a checkpoint back to the nearest known one,
        and that one.
        """
        for stretch in self._stretches.get(place.line, ()):
            if stretch.head == place.parent and stretch.last < place.sequence:
                return [Step(place.id, place)], place._replace(
                    id=stretch.head, sequence=stretch.last
                )
        steps = await Ancestry().back(store, place)
        for index, step in enumerate(steps):
            if step.id == step.at.id and self._around(step.at) is not None:
                return steps[:index], step.at
        return steps, None

    def _around(self, place: Place) -> _Stretch | None:
        """Return the stretch that contains a checkpoint. A branch is a line,
        so the sequence decides.
        """
        for stretch in self._stretches.get(place.line, ()):
            if stretch.first <= place.sequence <= stretch.last:
                return stretch
        return None


async def _place(store: CheckpointStore, checkpoint_id: str) -> Place | None:
    try:
        return Place.of((await store.load(checkpoint_id)).header)
    except WorkflowCheckpointException:
        return None
