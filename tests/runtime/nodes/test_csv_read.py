"""Read CSV: rows as maps, as lists and one by one, and faults that name their line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from runtime.errors import DefinitionError, NodeError
from tests.runtime.nodes.single import one_node, outputs, problems

TYPE = "csv_read"
PEOPLE = 'name,age,note\r\nAda,36,"first, ""really"""\r\n\r\nBob,007,"two\r\nlines"\r\n'


@pytest.mark.parametrize(
    ("content", "params", "expected"),
    [
        (
            PEOPLE,
            {},
            [
                {"name": "Ada", "age": "36", "note": 'first, "really"'},
                {"name": "Bob", "age": "007", "note": "two\r\nlines"},
            ],
        ),
        ("a;b\n1;x\n", {"delimiter": ";"}, [{"a": "1", "b": "x"}]),
        ("a\tb\n1\tx\n", {"delimiter": "tab", "columns": ["b"]}, [{"b": "x"}]),
        ("1,x\n2,y\n", {"header": False}, [["1", "x"], ["2", "y"]]),
        ("1,x\n", {"header": False, "columns": ["n", "s"], "numbers": True}, [{"n": 1, "s": "x"}]),
        ("12;-.5;1e3;007\n", {"delimiter": ";", "numbers": True, "header": False}, [[12, "-.5", 1e3, "007"]]),
        ("a,b\n", {}, []),
        ("", {}, []),
        ("\ufeffa\n1\n", {}, [{"a": "1"}]),
    ],
)  # fmt: skip
async def test_a_file_becomes_rows(
    tmp_path: Path, content: str, params: dict[str, Any], expected: Any
) -> None:
    (tmp_path / "a.csv").write_bytes(content.encode())
    assert await outputs(TYPE, "a", tmp_path, path="{message}.csv", **params) == [
        expected
    ]


async def test_each_row_may_be_a_message(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n2\n")
    assert await outputs(TYPE, 0, tmp_path, path="a.csv", each_row=True) == [
        {"a": "1"},
        {"a": "2"},
    ]


async def test_another_encoding_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("a\ncafé\n".encode("cp1252"))
    assert await outputs(TYPE, 0, tmp_path, path="a.csv", encoding="cp1252") == [
        [{"a": "café"}]
    ]
    with pytest.raises(NodeError, match="not in the encoding utf-8"):
        await outputs(TYPE, 0, tmp_path, path="a.csv")


@pytest.mark.parametrize(
    ("content", "params", "words"),
    [
        ('a,b\n1,2\n"x\ny",2\n3\n', {}, "line 5: there are 1 values, but 2 columns"),
        ("a,b\n1,2,3\n", {}, "line 2: there are 3 values"),
        ("1,2\n3\n", {"header": False}, "line 2: there are 1 values"),
        ('a\n"open\n', {}, "line 2: this is no CSV"),
        ("a,a\n", {}, "two columns are called 'a'"),
        ("a,b\n1,2\n", {"columns": ["c"]}, r"no column 'c'\. It has: a, b"),
    ],
)
async def test_a_fault_names_its_line(
    tmp_path: Path, content: str, params: dict[str, Any], words: str
) -> None:
    (tmp_path / "a.csv").write_text(content)
    with pytest.raises(NodeError, match=words):
        await outputs(TYPE, 0, tmp_path, path="a.csv", **params)


@pytest.mark.parametrize(
    ("path", "words"), [("gone.csv", "cannot be read"), ("../a.csv", "leads out")]
)
async def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, path: str, words: str
) -> None:
    with pytest.raises(NodeError, match=words):
        await outputs(TYPE, 0, tmp_path, path=path)


@pytest.mark.parametrize(
    "params",
    [
        {"delimiter": ",,"},
        {"delimiter": '"'},
        {"encoding": "utf-99"},
        {"encoding": "hex"},
    ],
)
def test_check_refuses_a_format_that_is_none(params: dict[str, Any]) -> None:
    assert [one.rule for one in problems(TYPE, path="a.csv", **params)] == [
        "params-valid"
    ]
    with pytest.raises(DefinitionError):
        one_node(TYPE, path="a.csv", **params)


async def test_a_mark_before_utf_8_is_no_part_of_the_first_name_however_the_encoding_is_written(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbfa\n1\n")
    for encoding in ("utf-8", "UTF8", "utf_8", "U8"):
        assert await outputs(TYPE, 0, tmp_path, path="a.csv", encoding=encoding) == [
            [{"a": "1"}]
        ]


async def test_a_large_value_that_was_written_is_read_again(tmp_path: Path) -> None:
    rows = [{"a": "x" * 300_000}]
    await outputs("csv_write", rows, tmp_path, path="a.csv")
    assert await outputs(TYPE, 0, tmp_path, path="a.csv") == [rows]


@pytest.mark.parametrize("type", ["csv_read", "read_file"])
async def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path, type: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NodeError, match="it is a pipe and no file"):
        await outputs(type, 0, tmp_path, path="pipe")
