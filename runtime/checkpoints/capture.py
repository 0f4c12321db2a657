"""Taking a run apart: the parts of its state with their bytes, of which only those are
new whose value changed.

Paid for by `python -m tests.benchmarks --only w5,w6,flat-100mb`: a checkpoint must cost
what changed, however large the state is. So the last capture is remembered, and a value
that is the same object has the same part: a comparison by identity, done for all values
of a mapping at once by `map(is_not, …)`, takes no time beside encoding one of them.
That is why values inside a `RunState` must never be changed in place.

The parts are kept in tuples and lists in step, and not in objects with names, because
two groups and several entries are made for every superstep.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, compress, count
from operator import is_not, itemgetter
from typing import Any

import orjson

from runtime.calls import Call
from runtime.checkpoint import Part, digest_of
from runtime.checkpoints import parts as formats
from runtime.checkpoints.calls import KIND, call_bytes, call_name
from runtime.checkpoints.chunks import SPLIT_ABOVE, Piece, split
from runtime.checkpoints.parts import KINDS, Kind
from runtime.codec import TypeRegistry, encode
from runtime.errors import EncodeError
from runtime.state import RunState, Trace
from runtime.values.sealed import Sealed, stored_values

# What one part became: its entries in the manifest, one for each piece; how many bytes
# they have; the pieces; and the bytes, if the state keeps them anyway.
_Entry = tuple[tuple[Part, ...], int, Sequence[Piece], bytes]
_NO_ENTRY: _Entry = ((), 0, (), b"")
_PARTS = itemgetter(0)
_SIZE = itemgetter(1)
# Makes a `Part` without the Python function that a named tuple is called through.
_new_part = partial(tuple.__new__, Part)


# The parts of one mapping: the mapping, whose values are compared by identity; its keys
# and their entries, in step; how many bytes they have.
_Group = tuple[Mapping[str, Any], list[str], list[_Entry], int]
_NO_GROUP: _Group = ({}, [], [], 0)


@dataclass(slots=True, eq=False)
class _Snapshot:
    """The parts of one `RunState`. `entries`, `size` and the counts include those of
    its children.
    """

    state: RunState
    queue: _Entry
    groups: Sequence[_Group]
    children: dict[str, _Snapshot]
    entries: list[_Entry]
    size: int
    queued: int
    buffered: int
    requests: int

    def include(self, children: Mapping[str, _Snapshot]) -> None:
        for child in children.values():
            self.entries += child.entries
            self.size += child.size
            self.queued += child.queued
            self.buffered += child.buffered
            # A question that a sub-workflow passes on is one question.
            self.requests += child.requests - len(
                child.state.requests.keys() & self.state.requests.keys()
            )


_NO_SNAPSHOT = _Snapshot(
    RunState(), _NO_ENTRY, (_NO_GROUP,) * len(KINDS), {}, [], 0, 0, 0, 0
)


class Capture:
    """What one save consists of, and in `new` the bytes that the save before did not
    have.
    """

    def __init__(
        self,
        types: TypeRegistry,
        state: RunState,
        trace: Trace,
        document: Mapping[str, Any] | None,
        before: Capture | None,
        change: Mapping[str, Any] | None = None,
        patch: Mapping[str, Any] | None = None,
        calls: Sequence[Call] = (),
    ) -> None:
        self.types = types
        self.document = document
        self.new: dict[str, bytes] = {}
        self.snapshot: _Snapshot = self._state(
            state, _NO_SNAPSHOT if before is None else before.snapshot, ()
        )
        old_trace = _NO_ENTRY if before is None else before.trace
        self.trace: _Entry = self._entry(
            "trace", "", formats.trace_bytes(trace, types), old_trace, ()
        )
        self.definition = self._document(document, before)
        # Of one checkpoint only, so there is none before to compare it with.
        self.change = self._own_document("change", change)
        self.patch = self._own_document("patch", patch)
        self.calls = [
            self._entry(KIND, call_name(call), call_bytes(call, types), _NO_ENTRY, ())
            for call in calls
        ]

    def manifest(self) -> tuple[Part, ...]:
        return tuple(
            chain.from_iterable(
                map(
                    _PARTS,
                    [
                        self.definition,
                        self.change,
                        self.patch,
                        *self.snapshot.entries,
                        self.trace,
                        *self.calls,
                    ],
                )
            )
        )

    @property
    def size(self) -> int:
        fixed = self.definition[1] + self.change[1] + self.patch[1]
        calls: int = sum(map(_SIZE, self.calls))
        return fixed + self.snapshot.size + self.trace[1] + calls

    def _own_document(self, kind: str, document: Mapping[str, Any] | None) -> _Entry:
        if document is None:
            return _NO_ENTRY
        data = encode(document, self.types, kind)
        return self._entry(kind, "", data, _NO_ENTRY, ())

    def _document(
        self, document: Mapping[str, Any] | None, before: Capture | None
    ) -> _Entry:
        if document is None:
            return _NO_ENTRY
        entry_before = _NO_ENTRY
        if before is not None:
            entry_before = before.definition
            if before.document is document or before.document == document:
                return entry_before
        return self._entry(
            "definition",
            "",
            encode(document, self.types, "definition"),
            entry_before,
            (),
        )

    def _state(
        self, state: RunState, before: _Snapshot, way: tuple[str, ...]
    ) -> _Snapshot:
        if before.state is state:
            return before
        groups = []
        for kind, group in zip(KINDS, before.groups, strict=True):
            source = stored_values(getattr(state, kind.attribute))
            # Because a superstep shares what it does not change, most mappings are the
            # same object.
            if source is not group[0]:
                group = self._group(kind, source, group, way)  # noqa: PLW2901
            groups.append(group)
        queue_data = formats.queue_bytes(
            state.superstep, state.queue, self.types, state.waited
        )
        queue = self._entry("queue", "", queue_data, before.queue, way)
        entries: list[_Entry] = []
        size = queue[1]
        for _, _, entries_of_group, size_of_group in groups:
            entries += entries_of_group
            size += size_of_group
        entries.append(queue)
        snapshot = _Snapshot(
            state=state,
            queue=queue,
            groups=groups,
            children={},
            entries=entries,
            size=size,
            queued=len(state.queue),
            buffered=sum(map(len, state.buffers.values())),
            requests=len(state.requests),
        )
        if state.children:
            snapshot.children = {
                key: self._state(
                    child, before.children.get(key, _NO_SNAPSHOT), (*way, key)
                )
                for key, child in state.children.items()
            }
            snapshot.include(snapshot.children)
        return snapshot

    def _group(
        self,
        kind: Kind,
        source: Mapping[str, Any],
        group_before: _Group,
        way: tuple[str, ...],
    ) -> _Group:
        """Return the parts of a mapping: those of before, and new ones for new values.

        Mostly a superstep changes some values or adds keys behind the others, so the
        keys of before are the first keys now, and entries and values stay in step.
        """
        source_before, keys_before, entries_before, size = group_before
        if not source and not keys_before:
            return group_before
        keys = list(source)
        known = len(keys_before)
        changed_indexes: Iterable[int]
        # Compared as they are first, because a slice copies thousands of keys.
        if keys == keys_before or keys[:known] == keys_before:
            entries = entries_before + [_NO_ENTRY] * (len(keys) - known)
            # At C speed, because most of thousands of values are the same objects.
            changed = map(is_not, source.values(), source_before.values())
            added_indexes = range(known, len(keys))
            changed_indexes = chain(compress(count(), changed), added_indexes)
        else:
            by_key = dict(zip(keys_before, entries_before, strict=True))
            entries = [by_key.get(key, _NO_ENTRY) for key in keys]
            size = sum(map(_SIZE, entries))
            changed_indexes = [
                index
                for index, key in enumerate(keys)
                if key not in by_key or source[key] is not source_before[key]
            ]
        for index in changed_indexes:
            key = keys[index]
            value = source[key]
            entry_before = entries[index]
            data = kind.to_bytes(key, value, self.types)
            entry = self._entry(kind.name, key, data, entry_before, way)
            if type(value) is Sealed:
                # The state keeps these bytes anyway, so the next version is compared
                # with them and not by digests.
                entry = (*entry[:3], data)
            entries[index] = entry
            size += entry[1] - entry_before[1]
        return source, keys, entries, size

    def _entry(
        self,
        kind: str,
        name: str,
        data: bytes,
        entry_before: _Entry,
        way: tuple[str, ...],
    ) -> _Entry:
        """Return the entry of a part, and note its bytes if they are new."""
        if way:
            name = _way_name((*way, kind, name))
            kind = "child"
        size = len(data)
        if size > SPLIT_ABOVE:
            return self._split(kind, name, data, entry_before)
        digest = digest_of(data)
        parts = entry_before[0]
        if len(parts) == 1 and parts[0].digest == digest:
            return entry_before
        self.new[digest] = data
        return (_new_part((kind, name, digest)),), size, (), b""

    def _split(self, kind: str, name: str, data: bytes, entry_before: _Entry) -> _Entry:
        # The parts of the last manifest are used again as objects, because a store
        # finds what is new by identity.
        known = {part.digest: part for part in entry_before[0]}
        pieces = []
        parts = []
        for piece, content in split(data, entry_before[2], entry_before[3]):
            part = known.get(piece.digest)
            if part is None:
                part = Part(kind, name, piece.digest)
                if content is not None:
                    self.new[piece.digest] = content
            pieces.append(piece)
            parts.append(part)
        return tuple(parts), len(data), pieces, b""


def _way_name(way: tuple[str, ...]) -> str:
    try:
        return orjson.dumps(way).decode()
    except TypeError:
        raise EncodeError(
            "a name holds a lone surrogate: use proper text", " ".join(map(repr, way))
        ) from None
