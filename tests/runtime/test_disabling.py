"""Nodes that are switched off: what runs in their place, what waits for them, what is
told about them.
"""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.checkpoints.archive import Archive
from runtime.checks.check import check
from runtime.document.definition import (
    FILE_FORMAT,
    Off,
    WorkflowDefinition,
    WorkflowFile,
)
from runtime.document.disabled import effective
from runtime.document.files import from_value, serialise
from runtime.document.problem import Problem
from runtime.engine.runner import Runner
from runtime.errors import SignatureMismatchError
from runtime.export.json_schema import workflow_schema
from runtime.export.python import to_python
from runtime.nodes import catalogue
from runtime.stores.memory import MemoryStore
from tests.documents import build
from tests.runtime.debug.graphs import join_ledger

INFOS = {info.type: info for info in catalogue().infos()}


def text(node_id: str, off: Off = "", words: str = "") -> dict[str, Any]:
    """A node that sends its own words."""
    return {
        "id": node_id,
        "type": "template",
        "params": {"text": words or node_id},
        "off": off,
    }


def out(node_id: str = "end", off: Off = "") -> dict[str, Any]:
    return {"id": node_id, "type": "output", "off": off}


def direct(source: str, target: str, condition: str = "") -> dict[str, Any]:
    return {
        "kind": "direct",
        "source": source,
        "target": target,
        "condition": condition,
    }


def join(target: str, *sources: str, **fields: Any) -> dict[str, Any]:
    return {"kind": "fan_in", "sources": list(sources), "target": target, **fields}


def fan_out(source: str, *targets: str) -> dict[str, Any]:
    return {"kind": "fan_out", "source": source, "targets": list(targets)}


def workflow(
    nodes: list[dict[str, Any]], edges: list[dict[str, Any]], **fields: Any
) -> WorkflowDefinition:
    edges = [{"id": f"e{at}", **edge} for at, edge in enumerate(edges)]
    return WorkflowDefinition.model_validate(
        {"start": nodes[0]["id"], "nodes": nodes, "edges": edges, **fields}
    )


async def outputs(definition: WorkflowDefinition, message: Any = "m") -> list[Any]:
    return (await build(definition).run(message)).get_outputs()


def said(definition: WorkflowDefinition) -> dict[str, Problem]:
    return {problem.rule: problem for problem in check(definition, INFOS)}


def chain(middle: Off) -> WorkflowDefinition:
    return workflow(
        [text("a"), text("b", middle), out()], [direct("a", "b"), direct("b", "end")]
    )


# --- the document -------------------------------------------------------------------------------------------------


def test_a_document_says_that_a_node_is_off_only_where_one_is() -> None:
    on, off = (serialise(WorkflowFile(workflow=chain(off))) for off in ("", "bypassed"))
    assert b'"off"' not in on
    assert [node.get("off") for node in json.loads(off)["workflow"]["nodes"]] == [
        None,
        "bypassed",
        None,
    ]
    assert from_value(json.loads(off)).workflow == chain("bypassed")
    assert json.loads(off)["format"] == FILE_FORMAT


def test_with_all_nodes_on_the_very_definition_is_run_and_its_signature_is_what_it_was() -> (
    None
):
    definition = chain("")
    assert effective(definition) is definition
    graph = build(definition).graph
    assert [one["type"] for one in graph["executors"]] == [
        "template",
        "template",
        "output",
    ]
    assert "off" not in json.dumps(build(definition).saved_definition())


# --- what runs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("off", "given"), [("", ["b"]), ("disabled", []), ("bypassed", ["a"])]
)
async def test_a_disabled_node_sends_nothing_and_a_bypassed_one_what_it_got(
    off: Off, given: list[str]
) -> None:
    assert await outputs(chain(off)) == given


@pytest.mark.parametrize(
    ("policy", "count"), [("all", 0), ("zip", 0), ("any", 0), ("count", 1)]
)
async def test_a_join_does_not_wait_for_a_disabled_node(
    policy: str, count: int
) -> None:
    nodes = [text("a"), text("b", "disabled"), text("c"), out()]
    edges = [fan_out("a", "b", "c"), join("end", "b", "c", policy=policy, count=count)]
    assert await outputs(workflow(nodes, edges)) == [["c"]]


async def test_a_zip_that_is_left_with_one_source_still_takes_one_message_at_a_time() -> (
    None
):
    nodes = [
        {"id": "a", "type": "for_each"},
        text("b", "disabled"),
        text("c", words="{message}"),
        out(),
    ]
    edges = [fan_out("a", "b", "c"), join("end", "b", "c", policy="zip")]
    assert await outputs(workflow(nodes, edges), ["x", "y"]) == [["x"], ["y"]]


async def test_a_join_of_which_all_sources_are_disabled_gives_nothing() -> None:
    nodes = [text("a"), text("b", "disabled"), text("c", "disabled"), out()]
    assert (
        await outputs(workflow(nodes, [fan_out("a", "b", "c"), join("end", "b", "c")]))
        == []
    )


async def test_a_case_of_a_switch_that_leads_to_a_disabled_node_swallows_its_messages() -> (
    None
):
    switch = {
        "kind": "switch",
        "source": "a",
        "cases": [{"when": "message == 'm'", "target": "b"}],
        "default": "c",
    }
    nodes = [{"id": "a", "type": "input"}, text("b", "disabled"), text("c"), out()]
    definition = workflow(nodes, [switch, direct("b", "end"), direct("c", "end")])
    assert await outputs(definition, "m") == []
    assert await outputs(definition, "n") == ["c"]


async def test_a_node_of_a_missing_type_can_be_switched_off_and_the_rest_runs() -> None:
    gone = {"id": "b", "type": "of_a_package", "params": {"x": [1]}, "off": "bypassed"}
    definition = workflow(
        [text("a"), gone, out()], [direct("a", "b"), direct("b", "end")]
    )
    assert check(definition, INFOS) == []
    assert await outputs(definition) == ["a"]


async def test_nodes_inside_a_sub_workflow_are_off_too_and_the_sub_workflow_itself_can_be() -> (
    None
):
    inside = workflow(
        [text("x"), text("y", "bypassed"), out("z")],
        [direct("x", "y"), direct("y", "z")],
    )
    inline = {"format": FILE_FORMAT, "workflow": inside.model_dump(mode="json")}
    sub: dict[str, Any] = {
        "id": "s",
        "type": "sub_workflow",
        "params": {"inline": inline},
    }

    def around(node: dict[str, Any]) -> WorkflowDefinition:
        return workflow(
            [text("a"), node, out()], [direct("a", "s"), direct("s", "end")]
        )

    assert await outputs(around(sub)) == ["x"]
    assert await outputs(around({**sub, "off": "bypassed"})) == ["a"]
    assert not check(around(sub), INFOS)


async def test_a_program_made_of_the_document_switches_the_same_nodes_off(
    tmp_path: Path,
) -> None:
    nodes = [text("a"), text("b", "disabled"), text("c", "bypassed"), out()]
    definition = workflow(nodes, [fan_out("a", "b", "c"), join("end", "b", "c")])
    names: dict[str, Any] = {"__file__": str(tmp_path / "made.py"), "__name__": "made"}
    exec(compile(to_python(definition), "made.py", "exec"), names)  # noqa: S102 - the program is what is tested
    assert names["workflow"].signature() == build(definition).signature()
    assert (
        (await names["workflow"].run("m")).get_outputs()
        == await outputs(definition)
        == [["a"]]
    )


# --- checkpoints --------------------------------------------------------------------------------------------------


async def test_a_checkpoint_is_refused_when_a_node_was_switched_off_since_and_the_node_is_named() -> (
    None
):
    store = MemoryStore()
    runner = Runner(build(chain("")), store)
    await runner.start("m")
    assert runner.header is not None
    again = Runner(build(chain("bypassed")), store)
    with pytest.raises(SignatureMismatchError) as refused:
        await again.restore(runner.header.id)
    assert "nodes[b].off is new" in " ".join(
        [str(refused.value), *refused.value.differences]
    )
    assert (
        build(chain("bypassed")).signature()
        != build(chain("disabled")).signature()
        != build(chain("")).signature()
    )


async def test_the_ledger_of_a_join_waits_for_no_disabled_source_and_says_so() -> None:
    store = MemoryStore()
    nodes = [text("a"), text("b", "disabled"), text("c"), text("d"), out()]
    edges = [fan_out("a", "b", "c", "d"), join("end", "b", "c", "d")]
    runner = Runner(build(workflow(nodes, edges)), store)
    await runner.start("m")
    await runner.step()
    await runner.step()
    assert runner.header is not None
    [ledger] = join_ledger(await Archive(store).view(runner.header.id))
    assert ledger.awaited == 2
    assert "b" not in ledger.missing
    assert [(one.id, one.disabled) for one in ledger.sources] == [
        ("b", True),
        ("c", False),
        ("d", False),
    ]
    assert "does not wait" in ledger.sources[0].reason
    assert any("superstep 3" in line for line in ledger.preview)


async def test_the_ledger_says_that_a_source_is_not_reached_because_of_a_disabled_node() -> (
    None
):
    store = MemoryStore()
    nodes = [text("a"), text("b", "disabled"), text("x"), text("c"), out()]
    edges = [fan_out("a", "b", "c"), direct("b", "x"), join("end", "x", "c")]
    runner = Runner(build(workflow(nodes, edges)), store)
    await runner.start("m")
    await runner.finish()
    assert runner.header is not None
    [ledger] = join_ledger(await Archive(store).view(runner.header.id))
    assert ledger.missing == ("x",)
    assert ledger.sources[0].reason == "not reached while b is disabled"


# --- what is told -------------------------------------------------------------------------------------------------


def test_parameters_of_a_node_that_is_off_are_not_judged() -> None:
    nodes = [
        text("a"),
        {"id": "b", "type": "template", "params": {"wrong": 1}, "off": "bypassed"},
        out(),
    ]
    assert check(workflow(nodes, [direct("a", "b"), direct("b", "end")]), INFOS) == []


def test_a_secret_of_a_node_that_is_off_still_stands_in_the_document() -> None:
    node = {
        "id": "b",
        "type": "chat_model",
        "params": {"api_key": "sk-123456"},
        "off": "disabled",
    }
    nodes = [text("a"), node, out()]
    found = said(workflow(nodes, [direct("a", "b"), direct("b", "end")]))
    assert found["secret-written-out"].location == "b"


def test_a_start_that_is_disabled_is_an_error_that_says_what_to_do() -> None:
    nodes = [text("a", "disabled"), out()]
    problem = said(workflow(nodes, [direct("a", "end")]))["start-on"]
    assert (problem.severity, problem.location, problem.part) == ("error", "a", "off")
    assert "bypass" in problem.remedy


def test_what_is_only_behind_a_disabled_node_is_told_at_that_node_and_by_name() -> None:
    nodes = [text("a"), text("b", "disabled"), text("c"), out()]
    [problem] = check(
        workflow(nodes, [direct("a", "b"), direct("b", "c"), direct("c", "end")]), INFOS
    )
    assert (problem.severity, problem.rule, problem.location) == (
        "warning",
        "behind-disabled",
        "b",
    )
    assert "c and end" in problem.message


def test_behind_a_join_of_which_all_sources_are_disabled_nothing_comes() -> None:
    nodes = [text("a"), text("b", "disabled"), text("c", "disabled"), out()]
    found = check(
        workflow(nodes, [fan_out("a", "b", "c"), join("end", "b", "c")]), INFOS
    )
    assert [(one.rule, one.location) for one in found] == [
        ("behind-disabled", "b"),
        ("behind-disabled", "c"),
    ]
    assert all("reaches end" in one.message for one in found)


def test_nothing_is_told_where_another_way_leads_round_the_disabled_node() -> None:
    nodes = [text("a"), text("b", "disabled"), text("c"), out()]
    definition = workflow(nodes, [fan_out("a", "b", "c"), join("end", "b", "c")])
    assert check(definition, INFOS) == []


def test_a_join_that_waits_for_a_node_behind_a_disabled_one_can_never_fill() -> None:
    nodes = [text("a"), text("b", "disabled"), text("x"), text("c"), out()]
    definition = workflow(
        nodes, [fan_out("a", "b", "c"), direct("b", "x"), join("end", "x", "c")]
    )
    problem = said(definition)["join-can-fill"]
    assert (problem.location, problem.severity) == ("e2", "warning")
    assert "no message reaches x while b is disabled" in problem.message


def test_types_are_compared_through_a_bypassed_node() -> None:
    read = {
        "id": "b",
        "type": "read_file",
        "params": {"path": "x.txt"},
        "off": "bypassed",
    }
    nodes = [text("a"), read, {"id": "c", "type": "collect"}, out()]
    edges = [direct("a", "b"), direct("b", "c"), direct("c", "end")]
    problem = said(workflow(nodes, edges))["types-fit"]
    assert (problem.location, problem.severity) == ("e1", "warning")
    assert "sends str" in problem.message


def test_types_are_compared_through_several_bypassed_nodes_and_not_through_loops_of_them() -> (
    None
):
    nodes = [
        text("a"),
        {"id": "c", "type": "collect"},
        text("y", "bypassed"),
        text("x", "bypassed"),
        out(),
    ]
    edges = [direct("a", "x"), direct("x", "y"), direct("y", "c"), direct("c", "end")]
    assert said(workflow(nodes, edges))["types-fit"].location == "e2"
    assert "types-fit" not in said(workflow(nodes, [*edges, direct("y", "x", "false")]))


def test_problems_of_edges_stay_where_they_are_drawn() -> None:
    nodes = [text("a"), text("b", "disabled"), text("c"), out()]
    problem = said(
        workflow(nodes, [fan_out("a", "b", "c"), join("end", "b", "c", "gone")])
    )["edge-ends-exist"]
    assert problem.part == "sources[2]"


def test_the_schema_is_that_of_what_runs() -> None:
    def schema(start: Off, middle: Off) -> dict[str, Any]:
        size = {
            "id": "b",
            "type": "json_transform",
            "params": {"expression": "1"},
            "off": middle,
        }
        nodes = [{"id": "a", "type": "collect", "off": start}, text("t"), size, out()]
        edges = [direct("a", "t"), direct("t", "b"), direct("b", "end")]
        return workflow_schema(workflow(nodes, edges), INFOS)

    assert schema("", "")["type"] == "array"
    assert "type" not in schema("bypassed", "")
    assert "type" not in schema("", "")["$defs"]["output"]
    assert schema("", "bypassed")["$defs"]["output"]["type"] == "string"


# --- laws ---------------------------------------------------------------------------------------------------------

_IDS = "abcde"


@st.composite
def graphs(draw: st.DrawFn) -> WorkflowDefinition:
    """Graphs that can be built with all nodes on: a chain through all nodes, and edges
    of any kind beside it.
    """
    pairs = {(one, other) for one, other in pairwise(_IDS)}
    edges: list[dict[str, Any]] = []
    if draw(st.booleans()):
        edges.append(join("e", "d", draw(st.sampled_from("abc"))))
        pairs.discard(("d", "e"))
    free = [
        (one, other)
        for one in _IDS
        for other in _IDS
        if (one, other) not in pairs | {("d", "e")}
    ]
    taken = {(source, edge["target"]) for edge in edges for source in edge["sources"]}
    extra = draw(
        st.lists(
            st.sampled_from([pair for pair in free if pair not in taken]),
            unique=True,
            max_size=4,
        )
    )
    edges += [direct(*pair) for pair in sorted(pairs)] + [
        direct(*pair, condition="false") for pair in extra
    ]
    states: list[Off] = draw(
        st.lists(st.sampled_from(get_args(Off)), min_size=5, max_size=5)
    )
    nodes = [text(node_id, off) for node_id, off in zip(_IDS, states, strict=True)]
    return workflow(nodes, edges)


@given(graphs())
def test_effective_is_idempotent_and_keeps_ids_and_edges(
    definition: WorkflowDefinition,
) -> None:
    made = effective(definition)
    assert effective(made) is made
    assert [node.id for node in made.nodes] == [node.id for node in definition.nodes]
    assert made.edges is definition.edges


@given(graphs())
def test_whatever_is_off_the_workflow_is_built_when_it_can_be_with_all_on(
    definition: WorkflowDefinition,
) -> None:
    on = definition.model_copy(
        update={
            "nodes": tuple(n.model_copy(update={"off": ""}) for n in definition.nodes)
        }
    )
    assert len(build(on).executors) == len(build(definition).executors)
    errors = [
        problem.rule
        for problem in check(definition, INFOS)
        if problem.severity == "error"
    ]
    assert errors == (["start-on"] if definition.nodes[0].off == "disabled" else [])


def test_a_sub_workflow_whose_start_is_disabled_silences_only_itself() -> None:
    inner = workflow([text("i", "disabled"), out("o")], [direct("i", "o")])
    inline = {"format": FILE_FORMAT, "workflow": inner.model_dump(mode="json")}
    nodes = [
        text("a"),
        {"id": "s", "type": "sub_workflow", "params": {"inline": inline}},
        out(),
    ]
    whole = workflow(nodes, [direct("a", "s"), direct("s", "end"), direct("a", "end")])
    assert {problem.severity for problem in check(whole, INFOS)} == {"warning"}
    assert "i is disabled" in said(whole)["sub-workflow"].message
    assert asyncio.run(outputs(whole)) == ["a"]
