"""Importing again follows the code, and keeps everything that the code does not have."""

from __future__ import annotations

from typing import Any

from designer.model.design import Design
from designer.model.diff import diff
from designer.model.reimport import reference_of, reimported
from runtime.document.definition import DirectEdge, NodeDefinition, WorkflowDefinition


def linked(
    *ids: str, reference: str = "flows:workflow", **face: Any
) -> tuple[NodeDefinition, ...]:
    return tuple(
        NodeDefinition(
            id=id, type="python_executor", params={"workflow": reference}, **face
        )
        for id in ids
    )


EDGE = DirectEdge(id="e", source="a", target="b")
OLD = Design(
    WorkflowDefinition(
        start="a",
        nodes=linked("a", "b", name="Mine", icon="flag", note=7),
        edges=(EDGE,),
        input=3,
    ),
    {"a": (0.0, 0.0), "b": (600.0, 40.0)},
    {"owner": "me"},
    {"frames": [1]},
    {"e": {"": ((100.0, 100.0),)}, "gone": {"": ((1.0, 1.0),)}},
)


def test_what_did_not_change_in_the_code_changes_nothing() -> None:
    new = Design(WorkflowDefinition(start="a", nodes=linked("a", "b"), edges=(EDGE,)))
    found = diff(OLD, reimported(OLD, new))
    assert (
        found.nodes_changed
        | found.nodes_moved
        | found.nodes_added
        | found.nodes_removed
        == frozenset()
    )
    assert reimported(OLD, new).workflow == OLD.workflow


def test_names_places_input_and_unknown_fields_stay_and_the_code_decides_about_the_rest() -> (
    None
):
    edge = DirectEdge(id="f", source="b", target="c", condition="message > 1")
    new = Design(
        WorkflowDefinition(
            name="flows", start="b", nodes=linked("b", "c"), edges=(edge,)
        )
    )
    made = reimported(OLD, new)
    assert [(node.id, node.name) for node in made.workflow.nodes] == [
        ("b", "Mine"),
        ("c", ""),
    ]
    assert (made.workflow.input, made.workflow.start, made.workflow.edges) == (
        3,
        "b",
        (edge,),
    )
    assert made.workflow.nodes[0].model_extra == {"note": 7}
    assert made.positions["b"] == (600.0, 40.0)
    assert made.positions.keys() == {"b", "c"}
    assert made.positions["c"] != made.positions["b"]
    assert (made.extra, made.layout_extra, made.dots) == (
        OLD.extra,
        OLD.layout_extra,
        {},
    )


def test_a_document_is_linked_to_one_workflow_or_to_none() -> None:
    assert reference_of(OLD) == "flows:workflow"
    assert reference_of(Design()) == ""
    both = (*linked("a"), *linked("b", reference="other:workflow"))
    assert reference_of(Design(WorkflowDefinition(nodes=both))) == ""
