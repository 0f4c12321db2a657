"""Reading the recorded past of runs: of each checkpoint only the parts that a question
needs, many checkpoints at a time.

A part is known by the digest of its bytes. So what did not change between two
checkpoints is neither read nor decoded again where a question asks about it alone.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import suppress
from dataclasses import dataclass, replace

from runtime.checkpoint import Cause, CheckpointHeader, Part, Record
from runtime.checkpoints.archive import Archive, seen_way
from runtime.debug.facts.fact import Fact, FactKind
from runtime.debug.past.recorded_facts import RecordedStep
from runtime.debug.past.recorded_graphs import RecordedGraphs
from runtime.errors import CheckpointDamagedError, WorkflowCheckpointException
from runtime.state import RunState, Trace
from runtime.stores.threaded import ThreadedStore

NO_TRACE = Trace()
RECORDS_KEPT = 300
DEFINITIONS_KEPT = 20
# The parts of a barrier that a question needs; equal ones have equal values.
Fingerprint = tuple[Part, ...]
# A part of a child run is named by the keys that lead to it, its kind and its name.
_CHILD = "child"


@dataclass(frozen=True, slots=True)
class Wants:
    """The parts that a question needs of a barrier; `None` for keys means all of them.

    `written` adds the keys that were written in the superstep.
    """

    kinds: frozenset[str] = frozenset()
    keys: frozenset[str] | None = frozenset()
    written: bool = False

    def take(self, part: Part, written: Collection[str]) -> bool:
        """Return whether a part is needed."""
        kind, name = own_part(part)
        if kind != "shared":
            return kind in self.kinds
        if self.keys is None or name in self.keys:
            return True
        return self.written and name in written


@dataclass(frozen=True, slots=True)
class Read:
    """A checkpoint as far as it was read, or why it cannot be read."""

    header: CheckpointHeader
    trace: Trace = NO_TRACE
    step: RecordedStep | None = None
    error: str = ""

    def facts(self, kinds: Collection[FactKind]) -> Iterable[Fact]:
        """Return the facts of these kinds; none where the checkpoint was not needed."""
        return () if self.step is None else self.step.facts(kinds)


def own_part(part: Part) -> tuple[str, str]:
    """Return kind and name of a part in its own run, which may be a child."""
    if part.kind != _CHILD:
        return part.kind, part.name
    *_, kind, name = seen_way(part.name)
    return kind, name


class Past:
    """Reads checkpoints of one store. Nothing is written, and no user code runs."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._records: OrderedDict[str, Record] = OrderedDict()
        self._graphs: OrderedDict[tuple[str, ...], RecordedGraphs] = OrderedDict()

    async def headers(self, ids: Sequence[str]) -> list[CheckpointHeader]:
        """Return the headers of these checkpoints, without those that are gone."""
        records = await self._records_of(ids)
        return [records[id_].header for id_ in ids if id_ in records]

    async def traces(self, headers: Sequence[CheckpointHeader]) -> list[Read]:
        """Return what the supersteps before these checkpoints did."""
        records = await self._records_of(header.id for header in headers)
        reduced = {
            id_: _reduced(record, lambda part: part.kind == "trace")
            for id_, record in records.items()
        }
        parts = await self._parts(
            digest for record in reduced.values() for digest in record.digests
        )
        reads = []
        for header in headers:
            record = reduced.get(header.id)
            try:
                if record is None:
                    record = await self._archive.store.load(header.id)
                trace = self._archive.viewed(record, parts).trace
                reads.append(Read(header, trace))
            except (WorkflowCheckpointException, LookupError) as error:
                reads.append(Read(header, error=_why(header, error)))
        return reads

    async def steps(
        self, reads: Sequence[Read], before: Wants, after: Wants
    ) -> list[Read]:
        """Return these supersteps with the parts that a question needs of the barrier
        before each and of its own.
        """
        decode = await self.fetch(reads, before, after)
        return decode()

    async def fetch(
        self, reads: Sequence[Read], before: Wants, after: Wants
    ) -> Callable[[], list[Read]]:
        """Read the same, and return a function that decodes it: for a thread beside
        the loop.
        """
        ids = [read.header.id for read in reads]
        parents = [_began_at(read.header) for read in reads]
        records = await self._records_of([*ids, *filter(None, parents)])
        pairs = []
        digests: set[str] = set()
        for read, parent in zip(reads, parents, strict=True):
            written = _written(read.trace)
            pair = _Pair(
                _needed(records.get(parent), before, written),
                _needed(records.get(read.header.id), after, written),
                _definition_of(records.get(read.header.id)),
            )
            pairs.append(pair)
            digests.update(pair.digests(with_definition=self._is_new(pair)))
        parts = await self._parts(digests)
        return lambda: [
            self._step(read, pair, parts)
            for read, pair in zip(reads, pairs, strict=True)
        ]

    async def fingerprints(
        self, headers: Sequence[CheckpointHeader], wants: Wants
    ) -> list[Fingerprint | None]:
        """Return for each checkpoint the names and digests of the parts that a question
        needs: equal ones have equal values. None where it cannot be read.
        """
        records = await self._records_of(header.id for header in headers)
        fingerprints: list[Fingerprint | None] = []
        for header in headers:
            record = _needed(records.get(header.id), wants, frozenset())
            fingerprints.append(None if record is None else record.manifest)
        return fingerprints

    def _step(self, read: Read, pair: _Pair, parts: Mapping[str, bytes]) -> Read:
        if read.error or pair.after is None:
            return read
        try:
            step = RecordedStep(
                read.header,
                self._state(pair.before, parts),
                self._archive.viewed(pair.after, parts).state,
                read.trace,
                self._graphs_of(pair.definition, parts),
            )
        except (WorkflowCheckpointException, LookupError) as error:
            return replace(read, error=_why(read.header, error))
        return replace(read, step=step)

    def _state(
        self, record: Record | None, parts: Mapping[str, bytes]
    ) -> RunState | None:
        """Return the state of a barrier; None if it is not in the store or damaged."""
        if record is None:
            return None
        try:
            return self._archive.viewed(record, parts).state
        except (WorkflowCheckpointException, LookupError):
            return None

    # --- records, parts, graphs -----------------------------------------------------------------------------------

    async def _records_of(self, ids: Iterable[str]) -> dict[str, Record]:
        """Return the records of these checkpoints, without those that cannot be read."""
        records: dict[str, Record] = {}
        missing = []
        for id_ in dict.fromkeys(ids):
            record = self._records.get(id_)
            if record is None:
                missing.append(id_)
            else:
                records[id_] = record
        for record in await self._load(missing):
            records[record.header.id] = record
            self._records[record.header.id] = record
        while len(self._records) > RECORDS_KEPT:
            self._records.popitem(last=False)
        return records

    async def _load(self, ids: Sequence[str]) -> Sequence[Record]:
        store = self._archive.store
        if isinstance(store, ThreadedStore):
            return await store.records(ids)
        records = []
        for id_ in ids:
            with suppress(WorkflowCheckpointException):
                records.append(await store.load(id_))
        return records

    async def _parts(self, digests: Iterable[str]) -> dict[str, bytes]:
        """Return the bytes of these parts, without those that are missing or damaged."""
        store = self._archive.store
        wanted = list(dict.fromkeys(digests))
        try:
            return await store.parts(wanted)
        except CheckpointDamagedError:
            parts: dict[str, bytes] = {}
            for digest in wanted:
                with suppress(CheckpointDamagedError):
                    parts |= await store.parts([digest])
            return parts

    def _is_new(self, pair: _Pair) -> bool:
        return pair.definition is not None and pair.key not in self._graphs

    def _graphs_of(
        self, record: Record | None, parts: Mapping[str, bytes]
    ) -> RecordedGraphs:
        key = () if record is None else tuple(record.digests)
        if key not in self._graphs:
            definition = None
            if record is not None:
                definition = self._archive.viewed(record, parts).definition
            self._graphs[key] = RecordedGraphs(definition)
            if len(self._graphs) > DEFINITIONS_KEPT:
                self._graphs.popitem(last=False)
        return self._graphs[key]


@dataclass(frozen=True, slots=True)
class _Pair:
    """The records of the two barriers of a superstep and of the definition, with the
    needed parts alone.
    """

    before: Record | None
    after: Record | None
    definition: Record | None

    @property
    def key(self) -> tuple[str, ...]:
        return () if self.definition is None else tuple(self.definition.digests)

    def digests(self, *, with_definition: bool) -> Iterator[str]:
        """Yield the digests of the needed parts."""
        records = [self.before, self.after]
        if with_definition:
            records.append(self.definition)
        for record in records:
            if record is not None:
                yield from record.digests


def _began_at(header: CheckpointHeader) -> str:
    """Return the id of the barrier where the superstep began; "" if none led here."""
    return (header.parent or "") if header.cause is Cause.SUPERSTEP else ""


def _written(trace: Trace) -> frozenset[str]:
    """Return the keys that a superstep wrote, in all runs of the tree."""
    keys = {write.key for write in trace.writes}
    for invocation in trace.invocations:
        keys.update(invocation.wrote)
    return frozenset(keys)


def _needed(
    record: Record | None, wants: Wants, written: frozenset[str]
) -> Record | None:
    if record is None:
        return None
    return _reduced(record, lambda part: wants.take(part, written))


def _definition_of(record: Record | None) -> Record | None:
    if record is None:
        return None
    return _reduced(record, lambda part: part.kind == "definition")


def _reduced(record: Record, take: Callable[[Part], bool]) -> Record:
    return Record(record.header, tuple(filter(take, record.manifest)))


def _why(header: CheckpointHeader, error: Exception) -> str:
    if isinstance(error, LookupError):
        return f"Checkpoint {header.id} is damaged: a part of it is missing."
    return str(error)
