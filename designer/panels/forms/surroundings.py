"""What a form knows of the world around it: the document's folder, the environment, and how a file is chosen."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QFileDialog, QWidget

from designer.model.completion.message_examples import UNKNOWN
from designer.panels.code.external_editor import open_source
from designer.panels.forms.schema import Schema

_NAMED = re.compile(r"\{env\.([A-Za-z_]\w*)\}")
_WITH_NAMES = (
    "template-env",
    "template-env-line",
    "http-url",
    "base-url",
    "database",
    "named-values",
)
VARIABLE = "environment-variable"


def choose_file(parent: QWidget, title: str, start: Path, kind: str) -> str:
    """Ask for a path with the system's dialog; `kind` is "read" or "write". "" when none was chosen."""
    if kind == "write":
        ask = QFileDialog.getSaveFileName
    else:
        ask = QFileDialog.getOpenFileName
    return ask(parent, title, str(start))[0]


@dataclass(frozen=True)
class Surroundings:
    """`folder` is where relative paths start. The environment is that of the window, which a run's process inherits."""

    folder: Callable[[], Path]
    choose: Callable[[QWidget, str, Path, str], str] = choose_file
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    example: Callable[[], Any] = lambda: UNKNOWN  # of the messages that arrive
    # A row of the table whose columns a field names, and of the one whose columns its texts name.
    row: Callable[[], Any] = lambda: UNKNOWN
    other_row: Callable[[], Any] = lambda: UNKNOWN
    # a source, at a line
    edit: Callable[[Path, int], str] = lambda path, line: open_source(path, line, "")

    def relative(self, chosen: str) -> str:
        """A path as it goes into a document: relative to its folder where it is inside, with slashes."""
        path = Path(chosen)
        folder = self.folder().resolve()
        try:
            return path.resolve().relative_to(folder).as_posix()
        except ValueError:
            return path.as_posix()

    def note(self, schema: Schema, value: Any) -> str:
        """What there is to know of a value beside whether it is right: variables that are not set, a file that is not
        there.
        """
        if schema.get("format") == VARIABLE:
            if isinstance(value, list):
                names = value
            else:
                names = [value if isinstance(value, str) else schema.get("default")]
            return self._variables(
                [name for name in names if isinstance(name, str) and name]
            )
        if schema.get("format") in _WITH_NAMES:
            texts = value.values() if isinstance(value, Mapping) else (value,)
            variables = [
                name
                for text in texts
                if isinstance(text, str)
                for name in _NAMED.findall(text)
            ]
            if variables:
                return self._variables(list(dict.fromkeys(variables)))
        if (
            schema.get("file")
            and isinstance(value, str)
            and value.strip()
            and "{" not in value
        ):
            return self._file(value, str(schema["file"]))
        return ""

    def _variables(self, names: list[str]) -> str:
        """Only names are shown, never values."""
        missing = [name for name in names if not self.environment.get(name)]
        if missing:
            verb = "is" if len(missing) == 1 else "are"
            return f"{', '.join(missing)} {verb} not set in the environment: set it before Stepwell is started."
        return f"{', '.join(names)}: set in the environment." if names else ""

    def _file(self, text: str, kind: str) -> str:
        folder = self.folder()
        try:
            path = (folder / text).resolve()
            if not path.is_relative_to(folder.resolve()):
                return "This is outside of the workflow's folder: it needs 'Allow outside'."
            if kind == "read" and not path.is_file():
                return "There is no such file yet."
            return ""
        except (OSError, ValueError, RuntimeError):
            return "This is no path that can be read."
