"""Where in a JSON text a value stands, by its path."""

from __future__ import annotations

import re
from collections.abc import Sequence
from json.decoder import JSONDecoder, scanstring  # type: ignore[attr-defined]  # missing in the stubs

_BLANK = re.compile(r"[ \t\n\r]*")
_DECODER = JSONDecoder()


def place_of(text: str, path: Sequence[str | int]) -> tuple[int, int]:
    """Line and column, both from 1, of what the path leads to, as far as it leads. The text must be JSON."""
    at = _skip(text, 0)
    for step in path:
        found = _member(text, at, step)
        if found is None:
            break
        at = found
    return line_column(text, at)


def line_column(text: str, at: int) -> tuple[int, int]:
    before = text[:at]
    return before.count("\n") + 1, at - (before.rfind("\n") + 1) + 1


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found is not None else at


def _member(text: str, at: int, step: str | int) -> int | None:
    """Where the member of the map or list at `at` begins; None if there is none."""
    opening = text[at : at + 1]
    if opening not in ("{", "["):
        return None
    found = None
    count = 0
    at = _skip(text, at + 1)
    while text[at : at + 1] not in ("}", "]", ""):
        key: str | int = count
        if opening == "{":
            key, at = scanstring(text, at + 1)
            at = _skip(text, _skip(text, at) + 1)
        if key == step:
            found = at  # of a key that is there twice the last one counts
        _, at = _DECODER.raw_decode(text, at)
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        count += 1
    return found
