"""Where the time of a run went: in the longest handler of each superstep, in the others,
and in waiting at barriers.

A question reads for a moment only and goes on where the last one ended, because a long
run has thousands of supersteps and other questions wait on the same loop.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from runtime.checkpoint import Cause, parent_among
from runtime.checkpoints.archive import Archive
from runtime.debug.protocol import BoardCell, BoardTimesBody, parted
from runtime.debug.timeline.board import cells_of
from runtime.errors import WorkflowCheckpointException
from runtime.state import Trace

# Seconds that one question may spend on reading.
READING = 0.05
HEADERS_PAGE = 5000
# How many sums are kept, each up to some checkpoint: a few branches, and their way.
SUMS_KEPT = 16


@dataclass
class Sums:
    """The sums of a line of supersteps. `finished` has when each executor would have
    ended without barriers, and `held` when the last message of a join would have come.
    """

    supersteps: int = 0
    critical: float = 0.0
    others: float = 0.0
    waiting: float = 0.0
    direct: float = 0.0
    unreadable: int = 0
    finished: dict[str, float] = field(default_factory=dict)
    held: dict[str, float] = field(default_factory=dict)

    def copy(self) -> Sums:
        return replace(self, finished=dict(self.finished), held=dict(self.held))

    def add(self, trace: Trace) -> None:
        """Add the superstep after those that were added before."""
        cells = list(cells_of(trace))
        self.supersteps += 1
        if not cells:
            return
        longest = max(cells, key=lambda cell: cell.ended - cell.started)
        end = max(cell.ended for cell in cells)
        self.critical += longest.ended - longest.started
        for cell in cells:
            self.waiting += end - cell.ended
            if cell is not longest:
                self.others += cell.seconds
        self._add_direct(trace, cells)

    def _add_direct(self, trace: Trace, cells: list[BoardCell]) -> None:
        """Add the superstep as it would have been without a barrier before it: each
        handler begins when its messages are sent and its earlier calls are done.
        """
        ready: dict[str, float] = {}
        for fate in trace.fates:
            sent = self.finished.get(fate.source_id, 0.0)
            if fate.kind == "buffered" and fate.edge_id is not None:
                self.held[fate.edge_id] = max(self.held.get(fate.edge_id, 0.0), sent)
            elif fate.kind == "delivered" and fate.target_id is not None:
                target = fate.target_id
                ready[target] = max(ready.get(target, 0.0), sent)
        for release in trace.releases:
            target = release.target_id
            came = self.held.pop(release.edge_id, 0.0)
            ready[target] = max(ready.get(target, 0.0), came)
        done: dict[str, float] = {}
        for cell in cells:
            name = cell.executor
            begin = max(ready.get(name, 0.0), self.finished.get(name, 0.0))
            keys, _ = parted(name)
            owners = [_owner(keys, depth) for depth in range(len(keys))]
            if name not in ready and owners:
                # The first call in an invocation takes what its node was given.
                begin = max(begin, self.finished.get(owners[-1], 0.0))
            end = begin + cell.ended - cell.started
            for each in (name, *owners):
                done[each] = max(done.get(each, 0.0), end)
        self.finished.update(done)
        self.direct = max(self.direct, *done.values())


class _Place(NamedTuple):
    id: str
    parent: str | None
    cause: str
    sequence: int


class _Way:
    """The checkpoints of one run, as far as they were read."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        self._places: dict[str, _Place] = {}
        self._last = 0

    async def line(self, archive: Archive, checkpoint_id: str) -> list[_Place]:
        """Return a checkpoint and its ancestors, the newest first."""
        while checkpoint_id not in self._places:
            page = await archive.store.headers(
                run_id=self.run_id, after=self._last, limit=HEADERS_PAGE
            )
            if not page:
                break
            self._last = max(self._last, page[-1].sequence)
            for header in page:
                self._places[header.id] = _Place(
                    header.id, header.parent, header.cause, header.sequence
                )
        line = []
        place = self._places.get(checkpoint_id)
        while place is not None:
            line.append(place)
            place = parent_among(place, self._places)
        return line


def _owner(keys: tuple[str, ...], depth: int) -> str:
    """Return the name of the node that an invocation belongs to."""
    return "/".join((*keys[:depth], keys[depth].rpartition("#")[0]))


class BoardTimes:
    """The sums of the lines that were asked for, each up to the checkpoint to which it
    was read.
    """

    def __init__(self) -> None:
        self._sums: OrderedDict[str, Sums] = OrderedDict()
        self._way = _Way("")

    async def until(self, archive: Archive, checkpoint_id: str) -> BoardTimesBody:
        """Return the sums up to a checkpoint, as far as they can be read in the time.

        Raise `CheckpointNotFoundError` if it is not there.
        """
        end = time.perf_counter() + READING
        header = (await archive.store.load(checkpoint_id)).header
        # Another question may look at another run meanwhile, so each keeps its own way.
        way = self._way
        if way.run_id != header.run_id:
            way = self._way = _Way(header.run_id)
        sums, line = self._begin(await way.line(archive, checkpoint_id))
        last = ""
        while line:
            place = line.pop()
            last = place.id
            await self._add(archive, place, sums)
            if time.perf_counter() > end:
                break
        if last:
            self._sums[last] = sums
            if len(self._sums) > SUMS_KEPT:
                self._sums.popitem(last=False)
        return BoardTimesBody(
            checkpoint_id=checkpoint_id,
            supersteps=sums.supersteps,
            critical=sums.critical,
            others=sums.others,
            waiting=sums.waiting,
            direct=sums.direct,
            unreadable=sums.unreadable,
            complete=not line,
        )

    def _begin(self, line: list[_Place]) -> tuple[Sums, list[_Place]]:
        """Return the sums to go on from, and what of the line is missing in them, the
        newest first.
        """
        missing: list[_Place] = []
        for place in line:
            sums = self._sums.get(place.id)
            if sums is not None:
                self._sums.move_to_end(place.id)
                return sums.copy(), missing
            missing.append(place)
        return Sums(), missing

    async def _add(self, archive: Archive, place: _Place, sums: Sums) -> None:
        # Only a superstep has times of its own; a fork repeats those of its origin.
        if place.cause != Cause.SUPERSTEP:
            return
        try:
            _, trace = await archive.trace(place.id)
        except WorkflowCheckpointException:
            sums.unreadable += 1
            return
        sums.add(trace)
