"""`stepwell help` prints the chapters of the guide, and says which it means."""

from __future__ import annotations

import pytest

from resources import guide
from tests.runtime.command_line import Stepwell


@pytest.fixture
def stepwell(capsys: pytest.CaptureFixture[str]) -> Stepwell:
    return Stepwell(capsys)


def test_without_a_chapter_it_lists_them_with_the_command_for_each(stepwell) -> None:
    said = stepwell("help")
    words = " ".join(said.out.split())
    assert said.code == 0
    assert all(
        f"{chapter.title} (stepwell help {name})" in words
        for name, chapter in guide.chapters().items()
        if name != guide.INDEX
    )


@pytest.mark.parametrize("name", guide.chapters())
def test_it_prints_every_heading_of_a_chapter_and_no_markup(stepwell, name) -> None:
    said = stepwell("help", name)
    lines = [line.strip() for line in said.out.splitlines()]
    assert said.code == 0
    assert {heading.title for heading in guide.chapters()[name].headings} <= set(lines)
    assert ".md" not in said.out
    assert "|---" not in said.out


def test_a_word_too_long_for_its_column_is_broken_and_not_cut(stepwell) -> None:
    said = stepwell("help", "edges")
    assert "…" not in said.out


@pytest.mark.parametrize(
    ("word", "answer"),
    [
        ("checkpoint", "did you mean 'checkpoints'"),
        ("xyzzy", "There is no chapter 'xyzzy'. See all: stepwell help"),
        ("run", "run is a command, not a chapter. See: stepwell run --help"),
    ],
)
def test_an_unknown_chapter_is_an_error_that_helps(stepwell, word, answer) -> None:
    said = stepwell("help", word)
    assert (said.code, said.out) == (2, "")
    assert answer in said.err
