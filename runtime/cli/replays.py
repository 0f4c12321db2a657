"""The options of `stepwell resume` about calls that reach outside, and their report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from runtime.debug.protocol import PinnedResult
from runtime.document.files import read_json
from runtime.engine.replay.plan import in_words
from runtime.engine.replay.settings import Pin, Replay
from runtime.errors import CommandError, DefinitionError
from runtime.system.bounded_files import read_text

if TYPE_CHECKING:
    from runtime.engine.runner import Runner

ALL = "all"
_FORM = (
    'Write {"sent": [...], "outputs": [...], "writes": {...}}, or {"error": "text"}.'
)


def replay_of(live: Sequence[str], pins: Sequence[str]) -> Replay:
    """Return what the options say: `live` has names or "all", and `pins` have the form
    NAME=FILE. Raise `CommandError` for what cannot be read.
    """
    pinned = dict(map(_pin_of, pins))
    if len(pinned) < len(pins):
        raise CommandError("Two --pin options name one executor. Give one for each.")
    names = [name for name in live if name != ALL]
    try:
        return Replay(
            live=frozenset(names),
            pinned=pinned,
            default="live" if len(names) < len(live) else "recorded",
            on_miss="refuse",
        )
    except ValueError as error:
        raise CommandError(str(error)) from error


def _pin_of(text: str) -> tuple[str, Pin]:
    name, _, file = text.partition("=")
    if not name or not file:
        raise CommandError(
            f"--pin {text!r} is not NAME=FILE, such as fetch=answer.json."
        )
    try:
        content = read_json(read_text(Path(file)))
    except UnicodeError as error:
        raise CommandError(f"--pin {name}: {file} is no text in UTF-8.") from error
    except OSError as error:
        raise CommandError(
            f"--pin {name}: {file} cannot be read: {error.strerror}."
        ) from error
    except DefinitionError as error:
        raise CommandError(f"--pin {name}: {file} cannot be read: {error}") from error
    return name, pin_of(content, f"--pin {name}: {file}")


def pin_of(content: Any, where: str) -> Pin:
    """Return a result from its JSON. Raise `CommandError` if it is none."""
    names = PinnedResult.model_fields
    unknown = (
        [name for name in content if name not in names]
        if isinstance(content, dict)
        else []
    )
    if unknown:
        raise CommandError(f"{where} is no result: it has '{unknown[0]}'. {_FORM}")
    try:
        result = PinnedResult.model_validate(content)
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(map(str, fault["loc"]))
        raise CommandError(
            f"{where} is no result{f' at {place}' if place else ''}: {fault['msg']}. {_FORM}"
        ) from error
    return Pin(result.sent, result.outputs, result.writes, result.error)


def outside_json(runner: Runner) -> dict[str, Any] | None:
    """Return what a run that went on from the past did outside; None for nothing."""
    counts = runner.outside_counts
    if not counts:
        return None
    return {
        "words": in_words(counts),
        "calls": [
            {"mode": mode, "what": what, "calls": number}
            for mode, what, number in counts
        ],
    }
