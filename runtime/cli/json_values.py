"""The results of commands as plain JSON values: headers, sections of a checkpoint, the
outcome of a run.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from runtime.checkpoints.archive import Archive
from runtime.debug.compare.checkpoints import Change, moves
from runtime.debug.joins.ledger import held_messages
from runtime.debug.moments.moment import Extras, moment
from runtime.debug.protocol import JoinMoment
from runtime.debug.sections import (
    SECTIONS,
    Waiting,
    frames,
    origin,
    section_named,
)
from runtime.debug.supersteps.message_fates import losses
from runtime.debug.supersteps.next_superstep import Routed
from runtime.debug.supersteps.trail import Trail
from runtime.debug.timeline.ancestry import Ancestry, Place
from runtime.debug.timeline.outputs import read_trace
from runtime.debug.values.display import plain
from runtime.edges.base import CONDITION_FALSE, NO_EDGE, NOT_SELECTED, TYPE_MISMATCH
from runtime.engine.user_frames import own_frames
from runtime.errors import WorkflowCheckpointException
from runtime.message import Request
from runtime.state import ExecutorRecord, Fate, Trace
from runtime.values.user_failures import text_of

if TYPE_CHECKING:
    from runtime.checkpoint import Checkpoint, CheckpointHeader, CheckpointStore
    from runtime.engine.runner import Runner

# Earlier checkpoints that are read to find out since when joins wait.
_LOOK_BACK = 200
# Reasons of a drop: faults of the workflow, and choices that it makes on purpose.
_FAULTS = (NO_EDGE, TYPE_MISMATCH)
_CHOICES = (CONDITION_FALSE, NOT_SELECTED)


def header_json(header: CheckpointHeader) -> dict[str, Any]:
    return dataclasses.asdict(header)


def change_json(change: Change) -> dict[str, Any]:
    fields = {
        "section": change.section,
        "path": change.path,
        "kind": change.kind,
        "old": plain(change.old),
        "new": plain(change.new),
    }
    if change.before or change.after:
        fields |= {"before": change.before, "after": change.after}
    return fields


async def sections(
    archive: Archive, checkpoint: Checkpoint, names: Iterable[str] | None = None
) -> dict[str, Any]:
    """Return sections of a viewed checkpoint by name, or all. Names in sub-workflows
    begin with the path to them.
    """
    if names is None:
        names = [section.name for section in SECTIONS]
    values = {}
    for name in names:
        if name in _OWN_JSON:
            values[name] = await _OWN_JSON[name](archive, checkpoint)
        else:
            values[name] = _values(name, checkpoint)
    return values


def _values(name: str, checkpoint: Checkpoint) -> dict[str, Any]:
    """Return the values of a section. Their own names decide what is masked, not the
    path to them.
    """
    section = section_named(name)
    values: dict[str, Any] = {}
    for way, state in frames(checkpoint.state):
        shown = plain(dict(section.values(state))) if section.values else {}
        values |= {way + key: value for key, value in shown.items()}
    return values


async def _executors(_: Archive, checkpoint: Checkpoint) -> dict[str, Any]:
    attempts = _attempts(checkpoint.trace)
    return {
        way + id_: _executor(record) | attempts.get(way + id_, {})
        for way, state in frames(checkpoint.state)
        for id_, record in state.executors.items()
    }


async def _messages(_: Archive, checkpoint: Checkpoint) -> list[dict[str, Any]]:
    return [
        {
            "source": f"{way}{message.source_id}",
            "target": message.target_id,
            "origin": origin(message, way),
            "data": plain(message.data),
        }
        for way, state in frames(checkpoint.state)
        for message in state.queue
    ]


async def _requests(_: Archive, checkpoint: Checkpoint) -> list[dict[str, Any]]:
    return [_request(request) for request in checkpoint.state.requests.values()]


async def _all_outputs(archive: Archive, checkpoint: Checkpoint) -> list[Any]:
    line = await _line(archive, checkpoint.header)
    unreadable = [
        {"executor": None, "data": None, "unreadable": id_} for id_ in line.unreadable
    ]
    return [*_outputs(line), *unreadable]


def _executor(record: ExecutorRecord) -> dict[str, Any]:
    return {
        "state": plain(dict(record.state)),
        "runs": record.runs,
        "last_superstep": record.last_superstep,
    }


def _attempts(trace: Trace) -> dict[str, dict[str, Any]]:
    """Return the attempts of executors that failed in the superstep, and were tried
    again or had an error edge.
    """
    failed = {call.executor_id for call in trace.invocations if call.error}
    attempts: dict[str, dict[str, Any]] = {id_: {"attempts": []} for id_ in failed}
    for call in trace.invocations:
        if call.executor_id in failed:
            attempt = {
                "attempt": call.attempt,
                "seconds": call.seconds,
                "error": call.error or None,
            }
            attempts[call.executor_id]["attempts"].append(attempt)
    return attempts


def _request(request: Request) -> dict[str, Any]:
    return {
        "id": request.id,
        "executor": request.executor_id,
        "superstep": request.superstep,
        "question": plain(request.data),
        "schema": plain(request.schema),
    }


# --- joins --------------------------------------------------------------------------------------------------------


async def joins(archive: Archive, checkpoint: Checkpoint) -> list[dict[str, Any]]:
    """Return every join: its messages, the sources it waits for, and why."""
    if not moment(checkpoint).joins:
        return []
    viewed = moment(checkpoint, await _extras(archive, checkpoint))
    return [_join(join, checkpoint) for join in viewed.joins]


def _join(join: JoinMoment, checkpoint: Checkpoint) -> dict[str, Any]:
    return {
        "target": join.target,
        "policy": join.policy,
        "sources": [
            {
                "id": source.id,
                "have": source.have,
                "need": source.need,
                "since": source.since,
                "reason": source.reason,
            }
            for source in join.sources
        ],
        "missing": list(join.missing),
        "fired": bool(join.fired),
        "stalled": join.stalled,
        "messages": [
            {"source": message.source_id, "data": plain(message.data)}
            for message in held_messages(checkpoint, join.edge)
        ],
    }


async def _extras(archive: Archive, checkpoint: Checkpoint) -> Extras:
    """Return facts of the checkpoints around this one: when its joins fired last, and
    how its queue was routed.
    """
    trail = Trail()
    parent = checkpoint.header.parent
    for _ in range(_LOOK_BACK):
        if parent is None:
            break
        try:
            before = await archive.view(parent)
        except WorkflowCheckpointException:
            break  # damaged or deleted; the requested checkpoint can still be shown
        trail.add(before.header, before.trace)
        parent = before.header.parent
    after = await trail.after(archive, checkpoint.header)
    return Extras(
        history=trail.before(checkpoint.header),
        routed=None if after is None else Routed(after.fates, after.releases),
    )


# Sections whose JSON is more than their values by name.
_OWN_JSON: Mapping[str, Callable[[Archive, Checkpoint], Awaitable[Any]]] = {
    "executors": _executors,
    "messages": _messages,
    "joins": joins,
    "requests": _requests,
    "outputs": _all_outputs,
}


# --- the outcome of a run ------------------------------------------------------------------------------------------


async def outcome(
    runner: Runner, store: CheckpointStore, error: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return the outcome of a run: its status, the outputs and dropped messages on the
    way to it, its open questions and stalled joins.
    """
    head = runner.header
    archive = Archive(store)
    report: dict[str, Any] = {
        "run_id": runner.run_id,
        "branch": runner.branch,
        "status": runner.status.value,
        "checkpoint": head.id if head else None,
        "superstep": runner.state.superstep,
        "outputs": [],
        "dropped": [],
        "requests": [],
        "joins": [],
        "unreadable": [],
        "error": error,
        "taken_back": [],
    }
    if head is not None:
        viewed = await archive.view(head.id)
        line = await _line(archive, head)
        report["outputs"] = _outputs(line)
        report["dropped"] = _dropped(line)
        report["unreadable"] = line.unreadable
        report["requests"] = [
            _request(request) for request in viewed.state.requests.values()
        ]
        report["joins"] = [
            join for join in await joins(archive, viewed) if join["stalled"]
        ]
    return report


class _Line(NamedTuple):
    """The traces of the supersteps from the input to a checkpoint, and the ids of the
    checkpoints that cannot be read.
    """

    steps: list[tuple[int, Trace]]
    unreadable: list[str]


async def _line(archive: Archive, head: CheckpointHeader) -> _Line:
    """Return the line to a checkpoint. It leads over forks, answers and restarts, so
    that earlier outputs are not lost.
    """
    line = _Line([], [])
    for id_ in await Ancestry().to(archive.store, head):
        try:
            header, trace = await read_trace(archive.store, id_)
        except WorkflowCheckpointException:
            # Name it in the report, because the others are still worth showing.
            line.unreadable.append(id_)
        else:
            line.steps.append((header.superstep, trace))
    return line


def output_json(executor: str, data: Any) -> dict[str, Any]:
    return {"executor": executor, "data": plain(data)}


def _outputs(line: _Line) -> list[dict[str, Any]]:
    return [
        output_json(output.executor_id, output.data)
        for _, trace in line.steps
        for output in trace.outputs
    ]


async def answered_until(archive: Archive, header: CheckpointHeader) -> dict[str, int]:
    """Return the superstep in which each question was answered on the way to a
    checkpoint, by the id of the question.
    """
    ids = [step.id for step in await Ancestry().back(archive.store, Place.of(header))]
    answered: dict[str, int] = {}
    for checkpoint_id in reversed(ids):
        with suppress(WorkflowCheckpointException):
            at, trace = await read_trace(archive.store, checkpoint_id)
            for request_id in trace.answered:
                answered.setdefault(request_id, at.superstep)
    return answered


async def output_changes(
    old: tuple[Archive, Checkpoint], new: tuple[Archive, Checkpoint]
) -> list[Change]:
    """Return the outputs on the way to one checkpoint and not to the other, as far as
    they can be read.
    """
    before, after = [
        [
            Waiting(output.executor_id, output.data)
            for _, trace in (await _line(archive, checkpoint.header)).steps
            for output in trace.outputs
        ]
        for archive, checkpoint in (old, new)
    ]
    return [Change("outputs", *change) for change in moves(before, after)]


def _dropped(line: _Line) -> list[dict[str, Any]]:
    """Return the messages that were lost. If a condition stopped a message and another
    way took it, nothing was lost: so the workflow chooses.
    """
    return [
        {
            "source": fate.source_id,
            "target": fate.target_id,
            "edge": fate.edge_id,
            "reason": fate.reason,
            "count": count,
            "superstep": superstep,
        }
        for superstep, trace in line.steps
        for fate, count in _losses(trace.fates)
    ]


def _losses(fates: Sequence[Fate]) -> Iterator[tuple[Fate, int]]:
    """Yield the drops that lost messages, with their number: each fault, and each
    choice after which no other way took the message.
    """
    lost_counts = losses(fates)
    for fate in fates:
        if fate.kind == "dropped" and fate.reason in _FAULTS:
            yield fate, fate.count
        elif fate.kind == "dropped" and fate.reason in _CHOICES and lost_counts[fate]:
            yield fate, lost_counts[fate] or 0


def error_json(
    error: BaseException, *, executor: str | None = None, superstep: int | None = None
) -> dict[str, Any]:
    """Return an error with its place in the run and in the code of the workflow, the
    innermost frame last.
    """
    return {
        "type": type(error).__name__,
        "text": text_of(error),
        "executor": executor,
        "superstep": superstep,
        "notes": list(getattr(error, "__notes__", [])),
        "frames": [
            f"{frame.filename}:{frame.lineno} in {frame.name}"
            for frame in own_frames(error)
        ],
    }
