"""Files and Python that are not there are told while drawing, with place and remedy,
and nothing is imported for it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from runtime.checks.check import check
from runtime.document.problem import Problem
from tests.runtime.test_validation import INFOS, alone, go, workflow

SOURCE = """
import json
from pathlib import Path as P
try:
    import tomllib
except ImportError:
    tomllib = None
if True:
    def inside(message): ...
LIMIT: int = 3
one, (two, three) = 1, (2, 3)
def fetch(message): ...
async def later(message): ...
class Fetcher:
    def run(self): ...
raise SystemExit("imported")
"""


def told(folder: Path, definition: object) -> list[Problem]:
    found = check(definition, INFOS, folder)  # type: ignore[arg-type]
    return [
        problem for problem in found if problem.rule in ("file-there", "python-there")
    ]


def function(reference: str) -> object:
    return alone("python_function", function=reference)


@pytest.mark.parametrize(
    "name",
    ["fetch", "later", "Fetcher", "Fetcher.run", "inside", "json", "P", "tomllib", "LIMIT", "one", "three"],
)  # fmt: skip
def test_what_a_module_defines_is_there(tmp_path: Path, name: str) -> None:
    (tmp_path / "mine.py").write_text(SOURCE)
    before = sys.modules.get("mine")  # another test may have one of this name
    assert told(tmp_path, function(f"mine:{name}")) == []
    assert sys.modules.get("mine") is before


def test_what_it_does_not_define_is_told_with_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(SOURCE)
    (problem,) = told(tmp_path, function("mine:fetsch"))
    assert (problem.severity, problem.location, problem.part) == (
        "warning",
        "a",
        "params.function",
    )
    assert (
        problem.message == "a names 'fetsch', but the module 'mine' does not define it"
    )
    assert problem.remedy == "Did you mean 'fetch'?"


@pytest.mark.parametrize(
    "source",
    [
        "from os.path import *\n",
        "def __getattr__(name): ...\n",
        "globals().update(x=1)\n",
        "def broken(:\n",
        "\0",
    ],
)
def test_of_a_module_that_does_not_tell_what_is_in_it_nothing_is_said(
    tmp_path: Path, source: str
) -> None:
    (tmp_path / "mine.py").write_text(source)
    assert told(tmp_path, function("mine:anything")) == []


def test_a_missing_module_is_told_and_installed_ones_are_found(tmp_path: Path) -> None:
    (problem,) = told(tmp_path, function("nowhere_to_be_found:run"))
    assert (
        problem.message
        == "a names the module 'nowhere_to_be_found', but it is not found"
    )
    assert str(tmp_path) in problem.remedy
    for installed in ("json:dumps", "os.path:join", "pydantic:BaseModel", "sys:exit"):
        assert told(tmp_path, function(installed)) == []


def test_packages_are_looked_through_without_importing_them(tmp_path: Path) -> None:
    before = {name: sys.modules.get(name) for name in ("pack", "pack.inner")}
    (tmp_path / "pack" / "inner").mkdir(parents=True)
    (tmp_path / "pack" / "__init__.py").write_text("raise SystemExit")
    (tmp_path / "pack" / "inner" / "deep.py").write_text("def run(message): ...")
    assert told(tmp_path, function("pack.inner.deep:run")) == []
    (problem,) = told(tmp_path, function("pack.inner.shallow:run"))
    assert "'pack.inner.shallow'" in problem.message
    assert {name: sys.modules.get(name) for name in before} == before


def test_a_condition_in_python_and_a_class_are_looked_for_too(tmp_path: Path) -> None:
    (problem,) = told(
        tmp_path, workflow(go("a", "out", condition="py:nowhere_at_all:test"))
    )
    assert (problem.location, problem.part) == ("e0", "condition")
    (problem,) = told(tmp_path, alone("python_class", class_name="nowhere_at_all:Run"))
    assert problem.part == "params.class_name"


def test_a_file_that_is_read_and_not_there_is_told(tmp_path: Path) -> None:
    (problem,) = told(tmp_path, alone("read_file", path="notes.txt"))
    assert (problem.location, problem.part, problem.rule) == (
        "a",
        "params.path",
        "file-there",
    )
    (tmp_path / "notes.txt").write_text("x")
    assert told(tmp_path, alone("read_file", path="notes.txt")) == []


def test_a_file_that_the_workflow_makes_itself_or_whose_name_a_message_gives_is_not_missed(
    tmp_path: Path,
) -> None:
    types: dict[str, str | dict[str, Any]] = {
        "a": {"type": "write_file", "params": {"path": "made.txt"}},
        "b": {"type": "read_file", "params": {"path": "./made.txt"}},
        "c": {"type": "read_file", "params": {"path": "{message}.txt"}},
    }
    assert told(tmp_path, workflow(go("a", "b", "c"), types)) == []


def test_names_that_no_file_can_have_are_no_accident(tmp_path: Path) -> None:
    assert len(told(tmp_path, alone("read_file", path="x" * 5000))) == 1
    assert told(tmp_path, alone("read_file", path="a\0b")) == []
