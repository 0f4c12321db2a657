"""The barriers of recorded supersteps: where a superstep began, where it ended, and the
earlier ones on the same line of checkpoints.

A walk through the past reads many checkpoints once each. So the last few stay here, and
where a trace is enough, nothing else of a checkpoint is read.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from runtime.checkpoint import Cause, CheckpointHeader, CheckpointStore
from runtime.checkpoints.archive import Archive
from runtime.debug.moments.moment import Snapshot
from runtime.debug.supersteps.message_fates import trace_in
from runtime.debug.supersteps.next_superstep import Routed
from runtime.debug.supersteps.traffic import Traffic
from runtime.errors import CheckpointDamagedError, WorkflowCheckpointException
from runtime.state import Trace

LED_BACK = 20  # most answers, forks and edits at one barrier
KEPT = 16

Read = Callable[[str], Awaitable[Snapshot]]


class Run(NamedTuple):
    """One run of the tree during one superstep: `before` is the barrier where it began
    with the routing of its messages, and `trace` what the run did, with its own names.
    """

    before: Traffic
    trace: Trace


class Superstep(NamedTuple):
    """A superstep of the tree of runs. `before` is None where the store does not have
    the barrier any more, and `gap` says so in a sentence.
    """

    end: Snapshot
    before: Snapshot | None
    gap: str = ""

    def run(self, keys: Sequence[str]) -> Run | None:
        """Return one run of the tree; None where it did not exist at the beginning."""
        snapshot = None if self.before is None else self.before.run_at(keys)
        if snapshot is None:
            return None
        trace = trace_in(self.end.trace, keys, snapshot.graph, snapshot.executors)
        return Run(snapshot.traffic(Routed(trace.fates, trace.releases)), trace)


class Barriers:
    """The checkpoints of a store, as snapshots."""

    def __init__(self, store: CheckpointStore) -> None:
        self._archive = Archive(store)
        self._snapshots: OrderedDict[str, Snapshot] = OrderedDict()

    async def at(self, checkpoint_id: str) -> Snapshot:
        """Return a checkpoint. Raise what `Archive.view` raises."""
        snapshot = self._snapshots.get(checkpoint_id)
        if snapshot is None:
            checkpoint = await self._archive.view(checkpoint_id)
            snapshot = self._snapshots[checkpoint_id] = Snapshot.of(checkpoint)
            if len(self._snapshots) > KEPT:
                self._snapshots.popitem(last=False)
        self._snapshots.move_to_end(checkpoint_id)
        return snapshot

    async def trace(self, checkpoint_id: str) -> tuple[CheckpointHeader, Trace]:
        """Return only the header and the trace. Raise what `Archive.trace` raises."""
        snapshot = self._snapshots.get(checkpoint_id)
        if snapshot is not None and snapshot.header is not None:
            return snapshot.header, snapshot.trace
        return await self._archive.trace(checkpoint_id)

    async def superstep(self, snapshot: Snapshot) -> Superstep:
        """Return the superstep that led to a barrier."""
        end = await led_to(self.at, snapshot)
        header = end.header
        if header is None or header.parent is None:
            return Superstep(end, None)
        try:
            return Superstep(end, await self.at(header.parent))
        except WorkflowCheckpointException as error:
            return Superstep(end, None, gap_words(error, header.parent))


async def led_to(read: Read, snapshot: Snapshot) -> Snapshot:
    """Return the barrier at the end of the superstep. Answers, forks and edits that
    came after it lead back to it.
    """
    led_from = snapshot
    for _ in range(LED_BACK):
        header = led_from.header
        if (
            header is None
            or header.parent is None
            or header.cause in (Cause.SUPERSTEP, Cause.INPUT)
        ):
            break
        try:
            led_from = await read(header.parent)
        except WorkflowCheckpointException:
            break  # its parent is gone, but a fork carries the trace of its origin
    return led_from


async def before(read: Read, snapshot: Snapshot) -> Snapshot | None:
    """Return the barrier where the superstep began, if the store still has it."""
    header = snapshot.header
    if header is None or header.parent is None:
        return None
    try:
        return await read(header.parent)
    except WorkflowCheckpointException:
        return None


def gap_words(error: WorkflowCheckpointException, checkpoint_id: str) -> str:
    """Return why the way back ends at a checkpoint that cannot be read."""
    if isinstance(error, CheckpointDamagedError):
        return f"Checkpoint {checkpoint_id} is damaged, so what led to it is not known."
    return (
        f"Checkpoint {checkpoint_id} is not in the store any more, "
        "so what led to it is not known."
    )
