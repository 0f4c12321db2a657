"""The trace of a superstep: what is kept beside the state, for people who look at the checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from runtime.records import maker_of
from runtime.state import Fate, Invocation, Release, Trace

if TYPE_CHECKING:
    from runtime.invocation import Job
    from runtime.superstep import Merged
    from runtime.tree import Frame, Path

_make_trace = maker_of(Trace)


def trace_of(root: Frame, jobs: Sequence[Job], merged: Merged, seconds: float) -> Trace:
    """Everything that the superstep did. In sub-workflows, ids have the path before them: `child#1/executor`."""
    fates, releases = routed_by(root)
    asked = tuple([request.id for request in merged.asked]) if merged.asked else ()
    calls, writes = _calls_of(jobs), merged.writes
    return _make_trace(calls, fates, releases, merged.outputs, writes, asked, merged.answered, seconds)


def routed_by(root: Frame) -> tuple[tuple[Fate, ...], tuple[Release, ...]]:
    """Where the messages of a run went, and of the runs below it; ids as in the trace."""
    if not root.children:
        return root.routing.fates, root.routing.releases
    fates = tuple(_at(frame, fate) for frame in root for fate in frame.routing.fates)
    releases = tuple(
        replace(release, edge_id=_named(frame.path, release.edge_id), target_id=_named(frame.path, release.target_id))
        for frame in root
        for release in frame.routing.releases
    )
    return fates, releases


def _calls_of(jobs: Sequence[Job]) -> tuple[Invocation, ...]:
    """The handler calls, in the fixed order."""
    made = []
    for job in jobs:
        name = _named(job.round.path, job.executor_id) if job.round.path else job.executor_id
        for did in job.effects:
            delivery = did.delivery
            if delivery is None:
                continue
            made.append(
                Invocation(
                    name,
                    delivery.handler.name,
                    delivery.sources,
                    delivery.messages,
                    did.started - job.round.begun,
                    did.seconds,
                    len(did.sent),
                    len(did.outputs),
                    tuple(did.writes),
                    tuple([request.id for request in did.requests]),
                )
            )
    return tuple(made)


def _at(frame: Frame, fate: Fate) -> Fate:
    return replace(
        fate,
        source_id=_named(frame.path, fate.source_id),
        target_id=None if fate.target_id is None else _named(frame.path, fate.target_id),
        edge_id=None if fate.edge_id is None else _named(frame.path, fate.edge_id),
    )


def _named(path: Path, name: str) -> str:
    return "/".join((*path, name))
