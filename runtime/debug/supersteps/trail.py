"""The supersteps that the host ran or read, so that a moment can show what happened
before it.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from runtime.checkpoint import Cause, CheckpointHeader
from runtime.checkpoints.archive import Archive
from runtime.debug.supersteps.past_supersteps import Past
from runtime.debug.supersteps.trail_facts import PastFacts
from runtime.errors import WorkflowCheckpointException
from runtime.state import Trace

REMEMBERED = 2000
LOOK_BACK = 500
# Seconds that one question may spend on reading checkpoints before the inspected one.
READING = 0.02
# How many checkpoints after one are searched for the one that follows it.
NEAR = 50


class Step(NamedTuple):
    """A checkpoint, and what the superstep that led to it did."""

    header: CheckpointHeader
    trace: Trace


def copies_its_parent(header: CheckpointHeader) -> bool:
    """Return whether a checkpoint carries the trace of its parent: a fork does, the
    first checkpoint of a changed workflow, and what a patch made. An `edit` of another
    kind has its own.
    """
    is_taken_over = bool(header.changed or header.edited)
    return header.cause is Cause.FORK or is_taken_over


class Trail:
    """Traces by checkpoint id, the last few thousand, without payloads."""

    def __init__(self) -> None:
        self._steps: OrderedDict[str, Step] = OrderedDict()

    def add(self, header: CheckpointHeader, trace: Trace) -> None:
        trace = replace(trace, outputs=()) if trace.outputs else trace
        self._steps[header.id] = Step(header, trace)
        if len(self._steps) > REMEMBERED:
            self._steps.popitem(last=False)

    def clear(self) -> None:
        self._steps.clear()

    async def read(
        self, archive: Archive, header: CheckpointHeader, seconds: float = READING
    ) -> None:
        """Read the nearest ancestors of a checkpoint, for as long as the time
        allows.
        """
        checkpoint_id = header.parent
        end = time.perf_counter() + seconds
        for _ in range(LOOK_BACK):
            if checkpoint_id is None or time.perf_counter() > end:
                return
            try:
                step = await self._step(archive, checkpoint_id)
            except WorkflowCheckpointException:
                # Damaged or deleted: inspecting it reports that, and later ones can be
                # shown.
                return
            checkpoint_id = step.header.parent

    async def after(self, archive: Archive, header: CheckpointHeader) -> Trace | None:
        """Return what the superstep after a checkpoint did, if one has run:
        all supersteps from one barrier begin alike.
        """
        if not header.queued:
            return None
        near = await archive.store.headers(
            run_id=header.run_id, after=header.sequence, limit=NEAR
        )
        same = {header.id}  # and its forks, which are at the same barrier
        for candidate in near:
            if candidate.parent in same and not candidate.damaged:
                if candidate.cause is Cause.SUPERSTEP:
                    return (await self._step(archive, candidate.id)).trace
                if candidate.cause is Cause.FORK:
                    same.add(candidate.id)
        return None

    async def line(
        self, archive: Archive, header: CheckpointHeader, seconds: float
    ) -> tuple[list[Step], bool]:
        """Return a checkpoint and its ancestors, the newest first, as far as
        they can be read in the time; and whether they reach back to the
        input.
        """
        # before others are read, which may take its place
        newest = await self._step(archive, header.id)
        await self.read(archive, header, seconds)
        steps = [newest, *self._ancestors(header)]
        return steps, steps[-1].header.parent is None

    async def _step(self, archive: Archive, checkpoint_id: str) -> Step:
        """Return a checkpoint that is remembered, or read it. Raise what
        `Archive.trace` raises.
        """
        if checkpoint_id not in self._steps:
            self.add(*await archive.trace(checkpoint_id))
        return self._steps[checkpoint_id]

    def before(self, header: CheckpointHeader) -> Past:
        """Return what is known of the ancestors of a checkpoint, itself not
        included.
        """
        facts = PastFacts()
        for step in self._ancestors(header):
            facts.add(step.header, step.trace)
        return facts.past()

    def _ancestors(self, header: CheckpointHeader) -> Iterator[Step]:
        checkpoint_id = header.parent
        is_copied = copies_its_parent(header)
        remaining = LOOK_BACK
        while (
            remaining
            and checkpoint_id is not None
            and (step := self._steps.get(checkpoint_id)) is not None
        ):
            # A fork carries the trace of the checkpoint that it was made from: it
            # counts once.
            if not is_copied:
                yield step
            checkpoint_id = step.header.parent
            is_copied = copies_its_parent(step.header)
            remaining = remaining - 1
