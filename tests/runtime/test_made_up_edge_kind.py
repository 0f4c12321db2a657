"""A kind of edge that a package adds by the registry alone can do what the built-in
can.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from runtime.checkpoints.archive import Archive
from runtime.checks.check import check
from runtime.checks.try_conditions import try_value
from runtime.debug.graphs.drawn import drawn_definition
from runtime.debug.moments.moment import Snapshot
from runtime.document.definition import WorkflowDefinition
from runtime.document.files import json_schema, parse, serialise
from runtime.edges import EDGE_KINDS, EdgeGroup, registry
from runtime.edges.registry import EdgeKinds
from runtime.engine.runner import Runner
from runtime.errors import DefinitionError
from runtime.export.dot import to_dot
from runtime.export.json_schema import workflow_schema
from runtime.export.mermaid import to_mermaid
from runtime.export.picture_document import picture_of_document
from runtime.export.python import to_python
from runtime.export.viz import WorkflowViz
from runtime.graph.signature import graph_of
from runtime.nodes import catalogue
from runtime.stores.memory import MemoryStore
from tests.documents import build, import_workflow
from tests.runtime.made_up_edge_kind import EverySecondEdge, every_second_is_known

CODE = "def run(message: str) -> str:\n    return message + '{}'\n"


@pytest.fixture(autouse=True)
def _known() -> Iterator[None]:
    with every_second_is_known():
        yield


def node(id: str) -> dict[str, Any]:
    return {"id": id, "type": "inline_code", "params": {"code": CODE.format(id)}}


def document(**changes: Any) -> dict[str, Any]:
    """`r` sends two messages, one superstep apart; the second one goes on to `e`."""
    edges = [
        {"kind": "fan_out", "source": "s", "targets": ["r", "m"]},
        {"kind": "direct", "source": "m", "target": "r"},
        {"kind": "every_second", "source": "r", "target": "e", "note": "kept"},
    ]
    nodes = [*map(node, "srm"), {"id": "e", "type": "output"}]
    return {"workflow": {"start": "s", "nodes": nodes, "edges": edges, **changes}}


def workflow() -> WorkflowDefinition:
    return parse(json.dumps(document())).workflow


def infos() -> dict[str, Any]:
    return {info.type: info for info in catalogue().infos()}


def rules(**changes: Any) -> set[str]:
    definition = parse(json.dumps(document(**changes))).workflow
    return {problem.rule for problem in check(definition, infos())}


# --- documents ------------------------------------------------------------------------------


def test_a_file_with_it_is_read_and_written_with_all_fields() -> None:
    file = parse(json.dumps(document()))
    [*_, edge] = file.workflow.edges
    assert isinstance(edge, EverySecondEdge)
    assert (edge.id, edge.model_extra) == ("every_second-r", {"note": "kept"})
    assert parse(serialise(file)) == file


def test_without_the_kind_the_file_is_refused_by_name() -> None:
    kind = EDGE_KINDS["every_second"]
    EDGE_KINDS.remove("every_second")
    try:
        with pytest.raises(DefinitionError, match="every_second is not known here"):
            workflow()
    finally:
        EDGE_KINDS.register(kind)


def test_a_package_adds_it_by_an_entry_point(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    names = {
        "every_second": "tests.runtime.made_up_edge_kind:EVERY_SECOND",
        "broken": "tests.runtime.made_up_edge_kind:NOT_THERE",
        "again": "tests.runtime.made_up_edge_kind:EVERY_SECOND",
    }
    entries = [
        EntryPoint(name, value, registry.ENTRY_POINTS) for name, value in names.items()
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: entries)
    kinds = EdgeKinds(())
    found = kinds.find("every_second")
    assert found is not None
    assert found.definition is EverySecondEdge
    assert kinds.find("other") is None
    assert [record.args[0] for record in caplog.records] == ["broken", "again"]  # type: ignore[index]


def test_the_json_schema_of_files_has_it() -> None:
    schema = json_schema()
    jsonschema.validate(document(), schema)
    broken = document()
    del broken["workflow"]["edges"][2]["target"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, schema)


# --- checks ---------------------------------------------------------------------------------


def test_a_sound_document_has_no_problem_of_it() -> None:
    assert rules() == {"meeting-without-join", "field-known"}  # of r, and of the note


@pytest.mark.parametrize(
    ("edge", "rule"),
    [
        ({"source": "r", "target": "nobody"}, "edge-ends-exist"),
        ({"source": "r", "target": "r"}, "enough-ends"),
        ({"source": "r", "target": "s", "more": 1}, "field-known"),
        ({"source": "s", "target": "r"}, "pairs-unique"),
    ],
)
def test_it_is_checked_like_any_edge(edge: dict[str, Any], rule: str) -> None:
    edges = [*document()["workflow"]["edges"], {"kind": "every_second", **edge}]
    assert rule in rules(edges=edges)


def test_types_along_it_are_checked() -> None:
    text = {"id": "r", "type": "template", "params": {"template": "{{message}}"}}
    lists = {"id": "e", "type": "collect"}
    assert "types-fit" in rules(nodes=[node("s"), text, node("m"), lists])


def test_it_has_no_conditions_to_try() -> None:
    with pytest.raises(TypeError, match="every_second"):
        try_value(workflow().edges[-1], 1)


# --- runs -----------------------------------------------------------------------------------


async def test_it_goes_on_from_a_checkpoint_in_which_it_holds_a_message() -> None:
    store = MemoryStore()
    runner = Runner(build(workflow()), store)
    await runner.start("x")
    traces = [await runner.step() for _ in range(5)]
    outputs = [out.data for trace in traces if trace for out in trace.outputs]
    assert outputs == ["xsmr"]

    half_full = next(h for h in await store.headers() if h.buffered)
    again = Runner(build(workflow()), store)
    await again.restore(half_full.id)
    assert [join.held for join in again.held] == [{"r": 1}]
    outputs = []
    while (trace := await again.step()) is not None:
        outputs += [out.data for out in trace.outputs]
    assert outputs == ["xsmr"]


async def test_the_debugger_shows_what_it_holds_and_when_it_lets_go() -> None:
    store = MemoryStore()
    runner = Runner(build(workflow()), store)
    await runner.start("x")
    await runner.finish()
    half_full = next(h for h in await store.headers() if h.buffered)
    moment = Snapshot.of(await Archive(store).view(half_full.id)).moment()
    [join] = moment.joins
    assert (join.edge, join.target, join.held) == ("every_second-r", "e", 1)
    assert join.preview[0] == "When 2 messages are here, they are delivered to e."


def test_a_workflow_made_in_code_leaves_a_graph_with_it() -> None:
    graph = graph_of(build(workflow()))
    drawn = WorkflowDefinition.model_validate(drawn_definition(graph))
    assert isinstance(drawn.edges[-1], EverySecondEdge)
    assert drawn.edges[-1].pairs == (("r", "e"),)


# --- pictures and exports -------------------------------------------------------------------


def test_it_is_drawn_from_the_document_and_from_the_workflow(tmp_path: Path) -> None:
    from_document = picture_of_document(workflow())
    viz = WorkflowViz(build(workflow()))
    for text in (to_mermaid(from_document), viz.to_mermaid()):
        assert "every second" in text
    for text in (to_dot(from_document), viz.to_digraph()):
        assert "every second" in text
    file = viz.save_svg(str(tmp_path / "picture.svg"))
    assert "every second" in Path(file).read_text("utf-8")


def test_the_exported_program_builds_the_same_workflow(tmp_path: Path) -> None:
    program = to_python(workflow())
    assert "builder.add_edge_group(" in program
    names: dict[str, Any] = {"__file__": str(tmp_path / "it.py"), "__name__": "it"}
    exec(compile(program, "it.py", "exec"), names)  # noqa: S102 - as a user runs it
    assert names["workflow"].signature() == build(workflow()).signature()


def test_the_schema_of_input_and_output_goes_through_it() -> None:
    edges = [{"kind": "every_second", "source": "s", "target": "e"}]
    nodes = [{"id": "s", "type": "template"}, {"id": "e", "type": "output"}]
    definition = parse(json.dumps(document(nodes=nodes, edges=edges))).workflow
    schema = workflow_schema(definition, infos())
    assert schema["$defs"]["output"]["type"] == "string"


def test_a_workflow_in_python_with_it_becomes_a_document(tmp_path: Path) -> None:
    (tmp_path / "made_up_flow.py").write_text(
        "from runtime import Executor, WorkflowBuilder, WorkflowContext, handler\n"
        "from tests.runtime.made_up_edge_kind import EverySecondGroup\n"
        "class Step(Executor):\n"
        "    @handler\n"
        "    async def take(self, text: str, ctx: WorkflowContext[str]) -> None: ...\n"
        "steps = [Step('a'), Step('b')]\n"
        "builder = WorkflowBuilder(start_executor=steps[0], executors=steps)\n"
        "flow = builder.add_edge_group(EverySecondGroup('a', 'b')).build()\n"
    )
    file = import_workflow("made_up_flow:flow", tmp_path)
    assert isinstance(file.workflow.edges[0], EverySecondEdge)


def test_a_group_of_it_becomes_data_and_comes_back() -> None:
    group = build(workflow()).edge_groups[-1]
    again = EdgeGroup.from_dict(json.loads(json.dumps(group.to_dict())))
    assert again.structural_id() == group.structural_id()
