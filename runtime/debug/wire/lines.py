"""JSON lines between the window and the host, of bounded length; even an unreadable
line keeps its number if possible.

The sender of a command waits for the reply with its number. So a line that is not JSON
or UTF-8, or is too deep or too long, is answered under the number that can still be
read in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from pydantic import ValidationError
from pydantic_core import from_json as fast_from_json

from runtime.debug.protocol import Command
from runtime.system.bounded_files import DEEPEST, MEGABYTE, check_depth, from_json

# bytes of a line: twice the largest document, and of it as it is written for the line
LONGEST = 128 * MEGABYTE
KEPT = 4096  # bytes of a longer one, which have its number
# A document stands in the arguments of a command, these in the command; what a reply
# says has its own levels.
DEEPEST_PACKET = DEEPEST + 4
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s"{}\[\]:,]+', re.DOTALL)
_NUMBER = re.compile(rb"-?[0-9]{1,18}")


class UnreadableLineError(ValueError):
    """The line is not a packet; `number` is the number in it, or 0 if none can be
    read.
    """

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(reason)
        self.number = number


class Line(NamedTuple):
    """`content` is the line without its end; if it `is_too_long`, only the
    beginning.
    """

    content: bytes
    is_too_long: bool = False


def lines_of(stream: BinaryIO, longest: int = LONGEST) -> Iterator[Line]:
    """Yield the lines of a stream. A longer line is read to its end but not kept."""
    while content := stream.readline(longest + 1):
        if len(content) <= longest or content.endswith(b"\n"):
            yield Line(content)
            continue
        head = content[:KEPT]
        while content and not content.endswith(b"\n"):
            content = stream.readline(MEGABYTE)
        yield Line(head, is_too_long=True)


def command_in(line: Line) -> Command:
    """Return the command of a line. Raise `UnreadableLineError`."""
    number = 0
    try:
        packet = packet_in(line, "seq")
        number = number_in(line.content, "seq")
        return Command.model_validate(packet)
    except ValidationError as error:
        raise UnreadableLineError(
            number, f"Not a command: {_first_words(error)}"
        ) from error


def packet_in(line: Line, number: str) -> dict[str, Any]:
    """Return the packet of a line; `number` is the name of the field with its
    number. Raise `UnreadableLineError`.
    """
    content = line.content
    if line.is_too_long:
        raise UnreadableLineError(
            number_in(content, number),
            f"A line is longer than {LONGEST // MEGABYTE} MB.",
        )
    try:
        packet = _value(content)
        check_depth(packet, DEEPEST_PACKET)
    except ValueError as error:
        raise UnreadableLineError(
            number_in(content, number), f"A line cannot be read: {error}."
        ) from error
    if not isinstance(packet, dict):
        raise UnreadableLineError(0, "A line is no object of JSON.")
    return packet


def _value(content: bytes) -> Any:
    try:
        # Texts that come again are one object: of the 500 bytes that the texts of a
        # checkpoint weigh, nearly all come again with the next one, and a timeline
        # keeps them all.
        return fast_from_json(content, allow_inf_nan=False, cache_strings="all")
    except ValueError:
        # which also reads half a surrogate pair, and says what is wrong
        return from_json(content)


def number_in(content: bytes, name: str) -> int:
    """Return the integer under a name at the first level of a JSON object, as far
    as it can be read; else 0.
    """
    depth = 0
    before = b""
    key = b""
    quoted_name = b'"%s"' % name.encode()
    for match in _TOKEN.finditer(content):
        token = match.group()
        if token in b"{[":
            depth += 1
        elif token in b"}]":
            depth -= 1
        elif depth == 1 and token == b":":
            key = before
        elif depth == 1 and key == quoted_name and before == b":":
            return int(token) if _NUMBER.fullmatch(token) else 0
        before = token
    return 0


def _first_words(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}."
