"""Several ways into a sub-workflow and out of it: by sender, and by the output inside."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from runtime.checks.check import check
from runtime.document.definition import (
    DirectEdge,
    FanInEdge,
    NodeDefinition,
    WorkflowDefinition,
)
from runtime.document.problem import Problem
from runtime.document.sub_workflows import info_of
from runtime.errors import DefinitionError
from runtime.nodes import catalogue
from tests.documents import build

INFOS = {info.type: info for info in catalogue().infos()}


def edge(source: str, target: str) -> DirectEdge:
    return DirectEdge(id=f"{source}->{target}", source=source, target=target)


def step(node_id: str) -> NodeDefinition:
    return NodeDefinition(
        id=node_id, type="template", params={"text": f"{node_id}({{message}})"}
    )


INNER = WorkflowDefinition(
    start="c",
    nodes=(
        step("c"),
        step("d"),
        NodeDefinition(id="o1", type="output"),
        NodeDefinition(id="o2", type="output"),
    ),
    edges=(edge("c", "o1"), edge("d", "o2")),
)


def outer(**params: Any) -> WorkflowDefinition:
    """a and b send into the sub-workflow, e and f get what comes out of it."""
    inline = {"format": 1, "workflow": INNER.model_dump(mode="json")}
    sub = NodeDefinition(
        id="s", type="sub_workflow", params={"inline": inline, **params}
    )
    ends = tuple(NodeDefinition(id=f"out_{one}", type="output") for one in "ef")
    pairs = ("xa", "xb", "as", "bs", "se", "sf")
    edges = (
        *(edge(pair[0], pair[1]) for pair in pairs),
        edge("e", "out_e"),
        edge("f", "out_f"),
    )
    start = NodeDefinition(id="x", type="input")
    return WorkflowDefinition(
        start="x",
        nodes=(start, *map(step, "ab"), sub, *map(step, "ef"), *ends),
        edges=edges,
    )


WAYS = {"entries": {"a": "c", "b": "d"}, "exits": {"o1": ["e"], "o2": ["f"]}}


def outputs(definition: WorkflowDefinition) -> list[Any]:
    async def run() -> Any:
        return (await build(definition).run("m")).get_outputs()

    return sorted(asyncio.run(run()))


def test_messages_enter_by_their_sender_and_leave_by_their_output() -> None:
    assert outputs(outer(**WAYS)) == ["e(c(a(m)))", "f(d(b(m)))"]


def test_without_a_way_out_an_output_sends_along_all_edges_and_without_a_way_in_one_enters_at_the_start() -> (
    None
):
    assert outputs(outer(entries={"b": "d"})) == [
        "e(c(a(m)))",
        "e(d(b(m)))",
        "f(c(a(m)))",
        "f(d(b(m)))",
    ]


def test_an_output_without_a_way_of_its_own_is_a_result_if_outputs_are() -> None:
    params = {"entries": WAYS["entries"], "exits": {"o1": ["e"]}, "direct_output": True}
    assert outputs(outer(**params)) == ["d(b(m))", "e(c(a(m)))"]


def test_other_ways_are_another_graph() -> None:
    one = build(outer(**WAYS))
    other = build(outer(**{**WAYS, "entries": {"a": "d", "b": "c"}}))
    assert one.signature() != other.signature()
    assert build(outer(entries=WAYS["entries"])).signature() != one.signature()
    assert build(outer(**WAYS)).signature() == one.signature()


@pytest.mark.parametrize(
    ("params", "severity", "words", "part"),
    [
        (
            {"entries": {"a": "gone", "b": "d"}},
            "error",
            "enter at 'gone', but that node is no longer inside",
            "entries.a",
        ),
        ({"entries": {"e": "d", "b": "d"}}, "warning", "no edge from it", "entries.e"),
        ({"exits": {"gone": ["e"]}}, "error", "is not inside any more", "exits.gone"),
        ({"exits": {"o1": ["e", "a"]}}, "error", "no edge leads there", "exits.o1[1]"),
    ],
)
def test_a_way_that_leads_nowhere_is_a_problem(
    params: Any, severity: str, words: str, part: str
) -> None:
    found = ways_of(check(outer(**{**WAYS, **params}), INFOS))
    assert [
        (one.severity, words in one.message, bool(one.remedy), one.part)
        for one in found
    ] == [(severity, True, True, f"params.{part}")]


def ways_of(problems: list[Problem]) -> list[Problem]:
    return [
        one
        for one in problems
        if one.part.startswith(("params.entries.", "params.exits."))
    ]


def test_a_way_to_nothing_inside_is_refused_when_it_is_built() -> None:
    with pytest.raises(DefinitionError, match="names 'gone', which is not inside"):
        build(outer(entries={"a": "gone", "b": "d"}))


def test_ports_take_what_all_ways_in_take_and_give_what_all_ways_out_give() -> None:
    node = outer(**WAYS).node("s")
    assert node is not None
    info = info_of(node, INFOS)
    assert info is not None
    assert info.outputs == ("str",)
    direct = info_of(
        node.model_copy(
            update={"params": {**node.params, "exits": {}, "direct_output": True}}
        ),
        INFOS,
    )
    assert direct is not None
    assert direct.outputs == ()


def test_a_join_of_messages_that_enter_in_different_ways_can_never_fill() -> None:
    params = dict(outer(**WAYS).node("s").params)  # type: ignore[union-attr]
    inner = INNER.model_copy(
        update={
            "edges": (
                FanInEdge(id="j", sources=("c", "d"), target="o1"),
                edge("d", "o2"),
            )
        }
    )
    params["inline"] = {"format": 1, "workflow": inner.model_dump(mode="json")}
    found = [
        one for one in check(outer(**params), INFOS) if "join" in one.message.lower()
    ]
    assert ("s", ("j",)) in [(one.location, one.inside) for one in found]
