"""Quick fixes of ways of sub-workflows that lead nowhere, and of reducers: each ends
the problem that it is for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from designer.model.design import Design
from designer.model.fixes import fixes
from runtime.checks.check import check
from runtime.document.definition import WorkflowDefinition
from tests.runtime.test_ways_of_sub_workflows import INFOS, WAYS, outer, ways_of


@pytest.mark.parametrize(
    ("params", "offered"),
    [
        ({"entries": {"a": "gone", "b": "d"}}, ["Remove the way in from a"]),
        (
            {"entries": {"e": "d", "b": "d"}},
            ["Connect e to s", "Remove the way in from e"],
        ),
        ({"entries": {"left": "d", "b": "d"}}, ["Remove the way in from left"]),
        ({"exits": {"gone": ["e"]}}, ["Remove the way out of gone"]),
        (
            {"exits": {"o1": ["e", "a"]}},
            ["Connect s to a", "Remove the way from o1 to a"],
        ),
        ({"exits": {"o1": ["a"]}}, ["Connect s to a", "Remove the way from o1 to a"]),
    ],
)
def test_each_quick_fix_of_a_way_ends_its_problem(
    params: Any, offered: list[str]
) -> None:
    drawn = outer(**{**WAYS, **params})
    (problem,) = ways_of(check(drawn, INFOS))
    found = fixes(Design(drawn), problem, INFOS)
    assert [one.text for one in found] == offered
    assert [ways_of(check(one.design.workflow, INFOS)) for one in found] == [
        [] for _ in offered
    ]


def reducing(text: str) -> WorkflowDefinition:
    return outer(**WAYS).model_copy(
        update={"reducers": {"kept": "operator:add", "total": text}}
    )


def test_a_reducer_that_names_no_function_can_be_removed() -> None:
    drawn = reducing("add")
    (problem,) = [one for one in check(drawn, INFOS) if one.rule == "reducer-named"]
    assert (problem.severity, problem.location, problem.part) == (
        "error",
        "",
        "reducers.total",
    )
    (fix,) = fixes(Design(drawn), problem, INFOS)
    assert (fix.text, fix.design.workflow.reducers) == (
        "Remove the reducer of total",
        {"kept": "operator:add"},
    )


def test_a_reducer_that_is_not_there_is_told_and_what_is_like_it_is_offered(
    tmp_path: Path,
) -> None:
    (tmp_path / "sums.py").write_text(
        "def longest(a, b): ...\nraise SystemExit('imported')\n"
    )
    drawn = reducing("sums:longer")
    (problem,) = [
        one for one in check(drawn, INFOS, tmp_path) if one.part == "reducers.total"
    ]
    assert (problem.severity, problem.rule, problem.location) == (
        "warning",
        "python-there",
        "",
    )
    assert (
        problem.message
        == "The reducer of 'total' names 'longer', but the module 'sums' does not define it"
    )
    (fix,) = fixes(Design(drawn), problem, INFOS, tmp_path)
    assert fix.text == "Use sums:longest"
    assert not [
        one
        for one in check(fix.design.workflow, INFOS, tmp_path)
        if one.part == "reducers.total"
    ]


def test_a_reducer_of_a_workflow_in_python_is_looked_for_as_its_workflow(
    tmp_path: Path,
) -> None:
    (tmp_path / "flows.py").write_text("flow = 1\n")
    parts = {
        text: [
            one.part
            for one in check(reducing(text), INFOS, tmp_path)
            if one.part.startswith("reducers")
        ]
        for text in ("flows:flow#total", "flows:gone#total")
    }
    assert parts == {"flows:flow#total": [], "flows:gone#total": ["reducers.total"]}
