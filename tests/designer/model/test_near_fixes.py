"""A failure that names a field which is not there offers the near ones, and finds where
the name stands.
"""

from __future__ import annotations

from typing import Any

import pytest

from designer.model.design import Design
from designer.model.fixes.similar_names import failed_place, near_names
from runtime.document.definition import (
    DirectEdge,
    NodeDefinition,
    SwitchCase,
    SwitchEdge,
    WorkflowDefinition,
)
from runtime.errors import ConditionError
from runtime.expressions.cel import Condition
from runtime.expressions.template import Template

CASE = "message.confidense < 0.6"


def drawing() -> Design:
    nodes = (
        NodeDefinition(id="a", type="input"),
        NodeDefinition(
            id="hello",
            type="template",
            params={"text": "Hi {message.naem}, {message.naemo}"},
        ),
        NodeDefinition(id="b", type="output"),
    )
    edges = (
        SwitchEdge(
            id="sw",
            source="a",
            cases=(SwitchCase(when=CASE, target="hello"),),
            default="b",
        ),
        DirectEdge(
            id="last", source="hello", target="b", condition="message.size() > 1"
        ),
    )
    return Design(WorkflowDefinition(name="w", start="a", nodes=nodes, edges=edges), {})


def failure_of(condition: str, message: Any) -> str:
    with pytest.raises(ConditionError) as raised:
        Condition(condition)(message)
    return str(raised.value)


def test_a_condition_offers_the_near_field_of_the_message_that_failed() -> None:
    error = failure_of(CASE, {"confidence": 0.2, "name": "x"})
    assert failed_place(drawing(), "a", error) == ("sw", "cases[0].when")
    ((words, change),) = near_names(drawing(), "a", error)
    switch = change().workflow.edges[0]
    assert isinstance(switch, SwitchEdge)
    assert (words, switch.cases[0].when) == (
        "Use 'confidence'",
        "message.confidence < 0.6",
    )


def test_a_template_offers_it_in_the_node_that_failed_and_leaves_longer_names_alone() -> (
    None
):
    with pytest.raises(LookupError) as raised:
        Template("Hi {message.naem}").render({"name": "Ada"})
    error = f"Node 'hello': {raised.value}"
    assert failed_place(drawing(), "hello", error) == ("hello", "")
    ((words, change),) = near_names(drawing(), "hello", error)
    node = change().workflow.node("hello")
    assert node is not None
    assert (words, node.params["text"]) == (
        "Use 'name'",
        "Hi {message.name}, {message.naemo}",
    )


def test_nothing_is_offered_where_nothing_is_near() -> None:
    error = failure_of(CASE, {"weight": 3})
    assert "test with has(...) first" in error
    assert list(near_names(drawing(), "a", error)) == []


def test_names_are_found_in_fields_of_fields_and_in_lists() -> None:
    assert "did you mean 'licence'?" in failure_of(
        "message[0].licens == ''", [{"licence": "MIT"}]
    )
    assert "did you mean 'licence'?" in failure_of(
        "message.data.licens == ''", {"data": {"licence": "MIT"}}
    )


def test_a_failure_elsewhere_has_no_place_in_the_drawing() -> None:
    assert failed_place(drawing(), "gone", "ValueError: no") == ("", "")
