"""The JSON Schema of a workflow says what code in its folder is annotated with, and
none of that is run for it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from resources import Example, examples
from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    FanInEdge,
    FanOutEdge,
    NodeDefinition,
    WorkflowDefinition,
)
from runtime.document.files import read_file
from runtime.export.json_schema import workflow_schema
from runtime.nodes import catalogue

INFOS = {info.type: info for info in catalogue().infos()}
MODULE = '''
raise RuntimeError("this module must not be run")
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, Literal, Optional, TypedDict
from kinds import Kind

class Base(TypedDict, total=False):
    note: str

class Order(Base):
    """What a customer wants."""
    number: int
    kind: Kind
    lines: list["Line"]
    parent: Optional["Order"]

@dataclass
class Line:
    text: str
    count: int = 1
    tags: dict[str, float] = field(default_factory=dict)

Orders = list[Order]

def take(message: Orders, ctx: "WorkflowContext[int, str]") -> None: ...
def plain(message: Order) -> tuple[int, Literal["a", "b"]] | None: ...
def anything(message): ...
'''
KINDS = 'from enum import Enum\nclass Kind(Enum):\n    NEW = "new"\n    OLD = "old"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(MODULE)
    (tmp_path / "kinds.py").write_text(KINDS)
    return tmp_path


def node(id: str, type: str, **params: Any) -> NodeDefinition:
    return NodeDefinition(id=id, type=type, params=params)


def schema_of(
    folder: Path, nodes: list[NodeDefinition], *edges: EdgeDefinition
) -> dict[str, Any]:
    made = workflow_schema(
        WorkflowDefinition(start=nodes[0].id, nodes=nodes, edges=edges), INFOS, folder
    )
    jsonschema.Draft202012Validator.check_schema(made)
    return made


def fits(schema: dict[str, Any], value: Any, part: str = "") -> bool:
    wanted = {"$ref": f"#/$defs/{part}", "$defs": schema["$defs"]} if part else schema
    return bool(jsonschema.Draft202012Validator(wanted).is_valid(value))


def test_classes_of_the_folder_become_objects_also_over_modules_and_bases(
    folder: Path,
) -> None:
    made = schema_of(folder, [node("a", "python_function", function="shop:take")])
    order = {"number": 1, "kind": "new", "lines": [{"text": "x"}], "parent": None}
    assert fits(made, [order, {**order, "parent": order, "note": "n"}])
    for wrong in (
        {"number": "1"},
        {"kind": "newer"},
        {"lines": [{"count": 2}]},
        {"lines": [{"text": "", "tags": {"a": "b"}}]},
        {"note": 1},
    ):
        assert not fits(made, [{**order, **wrong}]), wrong
    assert made["$defs"]["Order"]["description"] == "What a customer wants."
    assert "shop" not in sys.modules


def test_what_a_function_puts_out_itself_is_an_output(folder: Path) -> None:
    made = schema_of(folder, [node("a", "python_function", function="shop:take")])
    assert (fits(made, "text", "output"), fits(made, 1, "output")) == (True, False)


def test_an_output_is_what_arrives_there_and_a_join_makes_a_list_of_it(
    folder: Path,
) -> None:
    nodes = [
        node("in", "input"),
        node("a", "template", text="x"),
        node("b", "python_function", function="shop:plain"),
    ]
    fan = FanOutEdge(id="f", source="in", targets=["a", "b"])
    join = FanInEdge(id="j", sources=["a", "b"], target="out")
    made = schema_of(folder, [*nodes, node("out", "output")], fan, join)
    assert fits(made, ["text", [1, "a"]], "output")
    assert not fits(made, [[1, "c"]], "output")
    assert not fits(made, "text", "output")


def test_the_start_may_pass_on_what_the_next_one_takes(folder: Path) -> None:
    nodes = [node("in", "input"), node("b", "python_function", function="shop:plain")]
    assert not fits(
        schema_of(folder, nodes, DirectEdge(id="e", source="in", target="b")), 3
    )


@pytest.mark.parametrize(
    "reference",
    ["shop:anything", "nowhere:f", "os.path:join", "../shop:take", "shop:Orders"],
)
def test_what_is_not_known_is_anything(reference: str, folder: Path) -> None:
    made = schema_of(folder, [node("a", "python_function", function=reference)])
    assert fits(made, 3)
    assert fits(made, 3, "output")


def test_each_question_has_the_schema_of_its_answers_those_inside_of_nodes_too(
    folder: Path,
) -> None:
    inner = WorkflowDefinition(
        start="q", nodes=[node("q", "ask", choices=["yes", "no"])]
    ).model_dump(mode="json")
    made = schema_of(
        folder,
        [node("q", "ask"), node("sub", "sub_workflow", inline={"workflow": inner})],
    )
    assert fits(made, True, "answer:q")
    answer = made["$defs"]["answer:sub/q"]
    assert [
        jsonschema.Draft202012Validator(answer).is_valid({"verdict": one})
        for one in ("yes", "maybe")
    ] == [
        True,
        False,
    ]


def test_code_in_the_document_is_read_too_and_bad_code_is_anything(
    folder: Path,
) -> None:
    good = schema_of(
        folder,
        [node("a", "inline_code", code="def run(message: list[int]) -> None: ...")],
    )
    assert (fits(good, [1]), fits(good, ["x"])) == (True, False)
    assert fits(schema_of(folder, [node("a", "inline_code", code="def run(")]), 1)


def test_classes_that_contain_or_inherit_themselves_end(folder: Path) -> None:
    (folder / "loops.py").write_text(
        "from typing import TypedDict\nfrom loops import Z\nclass A(B): x: int\nclass B(A): y: int\n"
        "class N(TypedDict):\n    next: 'N'\ndef f(message: N | A | Z): ...\n"
    )
    assert schema_of(folder, [node("a", "python_function", function="loops:f")])


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
def test_the_input_of_an_example_fits_its_schema(example: Example) -> None:
    definition = read_file(example.path).workflow
    made = workflow_schema(definition, INFOS, example.path.parent)
    jsonschema.Draft202012Validator.check_schema(made)
    assert fits(made, definition.input)
    assert {key for key in made["$defs"] if key.startswith("answer:")} == {
        f"answer:{one.id}" for one in definition.nodes if one.type == "ask"
    }
