"""Node types of a folder: read without being run, what is read agrees with what is
imported, and each runs.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runtime.checks.check import check
from runtime.document.definition import WorkflowFile
from runtime.document.files import write_file
from runtime.errors import DefinitionError
from runtime.loader.python_modules import load
from runtime.nodes import BUILT_IN, Catalogue, catalogue
from runtime.nodes.support.folder import MOST_FILES, folder_types
from runtime.nodes.support.node_type_decorator import type_of
from tests.documents import build
from tests.runtime.command_line import Stepwell
from tests.runtime.debug.talking import talking
from tests.runtime.nodes.single import definition

TEXTS = '''
"""Texts."""
from typing import Annotated, Literal

from pydantic import Field

from runtime import Executor, WorkflowContext, handler
from runtime.nodes import node_type

HOW = 3


@node_type(title="Say again", icon="copy", category="Texts", summary="times", always_sends=True)
def repeat(
    text: str,
    times: Annotated[int, Field(ge=1, title="Times", description="How often.")] = 2,
    mark: Literal["!", "?"] = "!",
    *,
    names: list[str] = [],
    limit: float | None = None,
) -> str:
    """Repeats a text,
    and puts a mark behind it.

    More of it.
    """
    return text * times + mark


@node_type
async def send_parts(text: str, ctx: WorkflowContext[list[int]], size: int = Field(4, ge=1), depth: int = HOW) -> None:
    await ctx.send_message([size, depth])


@node_type(title="Adds")
class Adder(Executor):
    """Adds."""

    def __init__(self, id: str, amount: int) -> None:
        super().__init__(id)
        self.amount = amount

    @handler
    async def add(self, number: int, ctx: WorkflowContext[int]) -> None:
        await ctx.send_message(number + self.amount)


def helper(text: str) -> str:
    return text
'''


def put(folder: Path, **files: str) -> None:
    (folder / "nodes").mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / "nodes" / f"{name}.py").write_text(text)


def run(folder: Path, type: str, message: Any, **params: Any) -> Any:
    return build(definition(type, params), folder=folder).run(message)


def problems(folder: Path, type: str, **params: Any) -> list[tuple[str, str]]:
    infos = {one.type: one for one in catalogue(folder).infos()}
    return [
        (one.rule, one.part)
        for one in check(definition(type, params), infos, folder)
        if one.location == "it"
    ]


def test_what_is_decorated_is_an_entry_of_the_palette(tmp_path: Path) -> None:
    put(tmp_path, texts=TEXTS)
    repeat, parts, adder = folder_types(tmp_path)[0]
    info = repeat.info()
    assert (info.type, info.title, info.icon, info.category) == (
        "nodes.texts:repeat",
        "Say again",
        "copy",
        "Texts",
    )
    assert info.description == "Repeats a text, and puts a mark behind it."
    assert (info.inputs, info.outputs, info.summary, info.always_sends) == (
        ("str",),
        ("str",),
        "times",
        True,
    )
    assert list(info.params_schema["properties"]) == ["times", "mark", "names", "limit"]
    assert info.params_schema["properties"]["times"]["minimum"] == 1
    assert (parts.title, parts.category, parts.outputs) == (
        "Send parts",
        "Your nodes",
        ("list[int]",),
    )
    assert adder.info().params_schema["required"] == ["amount"]


def test_what_is_read_agrees_with_what_is_imported(tmp_path: Path) -> None:
    put(tmp_path, texts=TEXTS)
    for read in folder_types(tmp_path)[0]:
        imported = type_of(load(read.type, tmp_path)).info()
        found = read.info()
        for schema in (imported.params_schema, found.params_schema):
            # its default is only known to the code
            schema["properties"].pop("depth", None)
        assert found == imported


def test_case_134_listing_and_checking_node_types_of_a_folder_run_nothing_of_it(
    tmp_path: Path,
) -> None:
    trace = tmp_path / "ran"
    put(
        tmp_path,
        evil=f"open({str(trace)!r}, 'w').close()\n\ndef evil(message, n: int = 1):\n    return n\n",
    )
    assert "nodes.evil:evil" in {one.type for one in catalogue(tmp_path).infos()}
    assert problems(tmp_path, "nodes.evil:evil", n="x") == [
        ("params-valid", "params.n")
    ]
    assert not trace.exists()
    build(definition("nodes.evil:evil", {}), folder=tmp_path)
    assert trace.exists()


async def test_each_of_them_runs(tmp_path: Path) -> None:
    put(tmp_path, texts=TEXTS)
    assert (await run(tmp_path, "nodes.texts:repeat", "a", times=3)).get_outputs() == [
        "aaa!"
    ]
    assert (await run(tmp_path, "nodes.texts:send_parts", "a")).get_outputs() == [
        [4, 3]
    ]
    assert (await run(tmp_path, "nodes.texts:Adder", 1, amount=5)).get_outputs() == [6]


async def test_a_file_without_the_decorator_offers_the_function_of_its_name(
    tmp_path: Path,
) -> None:
    put(
        tmp_path,
        shout="def helper(x):\n    return x\n\ndef shout(text: str) -> str:\n    return helper(text.upper())\n",
    )
    assert [one.type for one in folder_types(tmp_path)[0]] == ["nodes.shout:shout"]
    assert (await run(tmp_path, "nodes.shout:shout", "hi")).get_outputs() == ["HI"]


async def test_postponed_annotations_are_read_and_imported_alike(
    tmp_path: Path,
) -> None:
    put(
        tmp_path,
        say="""
from __future__ import annotations

def say(message: "list[int]", times: int | None = None) -> Word:
    return Word(str(message))

class Word(str): ...
""",
    )
    (read,) = folder_types(tmp_path)[0]
    assert read.info() == type_of(load(read.type, tmp_path)).info()
    assert (read.inputs, read.outputs) == (("list[int]",), ("Any",))
    assert (await run(tmp_path, read.type, [1])).get_outputs() == ["[1]"]


async def test_two_folders_have_nodes_of_their_own(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        put(
            tmp_path / name,
            say="from nodes.words import word\n\ndef say(message):\n    return word\n",
        )
        put(tmp_path / name, words=f"word = {name!r}\n")
    for name in ("one", "two", "one"):
        assert (await run(tmp_path / name, "nodes.say:say", 1)).get_outputs() == [name]


async def test_a_file_that_was_changed_is_read_anew(tmp_path: Path) -> None:
    put(tmp_path, say="def say(message, old: int = 1):\n    return old\n")
    assert list(folder_types(tmp_path)[0][0].params.model_fields) == ["old"]
    put(tmp_path, say="def say(message, newer: int = 2):\n    return newer\n")
    assert list(folder_types(tmp_path)[0][0].params.model_fields) == ["newer"]
    assert (await run(tmp_path, "nodes.say:say", 1)).get_outputs() == [2]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (
            "def say(message:\n    return 1",
            "nodes/say.py is left out: line 1, column 8",
        ),
        ("# coding: nonsense\n", "nodes/say.py is left out: unknown encoding"),
        (
            "def say():\n    return 1",
            "line 1: 'say' is left out: its first parameter must be the message",
        ),
        (
            "\ndef say(message, copy: int):\n    return 1",
            "line 2: 'say' is left out: parameter 'copy' cannot be",
        ),
        (
            "def say(message, n: int = Field(pattern='(')):\n    return 1",
            "line 1: 'say' is left out: ",
        ),
    ],
)
def test_what_cannot_be_an_entry_is_told_and_the_others_are_there(
    tmp_path: Path, code: str, words: str
) -> None:
    put(tmp_path, say=code, texts=TEXTS)
    known = catalogue(tmp_path)
    assert [one.partition("left out: ")[0] for one in known.warnings] == [
        known.warnings[0].partition("left out: ")[0]
    ]
    assert words in known.warnings[0]
    assert "nodes.texts:repeat" in {one.type for one in known.infos()}


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def say(message):\n    yield 1", "must not be a generator"),
        (
            "raise ValueError('no')\ndef say(message):\n    return 1",
            "cannot be imported.*ValueError: no",
        ),
        ("def say(message):\n    return 1\ndel say", "has no 'say'"),
        (
            "class T: pass\ndef say(message, n: T = 1):\n    return 1",
            "cannot be a node",
        ),
        (
            "import enum\nclass E(enum.Enum):\n    A = 'a'\ndef say(message, e: E):\n    return 1",
            "params.e: ",
        ),
    ],
)
def test_code_that_cannot_be_used_is_refused_at_its_node(
    tmp_path: Path, code: str, words: str
) -> None:
    put(tmp_path, say=code)
    params = {"e": "b"} if "Enum" in code else {}
    with pytest.raises(DefinitionError, match=words) as caught:
        build(definition("nodes.say:say", params), folder=tmp_path)
    assert caught.value.location == "it"


async def test_types_that_only_the_code_knows_are_checked_when_the_node_is_made(
    tmp_path: Path,
) -> None:
    put(
        tmp_path,
        say="import enum\nclass E(enum.Enum):\n    A = 'a'\ndef say(message, e: E = E.A):\n    return e.name\n",
    )
    assert (await run(tmp_path, "nodes.say:say", 1, e="a")).get_outputs() == ["A"]
    assert (await run(tmp_path, "nodes.say:say", 1)).get_outputs() == ["A"]


def test_a_folder_without_nodes_has_the_installed_ones_and_files_of_another_kind_are_none(
    tmp_path: Path,
) -> None:
    assert catalogue(tmp_path) is catalogue()
    put(tmp_path, _hidden="def _hidden(message): ...", **{"no-name": "x = 1"})
    assert catalogue(tmp_path) is catalogue()


def test_a_document_keeps_the_node_whose_file_is_gone(tmp_path: Path) -> None:
    assert problems(tmp_path, "nodes.gone:gone", size=3) == [
        ("node-type-known", "type")
    ]
    assert definition("nodes.gone:gone", {"size": 3}).model_dump()["nodes"][0][
        "params"
    ] == {"size": 3}


def test_a_name_that_is_taken_is_left_out_with_a_warning(tmp_path: Path) -> None:
    put(tmp_path, say="def say(message): ...")
    made = Catalogue([replace(BUILT_IN[0], type="nodes.say:say")]).of_folder(tmp_path)
    assert [one.title for one in made.infos()] == ["Input"]
    assert "'nodes.say:say' of the folder is left out" in made.warnings[0]


def test_a_sub_workflow_that_names_a_file_of_its_folder_that_is_gone_is_told(
    tmp_path: Path,
) -> None:
    (tmp_path / "inner").mkdir()
    write_file(
        tmp_path / "inner" / "child.stepwell.json",
        WorkflowFile(workflow=definition("nodes.gone:gone", {})),
    )
    put(tmp_path, gone="def gone(message) -> str:\n    return ''\n")
    found = problems(tmp_path, "sub_workflow", file="inner/child.stepwell.json")
    assert found == [("sub-workflow", "params.file")]


async def test_a_sub_workflow_of_another_folder_has_the_nodes_of_its_own(
    tmp_path: Path,
) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    put(inner, say="def say(message, tone: int = 1) -> str:\n    return 'inner'\n")
    put(tmp_path, say="def say(message) -> str:\n    return 'outer'\n")
    write_file(
        inner / "child.stepwell.json",
        WorkflowFile(workflow=definition("nodes.say:say", {"tone": 2})),
    )
    assert problems(tmp_path, "sub_workflow", file="inner/child.stepwell.json") == []
    assert (
        await run(tmp_path, "sub_workflow", 1, file="inner/child.stepwell.json")
    ).get_outputs() == ["inner"]
    assert (await run(tmp_path, "nodes.say:say", 1)).get_outputs() == ["outer"]


def test_a_decorated_function_is_an_entry_point_too() -> None:
    class Entry:
        name = "shout"
        value = "package:shout"

        def load(self) -> Any:
            from runtime.nodes import node_type

            @node_type(title="Shout")
            def shout(text: str, mark: str = "!") -> str:
                return text.upper() + mark

            assert shout("hi") == "HI!"  # it stays what it is
            return shout

    made = Catalogue([], [Entry()])
    assert made.warnings == []
    assert [
        (one.title, list(one.params_schema["properties"])) for one in made.infos()
    ] == [("Shout", ["mark"])]


# --- through the host and the commands ----------------------------------------------------------------------------

SHOUT = (
    "def shout(text: str, mark: str = '!') -> str:\n    return text.upper() + mark\n"
)


async def test_the_host_lists_and_runs_them_and_tells_what_it_leaves_out(
    tmp_path: Path,
) -> None:
    put(tmp_path, shout=SHOUT, broken="def broken(")
    async with talking(tmp_path) as talk:
        listed = await talk.body("catalogue", folder=str(tmp_path))
        assert "nodes.shout:shout" in {info.type for info in listed.nodes}
        assert [one.partition(":")[0] for one in listed.warnings] == [
            "nodes/broken.py is left out"
        ]
        assert "nodes.shout:shout" not in {
            info.type for info in (await talk.body("catalogue")).nodes
        }
        document = WorkflowFile(
            workflow=definition("nodes.shout:shout", {})
        ).model_dump(mode="json")
        opened = await talk.body(
            "open", document=document, folder=str(tmp_path), store="memory:"
        )
        assert [one for one in opened.problems if one.severity == "error"] == []
        await talk.body("start", input="hi")
        await talk.until("stopped")
        assert [one.text for one in (await talk.body("outputs")).items] == ["HI!"]


def test_the_commands_know_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tmp_path, shout=SHOUT)
    file = tmp_path / "it.stepwell.json"
    write_file(
        file, WorkflowFile(workflow=definition("nodes.shout:shout", {"mark": "?"}))
    )
    stepwell = Stepwell(capsys)
    for place in (tmp_path, file):
        assert "nodes.shout:shout" in {
            one["type"] for one in stepwell("nodes", place, "--json").json
        }
    assert stepwell("check", file).code == 0
    assert stepwell("run", file, "--store", "memory:", "--input", '"hi"').out == "HI?\n"


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_a_link_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    put(tmp_path)
    (tmp_path / "nodes" / "gone.py").symlink_to(tmp_path / "nowhere.py")
    assert "nodes/gone.py is left out" in folder_types(tmp_path)[1][0]


@pytest.mark.skipif(os.name != "posix", reason="pipes")
def test_a_pipe_that_is_called_like_a_module_does_not_make_anybody_wait(
    tmp_path: Path,
) -> None:
    put(tmp_path)
    os.mkfifo(tmp_path / "nodes" / "pipe.py")
    (tmp_path / "nodes" / "gone.py").symlink_to("nowhere.py")
    found, warnings = folder_types(tmp_path)
    assert found == []
    assert [warning.partition(":")[0] for warning in warnings] == [
        "nodes/gone.py is left out", "nodes/pipe.py is left out",
    ]  # fmt: skip


def test_a_file_that_is_too_long_is_left_out(tmp_path: Path) -> None:
    put(tmp_path, long="def long(message): ...\n" + "#" * 200_000)
    assert (
        "nodes/long.py is left out: it is longer than" in folder_types(tmp_path)[1][0]
    )


def test_of_very_many_files_the_first_are_read_and_that_is_said(tmp_path: Path) -> None:
    put(tmp_path, **{f"n{number:03}": "x = 1\n" for number in range(MOST_FILES + 1)})
    (warning,) = folder_types(tmp_path)[1]
    assert f"has {MOST_FILES + 1} files; the first {MOST_FILES}" in warning
