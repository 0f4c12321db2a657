"""Mermaid and DOT of workflow files: any id, names as labels, half-finished documents,
and no code that is imported.
"""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources import Example, examples
from runtime.document.definition import (
    DirectEdge,
    FanInEdge,
    MultiSelectionEdge,
    NodeDefinition,
    Selection,
    SwitchCase,
    SwitchEdge,
    WorkflowDefinition,
)
from runtime.document.files import read_file
from runtime.export.dot import to_dot
from runtime.export.mermaid import to_mermaid
from runtime.export.picture_document import picture_of_document
from runtime.export.picture_graph import proper
from tests.runtime.viz.grammars import read_dot, read_mermaid

BOTH = pytest.mark.parametrize(
    ("write", "read"), [(to_mermaid, read_mermaid), (to_dot, read_dot)]
)
IDS = [
    "2. wenn < 50",
    "入力",
    'a"b',
    "end",
    "graph",
    "two\nlines",
    "a\\",
    "subgraph",
    "a b",
    "a_b",
    "style",
]


def line_of(ids: list[str]) -> WorkflowDefinition:
    nodes = [NodeDefinition(id=id, type="template") for id in ids]
    edges = [
        DirectEdge(id=f"e{at}", source=ids[at - 1], target=ids[at])
        for at in range(1, len(ids))
    ]
    return WorkflowDefinition(start=ids[0], nodes=nodes, edges=edges)


def lines_of(graph: Any) -> set[tuple[str, str, str]]:
    return {
        (graph.nodes[source], label, graph.nodes[target])
        for source, label, target in graph.lines
    }


@BOTH
def test_case_150_a_document_with_any_ids_is_taken_and_its_ids_are_shown(
    write: Any, read: Any
) -> None:
    graph = read(write(picture_of_document(line_of(IDS))))
    assert [
        label.split(" (Start)")[0].split("\n(Start)")[0]
        for label in graph.nodes.values()
    ] == [proper(id) for id in IDS]
    assert len(graph.lines) == len(IDS) - 1


@BOTH
@given(
    st.lists(
        st.text(min_size=1, max_size=5) | st.sampled_from(IDS),
        min_size=1,
        max_size=8,
        unique=True,
    )
)
def test_case_150_the_ids_of_a_document_stay_apart(
    write: Any, read: Any, ids: list[str]
) -> None:
    graph = read(write(picture_of_document(line_of(ids))))
    assert (len(graph.nodes), len(graph.lines)) == (len(ids), len(ids) - 1)


@BOTH
def test_case_150_labels_show_the_names_that_people_gave(write: Any, read: Any) -> None:
    node = NodeDefinition(id="n1", type="template", name='Ask "them" | 確認')
    graph = read(write(picture_of_document(WorkflowDefinition(nodes=[node]))))
    assert list(graph.nodes.values()) == ['Ask "them" | 確認']


@BOTH
def test_a_picture_of_a_document_tells_conditions_cases_and_policies(
    write: Any, read: Any
) -> None:
    ids = ["a", "b", "c"]
    definition = WorkflowDefinition(
        nodes=[NodeDefinition(id=id, type="template") for id in ids],
        edges=[
            DirectEdge(id="1", source="a", target="b", condition='message == "x"'),
            FanInEdge(id="2", sources=("a", "b"), target="c", policy="count", count=1),
            SwitchEdge(
                id="3",
                source="b",
                cases=(SwitchCase(name="big", when="message > 1", target="a"),),
                default="c",
            ),
            MultiSelectionEdge(
                id="4",
                source="c",
                selections=(
                    Selection(target="a"),
                    Selection(target="b", when="message < 2"),
                ),
            ),
        ],
    )
    assert lines_of(read(write(picture_of_document(definition)))) == {
        ("a", 'message == "x"', "b"),
        *((one, "", "fan-in (1 of 2)") for one in "ab"),
        ("fan-in (1 of 2)", "", "c"),
        ("b", "", "switch"),
        ("switch", "1. big: message > 1", "a"),
        ("switch", "default", "c"),
        ("c", "", "any of"),
        ("any of", "", "a"),
        ("any of", "message < 2", "b"),
    }


@BOTH
def test_a_half_finished_document_has_a_picture(write: Any, read: Any) -> None:
    edge = DirectEdge(id="e", source="a", target="gone", condition="message >")
    definition = WorkflowDefinition(
        start="nowhere",
        nodes=[NodeDefinition(id="a", type="no.such")],
        edges=[edge, edge],
    )
    graph = read(write(picture_of_document(definition)))
    assert list(graph.nodes.values()) == ["a", "gone (missing)"]
    assert read(write(picture_of_document(WorkflowDefinition()))).nodes == {}


@BOTH
@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
def test_examples_have_a_picture_and_their_code_is_not_imported(
    write: Any, read: Any, example: Example
) -> None:
    definition = read_file(example.path).workflow
    before = set(sys.modules)
    graph = read(write(picture_of_document(definition)))
    assert {node.title for node in definition.nodes} <= {
        label.split(" (Start)")[0].split("\n(Start)")[0]
        for label in graph.nodes.values()
    }
    assert not {module.stem for module in example.path.parent.glob("*.py")} & (
        set(sys.modules) - before
    )


@BOTH
def test_a_workflow_inside_of_a_node_is_drawn_in_it_and_a_broken_one_is_a_box(
    write: Any, read: Any
) -> None:
    inner = {"workflow": line_of(["a", "b"]).model_dump(mode="json")}
    nodes = [
        NodeDefinition(
            id="a", type="sub_workflow", name="Team", params={"inline": inner}
        ),
        NodeDefinition(id="b", type="sub_workflow", params={"inline": {"workflow": 3}}),
    ]
    text = write(picture_of_document(WorkflowDefinition(start="b", nodes=nodes)))
    assert "sub-workflow: Team" in text
    shown = list(read(text).nodes.values())
    assert sorted(label.split(" (")[0].split("\n(")[0] for label in shown) == [
        "Team",
        "a",
        "b",
        "b",
    ]


@BOTH
def test_a_node_that_is_off_says_so(write: Any, read: Any) -> None:
    definition = line_of(["a", "b"])
    off = definition.nodes[1].model_copy(update={"off": "bypassed"})
    definition = definition.model_copy(update={"nodes": (definition.nodes[0], off)})
    assert "b (bypassed)" in write(picture_of_document(definition))
    read(write(picture_of_document(definition)))
