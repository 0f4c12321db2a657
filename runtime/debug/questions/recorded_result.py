"""Answers what a recorded call did, as JSON that a user can edit and pin."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from runtime.calls import Call, Results
from runtime.checkpoints.archive import Archive, RecordedCall
from runtime.checkpoints.calls import results_of
from runtime.codec import view_tree
from runtime.debug.protocol import (
    PinnedResult,
    RecordedResultArguments,
    RecordedResultBody,
)
from runtime.debug.values.display import plain
from runtime.debug.values.shapes import MASKED, clean
from runtime.document.secret_names import is_secret
from runtime.engine.replay.record import CallRecord
from runtime.values.words import counted

NOTHING = "Nothing is recorded of it here."
# So many supersteps are looked at behind the one that is shown.
_MOST_SUPERSTEPS = 500
HAS_SECRETS = "Type what is masked, because a pin keeps no recorded secret."


async def recorded_result(
    archive: Archive, request: RecordedResultArguments
) -> RecordedResultBody:
    """Return the result of the first call of an executor that a checkpoint has one of,
    or else the next one behind it, without the code of the user.
    """
    calls = _of_executor(await archive.calls(request.checkpoint_id), request)
    when = ""
    if not calls:
        calls, superstep = await _next_calls(archive, request)
        when = f"This is what it did in superstep {superstep:,}." if calls else ""
    kept = [recorded for recorded in calls if not recorded.call.omitted]
    if not kept:
        return RecordedResultBody(note=_why_nothing([each.call for each in calls]))
    results = _viewed(kept[0])
    pin = _as_pin(results)
    note = f"{when} {_note(results, len(calls))}".strip()
    if MASKED in pin.model_dump_json():
        note = f"{note} {HAS_SECRETS}".strip()
    return RecordedResultBody(result=pin, note=note)


def _of_executor(
    calls: Iterable[RecordedCall], request: RecordedResultArguments
) -> list[RecordedCall]:
    place = (request.runs, request.executor)
    return [
        recorded
        for recorded in calls
        if (recorded.call.path, recorded.call.executor_id) == place
    ]


async def _next_calls(
    archive: Archive, request: RecordedResultArguments
) -> tuple[list[RecordedCall], int]:
    """Return the next calls of an executor behind a checkpoint, and their superstep."""
    headers = {header.id: header for header in await archive.store.headers()}
    header = headers.get(request.checkpoint_id)
    if header is None:
        return [], 0
    record = await CallRecord.behind(archive, header)
    following = range(header.superstep + 1, record.last_superstep + 1)
    for superstep in following[:_MOST_SUPERSTEPS]:
        for line in await record.calls_at(superstep):
            calls = _of_executor(line, request)
            if any(not each.call.omitted for each in calls):
                return calls, superstep
    return [], 0


def _viewed(recorded: RecordedCall) -> Results:
    return results_of(
        recorded.call,
        recorded.tree["results"],
        lambda tree, path: view_tree(tree, path=path),
    )


def _as_pin(results: Results) -> PinnedResult:
    if results.error is not None:
        return PinnedResult(error=results.error.text or results.error.type)
    return PinnedResult(
        sent=tuple(_as_json(message.data) for message in results.sent),
        outputs=tuple(map(_as_json, results.outputs)),
        writes=_as_json(dict(results.writes)),
    )


def _as_json(value: Any) -> Any:
    """Return a value as JSON: what is JSON already as it is, other values as they are
    shown. What has the name of a secret is masked, because the pin is kept in a file.
    """
    kind = type(value)
    if kind is str:
        return clean(value)
    if kind in (int, float, bool, type(None)):
        return value
    if kind in (list, tuple):
        return [_as_json(part) for part in value]
    if kind is not dict or not all(type(key) is str for key in value):
        return plain(value)
    return {
        key: MASKED if is_secret(key) and part is not None else _as_json(part)
        for key, part in value.items()
    }


def _why_nothing(calls: list[Call]) -> str:
    if not calls:
        return NOTHING
    return f"Its result was not kept: {calls[0].omitted}."


def _note(results: Results, calls: int) -> str:
    """Return what a pin cannot repeat of a result."""
    notes = []
    if calls > 1:
        notes.append(f"This is the first of {counted(calls, 'call')}.")
    if results.asked:
        notes.append("The question that it asked is left out.")
    if results.deleted:
        keys = ", ".join(results.deleted)
        notes.append(f"That it deleted {keys} is left out.")
    if any(message.target_id is not None for message in results.sent):
        notes.append(
            "A pinned message goes along all edges, also one that had a target."
        )
    return " ".join(notes)
