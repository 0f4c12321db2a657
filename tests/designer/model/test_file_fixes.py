"""A file or a function that is not there: what is there by a name like it is offered,
and ends the problem.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from designer.model.design import Design
from designer.model.fixes import fixes
from runtime.checks.check import check
from runtime.document.problem import Problem
from tests.runtime.test_validation import INFOS, alone


def problems(drawing: Design, folder: Path, rule: str) -> list[Problem]:
    return [one for one in check(drawing.workflow, INFOS, folder) if one.rule == rule]


def offered(drawing: Design, folder: Path, rule: str) -> list[str]:
    (problem,) = problems(drawing, folder, rule)
    found = fixes(drawing, problem, INFOS, folder)
    for fix in found:
        assert problems(fix.design, folder, rule) == [], fix.text
    assert fixes(drawing, problem, INFOS) == [], (
        "without a folder nobody looks into one"
    )
    return [fix.text for fix in found]


@pytest.mark.parametrize(
    ("named", "there", "words"),
    [
        ("order.csv", ["orders.csv", "shop.db"], ["Use orders.csv"]),
        ("ORDERS.CSV", ["orders.csv"], ["Use orders.csv"]),
        ("data/order.csv", ["data/orders.csv", "order.csv"], ["Use data/orders.csv"]),
        ("order.csv", ["nothing like it"], []),
        ("no_folder/order.csv", ["order.csv"], []),
    ],
)
def test_a_file_by_a_name_like_it_is_offered(
    tmp_path: Path, named: str, there: list[str], words: list[str]
) -> None:
    for one in there:
        (tmp_path / one).parent.mkdir(exist_ok=True)
        (tmp_path / one).write_text("")
    assert (
        offered(Design(alone("read_file", path=named)), tmp_path, "file-there") == words
    )


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("report:wirte", ["Use report:write"]),
        ("reports:write", ["Use report:write"]),
        ("elsewhere:summarise", ["Use texts:summarise"]),
        ("nothing:at_all", []),
    ],
)
def test_a_function_by_a_name_like_it_is_offered(
    tmp_path: Path, named: str, words: list[str]
) -> None:
    (tmp_path / "report.py").write_text(
        "def write(text: str) -> str:\n    return text\n"
    )
    (tmp_path / "texts.py").write_text(
        "def summarise(text: str) -> str:\n    return text\n"
    )
    assert (
        offered(
            Design(alone("python_function", function=named)), tmp_path, "python-there"
        )
        == words
    )
