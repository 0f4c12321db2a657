"""The node `sub_workflow`: a child in the document or in a file, its ports, its
problems, and what it is refused.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runtime.checkpoints.archive import Archive
from runtime.checks.check import check
from runtime.debug.moments.moment import NO_EXTRAS, Snapshot
from runtime.document.definition import (
    FILE_FORMAT,
    DirectEdge,
    NodeDefinition,
    WorkflowDefinition,
)
from runtime.document.files import read_file
from runtime.document.problem import Problem
from runtime.document.sub_workflows import MOST_INSIDE, MOST_LEVELS, info_of
from runtime.engine.runner import Runner
from runtime.errors import DefinitionError, SignatureMismatchError
from runtime.nodes import catalogue
from runtime.stores.memory import MemoryStore
from tests.documents import build
from tests.runtime.nodes.single import definition, one_node, outputs

INFOS = {one.type: one for one in catalogue().infos()}
SUFFIX = ".stepwell.json"


def child(
    type: str = "template", *, yields: bool = True, **params: Any
) -> dict[str, Any]:
    """A document: one node, and an output behind it."""
    params = params or ({"text": "<{message}>"} if type == "template" else {})
    nodes = [{"id": "t", "type": type, "params": params}]
    edges = []
    if yields:
        nodes.append({"id": "o", "type": "output"})
        edges.append({"kind": "direct", "source": "t", "target": "o"})
    return {
        "format": FILE_FORMAT,
        "workflow": {"name": "child", "start": "t", "nodes": nodes, "edges": edges},
    }


def write(folder: Path, name: str, document: dict[str, Any]) -> str:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(document))
    return name


def found(folder: Path | None = None, **params: Any) -> list[Problem]:
    return check(definition("sub_workflow", params), INFOS, folder)


def node(**params: Any) -> NodeDefinition:
    return NodeDefinition(id="it", type="sub_workflow", params=params)


# --- running ------------------------------------------------------------------------------------------------------


async def test_each_message_runs_the_workflow_inside_and_what_it_puts_out_is_sent_on() -> (
    None
):
    assert await outputs("sub_workflow", "a", inline=child()) == ["<a>"]


async def test_outputs_can_be_results_of_the_whole() -> None:
    workflow = WorkflowDefinition(
        start="it", nodes=(node(inline=child(), direct_output=True),)
    )
    assert (await build(workflow).run("a")).get_outputs() == ["<a>"]


async def test_a_file_is_relative_to_the_document_and_what_it_names_to_the_file(
    tmp_path: Path,
) -> None:
    write(tmp_path, f"parts/inner{SUFFIX}", child("read_file", path="words.txt"))
    (tmp_path / "parts" / "words.txt").write_text("found")
    assert await outputs(
        "sub_workflow", "x", tmp_path, file=f"parts/inner{SUFFIX}"
    ) == ["found"]


async def test_sub_workflows_stand_in_each_other(tmp_path: Path) -> None:
    write(tmp_path, "inner.json", child())
    middle = child("sub_workflow", file="inner.json")
    assert await outputs("sub_workflow", "a", tmp_path, inline=middle) == ["<a>"]


async def test_questions_of_the_child_reach_the_run_and_its_answers_go_in() -> None:
    workflow = one_node(
        "sub_workflow", inline=child("ask", question="Go on?", free_text=True)
    )
    (asked,) = (await workflow.run("x")).get_request_info_events()
    assert asked.source_executor_id == "it"
    (answer,) = (await workflow.run(responses={asked.request_id: "yes"})).get_outputs()
    assert answer == {"message": "x", "answer": "yes"}


async def test_a_question_that_is_passed_on_counts_once() -> None:
    inner = child("ask", question="Go on?")
    store = MemoryStore()
    await one_node("sub_workflow", inline=child("sub_workflow", inline=inner)).run(
        "x", checkpoint_storage=store
    )
    newest = await store.latest()
    assert newest is not None
    assert newest.requests == 1


async def test_a_moment_tells_of_what_runs_inside_at_any_depth_until_it_has_ended() -> (
    None
):
    inner = child("ask", question="Go on?")
    workflow = one_node("sub_workflow", inline=child("sub_workflow", inline=inner))
    store = MemoryStore()
    (asked,) = (
        await workflow.run("x", checkpoint_storage=store)
    ).get_request_info_events()
    newest = await store.latest()
    assert newest is not None
    snapshot = Snapshot.of(await Archive(store).view(newest.id))
    outer = snapshot.inside(("it",), (), NO_EXTRAS)
    inner_most = snapshot.inside(("it", "t"), (), NO_EXTRAS)
    assert outer.moment is not None
    assert inner_most.moment is not None
    assert (len(outer.runs), outer.moment.nodes["o"].state) == (1, "idle")
    assert inner_most.moment.nodes["t"].state == "asking"
    assert inner_most.moment.header == outer.moment.header is not None
    assert inner_most.keys == ("it#1", "t#1")
    await workflow.run(responses={asked.request_id: True}, checkpoint_storage=store)
    newest = await store.latest()
    assert newest is not None
    gone = Snapshot.of(await Archive(store).view(newest.id)).inside(
        ("it", "t"), (), NO_EXTRAS
    )
    assert (gone.runs, gone.moment, gone.keys) == ((), None, ("", ""))


async def test_of_several_runs_inside_the_newest_is_shown_or_the_one_that_is_asked_for() -> (
    None
):
    inner = child("template", text="x")
    inner["workflow"]["nodes"].insert(
        1, {"id": "q", "type": "ask", "params": {"question": "Go on?"}}
    )
    inner["workflow"]["edges"] = [
        {"kind": "direct", "source": "t", "target": "q"},
        {"kind": "direct", "source": "q", "target": "o"},
    ]
    workflow = definition("sub_workflow", {"inline": inner})
    nodes = (
        NodeDefinition(id="a", type="input"),
        NodeDefinition(id="b", type="switch"),
        *workflow.nodes,
    )
    edges = [("a", "b"), ("a", "it"), ("b", "it")]
    drawn = workflow.model_copy(
        update={
            "start": "a",
            "nodes": nodes,
            "edges": (
                *workflow.edges,
                *(DirectEdge(id=f"{s}{t}", source=s, target=t) for s, t in edges),
            ),
        }
    )
    store = MemoryStore()
    await build(drawn).run("x", checkpoint_storage=store)
    newest = await store.latest()
    assert newest is not None
    snapshot = Snapshot.of(await Archive(store).view(newest.id))
    found = snapshot.inside(("it",), (), NO_EXTRAS)
    assert [(run.key, run.questions) for run in found.runs] == [
        ("it#1", 1),
        ("it#2", 1),
    ]
    assert found.keys == ("it#2",)
    assert found.moment is not None
    # no superstep of its own
    assert (found.moment.nodes["t"].state, found.moment.nodes["t"].detail) == (
        "done",
        "",
    )
    assert found.moment.nodes["q"].state == "asking"
    assert snapshot.inside(("it",), ("it#1",), NO_EXTRAS).keys == ("it#1",)
    # one that has ended
    assert snapshot.inside(("it",), ("it#7",), NO_EXTRAS).keys == ("it#2",)


async def test_inside_of_a_file_its_state_is_shown_by_what_is_drawn_there(
    tmp_path: Path,
) -> None:
    write(tmp_path, "part.json", child("ask", question="Go on?"))
    store = MemoryStore()
    await build(definition("sub_workflow", {"file": "part.json"}), None, tmp_path).run(
        "x", checkpoint_storage=store
    )
    newest = await store.latest()
    assert newest is not None
    found = Snapshot.of(await Archive(store).view(newest.id)).inside(
        ("it",), (), NO_EXTRAS
    )
    assert found.moment is not None
    assert found.moment.definition is not None
    assert [node["id"] for node in found.moment.definition["nodes"]] == ["t", "o"]
    assert found.moment.nodes["t"].state == "asking"


# --- the signature ------------------------------------------------------------------------------------------------


def test_the_signature_has_the_child_in_it() -> None:
    one, same = (one_node("sub_workflow", inline=child()) for _ in range(2))
    assert one.signature() == same.signature()
    assert (
        one.signature()
        != one_node(
            "sub_workflow", inline=child("json_transform", expression="message")
        ).signature()
    )


async def test_a_checkpoint_says_which_node_inside_is_another() -> None:
    store = MemoryStore()
    runner = Runner(one_node("sub_workflow", inline=child()), store)
    await runner.start("x")
    header = runner.header
    assert header is not None
    other = Runner(one_node("sub_workflow", inline=child("input")), store)
    with pytest.raises(SignatureMismatchError) as caught:
        await other.restore(header.id)
    assert any(
        "nodes[it]" in line and "nodes[t].type" in line
        for line in caught.value.differences
    )


# --- refusals -----------------------------------------------------------------------------------------------------


def test_files_that_contain_each_other_are_refused_with_their_names(
    tmp_path: Path,
) -> None:
    write(tmp_path, "a.json", child("sub_workflow", file="b.json"))
    write(tmp_path, "b.json", child("sub_workflow", file="a.json"))
    with pytest.raises(DefinitionError, match=r"a\.json → b\.json → a\.json"):
        one_node("sub_workflow", tmp_path, file="a.json")
    (problem,) = found(tmp_path, file="a.json")
    assert "a.json → b.json → a.json" in problem.message
    assert (problem.location, problem.inside) == ("it", ("t", "t"))


def test_a_document_that_names_itself_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write(tmp_path, "a.json", child("sub_workflow", file="a.json"))
    workflow = read_file(path).workflow
    assert (
        "a.json → a.json"
        in check(workflow, INFOS, tmp_path, (str(path.resolve()),))[0].message
    )


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({}, "no workflow yet"),
        ({"file": "gone.json"}, "'gone.json' is not there"),
        ({"file": "newer.json"}, f"format {FILE_FORMAT + 1}"),
        ({"file": "broken.json"}, "Not valid JSON"),
        ({"file": "."}, "cannot be read"),
        ({"file": "a\0b"}, "cannot be read"),
        ({"file": "gone.json", "inline": child()}, "Remove one of them"),
        (
            {"inline": {"format": FILE_FORMAT + 1, "workflow": {}}},
            f"format {FILE_FORMAT + 1}",
        ),
        ({"inline": {"workflow": {"nodes": 3}}}, "workflow.nodes"),
        ({"inline": {"workflow": {}}}, "no start|empty"),
    ],
)
def test_what_cannot_be_a_child_is_refused_and_told_at_the_node(
    params: dict[str, Any], words: str, tmp_path: Path
) -> None:
    write(tmp_path, "newer.json", {**child(), "format": FILE_FORMAT + 1})
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(DefinitionError, match=words) as caught:
        one_node("sub_workflow", tmp_path, **params)
    assert caught.value.location == "it"
    problems = [one for one in found(tmp_path, **params) if one.severity == "error"]
    assert {problem.location for problem in problems} == {"it"}


def test_workflows_that_stand_too_deep_in_each_other_are_refused() -> None:
    inner = child()
    for _ in range(MOST_LEVELS + 1):
        inner = child("sub_workflow", inline=inner)
    with pytest.raises(DefinitionError, match="are nested"):
        one_node("sub_workflow", inline=inner)
    assert any("are nested" in problem.message for problem in found(inline=inner))


# --- problems inside ----------------------------------------------------------------------------------------------


def test_a_problem_inside_is_told_at_the_node_with_the_way_to_it() -> None:
    broken = child("template", text="{message")
    (problem,) = found(inline=child("sub_workflow", inline=broken))
    assert problem.location == "it"
    assert problem.inside == ("t", "t")
    assert problem.message.startswith("it › t › t")


def test_without_a_folder_no_file_is_looked_at() -> None:
    assert found(file="gone.json") == []


def test_checking_a_child_imports_nothing(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def f(message): ...\nraise SystemExit(3)")
    write(tmp_path, "inner.json", child("python_function", function="bad:f"))
    assert found(tmp_path, file="inner.json") == []


# --- ports --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "inputs", "outputs"),
    [
        ({"inline": child()}, ("Any",), ("str",)),
        ({"inline": child(), "direct_output": True}, ("Any",), ()),
        ({"inline": child(yields=False)}, ("Any",), ()),
        (
            {"inline": child("collect", into="text")},
            INFOS["collect"].inputs,
            INFOS["collect"].outputs,
        ),
        ({"inline": child("sub_workflow", inline=child())}, ("Any",), ("str",)),
        ({"inline": child("input")}, ("Any",), INFOS["input"].outputs),
        ({"inline": child("python_function", function="a:b")}, ("Any",), ("Any",)),
        ({"inline": child("nobody_knows")}, ("Any",), ("Any",)),
        ({}, ("Any",), ("Any",)),
        ({"file": "inner.json"}, ("Any",), ("str",)),
        ({"file": "gone.json"}, ("Any",), ("Any",)),
    ],
)
def test_ports_are_those_of_the_child(
    params: dict[str, Any],
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    tmp_path: Path,
) -> None:
    write(tmp_path, "inner.json", child())
    info = info_of(node(**params), INFOS, tmp_path)
    assert info is not None
    assert (info.inputs, info.outputs) == (inputs, outputs)


def test_types_along_edges_are_checked_against_the_child() -> None:
    workflow = WorkflowDefinition.model_validate(
        {
            "start": "a",
            "nodes": [
                {"id": "a", "type": "template", "params": {"text": "x"}},
                {
                    "id": "it",
                    "type": "sub_workflow",
                    "params": {"inline": child("collect")},
                },
            ],
            "edges": [{"kind": "direct", "id": "e", "source": "a", "target": "it"}],
        }
    )
    assert [
        one.location for one in check(workflow, INFOS) if one.rule == "types-fit"
    ] == ["e"]


def test_workflows_whose_number_is_a_power_are_refused_and_not_counted_out(
    tmp_path: Path,
) -> None:
    """Thirty files, of which each has the next one three times: two hundred million
    million workflows.
    """
    for number in range(30):
        nodes = [
            {
                "id": f"s{at}",
                "type": "sub_workflow",
                "params": {"file": f"{number + 1}.json"},
            }
            for at in range(3)
        ]
        flow = {"name": "w", "start": "s0", "nodes": nodes, "edges": []}
        (tmp_path / f"{number}.json").write_text(json.dumps({"workflow": flow}))
    (tmp_path / "30.json").write_text(json.dumps({"workflow": child()["workflow"]}))
    with pytest.raises(DefinitionError, match=f"more than {MOST_INSIDE} workflows"):
        one_node("sub_workflow", tmp_path, file="0.json")
    assert any(
        "more than" in problem.message for problem in found(tmp_path, file="0.json")
    )
