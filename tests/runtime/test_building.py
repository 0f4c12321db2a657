"""From data to a workflow: what arrives in the engine, whose modules are used, and
where errors are.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from runtime.document.definition import WorkflowDefinition
from runtime.edges import EDGE_KINDS
from runtime.engine.runner import Runner
from runtime.errors import ConditionError, DefinitionError, WorkflowValidationError
from runtime.loader.python_modules import load
from runtime.stores.memory import MemoryStore
from tests.documents import build


def workflow(
    edges: list[dict[str, Any]], *nodes: dict[str, Any], **fields: Any
) -> WorkflowDefinition:
    """Nodes named in edges and nowhere else are inputs; `end` is an output."""
    given = {node["id"]: node for node in nodes}
    named = {
        name
        for edge in edges
        for name in json.dumps(edge).split('"')
        if name in ("a", "b", "c", "d", "end")
    }
    for name in sorted(named - set(given)):
        given[name] = {"id": name, "type": "output" if name == "end" else "input"}
    return WorkflowDefinition.model_validate(
        {
            "start": "a",
            **fields,
            "nodes": list(given.values()),
            "edges": [{"id": f"e{at}", **edge} for at, edge in enumerate(edges)],
        }
    )


def direct(source: str, target: str, condition: str = "") -> dict[str, Any]:
    return {
        "kind": "direct",
        "source": source,
        "target": target,
        "condition": condition,
    }


ALL_KINDS = [
    {"kind": "fan_out", "source": "a", "targets": ["b", "c"]},
    {"kind": "fan_in", "sources": ["b", "c"], "target": "d", "policy": "zip"},
    {
        "kind": "switch",
        "source": "d",
        "cases": [{"name": "big", "when": "message.size() > 2", "target": "x"}],
        "default": "y",
    },
    {
        "kind": "multi_selection",
        "source": "x",
        "selections": [{"target": "end", "when": "true"}, {"target": "z"}],
    },
    direct("y", "end"),
    direct("z", "end"),
    {"kind": "on_error", "source": "a", "target": "z"},
]
REST = [{"id": name, "type": "switch"} for name in "xyz"]


async def test_every_edge_kind_is_built_under_its_id_and_runs() -> None:
    made = build(workflow(ALL_KINDS, *REST))
    assert [group.id for group in made.edge_groups] == [
        f"e{at}" for at in range(len(ALL_KINDS))
    ]
    assert {group.kind for group in made.edge_groups} == set(EDGE_KINDS)
    assert made.joins[0].policy == "zip"
    assert (await made.run("m")).get_outputs() == [["m", "m"]]


async def test_conditions_decide_and_a_multi_selection_takes_every_true_way() -> None:
    selections = [
        {"target": name, "when": f"message.startsWith('{name}')"} for name in ("b", "c")
    ]
    ways = {
        "kind": "multi_selection",
        "source": "a",
        "selections": [*selections, {"target": "d"}],
    }
    nodes = [
        {"id": name, "type": "template", "params": {"text": name}} for name in "bcd"
    ]
    made = build(
        workflow(
            [
                ways,
                direct("b", "end"),
                direct("c", "end"),
                direct("d", "end", "message == 'd'"),
            ],
            *nodes,
        )
    )
    assert (await made.run("b")).get_outputs() == ["b", "d"]
    assert (await made.run("x")).get_outputs() == ["d"]


async def test_case_16_a_condition_that_fails_fails_the_run_and_names_edge_and_case() -> (
    None
):
    switch = {
        "kind": "switch",
        "source": "a",
        "cases": [{"name": "x", "when": "message.x > 1", "target": "b"}],
        "default": "end",
    }
    made = build(workflow([switch, direct("b", "end")]))
    with pytest.raises(ConditionError) as caught:
        await made.run({})
    told = str(caught.value) + "".join(caught.value.__notes__)
    assert "no field x" in told
    assert "case 1 (x) of edge 'e0'" in told


async def test_checkpoints_carry_the_definition_from_which_the_workflow_can_be_built_again(
    tmp_path,
) -> None:
    from runtime.checkpoints.archive import Archive

    store = MemoryStore()
    definition = workflow([direct("a", "end")], name="w", max_supersteps=7)
    made = build(definition, folder=tmp_path)
    await made.run("m", checkpoint_storage=store)
    carried = (await Archive(store).view((await store.headers())[0].id)).definition
    assert carried is not None
    assert carried["folder"] == str(tmp_path.resolve())
    again = build(
        WorkflowDefinition.model_validate(carried["workflow"]), folder=carried["folder"]
    )
    assert again.graph_signature_hash == made.graph_signature_hash
    assert (
        again.name,
        again.max_iterations,
        build(definition, max_supersteps=3).max_iterations,
    ) == ("w", 7, 3)


def test_the_signature_depends_on_what_runs_and_not_on_names_or_places(
    tmp_path,
) -> None:
    def signature(
        folder: Path = tmp_path, condition: str = "message > 1", **fields: Any
    ) -> str:
        nodes = [
            {
                "id": "a",
                "type": "python_function",
                "name": fields.pop("title", ""),
                "params": {"function": "work:f"},
            }
        ]
        return build(
            workflow([direct("a", "end", condition)], *nodes, **fields), folder=folder
        ).graph_signature_hash

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for folder in (tmp_path, elsewhere):
        (folder / "work.py").write_text("def f(message): return message")
    assert (
        signature()
        == signature(elsewhere)
        == signature(name="x", title="A", max_supersteps=3)
    )
    assert signature() != signature(condition="message > 2")


# --- modules of documents -----------------------------------------------------------------------------------------

MODULE = """
from dataclasses import dataclass
from helper import NAME

@dataclass
class Thing:
    name: str

def make(message: str) -> Thing:
    return Thing(NAME)

def late(message: str) -> str:
    import json
    return json.dumps(message)
"""


def folder_of(path: Path, name: str, module: str = "work") -> Path:
    path.mkdir()
    (path / f"{module}.py").write_text(MODULE)
    (path / "helper.py").write_text(f"NAME = {name!r}")
    return path


async def test_documents_with_equal_module_names_do_not_get_each_others_code(
    tmp_path,
) -> None:
    node = {"id": "a", "type": "python_function", "params": {"function": "work:make"}}
    definition = workflow([direct("a", "end")], node)
    one = build(definition, folder=folder_of(tmp_path / "one", "one"))
    two = build(definition, folder=folder_of(tmp_path / "two", "two"))
    again = build(definition, folder=tmp_path / "one")
    names = [(await made.run("m")).get_outputs()[0].name for made in (one, two, again)]
    assert names == ["one", "two", "one"]
    assert one.executors["a"].function is again.executors["a"].function  # type: ignore[attr-defined]
    assert load("work:Thing", tmp_path / "two").__module__ == "work"


def test_a_module_that_hides_an_installed_one_does_so_for_its_folder_only(
    tmp_path,
) -> None:
    import colorsys

    folder = tmp_path / "doc"
    folder.mkdir()
    (folder / "colorsys.py").write_text("MINE = True")
    (folder / "user.py").write_text("import colorsys\nMINE = colorsys.MINE")
    assert load("user:MINE", folder) is True
    assert sys.modules["colorsys"] is colorsys
    assert load("colorsys:MINE", folder) is True
    assert load("colorsys:rgb_to_hsv", tmp_path) is colorsys.rgb_to_hsv


def test_a_changed_source_is_loaded_anew_with_all_that_uses_it(tmp_path) -> None:
    folder = folder_of(tmp_path / "doc", "before")
    assert load("work:NAME", folder) == "before"
    (folder / "helper.py").write_text("NAME = 'after it'")
    os.utime(folder / "helper.py", ns=(1, 1))
    assert load("work:NAME", folder) == "after it"


def test_a_document_beside_the_program_itself_does_not_load_it_twice(tmp_path) -> None:
    import runtime.executors.executor

    root = Path(runtime.executors.executor.__file__).parents[1]
    assert (
        load("runtime.executors.executor:Executor", root)
        is runtime.executors.executor.Executor
    )
    (tmp_path / "runtime").mkdir()
    (tmp_path / "runtime" / "__init__.py").write_text("")
    (tmp_path / "mine.py").write_text("from runtime.executors.executor import Executor")
    assert load("mine:Executor", tmp_path) is runtime.executors.executor.Executor


def test_packages_and_dotted_names_are_found(tmp_path) -> None:
    (tmp_path / "pack" / "inner").mkdir(parents=True)
    (tmp_path / "pack" / "__init__.py").write_text("")
    (tmp_path / "pack" / "inner" / "__init__.py").write_text(
        "class Outer:\n    value = 3"
    )
    assert load("pack.inner:Outer.value", tmp_path) == 3


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("raise SystemExit(3)", "SystemExit"),
        ("1/0", "ZeroDivisionError"),
        ("def f(:", "SyntaxError"),
        ("import no_such", "no_such"),
    ],
)
def test_an_import_that_fails_is_told_as_the_nodes_error(
    tmp_path, content, words
) -> None:
    (tmp_path / "broken.py").write_text(content)
    with pytest.raises(DefinitionError, match=words) as caught:
        load("broken:f", tmp_path, "node")
    assert caught.value.location == "node"


async def test_python_predicates_are_named_and_loaded_when_built(tmp_path) -> None:
    (tmp_path / "tests_of.py").write_text(
        "def large(message): return message > 3\nnumber = 3"
    )
    made = build(workflow([direct("a", "end", "py:tests_of:large")]), folder=tmp_path)
    assert (await made.run(5)).get_outputs() == [5]
    assert (await made.run(1)).get_outputs() == []
    with pytest.raises(DefinitionError, match="no function") as caught:
        build(workflow([direct("a", "end", "py:tests_of:number")]), folder=tmp_path)
    assert caught.value.location == "e0"


# --- errors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("definition", "location", "words"),
    [
        (workflow([direct("a", "end", "message >")]), "e0", "line 1|Line 1"),
        (
            workflow([{"kind": "fan_in", "sources": ["a"], "target": "end"}]),
            "e0",
            "two sources",
        ),
        (
            workflow(
                [{"kind": "switch", "source": "a", "cases": [], "default": "end"}]
            ),
            "e0",
            "two cases",
        ),
        (workflow([direct("a", "end")], start=""), "", "no start"),
        (
            WorkflowDefinition.model_validate(
                {"start": "a", "nodes": [{"id": "a", "type": "input"}] * 2}
            ),
            "a",
            "'a'",
        ),
    ],
)
def test_what_cannot_be_built_is_refused_with_its_place(
    definition, location, words
) -> None:
    with pytest.raises(DefinitionError, match=words) as caught:
        build(definition)
    assert caught.value.location == location


def test_a_graph_that_cannot_work_is_the_engines_to_refuse() -> None:
    with pytest.raises(WorkflowValidationError):
        build(workflow([direct("a", "end"), direct("a", "end")]))


ITEMS = """
from dataclasses import dataclass

@dataclass
class Item:
    {field}: int

def make(message: int) -> Item:
    return Item(message)

def grow(message: Item) -> Item:
    return Item(message.{field} + 1)
"""


async def test_documents_with_modules_of_one_name_are_saved_each_with_its_own_classes(
    tmp_path: Path,
) -> None:
    store = MemoryStore()
    runners = []
    for field in ("size", "count"):
        folder = tmp_path / field
        folder.mkdir()
        (folder / "items.py").write_text(ITEMS.format(field=field))
        nodes = [function("a", "items:make"), function("b", "items:grow")]
        made = build(
            workflow([direct("a", "b"), direct("b", "end")], *nodes), folder=folder
        )
        runners.append(Runner(made, store))
    for runner in runners:
        await runner.start(1)
    # Side by side, each after the other has been built and saved.
    for _ in range(3):
        for runner in runners:
            await runner.step()
    for runner, field in zip(runners, ("size", "count"), strict=True):
        [first, *_] = await store.headers(run_id=runner.run_id)
        await runner.restore(first.id)
        await runner.finish()
        [output] = runner.trace.outputs
        assert vars(output.data) == {field: 2}


def function(node_id: str, reference: str) -> dict[str, Any]:
    return {"id": node_id, "type": "python_function", "params": {"function": reference}}
