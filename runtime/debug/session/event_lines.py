"""One line of text for each event of a run, for the list of events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from runtime.debug.protocol import EventItem
from runtime.debug.values.shapes import TEXT_LIMIT, clean, line
from runtime.events import RunEvent, RunEventKind
from runtime.values.records import maker_of
from runtime.values.words import duration

_Data = Mapping[str, Any]
_make_item = maker_of(EventItem)


def event_item(event: RunEvent) -> EventItem:
    """Return an event as the protocol sends it."""
    text = clean(_TEXTS[event.kind](event.data))
    return _make_item(
        event.number,
        event.time,
        event.kind,
        event.superstep,
        event.path,
        text,
        "",
        str(event.data.get("executor") or ""),
    )


def _message(data: _Data) -> str:
    count = f"{data['count']} × " if data.get("count", 1) != 1 else ""
    reason = f": {data['reason']}" if data.get("reason") else ""
    # A message that its edge has not taken yet has no target.
    target = f" → {data['target']}" if data.get("target") else ""
    return f"{count}{data.get('source', '?')}{target} {data.get('fate', '')}{reason}"


def _released(data: _Data) -> str:
    counts = " + ".join(str(count) for count in data.get("counts", ()))
    return f"join into {data.get('target', '?')} fired with {counts} messages"


def _header(data: _Data) -> str:
    header = data.get("header")
    return f"{header.id} saved on {header.branch}" if header is not None else "saved"


def _after(who: str, what: str) -> Callable[[_Data], str]:
    return lambda data: f"{data.get(who, '?')} {what}"


def _ended(who: str) -> Callable[[_Data], str]:
    return lambda data: " ".join(
        filter(
            None,
            (
                data.get(who, "superstep"),
                "ended after",
                duration(data.get("seconds", 0.0)),
            ),
        )
    )


def _started(data: _Data) -> str:
    if data.get("attempts", 1) > 1:
        attempt = f", attempt {data['attempt']} of {data['attempts']}"
    else:
        attempt = ""
    return (
        f"{data.get('executor', '?')} got {_messages(data.get('messages', 1))}{attempt}"
    )


def _attempt_failed(data: _Data) -> str:
    which = f"attempt {data.get('attempt', 1)} of {data.get('attempts', 1)}"
    wait = f"; waits {data['wait']:g} s" if data.get("wait") else ""
    return f"{which} of {data.get('executor', '?')} failed: {_error(data)}{wait}"


def _failed(data: _Data) -> str:
    taken = "; an error edge takes it" if data.get("taken") else ""
    return f"{data.get('executor', '?')} failed: {_error(data)}{taken}"


def _error(data: _Data) -> str:
    return f"{data.get('error_type', '')}: {str(data.get('error', ''))[:TEXT_LIMIT]}"


def _messages(count: int) -> str:
    return "1 message" if count == 1 else f"{count:,} messages"


_TEXTS: Mapping[RunEventKind, Callable[[_Data], str]] = {
    RunEventKind.STATUS: lambda data: str(data.get("status", "")),
    RunEventKind.SUPERSTEP_STARTED: lambda data: (
        f"runs {', '.join(data.get('executors', ()))}"[:TEXT_LIMIT]
    ),
    RunEventKind.SUPERSTEP_ENDED: _ended("superstep"),
    RunEventKind.HANDLER_STARTED: _started,
    RunEventKind.ATTEMPT_FAILED: _attempt_failed,
    RunEventKind.HANDLER_ENDED: _ended("executor"),
    RunEventKind.HANDLER_FAILED: _failed,
    RunEventKind.HANDLER_CANCELLED: _after("executor", "was cancelled"),
    RunEventKind.MESSAGE: _message,
    RunEventKind.JOIN_RELEASED: _released,
    RunEventKind.STATE_WRITTEN: lambda data: (
        f"{data.get('executor', '?')} wrote {data.get('key', '?')}"
    ),
    RunEventKind.REQUEST_ASKED: lambda data: (
        f"{data.get('executor', '?')} asks {data.get('request_id', '')}"
    ),
    RunEventKind.REQUEST_ANSWERED: lambda data: (
        f"{data.get('executor', '?')} got its answer to {data.get('request_id', '')}"
    ),
    RunEventKind.REQUEST_CANCELLED: lambda data: (
        f"{data.get('request_id', '')} of {data.get('executor', '?')} was cancelled"
    ),
    RunEventKind.YIELDED: lambda data: (
        f"{data.get('executor', '?')} outputs {line(data.get('value'))}"
    ),
    RunEventKind.OUTPUT: lambda data: (
        f"{data.get('executor', '?')} output {line(data.get('value'))}"
    ),
    RunEventKind.WITHDRAWN: lambda data: (
        f"taken back: {data.get('executor', '?')} had output {line(data.get('value'))}"
    ),
    RunEventKind.TOLD: lambda data: " ".join(
        filter(
            None,
            (
                data.get("executor"),
                "told",
                data.get("type"),
                line(data["text"]) if data.get("text") else "",
            ),
        )
    ),
    RunEventKind.CHECKPOINT_SAVED: _header,
    RunEventKind.CHECKPOINT_MISSED: lambda data: f"not saved: {data.get('error', '')}"[
        : 2 * TEXT_LIMIT
    ],
    RunEventKind.WARNING: lambda data: str(data.get("text", "")),
}
