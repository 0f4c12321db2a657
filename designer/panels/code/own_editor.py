"""A source file in a person's own editor, at its line: by the command in the settings, by $VISUAL, or by the system."""

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
# How editors are told a line, by the name of their program. Others get the file alone.
_WAYS: tuple[tuple[frozenset[str], tuple[str, ...]], ...] = (
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
# They need a terminal, which a window has none of; in the settings one can name one: `xterm -e vim +{line} {file}`.
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
    """The command of the settings, else $VISUAL unless that needs a terminal; "" leaves it to the system."""
    visual = environment.get("VISUAL", "").strip()
    return setting.strip() or ("" if _program(visual) in _IN_TERMINALS else visual)


def arguments(command: str, path: Path, line: int) -> list[str]:
    """The program and what it is given. `{file}` and `{line}` in a command are filled in; a command without them gets
    both in the way of its program. Raise `ValueError` for a command that cannot be read.
    """
    parts = _parts(command)
    if not any(_FILE in part for part in parts):
        known = next(
            (way for names, way in _WAYS if _program(command) in names), (_FILE,)
        )
        parts = [*parts, *known]
    return [part.replace(_FILE, str(path)).replace(_LINE, str(line)) for part in parts]


def why_not(command: str) -> str:
    """Why a command cannot be used; "" if it can, or is empty."""
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
    """Show a source at its line. Returns why that could not be done, "" when it was begun."""
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
    if sys.platform == "win32":  # what is opened by its type would be run
        return QProcess.startDetached("notepad.exe", [str(path)])[0]
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


def _parts(command: str) -> list[str]:
    if sys.platform != "win32":
        return shlex.split(command)
    # backslashes are those of paths
    return [part.strip('"') for part in shlex.split(command, posix=False)]


def _program(command: str) -> str:
    try:
        return Path(next(iter(_parts(command)), "")).stem.casefold()
    except ValueError:
        return ""
