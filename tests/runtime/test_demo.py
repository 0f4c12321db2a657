"""The demo in the terminal: everything that it promises is there, in any width, and it
ends well.
"""

from __future__ import annotations

import re

import pytest

from resources import examples
from runtime.cli import report
from runtime.cli.demo import print_graph, run_demo
from runtime.document.files import read_file


@pytest.mark.parametrize("width", [80, 120])
def test_the_demo_shows_join_question_fork_and_both_outcomes_in_lines_that_fit(
    capsys, monkeypatch, width
) -> None:
    monkeypatch.setattr(report.out, "width", width)
    assert run_demo() == 0
    said = capsys.readouterr()
    assert said.err == ""
    for words in (
        "join of 3 ▸ Route by licence",
        "join into route_by_licence  2 of 3, waits for rank_by_reach",
        "May these packages ship?",
        "answer: approve",
        "answer: replace — We ship closed source.",
        "- **approve**",
        "+ **replace**: We ship closed source.",
        "15 checkpoints, 2 branches",
    ):
        assert words in said.out
    # then, and again after the fork
    assert said.out.count("2 of 3, waits for rank_by_reach") == 2
    assert re.search(
        r"● s3 .*2 held by joins  ◀\n *│   └── what if  fork of s3 \w{8}\n", said.out
    )
    assert max(map(len, said.out.splitlines())) <= width
    assert not any(line != line.rstrip() for line in said.out.splitlines())


def test_a_graph_with_loops_is_drawn_once(capsys) -> None:
    path = next(example.path for example in examples() if example.name == "review_loop")
    print_graph(read_file(path).workflow)
    out = capsys.readouterr().out
    assert out.startswith("Draft\n")
    assert "(above)" in out
