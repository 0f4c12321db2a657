"""The context of a form: the document's folder, the environment, example messages, and
the file dialog.
"""

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
from designer.panels.fields.schema import Schema

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
    """Ask for a path with the system's dialog; `kind` is "read" or "write". Return ""
    when none was chosen.
    """
    if kind == "write":
        ask = QFileDialog.getSaveFileName
    else:
        ask = QFileDialog.getOpenFileName
    return ask(parent, title, str(start))[0]


@dataclass(frozen=True)
class FormContext:
    """The facts that the fields of a form need from outside it.

    Relative paths start at `folder`. The environment is that of the window, because a
    run's process inherits it.
    """

    folder: Callable[[], Path]
    choose: Callable[[QWidget, str, Path, str], str] = choose_file
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    example: Callable[[], Any] = lambda: UNKNOWN  # an example message
    # An example row of the table whose columns a field names ...
    row: Callable[[], Any] = lambda: UNKNOWN
    # ... and of the table whose columns the texts of the field name.
    other_row: Callable[[], Any] = lambda: UNKNOWN
    # Opens a source file at a line; returns why that failed, or "".
    edit: Callable[[Path, int], str] = lambda path, line: open_source(path, line, "")

    def relative(self, chosen: str) -> str:
        """Return a path as the document stores it: relative if it is inside the folder,
        with slashes.
        """
        path = Path(chosen)
        folder = self.folder().resolve()
        try:
            return path.resolve().relative_to(folder).as_posix()
        except ValueError:
            return path.as_posix()

    def note(self, schema: Schema, value: Any) -> str:
        """Return a note about a valid value: variables that are not set, a file that
        does not exist.
        """
        if schema.get("format") == VARIABLE:
            if isinstance(value, list):
                names = value
            elif isinstance(value, str):
                names = [value]
            else:
                names = [schema.get("default")]
            return self._variables(
                [name for name in names if isinstance(name, str) and name]
            )
        if schema.get("format") in _WITH_NAMES:
            variables: list[str] = []
            for text in value.values() if isinstance(value, Mapping) else (value,):
                if isinstance(text, str):
                    variables += _NAMED.findall(text)
            if variables:
                return self._variables(list(dict.fromkeys(variables)))
        is_path = schema.get("file") and isinstance(value, str) and value.strip()
        if is_path and "{" not in value:
            return self._file(value, str(schema["file"]))
        return ""

    def _variables(self, names: list[str]) -> str:
        """Return a note about variables: only their names, never their values."""
        missing = [name for name in names if not self.environment.get(name)]
        if missing:
            verb = "is" if len(missing) == 1 else "are"
            return f"{', '.join(missing)} {verb} not set in the environment. Set it before you start Stepwell."
        return f"{', '.join(names)}: set in the environment." if names else ""

    def _file(self, text: str, kind: str) -> str:
        folder = self.folder()
        try:
            path = (folder / text).resolve()
            if not path.is_relative_to(folder.resolve()):
                return "This is outside the workflow's folder, so it needs 'Allow outside'."
            if kind == "read" and not path.is_file():
                return "There is no such file yet."
            return ""
        except (OSError, ValueError, RuntimeError):
            return "This path cannot be read."
