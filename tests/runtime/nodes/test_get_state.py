"""Get state: a value of the shared state, alone, in the message, or beside it."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.document.definition import WorkflowDefinition
from runtime.errors import NodeError
from tests.documents import build
from tests.runtime.nodes.single import outputs


async def after_set(message: Any, **params: Any) -> list[Any]:
    """The message sets `draft` to "old" and goes to the node."""
    nodes = [
        {
            "id": "set",
            "type": "set_state",
            "params": {"key": "draft", "value": "'old'"},
        },
        {"id": "it", "type": "get_state", "params": params},
        {"id": "out", "type": "output"},
    ]
    edges = [
        {"kind": "direct", "id": "a", "source": "set", "target": "it"},
        {"kind": "direct", "id": "b", "source": "it", "target": "out"},
    ]
    workflow = build(
        WorkflowDefinition.model_validate(
            {"start": "set", "nodes": nodes, "edges": edges}
        )
    )
    return (await workflow.run(message)).get_outputs()


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({}, "old"),
        ({"send": "both"}, {"message": {"id": "draft"}, "value": "old"}),
        ({"send": "field"}, {"id": "draft", "draft": "old"}),
        ({"send": "field", "field": "text"}, {"id": "draft", "text": "old"}),
        ({"key": "{message.id}"}, "old"),
    ],
)
async def test_the_value_is_sent_as_chosen(
    params: dict[str, Any], expected: Any
) -> None:
    assert await after_set({"id": "draft"}, **{"key": "draft", **params}) == [expected]


async def test_a_missing_key_is_an_error_that_names_what_is_there_or_the_default() -> (
    None
):
    with pytest.raises(
        NodeError, match=r"Node 'it': the shared state has no 'text'; it has: draft"
    ):
        await after_set(1, key="text")
    assert await outputs(
        "get_state", 1, key="text", missing="default", default=[0]
    ) == [[0]]
    assert await after_set(1, key="draft", missing="default", default=[0]) == ["old"]


async def test_a_message_that_is_no_map_takes_no_field() -> None:
    with pytest.raises(
        NodeError,
        match=r"is of type int and no map, so it takes no field. Choose 'both'",
    ):
        await after_set(1, key="draft", send="field")
