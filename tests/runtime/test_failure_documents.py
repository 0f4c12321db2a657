"""Retry, time limits and error edges in documents: built, checked, exported, imported,
written and read again.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from runtime.checks.check import check
from runtime.document.definition import OnErrorEdge, RetryDefinition, WorkflowDefinition
from runtime.document.files import json_schema, parse, serialise
from runtime.engine.runner import Runner
from runtime.errors import DefinitionError
from runtime.export.python import to_python
from runtime.nodes import catalogue
from runtime.policy import FailurePolicy, RetryPolicy
from runtime.testing.clock import ManualClock
from tests.documents import build, import_workflow

CODE = """
def run(message):
    raise ValueError(f"cannot do {message}")
"""


def document(tmp_path: Path, **fields: Any) -> WorkflowDefinition:
    """bad fails for each message; its failures go to `told`."""
    (tmp_path / "steps.py").write_text(CODE)
    raw = {
        "name": "failing",
        "start": "bad",
        "input": "this",
        "nodes": [
            {
                "id": "bad",
                "type": "python_function",
                "params": {"function": "steps:run"},
            },
            {
                "id": "told",
                "type": "template",
                "params": {"text": "{message.error_type} of {message.message}"},
            },
            {"id": "out", "type": "output"},
        ],
        "edges": [
            {"kind": "on_error", "source": "bad", "target": "told"},
            {"kind": "direct", "source": "told", "target": "out"},
        ],
        **fields,
    }
    return parse(json.dumps({"workflow": raw})).workflow


async def outputs(
    definition: WorkflowDefinition, folder: Path, clock: ManualClock | None = None
) -> list[Any]:
    runner = Runner(build(definition, folder=folder), clock=clock or ManualClock())
    await runner.start(definition.input)
    found: list[Any] = []
    while (trace := await runner.step()) is not None:
        found += [output.data for output in trace.outputs]
    return found


async def test_a_document_with_an_error_edge_runs(tmp_path) -> None:
    definition = document(tmp_path)
    assert definition.edges[0] == OnErrorEdge(
        id="error-bad-told", source="bad", target="told"
    )
    assert not [
        problem
        for problem in check(definition, _infos(), tmp_path)
        if problem.severity == "error"
    ]
    assert await outputs(definition, tmp_path) == ["ValueError of this"]


async def test_retry_and_timeout_of_a_document_are_obeyed(tmp_path) -> None:
    definition = document(tmp_path, retry={"attempts": 3, "backoff": 5}, timeout=7)
    clock = ManualClock()
    assert await outputs(definition, tmp_path, clock) == ["ValueError of this"]
    assert clock.waits == [5, 10]
    assert clock.limits[:3] == [7, 7, 7]


def test_a_node_has_its_own_policy_in_the_place_of_the_workflows(tmp_path) -> None:
    definition = document(tmp_path, retry={"attempts": 5}, timeout=9)
    nodes = [
        definition.nodes[0].model_copy(
            update={"retry": RetryDefinition(attempts=1), "timeout": 0.0}
        ),
        definition.nodes[1].model_copy(update={"timeout": 2.0}),
        definition.nodes[2],
    ]
    workflow = build(
        definition.model_copy(update={"nodes": tuple(nodes)}), folder=tmp_path
    )
    retry = RetryPolicy(attempts=5)
    assert workflow.policies == {
        "told": FailurePolicy(retry, 2.0),
        "out": FailurePolicy(retry, 9.0),
    }


def test_what_is_not_set_is_not_written(tmp_path) -> None:
    plain = document(tmp_path)
    assert "retry" not in json.dumps(plain.model_dump(mode="json"))
    assert "timeout" not in json.dumps(plain.model_dump(mode="json"))
    set_ = document(tmp_path, retry={"attempts": 2}, timeout=0)
    again = parse(
        serialise(parse(json.dumps({"workflow": set_.model_dump(mode="json")})))
    ).workflow
    assert again == set_


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"retry": {"attempts": 0}}, "workflow.retry.attempts"),
        ({"retry": 3}, "workflow.retry"),
        ({"timeout": -1}, "workflow.timeout"),
        ({"timeout": "soon"}, "workflow.timeout"),
        ({"retry": {"factor": 0.1}}, "workflow.retry.factor"),
    ],
)
def test_a_policy_that_means_nothing_is_refused_where_it_stands(
    tmp_path, fields, place: str
) -> None:
    with pytest.raises(DefinitionError) as raised:
        document(tmp_path, **fields)
    assert raised.value.location == place


def test_fields_that_nobody_reads_are_told_and_kept(tmp_path) -> None:
    definition = document(tmp_path, retires={"attempts": 3})
    raw = definition.model_dump(mode="json")
    raw["nodes"][0]["time_out"] = 5
    raw["nodes"][1]["retry"] = {"attempts": 2, "delay": 1}
    raw["edges"][0]["label"] = "why"
    again = WorkflowDefinition.model_validate(raw)
    found = {
        (one.location, one.part): one
        for one in check(again)
        if one.rule == "field-known"
    }
    assert set(found) == {
        ("", "retires"),
        ("bad", "time_out"),
        ("told", "retry.delay"),
        ("error-bad-told", "label"),
    }
    assert "no effect" in found["bad", "time_out"].message
    assert "Did you mean 'timeout'?" in found["bad", "time_out"].remedy
    assert all(one.severity == "warning" for one in found.values())
    kept = again.model_dump(mode="json")
    assert kept["retires"] == {"attempts": 3}
    assert (kept["nodes"][0]["time_out"], kept["nodes"][1]["retry"]["delay"]) == (5, 1)
    assert kept["edges"][0]["label"] == "why"


def test_a_policy_of_a_sub_workflow_is_told_to_have_no_effect(tmp_path) -> None:
    raw = document(tmp_path).model_dump(mode="json")
    raw["nodes"][0] = {
        "id": "bad",
        "type": "sub_workflow",
        "params": {"inline": {}},
        "timeout": 5,
    }
    found = check(WorkflowDefinition.model_validate(raw))
    assert [
        (one.location, one.part) for one in found if one.rule == "policy-has-effect"
    ] == [("bad", "timeout")]


def test_the_exported_program_does_what_the_document_does(tmp_path) -> None:
    definition = document(
        tmp_path, retry={"attempts": 3, "backoff": 0, "jitter": 0.25}, timeout=30
    )
    raw = definition.model_dump(mode="json")
    raw["nodes"][0]["retry"] = {"attempts": 2, "backoff": 0}
    raw["nodes"][2]["timeout"] = 0
    raw["edges"][0]["condition"] = (
        "message.error_type == 'ValueError' && message.attempts == 2"
    )
    definition = WorkflowDefinition.model_validate(raw)
    (tmp_path / "program.py").write_text(to_python(definition))
    code = "import asyncio, program as p; print(p.workflow.signature(), p.workflow.policies); asyncio.run(p.main())"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    workflow = build(definition, folder=tmp_path)
    assert (
        ran.stdout
        == f"{workflow.signature()} {workflow.policies}\nValueError of this\n"
    )


PROGRAM = """
from runtime import Executor, ExecutorFailure, RetryPolicy, WorkflowBuilder, WorkflowContext, executor

@executor(id="one")
async def one(message: str, ctx: WorkflowContext[str]) -> None:
    await ctx.send_message(message)

@executor(id="two")
async def two(message: ExecutorFailure, ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output(message.error)

workflow = (
    WorkflowBuilder(start_executor=one, timeout=4)
    .set_failure_policy(two, retry=RetryPolicy(attempts=2))
    .add_error_edge(one, two, lambda failure: failure.attempts > 1)
    .build()
)
"""


def test_a_workflow_in_python_is_imported_with_its_error_edges_and_policies(
    tmp_path,
) -> None:
    (tmp_path / "failing_program.py").write_text(PROGRAM)
    file = import_workflow("failing_program:workflow", tmp_path)
    [edge] = file.workflow.edges
    assert (edge.kind, edge.condition) == ("on_error", "py:failing_program:workflow#0")
    assert [node.timeout for node in file.workflow.nodes] == [4, None]
    again = build(file.workflow, folder=tmp_path)
    assert again.policies == {
        "one": FailurePolicy(None, 4.0),
        "two": FailurePolicy(RetryPolicy(attempts=2)),
    }


# --- check --------------------------------------------------------------------------------------------------------


def _infos() -> dict[str, Any]:
    return {info.type: info for info in catalogue().infos()}


def _workflow(
    edges: list[dict[str, Any]], types: dict[str, str] | None = None
) -> WorkflowDefinition:
    ids = dict.fromkeys(
        end
        for edge in edges
        for key in ("source", "target")
        for end in [edge.get(key)]
        if end
    )
    ids |= dict.fromkeys(end for edge in edges for end in edge.get("sources", ()))
    nodes = [{"id": one, "type": (types or {}).get(one, "template")} for one in ids]
    raw = [{"id": f"e{at}", **edge} for at, edge in enumerate(edges)]
    return WorkflowDefinition.model_validate(
        {"start": next(iter(ids)), "nodes": nodes, "edges": raw}
    )


def test_an_error_edge_may_stand_beside_a_plain_one_but_not_beside_another() -> None:
    plain = {"kind": "direct", "source": "a", "target": "b"}
    error = {"kind": "on_error", "source": "a", "target": "b"}
    assert "pairs-unique" not in {one.rule for one in check(_workflow([plain, error]))}
    assert "pairs-unique" in {
        one.rule for one in check(_workflow([plain, error, error]))
    }


def test_a_target_that_takes_no_failure_is_told() -> None:
    edges = [{"kind": "on_error", "source": "a", "target": "b"}]
    problems = check(_workflow(edges, {"b": "csv_write"}), _infos())
    assert [one.location for one in problems if one.rule == "types-fit"] in ([], ["e0"])


def test_a_join_of_a_node_and_of_who_takes_its_failures_can_never_fill() -> None:
    edges = [
        {"kind": "direct", "source": "a", "target": "b"},
        {"kind": "on_error", "source": "a", "target": "c"},
        {"kind": "fan_in", "sources": ["b", "c"], "target": "d"},
    ]
    [problem] = [
        one for one in check(_workflow(edges), _infos()) if one.rule == "join-can-fill"
    ]
    assert "because of the error edges before them" in problem.message


def test_a_condition_of_an_error_edge_must_compile() -> None:
    edges = [
        {
            "kind": "on_error",
            "source": "a",
            "target": "b",
            "condition": "message.error ==",
        }
    ]
    [problem] = [
        one for one in check(_workflow(edges)) if one.rule == "condition-compiles"
    ]
    assert (problem.location, problem.part) == ("e0", "condition")


def test_the_json_schema_has_the_new_fields() -> None:
    schema = json_schema()
    assert "OnErrorEdge" in schema["$defs"]
    assert {"retry", "timeout"} <= schema["$defs"]["NodeDefinition"][
        "properties"
    ].keys()
