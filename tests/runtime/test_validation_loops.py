"""Loops without an exit, nodes that lead to themselves, and limits that are too low."""

from __future__ import annotations

import pytest

from runtime.checks.check import check
from runtime.document.definition import WorkflowDefinition
from runtime.errors import WorkflowConvergenceException
from tests.documents import build
from tests.runtime.test_validation import (
    INFOS,
    Edges,
    fan_out,
    found,
    go,
    switch,
    workflow,
)

ROUND = {"when": "true", "target": "a"}
BY_CASE = workflow(
    [{"kind": "switch", "source": "a", "cases": [ROUND], "default": "out"}]
)
DIRECT = workflow(go("a", "a"))


def test_case_175_loops_of_one_node_are_reported_for_a_case_of_a_switch_and_for_a_plain_edge() -> (
    None
):
    (by_case,) = found(BY_CASE, "self-loop")
    assert by_case.message == "a leads to itself, by case 1: for at most 100 supersteps"
    assert by_case.location == "e0"
    (direct,) = found(DIRECT, "loop-has-exit")
    assert "a goes round until the limit" in direct.message
    (conditional,) = found(
        workflow([*go("a", "a", condition="message != ''"), *go("a", "out")]),
        "self-loop",
    )
    assert "when its condition is true" in conditional.message


@pytest.mark.parametrize("definition", [BY_CASE, DIRECT], ids=["by a case", "direct"])
async def test_case_175_both_are_bounded_by_the_limit(
    definition: WorkflowDefinition,
) -> None:
    bounded = definition.model_copy(update={"max_supersteps": 5})
    with pytest.raises(WorkflowConvergenceException):
        await build(bounded).run("x")


def test_case_175_a_loop_that_is_reported_as_endless_is_not_reported_twice() -> None:
    assert found(DIRECT, "self-loop") == []


@pytest.mark.parametrize(
    "edges",
    [
        pytest.param(
            [switch("a", "b", "c"), *go("b", "a"), *go("c", "a")],
            id="all ways of a switch lead back",
        ),
        pytest.param([fan_out("a", "b", "out"), *go("b", "a")], id="beside an output"),
        pytest.param(
            [switch("a", "b", "c"), switch("b", "a", "c"), switch("c", "a", "b")],
            id="only switches",
        ),
    ],
)
def test_a_loop_that_every_way_leads_back_into_has_no_exit(edges: Edges) -> None:
    (problem,) = found(workflow(edges), "loop-has-exit")
    assert problem.location == "a"


def test_a_limit_that_the_shortest_way_is_too_long_for_is_told_with_what_is_needed() -> (
    None
):
    chain = go(*(["a"] + [f"n{at}" for at in range(7)]), "out")
    assert found(workflow(chain, max_supersteps=9), "limit-suffices") == []
    (problem,) = found(workflow(chain, max_supersteps=8), "limit-suffices")
    assert (
        problem.message == "out runs in superstep 9 at the earliest, and the limit is 8"
    )
    assert problem.remedy == "Set the limit of supersteps to 9 or more."
    assert problem.part == "max_supersteps"


async def test_the_limit_that_is_asked_for_is_enough_and_one_less_is_not() -> None:
    chain = go("a", "b", "out")
    assert (await build(workflow(chain, max_supersteps=3)).run("x")).get_outputs() == [
        "x"
    ]
    with pytest.raises(WorkflowConvergenceException):
        await build(workflow(chain, max_supersteps=2)).run("x")


def test_sound_loops_have_no_problem() -> None:
    assert check(workflow([switch("a", "b", "out"), *go("b", "a")]), INFOS) == []
