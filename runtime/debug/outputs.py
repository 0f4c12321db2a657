"""What a run has put out on the way to a checkpoint: for the command line, and for the window that asks often.

Only the trace of a checkpoint is read for it: with the state, a long run would take minutes.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, NamedTuple

import orjson

from runtime.checkpoint import Cause, CheckpointHeader, CheckpointStore
from runtime.codec import DEFAULT_TYPES, view_tree
from runtime.debug.protocol import OutputItem, OutputsBody
from runtime.debug.shapes import clean
from runtime.debug.values import to_value
from runtime.errors import CheckpointDamagedError, WorkflowCheckpointException
from runtime.migrations import EncodedPart, lift
from runtime.parts import make_trace
from runtime.state import Output, Trace

# The newest outputs are sent whole: so many of them, and so many characters of each text, and of all texts together.
SHOWN = 500
TEXT_LIMIT = 1_000_000
TEXTS_LIMIT = 4_000_000
# Of a text for which there was no room left, at least so much.
TEXT_LEAST = 2_000
# How many characters of texts are kept so that the next question costs nothing.
KEPT = 16_000_000


class _Place(NamedTuple):
    """Where a checkpoint stands; `line` is its run and branch."""

    id: str
    parent: str | None
    is_superstep: bool
    line: tuple[str, str]
    sequence: int


class Ancestry:
    """Which supersteps led to a checkpoint. Headers that it has seen are not asked for again."""

    def __init__(self) -> None:
        self._places: dict[str, _Place] = {}

    def note(self, header: CheckpointHeader) -> None:
        # A fork or an answer repeats the barrier of its parent; only supersteps have outputs of their own.
        is_superstep = header.cause == Cause.SUPERSTEP
        line = (header.run_id, header.branch)
        self._places[header.id] = _Place(header.id, header.parent, is_superstep, line, header.sequence)

    async def to(self, store: CheckpointStore, header: CheckpointHeader) -> list[str]:
        """Ids of the checkpoints of supersteps from the input to this one, in order.

        Where some were removed, the nearest one stands for all of that gap, and the line goes on before it.
        """
        self.note(header)
        line: list[str] = []
        here: _Place | None = self._places[header.id]
        has_read = False
        while here is not None:
            if here.is_superstep:
                line.append(here.id)
            if here.parent is None:
                break
            if here.parent not in self._places and not has_read:
                for one in await store.headers(run_id=header.run_id):
                    self.note(one)
                has_read = True
            before = self._places.get(here.parent)
            if before is None:
                line.append(here.parent)
                before = self._nearest(here)
            here = before
        return line[::-1]

    def _nearest(self, after: _Place) -> _Place | None:
        """The last one before a gap on the same branch."""
        earlier = [one for one in self._places.values() if one.line == after.line and one.sequence < after.sequence]
        return max(earlier, key=lambda one: one.sequence, default=None)


async def read_trace(store: CheckpointStore, checkpoint_id: str) -> tuple[CheckpointHeader, Trace]:
    """What the superstep of a checkpoint did, as a viewer sees it. Raises what `Archive.view` raises."""
    record = await store.load(checkpoint_id)
    digests = [part.digest for part in record.manifest if part.kind == "trace"]
    try:
        data = await store.parts(list(dict.fromkeys(digests)))
    except CheckpointDamagedError as error:
        raise CheckpointDamagedError(checkpoint_id, error.reason) from error
    encoded = lift((EncodedPart("trace", "", b"".join(data[digest] for digest in digests)),), record.header.format)
    try:
        return record.header, make_trace(orjson.loads(encoded[0].data), _view)
    except (ValueError, TypeError, LookupError) as error:
        raise CheckpointDamagedError(checkpoint_id, f"its trace has a wrong shape ({error})") from error


def _view(tree: Any, path: str) -> Any:
    return view_tree(tree, DEFAULT_TYPES, path)


class Outputs:
    """Remembers which checkpoints have outputs, and the outputs that were asked for last."""

    def __init__(self) -> None:
        self._ancestry = Ancestry()
        self._counts: dict[str, int] = {}
        self._kept: OrderedDict[str, tuple[OutputItem, ...]] = OrderedDict()
        self._size = 0

    def note(self, header: CheckpointHeader, trace: Trace) -> None:
        """A checkpoint that was just saved: it need not be read to know whether there is anything."""
        self._ancestry.note(header)
        self._counts[header.id] = len(trace.outputs)

    async def until(self, store: CheckpointStore, header: CheckpointHeader) -> OutputsBody:
        """Everything that was put out on the way to a checkpoint, the newest last."""
        items: list[OutputItem] = []
        left_out = unreadable = 0
        for id_ in reversed(await self._ancestry.to(store, header)):
            room = SHOWN - len(items)
            if not room and id_ in self._counts:
                left_out += self._counts[id_]
                continue
            try:
                own = await self._of(store, id_)
            except WorkflowCheckpointException:
                unreadable += 1
                continue
            shown = own[max(0, len(own) - room) :] if room else ()
            items += reversed(shown)
            left_out += len(own) - len(shown)
        return OutputsBody(checkpoint_id=header.id, items=_fitting(items), left_out=left_out, unreadable=unreadable)

    async def _of(self, store: CheckpointStore, checkpoint_id: str) -> tuple[OutputItem, ...]:
        """The outputs of one superstep."""
        if self._counts.get(checkpoint_id) == 0:
            return ()
        own = self._kept.get(checkpoint_id)
        if own is None:
            header, trace = await read_trace(store, checkpoint_id)
            own = tuple(_item(header, at, output) for at, output in enumerate(trace.outputs))
            self._counts[checkpoint_id] = len(own)
            self._keep(checkpoint_id, own)
        else:
            self._kept.move_to_end(checkpoint_id)
        return own

    def _keep(self, checkpoint_id: str, own: tuple[OutputItem, ...]) -> None:
        if not own or checkpoint_id in self._kept:
            return
        self._kept[checkpoint_id] = own
        self._size += _size(own)
        while self._size > KEPT and len(self._kept) > 1:
            self._size -= _size(self._kept.popitem(last=False)[1])


def _item(header: CheckpointHeader, at: int, output: Output) -> OutputItem:
    text, cut = None, 0
    if isinstance(output.data, str):
        text = clean(output.data[:TEXT_LIMIT])
        cut = max(0, len(output.data) - TEXT_LIMIT)
    return OutputItem(
        superstep=header.superstep,
        executor=output.executor_id,
        checkpoint_id=header.id,
        index=at,
        text=text,
        cut=cut,
        value=to_value(output.data),
    )


def _size(own: tuple[OutputItem, ...]) -> int:
    # A value that is no text is a tree of bounded size, which weighs something too.
    return sum(len(item.text or "") + TEXT_LEAST for item in own)


def _fitting(newest_first: list[OutputItem]) -> tuple[OutputItem, ...]:
    """In order, with the texts of the oldest cut where all of them together are too much."""
    room, fitting = TEXTS_LIMIT, []
    for item in newest_first:
        text, most = item.text or "", max(room, TEXT_LEAST)
        over = len(text) - most
        fitting.append(item.model_copy(update={"text": text[:most], "cut": item.cut + over}) if over > 0 else item)
        room = max(0, room - len(text))
    return tuple(reversed(fitting))
