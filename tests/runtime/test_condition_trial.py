"""Trying a value says what a run would do with it, and runs no code of the document."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.checks.try_conditions import try_value
from runtime.document.definition import (
    DirectEdge,
    FanOutEdge,
    MultiSelectionEdge,
    Selection,
    SwitchCase,
    SwitchEdge,
)


def switch(*conditions: str) -> SwitchEdge:
    cases = tuple(
        SwitchCase(when=when, target=f"t{at}") for at, when in enumerate(conditions)
    )
    return SwitchEdge(id="s", source="a", cases=cases, default="rest")


def answers(edge: Any, value: Any) -> list[str]:
    return [outcome.answer for outcome in try_value(edge, value).outcomes]


def test_the_first_case_that_is_true_is_taken_and_every_case_answers() -> None:
    trial = try_value(switch("message > 9", "message > 3", "message > 1"), 5)
    assert [outcome.answer for outcome in trial.outcomes] == ["false", "true", "true"]
    assert (trial.targets, trial.case) == (("t1",), 1)


def test_no_case_leads_to_the_default() -> None:
    trial = try_value(switch("message > 9"), 5)
    assert (trial.targets, trial.case) == (("rest",), None)


def test_a_case_that_fails_before_one_is_true_leaves_nothing_to_say() -> None:
    trial = try_value(switch("message.score > 1", "true"), {})
    assert (trial.targets, trial.blamed) == (None, 0)
    assert "no field score" in trial.outcomes[0].reason
    assert try_value(switch("true", "message.score > 1"), {}).targets == ("t0",)


def test_a_condition_in_python_is_not_called_and_an_empty_case_is_an_error() -> None:
    assert answers(switch("py:os:abort", ""), 1) == ["unknown", "error"]


def test_what_is_too_costly_here_is_not_evaluated() -> None:
    trial = try_value(
        switch("message.all(x, message.all(y, x == y))"), [1] * 1000, most=10_000
    )
    assert trial.outcomes[0].answer == "unknown"


def test_every_way_of_a_multi_selection_that_is_true_is_taken() -> None:
    ways = (
        Selection(target="b"),
        Selection(target="c", when="message > 3"),
        Selection(target="d", when="message > 9"),
    )
    assert try_value(
        MultiSelectionEdge(id="m", source="a", selections=ways), 5
    ).targets == ("b", "c")


@pytest.mark.parametrize(
    ("condition", "targets"), [("", ("b",)), ("message", ()), ("!message", ("b",))]
)
def test_a_direct_edge_lets_through_what_its_condition_says(
    condition: str, targets: tuple[str, ...]
) -> None:
    assert (
        try_value(
            DirectEdge(id="d", source="a", target="b", condition=condition), value=False
        ).targets
        == targets
    )


def test_a_group_without_conditions_cannot_be_tried() -> None:
    with pytest.raises(TypeError, match="no conditions"):
        try_value(FanOutEdge(id="f", source="a", targets=("b", "c")), 1)
