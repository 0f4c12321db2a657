"""The supersteps of a store: which ones can be explored, and what they came to."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from runtime.checkpoint import (
    FORMAT_VERSION,
    Cause,
    CheckpointHeader,
    CheckpointStore,
    Record,
)
from runtime.checkpoints.archive import Archive
from runtime.debug.explore.contents import digest_of_content
from runtime.debug.explore.report import Exploration
from runtime.debug.explore.trial import Start, Stored
from runtime.engine.replay.record import CallRecord
from runtime.errors import WorkflowCheckpointException

# Checkpoints of one superstep from which recorded results are taken.
MOST_RECORDS = 8


def starts_of(
    headers: Sequence[CheckpointHeader], superstep: int | None = None
) -> list[CheckpointHeader]:
    """Return the checkpoints that a superstep follows on, or only those that superstep
    `superstep` does. Of forks without a change only the first one counts.
    """
    return [
        header
        for header in headers
        if header.queued
        and not header.damaged
        and header.cause is not Cause.FORK
        and superstep in (None, header.superstep + 1)
    ]


async def start_of(archive: Archive, checkpoint_id: str) -> Start:
    """Return a checkpoint as the begin of tries, with what its next superstep did outside
    of the run. Raise what `Archive.record` raises.
    """
    record, parts = await archive.record(checkpoint_id)
    known = await CallRecord.behind(archive, record.header)
    after: list[Stored] = []
    for header in known.headers:
        # Older formats have no calls.
        is_next = header.superstep == record.header.superstep + 1
        if is_next and header.format >= FORMAT_VERSION and len(after) < MOST_RECORDS:
            with suppress(WorkflowCheckpointException):
                after.append(Stored(*await archive.record(header.id)))
    return Start(record, parts, after)


async def mark_recorded(archive: Archive, exploration: Exploration) -> None:
    """Mark the groups of the outcomes that are recorded. Note it if an outcome is
    recorded that no try came to.
    """
    header = exploration.header
    headers = await archive.store.headers(run_id=header.run_id, after=header.sequence)
    for other in headers:
        if other.parent != header.id or other.cause is not Cause.SUPERSTEP:
            continue
        try:
            record, parts = await archive.record(other.id)
        except WorkflowCheckpointException:
            continue
        _mark(exploration, record, digest_of_content(record, parts))


async def save_outcomes(store: CheckpointStore, exploration: Exploration) -> None:
    """Save the outcomes of an exploration in a store of their own, each on a branch of
    its own, so that they can be compared.
    """
    for number, group in enumerate(exploration.groups, start=1):
        if group.outcome.saved is None:
            continue
        record, parts = group.outcome.saved
        alone = replace(record.header, parent=None, branch=f"outcome {number}")
        await store.save(Record(alone, record.manifest), parts)


def _mark(exploration: Exploration, record: Record, digest: str) -> None:
    groups = [group for group in exploration.groups if group.outcome.digest == digest]
    for group in groups:
        group.recorded_in = record.header.id
    if exploration.groups and not groups:
        exploration.notes.append(
            f"The recorded superstep came to an outcome that no try came to: checkpoint {record.header.id[:8]}. "
            "Code, files or what is outside may have changed since."
        )
