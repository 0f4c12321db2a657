"""Taking a run apart: the parts of its state with their bytes, of which only those are new whose value changed.

The last save is remembered by the identity of its values, so values inside a `RunState` must never be changed in place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, compress, count
from operator import attrgetter, is_not
from typing import Any

import orjson

from runtime import parts as formats
from runtime.checkpoint import Part, digest_of
from runtime.codec import TypeRegistry, encode
from runtime.errors import EncodeError
from runtime.pieces import SPLIT_ABOVE, Piece, split
from runtime.sealed import Sealed, kept
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


@dataclass(slots=True, eq=False)
class _Entry:
    """What became of one part: one entry of the manifest, or one for each piece."""

    parts: tuple[Part, ...]
    size: int
    pieces: Sequence[Piece] = ()
    data: bytes = b""  # if the state keeps it anyway


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
class Capture:
    """One save: what it consists of, and `new`, the bytes that the one before did not have."""

    types: TypeRegistry
    new: dict[str, bytes] = field(default_factory=dict)
    snapshot: _Snapshot = _NO_SNAPSHOT
    trace: _Entry = _NO_ENTRY
    definition: _Entry = _NO_ENTRY
    document: Mapping[str, Any] | None = None

    def take(
        self, state: RunState, trace: Trace, document: Mapping[str, Any] | None, before: Capture | None
    ) -> Capture:
        old = before or Capture(self.types)
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
        held = kept(source)
        keys, values = list(held), list(held.values())
        if keys == old.keys:
            before, entries = old.values, old.entries.copy()
        else:
            known = dict(zip(old.keys, zip(old.values, old.entries, strict=True), strict=True))
            pairs = [known.get(key, _UNKNOWN) for key in keys]
            before, entries = [value for value, _ in pairs], [entry for _, entry in pairs]
        # At C speed over everything, in Python only over what changed.
        for at in compress(count(), map(is_not, values, before)):
            key, value = keys[at], values[at]
            data = to_bytes(key, value, self.types)
            entries[at] = self._entry(kind, key, data, entries[at], way)
            if type(value) is Sealed:
                entries[at].data = data
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
        for piece, content in split(data, old.pieces, old.data):
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
