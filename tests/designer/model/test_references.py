"""What could be meant by `module:name` is found by reading the folder's files: nothing
of them is run.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from designer.model.completion.references import (
    MOST_BYTES,
    complete_reference,
    references_in,
)

AUDIT = '''
"""A module."""
import sys
(__import__("pathlib").Path(__file__).parent / "ran").touch()

def scan(message):
    """Find the packages.

    More of that.
    """

async def rank(message): ...

class Report: ...

def _inner(): ...
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "audit.py").write_text(AUDIT)
    (tmp_path / "broken.py").write_text("def (")
    (tmp_path / "binary.py").write_bytes(b"\x00\xff")
    (tmp_path / "_private.py").write_text("def x(): ...")
    (tmp_path / "no-module.py").write_text("def x(): ...")
    (tmp_path / "large.py").write_text("def x(): ...\n" + "#" * MOST_BYTES)
    (tmp_path / "folder.py").mkdir()
    return tmp_path


def test_public_functions_and_classes_are_listed_with_what_they_say_and_nothing_runs(
    folder: Path,
) -> None:
    assert [tuple(one) for one in references_in(folder)] == [
        ("audit:scan", "Find the packages."),
        ("audit:rank", ""),
        ("audit:Report", "a class"),
    ]
    assert not (folder / "ran").exists()


def test_a_file_that_changes_is_read_again(folder: Path) -> None:
    references_in(folder)
    (folder / "audit.py").write_text("def another_one(): ...")
    assert [one.text for one in references_in(folder)] == ["audit:another_one"]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("", ["audit:scan", "audit:rank", "audit:Report"]),
        ("aud", ["audit:scan", "audit:rank", "audit:Report"]),
        ("audit:s", ["audit:scan"]),
        ("RE", ["audit:Report"]),
        ("audit:R", ["audit:Report", "audit:rank"]),
        ("audit:r", ["audit:rank", "audit:Report"]),
        ("x", []),
    ],
)
def test_what_begins_so_is_offered_or_has_a_name_that_does(
    folder: Path, typed: str, offered: list[str]
) -> None:
    assert [
        word.insert for word in complete_reference(typed, len(typed), folder)
    ] == offered


def test_a_folder_that_is_not_there_has_nothing(tmp_path: Path) -> None:
    assert references_in(tmp_path / "nowhere") == []
