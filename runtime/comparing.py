"""What differs between two checkpoints, section by section, down to the value that changed.

Works on decoded or viewed checkpoints alike and runs no user code: values are compared by what they hold.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from runtime.checkpoint import Checkpoint
from runtime.message import Message
from runtime.state import RunState

SECTIONS = ("state", "executors", "messages", "joins", "requests")


class Change(NamedTuple):
    """`kind` is added, removed or changed; `path` says where in the section, such as `['draft'].title`."""

    section: str
    path: str
    kind: str
    old: Any
    new: Any


def compare(old: Checkpoint, new: Checkpoint) -> list[Change]:
    """All changes from one checkpoint to another, in the order of `SECTIONS`."""
    before, after = _sections(old.state), _sections(new.state)
    return [
        Change(section, path, kind, was, now)
        for section in SECTIONS
        for path, kind, was, now in differences(before[section], after[section])
    ]


def _sections(state: RunState) -> dict[str, Any]:
    return {
        "state": dict(state.shared),
        "executors": {
            id_: {"state": dict(record.state), "runs": record.runs, "last_superstep": record.last_superstep}
            for id_, record in state.executors.items()
        },
        "messages": [_message(message) for message in state.queue],
        "joins": {key: [_message(message) for message in held] for key, held in state.buffers.items() if held},
        "requests": {id_: request.data for id_, request in state.requests.items()},
    }


def _message(message: Message) -> dict[str, Any]:
    return {"source": message.source_id, "target": message.target_id, "data": message.data}


def differences(old: Any, new: Any, path: str = "") -> Iterator[tuple[str, str, Any, Any]]:
    """Yield `(path, kind, old, new)` for the innermost values that differ."""
    was, now = _fields(old), _fields(new)
    if was is None or now is None or type(old) is not type(new):
        if not _same(old, new):
            yield path, "changed", old, new
        return
    for key in [*was, *(key for key in now if key not in was)]:
        inner = f"{path}{key}"
        if key not in now:
            yield inner, "removed", was[key], None
        elif key not in was:
            yield inner, "added", None, now[key]
        else:
            yield from differences(was[key], now[key], inner)


def _same(old: Any, new: Any) -> bool:
    # NaN is itself here: a value that did not change must not be shown as changed.
    return type(old) is type(new) and (old == new or (old != old and new != new))  # noqa: PLR0124


def _fields(value: Any) -> dict[str, Any] | None:
    """The children of a container by the text that leads to them, or None for a leaf."""
    if isinstance(value, Mapping):
        return {f"[{key!r}]": item for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray | memoryview | range):
        return {f"[{index}]": item for index, item in enumerate(value)}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f".{field.name}": getattr(value, field.name) for field in dataclasses.fields(value)}
    if hasattr(type(value), "model_fields"):
        return {f".{name}": getattr(value, name) for name in type(value).model_fields}
    return None
