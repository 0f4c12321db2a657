"""Opens a source file at a line in the user's editor: the command of the settings,
$VISUAL, or the system's program.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QProcess, QUrl
from PySide6.QtGui import QDesktopServices

WHERE = "File > Editor for source files"
_FILE = "{file}"
_LINE = "{line}"
# The arguments for a file and a line, by the name of the program. Others get only the
# file.
_SYNTAX: tuple[tuple[frozenset[str], tuple[str, ...]], ...] = (
    (
        frozenset({"code", "code-insiders", "codium", "cursor", "windsurf"}),
        ("-g", "{file}:{line}"),
    ),
    (frozenset({"subl", "sublime_text", "zed"}), ("{file}:{line}",)),
    (
        frozenset({"pycharm", "charm", "idea", "kate", "kwrite"}),
        ("--line", _LINE, _FILE),
    ),
    (
        frozenset({"gvim", "emacs", "emacsclient", "gedit", "geany", "xed", "pluma"}),
        ("+{line}", _FILE),
    ),
    (frozenset({"notepad++"}), ("-n{line}", _FILE)),
)
# Editors that need a terminal. The settings can name one: `xterm -e vim +{line}
# {file}`.
_IN_TERMINALS = frozenset(
    {
        "ed",
        "hx",
        "jed",
        "joe",
        "kak",
        "mcedit",
        "micro",
        "nano",
        "ne",
        "nvim",
        "pico",
        "vi",
        "vim",
    }
)


def command_of(setting: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the command of the settings, else $VISUAL unless it needs a terminal, else
    "" for the system's program.
    """
    command = setting.strip()
    if command:
        return command
    visual = environment.get("VISUAL", "").strip()
    return "" if _program(visual) in _IN_TERMINALS else visual


def arguments(command: str, path: Path, line: int) -> list[str]:
    """Return the program and its arguments, with `{file}` and `{line}` filled in.

    A command without `{file}` gets both in the syntax of its program. Raise
    `ValueError` for a command that cannot be parsed.
    """
    parts = _parts(command)
    if not any(_FILE in part for part in parts):
        program = _program(command)
        known = (pattern for names, pattern in _SYNTAX if program in names)
        parts = [*parts, *next(known, (_FILE,))]
    return [part.replace(_FILE, str(path)).replace(_LINE, str(line)) for part in parts]


def why_not(command: str) -> str:
    """Return why a command cannot be used; "" if it can, or is empty."""
    try:
        parts = _parts(command)
    except ValueError as error:
        return f"This is not a command: {error}. Put words with spaces into quotes."
    if parts and shutil.which(parts[0]) is None:
        return f"There is no program '{parts[0]}'. Write its whole path, or install it."
    return ""


def open_source(
    path: Path, line: int, setting: str, by_system: Callable[[Path], bool] | None = None
) -> str:
    """Open a source file at a line. Return why that failed, or ""."""
    command = command_of(setting)
    if not command:
        if (by_system or _by_system)(path):
            return ""
        return f"This system has no program for {path.name}. Set {WHERE}."
    why = why_not(command)
    if not why:
        program, *program_arguments = arguments(command, path, line)
        if QProcess.startDetached(program, program_arguments, str(path.parent))[0]:
            return ""
        why = f"'{program}' could not be started."
    return f"{why} Set {WHERE}."


def _by_system(path: Path) -> bool:
    if (
        sys.platform == "win32"
    ):  # because the program for .py files may be Python, which would run the file
        return QProcess.startDetached("notepad.exe", [str(path)])[0]
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


def _parts(command: str) -> list[str]:
    if sys.platform != "win32":
        return shlex.split(command)
    # Not POSIX, because backslashes belong to paths here.
    return [part.strip('"') for part in shlex.split(command, posix=False)]


def _program(command: str) -> str:
    try:
        return Path(next(iter(_parts(command)), "")).stem.casefold()
    except ValueError:
        return ""
