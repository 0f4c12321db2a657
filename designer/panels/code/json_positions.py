"""The position of a value in a JSON text, by the value's path."""

from __future__ import annotations

import re
from collections.abc import Sequence
from json.decoder import JSONDecoder, scanstring  # type: ignore[attr-defined]  # missing in the stubs

_BLANK = re.compile(r"[ \t\n\r]*")
_DECODER = JSONDecoder()


def place_of(text: str, path: Sequence[str | int]) -> tuple[int, int]:
    """Return line and column, both from 1, of the value at the path, or of its last
    part that exists.

    The text must be valid JSON.
    """
    position = _skip(text, 0)
    for step in path:
        member = _member(text, position, step)
        if member is None:
            break
        position = member
    return line_column(text, position)


def line_column(text: str, position: int) -> tuple[int, int]:
    before = text[:position]
    return before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1


def _skip(text: str, position: int) -> int:
    blank = _BLANK.match(text, position)
    return blank.end() if blank is not None else position


def _member(text: str, position: int, step: str | int) -> int | None:
    """Return the start of a member of the map or list at `position`; None if there is
    none.
    """
    opening = text[position : position + 1]
    if opening not in ("{", "["):
        return None
    member = None
    count = 0
    position = _skip(text, position + 1)
    while text[position : position + 1] not in ("}", "]", ""):
        key: str | int = count
        if opening == "{":
            key, position = scanstring(text, position + 1)
            position = _skip(text, _skip(text, position) + 1)
        if key == step:
            member = position  # of a repeated key the last one counts
        _, position = _DECODER.raw_decode(text, position)
        position = _skip(text, position)
        if text[position : position + 1] == ",":
            position = _skip(text, position + 1)
        count += 1
    return member
