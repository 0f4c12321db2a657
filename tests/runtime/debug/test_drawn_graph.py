"""The graph of a workflow made in code can be drawn: from data alone, with its ways,
joins and conditions.
"""

from __future__ import annotations

import pytest

from runtime import (
    Case,
    Default,
    Executor,
    Workflow,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    handler,
)
from runtime.debug.graphs.drawn import drawn_definition
from runtime.document.definition import WorkflowDefinition, WorkflowFile
from runtime.graph.signature import graph_of


class Number(Executor):
    @handler
    async def number(self, number: int, ctx: WorkflowContext[int]) -> None: ...


class Numbers(Executor):
    @handler
    async def numbers(
        self, numbers: list[int], ctx: WorkflowContext[None, int]
    ) -> None: ...


def is_large(number: int) -> bool:
    return number > 3


def workflow() -> Workflow:
    a, b, c, d, e = (Number(name) for name in "abcde")
    builder = (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, [b, c])
        .add_edge(b, d, condition=is_large)
    )
    builder.add_switch_case_edge_group(
        c, [Case(condition=is_large, target=d), Default(target=e)]
    )
    return builder.add_fan_in_edges([d, e], Numbers("sum")).build()


def test_a_workflow_inside_is_drawn_in_its_node() -> None:
    child = WorkflowBuilder(start_executor=Number("inner")).build()
    outer = WorkflowBuilder(start_executor=WorkflowExecutor(child, id="sub")).build()
    drawn = WorkflowDefinition.model_validate(drawn_definition(graph_of(outer)))
    (node,) = drawn.nodes
    inline = WorkflowFile.model_validate(node.params["inline"])
    assert node.type == "sub_workflow"
    assert [inner.id for inner in inline.workflow.nodes] == ["inner"]


def test_every_way_of_the_graph_is_drawn() -> None:
    built = workflow()
    drawn = WorkflowDefinition.model_validate(drawn_definition(graph_of(built)))
    assert [(node.id, node.type) for node in drawn.nodes] == [
        (one.id, one.type) for one in built.executors.values()
    ]
    expected = {
        (edge.source_id, edge.target_id)
        for group in built.edge_groups
        for edge in group.edges
    }
    assert {pair for edge in drawn.edges for pair in edge.pairs} == expected
    assert [edge.kind for edge in drawn.edges] == [
        "fan_out",
        "direct",
        "switch",
        "fan_in",
    ]
    assert drawn.edges[1].condition == f"py:{is_large.__module__}.is_large"
    assert drawn.edges[2].default == "e"


@pytest.mark.parametrize(
    "graph",
    [None, 5, {}, {"start": "a", "executors": [{}], "edges": []}, {"start": "a"}],
)
def test_what_is_no_graph_is_not_drawn(graph: object) -> None:
    assert drawn_definition(graph) is None


def test_a_kind_of_edge_that_is_not_known_is_drawn_as_plain_ways() -> None:
    graph = {
        "start": "a",
        "executors": [{"id": "a"}],
        "edges": [{"id": "x", "kind": "new", "pairs": [["a", "a"]]}],
    }
    drawn = WorkflowDefinition.model_validate(drawn_definition(graph))
    assert [edge.pairs for edge in drawn.edges] == [(("a", "a"),)]
