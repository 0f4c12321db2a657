"""Two lines of checkpoints side by side, and the first place where they differ.

Parts of checkpoints are named by digests of their bytes, so two checkpoints are mostly
compared by their manifests alone, and only those that differ there are read. A run can
come back to what another one is, so equality later says nothing about before: every
pair is compared, the first ones first. If that takes too long, the rest is bisected,
and the answer says that it is not proved.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from runtime.checkpoint import (
    Cause,
    Checkpoint,
    CheckpointHeader,
    Part,
    Record,
    parent_among,
)
from runtime.checkpoints.archive import Archive, seen_way
from runtime.debug.compare.checkpoints import Change, changes, moves
from runtime.debug.compare.values import is_equal
from runtime.debug.moments.moment import Snapshot
from runtime.debug.sections import GRAPH, HEADER, OUTPUTS, Place, Waiting
from runtime.errors import WorkflowCheckpointException
from runtime.stores.threaded import ThreadedStore

# Pairs that are read at once: few at first, because most lines differ soon.
FIRST_CHUNK = 8
LARGEST_CHUNK = 256
_NOT_OF_THE_RUN = ("trace", "definition", "call")
_BESIDE_THE_RUN = (GRAPH, HEADER)


class Side(NamedTuple):
    """The end of a line: a checkpoint, and the archive that has it."""

    archive: Archive
    header: CheckpointHeader


@dataclass(frozen=True, slots=True)
class TwoLines:
    """The checkpoints on the way to two others, the oldest first. Forks are left out,
    because each repeats the checkpoint before it.

    shared     how many of the first are the same checkpoints
    is_whole   whether both ways reach back to an input
    """

    base: Sequence[CheckpointHeader]
    other: Sequence[CheckpointHeader]
    shared: int
    is_whole: bool

    @property
    def shortest(self) -> int:
        return min(len(self.base), len(self.other))


class First(NamedTuple):
    """The place of the first pair that differs, which may be behind the end of a line;
    None if the lines are equal. `unread` counts pairs before it that are damaged.
    """

    place: int | None
    is_proved: bool = True
    unread: int = 0


async def two_lines(base: Side, other: Side, keys: Sequence[str] = ()) -> TwoLines:
    """Return the lines to two checkpoints. Inside a run of a sub-workflow, to which
    `keys` lead, only the last checkpoint of each superstep counts.
    """
    base_line, base_is_whole = await _line(base)
    other_line, other_is_whole = await _line(other)
    if keys:
        base_line = _last_of_supersteps(base_line)
        other_line = _last_of_supersteps(other_line)
    shared = 0
    for first, second in zip(base_line, other_line, strict=False):
        if first.id != second.id:
            break
        shared += 1
    return TwoLines(base_line, other_line, shared, base_is_whole and other_is_whole)


async def _line(side: Side) -> tuple[list[CheckpointHeader], bool]:
    headers = await side.archive.store.headers(run_id=side.header.run_id)
    by_id = {header.id: header for header in headers}
    line = []
    current: CheckpointHeader | None = side.header
    while current is not None:
        line.append(current)
        current = parent_among(current, by_id)
    line.reverse()
    is_whole = line[0].parent is None
    barriers = [header for header in line if header.cause is not Cause.FORK]
    return barriers or line[:1], is_whole


def _last_of_supersteps(line: Sequence[CheckpointHeader]) -> list[CheckpointHeader]:
    return list({header.superstep: header for header in line}.values())


# --- the first difference -----------------------------------------------------------------------------------------


class Search:
    """The search for the first pair of two lines that differs in the run to which
    `keys` lead. Nothing of the graph counts, and of the traces only the outputs.
    """

    def __init__(
        self,
        archives: tuple[Archive, Archive],
        lines: TwoLines,
        keys: tuple[str, ...] = (),
    ) -> None:
        self._archives = archives
        self._lines = lines
        self._keys = keys
        self._unread = 0

    async def first(
        self,
        seconds: float = float("inf"),
        clock: Callable[[], float] = time.perf_counter,
    ) -> First:
        """Return the first difference. After so many seconds the rest is bisected."""
        end = clock() + seconds
        lines = self._lines
        start = lines.shared
        size = FIRST_CHUNK
        while start < lines.shortest:
            stop = min(start + size, lines.shortest)
            place = await self._first_between(start, stop)
            if place is not None:
                return First(place, unread=self._unread)
            start = stop
            size = min(size * 2, LARGEST_CHUNK)
            if start < lines.shortest and clock() > end:
                place = await self._bisected(start)
                return First(place, is_proved=False, unread=self._unread)
        if len(lines.base) == len(lines.other):
            return First(None, unread=self._unread)
        return First(lines.shortest, unread=self._unread)

    async def _bisected(self, start: int) -> int | None:
        """Return a pair that differs after one that is equal; None if the last pairs
        are equal.
        """
        lines = self._lines
        equal = start - 1
        different = lines.shortest
        while different - equal > 1:
            middle = (equal + different) // 2
            if await self._first_between(middle, middle + 1) is None:
                equal = middle
            else:
                different = middle
        if different == lines.shortest and len(lines.base) == len(lines.other):
            return None
        return different

    async def _first_between(self, start: int, stop: int) -> int | None:
        base = self._lines.base[start:stop]
        other = self._lines.other[start:stop]
        kinds = [
            first.superstep == second.superstep
            and (bool(self._keys) or first.cause == second.cause)
            for first, second in zip(base, other, strict=True)
        ]
        # Pairs behind one of another kind are not read.
        stop_reading = kinds.index(False) if False in kinds else len(kinds)
        pairs = await self._pairs(base[:stop_reading], other[:stop_reading])
        for offset, pair in enumerate(pairs):
            if pair is None:
                self._unread += 1
            elif not await self._is_equal(pair):
                return start + offset
        return start + stop_reading if stop_reading < len(kinds) else None

    async def _pairs(
        self, base: Sequence[CheckpointHeader], other: Sequence[CheckpointHeader]
    ) -> list[_Pair | None]:
        first = await self._with_outputs(self._archives[0], base)
        second = await self._with_outputs(self._archives[1], other)
        return [
            None if before is None or after is None else _Pair(*before, *after)
            for before, after in zip(first, second, strict=True)
        ]

    async def _with_outputs(
        self, archive: Archive, headers: Sequence[CheckpointHeader]
    ) -> list[tuple[Record, _Outputs] | None]:
        read = await _records(archive, [header.id for header in headers])
        # Only outputs of the outermost run are recorded.
        wanted = [] if self._keys else [record for record in read if record is not None]
        outputs = await _outputs(archive, wanted)
        return [
            None if record is None else (record, outputs.get(record.header.id, ()))
            for record in read
        ]

    async def _is_equal(self, pair: _Pair) -> bool:
        if not is_equal(pair.base_outputs, pair.other_outputs):
            return False
        if self._signature(pair.base) == self._signature(pair.other):
            return True
        try:
            before = await self._viewed(self._archives[0], pair.base)
            after = await self._viewed(self._archives[1], pair.other)
        except WorkflowCheckpointException:
            self._unread += 1
            return True
        if before is None or after is None:
            return before is after
        return next(run_changes(before, after), None) is None

    async def _viewed(self, archive: Archive, record: Record) -> Snapshot | None:
        return run_of(await archive.view(record.header.id), self._keys)

    def _signature(self, record: Record) -> list[Part]:
        parts = [part for part in record.manifest if part.kind not in _NOT_OF_THE_RUN]
        if self._keys:
            parts = [part for part in parts if self._is_inside(part)]
        return parts

    def _is_inside(self, part: Part) -> bool:
        if part.kind != "child":
            return False
        way = seen_way(part.name)
        return tuple(way[: len(self._keys)]) == self._keys


_Outputs = tuple[tuple[str, Any], ...]


class _Pair(NamedTuple):
    base: Record
    base_outputs: _Outputs
    other: Record
    other_outputs: _Outputs


async def _records(
    archive: Archive, checkpoint_ids: Sequence[str]
) -> list[Record | None]:
    """Return records in one go where the store can; None for what cannot be read."""
    store = archive.store
    if isinstance(store, ThreadedStore):
        records = {item.header.id: item for item in await store.records(checkpoint_ids)}
        return [records.get(checkpoint_id) for checkpoint_id in checkpoint_ids]
    result: list[Record | None] = []
    for checkpoint_id in checkpoint_ids:
        try:
            result.append(await store.load(checkpoint_id))
        except WorkflowCheckpointException:
            result.append(None)
    return result


def run_changes(before: Snapshot, after: Snapshot) -> Iterator[Change]:
    """Yield the changes of the runs and of what they put out in the superstep, without
    those of the graph and the header.
    """
    for change in changes(before, after):
        if change.section not in _BESIDE_THE_RUN:
            yield change
    outputs = [
        [
            Waiting(output.executor_id, output.data, Place((), output.executor_id))
            for output in side.trace.outputs
        ]
        for side in (before, after)
    ]
    for difference in moves(*outputs):
        yield Change(OUTPUTS, *difference, at=Place((), difference.path))


def run_of(checkpoint: Checkpoint, keys: Sequence[str]) -> Snapshot | None:
    """Return the run of a checkpoint to which the keys lead; None if it does not run
    there.
    """
    snapshot = Snapshot.of(checkpoint)
    return snapshot.run_at(keys) if keys else snapshot


async def _outputs(archive: Archive, wanted: Sequence[Record]) -> dict[str, _Outputs]:
    """Return what was put out in the supersteps of these records, by their ids. One
    that cannot be read is left out.
    """
    traces = [
        Record(record.header, tuple(p for p in record.manifest if p.kind == "trace"))
        for record in wanted
        if record.header.cause is Cause.SUPERSTEP
    ]
    digests = {part.digest for record in traces for part in record.manifest}
    outputs: dict[str, _Outputs] = {}
    try:
        data = await archive.store.parts(list(digests))
    except WorkflowCheckpointException:
        return outputs
    for record in traces:
        with suppress(WorkflowCheckpointException):
            trace = archive.viewed(record, data).trace
            outputs[record.header.id] = tuple(
                (output.executor_id, output.data) for output in trace.outputs
            )
    return outputs
