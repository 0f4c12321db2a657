"""The outputs of a run on the way to a checkpoint, for the command line and for the
window, which asks often.

Only the traces of checkpoints are read, because their states would take minutes for a
long run.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any

import orjson

from runtime.checkpoint import CheckpointHeader, CheckpointStore
from runtime.checkpoints.migrations import EncodedPart, lift
from runtime.checkpoints.parts import make_trace
from runtime.codec import DEFAULT_TYPES, view_tree
from runtime.debug.protocol import OutputItem, OutputsBody
from runtime.debug.timeline.ancestry import Way
from runtime.debug.values.display import to_value
from runtime.debug.values.shapes import clean
from runtime.errors import CheckpointDamagedError, WorkflowCheckpointException
from runtime.state import Output, Trace

# The newest outputs are sent: at most this many, with at most this many characters of
# each text and of all texts together.
SHOWN = 500
TEXT_LIMIT = 1_000_000
TEXTS_LIMIT = 4_000_000
# Characters that are sent of a text for which no room remains.
TEXT_LEAST = 2_000
# Characters of texts that are cached, because the window asks often.
CACHED = 16_000_000

_Read = Callable[[CheckpointStore, str], Awaitable[tuple[OutputItem, ...]]]


async def read_trace(
    store: CheckpointStore, checkpoint_id: str
) -> tuple[CheckpointHeader, Trace]:
    """Return what the superstep of a checkpoint did, viewed. Raise what
    `Archive.view` raises.
    """
    record = await store.load(checkpoint_id)
    digests = [part.digest for part in record.manifest if part.kind == "trace"]
    try:
        data = await store.parts(list(dict.fromkeys(digests)))
    except CheckpointDamagedError as error:
        raise CheckpointDamagedError(checkpoint_id, error.reason) from error
    encoded = lift(
        (EncodedPart("trace", "", b"".join(data[digest] for digest in digests)),),
        record.header.format,
    )
    try:
        return record.header, make_trace(orjson.loads(encoded[0].data), _view)
    except (ValueError, TypeError, LookupError) as error:
        raise CheckpointDamagedError(
            checkpoint_id, f"its trace has a wrong shape ({error})"
        ) from error


def _view(tree: Any, path: str) -> Any:
    return view_tree(tree, DEFAULT_TYPES, path)


class Outputs:
    """Remember which checkpoints have outputs, and the outputs that were read
    last.
    """

    def __init__(self) -> None:
        self._way = Way()
        self._cache: OrderedDict[str, tuple[OutputItem, ...]] = OrderedDict()
        self._size = 0

    def note(self, header: CheckpointHeader, trace: Trace) -> None:
        """Note a checkpoint that was just saved, so that it need not be read
        to know whether it has outputs.
        """
        self._way.note(header, len(trace.outputs))

    async def until(
        self, store: CheckpointStore, header: CheckpointHeader
    ) -> OutputsBody:
        """Return all outputs on the way to a checkpoint, the newest last."""
        with_outputs, unseen = await self._way.to(store, header)
        collected = _NewestOutputs(store, self._outputs_of)
        self._way.learn(
            unseen,
            {
                step.id: await collected.add(step.id, step.values)
                for step in with_outputs
            },
        )
        return OutputsBody(
            checkpoint_id=header.id,
            items=_fitting(collected.items),
            left_out=collected.left_out,
            unreadable=collected.unreadable,
        )

    async def _outputs_of(
        self, store: CheckpointStore, checkpoint_id: str
    ) -> tuple[OutputItem, ...]:
        """Return the outputs of one superstep."""
        outputs = self._cache.get(checkpoint_id)
        if outputs is None:
            header, trace = await read_trace(store, checkpoint_id)
            outputs = tuple(
                _item(header, index, output)
                for index, output in enumerate(trace.outputs)
            )
            self._add_to_cache(checkpoint_id, outputs)
        else:
            self._cache.move_to_end(checkpoint_id)
        return outputs

    def _add_to_cache(
        self, checkpoint_id: str, outputs: tuple[OutputItem, ...]
    ) -> None:
        if not outputs or checkpoint_id in self._cache:
            return
        self._cache[checkpoint_id] = outputs
        self._size += _size(outputs)
        while self._size > CACHED and len(self._cache) > 1:
            self._size -= _size(self._cache.popitem(last=False)[1])


class _NewestOutputs:
    """Collect outputs, the newest first, as long as there is room for them."""

    def __init__(self, store: CheckpointStore, read: _Read) -> None:
        self._store = store
        self._read = read
        self.items: list[OutputItem] = []
        self.left_out = self.unreadable = 0

    async def add(self, checkpoint_id: str, values: int | None) -> int | None:
        """Add the outputs of a checkpoint, and return how many there are. A
        checkpoint is not read if no room is left and its number is known.
        """
        room = SHOWN - len(self.items)
        if not room and values is not None:
            self.left_out += values
            return values
        try:
            outputs = await self._read(self._store, checkpoint_id)
        except WorkflowCheckpointException:
            self.unreadable += 1
            return None
        shown = outputs[max(0, len(outputs) - room) :] if room else ()
        self.items += reversed(shown)
        self.left_out += len(outputs) - len(shown)
        return len(outputs)


def _item(header: CheckpointHeader, index: int, output: Output) -> OutputItem:
    text = None
    cut = 0
    if isinstance(output.data, str):
        text = clean(output.data[:TEXT_LIMIT])
        cut = max(0, len(output.data) - TEXT_LIMIT)
    return OutputItem(
        superstep=header.superstep,
        executor=output.executor_id,
        checkpoint_id=header.id,
        index=index,
        text=text,
        cut=cut,
        value=to_value(output.data),
    )


def _size(outputs: tuple[OutputItem, ...]) -> int:
    # A value that is no text is a tree of bounded size, which weighs something too.
    return sum(len(item.text or "") + TEXT_LEAST for item in outputs)


def _fitting(newest_first: list[OutputItem]) -> tuple[OutputItem, ...]:
    """Return the outputs in order, with the texts of the oldest cut if all
    together are too much.
    """
    room = TEXTS_LIMIT
    fitting = []
    for item in newest_first:
        text = item.text or ""
        most = max(room, TEXT_LEAST)
        over = len(text) - most
        fitting.append(
            item.model_copy(update={"text": text[:most], "cut": item.cut + over})
            if over > 0
            else item
        )
        room = max(0, room - len(text))
    return tuple(reversed(fitting))
