"""Where two branches or runs part, why, and what follows from it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from runtime.checkpoint import CheckpointHeader
from runtime.checkpoints.archive import Archive
from runtime.debug.compare.checkpoints import Change, changes
from runtime.debug.compare.divergence_cause import Both, Reason, reason_of
from runtime.debug.compare.two_lines import (
    First,
    Search,
    Side,
    TwoLines,
    run_changes,
    run_of,
    two_lines,
)
from runtime.debug.moments.moment import Snapshot
from runtime.debug.sections import GRAPH
from runtime.errors import WorkflowCheckpointException
from runtime.state import RunState

# Barriers after the first difference whose differences are counted.
FOLLOWING = 40
# Differences of one barrier that are counted.
COUNTED = 1000
# Differences at the first one that are returned.
AT_FIRST = 200


class Limits(NamedTuple):
    """Seconds for the search, after which it bisects, and for counting what follows."""

    search: float = float("inf")
    counting: float = float("inf")
    clock: Callable[[], float] = time.perf_counter


class Row(NamedTuple):
    """A superstep after the first difference: the last checkpoint of each line in it,
    None where it has none, and how many differences there are; None if that was not
    counted.
    """

    superstep: int
    base: CheckpointHeader | None
    other: CheckpointHeader | None
    differences: int | None = None


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where two lines part. Without a difference of the runs `reason` is None.

    base, other  the first checkpoints that differ; None where a line has ended
    changes      what differs there; `barriers` are the two, or the ends of the lines
    graph        what differs between the graphs
    """

    lines: TwoLines
    first: First
    barriers: tuple[Snapshot, Snapshot]
    base: CheckpointHeader | None = None
    other: CheckpointHeader | None = None
    reason: Reason | None = None
    changes: Sequence[Change] = ()
    graph: Sequence[Change] = ()
    following: Sequence[Row] = ()

    @property
    def equal(self) -> int:
        """Return how many checkpoints of both lines are equal before it."""
        return self.lines.shortest if self.first.place is None else self.first.place


async def diverge(
    base: Side,
    other: Side,
    keys: tuple[str, ...] = (),
    limits: Limits = Limits(),  # noqa: B008 - a frozen value
) -> Divergence:
    """Return where the lines to two checkpoints part, in the outermost run or in the
    one to which `keys` lead. Raise what `Archive.view` raises.
    """
    lines = await two_lines(base, other, keys)
    archives = (base.archive, other.archive)
    first = await Search(archives, lines, keys).first(limits.search, limits.clock)
    barriers = _Barriers(archives, keys)
    ends = await barriers.both(lines.base[-1], lines.other[-1])
    graph = [change for change in changes(*ends) if change.section == GRAPH]
    if first.place is None:
        return Divergence(lines, first, ends, graph=graph)
    base_header = _at(lines.base, first.place)
    other_header = _at(lines.other, first.place)
    before = await barriers.one(0, base_header)
    after = await barriers.one(1, other_header)
    first_changes: list[Change] = []
    if before is not None and after is not None:
        first_changes = list(islice(run_changes(before, after), AT_FIRST))
        graph = [change for change in changes(before, after) if change.section == GRAPH]
    return Divergence(
        lines,
        first,
        (before or ends[0], after or ends[1]),
        base_header,
        other_header,
        reason_of(Both(before, after, *ends), graph),
        first_changes,
        graph,
        await _following(barriers, lines, first.place, limits),
    )


def _at(line: Sequence[CheckpointHeader], place: int) -> CheckpointHeader | None:
    return line[place] if place < len(line) else None


class _Barriers:
    """Reads the barriers of both lines, in the run to which `keys` lead. A run that
    does not run there is empty.
    """

    def __init__(
        self, archives: tuple[Archive, Archive], keys: tuple[str, ...]
    ) -> None:
        self._archives = archives
        self._keys = keys

    async def one(self, side: int, header: CheckpointHeader | None) -> Snapshot | None:
        if header is None:
            return None
        checkpoint = await self._archives[side].view(header.id)
        snapshot = run_of(checkpoint, self._keys)
        if snapshot is None:
            return Snapshot(header, RunState(), checkpoint.trace, None)
        return snapshot

    async def both(
        self, base: CheckpointHeader, other: CheckpointHeader
    ) -> tuple[Snapshot, Snapshot]:
        first = await self.one(0, base)
        second = await self.one(1, other)
        if first is None or second is None:
            raise LookupError("There is no checkpoint to compare.")
        return first, second


async def _following(
    barriers: _Barriers, lines: TwoLines, place: int, limits: Limits
) -> list[Row]:
    """Return the supersteps after the first difference, with the number of their
    differences as far as there is time to count them.
    """
    base = {header.superstep: header for header in lines.base[place:]}
    other = {header.superstep: header for header in lines.other[place:]}
    first = min(
        header.superstep
        for header in (_at(lines.base, place), _at(lines.other, place))
        if header is not None
    )
    supersteps = sorted({*base, *other} - {first})
    end = limits.clock() + limits.counting
    rows = []
    for superstep in supersteps[:FOLLOWING]:
        row = Row(superstep, base.get(superstep), other.get(superstep))
        if row.base is not None and row.other is not None and limits.clock() < end:
            row = row._replace(differences=await _count(barriers, row.base, row.other))
        rows.append(row)
    return rows


async def _count(
    barriers: _Barriers, base: CheckpointHeader, other: CheckpointHeader
) -> int | None:
    try:
        both = await barriers.both(base, other)
    except WorkflowCheckpointException:
        return None
    return sum(1 for _ in islice(run_changes(*both), COUNTED))
