"""A workflow in Python becomes a document that leads back to it: equal signature, same
results, no silent loss.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from resources import Example, examples
from runtime.checks.check import check
from runtime.document.definition import (
    DirectEdge,
    MultiSelectionEdge,
    SwitchEdge,
    WorkflowFile,
)
from runtime.document.files import parse, read_file, serialise
from runtime.errors import DefinitionError
from runtime.export.python import to_python
from runtime.loader.python_links import linked_executor, linked_workflow
from runtime.nodes import catalogue
from tests.documents import build, import_workflow

PROGRAMS = Path(__file__).parents[1] / "compatibility" / "programs"
# What is put after a program: the workflow that its `main` builds first, as a function
# without arguments.
TAKE = """

class _Built(Exception):
    pass


class WorkflowBuilder(WorkflowBuilder):
    def build(self):
        raise _Built(super().build())


def made():
    try:
        main().send(None)
    except _Built as built:
        return built.args[0]
"""
SIMPLE = (
    "01_chain", "02_edge_conditions", "03_fan_out", "04_fan_in_order", "05_fan_in_unequal", "07_switch_case",
    "08_switch_shared_target", "09_multi_selection", "11_loop", "13_shared_state", "14_class_handlers", "17_unions",
    "27_request", "59_stalled_join",
)  # fmt: skip
KINDS = """
from functools import partial
from runtime import Case, Default, Executor, WorkflowBuilder, WorkflowContext, executor, handler
from runtime.expressions.cel import Condition


@executor(id="one")
async def one(message: int, ctx: WorkflowContext[int]) -> None:
    await ctx.send_message(message + 1)


class Worker(Executor):
    def __init__(self, id, log):
        super().__init__(id)
        self.log = log

    @handler
    async def work(self, message: int, ctx: WorkflowContext[int, str]) -> None:
        self.log.append(self.id)
        if self.id == "e":
            await ctx.yield_output(f"{message} by {len(self.log)}")
        await ctx.send_message(message)


def is_large(message):
    return message > 10


def above(limit, message):
    return message > limit


def pick(message, targets):
    return targets[: message % 2 + 1]


def make():
    log = []
    a, b, c, d, e = (Worker(id, log) for id in "abcde")
    return (
        WorkflowBuilder(start_executor=one, name="kinds", description="All kinds.", max_iterations=9)
        .add_edge(one, a, condition=is_large)
        .add_edge(one, b, condition=lambda message: message <= 10)
        .add_switch_case_edge_group(
            a, [Case(Condition("message > 20"), c, "big"), Case(partial(above, 15), d), Default(e)], id="route"
        )
        .add_multi_selection_edge_group(b, [c, d], pick)
        .add_fan_out_edges(c, [d, e])
    )


workflow = make().build()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "kinds.py").write_text(KINDS, "utf-8")
    return tmp_path


def again(file: WorkflowFile, folder: Path) -> Any:
    return build(parse(serialise(file)).workflow, folder=folder)


@pytest.mark.parametrize("name", SIMPLE)
def test_a_program_for_agent_framework_keeps_its_signature(
    name: str, tmp_path: Path
) -> None:
    source = (PROGRAMS / f"{name}.py").read_text("utf-8")
    source = re.sub(
        r"^from agent_framework import",
        "from runtime import",
        source,
        flags=re.MULTILINE,
    )
    (tmp_path / f"program_{name}.py").write_text(source + TAKE, "utf-8")
    reference = f"program_{name}:made"
    file = import_workflow(reference, tmp_path)
    assert (
        again(file, tmp_path).signature()
        == linked_workflow(reference, tmp_path).signature()
    )


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
def test_an_example_goes_out_to_python_and_in_again(
    example: Example, tmp_path: Path
) -> None:
    definition = read_file(example.path).workflow
    for module in example.path.parent.glob("*.py"):
        (tmp_path / module.name).write_bytes(module.read_bytes())
    (tmp_path / f"out_{example.name}.py").write_text(to_python(definition), "utf-8")
    file = import_workflow(f"out_{example.name}:workflow", tmp_path)
    assert (
        again(file, tmp_path).signature()
        == build(definition, folder=tmp_path).signature()
    )
    before = [edge.model_dump() for edge in definition.edges]
    # conditions in CEL stay what they are
    assert [edge.model_dump() for edge in file.workflow.edges] == before


@pytest.mark.parametrize("attribute", ["make", "workflow"])
async def test_a_document_leads_back_to_its_code(attribute: str, folder: Path) -> None:
    file = import_workflow(f"kinds:{attribute}", folder)
    workflow = linked_workflow(f"kinds:{attribute}", folder)
    made = again(file, folder)
    assert made.signature() == workflow.signature()
    assert (made.name, made.description, made.max_iterations) == (
        "kinds",
        "All kinds.",
        9,
    )
    for number in (3, 12, 30):
        found = [
            (await one.run(number)).get_outputs()
            for one in (again(file, folder), workflow)
        ]
        assert [len(outputs) for outputs in found] == [len(found[1])] * 2
        assert found[1]


def test_conditions_are_named_where_they_have_a_name_and_placed_where_not(
    folder: Path,
) -> None:
    file = import_workflow("kinds:make", folder)
    large, small, route, selection, _ = file.workflow.edges
    assert isinstance(large, DirectEdge)
    assert isinstance(small, DirectEdge)
    assert (large.condition, small.condition) == (
        "py:kinds:is_large",
        "py:kinds:make#1",
    )
    assert isinstance(route, SwitchEdge)
    assert [(case.name, case.when) for case in route.cases] == [
        ("big", "message > 20"),
        ("", "py:kinds:make#2.1"),
    ]
    assert route.id == "route"
    assert isinstance(selection, MultiSelectionEdge)
    assert {one.when for one in selection.selections} == {"py:kinds:make#3"}
    assert {node.type for node in file.workflow.nodes} == {"python_executor"}
    assert (
        check(file.workflow, {info.type: info for info in catalogue().infos()}, folder)
        == []
    )


def test_a_name_that_leads_to_another_function_is_not_used(tmp_path: Path) -> None:
    code = KINDS.partition("def make")[0] + "a, b = (Worker(id, []) for id in 'ab')\n"
    code += "workflow = WorkflowBuilder(start_executor=a).add_edge(a, b, condition=is_large).build()\n"
    (tmp_path / "rebound.py").write_text(
        code + "def is_large(message):\n    return False\n"
    )
    (edge,) = import_workflow("rebound:workflow", tmp_path).workflow.edges
    assert isinstance(edge, DirectEdge)
    assert edge.condition == "py:rebound:workflow#0"


def test_executors_of_one_build_know_each_other_and_no_other_build(
    folder: Path,
) -> None:
    first = [linked_executor("kinds:make", folder, id) for id in "abc"]
    second = [linked_executor("kinds:make", folder, id) for id in "abc"]
    logs = [{id(executor.log) for executor in group} for group in (first, second)]  # type: ignore[attr-defined]
    assert [len(found) for found in logs] == [1, 1]
    assert not logs[0] & logs[1]


@pytest.mark.parametrize("attribute", ["make", "workflow"])
def test_changed_code_is_what_the_document_means_next(
    attribute: str, folder: Path
) -> None:
    file = import_workflow(f"kinds:{attribute}", folder)
    before = again(file, folder).signature()
    (folder / "kinds.py").write_text(
        KINDS.replace("message <= 10", "message <= 100"), "utf-8"
    )
    after = again(file, folder).signature()
    assert after == linked_workflow(f"kinds:{attribute}", folder).signature() != before


RULES = """
def most(one, other):
    return max(one, other)


@executor(id="fan")
async def fan(message: int, ctx: WorkflowContext[int, str]) -> None:
    await ctx.send_message(message)
    await ctx.yield_output("began")


def writer(id, factor):
    @executor(id=id)
    async def write(message: int, ctx: WorkflowContext[int, int]) -> None:
        ctx.set_state("most", message * factor)
        ctx.set_state("sum", message * factor)
        ctx.set_state("last", message * factor)
        await ctx.yield_output(message * factor)
        await ctx.send_message(0)

    return write


@executor(id="show")
async def show(message: list[int], ctx: WorkflowContext[None, list]) -> None:
    await ctx.yield_output([ctx.get_state(key) for key in ("most", "sum", "last")])


def rules():
    two, three = writer("two", 2), writer("three", 3)
    return (
        WorkflowBuilder(
            start_executor=fan,
            reducers={"most": most, "sum": lambda one, other: one + other},
            state_conflicts="last",
            output_from=[two, show],
            intermediate_output_from=[fan],
        )
        .add_fan_out_edges(fan, [two, three])
        .add_fan_in_edges([two, three], show)
    )
"""


async def results(workflow: Any) -> tuple[list[Any], list[Any]]:
    """What a run puts out, and what it tells on the way."""
    found = await workflow.run(10)
    return found.get_outputs(), [
        event.data for event in found if event.type == "intermediate"
    ]


async def test_rules_of_the_state_and_whose_outputs_count_come_along_into_the_file_and_out_again(
    tmp_path: Path,
) -> None:
    (tmp_path / "kept_rules.py").write_text(KINDS.partition("def is_large")[0] + RULES)
    file = import_workflow("kept_rules:rules", tmp_path)
    assert file.workflow.reducers == {
        "most": "kept_rules:most",
        "sum": "kept_rules:rules#sum",
    }
    assert {node.id: node.outputs for node in file.workflow.nodes if node.outputs} == {
        "fan": "intermediate",
        "three": "none",
    }
    expected = await results(linked_workflow("kept_rules:rules", tmp_path))
    assert expected == ([20, [30, 50, 30]], ["began"])
    assert await results(again(file, tmp_path)) == expected
    space: dict[str, Any] = {
        "__file__": str(tmp_path / "exported.py"),
        "__name__": "exported",
    }
    exec(to_python(file.workflow), space)  # noqa: S102 - our own program
    assert await results(space["workflow"]) == expected


@pytest.mark.parametrize(
    ("reducers", "words"),
    [
        ({"sum": "kept_rules:rules#other"}, "no reducer of 'other' any more"),
        ({"sum": "kept_rules:fan"}, "must be a plain function"),
        ({"sum": "kept_rules:nothing"}, "has no 'nothing'"),
    ],
)
def test_a_reducer_that_is_none_is_refused_with_what_to_do(
    reducers: dict[str, str], words: str, tmp_path: Path
) -> None:
    (tmp_path / "kept_rules.py").write_text(KINDS.partition("def is_large")[0] + RULES)
    workflow = import_workflow("kept_rules:rules", tmp_path).workflow.model_copy(
        update={"reducers": reducers}
    )
    with pytest.raises(DefinitionError, match=words):
        build(workflow, folder=tmp_path)


def test_files_without_such_rules_stay_as_they_were() -> None:
    text = serialise(
        parse('{"workflow": {"nodes": [{"id": "a", "type": "b"}]}}')
    ).decode()
    assert not [
        word
        for word in ("reducers", "state_conflicts", "outputs", "off")
        if word in text
    ]


def test_a_default_that_does_not_stand_last_is_refused_by_name(tmp_path: Path) -> None:
    head = (
        KINDS.partition("def is_large")[0]
        + 'a, b, c = (Worker(id, []) for id in "abc")\n'
    )
    call = '.add_switch_case_edge_group(a, [Default(b), Case(bool, c)], id="first")'
    (tmp_path / "odd.py").write_text(
        head + f"workflow = WorkflowBuilder(start_executor=a){call}.build()\n"
    )
    with pytest.raises(
        DefinitionError, match="the switch 'first' whose default does not stand last"
    ):
        import_workflow("odd:workflow", tmp_path)


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("kinds", "not of the form module:name"),
        ("kinds:nothing", "has no 'nothing'"),
        ("no_such:workflow", "cannot be imported"),
        ("kinds:KINDS", "has no 'KINDS'"),
        ("kinds:is_large", "makes no workflow: it raised TypeError"),
        ("kinds:one", "makes no workflow|is no workflow"),
    ],
)
def test_what_is_no_workflow_is_refused_with_a_reason(
    reference: str, words: str, folder: Path
) -> None:
    with pytest.raises(DefinitionError, match=words):
        import_workflow(reference, folder)


def test_a_node_that_the_code_does_not_have_is_named(folder: Path) -> None:
    file = import_workflow("kinds:make", folder)
    nodes = [
        node if node.id != "a" else node.model_copy(update={"id": "z"})
        for node in file.workflow.nodes
    ]
    with pytest.raises(
        DefinitionError, match="has no executor 'z'; it has 'one', 'a'"
    ) as caught:
        build(file.workflow.model_copy(update={"nodes": tuple(nodes)}), folder=folder)
    assert caught.value.location == "z"


def test_a_place_without_a_condition_and_a_torn_selection_are_refused_at_the_edge(
    folder: Path,
) -> None:
    file = import_workflow("kinds:make", folder)
    gone = file.workflow.edges[1].model_copy(update={"condition": "py:kinds:make#99"})
    selection = file.workflow.edges[3]
    assert isinstance(selection, MultiSelectionEdge)
    first = selection.selections[0].model_copy(update={"when": "message > 1"})
    torn = selection.model_copy(
        update={"selections": (first, *selection.selections[1:])}
    )
    for edge, words in (
        (gone, "no condition at 99 any more"),
        (torn, "decides about all ways at once"),
    ):
        edges = tuple(edge if one.id == edge.id else one for one in file.workflow.edges)
        with pytest.raises(DefinitionError, match=words) as caught:
            build(file.workflow.model_copy(update={"edges": edges}), folder=folder)
        assert caught.value.location == edge.id


@pytest.mark.parametrize("attribute", ["make", "workflow"])
def test_an_imported_document_goes_out_as_python_with_the_same_signature(
    attribute: str, folder: Path
) -> None:
    file = import_workflow(f"kinds:{attribute}", folder)
    space: dict[str, Any] = {
        "__file__": str(folder / "exported.py"),
        "__name__": "exported",
    }
    exec(to_python(file.workflow), space)  # noqa: S102 - our own program
    assert (
        space["workflow"].signature()
        == linked_workflow(f"kinds:{attribute}", folder).signature()
    )


async def test_a_workflow_inside_of_an_executor_comes_along(tmp_path: Path) -> None:
    code = KINDS.partition("def make")[0] + "from runtime import WorkflowExecutor\n"
    code += "def inner():\n    a, e = Worker('a', []), Worker('e', [])\n"
    code += "    return WorkflowBuilder(start_executor=a).add_edge(a, e, condition=lambda n: n > 1).build()\n"
    code += "def outer():\n    team, e = WorkflowExecutor(inner(), 'team', allow_direct_output=True), Worker('e', [])\n"
    code += "    return WorkflowBuilder(start_executor=one).add_edge(one, team).add_edge(team, e).build()\n"
    (tmp_path / "nested.py").write_text(code)
    file = import_workflow("nested:outer", tmp_path)
    made = again(file, tmp_path)
    assert made.signature() == linked_workflow("nested:outer", tmp_path).signature()
    assert (await made.run(5)).get_outputs() == ["6 by 1"]
