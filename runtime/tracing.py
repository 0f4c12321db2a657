"""The trace of a superstep: what is kept beside the state, for people who look at the checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from runtime.records import maker_of
from runtime.state import Fate, Trace

if TYPE_CHECKING:
    from runtime.invocation import Job
    from runtime.superstep import Merged
    from runtime.tree import Frame

_make_trace = maker_of(Trace)


def trace_of(root: Frame, jobs: Sequence[Job], merged: Merged, seconds: float) -> Trace:
    """Everything that the superstep did. In sub-workflows, ids have the path before them: `child#1/executor`."""
    routing = root.routing
    fates, releases = routing.fates, routing.releases
    if root.children:
        fates = tuple(_at(frame, fate) for frame in root for fate in frame.routing.fates)
        releases = tuple(
            replace(one, edge_id=_named(frame, one.edge_id), target_id=_named(frame, one.target_id))
            for frame in root
            for one in frame.routing.releases
        )
    invocations = tuple([one.call for job in jobs for one in job.effects if one.call is not None])
    asked = tuple([request.id for request in merged.asked]) if merged.asked else ()
    return _make_trace(invocations, fates, releases, merged.outputs, merged.writes, asked, merged.answered, seconds)


def _at(frame: Frame, fate: Fate) -> Fate:
    return replace(
        fate,
        source_id=_named(frame, fate.source_id),
        target_id=None if fate.target_id is None else _named(frame, fate.target_id),
        edge_id=None if fate.edge_id is None else _named(frame, fate.edge_id),
    )


def _named(frame: Frame, name: str) -> str:
    return "/".join((*frame.path, name))
