"""Merge: one map of several, with a rule for keys that several have."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.document.definition import WorkflowDefinition
from runtime.errors import NodeError
from tests.documents import build
from tests.runtime.nodes.single import outputs

ONE = {"a": 1, "in": {"x": 1, "y": 2}}
TWO = {"b": 2, "in": {"x": 9}}


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({}, {"a": 1, "b": 2, "in": {"x": 9}}),
        ({"conflict": "first"}, {"a": 1, "b": 2, "in": {"x": 1, "y": 2}}),
        ({"conflict": "all"}, {"a": 1, "b": 2, "in": [{"x": 1, "y": 2}, {"x": 9}]}),
        ({"deep": True}, {"a": 1, "b": 2, "in": {"x": 9, "y": 2}}),
        ({"deep": True, "conflict": "first"}, {"a": 1, "b": 2, "in": {"x": 1, "y": 2}}),
        (
            {"deep": True, "conflict": "all"},
            {"a": 1, "b": 2, "in": {"x": [1, 9], "y": 2}},
        ),
    ],
)
async def test_maps_become_one(
    params: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert await outputs("merge", [ONE, TWO], **params) == [expected]


async def test_different_values_are_an_error_that_names_the_way_and_equal_ones_are_none() -> (
    None
):
    with pytest.raises(
        NodeError, match=r"Node 'it': 'in.x' has different values: 1 and 9"
    ):
        await outputs("merge", [ONE, TWO], deep=True, conflict="error")
    assert await outputs("merge", [{"a": 1}, {"a": 1}], conflict="error") == [{"a": 1}]


async def test_no_maps_make_an_empty_one_and_anything_else_is_refused() -> None:
    assert await outputs("merge", []) == [{}]
    with pytest.raises(NodeError, match="item 1 of the list is of type int, not a map"):
        await outputs("merge", [{}, 5])


async def test_it_takes_what_a_join_delivers_in_the_order_of_its_sources() -> None:
    nodes = [
        {"id": "start", "type": "input"},
        {
            "id": "a",
            "type": "json_transform",
            "params": {"expression": "{'from': 'a', 'a': message}"},
        },
        {
            "id": "b",
            "type": "json_transform",
            "params": {"expression": "{'from': 'b', 'b': message}"},
        },
        {"id": "merge", "type": "merge"},
        {"id": "out", "type": "output"},
    ]
    edges = [
        {"kind": "fan_out", "id": "1", "source": "start", "targets": ["a", "b"]},
        {"kind": "fan_in", "id": "2", "sources": ["a", "b"], "target": "merge"},
        {"kind": "direct", "id": "3", "source": "merge", "target": "out"},
    ]
    workflow = build(
        WorkflowDefinition.model_validate(
            {"start": "start", "nodes": nodes, "edges": edges}
        )
    )
    assert (await workflow.run(5)).get_outputs() == [{"from": "b", "a": 5, "b": 5}]


async def test_maps_without_an_end_are_an_error_of_the_node() -> None:
    deep: Any = 1
    for _ in range(3000):
        deep = {"a": deep}
    with pytest.raises(NodeError, match="nested too deeply"):
        await outputs("merge", [deep, deep], deep=True)
