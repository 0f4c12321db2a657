"""Makes the trace of a superstep: what a checkpoint keeps beside the state, for people
who look at it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from runtime.state import LIVE, Fate, Invocation, Release, Trace
from runtime.values.records import maker_of
from runtime.values.user_failures import in_words, savable

if TYPE_CHECKING:
    from runtime.engine.commit import Merged
    from runtime.engine.invoke import Job
    from runtime.engine.replay.superstep import OutsideCalls
    from runtime.engine.sub_runs import Frame, Path
    from runtime.executors.delivery import Delivery
    from runtime.executors.effects import Effects

_make_trace = maker_of(Trace)
# How many characters a trace keeps of an error.
_MOST_TEXT = 500


def trace_of(
    root: Frame,
    jobs: Sequence[Job],
    merged: Merged,
    seconds: float,
    outside: OutsideCalls | None = None,
) -> Trace:
    """Return everything that the superstep did. In sub-workflows, ids have the path
    before them: `child#1/executor`. `outside` knows where results come from.
    """
    fates, releases = routed_by(root)
    asked = tuple([request.id for request in merged.asked]) if merged.asked else ()
    calls = _calls_of(jobs, outside)
    writes = merged.writes
    return _make_trace(
        calls, fates, releases, merged.outputs, writes, asked, merged.answered, seconds
    )


def routed_by(root: Frame) -> tuple[tuple[Fate, ...], tuple[Release, ...]]:
    """Return where the messages of a run and of the runs below it went, with ids as in
    the trace.
    """
    if not root.children:
        return root.routing.fates, root.routing.releases
    fates = tuple(
        _with_path(frame, fate) for frame in root for fate in frame.routing.fates
    )
    releases = tuple(
        replace(
            release,
            edge_id=_named(frame.path, release.edge_id),
            target_id=_named(frame.path, release.target_id),
        )
        for frame in root
        for release in frame.routing.releases
    )
    return fates, releases


def _calls_of(
    jobs: Sequence[Job], outside: OutsideCalls | None
) -> tuple[Invocation, ...]:
    """Return the handler calls, in the fixed order."""
    if outside is not None and outside.player is None:
        outside = None
    calls: list[Invocation] = []
    for job in jobs:
        if job.round.path:
            name = _named(job.round.path, job.executor_id)
        else:
            name = job.executor_id
        if job.attempts:
            calls += _attempts_of(name, job, outside)
            continue
        for effects in job.effects:
            if effects.delivery is not None:
                calls.append(_call(name, job, effects.delivery, effects, 1, outside))
    return tuple(calls)


def _call(
    name: str,
    job: Job,
    delivery: Delivery,
    effects: Effects,
    attempt: int,
    outside: OutsideCalls | None,
) -> Invocation:
    begun = job.round.begun
    return Invocation(
        name,
        delivery.handler.name,
        delivery.sources,
        delivery.messages,
        effects.started - begun,
        effects.seconds,
        len(effects.sent),
        len(effects.outputs),
        tuple(effects.writes),
        tuple([request.id for request in effects.requests]),
        attempt,
        "",
        LIVE if outside is None else outside.origin(job, delivery, attempt),
    )


def _attempts_of(
    name: str, job: Job, outside: OutsideCalls | None
) -> Iterator[Invocation]:
    """Yield the calls of an executor of which some failed, delivery by delivery."""
    effects_of = {
        id(effects.delivery): effects
        for effects in job.effects
        if effects.delivery is not None
    }
    begun = job.round.begun
    for delivery in job.inbox:
        failed = [attempt for attempt in job.attempts if attempt.delivery is delivery]
        effects = effects_of.get(id(delivery))
        sent = 0
        if effects is not None and failed and effects.started == failed[-1].started:
            # An error edge took the failure, which is all that the last attempt has
            # sent.
            sent = len(effects.sent)
            effects = None
        for attempt in failed:
            number = attempt.number
            origin = LIVE
            if outside is not None:
                origin = outside.origin(job, delivery, number)
            yield Invocation(
                name,
                delivery.handler.name,
                delivery.sources,
                delivery.messages,
                attempt.started - begun,
                attempt.seconds,
                sent if attempt is failed[-1] else 0,
                attempt=number,
                error=savable(in_words(attempt.error)[:_MOST_TEXT]),
                origin=origin,
            )
        if effects is not None:
            yield _call(name, job, delivery, effects, len(failed) + 1, outside)


def _with_path(frame: Frame, fate: Fate) -> Fate:
    return replace(
        fate,
        source_id=_named(frame.path, fate.source_id),
        target_id=None
        if fate.target_id is None
        else _named(frame.path, fate.target_id),
        edge_id=None if fate.edge_id is None else _named(frame.path, fate.edge_id),
    )


def _named(path: Path, name: str) -> str:
    return "/".join((*path, name))
