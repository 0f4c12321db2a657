"""The recorded events on the way to a checkpoint: events that no observer of this
session has heard.

A trace keeps less than an observer hears: it has neither warnings nor progress.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from runtime.checkpoint import Cause
from runtime.debug.event_lines import event_item
from runtime.debug.protocol import EventItem
from runtime.debug.trail import Step
from runtime.events import RunEvent, RunEventKind
from runtime.state import Invocation, Trace

Kind = RunEventKind
# kind, an id with the path to it, data
Recorded = tuple[RunEventKind, str, Mapping[str, Any]]


def recorded_events(
    steps: Iterable[Step], limit: int
) -> tuple[tuple[EventItem, ...], int]:
    """Return the events of these steps (the newest step first) in order, at most
    so many, and how many were left out.
    """
    newest_first: list[tuple[Step, Recorded]] = []
    left_out = 0
    for step in steps:
        events = list(_events(step))
        if len(newest_first) + len(events) > limit:
            left_out += len(events)
        else:
            newest_first += [(step, event) for event in reversed(events)]
    # Numbered last: those that were left out count too.
    numbered = enumerate(reversed(newest_first), left_out + 1)
    return tuple(
        _item(number, step, *event) for number, (step, event) in numbered
    ), left_out


def _item(
    number: int, step: Step, kind: RunEventKind, name: str, data: Mapping[str, Any]
) -> EventItem:
    path, _ = _parted(name)
    return event_item(
        RunEvent(
            number, step.header.time, kind, step.header.superstep, path, dict(data)
        )
    )


def _events(step: Step) -> Iterator[Recorded]:
    trace = step.trace
    if trace.invocations or trace.fates:
        yield from _superstep(trace)
    for request in trace.answered if step.header.cause is Cause.RESPONSE else ():
        yield Kind.REQUEST_ANSWERED, "", {"request_id": request, "executor": ""}
    yield Kind.CHECKPOINT_SAVED, "", {"header": step.header}


def _superstep(trace: Trace) -> Iterator[Recorded]:
    ran = dict.fromkeys(invocation.executor_id for invocation in trace.invocations)
    yield Kind.SUPERSTEP_STARTED, "", {"executors": tuple(ran)}
    for fate in trace.fates:
        target = None if fate.target_id is None else _own(fate.target_id)
        yield (
            Kind.MESSAGE,
            fate.source_id,
            {
                "fate": fate.kind,
                "source": _own(fate.source_id),
                "target": target,
                "reason": fate.reason,
                "count": fate.count,
            },
        )
    for release in trace.releases:
        yield (
            Kind.JOIN_RELEASED,
            release.target_id,
            {"target": _own(release.target_id), "counts": release.counts},
        )
    for invocation in trace.invocations:
        yield from _call(invocation)
    known = {
        (key, invocation.executor_id)
        for invocation in trace.invocations
        for key in invocation.wrote
    }
    for write in trace.writes:  # of records that do not have them call by call
        if (write.key, write.executor_id) not in known:
            yield (
                Kind.STATE_WRITTEN,
                write.executor_id,
                {"executor": _own(write.executor_id), "key": write.key},
            )
    yield Kind.SUPERSTEP_ENDED, "", {"seconds": trace.seconds}


def _call(invocation: Invocation) -> Iterator[Recorded]:
    name = invocation.executor_id
    executor = _own(invocation.executor_id)
    if invocation.error:
        error_type, _, error = invocation.error.partition(": ")
        failed = {
            "executor": executor,
            "attempt": invocation.attempt,
            "attempts": invocation.attempt,
        }
        yield (
            Kind.ATTEMPT_FAILED,
            name,
            {**failed, "error_type": error_type, "error": error},
        )
        return
    yield (
        Kind.HANDLER_ENDED,
        name,
        {"executor": executor, "seconds": invocation.seconds},
    )
    for key in invocation.wrote:
        yield Kind.STATE_WRITTEN, name, {"executor": executor, "key": key}
    for request in invocation.asked:
        yield Kind.REQUEST_ASKED, name, {"executor": executor, "request_id": request}


def _own(name: str) -> str:
    return _parted(name)[1]


def _parted(name: str) -> tuple[tuple[str, ...], str]:
    """Return the keys of the runs that lead to an executor, and its id there."""
    *keys, executor_id = name.split("/")
    is_way = bool(keys) and all(
        key.rpartition("#")[2].isdecimal() and "#" in key for key in keys
    )
    return (tuple(keys), executor_id) if is_way else ((), name)
