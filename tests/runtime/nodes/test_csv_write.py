"""Write CSV: what stands in the file, that it is whole, and that what was written is
read back.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from runtime.errors import DefinitionError, NodeError
from runtime.nodes.base import Place
from runtime.nodes.csv_read import CsvReadExecutor, CsvReadParams
from runtime.nodes.csv_write import CsvWriteExecutor, CsvWriteParams
from tests.runtime.nodes.single import one_node, outputs

TYPE = "csv_write"


@dataclass
class Person:
    name: str
    born: date


@pytest.mark.parametrize(
    ("message", "params", "content"),
    [
        ([{"a": 1, "b": None}, {"a": "x,y", "c": True}], {}, 'a,b,c\n1,,\n"x,y",,true\n'),
        ({"a": [1, 2], "b": 'say "x"'}, {"delimiter": "tab"}, 'a\tb\n[1, 2]\t"say ""x"""\n'),
        ([["x", 1], ["y", 2]], {"columns": ["name", "n"]}, "name,n\nx,1\ny,2\n"),
        ([["x", 1]], {}, "x,1\n"),
        ([{"b": 1, "a": 2}], {"columns": ["a", "b"], "header": False}, "2,1\n"),
        ([Person("Ada", date(1815, 12, 10))], {}, "name,born\nAda,1815-12-10\n"),
        ([], {"columns": ["a"]}, "a\n"),
    ],
)  # fmt: skip
async def test_rows_become_a_file(
    tmp_path: Path, message: Any, params: dict[str, Any], content: str
) -> None:
    assert await outputs(TYPE, message, tmp_path, path="sub/a.csv", **params) == [
        message
    ]
    assert (tmp_path / "sub" / "a.csv").read_text() == content


async def test_append_adds_rows_in_the_order_of_the_file_s_columns(
    tmp_path: Path,
) -> None:
    workflow = one_node(TYPE, tmp_path, path="a.csv", mode="append")
    await workflow.run([{"a": 1, "b": 2}])
    # as an editor may leave it
    (tmp_path / "a.csv").write_text((tmp_path / "a.csv").read_text().rstrip("\n"))
    await workflow.run({"b": 4, "a": 3})
    assert (tmp_path / "a.csv").read_text() == "a,b\n1,2\n3,4\n"


async def test_replace_leaves_the_old_file_where_the_rows_cannot_be_written(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.csv").write_text("old")
    for message, words in (
        (["€", {"a": 1}], "row 1 is of type str"),
        ([{"a": "€"}], "do not fit the encoding"),
    ):
        with pytest.raises(NodeError, match=words):
            await outputs(TYPE, message, tmp_path, path="a.csv", encoding="latin-1")
    assert [one.name for one in tmp_path.iterdir()] == ["a.csv"]
    assert (tmp_path / "a.csv").read_text() == "old"


@pytest.mark.parametrize(
    ("message", "params", "words"),
    [
        ([{"a": 1}, {"b": 1}], {"columns": ["a"]}, "row 2 has 'b', which is no column"),
        ([["x"]], {"columns": ["a", "b"]}, "row 1 has 1 values, but there are 2"),
        (5, {}, "row 1 is of type int"),
        ([{"a": 1}], {"path": "../a.csv"}, "leads out"),
        ([{"a": 1}], {"path": "."}, "is a folder"),
    ],
)
async def test_rows_that_do_not_fit_are_named(
    tmp_path: Path, message: Any, params: dict[str, Any], words: str
) -> None:
    with pytest.raises(NodeError, match=words):
        await outputs(TYPE, message, tmp_path, **{"path": "a.csv", **params})


async def test_append_refuses_a_column_that_the_file_does_not_have(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n")
    with pytest.raises(NodeError, match="'b', which is no column"):
        await outputs(TYPE, {"b": 1}, tmp_path, path="a.csv", mode="append")
    assert (tmp_path / "a.csv").read_text() == "a\n1\n"


def test_append_needs_an_encoding_whose_parts_can_follow_each_other() -> None:
    with pytest.raises(DefinitionError, match="appended"):
        one_node(TYPE, path="a.csv", mode="append", encoding="utf-16")


class Context:
    """Keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def send_message(self, message: Any) -> None:
        self.sent.append(message)


CELLS = some.text(some.characters(exclude_categories=["Cs"]), max_size=8)


@settings(max_examples=40)
@given(
    rows=some.lists(some.fixed_dictionaries({"a": CELLS, "b": CELLS}), min_size=1),
    mark=some.sampled_from(",;|\t"),
)
def test_what_was_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: Any, mark: str
) -> None:
    place = Place("it", tmp_path_factory.getbasetemp())
    delimiter = "tab" if mark == "\t" else mark
    written = Context()
    read = Context()
    CsvWriteExecutor(
        "it", place.folder, CsvWriteParams(path="law.csv", delimiter=delimiter)
    ).write(rows, written)  # type: ignore[arg-type]
    CsvReadExecutor(
        "it", place.folder, CsvReadParams(path="law.csv", delimiter=delimiter)
    ).read(0, read)  # type: ignore[arg-type]
    assert read.sent == [rows]


# --- a process that is killed over it ---------------------------------------------------------------------------

KILLED = """
import os, sys
from pathlib import Path
from runtime.nodes.support.append_file import End, end_of

path, content, part = Path(sys.argv[1]), sys.argv[2].encode(), int(sys.argv[3])

class Dies:
    def __init__(self, stream): self.stream = stream
    def fileno(self): return self.stream.fileno()
    def write(self, content):
        os.write(self.fileno(), content[:part])
        os.kill(os.getpid(), 9)

with end_of(path) as end:
    end._stream = Dies(end._stream)
    end.add(content)
"""


def append_and_die(path: Path, content: str, part: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, path, content, str(part)], check=False
    )
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize(
    ("part", "kept"), [(0, ""), (1, ""), (6, ""), (9, "x,1\ny,22\n")]
)
async def test_after_a_kill_at_any_moment_the_next_append_finds_whole_rows(
    tmp_path: Path, part: int, kept: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("n,v\n")
    append_and_die(path, "x,1\ny,22\n", part)
    await outputs(TYPE, {"n": "z", "v": 3}, tmp_path, path="a.csv", mode="append")
    assert path.read_text() == f"n,v\n{kept}z,3\n"
    assert [one.name for one in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.parametrize("note", ["", "4", "4\n", "4\nx,1"])
async def test_half_a_note_of_a_process_that_was_killed_takes_nothing_back(
    tmp_path: Path, note: str
) -> None:
    (tmp_path / "a.csv").write_text("n,v\n")
    (tmp_path / ".a.csv.adding").write_text(note)
    await outputs(TYPE, {"n": "z", "v": 3}, tmp_path, path="a.csv", mode="append")
    assert (tmp_path / "a.csv").read_text() == "n,v\nz,3\n"


async def test_what_somebody_added_after_the_kill_is_not_taken_back(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.csv").write_text("n,v\nx,Q,7\n")
    (tmp_path / ".a.csv.adding").write_text("4\nx,1\ny,2\n")
    await outputs(TYPE, {"n": "z", "v": 3}, tmp_path, path="a.csv", mode="append")
    assert (tmp_path / "a.csv").read_text() == "n,v\nx,Q,7\nz,3\n"


def test_processes_that_append_at_once_lose_nothing(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys; from tests.runtime.nodes.single import outputs\n"
        "async def main():\n"
        "    for n in range(20): await outputs('csv_write', {'n': n}, sys.argv[1], path='a.csv', mode='append')\n"
        "asyncio.run(main())"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(2)
    ]
    assert [one.wait() for one in running] == [0, 0]
    assert sorted((tmp_path / "a.csv").read_text().split()) == sorted(
        ["n", *map(str, range(20)), *map(str, range(20))]
    )


async def test_a_row_without_names_that_was_read_by_itself_can_be_written(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.csv").write_text("1,x\n2,y\n")
    rows = await outputs(
        "csv_read", 0, tmp_path, path="a.csv", header=False, each_row=True
    )
    assert rows == [["1", "x"], ["2", "y"]]
    for row in rows:
        await outputs(TYPE, row, tmp_path, path="b.csv", header=False, mode="append")
    assert (tmp_path / "b.csv").read_text() == "1,x\n2,y\n"


async def test_a_number_with_too_many_digits_is_an_error_of_the_node(
    tmp_path: Path,
) -> None:
    with pytest.raises(NodeError, match="row 1 cannot be written"):
        await outputs(TYPE, {"a": 10**5000}, tmp_path, path="a.csv")
