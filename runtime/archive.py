"""Between the engine's values and a store's bytes: a run's state is taken apart into parts, and put together again.

A checkpoint costs what changed. The archive remembers the values that it saved last: a part whose value is the same
object is neither encoded nor given to the store again, so values inside a `RunState` must never be changed in place.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, compress, count
from operator import attrgetter, is_not
from typing import Any

import orjson

from runtime import parts as formats
from runtime.checkpoint import (
    FORMAT_VERSION,
    Cause,
    Checkpoint,
    CheckpointHeader,
    CheckpointStore,
    Part,
    Record,
    digest_of,
)
from runtime.codec import DEFAULT_TYPES, TypeRegistry, encode, rebuild, view_tree
from runtime.errors import CheckpointDamagedError, EncodeError, PartsMissingError
from runtime.migrations import Encoded, EncodedPart, lift
from runtime.pieces import SPLIT_ABOVE, Piece, split
from runtime.state import RunState, Trace

ToBytes = Callable[[str, Any, TypeRegistry], bytes]

# The mappings of a `RunState` whose entries are parts, and the kinds of these parts.
_SOURCES = attrgetter("shared", "executors", "buffers", "requests")
_MAPPINGS: tuple[tuple[str, ToBytes], ...] = (
    ("shared", formats.shared_bytes),
    ("executor", formats.executor_bytes),
    ("buffer", formats.buffer_bytes),
    ("request", formats.request_bytes),
)
_TAG = b'"$":'


def _new_id() -> str:
    return os.urandom(10).hex()


class Archive:
    """Saves and loads the checkpoints of runs in one store. Use one for each run: it remembers the last state saved.

    `clock` gives the time in a header, `new_id` the ids; both are there for tests. The store is closed by its owner.
    """

    def __init__(
        self,
        store: CheckpointStore,
        types: TypeRegistry = DEFAULT_TYPES,
        *,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = _new_id,
    ) -> None:
        self.store = store
        self._types, self._clock, self._new_id = types, clock, new_id
        self._last: _Capture | None = None

    async def save(
        self,
        state: RunState,
        trace: Trace,
        *,
        run_id: str,
        workflow: str,
        cause: Cause,
        parent: CheckpointHeader | None,
        branch: str,
        signature: str = "",
        status: str = "",
        stalled: int = 0,
        definition: Mapping[str, Any] | None = None,
    ) -> CheckpointHeader:
        """Keep a run at a barrier; its header, with the sequence that the store gave it.

        Everything is encoded before the store is awaited. Raises `EncodeError` with the path of what cannot be saved,
        and what `CheckpointStore.save` raises; then nothing was saved.
        """

        def header(capture: _Capture) -> CheckpointHeader:
            snapshot = capture.snapshot
            return CheckpointHeader(
                checkpoint_id, run_id, workflow, state.superstep, cause,
                None if parent is None else parent.id, branch, 0, signature,
                self._clock(), FORMAT_VERSION, status, snapshot.queued, snapshot.buffered, snapshot.requests, stalled,
                capture.size, sum(map(len, capture.new.values())),
            )  # fmt: skip

        checkpoint_id = self._new_id()
        capture = _Capture(self._types).take(state, trace, definition, self._last)
        try:
            saved = await self.store.save(Record(header(capture), capture.manifest), capture.new)
        except PartsMissingError:
            # The run that brought some of them was deleted from the store: give everything.
            capture = _Capture(self._types).take(state, trace, definition, None)
            saved = await self.store.save(Record(header(capture), capture.manifest), capture.new)
        self._last = capture
        return saved

    async def load(self, checkpoint_id: str) -> Checkpoint:
        """A checkpoint to go on from. Nothing in it is shared with the store, nor with another load.

        Raises `CheckpointNotFoundError`, `CheckpointDamagedError`, or `DecodeError` for a type that is not registered
        or a newer format.
        """
        return self.rebuilt(*await self.record(checkpoint_id))

    async def view(self, checkpoint_id: str) -> Checkpoint:
        """A checkpoint to look at: values of user types are a `codec.Record`, and no user code is imported or run."""
        return self.viewed(*await self.record(checkpoint_id))

    async def trace(self, checkpoint_id: str) -> tuple[CheckpointHeader, Trace]:
        """What the superstep before a checkpoint did, as `view` shows it; nothing else of it is read."""
        record = await self.store.load(checkpoint_id)
        only = Record(record.header, tuple(part for part in record.manifest if part.kind == "trace"))
        return record.header, self.viewed(only, await self._parts(only)).trace

    async def record(self, checkpoint_id: str) -> tuple[Record, dict[str, bytes]]:
        """A checkpoint as the store has it, with the bytes of all its parts; `rebuilt` and `viewed` take the two."""
        record = await self.store.load(checkpoint_id)
        return record, await self._parts(record)

    async def _parts(self, record: Record) -> dict[str, bytes]:
        try:
            return await self.store.parts(list(dict.fromkeys(part.digest for part in record.manifest)))
        except CheckpointDamagedError as error:
            await self.store.load(record.header.id)  # not damaged but removed, if it is not there any more
            raise CheckpointDamagedError(record.header.id, error.reason) from error

    def rebuilt(self, record: Record, parts: Mapping[str, bytes]) -> Checkpoint:
        """What `load` gives of a record."""
        return self._made(record, parts, rebuild)

    def viewed(self, record: Record, parts: Mapping[str, bytes]) -> Checkpoint:
        """What `view` gives of a record."""
        return self._made(record, parts, view_tree)

    def _made(
        self, record: Record, parts: Mapping[str, bytes], make: Callable[[Any, TypeRegistry, str], Any]
    ) -> Checkpoint:
        encoded = lift(_join(record.manifest, parts), record.header.format)
        return _put_together(record.header, encoded, lambda tree, path: make(tree, self._types, path))


# --- taking apart -------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class _Entry:
    """What became of one part: one entry of the manifest, or one for each piece."""

    parts: tuple[Part, ...]
    size: int
    pieces: Sequence[Piece] = ()


_NO_ENTRY = _Entry((), 0)
_UNKNOWN = (object(), _NO_ENTRY)
_PARTS, _SIZE = attrgetter("parts"), attrgetter("size")


@dataclass(slots=True, eq=False)
class _Group:
    """The parts of one mapping: its keys, its values, which are compared by identity, and their entries, in step."""

    source: Mapping[str, Any]
    keys: list[str]
    values: list[Any]
    entries: list[_Entry]
    parts: tuple[Part, ...]
    size: int


_NO_GROUP = _Group({}, [], [], [], (), 0)


@dataclass(slots=True, eq=False)
class _Snapshot:
    """The parts of one `RunState`, with those of its children."""

    state: RunState
    queue: _Entry
    groups: Sequence[_Group]
    children: dict[str, _Snapshot]
    parts: tuple[Part, ...]
    size: int
    queued: int
    buffered: int
    requests: int

    def include(self, children: Mapping[str, _Snapshot]) -> None:
        for child in children.values():
            self.parts += child.parts
            self.size += child.size
            self.queued += child.queued
            self.buffered += child.buffered
            self.requests += child.requests


_NO_SNAPSHOT = _Snapshot(RunState(), _NO_ENTRY, (_NO_GROUP,) * len(_MAPPINGS), {}, (), 0, 0, 0, 0)


@dataclass(slots=True, eq=False)
class _Capture:
    """One save: what it consists of, and `new`, the bytes that the one before did not have."""

    types: TypeRegistry
    new: dict[str, bytes] = field(default_factory=dict)
    snapshot: _Snapshot = _NO_SNAPSHOT
    trace: _Entry = _NO_ENTRY
    definition: _Entry = _NO_ENTRY
    document: Mapping[str, Any] | None = None

    def take(
        self, state: RunState, trace: Trace, document: Mapping[str, Any] | None, before: _Capture | None
    ) -> _Capture:
        old = before or _Capture(self.types)
        self.snapshot = self._state(state, old.snapshot, ())
        self.trace = self._entry("trace", "", formats.trace_bytes(trace, self.types), old.trace, ())
        self.document = document
        if document is None:
            return self
        if old.document is document or old.document == document:
            self.definition = old.definition
        else:
            data = encode(document, self.types, "definition")
            self.definition = self._entry("definition", "", data, old.definition, ())
        return self

    @property
    def manifest(self) -> tuple[Part, ...]:
        return self.definition.parts + self.snapshot.parts + self.trace.parts

    @property
    def size(self) -> int:
        return self.definition.size + self.snapshot.size + self.trace.size

    def _state(self, state: RunState, old: _Snapshot, way: tuple[str, ...]) -> _Snapshot:
        if old.state is state:
            return old
        groups = [
            self._group(kind, source, before, to_bytes, way)
            for (kind, to_bytes), source, before in zip(_MAPPINGS, _SOURCES(state), old.groups, strict=True)
        ]
        queue = self._entry("queue", "", formats.queue_bytes(state.superstep, state.queue, self.types), old.queue, way)
        shared, executors, buffers, requests = groups
        made = _Snapshot(
            state,
            queue,
            groups,
            {},
            shared.parts + executors.parts + buffers.parts + requests.parts + queue.parts,
            shared.size + executors.size + buffers.size + requests.size + queue.size,
            len(state.queue),
            sum(map(len, buffers.values)),
            len(requests.keys),
        )
        if state.children:
            made.children = {
                key: self._state(child, old.children.get(key, _NO_SNAPSHOT), (*way, key))
                for key, child in state.children.items()
            }
            made.include(made.children)
        return made

    def _group(
        self, kind: str, source: Mapping[str, Any], old: _Group, to_bytes: ToBytes, way: tuple[str, ...]
    ) -> _Group:
        if old.source is source or not (source or old.keys):
            return old
        keys, values = list(source), list(source.values())
        if keys == old.keys:
            before, entries = old.values, old.entries.copy()
        else:
            known = dict(zip(old.keys, zip(old.values, old.entries, strict=True), strict=True))
            pairs = [known.get(key, _UNKNOWN) for key in keys]
            before, entries = [value for value, _ in pairs], [entry for _, entry in pairs]
        # At C speed over everything, in Python only over what changed.
        for at in compress(count(), map(is_not, values, before)):
            key = keys[at]
            entries[at] = self._entry(kind, key, to_bytes(key, values[at], self.types), entries[at], way)
        parts = tuple(chain.from_iterable(map(_PARTS, entries)))
        return _Group(source, keys, values, entries, parts, sum(map(_SIZE, entries)))

    def _entry(self, kind: str, name: str, data: bytes, old: _Entry, way: tuple[str, ...]) -> _Entry:
        if way:
            kind, name = "child", _way_name((*way, kind, name))
        if len(data) > SPLIT_ABOVE:
            return self._split(kind, name, data, old)
        digest = digest_of(data)
        if len(old.parts) == 1 and old.parts[0].digest == digest:
            return old
        self.new[digest] = data
        return _Entry((Part(kind, name, digest),), len(data))

    def _split(self, kind: str, name: str, data: bytes, old: _Entry) -> _Entry:
        # The very parts of the last manifest are used again: a store finds what is new by identity.
        known = {part.digest: part for part in old.parts}
        pieces, parts = [], []
        for piece, content in split(data, old.pieces):
            part = known.get(piece.digest)
            if part is None:
                part = Part(kind, name, piece.digest)
                if content is not None:
                    self.new[piece.digest] = content
            pieces.append(piece)
            parts.append(part)
        return _Entry(tuple(parts), len(data), pieces)


def _way_name(way: tuple[str, ...]) -> str:
    try:
        return orjson.dumps(way).decode()
    except TypeError:
        raise EncodeError("a name holds a lone surrogate: use proper text", " ".join(map(repr, way))) from None


# --- putting together ---------------------------------------------------------------------------------------------


def _join(manifest: Sequence[Part], data: Mapping[str, bytes]) -> Encoded:
    """The parts with their pieces joined: entries of one kind and name that follow each other."""
    joined: dict[tuple[str, str], list[bytes]] = {}
    for kind, name, digest in manifest:
        joined.setdefault((kind, name), []).append(data[digest])
    return tuple(EncodedPart(kind, name, b"".join(pieces)) for (kind, name), pieces in joined.items())


def _put_together(header: CheckpointHeader, encoded: Encoded, make: formats.Make) -> Checkpoint:
    root = _Assembly()
    for kind, name, data in encoded:
        try:
            root.take(kind, name, data, make)
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            named = f"{kind} {name}".rstrip()
            raise CheckpointDamagedError(header.id, f"its part '{named}' has a wrong shape ({error})") from error
    try:
        return Checkpoint(header, root.state(), root.trace, root.definition)
    except RecursionError as error:
        raise CheckpointDamagedError(header.id, "its sub-workflows are nested too deep") from error


def _way_of(name: str) -> list[str]:
    way = orjson.loads(name)
    if type(way) is not list or len(way) < 3 or not all(type(step) is str for step in way):
        raise TypeError("the name of a child's part is no way to it")
    return way


def _as_it_is(tree: Any, _: str) -> Any:
    return tree


class _Assembly:
    """A `RunState` in the making, and what stands beside it."""

    def __init__(self) -> None:
        self._superstep = 0
        self._queue: tuple[Any, ...] = ()
        self._mappings: dict[str, dict[str, Any]] = {kind: {} for kind in _MAKERS}
        self._children: dict[str, _Assembly] = {}
        self.trace = Trace()
        self.definition: Mapping[str, Any] | None = None

    def take(self, kind: str, name: str, data: bytes, make: formats.Make) -> None:
        """One part. Raises `ValueError`, `TypeError` or `LookupError` if it has another shape."""
        tree = orjson.loads(data)
        # Without a tag there is nothing to make: the tree is the value.
        maker = make if _TAG in data else _as_it_is
        if kind == "trace":
            self.trace = formats.make_trace(tree, maker)
        elif kind == "definition":
            self.definition = formats.make_definition(tree, maker)
        elif kind == "child":
            *way, kind_there, name_there = _way_of(name)
            self.child(way).add(kind_there, name_there, tree, maker)
        else:
            self.add(kind, name, tree, maker)

    def child(self, way: Sequence[str]) -> _Assembly:
        made = self
        for key in way:
            made = made._children.setdefault(key, _Assembly())
        return made

    def add(self, kind: str, name: str, tree: Any, make: formats.Make) -> None:
        if kind == "queue":
            self._superstep, self._queue = formats.make_queue(tree, make)
        else:
            self._mappings[kind][name] = _MAKERS[kind](name, tree, make)

    def state(self) -> RunState:
        children = {key: child.state() for key, child in self._children.items()}
        mappings = self._mappings
        return RunState(
            superstep=self._superstep,
            queue=self._queue,
            buffers=mappings["buffer"],
            executors=mappings["executor"],
            shared=mappings["shared"],
            requests=mappings["request"],
            children=children,
        )


_MAKERS: Mapping[str, Callable[[str, Any, formats.Make], Any]] = {
    "shared": formats.make_shared,
    "executor": formats.make_executor,
    "buffer": formats.make_messages,
    "request": formats.make_request,
}
