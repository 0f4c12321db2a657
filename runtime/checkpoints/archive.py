"""From the values of the engine to the bytes of a store and back: a run's state is
taken apart into parts, and put together again.

A checkpoint costs what changed: values that the archive saved last are neither encoded
nor sent to the store again, see `runtime.checkpoints.capture`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import orjson

from runtime.calls import Call, Results
from runtime.checkpoint import (
    COMMON_FORMAT,
    FORMAT_VERSION,
    Cause,
    Checkpoint,
    CheckpointHeader,
    CheckpointStore,
    Part,
    Record,
)
from runtime.checkpoints import parts as formats
from runtime.checkpoints.calls import KIND, head_of, make_call, results_of
from runtime.checkpoints.capture import Capture
from runtime.checkpoints.migrations import Encoded, EncodedPart, lift
from runtime.checkpoints.parts import KINDS
from runtime.codec import DEFAULT_TYPES, TypeRegistry, rebuild, view_tree
from runtime.errors import CheckpointDamagedError, PartsMissingError
from runtime.state import LIVE, RunState, Trace
from runtime.stores.header import header_of
from runtime.stores.threaded import ThreadedStore

_TAG = b'"$":'


def _new_id() -> str:
    return os.urandom(10).hex()


class RecordedCall(NamedTuple):
    """A call of a checkpoint, without what it did, and the tree that has that."""

    call: Call
    tree: Any


class Archive:
    """Saves and loads the checkpoints of runs in one store. Use one for each run,
    because it remembers the last state that it saved.

    `types` are those of the codec. `clock` gives the time in a header and `new_id` the
    ids; both are there for tests.
    The owner of the store closes it.
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
        self.types = types
        self._clock = clock
        self._new_id = new_id
        self._last: Capture | None = None

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
        change: Mapping[str, Any] | None = None,
        changed: str = "",
        patch: Mapping[str, Any] | None = None,
        edited: str = "",
        calls: Sequence[Call] = (),
    ) -> CheckpointHeader:
        """Save a run at a barrier, and return its header with the sequence that the
        store gave it.

        `change`, `patch` and `calls`, `changed` and `edited` are those of `Checkpoint`
        and its header. Everything is encoded before the store is awaited. Raise `EncodeError` with the
        path of a value that cannot be saved, and what `CheckpointStore.save` raises;
        then nothing was saved.
        """

        def header(capture: Capture) -> CheckpointHeader:
            snapshot = capture.snapshot
            return header_of(
                id=checkpoint_id,
                run_id=run_id,
                workflow=workflow,
                superstep=state.superstep,
                cause=cause,
                parent=None if parent is None else parent.id,
                branch=branch,
                signature=signature,
                time=self._clock(),
                format=FORMAT_VERSION if is_newest else COMMON_FORMAT,
                status=status,
                queued=snapshot.queued,
                buffered=snapshot.buffered,
                requests=snapshot.requests,
                stalled=stalled,
                size=capture.size,
                new_size=sum(map(len, capture.new.values())),
                changed=changed,
                edited=edited,
            )

        is_newest = (
            change is not None
            or patch is not None
            or bool(calls)
            or any(call.origin != LIVE for call in trace.invocations)
        )
        checkpoint_id = self._new_id()
        capture = Capture(
            self.types, state, trace, definition, self._last, change, patch, calls
        )
        try:
            saved = await self.store.save(
                Record(header(capture), capture.manifest()), capture.new
            )
        except PartsMissingError:
            # The run that brought some of them was deleted from the store, so
            # everything is sent.
            capture = Capture(
                self.types, state, trace, definition, None, change, patch, calls
            )
            saved = await self.store.save(
                Record(header(capture), capture.manifest()), capture.new
            )
        self._last = capture
        return saved

    async def load(self, checkpoint_id: str) -> Checkpoint:
        """Return a checkpoint to go on from. It shares nothing with the store or with
        another load.

        Raise `CheckpointNotFoundError`, `CheckpointDamagedError`, or `DecodeError` for
        a type that is not registered or a newer format.
        """
        return self.rebuilt(*await self.record(checkpoint_id))

    async def view(self, checkpoint_id: str) -> Checkpoint:
        """Return a checkpoint for display. Values of user types are a `codec.Record`,
        and no user code is imported or run.
        """
        return self.viewed(*await self.record(checkpoint_id))

    async def trace(self, checkpoint_id: str) -> tuple[CheckpointHeader, Trace]:
        """Return the header of a checkpoint and what the superstep before it did, as
        `view` shows it. Nothing else of it is read.
        """
        record = await self.store.load(checkpoint_id)
        only = Record(
            record.header,
            tuple(part for part in record.manifest if part.kind == "trace"),
        )
        return record.header, self.viewed(only, await self._parts(only)).trace

    async def calls(self, checkpoint_id: str) -> list[RecordedCall]:
        """Return the calls of the superstep before a checkpoint that reached outside, in
        the order of their ordinals. Nothing of the user is decoded, and nothing else of
        the checkpoint is read.
        """
        record = await self.store.load(checkpoint_id)
        manifest = tuple(part for part in record.manifest if part.kind == KIND)
        if not manifest:
            return []
        only = Record(record.header, manifest)
        calls = []
        for _, name, data in _join(manifest, await self._parts(only)):
            try:
                tree = orjson.loads(data)
                calls.append(RecordedCall(head_of(name, tree), tree))
            except (ValueError, TypeError, LookupError) as error:
                raise _wrong_shape(record.header, KIND, name, error) from error
        return sorted(calls, key=lambda recorded: recorded.call.ordinal)

    def results(self, recorded: RecordedCall) -> Results:
        """Return what a recorded call did, made anew each time. Raise `DecodeError`, and
        `ValueError`, `TypeError` or `LookupError` for another shape.
        """
        return results_of(
            recorded.call,
            recorded.tree["results"],
            lambda tree, path: rebuild(tree, self.types, path),
        )

    async def record(self, checkpoint_id: str) -> tuple[Record, dict[str, bytes]]:
        """Return a checkpoint as the store keeps it, with the bytes of all its parts.
        `rebuilt` and `viewed` take the two.
        """
        store = self.store
        if isinstance(store, ThreadedStore):
            # The calls below raise again, and find out which of the two is damaged.
            with suppress(CheckpointDamagedError):
                return await store.whole(checkpoint_id)
        record = await store.load(checkpoint_id)
        return record, await self._parts(record)

    async def _parts(self, record: Record) -> dict[str, bytes]:
        try:
            return await self.store.parts(record.digests)
        except CheckpointDamagedError as error:
            # It was removed and is not damaged, if it is not there any more.
            await self.store.load(record.header.id)
            raise CheckpointDamagedError(record.header.id, error.reason) from error

    def rebuilt(self, record: Record, parts: Mapping[str, bytes]) -> Checkpoint:
        """Return what `load` gives of a record."""
        return self._made(record, parts, rebuild)

    def viewed(self, record: Record, parts: Mapping[str, bytes]) -> Checkpoint:
        """Return what `view` gives of a record."""
        return self._made(record, parts, view_tree)

    def _made(
        self,
        record: Record,
        parts: Mapping[str, bytes],
        make: Callable[[Any, TypeRegistry, str], Any],
    ) -> Checkpoint:
        encoded = lift(_join(record.manifest, parts), record.header.format)
        return _put_together(
            record.header, encoded, lambda tree, path: make(tree, self.types, path)
        )


# --- putting together ---------------------------------------------------------------------------------------------


def _join(manifest: Sequence[Part], data: Mapping[str, bytes]) -> Encoded:
    """Return the parts with their pieces joined: entries of one kind and name that
    follow each other.
    """
    joined: dict[tuple[str, str], list[bytes]] = {}
    for kind, name, digest in manifest:
        joined.setdefault((kind, name), []).append(data[digest])
    return tuple(
        EncodedPart(kind, name, b"".join(pieces))
        for (kind, name), pieces in joined.items()
    )


def _put_together(
    header: CheckpointHeader, encoded: Encoded, make: formats.Make
) -> Checkpoint:
    root = _Assembly()
    for kind, name, data in encoded:
        try:
            root.take(kind, name, data, make)
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            raise _wrong_shape(header, kind, name, error) from error
    try:
        return Checkpoint(
            header,
            root.state(),
            root.trace,
            root.definition,
            root.change,
            root.patch,
            tuple(root.calls),
        )
    except RecursionError as error:
        raise CheckpointDamagedError(
            header.id, "its sub-workflows are nested too deep"
        ) from error


def _wrong_shape(
    header: CheckpointHeader, kind: str, name: str, error: Exception
) -> CheckpointDamagedError:
    named = f"{kind} {name}".rstrip()
    return CheckpointDamagedError(
        header.id, f"its part '{named}' has a wrong shape ({error})"
    )


def seen_way(name: str) -> list[str]:
    """Return the way in the name of a child's part: keys of invocations, kind and name.
    Kind and name are empty for a wrong one, which is damaged when it is loaded.
    """
    try:
        return _way_of(name)
    except (ValueError, TypeError):
        return ["", ""]


def _way_of(name: str) -> list[str]:
    way = orjson.loads(name)
    if (
        type(way) is not list
        or len(way) < 3
        or not all(type(step) is str for step in way)
    ):
        raise TypeError("the name of a child's part is no way to it")
    return way


def _as_it_is(tree: Any, _: str) -> Any:
    return tree


_KINDS = {kind.name: kind for kind in KINDS}


class _Assembly:
    """A `RunState` that is being put together, with the trace and the definition beside
    it.
    """

    def __init__(self) -> None:
        self._superstep = self._waited = 0
        self._queue: tuple[Any, ...] = ()
        self._mappings: dict[str, dict[str, Any]] = {kind.name: {} for kind in KINDS}
        self._children: dict[str, _Assembly] = {}
        self.trace = Trace()
        self.definition: Mapping[str, Any] | None = None
        self.change: Mapping[str, Any] | None = None
        self.patch: Mapping[str, Any] | None = None
        self.calls: list[Call] = []

    def take(self, kind: str, name: str, data: bytes, make: formats.Make) -> None:
        """Add one part. Raise `ValueError`, `TypeError` or `LookupError` if it has
        another shape.
        """
        tree = orjson.loads(data)
        # Without a tag there is nothing to rebuild, and the tree is the value.
        maker = make if _TAG in data else _as_it_is
        if kind == "trace":
            self.trace = formats.make_trace(tree, maker)
        elif kind == "definition":
            self.definition = formats.make_definition(tree, maker)
        elif kind == "change":
            self.change = formats.make_change(tree, maker)
        elif kind == "patch":
            self.patch = formats.make_patch(tree, maker)
        elif kind == KIND:
            self.calls.append(make_call(name, tree, maker))
        elif kind == "child":
            *way, kind_there, name_there = _way_of(name)
            self.child(way).add(kind_there, name_there, tree, maker)
        else:
            self.add(kind, name, tree, maker)

    def child(self, way: Sequence[str]) -> _Assembly:
        assembly = self
        for key in way:
            assembly = assembly._children.setdefault(key, _Assembly())
        return assembly

    def add(self, kind: str, name: str, tree: Any, make: formats.Make) -> None:
        if kind == "queue":
            self._superstep, self._queue, self._waited = formats.make_queue(tree, make)
        else:
            self._mappings[kind][name] = _KINDS[kind].make(name, tree, make)

    def state(self) -> RunState:
        children = {key: child.state() for key, child in self._children.items()}
        mappings: dict[str, Any] = {
            kind.attribute: self._mappings[kind.name] for kind in KINDS
        }
        return RunState(
            superstep=self._superstep,
            queue=self._queue,
            children=children,
            waited=self._waited,
            **mappings,
        )
