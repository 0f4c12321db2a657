"""The file that keeps breakpoints, watches and pinned results beside a document.

It belongs to people and to versions to come: what this version does not know is written
back as it was read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from designer.model.breakpoints import DebugNotes
from designer.model.pins import merged_pins, pins_as_json, read_pins
from runtime.debug.protocol import Breakpoint
from runtime.document.definition import FILE_SUFFIX
from runtime.system.bounded_files import from_json

FORMAT = 1
SUFFIX = ".debug.json"
LARGEST = 4 * 2**20  # bytes of a file; ten thousand breakpoints have a quarter of it
_BREAKPOINTS = "breakpoints"
_WATCHES = "watches"
_MUTED = "muted"
_PINNED = "pinned"
_FORMAT = "format"


class UnreadableError(ValueError):
    """The content of a file has no breakpoints that could be read. The text says why."""


def file_name(document_name: str) -> str:
    """Return the name of the file for a document's: `audit.debug.json` for
    `audit.stepwell.json`.
    """
    stem = document_name.removesuffix(FILE_SUFFIX).removesuffix(".json")
    return stem + SUFFIX


def parse(content: bytes) -> DebugNotes:
    """Return what a file has. What is no breakpoint of this version is kept for
    `serialise`. Raise `UnreadableError` for a file that is none at all.
    """
    try:
        value = from_json(content)
    except ValueError as error:
        raise UnreadableError(f"It is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise UnreadableError("It has no object with 'breakpoints'.")
    entries = value.pop(_BREAKPOINTS, [])
    watches = value.pop(_WATCHES, [])
    muted = value.pop(_MUTED, False) is True
    pins = value.pop(_PINNED, {})
    value.pop(_FORMAT, None)
    if not isinstance(entries, list) or not isinstance(watches, list):
        raise UnreadableError("Its 'breakpoints' and 'watches' must be lists.")
    if not isinstance(pins, dict):
        raise UnreadableError("Its 'pinned' must be an object.")
    points: dict[str, Breakpoint] = {}
    extras: dict[str, Mapping[str, Any]] = {}
    unread = []
    for entry in entries:
        point = _read(entry)
        if point is None or point.id in points:
            unread.append(entry)
            continue
        points[point.id] = point
        extra = {key: entry[key] for key in entry if key not in Breakpoint.model_fields}
        if extra:
            extras[point.id] = extra
    texts = tuple(text for text in watches if isinstance(text, str))
    if len(texts) < len(watches):
        value[_WATCHES + "_unread"] = [
            text for text in watches if not isinstance(text, str)
        ]
    return DebugNotes(
        tuple(points.values()),
        muted,
        texts,
        read_pins(pins),
        value,
        extras,
        tuple(unread),
    )


def _read(entry: object) -> Breakpoint | None:
    if not isinstance(entry, dict):
        return None
    try:
        return Breakpoint.model_validate(entry)
    except ValidationError:
        return None


def serialise(notes: DebugNotes) -> bytes:
    """Return the content of the file; the same notes have the same bytes."""
    entries: list[Any] = []
    for point in notes.breakpoints:
        fields = point.model_dump(mode="json", exclude_defaults=True)
        head = {"id": point.id, "kind": point.kind, "where": point.where}
        entries.append({**head, **fields, **notes.extras.get(point.id, {})})
    value: dict[str, Any] = {_FORMAT: FORMAT}
    if notes.muted:
        value[_MUTED] = True
    value[_BREAKPOINTS] = [*entries, *notes.unread]
    value[_WATCHES] = list(notes.watches)
    if notes.pins:
        value[_PINNED] = pins_as_json(notes.pins)
    value.update(notes.extra)
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def merged(base: DebugNotes, mine: DebugNotes, theirs: DebugNotes) -> DebugNotes:
    """Return what two windows have made of `base`: the changes of both. Of a breakpoint
    that both changed, mine counts.
    """
    if theirs == base:
        return mine
    points = _merged(
        base.breakpoints, mine.breakpoints, theirs.breakpoints, lambda point: point.id
    )
    watches = _merged(base.watches, mine.watches, theirs.watches, lambda text: text)
    return DebugNotes(
        tuple(points),
        theirs.muted if mine.muted == base.muted else mine.muted,
        tuple(watches),
        merged_pins(base.pins, mine.pins, theirs.pins),
        {**theirs.extra, **mine.extra},
        {**theirs.extras, **mine.extras},
        tuple(_distinct((*theirs.unread, *mine.unread))),
    )


def _merged(
    base: Iterable[Any],
    mine: Iterable[Any],
    theirs: Iterable[Any],
    key: Callable[[Any], str],
) -> list[Any]:
    before = {key(item): item for item in base}
    own = {key(item): item for item in mine}
    result = {}
    for item in theirs:
        id = key(item)
        was_changed_here = id in own and own[id] != before.get(id)
        if id in own or id not in before:
            result[id] = own[id] if was_changed_here else item
    for id, item in own.items():
        is_gone_there = id in before and id not in result
        if not is_gone_there or item != before[id]:
            result.setdefault(id, item)
    return list(result.values())


def _distinct(entries: Iterable[Any]) -> list[Any]:
    result: list[Any] = []
    for entry in entries:
        if entry not in result:
            result.append(entry)
    return result
