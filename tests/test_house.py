"""The figures, vague names and rooms of a small tree of sources."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.house import figures, main
from tests.house_rooms import Rooms, draw, room_lines

LAYERS = """
[[tool.importlinter.contracts]]
name = "Layers"
type = "layers"
layers = ["app.top", "app.left | app.right", "app.base"]
"""
FILES = {
    "__init__.py": "from app.top import run\n",
    "top.py": (
        '"""Start here."""\n\n'
        "from app.left.reading import load\n\n\n"
        "def run(path):\n"
        '    """Run."""\n'
        "    # Because a path may be empty.\n"
        "    one = load(path) if path else None\n"
        "    first, second = one, [found for found in one]\n"
        "    return first, second\n"
    ),
    "left/__init__.py": "",
    "left/reading.py": (
        "from typing import TYPE_CHECKING\n\n"
        "from app import base\n\n"
        "if TYPE_CHECKING:\n"
        "    from app.top import run\n\n\n"
        "def load(given):\n"
        "    return base.read(given)\n"
    ),
    "right.py": (
        "def peek():\n    from app.left.reading import load\n\n    return load\n"
    ),
    "base.py": "def read(path):\n    return path\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(LAYERS)
    for name, text in FILES.items():
        file = tmp_path / "app" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


def test_figures_count_what_is_written(root: Path) -> None:
    top = figures(root, "app/top.py")
    assert top["files"] == 1
    assert top["lines"] == 11
    assert top["function_lines"].largest == 6
    assert top["complexity"].largest == 3  # itself, the choice, the comprehension
    assert top["public_functions_with_docstring"] == 100
    assert round(top["comment_lines"], 1) == 9.1
    assert round(top["docstring_lines"], 1) == 18.2
    assert top["conditional_expressions"] == 20  # one on five code lines
    assert top["side_by_side"] == 20
    assert top["vague_names"] == 50  # `one` and `found` of four
    assert top["fan_out"].largest == 1


def test_cycles_are_told_apart_by_when_they_exist(root: Path) -> None:
    app = figures(root, "app")
    assert app["cycles_at_load"] == []
    assert app["cycles_with_type_only_and_lazy"] == [2]
    assert app["gerund_modules"] == (1, 4)


def test_vague_names_are_listed_with_their_functions(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["app", "--vague", "--root", str(root)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "app/top.py  2",
        "    app/top.py:9 one  run",
        "    app/top.py:10 found  run",
        "app/left/reading.py  1",
        "    app/left/reading.py:9 given  load  (parameter)",
    ]


def test_rooms_have_floors_arrows_and_a_direction(root: Path) -> None:
    rooms = Rooms.read(root, "app")
    assert rooms.floors() == {
        "app.base": 0,
        "app.left": 1,
        "app.right": 0,
        "app.top": 2,
    }
    assert list(rooms.against) == [("app.left", "app.top"), ("app.right", "app.left")]
    assert rooms.circles == [["app.left", "app.top"]]
    assert rooms.circles_at_load == []
    assert "  app.left.reading -> app.top  type" in room_lines(rooms)


def test_rooms_are_drawn(root: Path) -> None:
    rooms = Rooms.read(root, "app")
    draw(rooms, root / "rooms.svg")
    texts = [
        element.text
        for element in ET.parse(root / "rooms.svg").iter()  # noqa: S314
        if element.tag.endswith("text")
    ]
    assert sorted(map(str, texts)) == ["base", "left", "right", "top"]
    draw(rooms, root / "rooms.dot")
    assert '"top" -> "left"' in (root / "rooms.dot").read_text()


def test_the_command_prints_a_table_or_json(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["app", "--root", str(root)]) == 0
    assert "vague names among assigned names" in capsys.readouterr().out
    assert main(["app", "--root", str(root), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["app"]["files"] == 5
