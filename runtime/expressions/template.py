"""Text with placeholders: `{message}`, `{message.name}`, `{message[0].name}`,
`{message["a key"]}`; `{{` is a brace.

A placeholder only walks data: keys of maps, positions of lists, declared fields of
dataclasses, named tuples and pydantic models. `str.format` is not used, since it
reaches attributes, and its format specifications cost memory.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, TypeAdapter

from runtime.expressions.similar_names import did_you_mean

MAX_LENGTH = 1_000_000
# their names in a JSON Schema
TEMPLATE_FORMAT = "template"
TEMPLATE_LINE_FORMAT = "template-line"
_PIECE = re.compile(r"\{\{|\}\}|\{(?P<path>[^{}]*)\}|[{}]")
_STEP = re.compile(
    r"""\.(?P<name>[A-Za-z_]\w*)|\[(?P<index>-?\d{1,9})\]|\[(?P<quote>["'])(?P<key>[^"'\]]*)(?P=quote)\]"""
)

Step = str | int


class Template:
    """A text with placeholders, parsed once. Raise `ValueError`, naming the
    position, if it is malformed.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._pieces: list[str | tuple[Step, ...]] = []
        end = 0
        for match in _PIECE.finditer(text):
            self._pieces += [text[end : match.start()], self._piece(match)]
            end = match.end()
        self._pieces.append(text[end:])

    def _piece(self, match: re.Match[str]) -> str | tuple[Step, ...]:
        if match["path"] is not None:
            return parse_path(match["path"], match.start() + 1)
        if len(match[0]) == 2:
            return match[0][0]
        raise ValueError(
            f"a single '{match[0]}' at character {match.start() + 1}; write '{match[0] * 2}' for a brace"
        )

    def render(self, message: Any) -> str:
        """Return the text for a message. Raise `LookupError`, naming the
        placeholder, for what the message does not have.
        """
        text = "".join(
            piece if isinstance(piece, str) else _rendered(message, piece)
            for piece in self._pieces
        )
        if len(text) > MAX_LENGTH:
            raise LookupError(
                f"the text would have {len(text)} characters; at most {MAX_LENGTH} are made"
            )
        return text


def parse_path(path: str, position: int = 1) -> tuple[Step, ...]:
    """Return the steps after `message` of `message.a[0]`. Raise `ValueError`."""
    if not path.startswith("message"):
        raise ValueError(
            f"'{{{path}}}' at character {position}: a placeholder begins with 'message'"
        )
    steps: list[Step] = []
    position_in_path = len("message")
    while position_in_path < len(path):
        match = _STEP.match(path, position_in_path)
        if match is None:
            raise ValueError(
                f"'{{{path}}}' at character {position}: write {{message.name}}, {{message[0]}} or {{message}}"
            )
        steps.append(
            int(match["index"]) if match["index"] else match["name"] or match["key"]
        )
        position_in_path = match.end()
    return tuple(steps)


def look_up(message: Any, steps: Sequence[Step]) -> Any:
    """Walk from a message along the steps. Raise `LookupError` with the way that
    was possible.
    """
    value = message
    way = "message"
    for step in steps:
        try:
            value = _step(value, step)
        except LookupError:
            near = did_you_mean(step, _names_of(value)) if isinstance(step, str) else ""
            raise LookupError(
                f"{{{way}}} is of type {type(value).__name__} and has no {step!r}{near}"
            ) from None
        way += f"[{step}]" if isinstance(step, int) else f".{step}"
    return value


def _rendered(message: Any, steps: Sequence[Step]) -> str:
    try:
        return show(look_up(message, steps))
    except (
        ValueError,
        AttributeError,
    ) as error:  # of the writer, also for a field that was never set
        raise LookupError(f"{{message}} cannot be written as text: {error}") from error


def _names_of(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [key for key in value if isinstance(key, str)]
    return list(_field_names(value))


def _step(value: Any, step: Step) -> Any:
    if isinstance(value, Mapping):
        return value[step]
    if isinstance(step, int):
        if isinstance(value, Sequence) and not isinstance(value, str | bytes):
            return value[step]
    elif step in _field_names(value) and hasattr(value, step):
        return getattr(value, step)
    raise LookupError(step)


def _field_names(value: Any) -> Sequence[str]:
    if dataclasses.is_dataclass(value):
        return [field.name for field in dataclasses.fields(value)]
    if isinstance(value, BaseModel):
        return [*type(value).model_fields, *(value.model_extra or ())]
    return getattr(value, "_fields", ()) if isinstance(value, tuple) else ()


def show(value: Any) -> str:
    """Return a value inside a text: texts as they are, lists of plain values with
    commas, anything else as JSON.
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list | tuple) and all(
        isinstance(item, str | int | float) for item in value
    ):
        return ", ".join(map(str, value))
    if isinstance(value, int | float):
        return str(value)
    return to_json(value)


def to_json(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON, dataclasses and pydantic models as objects; what JSON
    does not have becomes its text.

    Raise `ValueError` for bytes that are no text, and for a value that contains
    itself.
    """
    return json.dumps(
        TypeAdapter(Any).dump_python(value, mode="json", fallback=str),
        ensure_ascii=False,
        indent=indent,
    )
