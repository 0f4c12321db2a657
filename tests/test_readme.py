"""The README tells the truth: its program runs, its commands exist, its pictures are there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def blocks(heading):
    section = README.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^```\w*\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


def test_the_first_workflow_runs_as_it_stands(tmp_path):
    (program,) = blocks("A first workflow in Python")
    file = tmp_path / "first.py"
    file.write_text(program, "utf-8")
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "['5 words, 18 letters']\n"


@pytest.mark.parametrize("heading", ["Run it", "Test it"])
def test_each_of_the_two_commands_is_the_only_block_under_its_heading(heading):
    (command,) = blocks(heading)
    assert command.count("\n") == 1


def test_every_command_of_the_table_exists():
    commands = set(re.findall(r"`stepwell (\w+)", README)) | {"nodes", "layout"}
    listed = subprocess.run(
        [sys.executable, "-m", "designer.cli", "--help"], capture_output=True, text=True, check=True
    ).stdout
    missing = [command for command in commands if not re.search(rf"\b{command}\b", listed)]
    assert not missing


def test_every_picture_and_file_that_is_named_is_there():
    named = re.findall(r"\]\(([\w./-]+)\)", README) + re.findall(r"`((?:runtime|designer|resources)/[\w./]+)`", README)
    assert len(named) > 10
    missing = [path for path in named if not (ROOT / path).exists()]
    assert not missing


def test_the_apt_line_names_what_the_start_up_check_names():
    from designer.startup import LIBRARIES

    (line,) = re.findall(r"^    apt-get install .*$", README, re.MULTILINE)
    assert line.endswith(LIBRARIES)
