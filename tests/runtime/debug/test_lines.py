"""Whatever request comes, exactly one reply has its number: also to a line that cannot
be read.
"""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.debug import protocol
from runtime.debug.host import host
from runtime.debug.wire.lines import (
    DEEPEST_PACKET,
    Line,
    UnreadableLineError,
    command_in,
    lines_of,
    number_in,
    packet_in,
)
from runtime.system.bounded_files import DEEPEST
from tests.runtime.debug.spawning import spawned

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
    ),
    max_leaves=20,
)
NUMBERS = st.integers(min_value=-(10**17), max_value=10**17)


@given(st.dictionaries(st.text(), VALUES, max_size=4), NUMBERS, st.booleans())
def test_the_number_of_a_packet_is_found_as_json_says_it(
    others: dict[str, Any], number: int, ascii_only: bool
) -> None:
    packet = {**others, "seq": number, "arguments": {"seq": 5, "nested": [{"seq": 6}]}}
    line = json.dumps(packet, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    assert number_in(line, "seq") == number


@given(st.text(), NUMBERS, st.data())
def test_the_number_of_a_damaged_packet_is_found_if_it_was_written_before(
    text: str, number: int, data: st.DataObject
) -> None:
    line = json.dumps(
        {"type": "request", "seq": number, "arguments": {"text": text, "seq": 7}}
    ).encode()
    cut = data.draw(
        st.integers(min_value=line.index(b', "arguments') + 1, max_value=len(line))
    )
    assert number_in(line[:cut] + b"\xff\xff", "seq") == number


@given(st.binary())
def test_no_bytes_break_the_search(content: bytes) -> None:
    assert type(number_in(content, "seq")) is int


@pytest.mark.parametrize(
    "value", ["1.5", "true", "null", '"5"', "[1]", "{}", "1e3", "9" * 30]
)
def test_what_is_no_number_is_none(value: str) -> None:
    assert number_in(b'{"seq": ' + value.encode() + b"}", "seq") == 0


def test_a_line_that_is_too_long_is_passed_over_and_those_around_it_are_read() -> None:
    content = b'{"seq": 1}\n{"seq": 2, "x": "' + b"y" * 10_000 + b'"}\n{"seq": 3}'
    first, long, last = lines_of(io.BytesIO(content), longest=100)
    assert (first, last) == (Line(b'{"seq": 1}\n'), Line(b'{"seq": 3}'))
    with pytest.raises(UnreadableLineError, match="longer than") as caught:
        packet_in(long, "seq")
    assert caught.value.number == 2
    assert len(long.content) < 5_000


def request(number: int, **fields: Any) -> Line:
    return Line(
        json.dumps(
            {"type": "request", "seq": number, "command": "start", **fields}
        ).encode()
    )


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def test_half_a_surrogate_pair_and_the_deepest_document_are_read() -> None:
    assert command_in(request(1, arguments={"input": "\ud800"})).arguments == {
        "input": "\ud800"
    }
    assert command_in(request(2, arguments={"document": nested(DEEPEST)})).seq == 2


@pytest.mark.parametrize(
    "line",
    [
        request(9, arguments=nested(DEEPEST_PACKET)),
        Line(
            b'{"seq": 9, "command": "start", "arguments": {"input": '
            + b"[" * 5_000
            + b"]" * 5_000
            + b"}}"
        ),
        request(9, arguments=[]),
        request(9, command=5),
        Line(b'{"seq": 9, "command": "start"'),
        Line(b'{"seq": 9, "command": "st\xffart"}'),
        Line(b'{"seq": 9}'),
        Line(b'{"seq": 9, "command": "start"}', is_too_long=True),
        Line(b'{"seq": 9, "command": "start", "n": ' + b"9" * 5000 + b"}x"),
    ],
)
def test_what_is_no_command_is_refused_with_its_number(line: Line) -> None:
    with pytest.raises(UnreadableLineError) as caught:
        command_in(line)
    assert caught.value.number == 9
    assert len(str(caught.value)) < 500


def test_every_command_of_the_table_says_what_its_reply_has() -> None:
    table = (protocol.__doc__ or "").split("notice ")[0]
    for command, body in protocol.REPLY_BODIES.items():
        (row,) = [
            line.split() for line in table.splitlines() if line.split()[:1] == [command]
        ]
        assert row[2] == (body.__name__ if body else "-")
    served = host._AT_ONCE | host.MOVES | host.QUESTIONS
    assert protocol.REPLY_BODIES.keys() == served.keys()


def hostile_requests(chance: random.Random) -> list[bytes]:
    """Each has its number near its beginning; what comes after it is anything."""
    lines: list[bytes] = []
    values: list[Any] = [
        None,
        -1,
        1e308,
        10**30,
        "",
        "\ud800",
        "x" * 5000,
        [],
        {},
        nested(90),
        nested(400),
        {"a": [1]},
    ]
    names = [
        *protocol.REPLY_BODIES.keys() - {"shutdown"},
        "",
        "nothing",
        "__class__",
        "\ud800",
    ]
    fields = [
        "document",
        "folder",
        "store",
        "input",
        "count",
        "checkpoint_id",
        "section",
        "path",
        "answers",
        "depth",
    ]
    for number in range(1, 151):
        packet = {
            "type": chance.choice(["request", "request", "response", 5]),
            "seq": number,
            "command": chance.choice(names),
            "arguments": {
                chance.choice(fields): chance.choice(values) for _ in range(3)
            },
        }
        line = bytearray(json.dumps(packet).encode())
        if chance.random() < 0.3:
            at = chance.randrange(40, len(line))
            line[at : at + chance.randrange(3)] = chance.choice(
                [b"", b"\xff", b"{", b'"', b"\\", b"]"]
            )
        lines.append(bytes(line).replace(b"\n", b" ") + b"\n")
    return lines


async def test_whatever_request_comes_exactly_one_reply_has_its_number(
    tmp_path: Path,
) -> None:
    lines = hostile_requests(random.Random(13))  # noqa: S311 - to be repeated, not to be secret
    async with spawned(tmp_path) as process:
        assert process.process.stdin is not None
        for line in lines:
            process.process.stdin.write(line)
        waiting = set(range(1, len(lines) + 1))
        while waiting:
            packet = await process.read()
            if packet["type"] == "response":
                waiting.remove(packet["request_seq"])
        process.process.stdin.write(
            b'{"type": "request", "seq": 1000, "command": "catalogue"}\n'
        )
        while (packet := await process.read())["type"] != "response":
            pass
        assert (packet["request_seq"], packet["success"]) == (1000, True)
