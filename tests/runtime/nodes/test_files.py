"""Read file and Write file: what they make of files, and of paths that cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from runtime.errors import NodeError
from tests.runtime.nodes.single import outputs


@pytest.mark.parametrize(
    ("content", "text", "expected"),
    [
        ("text", "a\n", "a\n"),
        ("lines", "a\x0cb\u2028c\r\n\nd", ["a\x0cb\u2028c", "", "d"]),
        ("lines", "", []),
        ("json", '\ufeff{"a": [1]}', {"a": [1]}),
    ],
)
async def test_a_file_is_read_as_was_chosen(
    tmp_path: Path, content: str, text: str, expected: Any
) -> None:
    (tmp_path / "in").write_bytes(text.encode())
    assert await outputs("read_file", 0, tmp_path, path="in", content=content) == [
        expected
    ]


@pytest.mark.parametrize(
    ("content", "data", "words"),
    [
        ("text", b"\xff", "is not text in UTF-8"),
        ("json", b"{", "is not json in UTF-8"),
        ("json", b"[" * 100_000, "nested too deeply"),
    ],
)
async def test_what_a_file_is_not_is_said(
    tmp_path: Path, content: str, data: bytes, words: str
) -> None:
    (tmp_path / "in").write_bytes(data)
    with pytest.raises(NodeError, match=f"Node 'it': .*{words}"):
        await outputs("read_file", 0, tmp_path, path="in", content=content)


@pytest.mark.parametrize("type", ["write_file", "csv_write"])
@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("a" * 300, "cannot be written: File name too long"),
        ("there/x", "cannot be written"),
        (".", "is a folder"),
    ],
)
async def test_where_nothing_can_be_written_is_said(
    tmp_path: Path, type: str, path: str, words: str
) -> None:
    (tmp_path / "there").write_text("a file")
    with pytest.raises(NodeError, match=f"Node 'it': .*{words}"):
        await outputs(type, [{"a": 1}], tmp_path, path=path)
