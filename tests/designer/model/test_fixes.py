"""Quick fixes: each ends the problem that it is for, as an edit of the drawing, and
none makes it worse.
"""

from __future__ import annotations

import pytest

from designer.model.design import Design
from designer.model.edits.inside import with_child
from designer.model.fixes import fixes
from designer.model.inside import at
from runtime.checks.check import check
from runtime.document.definition import NodeDefinition, WorkflowDefinition
from runtime.document.problem import Problem
from tests.runtime.test_validation import (
    BROKEN,
    INFOS,
    Edges,
    alone,
    fan_out,
    go,
    join,
    multi,
    switch,
    workflow,
)


def with_places(definition: WorkflowDefinition) -> Design:
    return Design(
        definition,
        {node.id: (at * 240.0, 0.0) for at, node in enumerate(definition.nodes)},
    )


def offered(definition: WorkflowDefinition, rule: str) -> tuple[Design, list[str]]:
    """The drawing after the first fix for the first problem of a rule, and the words of
    all.
    """
    drawing = with_places(definition)
    problem = next(one for one in check(definition, INFOS) if one.rule == rule)
    found = fixes(drawing, problem, INFOS)
    return (found[0].design if found else drawing), [fix.text for fix in found]


@pytest.mark.parametrize(
    ("rule", "definition"), [(rule, definition) for rule, definition, *_ in BROKEN]
)
def test_every_fix_that_is_offered_ends_its_problem(
    rule: str, definition: WorkflowDefinition
) -> None:
    drawing = with_places(definition)
    before = [one for one in check(definition, INFOS) if one.rule == rule]
    for problem in before:
        for fix in fixes(drawing, problem, INFOS):
            after = [
                one for one in check(fix.design.workflow, INFOS) if one.rule == rule
            ]
            assert len(after) < len(before), fix.text
            assert all(
                node.id in fix.design.positions for node in fix.design.workflow.nodes
            )


LOOSE = [
    {
        "kind": "switch",
        "source": "a",
        "cases": [{"when": "true", "target": "out"}],
        "default": "",
    }
]
OFF = {"type": "template", "off": "disabled"}
TOO_LONG = workflow(go("a", "b", "c", "out"), max_supersteps=2)


@pytest.mark.parametrize(
    ("rule", "definition", "words"),
    [
        (
            "edge-ends-exist",
            workflow(LOOSE),
            ["Add an output as the default", "Lead the default to out"],
        ),
        (
            "start-exists",
            workflow(go("b", "a"), start=""),
            ["Start at b", "Start at a"],
        ),
        ("start-exists", WorkflowDefinition(), ["Add an input"]),
        ("limit-suffices", TOO_LONG, ["Set the limit to 4"]),
        (
            "node-type-known",
            workflow([], {"a": "tmplate"}),
            ["Replace by Text template"],
        ),
        (
            "node-type-known",
            workflow([], {"a": "nothing_like_it"}),
            ["Bypass a", "Disable a"],
        ),
        ("start-on", workflow(go("a", "out"), {"a": OFF}), ["Enable a", "Bypass a"]),
        (
            "behind-disabled",
            workflow(go("a", "b", "out"), {"b": OFF}),
            ["Enable b", "Bypass b"],
        ),
        ("params-valid", alone("delay", secs=1), ["Remove the parameter secs"]),
        ("params-valid", alone("delay", seconds=-1), ["Use the default, 1.0"]),
        (
            "pairs-unique",
            workflow([*go("a", "out"), fan_out("a", "b", "out")]),
            ["Remove the duplicate"],
        ),
        ("enough-ends", workflow([join("out", "a")]), ["Make it a plain edge"]),
        (
            "join-can-fill",
            workflow([switch("a", "b", "c"), join("out", "b", "c")]),
            ["Use the policy any"],
        ),
        ("reachable", workflow([*go("a", "out"), *go("b", "out")]), ["Delete b"]),
        ("reachable", workflow([*go("b", "a", "out")]), ["Start at b", "Delete b"]),
        (
            "reachable",
            workflow([*go("a", "out")], {"b": "input"}),
            ["Start at b", "Delete b"],
        ),
        ("reaches-output", workflow([], {"a": "ask"}), ["Add an output after a"]),
        (
            "loop-has-exit",
            workflow([*go("a", "a"), *go("a", "out")]),
            ["Delete the loop"],
        ),
        (
            "self-loop",
            workflow([switch("a", "a", "out", "out")]),
            ["Remove the case that leads back"],
        ),
    ],
)
def test_what_is_offered_first(
    rule: str, definition: WorkflowDefinition, words: list[str]
) -> None:
    assert offered(definition, rule)[1][: len(words)] == words


def test_a_meeting_point_becomes_a_join() -> None:
    edges: Edges = [
        fan_out("a", "b", "c"),
        *go("b", "m"),
        *go("c", "m"),
        *go("m", "out"),
    ]
    fixed, words = offered(workflow(edges), "meeting-without-join")
    assert words == ["Make the edges a join"]
    assert [edge.kind for edge in fixed.workflow.edges] == [
        "fan_out",
        "fan_in",
        "direct",
    ]
    assert check(fixed.workflow, INFOS) == []


def test_a_duplicate_in_a_group_leaves_a_plain_edge_when_one_way_is_left() -> None:
    fixed, _ = offered(
        workflow([*go("a", "out"), multi("a", b="message == 1", out="true")]),
        "pairs-unique",
    )
    kept = fixed.workflow.edges[1]
    assert (kept.kind, kept.id) == ("direct", "e1")
    assert kept.pairs == (("a", "b"),)


def test_an_added_output_stands_beside_its_node_and_on_nothing() -> None:
    fixed, _ = offered(workflow([], {"a": "ask"}), "reaches-output")
    (output,) = [node.id for node in fixed.workflow.nodes if node.type == "output"]
    assert fixed.positions[output][0] >= 168


def nested(inner: WorkflowDefinition, *ids: str) -> Design:
    """A workflow in a sub-workflow, in as many of them as there are ids, the outermost
    first.
    """
    drawing = with_places(inner)
    for node_id in reversed(ids):
        outer = workflow(go("a", node_id, "out"), {node_id: "sub_workflow"})
        drawing = with_child(with_places(outer), node_id, drawing)
    return drawing


@pytest.mark.parametrize("ids", [("child",), ("outer", "child")])
def test_a_problem_inside_of_sub_workflows_is_fixed_there(ids: tuple[str, ...]) -> None:
    drawing = nested(workflow(go("a", "out"), start=""), *ids)
    (problem,) = [
        one
        for one in check(drawing.workflow, INFOS)
        if one.inside_rule == "start-exists"
    ]
    first = fixes(drawing, problem, INFOS)[0]
    assert first.text == "Start at a"
    assert at(first.design, ids).workflow.start == "a"
    assert [
        one
        for one in check(first.design.workflow, INFOS)
        if one.inside_rule == "start-exists"
    ] == []


def test_what_is_wrong_in_the_file_of_a_sub_workflow_is_not_fixed_from_outside() -> (
    None
):
    file = {"type": "sub_workflow", "params": {"file": "x.json"}}
    drawing = with_places(workflow(go("a", "child", "out"), {"child": file}))
    problem = Problem(
        severity="error",
        rule="",
        message="",
        location="child",
        inside=("",),
        inside_rule="start-exists",
    )
    assert fixes(drawing, problem, INFOS) == []


def test_nothing_of_a_node_is_lost_when_its_type_is_replaced() -> None:
    node = NodeDefinition(
        id="a", type="tmplate", name="Mine", params={"text": "x", "old": 1}, note="kept"
    )
    definition = WorkflowDefinition(start="a", nodes=(node,))
    fixed, _ = offered(definition, "node-type-known")
    replaced = fixed.workflow.nodes[0]
    assert (replaced.type, replaced.name, replaced.params) == (
        "template",
        "Mine",
        {"text": "x"},
    )
    assert (replaced.model_extra or {})["note"] == "kept"
