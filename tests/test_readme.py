"""The README and the guide tell the truth: programs run, commands exist, links lead
somewhere.
"""

import json
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from resources import guide
from runtime.cli.exit_codes import ExitCode
from runtime.stores import STORES
from tests.guide_commands import CHAPTER, chapter_with_commands

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
CHAPTERS = guide.chapters()
PAGES = {"README": README, **{name: chapter.body for name, chapter in CHAPTERS.items()}}
ALL = "\n".join(PAGES.values())


def blocks(page, language):
    return re.findall(
        rf"^```{language}\n(.*?)^```", PAGES[page], re.MULTILINE | re.DOTALL
    )


# What each program prints, by its page and its number there.
PRINTS = {
    ("README", 0): ["['tea for 9.90: bought']", "['tea for 9.90: left']"],
    ("python", 0): ["['5 words, 18 letters']"],
    ("python", 1): [
        "Ship order 7? IDLE_WITH_PENDING_REQUESTS",
        "['order 7 ships']",
        "['order 7 stays']",
        "[(0, 'main'), (1, 'main'), (1, 'main'), (2, 'main'), (1, 'fork 1'), (2, 'fork 1')]",
    ],
    ("failures", 0): ["['tea: 3.20']", "['salt: no price for salt, after 3 attempts']"],
    ("checkpoints", 0): [
        "again 2 [3, 2] True",
        "IDLE seen until then: [3, 2, 1, 0]",
        "4 removed; [('main', 0), ('main', 1), ('main', 4), ('again', 1), ('again', 4)]",
    ],
    ("export-import", 0): ["flowchart TD"],
    ("sharing", 0): ["2 2"],
    ("delivery-orders", 0): ["2 outcomes"],
    ("attach", 0): ["['bought for 9.90']"],
    ("recorded-results", 0): [],
    ("recorded-results", 1): [
        "['price'] price: 1",
        "[('fetch', 'live', 'request')]",
        "['price'] price: 7",
    ],
    ("edit-and-fork", 0): ["0 ['buy']", "right price ['bought for 9.00']"],
}
# The programs that print nothing, each with a test of its own below.
CONFORMANCE, NODE_FUNCTION, NODE_TYPE, LAYOUT = OTHERS = [
    ("checkpoints", 1),
    ("extending", 0),
    ("extending", 1),
    ("extending", 2),
]


def program(key):
    page, number = key
    return blocks(page, "python")[number]


def test_every_program_is_run():
    assert {
        (page, number)
        for page in PAGES
        for number in range(len(blocks(page, "python")))
    } == {*PRINTS, *OTHERS}


@pytest.mark.parametrize("key", PRINTS, ids=str)
def test_the_program_prints_what_it_should(key, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "program.py"
    file.write_text(program(key), "utf-8")
    runpy.run_path(str(file), run_name=f"program_{key[0]}_{key[1]}")
    printed = capsys.readouterr().out.splitlines()
    assert printed[: len(PRINTS[key])] == PRINTS[key]


def test_the_conformance_suite_tests_a_store(tmp_path):
    # In a project of its own, with the asyncio_mode that pytest-asyncio has by default.
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    store = "from runtime.stores import open_store\n\n\ndef MyStore(place):\n    return open_store(f'memory:{place}')\n"
    (tmp_path / "my_package.py").write_text(store)
    (tmp_path / "test_mine.py").write_text(program(CONFORMANCE), "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout


def test_the_workflow_file_runs(tmp_path, capsys):
    from designer.cli.commands import main

    (document,) = blocks("documents", "json")
    file = tmp_path / "greeting.stepwell.json"
    file.write_text(document, "utf-8")
    (tmp_path / "texts.py").write_text(
        "def shout(text: str) -> str:\n    return text.upper()\n"
    )
    assert main(["check", str(file)]) == 0
    capsys.readouterr()
    assert main(["run", str(file), "--store", "memory:"]) == 0
    assert capsys.readouterr().out == "HELLO, ADA!\n"


def test_the_commands_of_the_command_line_do_what_it_says(
    tmp_path, monkeypatch, capsys
):
    from designer.cli.commands import main

    shutil.copytree(ROOT / "resources/examples/review_loop", tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    commands = re.findall(
        r"^    stepwell (.*json.*)$", PAGES["command-line"], re.MULTILINE
    )
    codes = [main(shlex.split(command)) for command in commands]
    assert codes == [ExitCode.WAITING, 0, 0, 0]


def test_the_node_type_works():
    from runtime.document.definition import NodeDefinition
    from runtime.nodes.base import Catalogue

    names = {}
    exec(program(NODE_TYPE), names)  # noqa: S102 - our own guide
    catalogue = Catalogue([names["REPEAT"]])
    executor = catalogue.create(
        NodeDefinition(id="r", type="repeat", params={"times": 3}), Path()
    )
    assert (executor.id, executor.times, executor.input_types) == ("r", 3, [str])
    assert catalogue.infos()[0].params_schema["properties"]["times"]["default"] == 2


async def test_the_node_type_that_is_a_function_works(tmp_path):
    from runtime.document.definition import WorkflowDefinition
    from runtime.nodes import catalogue
    from tests.documents import build

    (tmp_path / "nodes").mkdir()
    (tmp_path / "nodes" / "greet.py").write_text(program(NODE_FUNCTION))
    info = next(
        info for info in catalogue(tmp_path).infos() if info.type == "nodes.greet:greet"
    )
    assert (info.title, info.category) == ("Greet", "Your nodes")
    assert list(info.params_schema["properties"]) == ["tone", "times"]
    nodes = [
        {"id": "greet", "type": info.type, "params": {"tone": "loud", "times": 2}},
        {"id": "out", "type": "output"},
    ]
    edges = [{"id": "e", "kind": "direct", "source": "greet", "target": "out"}]
    definition = WorkflowDefinition.model_validate(
        {"start": "greet", "nodes": nodes, "edges": edges}
    )
    assert (await build(definition, folder=tmp_path).run("Ada")).get_outputs() == [
        "HELLO, ADA! HELLO, ADA!"
    ]


def test_the_layout_works():
    import networkx as nx

    names = {}
    exec(program(LAYOUT), names)  # noqa: S102 - our own guide
    assert names["circle"](
        nx.MultiDiGraph([("a", "b"), ("a", "b"), ("b", "a")])
    ).keys() == {"a", "b"}


@pytest.mark.parametrize("page", PAGES)
def test_json_and_toml_can_be_read(page):
    for text in blocks(page, "json"):
        json.loads(text)
    for text in blocks(page, "toml"):
        tomllib.loads(text)


@pytest.mark.parametrize("heading", ["Run it", "Test it"])
def test_each_of_the_two_commands_is_the_only_block_under_its_heading(heading):
    section = README.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    (command,) = re.findall(r"^```\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert command.count("\n") == 1


def test_the_readme_is_short():
    assert len(README.encode()) <= 9_000


def test_the_apt_line_names_what_the_start_up_check_names():
    from designer.startup import LIBRARIES

    (line,) = re.findall(r"^    apt-get install .*$", README, re.MULTILINE)
    assert line.endswith(LIBRARIES)


def test_every_command_that_is_named_exists():
    sections = {
        heading.title
        for heading in CHAPTERS["command-line"].headings
        if heading.level == 3
    }
    named = {
        f"stepwell {command}" for command in re.findall(r"`stepwell ([a-z]+)", ALL)
    }
    assert named <= sections


def test_the_chapter_has_every_option_of_the_command_line():
    assert chapter_with_commands() == CHAPTER.read_text("utf-8"), (
        "run: python -m tests.guide_commands"
    )


def test_every_store_is_in_the_guide():
    assert not [
        scheme
        for scheme in STORES
        if f"`{scheme}:" not in PAGES["checkpoints"] and scheme != "postgres"
    ]


def test_every_file_that_is_named_is_there():
    named = re.findall(r"\]\(([\w./-]+)(?:#[\w-]+)?\)", README)
    named += re.findall(r"`((?:runtime|designer|resources|tests)/[\w./-]+)`", ALL)
    assert len(named) > 20
    missing = [path for path in named if not (ROOT / path).exists()]
    assert not missing


def test_the_index_links_to_every_chapter():
    assert set(CHAPTERS) == {path.stem for path in guide.FOLDER.glob("*.md")}


@pytest.mark.parametrize("name", CHAPTERS)
def test_every_link_of_a_chapter_leads_to_a_heading(name):
    for _, target, heading in guide.links(CHAPTERS[name]):
        assert heading in {"", *(part.slug for part in CHAPTERS[target].headings)}


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_has_a_title_and_no_heading_twice(name):
    chapter = CHAPTERS[name]
    assert (
        (guide.FOLDER / f"{name}.md")
        .read_text("utf-8")
        .startswith(f"# {chapter.title}\n\n")
    )
    assert len({heading.slug for heading in chapter.headings}) == len(chapter.headings)


def rooms_of_the_tree(package):
    tree = re.search(
        rf"^{package}/\n((?:  .*\n)+)```", PAGES["architecture"], re.MULTILINE
    )
    return re.findall(r"^  (\w+)", tree[1], re.MULTILINE)


@pytest.mark.parametrize("package", ["runtime", "designer"])
def test_the_architecture_has_every_room(package):
    named = rooms_of_the_tree(package)
    folder = ROOT / package
    rooms = {path.parent.name for path in folder.glob("*/__init__.py")}
    rooms |= {path.stem for path in folder.glob("*.py") if path.stem != "__init__"}
    assert sorted(named) == sorted(rooms)


@pytest.mark.parametrize("package", ["runtime", "designer"])
def test_the_architecture_has_the_rooms_in_the_order_of_their_layers(package):
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    layers = next(
        contract["layers"]
        for contract in tools["importlinter"]["contracts"]
        if contract["type"] == "layers" and contract["containers"] == [package]
    )
    floors = {
        room: floor for floor, rooms in enumerate(layers) for room in rooms.split(" | ")
    }
    order = [floors[room] for room in rooms_of_the_tree(package)]
    assert order == sorted(order)
