"""The superstep board: who worked in a superstep, how long, and who waited for whom.

Read from the store only, and from few parts of a checkpoint: its trace, and the buffers
of its joins. A column is cached by the digests of these parts, so that forks share it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from runtime.checkpoint import Part, Record
from runtime.checkpoints.archive import Archive, seen_way
from runtime.debug.graphs.graph import pairs_in
from runtime.debug.protocol import (
    BoardArrow,
    BoardBody,
    BoardCell,
    BoardColumn,
    BoardJoin,
    parted,
)
from runtime.errors import WorkflowCheckpointException
from runtime.state import PINNED, RECORDED, Fate, Invocation, Trace

COLUMNS_KEPT = 512


class Board:
    """The columns of the board, the last few hundred in a cache."""

    def __init__(self) -> None:
        self._columns: OrderedDict[tuple[str, ...], BoardColumn] = OrderedDict()

    async def columns(
        self, archive: Archive, checkpoint_ids: Sequence[str]
    ) -> BoardBody:
        """Return a column for each checkpoint. One that cannot be read is a column that
        says why.
        """
        columns = []
        for checkpoint_id in checkpoint_ids:
            try:
                columns.append(await self._column(archive, checkpoint_id))
            except WorkflowCheckpointException as error:
                columns.append(
                    BoardColumn(checkpoint_id=checkpoint_id, damaged=str(error))
                )
        return BoardBody(columns=tuple(columns))

    async def _column(self, archive: Archive, checkpoint_id: str) -> BoardColumn:
        record = await archive.store.load(checkpoint_id)
        needed = _Needed.of(record.manifest)
        key = (str(record.header.superstep), *needed.digests)
        column = self._columns.get(key)
        if column is None:
            column = await self._read(archive, record, needed)
            self._columns[key] = column
            if len(self._columns) > COLUMNS_KEPT:
                self._columns.popitem(last=False)
        self._columns.move_to_end(key)
        if column.checkpoint_id == checkpoint_id:
            return column
        return column.model_copy(update={"checkpoint_id": checkpoint_id})

    async def _read(
        self, archive: Archive, record: Record, needed: _Needed
    ) -> BoardColumn:
        header = record.header
        only = Record(header, needed.parts)
        data = await archive.store.parts(only.digests)
        trace_only = Record(header, tuple(needed.trace))
        trace = archive.viewed(trace_only, data).trace
        own = needed.own_supersteps(data)
        ended = _invocations_in(trace) - own.keys()
        if ended and header.parent is not None:
            own |= await _last_supersteps(archive, header.parent, ended)
        return BoardColumn(
            checkpoint_id=header.id,
            superstep=header.superstep,
            seconds=trace.seconds,
            cells=tuple(cells_of(trace)),
            arrows=tuple(_arrows(trace.fates)),
            held=tuple(needed.joins(data)),
            own=own,
        )


# --- which parts of a checkpoint are read -------------------------------------------------------------------------


@dataclass
class _Needed:
    """The parts of a checkpoint that the board reads. Names are those of a run: a
    prefix such as "review#1/", and the key of a buffer.
    """

    trace: list[Part] = field(default_factory=list)
    buffers: dict[tuple[str, str], list[Part]] = field(default_factory=dict)
    # The queues of invocations, because they have the number of their superstep.
    queues: dict[str, list[Part]] = field(default_factory=dict)

    @classmethod
    def of(cls, manifest: Sequence[Part]) -> _Needed:
        needed = cls()
        for part in manifest:
            if part.kind == "trace":
                needed.trace.append(part)
            elif part.kind == "buffer":
                needed.buffers.setdefault(("", part.name), []).append(part)
            elif part.kind == "child":
                *keys, kind, name = seen_way(part.name)
                path = "/".join(keys)
                if kind == "buffer":
                    needed.buffers.setdefault((f"{path}/", name), []).append(part)
                elif kind == "queue":
                    needed.queues.setdefault(path, []).append(part)
        return needed

    @property
    def parts(self) -> tuple[Part, ...]:
        buffers = [part for parts in self.buffers.values() for part in parts]
        queues = [part for parts in self.queues.values() for part in parts]
        return (*self.trace, *buffers, *queues)

    @property
    def digests(self) -> tuple[str, ...]:
        return tuple(part.digest for part in self.parts)

    def joins(self, data: Mapping[str, bytes]) -> Iterator[BoardJoin]:
        """Yield the joins that hold messages."""
        for (prefix, key), parts in self.buffers.items():
            rows = _tree(parts, data)
            pairs = pairs_in(key)
            if not rows or not pairs or not isinstance(rows, list):
                continue
            sources = {row[1] for row in rows if isinstance(row, list) and len(row) > 1}
            yield BoardJoin(
                target=prefix + pairs[0][1],
                have=len(sources),
                need=len({source for source, _ in pairs}),
                messages=len(rows),
            )

    def own_supersteps(self, data: Mapping[str, bytes]) -> dict[str, int]:
        """Return the superstep of each invocation, by its path."""
        own = {}
        for path, parts in self.queues.items():
            row = _tree(parts, data)
            if isinstance(row, list) and row and isinstance(row[0], int):
                own[path] = row[0]
        return own


async def _last_supersteps(
    archive: Archive, parent: str, paths: Iterable[str]
) -> dict[str, int]:
    """Return the superstep in which invocations ended: the one after the last that the
    checkpoint before has of them.
    """
    try:
        record = await archive.store.load(parent)
        needed = _Needed.of(record.manifest)
        parts = [part for queue in needed.queues.values() for part in queue]
        data = await archive.store.parts([part.digest for part in parts])
    except WorkflowCheckpointException:
        return {}  # it was removed, and the board then has no number there
    before = needed.own_supersteps(data)
    return {path: before[path] + 1 for path in paths if path in before}


def _tree(parts: Sequence[Part], data: Mapping[str, bytes]) -> Any:
    """Return the JSON of a part that may be kept in pieces; None if it is none."""
    try:
        return orjson.loads(b"".join(data[part.digest] for part in parts))
    except ValueError:
        return None


# --- what a trace says --------------------------------------------------------------------------------------------


def cells_of(trace: Trace) -> Iterator[BoardCell]:
    """Yield what each executor did, in the order of their first calls."""
    by_executor: dict[str, list[Invocation]] = {}
    for invocation in trace.invocations:
        by_executor.setdefault(invocation.executor_id, []).append(invocation)
    for name, calls in by_executor.items():
        yield _cell(name, calls)


def _cell(name: str, calls: Sequence[Invocation]) -> BoardCell:
    failed = [call for call in calls if call.error]
    wrote = dict.fromkeys(key for call in calls for key in call.wrote)
    return BoardCell(
        executor=name,
        started=min(call.started for call in calls),
        ended=max(call.started + call.seconds for call in calls),
        seconds=sum(call.seconds for call in calls),
        calls=len(calls) - len(failed),
        failed=tuple((call.started, call.seconds) for call in failed),
        error=failed[-1].error if failed else "",
        is_failed=bool(calls[-1].error),
        received=sum(call.messages for call in calls if not call.error),
        sent=sum(call.sent for call in calls),
        outputs=sum(call.outputs for call in calls),
        asked=sum(len(call.asked) for call in calls),
        wrote=tuple(wrote),
        recorded=sum(call.origin == RECORDED for call in calls),
        pinned=sum(call.origin == PINNED for call in calls),
    )


def _arrows(fates: Iterable[Fate]) -> Iterator[BoardArrow]:
    """Yield the ways that messages took; ways between the same two are added up."""
    counts: dict[tuple[str, str, str, str], int] = {}
    for fate in fates:
        if fate.target_id is not None:
            way = (fate.kind, fate.source_id, fate.target_id, fate.reason)
            counts[way] = counts.get(way, 0) + fate.count
    for (kind, source, target, reason), count in counts.items():
        if kind in ("delivered", "buffered", "dropped"):
            yield BoardArrow(
                kind=kind,  # type: ignore[arg-type]
                source=source,
                target=target,
                count=count,
                reason=reason,
            )


def _invocations_in(trace: Trace) -> set[str]:
    """Return the paths of all invocations that did something."""
    paths: set[str] = set()
    for invocation in trace.invocations:
        keys, _ = parted(invocation.executor_id)
        paths.update("/".join(keys[: depth + 1]) for depth in range(len(keys)))
    return paths
