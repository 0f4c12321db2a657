"""What the drawing tells of the shape of messages, which completion offers: nothing of
it is run.
"""

from __future__ import annotations

from typing import Any

import pytest

from designer.model.completion.message_examples import UNKNOWN, arriving, sent
from designer.model.design import Design
from runtime.document.definition import (
    DirectEdge,
    FanInEdge,
    FanOutEdge,
    NodeDefinition,
    WorkflowDefinition,
)
from runtime.nodes import catalogue
from tests.documents import build

INFOS = {info.type: info for info in catalogue().infos()}


ROW = {"city": "Oslo", "celsius": -4}


def design(type: str, input: Any = ROW, **params: Any) -> Design:
    """in -> it -> out"""
    nodes = (
        NodeDefinition(id="in", type="input"),
        NodeDefinition(id="it", type=type, params=params),
        NodeDefinition(id="out", type="output"),
    )
    edges = (
        DirectEdge(id="a", source="in", target="it"),
        DirectEdge(id="b", source="it", target="out"),
    )
    return Design(WorkflowDefinition(start="in", input=input, nodes=nodes, edges=edges))


def test_what_arrives_is_the_input_of_the_run_behind_nodes_that_pass_it_on() -> None:
    assert arriving(design("log"), "it", INFOS) == ROW
    assert arriving(design("log"), "out", INFOS) == ROW
    assert arriving(design("json_transform"), "out", INFOS) is UNKNOWN
    assert arriving(design("no-such-type"), "out", INFOS) is UNKNOWN


def test_a_join_gets_a_list_in_the_order_of_its_sources() -> None:
    nodes = [
        NodeDefinition(id=one, type=type)
        for one, type in (("s", "input"), ("a", "template"), ("b", "counter"))
    ]
    nodes.append(NodeDefinition(id="j", type="merge"))
    edges = (
        FanOutEdge(id="f", source="s", targets=("a", "b")),
        FanInEdge(id="j", sources=("b", "a"), target="j"),
    )
    made = Design(
        WorkflowDefinition(start="s", input=1, nodes=tuple(nodes), edges=edges)
    )
    assert arriving(made, "j", INFOS) == [{"count": 1, "message": 1}, ""]


def test_a_loop_has_an_end() -> None:
    nodes = (NodeDefinition(id="a", type="switch"), NodeDefinition(id="b", type="log"))
    edges = (
        DirectEdge(id="1", source="a", target="b"),
        DirectEdge(id="2", source="b", target="a"),
    )
    assert (
        arriving(
            Design(WorkflowDefinition(start="a", nodes=nodes, edges=edges)), "a", INFOS
        )
        is UNKNOWN
    )


def keys(value: Any) -> Any:
    """The shape of a value, by which an example is compared with a message."""
    if isinstance(value, dict):
        return {key: keys(one) for key, one in value.items()}
    return type(value).__name__


@pytest.mark.parametrize(
    ("type", "params", "input"),
    [
        ("counter", {}, ROW),
        ("counter", {"send": "count"}, ROW),
        ("counter", {"send": "message"}, ROW),
        ("loop_guard", {"then": "route"}, ROW),
        ("for_each", {"numbered": True}, [ROW]),
        ("for_each", {}, [ROW]),
        ("batch", {"source": "messages", "size": 1}, ROW),
        ("template", {}, ROW),
        ("collect", {"into": "text"}, ["a"]),
        ("collect", {"into": "sum"}, [1]),
        (
            "get_state",
            {"key": "k", "send": "field", "missing": "default", "default": 1},
            ROW,
        ),
        (
            "get_state",
            {"key": "k", "send": "both", "missing": "default", "default": 1},
            ROW,
        ),
        ("shell_command", {"program": "true", "whole_result": True}, ROW),
    ],
)
async def test_an_example_has_the_shape_of_what_is_really_sent(
    type: str, params: dict[str, Any], input: Any
) -> None:
    made = design(type, input, **params)
    (message,) = (await build(made.workflow).run(input)).get_outputs()
    expected = keys(message)
    found = keys(sent(made, "it", INFOS))
    if isinstance(found, dict):
        unknown = {key for key, kind in found.items() if kind == "object"}
    else:
        unknown = set()
    assert found == (
        {**expected, **dict.fromkeys(unknown, "object")} if unknown else expected
    )
