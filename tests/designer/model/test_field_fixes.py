"""A field that nobody reads is taken for the one that was meant, or removed; all else
stays as it was.
"""

from __future__ import annotations

from typing import Any

import pytest

from designer.model.design import Design
from designer.model.fixes import fixes
from runtime.checks.check import check
from runtime.document.definition import WorkflowDefinition

RAW: dict[str, Any] = {
    "start": "a",
    "nodes": [{"id": "a", "type": "input"}, {"id": "b", "type": "output"}],
    "edges": [
        {
            "kind": "switch",
            "id": "s",
            "source": "a",
            "cases": [{"when": "true", "target": "b"}],
            "default": "b",
        }
    ],
}


def offered(change: Any) -> tuple[list[str], list[dict[str, Any]]]:
    """The words of the fixes, and the documents that they make."""
    raw = WorkflowDefinition.model_validate(RAW).model_dump(mode="json")
    change(raw)
    design = Design(WorkflowDefinition.model_validate(raw))
    [problem] = [
        one
        for one in check(design.workflow)
        if one.rule in ("field-known", "policy-has-effect")
    ]
    found = fixes(design, problem, {})
    return [fix.text for fix in found], [
        fix.design.workflow.model_dump(mode="json") for fix in found
    ]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda raw: raw["nodes"][0].update(time_out=5),
            ["Take it for 'timeout'", "Remove 'time_out'"],
        ),
        # the value does not fit
        (lambda raw: raw["nodes"][0].update(timeouts="soon"), ["Remove 'timeouts'"]),
        (lambda raw: raw["nodes"][0].update(colour="red"), ["Remove 'colour'"]),
        (
            lambda raw: raw.update(timeouts=5),
            ["Take it for 'timeout'", "Remove 'timeouts'"],
        ),
        # attempts is there
        (
            lambda raw: raw["nodes"][0].update(retry={"attempt": 3}),
            ["Remove 'attempt'"],
        ),
        (lambda raw: raw["edges"][0]["cases"][0].update(whem="x"), ["Remove 'whem'"]),
    ],
)
def test_what_was_meant_is_offered_where_it_fits(change: Any, words: list[str]) -> None:
    found, documents = offered(change)
    assert found == words
    removed = documents[-1]
    removed["nodes"][0].pop("retry", None)
    assert removed == WorkflowDefinition.model_validate(RAW).model_dump(mode="json")


def test_the_value_moves_to_the_field_that_was_meant() -> None:
    _, (taken, _) = offered(lambda raw: raw["nodes"][0].update(time_out=5))
    assert taken["nodes"][0]["timeout"] == 5
    assert "time_out" not in taken["nodes"][0]


def test_a_policy_without_effect_is_removed() -> None:
    words, (document,) = offered(
        lambda raw: raw["nodes"][0].update(type="sub_workflow", timeout=5)
    )
    assert words == ["Remove retry and time limit"]
    assert "timeout" not in document["nodes"][0]
