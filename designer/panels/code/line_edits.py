"""Edits of code lines: indentation, new lines, comments, and matching brackets. Plain
functions, no widgets.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_PAIRS = {"(": ")", "[": "]", "{": "}"}
_BACK = {close: open_ for open_, close in _PAIRS.items()}
_LEAVES = re.compile(r"^\s*(return|pass|break|continue|raise)\b")
FAR = 20_000  # characters to search for the other bracket


def next_indent(line: str, width: int) -> str:
    """Return the indentation of a new line after `line`, the text before the cursor."""
    indent = leading(line)
    ending = line.split("#", maxsplit=1)[0].rstrip()
    if ending.endswith((":", *_PAIRS)):
        return indent + " " * width
    if _LEAVES.match(line):
        return indent[: max(0, len(indent) - width)]
    return indent


def leading(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def tab_stop(column: int, width: int) -> str:
    """Return the spaces from a column to the next tab stop."""
    return " " * (width - column % width)


def indented(line: str, width: int) -> str:
    """Return a line indented by one step; an empty line stays empty."""
    return " " * width + line if line.strip() else line


def dedented(line: str, width: int) -> str:
    """Return a line moved left to the previous tab stop."""
    if line.startswith("\t"):
        return line[1:]
    blank = len(leading(line))
    if not blank:
        return line
    return line[blank - (blank - 1) // width * width :]


def commented(lines: list[str], mark: str) -> list[str]:
    """Return the lines as comments, or without the comment marks if all lines are
    comments.
    """
    filled = [line for line in lines if line.strip()]
    if filled and all(line.lstrip().startswith(mark) for line in filled):
        return [re.sub(rf"^(\s*){re.escape(mark)} ?", r"\1", line) for line in lines]
    least = min((len(leading(line)) for line in filled), default=0)
    return [
        f"{line[:least]}{mark} {line[least:]}" if line.strip() else line
        for line in lines
    ]


def partner(text: str, start: int, is_opaque: Callable[[int], bool]) -> int | None:
    """Return the position of the bracket that matches the one at `start`, or None.

    `is_opaque` returns whether a position is inside a text or a comment.
    """
    if (
        not 0 <= start < len(text)
        or text[start] not in _PAIRS | _BACK
        or is_opaque(start)
    ):
        return None
    bracket = text[start]
    step = 1 if bracket in _PAIRS else -1
    opens, closes = (_PAIRS, _BACK) if step > 0 else (_BACK, _PAIRS)
    stack: list[str] = []
    place = start
    while 0 <= place < len(text) and abs(place - start) <= FAR:
        character = text[place]
        if character in opens and not is_opaque(place):
            stack.append(opens[character])
        elif character in closes and not is_opaque(place):
            if stack.pop() != character:
                return None
            if not stack:
                return place
        place += step
    return None
