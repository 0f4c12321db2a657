"""One's own editor gets file and line in its own way; what cannot be started says so."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from designer.panels.code.external_editor import (
    arguments,
    command_of,
    open_source,
    why_not,
)

FILE = Path("/some where/report.py")


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("code", ["code", "-g", "/some where/report.py:7"]),
        (
            "/opt/VS/code --reuse-window",
            ["/opt/VS/code", "--reuse-window", "-g", "/some where/report.py:7"],
        ),
        ("subl", ["subl", "/some where/report.py:7"]),
        ("pycharm", ["pycharm", "--line", "7", "/some where/report.py"]),
        ("emacsclient -n", ["emacsclient", "-n", "+7", "/some where/report.py"]),
        ("mine", ["mine", "/some where/report.py"]),
        (
            "xterm -e vim +{line} {file}",
            ["xterm", "-e", "vim", "+7", "/some where/report.py"],
        ),
        (
            "'/my apps/ed it' --at={line} {file}",
            ["/my apps/ed it", "--at=7", "/some where/report.py"],
        ),
        ("code -g {file}", ["code", "-g", "/some where/report.py"]),
    ],
)
def test_an_editor_is_told_file_and_line_in_its_way(
    command: str, told: list[str]
) -> None:
    assert arguments(command, FILE, 7) == told


@pytest.mark.parametrize(
    ("setting", "visual", "used"),
    [
        ("code", "gvim", "code"),
        ("", "gvim -f", "gvim -f"),
        ("", "vim", ""),
        ("", "/usr/bin/nano -w", ""),
        (" ", "", ""),
    ],
)
def test_the_setting_counts_then_visual_but_none_that_needs_a_terminal(
    setting: str, visual: str, used: str
) -> None:
    assert command_of(setting, {"VISUAL": visual}) == used


def test_a_program_that_is_not_there_and_what_is_no_command_are_told() -> None:
    assert why_not("") == ""
    assert why_not(shlex.quote(sys.executable)) == ""
    assert "no program 'no_such_editor'" in why_not("no_such_editor --fast")
    assert "not a command" in why_not("'half quoted")
    assert "File > Editor for source files" in open_source(FILE, 1, "no_such_editor")


def test_the_editor_is_started_with_file_and_line(tmp_path: Path, qtbot: QtBot) -> None:
    said = tmp_path / "said"
    source = tmp_path / "re port.py"
    source.write_text("x = 1\n")
    editor = tmp_path / "editor.py"
    editor.write_text(
        f"import os, sys\nopen({str(said)!r} + '.new', 'w').write('|'.join(sys.argv[1:]))\n"
    )
    with editor.open("a") as stream:
        stream.write(f"os.replace({str(said)!r} + '.new', {str(said)!r})\n")
    command = (
        f"{shlex.quote(sys.executable)} {shlex.quote(str(editor))} {{file}} {{line}}"
    )
    assert open_source(source, 12, command) == ""
    qtbot.waitUntil(said.exists, timeout=20_000)
    assert said.read_text() == f"{source}|12"


def test_without_a_command_the_system_opens_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    opened: list[Path] = []
    assert (
        open_source(FILE, 1, "", by_system=lambda path: not opened.append(path)) == ""
    )
    assert opened == [FILE]
    assert "has no program for report.py" in open_source(
        FILE, 1, "", by_system=lambda _path: False
    )
