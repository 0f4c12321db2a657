"""Between the engine's values and a store's bytes: a run's state is taken apart into parts, and put together again.

A checkpoint costs what changed. The archive remembers the values that it saved last: a part whose value is the same
object is neither encoded nor given to the store again, so values inside a `RunState` must never be changed in place.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
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

# The mappings of a `RunState` whose entries are parts: attribute, kind, to bytes.
_MAPPINGS: tuple[tuple[str, str, Callable[[str, Any, TypeRegistry], bytes]], ...] = (
    ("shared", "shared", formats.shared_bytes),
    ("executors", "executor", formats.executor_bytes),
    ("buffers", "buffer", formats.buffer_bytes),
    ("requests", "request", formats.request_bytes),
)
_TAG = b'"$":'


def _new_id() -> str:
    return secrets.token_hex(10)


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
        capture = _Capture(self._types, self._last).take(state, trace, definition)
        try:
            saved = await self.store.save(Record(header(capture), capture.manifest), capture.new)
        except PartsMissingError:
            # The run that brought some of them was deleted from the store: give everything.
            capture = _Capture(self._types, None).take(state, trace, definition)
            saved = await self.store.save(Record(header(capture), capture.manifest), capture.new)
        self._last = capture
        return saved

    async def load(self, checkpoint_id: str) -> Checkpoint:
        """A checkpoint to go on from. Nothing in it is shared with the store, nor with another load.

        Raises `CheckpointNotFoundError`, `CheckpointDamagedError`, or `DecodeError` for a type that is not registered
        or a newer format.
        """
        return await self._read(checkpoint_id, rebuild)

    async def view(self, checkpoint_id: str) -> Checkpoint:
        """A checkpoint to look at: values of user types are a `codec.Record`, and no user code is imported or run."""
        return await self._read(checkpoint_id, view_tree)

    async def _read(self, checkpoint_id: str, make: Callable[[Any, TypeRegistry, str], Any]) -> Checkpoint:
        record = await self.store.load(checkpoint_id)
        digests = dict.fromkeys(part.digest for part in record.manifest)
        try:
            data = await self.store.parts(list(digests))
        except CheckpointDamagedError as error:
            raise CheckpointDamagedError(checkpoint_id, error.reason) from error
        encoded = lift(_join(record.manifest, data), record.header.format)
        try:
            return _put_together(record.header, encoded, lambda tree, path: make(tree, self._types, path))
        except (ValueError, TypeError, LookupError) as error:
            raise CheckpointDamagedError(checkpoint_id, f"a part has a wrong shape ({error})") from error


# --- taking apart -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Entry:
    """One part of the last save: its value, by identity, and what became of it."""

    value: Any
    parts: tuple[Part, ...]
    size: int
    pieces: Sequence[Piece] = ()


@dataclass(slots=True)
class _Group:
    """The parts of one mapping."""

    source: Mapping[str, Any]
    entries: dict[str, _Entry]
    parts: tuple[Part, ...]
    size: int


@dataclass(slots=True)
class _Snapshot:
    """The parts of one `RunState`, with those of its children."""

    state: RunState
    queue: _Entry
    groups: dict[str, _Group]
    children: dict[str, _Snapshot]
    parts: tuple[Part, ...] = ()
    size: int = 0
    queued: int = 0
    buffered: int = 0
    requests: int = 0


@dataclass(slots=True)
class _Capture:
    """One save: what it consists of, and `new`, the bytes that the one before did not have."""

    types: TypeRegistry
    before: _Capture | None
    new: dict[str, bytes] = field(default_factory=dict)
    snapshot: _Snapshot = field(init=False)
    trace: _Entry = field(init=False)
    definition: _Entry | None = None
    manifest: tuple[Part, ...] = ()
    size: int = 0

    def take(self, state: RunState, trace: Trace, definition: Mapping[str, Any] | None) -> _Capture:
        before, self.before = self.before, None  # else every save would hold all the ones before it
        self.snapshot = self._state(state, None if before is None else before.snapshot, ())
        self.trace = self._entry(
            "trace", "", trace, formats.trace_bytes(trace, self.types), None if before is None else before.trace
        )
        fixed: tuple[Part, ...] = ()
        self.size = self.snapshot.size + self.trace.size
        if definition is not None:
            self.definition = self._definition(definition, None if before is None else before.definition)
            fixed = self.definition.parts
            self.size += self.definition.size
        self.manifest = fixed + self.snapshot.parts + self.trace.parts
        return self

    def _definition(self, definition: Mapping[str, Any], old: _Entry | None) -> _Entry:
        if old is not None and (old.value is definition or old.value == definition):
            return old
        return self._entry("definition", "", definition, encode(definition, self.types, "definition"), old)

    def _state(self, state: RunState, old: _Snapshot | None, way: tuple[str, ...]) -> _Snapshot:
        if old is not None and old.state is state:
            return old
        groups = {
            kind: self._group(kind, getattr(state, attribute), None if old is None else old.groups[kind], to_bytes, way)
            for attribute, kind, to_bytes in _MAPPINGS
        }
        queue = self._queue(state, old, way)
        known = {} if old is None else old.children
        children = {key: self._state(child, known.get(key), (*way, key)) for key, child in state.children.items()}
        made = _Snapshot(state, queue, groups, children)
        _sum_up(made)
        return made

    def _queue(self, state: RunState, old: _Snapshot | None, way: tuple[str, ...]) -> _Entry:
        data = formats.queue_bytes(state.superstep, state.queue, self.types)
        return self._entry("queue", "", state.queue, data, None if old is None else old.queue, way)

    def _group(
        self,
        kind: str,
        source: Mapping[str, Any],
        old: _Group | None,
        to_bytes: Callable[[str, Any, TypeRegistry], bytes],
        way: tuple[str, ...],
    ) -> _Group:
        if old is not None and old.source is source:
            return old
        known = {} if old is None else old.entries
        entries = {}
        for name, value in source.items():
            entry = known.get(name)
            if entry is None or entry.value is not value:
                entry = self._entry(kind, name, value, to_bytes(name, value, self.types), entry, way)
            entries[name] = entry
        parts = tuple(chain.from_iterable([entry.parts for entry in entries.values()]))
        return _Group(source, entries, parts, sum([entry.size for entry in entries.values()]))

    def _entry(
        self, kind: str, name: str, value: Any, data: bytes, old: _Entry | None, way: tuple[str, ...] = ()
    ) -> _Entry:
        if way:
            kind, name = "child", _way_name((*way, kind, name))
        if len(data) > SPLIT_ABOVE:
            return self._split(kind, name, value, data, old)
        digest = digest_of(data)
        if old is not None and len(old.parts) == 1 and old.parts[0].digest == digest:
            return _Entry(value, old.parts, old.size)
        self.new[digest] = data
        return _Entry(value, (Part(kind, name, digest),), len(data))

    def _split(self, kind: str, name: str, value: Any, data: bytes, old: _Entry | None) -> _Entry:
        known = () if old is None else old.pieces
        # The very parts of the last manifest are used again: a store finds what is new by identity.
        parts_before = {} if old is None else {part.digest: part for part in old.parts}
        pieces, parts = [], []
        for piece, content in split(data, known):
            if content is not None and piece.digest not in parts_before:
                self.new[piece.digest] = content
            pieces.append(piece)
            parts.append(parts_before.get(piece.digest) or Part(kind, name, piece.digest))
        return _Entry(value, tuple(parts), len(data), pieces)


def _sum_up(snapshot: _Snapshot) -> None:
    state, children = snapshot.state, snapshot.children.values()
    groups = snapshot.groups.values()
    parts: Iterable[tuple[Part, ...]] = [group.parts for group in groups]
    snapshot.parts = tuple(chain(*parts, *[child.parts for child in children], snapshot.queue.parts))
    snapshot.size = (
        snapshot.queue.size + sum([group.size for group in groups]) + sum([child.size for child in children])
    )
    snapshot.queued = len(state.queue) + sum([child.queued for child in children])
    snapshot.buffered = sum(map(len, state.buffers.values())) + sum([child.buffered for child in children])
    snapshot.requests = len(state.requests) + sum([child.requests for child in children])


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
    trace, definition = Trace(), None
    for kind, name, data in encoded:
        tree = orjson.loads(data)
        # Without a tag there is nothing to make: the tree is the value.
        maker = make if _TAG in data else _as_it_is
        if kind == "trace":
            trace = formats.make_trace(tree, maker)
        elif kind == "definition":
            definition = maker(tree, "definition")
        elif kind == "child":
            *way, kind_there, name_there = orjson.loads(name)
            root.child(way).add(kind_there, name_there, tree, maker)
        else:
            root.add(kind, name, tree, maker)
    return Checkpoint(header, root.state(), trace, definition)


def _as_it_is(tree: Any, _: str) -> Any:
    return tree


class _Assembly:
    """A `RunState` in the making."""

    def __init__(self) -> None:
        self._superstep = 0
        self._queue: tuple[Any, ...] = ()
        self._mappings: dict[str, dict[str, Any]] = {kind: {} for kind in _MAKERS}
        self._children: dict[str, _Assembly] = {}

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
