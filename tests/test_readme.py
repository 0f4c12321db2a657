"""The README tells the truth: its program runs, its commands exist, its pictures are there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.stores import STORES

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def run(program, folder):
    file = folder / "program.py"
    file.write_text(program, "utf-8")
    done = subprocess.run(
        [sys.executable, str(file)],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    return done.stdout.splitlines()


def blocks(heading):
    section = README.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^```\w*\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


def test_the_first_workflow_runs_as_it_stands(tmp_path):
    first, second = blocks("A first workflow in Python")
    assert run(first, tmp_path) == ["['5 words, 18 letters']"]
    *said, branches = run(second, tmp_path)
    assert said == [
        "Ship order 7? IDLE_WITH_PENDING_REQUESTS",
        "['order 7 ships']",
        "['order 7 stays']",
    ]
    assert branches.count("'main'") == 4
    assert branches.count("'fork 1'") == 2


def test_the_program_about_stores_goes_back_forks_and_prunes(tmp_path):
    program, conformance = blocks("Stores: go back, fork, prune")
    assert run(program, tmp_path) == [
        "again 2 [3, 2] True",
        "IDLE seen until then: [3, 2, 1, 0]",
        "4 removed; [('main', 0), ('main', 1), ('main', 4), ('again', 1), ('again', 4)]",
    ]
    # In a project of its own, with the asyncio_mode that pytest-asyncio has by default.
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    mine = "from runtime.stores import open_store\n\n\ndef MyStore(place):\n    return open_store(f'memory:{place}')\n"
    (tmp_path / "my_package.py").write_text(mine)
    (tmp_path / "test_mine.py").write_text(conformance, "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout


def test_the_program_about_failures_tries_again_and_explains(tmp_path):
    (program,) = blocks("When an executor fails")
    assert run(program, tmp_path) == [
        "['tea: 3.20']",
        "['salt: no price for salt, after 3 attempts']",
    ]


def test_every_store_is_in_the_readme():
    assert not [
        scheme
        for scheme in STORES
        if f"`{scheme}:" not in README and scheme != "postgres"
    ]


def test_the_pictures_of_the_readme_are_made(tmp_path):
    (program,) = blocks("Pictures of a workflow")
    assert run(program, tmp_path)[0] == "flowchart TD"
    assert (tmp_path / "greeting.dot").read_text("utf-8").startswith("digraph")


def test_the_workflow_file_of_the_readme_runs(tmp_path):
    (document,) = blocks("A workflow as a file")
    file = tmp_path / "greeting.stepwell.json"
    file.write_text(document, "utf-8")
    (tmp_path / "texts.py").write_text(
        "def shout(text: str) -> str:\n    return text.upper()\n"
    )
    command = [sys.executable, "-m", "designer.cli.commands"]
    subprocess.run([*command, "check", str(file)], capture_output=True, check=True)
    done = subprocess.run(
        [*command, "run", str(file), "--store", "memory:"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "HELLO, ADA!\n"


def test_the_node_type_of_the_readme_works():
    from pathlib import Path as Folder

    from runtime.document.definition import NodeDefinition
    from runtime.nodes.base import Catalogue

    _, program, _ = blocks("How it is built")
    names = {}
    exec(program, names)  # noqa: S102 - our own README
    catalogue = Catalogue([names["REPEAT"]])
    made = catalogue.create(
        NodeDefinition(id="r", type="repeat", params={"times": 3}), Folder()
    )
    assert (made.id, made.times, made.input_types) == ("r", 3, [str])
    assert catalogue.infos()[0].params_schema["properties"]["times"]["default"] == 2


async def test_the_node_type_of_the_readme_that_is_a_function_works(tmp_path):
    from runtime.document.definition import WorkflowDefinition
    from runtime.loader.build import build
    from runtime.nodes import catalogue

    code, *_ = blocks("How it is built")
    (tmp_path / "nodes").mkdir()
    (tmp_path / "nodes" / "greet.py").write_text(code)
    found = next(
        one for one in catalogue(tmp_path).infos() if one.type == "nodes.greet:greet"
    )
    assert (found.title, found.category, list(found.params_schema["properties"])) == (
        "Greet",
        "Your nodes",
        ["tone", "times"],
    )
    nodes = [
        {"id": "greet", "type": found.type, "params": {"tone": "loud", "times": 2}},
        {"id": "out", "type": "output"},
    ]
    edges = [{"id": "e", "kind": "direct", "source": "greet", "target": "out"}]
    definition = WorkflowDefinition.model_validate(
        {"start": "greet", "nodes": nodes, "edges": edges}
    )
    assert (await build(definition, folder=tmp_path).run("Ada")).get_outputs() == [
        "HELLO, ADA! HELLO, ADA!"
    ]


@pytest.mark.parametrize("heading", ["Run it", "Test it"])
def test_each_of_the_two_commands_is_the_only_block_under_its_heading(heading):
    (command,) = blocks(heading)
    assert command.count("\n") == 1


def test_every_command_of_the_table_exists():
    commands = set(re.findall(r"`stepwell (\w+)", README)) | {"nodes", "layout"}
    listed = subprocess.run(
        [sys.executable, "-m", "designer.cli.commands", "--help"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    missing = [
        command for command in commands if not re.search(rf"\b{command}\b", listed)
    ]
    assert not missing


def test_every_picture_and_file_that_is_named_is_there():
    named = re.findall(r"\]\(([\w./-]+)\)", README) + re.findall(
        r"`((?:runtime|designer|resources)/[\w./]+)`", README
    )
    assert len(named) > 10
    missing = [path for path in named if not (ROOT / path).exists()]
    assert not missing


def test_the_apt_line_names_what_the_start_up_check_names():
    from designer.startup import LIBRARIES

    (line,) = re.findall(r"^    apt-get install .*$", README, re.MULTILINE)
    assert line.endswith(LIBRARIES)


def test_the_layout_of_the_readme_works():
    import networkx as nx

    _, code = blocks("Layouts, themes and viewers in a package")
    names = {}
    exec(code, names)  # noqa: S102 - our own README
    assert names["circle"](
        nx.MultiDiGraph([("a", "b"), ("a", "b"), ("b", "a")])
    ).keys() == {"a", "b"}
