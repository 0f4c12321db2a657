"""The built-in node types: what each makes of a message, and that a document reaches no
further than it may.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pydantic import BaseModel

from runtime.document.definition import WorkflowDefinition
from runtime.errors import DefinitionError, NodeError, RequestError
from runtime.expressions.template import Template, show
from runtime.nodes import BUILT_IN, Catalogue, catalogue
from runtime.nodes.ask import Question
from tests.documents import build

ICONS = Path(__file__).parents[2] / "resources" / "icons"


def one_node(type: str, folder: Path | str = ".", **params: Any):
    """A workflow: the node, and behind it an output."""
    return build(
        WorkflowDefinition.model_validate(
            {
                "start": "it",
                "nodes": [
                    {"id": "it", "type": type, "params": params},
                    {"id": "out", "type": "output"},
                ],
                "edges": [
                    {"kind": "direct", "id": "e", "source": "it", "target": "out"}
                ],
            }
        ),
        folder=folder,
    )


async def outputs(
    type: str, message: Any, folder: Path | str = ".", **params: Any
) -> list[Any]:
    return (await one_node(type, folder, **params).run(message)).get_outputs()


# --- the catalogue ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("info", catalogue().infos(), ids=lambda info: info.type)
def test_every_type_is_presentable(info) -> None:
    assert (ICONS / f"{info.icon}.svg").is_file()
    assert info.category in (
        "Start and output",
        "Python",
        "Data",
        "Services",
        "Human",
        "Flow",
    )
    assert len(info.description) > 60
    properties = info.params_schema.get("properties", {})
    assert info.summary in ("", *properties)
    for name, schema in properties.items():
        assert schema["title"], name
        assert schema["description"], name
    json.dumps(info.model_dump(mode="json"))


def test_case_134_listing_the_catalogue_imports_no_code_of_documents(tmp_path) -> None:
    (tmp_path / "evil.py").write_text("raise SystemExit('imported')")
    script = (
        "import sys\nfrom runtime.nodes import catalogue\ncatalogue().infos()\n"
        "assert 'evil' not in sys.modules and not any('PySide6' in name for name in sys.modules)"
    )
    subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        env={"PYTHONPATH": f"{tmp_path}:{ICONS.parents[1]}"},
    )


def test_two_types_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="'input'"):
        Catalogue([*BUILT_IN, BUILT_IN[0]])


@dataclass
class Entry:
    """An entry point of an installed package; loading it gives a value, or raises it."""

    name: str
    found: Any
    value: str = "package:OBJECT"

    def load(self) -> Any:
        sys.stdout.write("printed by a package")
        if isinstance(self.found, BaseException):
            raise self.found
        return self.found


REPEATED = replace(BUILT_IN[0], type="repeated")


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (object(), "it is no NodeType, but of type object"),
        (ModuleNotFoundError("No module named 'gone'"), "No module named 'gone'"),
        (SystemExit(3), "SystemExit: 3"),
        (RuntimeError("two\nlines"), "two lines"),
        (BUILT_IN[0], "Two node types have the name 'input'"),
        (replace(BUILT_IN[0], type="shapeless", params=int), "AttributeError"),  # type: ignore[arg-type]
    ],
)
def test_a_broken_package_is_left_out_with_one_line_and_everything_else_stays(
    capsys, found, words
) -> None:
    made = Catalogue(BUILT_IN, [Entry("broken", found), Entry("good", REPEATED)])
    assert [info.type for info in made.infos()] == [
        *(one.type for one in BUILT_IN),
        "repeated",
    ]
    (warning,) = made.warnings
    assert "'broken' (package:OBJECT)" in warning
    assert words in warning
    assert "\n" not in warning
    assert capsys.readouterr().out == ""


def test_of_two_packages_with_one_name_the_first_is_kept() -> None:
    made = Catalogue(BUILT_IN, [Entry("a", REPEATED), Entry("b", REPEATED)])
    assert made.infos()[-1].type == "repeated"
    assert ["'b'" in warning for warning in made.warnings] == [True]


@pytest.mark.parametrize(
    ("type", "params", "words"),
    [
        ("telepathy", {}, "Unknown node type 'telepathy'"),
        ("delay", {"seconds": -1}, r"params\.seconds: "),
        ("delay", {"seconds": "1"}, r"params\.seconds: "),
        ("delay", {"secs": 1}, r"params\.secs: "),
        ("template", {"text": "{x}"}, "begins with 'message'"),
        ("ask", {"choices": ["a"], "reason_required_for": ["b"]}, "'b'"),
        ("python_function", {"function": "os"}, r"params\.function: "),
        ("python_function", {"function": "no_such_module:f"}, "no_such_module"),
        ("python_function", {"function": "json:nothing"}, "has no 'nothing'"),
        ("python_function", {"function": "json:JSONDecoder"}, "no function"),
        ("python_class", {"class_name": "json:loads"}, "no subclass of Executor"),
    ],
)
def test_what_cannot_be_made_is_refused_at_the_node(type, params, words) -> None:
    with pytest.raises(DefinitionError, match=words) as caught:
        one_node(type, **params)
    assert caught.value.location == "it"


# --- the types ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type", "params", "message", "expected"),
    [
        ("input", {}, {"a": 1}, {"a": 1}),
        ("switch", {}, "x", "x"),
        ("delay", {"seconds": 0}, 7, 7),
        (
            "template",
            {"text": "{{{message.a[1]}}} of {message}"},
            {"a": [1, 2]},
            '{2} of {"a": [1, 2]}',
        ),
        ("collect", {}, [1, "a"], [1, "a"]),
        (
            "collect",
            {"into": "text", "separator": "-"},
            [1, "a", None, [1, 2]],
            "1-a--1, 2",
        ),
        ("collect", {"into": "sum"}, [1, 2.5], 3.5),
        ("python_function", {"function": "json:loads"}, "[1]", [1]),
        ("python_function", {"function": "math:sqrt"}, 4, 2.0),
    ],
)
async def test_what_a_node_makes_of_a_message(type, params, message, expected) -> None:
    assert await outputs(type, message, **params) == [expected]


@pytest.mark.parametrize("values", [[1, "a"], [True]])
async def test_a_sum_of_what_is_no_number_is_an_error_that_names_the_node(
    values,
) -> None:
    with pytest.raises(NodeError, match=r"Node 'it'.*not a number"):
        await outputs("collect", values, into="sum")


FUNCTIONS = """
from __future__ import annotations
from dataclasses import dataclass
from runtime.executors.executor import Executor, WorkflowContext, handler

@dataclass
class Thing:
    name: str

def plain(message: str) -> Thing:
    return Thing(message.upper())

async def waits(message: str, ctx: WorkflowContext[str, int]) -> str | None:
    ctx.yield_output(len(message))
    await ctx.send_message("sent")
    return "returned"

def in_thread(message: str, ctx: WorkflowContext[str]) -> None:
    ctx.send_message(message * 2)

def three(a, b, c): ...
def unresolved(message: Nowhere): ...
number = 3

class Adder(Executor):
    def __init__(self, id: str, by: int) -> None:
        super().__init__(id)
        self.by = by

    @handler
    async def add(self, message: int, ctx: WorkflowContext[int]) -> None:
        await ctx.send_message(message + self.by)

class Forgetful(Executor):
    def __init__(self, id: str) -> None:
        super().__init__("another")

    @handler
    async def add(self, message: int, ctx: WorkflowContext) -> None: ...
"""


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    return tmp_path


async def test_a_function_returns_what_is_sent_on_and_may_use_the_context(
    folder,
) -> None:
    made = one_node("python_function", folder, function="functions:plain")
    executor = made.executors["it"]
    assert [
        one.__name__ for one in (*executor.input_types, *executor.output_types)
    ] == ["str", "Thing"]
    (thing,) = (await made.run("a")).get_outputs()
    assert (type(thing).__module__, thing.name) == ("functions", "A")
    assert await outputs(
        "python_function", "abc", folder, function="functions:waits"
    ) == [3, "sent", "returned"]
    assert await outputs(
        "python_function", "ab", folder, function="functions:in_thread"
    ) == ["abab"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("three", "a, b, c"),
        ("unresolved", "Nowhere"),
        ("number", "no function"),
        ("Adder", "python_class"),
    ],
)
def test_a_function_of_another_shape_is_refused(folder, name, words) -> None:
    with pytest.raises(DefinitionError, match=words):
        one_node("python_function", folder, function=f"functions:{name}")


async def test_a_class_is_made_with_id_and_arguments(folder) -> None:
    assert await outputs(
        "python_class", 2, folder, class_name="functions:Adder", arguments={"by": 3}
    ) == [5]


@pytest.mark.parametrize(
    ("name", "words"), [("Adder", "cannot be made"), ("Forgetful", "'another'")]
)
def test_a_class_that_cannot_be_made_is_refused(folder, name, words) -> None:
    with pytest.raises(DefinitionError, match=words):
        one_node("python_class", folder, class_name=f"functions:{name}")


# --- ask ----------------------------------------------------------------------------------------------------------

DECISION = {
    "question": "May {message.name} ship?",
    "choices": ["yes", "no"],
    "reason_required_for": ["no"],
}


@pytest.mark.parametrize(
    ("params", "answer"),
    [
        (DECISION, {"verdict": "no", "reason": "old"}),
        (DECISION, {"verdict": "yes"}),
        ({"free_text": True}, "some words"),
        ({}, False),
    ],
)
async def test_an_answer_is_sent_on_with_what_was_asked_about(params, answer) -> None:
    made = one_node("ask", **params)
    (event,) = (await made.run({"name": "it"})).get_request_info_events()
    assert isinstance(event.data, Question)
    assert event.data.details == {"name": "it"}
    assert event.data.text == (
        "May it ship?" if params is DECISION else "May this go on?"
    )
    result = await made.run(responses={event.request_id: answer})
    assert result.get_outputs() == [{"message": {"name": "it"}, "answer": answer}]


@pytest.mark.parametrize(
    ("params", "answer"),
    [
        (DECISION, {"verdict": "no"}),
        (DECISION, {"verdict": "no", "reason": ""}),
        (DECISION, {"verdict": "perhaps"}),
        (DECISION, "yes"),
        ({"choices": ["a"]}, {"verdict": "a", "reason": "unasked"}),
        ({"free_text": True}, ""),
        ({}, "yes"),
    ],
)
async def test_an_answer_that_does_not_fit_is_refused_and_the_question_stays(
    params, answer
) -> None:
    made = one_node("ask", **params)
    (event,) = (await made.run({"name": "it"})).get_request_info_events()
    with pytest.raises(RequestError):
        await made.run(responses={event.request_id: answer})
    with pytest.raises(RequestError):
        await made.run(responses={event.request_id: answer})


# --- files --------------------------------------------------------------------------------------------------------


async def test_files_are_read_and_written_in_the_folder(tmp_path) -> None:
    (tmp_path / "a.json").write_text('{"n": [1, "é"]}')
    assert await outputs(
        "read_file", "a", tmp_path, path="{message}.json", content="json"
    ) == [{"n": [1, "é"]}]
    assert await outputs("read_file", 0, tmp_path, path="a.json", content="lines") == [
        ['{"n": [1, "é"]}']
    ]
    message = {"name": "b", "text": "é"}
    assert await outputs(
        "write_file", message, tmp_path, path="sub/{message.name}.json"
    ) == [message]
    assert json.loads((tmp_path / "sub" / "b.json").read_text()) == message
    await outputs("write_file", "plain", tmp_path, path="c.txt")
    assert (tmp_path / "c.txt").read_text() == "plain"


@pytest.mark.parametrize("type", ["read_file", "write_file"])
@pytest.mark.parametrize(
    "path",
    ["../secret.txt", "/etc/hostname", "link/secret.txt", "a/../../secret.txt", ""],
)
async def test_a_path_that_leaves_the_folder_is_refused(tmp_path, type, path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (inside / "link").symlink_to(tmp_path)
    with pytest.raises(NodeError, match=r"folder|path"):
        await outputs(type, path, inside, path="{message}")
    assert (tmp_path / "secret.txt").read_text() == "secret"


async def test_a_path_may_leave_when_that_is_allowed(tmp_path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    assert await outputs(
        "read_file", 0, tmp_path / "inside", path="../secret.txt", allow_outside=True
    ) == ["secret"]


@pytest.mark.parametrize(
    ("path", "content", "words"),
    [
        ("nothing", "text", "cannot be read"),
        (".", "text", "cannot be read"),
        ("a.txt", "json", "is not json"),
    ],
)
async def test_a_file_that_cannot_be_read_is_named(
    tmp_path, path, content, words
) -> None:
    (tmp_path / "a.txt").write_text("{")
    with pytest.raises(NodeError, match=words):
        await outputs("read_file", 0, tmp_path, path=path, content=content)


# --- templates ----------------------------------------------------------------------------------------------------


class Named(NamedTuple):
    name: str


@dataclass
class Data:
    name: str

    @property
    def secret(self) -> str:
        raise AssertionError("a property was run")


class Model(BaseModel):
    name: str


@pytest.mark.parametrize(
    "message", [{"name": "x"}, Named("x"), Data("x"), Model(name="x")]
)
def test_a_placeholder_finds_keys_and_declared_fields(message) -> None:
    assert (
        Template("{message.name}").render(message)
        == Template("{message['name']}").render(message)
        == "x"
    )


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "}",
        "{}",
        "{0}",
        "{message.}",
        "{message!r}",
        "{message:>9999999999}",
        "{message.a.b()}",
        "{message[a]}",
        "{{message}",
    ],
)
def test_a_malformed_template_is_refused_when_it_is_made(text) -> None:
    with pytest.raises(ValueError, match="character"):
        Template(text)


@pytest.mark.parametrize(
    "path",
    [
        "__class__",
        "__init__.__globals__",
        "secret",
        "name.upper",
        "name[0]",
        "__dict__",
        "model_fields",
    ],
)
@pytest.mark.parametrize("message", [Data("x"), Model(name="x"), Named("x")])
def test_case_135_a_placeholder_reaches_no_attribute(message, path) -> None:
    with pytest.raises(LookupError, match=re.escape("{message")):
        Template(f"{{message.{path}}}").render(message)


def test_values_are_shown_as_a_person_would_write_them() -> None:
    shown = [
        show(value)
        for value in (
            None,
            "a",
            2.5,
            True,
            ["a", 1],
            [],
            {"a": Data("x")},
            [{"b": {1}}],
        )
    ]
    assert shown == [
        "",
        "a",
        "2.5",
        "True",
        "a, 1",
        "",
        '{"a": {"name": "x"}}',
        '[{"b": [1]}]',
    ]


def cyclic() -> Any:
    value: list[Any] = [{}]
    value.append(value)
    return value


@pytest.mark.parametrize("message", [[b"\xff", {}], cyclic()], ids=["bytes", "cycle"])
async def test_what_cannot_be_written_as_text_is_refused_by_the_node(
    message: Any, tmp_path: Path
) -> None:
    with pytest.raises(NodeError, match="Node 'it': "):
        await outputs("template", message)
    with pytest.raises(NodeError, match="Node 'it': "):
        await outputs("write_file", message, tmp_path, path="out.json")
    assert list(tmp_path.iterdir()) == []


async def test_a_path_that_is_no_proper_text_or_a_folder_is_refused(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "document"
    folder.mkdir()
    (folder / "round").symlink_to("round")
    for path in ("\ud800", "."):
        with pytest.raises(NodeError, match="Node 'it': "):
            await outputs("write_file", path, folder, path="{message}")
    with pytest.raises(NodeError, match="Node 'it': "):
        await outputs("read_file", 0, folder, path="round/x")


CODE_THAT_CANNOT_BE_USED = """
from typing import Any
from runtime import Executor, WorkflowContext, handler

def gives(message: int):
    yield message

def unreadable(message: "1 +"): ...

class Base(Executor):
    @handler
    async def take(self, message: Any, ctx: WorkflowContext) -> None: ...

class Fails(Base):
    def __init__(self, id):
        raise KeyError("no such key")

class Forgets(Base):
    def __init__(self, id):
        self.id = id

class Leaves(Base):
    def __init__(self, id):
        raise SystemExit(3)
"""


@pytest.mark.parametrize(
    ("type", "parameter", "name", "text"),
    [
        ("python_function", "function", "gives", "must not be a generator"),
        ("python_function", "function", "unreadable", "SyntaxError"),
        ("python_class", "class_name", "Fails", "KeyError: 'no such key'"),
        ("python_class", "class_name", "Forgets", "must call super"),
        ("python_class", "class_name", "Leaves", "SystemExit: 3"),
    ],
)
def test_code_that_cannot_be_used_is_refused_at_its_node(
    type: str, parameter: str, name: str, text: str, tmp_path: Path
) -> None:
    (tmp_path / "unusable.py").write_text(CODE_THAT_CANNOT_BE_USED)
    with pytest.raises(DefinitionError, match=text) as caught:
        one_node(type, tmp_path, **{parameter: f"unusable:{name}"})
    assert caught.value.location == "it"
