"""A breakpoint is verified, or says why it can never be hit."""

from __future__ import annotations

import pytest

from runtime.debug.breakpoints.verification import drawn, fault_of
from runtime.debug.protocol import Breakpoint
from runtime.document.definition import WorkflowDefinition
from tests.runtime.debug.graphs import LOST_JOIN

WITH_INSIDE = {
    "graph": {
        "start": "outer",
        "executors": [
            {
                "id": "outer",
                "workflow": {
                    "start": "inner",
                    "executors": [{"id": "inner"}],
                    "edges": [],
                },
            }
        ],
        "edges": [],
    }
}


def of(workflow: WorkflowDefinition) -> dict[str, object]:
    return {"workflow": workflow.model_dump(mode="json"), "folder": ""}


def fault(kind: str, where: str = "", **more: object) -> str:
    breakpoint = Breakpoint.model_validate(
        {"id": "1", "kind": kind, "where": where, **more}
    )
    return fault_of(breakpoint, drawn(of(LOST_JOIN)))


@pytest.mark.parametrize(
    ("kind", "where"),
    [
        ("before", ""),
        ("after", "a"),
        ("failure", "b"),
        ("question", "c"),
        ("output", "join"),
        ("message", "cd"),
        ("message", "d"),
        ("fires", "in"),
        ("starves", "join"),
        ("write", "nobody writes it"),
    ],
)
def test_a_place_that_is_there_is_verified(kind: str, where: str) -> None:
    assert fault(kind, where) == ""


@pytest.mark.parametrize(
    ("kind", "where", "reason"),
    [
        ("before", "gone", "There is no node 'gone'."),
        ("message", "gone", "There is no edge 'gone'."),
        ("fires", "cd", "'cd' is no join."),
        ("starves", "gone", "There is no join 'gone'."),
        ("write", "_own", "reserved"),
    ],
)
def test_a_place_that_is_not_there_is_named(kind: str, where: str, reason: str) -> None:
    assert reason in fault(kind, where)


def test_a_text_that_does_not_compile_is_the_reason() -> None:
    assert "condition does not compile" in fault("before", "a", condition="message >")
    assert "log text does not compile" in fault("before", "a", log="{message")


def test_an_edge_out_of_a_disabled_node_is_never_taken() -> None:
    nodes = tuple(
        node.model_copy(update={"off": "disabled"}) if node.id == "c" else node
        for node in LOST_JOIN.nodes
    )
    workflow = drawn(of(LOST_JOIN.model_copy(update={"nodes": nodes})))
    reason = fault_of(Breakpoint(id="1", kind="message", where="cd"), workflow)
    assert reason == "Nothing goes along edge 'cd': 'c' is disabled."


def test_the_way_into_a_sub_workflow_is_checked() -> None:
    workflow = drawn(WITH_INSIDE)

    def fault_inside(**more: object) -> str:
        return fault_of(Breakpoint.model_validate({"id": "1", **more}), workflow)

    assert fault_inside(where="inner", inside=["outer"], run="outer#2") == ""
    assert "no node 'lost'" in fault_inside(where="inner", inside=["lost"])
    assert "no node 'outer'" in fault_inside(where="outer", inside=["outer"])
    assert "not one of 'outer'" in fault_inside(
        where="inner", inside=["outer"], run="other#1"
    )
    assert "needs the sub-workflow" in fault_inside(where="outer", run="outer#1")


def test_without_a_workflow_nothing_is_verified() -> None:
    assert fault_of(Breakpoint(id="1"), None) == "No workflow is open."
