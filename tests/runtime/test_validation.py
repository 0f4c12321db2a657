"""check: each rule finds what it is for, says where and what to do, and says nothing
about sound workflows.
"""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from runtime.checks.check import check
from runtime.document.definition import NodeInfo, WorkflowDefinition
from runtime.document.problem import Problem
from runtime.errors import DefinitionError, WorkflowValidationError
from runtime.nodes import catalogue
from tests.documents import build

INFOS = {info.type: info for info in catalogue().infos()}
Edges = list[dict[str, Any]]


def workflow(
    edges: Edges, types: dict[str, str | dict[str, Any]] | None = None, **fields: Any
) -> WorkflowDefinition:
    """Nodes are those that `types` or the edges name: templates, but `out` is an
    output. Edge ids are e0, e1, ...
    """
    raw = [{"id": f"e{at}", **edge} for at, edge in enumerate(edges)]
    ids = dict.fromkeys(
        ["a", *(types or {}), *(one for edge in raw for one in _ends(edge) if one)]
    )
    nodes = []
    for node_id in ids:
        given = (types or {}).get(node_id, "output" if node_id == "out" else "template")
        nodes.append(
            {"id": node_id, **(given if isinstance(given, dict) else {"type": given})}
        )
    return WorkflowDefinition.model_validate(
        {"start": "a", "nodes": nodes, "edges": raw, **fields}
    )


def _ends(edge: dict[str, Any]) -> list[str]:
    behind = [*edge.get("cases", ()), *edge.get("selections", ())]
    one = [edge[key] for key in ("source", "target", "default") if key in edge]
    return [
        *edge.get("sources", ()),
        *one,
        *edge.get("targets", ()),
        *(case["target"] for case in behind),
    ]


def go(*ids: str, condition: str = "") -> Edges:
    """A chain of plain edges."""
    return [
        {"kind": "direct", "source": one, "target": other, "condition": condition}
        for one, other in pairwise(ids)
    ]


def alone(type: str, **params: Any) -> WorkflowDefinition:
    return workflow([], {"a": {"type": type, "params": params}})


def fan_out(source: str, *targets: str) -> dict[str, Any]:
    return {"kind": "fan_out", "source": source, "targets": list(targets)}


def join(target: str, *sources: str, **fields: Any) -> dict[str, Any]:
    return {"kind": "fan_in", "sources": list(sources), "target": target, **fields}


def switch(source: str, *targets: str, when: str = "message == 'x'") -> dict[str, Any]:
    """The last target is the default."""
    cases = [{"when": when, "target": target} for target in targets[:-1]]
    return {"kind": "switch", "source": source, "cases": cases, "default": targets[-1]}


def multi(source: str, **ways: str) -> dict[str, Any]:
    selections = [{"target": target, "when": when} for target, when in ways.items()]
    return {"kind": "multi_selection", "source": source, "selections": selections}


def found(definition: WorkflowDefinition, rule: str) -> list[Problem]:
    return [problem for problem in check(definition, INFOS) if problem.rule == rule]


# --- one rule at a time: what breaks it, where, and how grave it is -------------------------------------------------

BROKEN: list[tuple[str, WorkflowDefinition, str, str, str]] = [
    ("node-type-known", workflow([], {"a": "telepathy"}), "a", "type", "error"),
    ("ids-unique", workflow([*go("a", "b"), {"id": "e0", **go("b", "out")[0]}]), "e0", "id", "error"),
    ("ids-unique", workflow(go("a", "internal:a")), "internal:a", "id", "error"),
    ("ids-visible", workflow(go("a", " \t")), " \t", "id", "warning"),
    ("start-exists", workflow([], start=""), "", "start", "error"),
    ("start-exists", workflow([], start="nobody"), "", "start", "error"),
    ("start-exists", WorkflowDefinition(), "", "start", "error"),
    ("pairs-unique", workflow([*go("a", "out"), fan_out("a", "b", "out")]), "e1", "", "error"),
    ("pairs-unique", workflow([fan_out("a", "out", "out")]), "e0", "", "error"),
    ("reachable", workflow([*go("a", "out"), *go("b", "out")]), "b", "", "error"),
    ("enough-ends", workflow([join("out", "a")]), "e0", "sources", "error"),
    ("enough-ends", workflow([fan_out("a", "out")]), "e0", "targets", "error"),
    ("enough-ends", workflow([multi("a", out="true")]), "e0", "selections", "error"),
    ("enough-ends", workflow([switch("a", "out")]), "e0", "cases", "error"),
    ("join-count", workflow([fan_out("a", "b", "c"), join("out", "b", "c", policy="count")]), "e1", "count", "error"),
    ("condition-compiles", workflow(go("a", "out", condition="mesage == 1")), "e0", "condition", "error"),
    ("condition-compiles", workflow([switch("a", "out", "out", when="")]), "e0", "cases[0].when", "error"),
    ("condition-compiles", workflow([multi("a", out="", b="message >")]), "e0", "selections[1].when", "error"),
    ("condition-compiles", workflow(go("a", "out", condition="py:os.system")), "e0", "condition", "error"),
    ("params-valid", alone("delay", seconds="x"), "a", "params.seconds", "error"),
    ("params-valid", alone("delay", secs=1), "a", "params.secs", "error"),
    ("params-valid", alone("delay", seconds=-1), "a", "params.seconds", "error"),
    ("params-valid", alone("read_file"), "a", "params.path", "error"),
    ("params-valid", alone("template", text="{x}"), "a", "params.text", "error"),
    ("params-valid", alone("ask", choices=["x", 1]), "a", "params.choices[1]", "error"),
    ("params-valid", alone("collect", into="x"), "a", "params.into", "error"),
    ("params-valid", alone("python_function", function="os.system"), "a", "params.function", "error"),
    ("types-fit", workflow(go("a", "b", "out"), {"b": "collect"}), "e0", "", "error"),
    ("types-fit", workflow(go("a", "b", "out"), {"b": "input"}), "e0", "", "warning"),
    ("types-fit", workflow(go("a", "b", "c"), {"b": "output"}), "e1", "", "warning"),
    ("join-can-fill", workflow([switch("a", "b", "c"), join("out", "b", "c")]), "e1", "", "warning"),
    ("join-can-fill", workflow([*go("a", "b"), join("d", "b", "e"), *go("d", "e", "out")]), "e1", "", "warning"),
    ("loop-has-exit", workflow([*go("a", "b", "c", "b"), *go("b", "out")]), "b", "", "warning"),
    ("loop-has-exit", workflow([*go("a", "a"), *go("a", "out")]), "a", "", "warning"),
    ("reaches-output", workflow([fan_out("a", "out", "b")], {"b": "ask"}), "b", "", "info"),
    ("reaches-output", workflow([fan_out("a", "out", "b"), *go("b", "c"), *go("c", "b")]), "b", "", "info"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "definition", "location", "part", "severity"), BROKEN)
def test_a_broken_rule_is_told_with_place_and_remedy(
    rule, definition, location, part, severity
) -> None:
    (problem,) = found(definition, rule)
    assert (problem.location, problem.part, problem.severity) == (
        location,
        part,
        severity,
    )
    assert problem.message
    assert problem.remedy


@pytest.mark.parametrize(
    ("rule", "definition"),
    [
        (rule, definition)
        for rule, definition, _, _, severity in BROKEN
        if severity == "error"
    ],
)
def test_what_check_calls_an_error_cannot_be_built(rule, definition) -> None:
    with pytest.raises((DefinitionError, WorkflowValidationError)):
        build(definition)


@pytest.mark.parametrize(
    ("target", "part"),
    [
        (go("a", "gone")[0], "target"),
        (fan_out("a", "out", "gone"), "targets[1]"),
        (join("out", "a", "gone"), "sources[1]"),
        (switch("a", "gone", "out"), "cases[0].target"),
        (switch("a", "out", "gone"), "default"),
        (switch("a", "out", ""), "default"),
    ],
)
def test_a_loose_end_is_told_at_its_place_and_hides_what_would_follow_from_it(
    target, part
) -> None:
    raw = workflow([target], {"out": "output"}).model_dump()
    raw["nodes"] = [node for node in raw["nodes"] if node["id"] in ("a", "out")]
    problems = check(WorkflowDefinition.model_validate(raw), INFOS)
    assert [(problem.rule, problem.location, problem.part) for problem in problems] == [
        ("edge-ends-exist", "e0", part)
    ]


def test_a_condition_that_does_not_compile_is_told_with_line_and_column() -> None:
    (problem,) = found(
        workflow([switch("a", "b", "out", when="message == 1\n  || mesage == 2")]),
        "condition-compiles",
    )
    assert (problem.line, problem.column) == (2, 6)
    assert problem.message.startswith(
        "The condition of case 1 does not compile: unknown name 'mesage'"
    )
    assert problem.message.endswith("(line 2, column 6)")


def test_the_type_message_names_both_sides() -> None:
    (problem,) = found(
        workflow([*go("a", "b", "out")], {"b": {"type": "collect", "name": "Gather"}}),
        "types-fit",
    )
    assert problem.message == "a sends str, but Gather takes list[Any]"
    assert (
        found(
            workflow(
                [fan_out("a", "b", "c"), join("d", "b", "c"), *go("d", "out")],
                {"d": "collect"},
            ),
            "types-fit",
        )
        == []
    )


@pytest.mark.parametrize(
    ("sent", "taken", "fits"),
    [
        ("list[str]", "list[Any]", True),
        ("list", "list[str]", True),
        ("list[str]", "list[int]", False),
        ("dict[str, list[int]]", "dict[str, list[Any]]", True),
        ("dict[str, int]", "dict[str]", False),
        ("bool", "int", True),
        ("int", "float", False),
        ("Any", "int", True),
    ],
)
def test_types_fit_by_name(sent, taken, fits) -> None:
    infos = {
        "one": NodeInfo(type="one", title="", category="", icon="", outputs=(sent,)),
        "other": NodeInfo(
            type="other", title="", category="", icon="", inputs=(taken,)
        ),
    }
    problems = check(workflow(go("a", "b"), {"a": "one", "b": "other"}), infos)
    assert (problems == []) is fits


# --- case 33 ------------------------------------------------------------------------------------------------------


def test_case_33_plain_edges_of_branches_that_all_run_are_warned_of_and_a_join_is_not() -> (
    None
):
    branches = [fan_out("a", "b", "c"), *go("c", "d")]
    (problem,) = found(
        workflow([*branches, *go("b", "m"), *go("d", "m"), *go("m", "out")]),
        "meeting-without-join",
    )
    assert (problem.location, problem.severity) == ("m", "warning")
    assert "b and d" in problem.message
    assert (
        check(workflow([*branches, join("m", "b", "d"), *go("m", "out")]), INFOS) == []
    )


async def test_case_33_the_warning_is_right_about_what_happens() -> None:
    branches = [fan_out("a", "b", "c"), *go("c", "d")]
    plain = build(workflow([*branches, *go("b", "m"), *go("d", "m"), *go("m", "out")]))
    joined = build(workflow([*branches, join("m", "b", "d"), *go("m", "out")]))
    assert len((await plain.run("x")).get_outputs()) == 2
    assert len((await joined.run("x")).get_outputs()) == 1


@pytest.mark.parametrize(
    "edges",
    [
        pytest.param([*go("a", "b", "out"), *go("b", "c", condition="true"), *go("c", "b")], id="an edge back"),
        pytest.param([switch("a", "b", "c"), *go("b", "m"), *go("c", "m"), *go("m", "out")], id="ways of a switch"),
        pytest.param([switch("a", "b", "m"), *go("b", "m"), *go("m", "out")], id="a case that passes a node by"),
        pytest.param([switch("a", "b", "c"), switch("b", "d", "m"), *go("c", "m"), *go("d", "m", "out")], id="nested"),
        pytest.param([*go("a", "b", "m", condition="true"), *go("a", "m", "out")], id="conditions may exclude"),
        pytest.param([fan_out("a", "b", "c"), *go("b", "out"), *go("c", "out")], id="several results"),
    ],
)  # fmt: skip
def test_edges_that_meet_for_another_reason_are_not_warned_of(edges) -> None:
    assert found(workflow(edges), "meeting-without-join") == []


@pytest.mark.parametrize("policy", ["all", "zip"])
def test_rule_17_a_join_that_exclusive_branches_feed_is_warned_of(policy) -> None:
    (problem,) = found(
        workflow([switch("a", "b", "c"), join("out", "b", "c", policy=policy)]),
        "join-can-fill",
    )
    assert (problem.severity, problem.location) == ("warning", "e1")


@pytest.mark.parametrize(
    "edges",
    [
        pytest.param([multi("a", b="true", c="true"), join("out", "b", "c")], id="selections may both be taken"),
        pytest.param([switch("a", "b", "c"), join("out", "b", "c", policy="any")], id="any"),
        pytest.param([switch("a", "b", "c"), fan_out("b", "d", "e"), join("out", "d", "e")], id="one side fills"),
        pytest.param([fan_out("a", "s", "b"), switch("s", "c", "d"), join("out", "b", "c")], id="one way fills"),
        pytest.param([*go("a", "s"), switch("s", "b", "c"), fan_out("b", "s", "d"), join("out", "d", "c")], id="loop"),
    ],
)  # fmt: skip
def test_rule_17_joins_that_can_fill_are_not_warned_of(edges) -> None:
    assert found(workflow(edges), "join-can-fill") == []


@pytest.mark.parametrize(
    ("edges", "types"),
    [
        (go("a", "b", "a"), {"b": "python_function"}),
        ([*go("a", "b", "out"), *go("b", "a", condition="message.size() < 9")], {}),
        ([switch("a", "b", "out"), *go("b", "a")], {}),
        (
            [
                fan_out("a", "b", "out"),
                join("c", "a2", "b"),
                *go("c", "b"),
                *go("a", "a2"),
            ],
            {},
        ),
    ],
)
def test_loops_that_may_end_are_not_warned_of(edges, types) -> None:
    assert found(workflow(edges, types), "loop-has-exit") == []


# --- safety and shape ---------------------------------------------------------------------------------------------


def test_case_134_checking_imports_nothing_that_a_document_names(tmp_path) -> None:
    (tmp_path / "evil.py").write_text("raise SystemExit('imported')")
    script = """
import sys
from runtime.document.definition import WorkflowDefinition
from runtime.nodes import catalogue
from runtime.checks.check import check
evil = "__import__('os').system('exit 1')"
check(WorkflowDefinition.model_validate({"start": "a", "nodes": [
    {"id": "a", "type": "python_function", "params": {"function": "evil:run"}},
    {"id": "b", "type": "python_class", "params": {"class_name": "evil:Run", "arguments": {"x": evil}}},
    {"id": "c", "type": "template", "params": {"text": "{" + evil + "}"}},
], "edges": [
    {"id": "1", "kind": "direct", "source": "a", "target": "b", "condition": "py:evil:test"},
    {"id": "2", "kind": "direct", "source": "a", "target": "c", "condition": evil},
]}), {info.type: info for info in catalogue().infos()})
assert "evil" not in sys.modules
"""
    root = Path(__file__).parents[2]
    subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        env={"PYTHONPATH": f"{tmp_path}:{root}"},
    )


def test_errors_come_first_and_without_types_only_the_graph_is_judged() -> None:
    definition = workflow(
        [fan_out("a", "out", "b"), *go("b", "c", condition="x")],
        {"a": "nonsense", "c": "ask"},
    )
    assert [problem.severity for problem in check(definition, INFOS)] == [
        "error",
        "error",
        "info",
    ]
    assert [problem.rule for problem in check(definition)] == ["condition-compiles"]


@pytest.mark.timeout(20)
def test_thousands_of_switches_are_checked_in_seconds_and_what_is_left_out_is_said() -> (
    None
):
    ladder: Edges = [
        {
            "kind": "switch",
            "source": f"n{at}",
            "cases": [{"when": "true", "target": f"n{at + 1}"}],
            "default": f"n{at + 2}",
        }
        for at in range(3000)
    ]
    problems = check(workflow([*go("a", "n0"), *ladder], {}), INFOS)
    assert "too-large" in {problem.rule for problem in problems}
    assert "meeting-without-join" not in {problem.rule for problem in problems}
