"""Imports a workflow in Python in a process of its own, because its code must not run
in the window.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import orjson
from PySide6.QtCore import QObject, QProcess, Signal

from designer.session.link import bury, child_environment

MOST_KEPT = 1_000_000  # bytes
_IMPORT = [sys.executable, "-P", "-X", "utf8", "-m", "designer.cli.commands", "import"]


class Importer(QObject):
    """Writes one workflow file at a time.

    done    carries its path
    failed  carries the reason, for people; nothing was written then
    """

    done = Signal(str)
    failed = Signal(str)

    def __init__(
        self, parent: QObject | None = None, command: list[str] | None = None
    ) -> None:
        super().__init__(parent)
        self._command = command or _IMPORT
        self._file = Path()
        # The ends of what its code printed, which may be endless.
        self._output = self._errors = b""
        self._process = QProcess(self)
        self._process.setProcessEnvironment(child_environment())
        self._process.readyReadStandardOutput.connect(self._on_output)
        self._process.readyReadStandardError.connect(self._on_errors)
        self._process.errorOccurred.connect(self._on_error)
        self._process.finished.connect(self._on_finished)
        self.destroyed.connect(partial(bury, self._process))

    @property
    def running(self) -> bool:
        return self._process.state() != QProcess.ProcessState.NotRunning

    def start(self, reference: str, file: Path, folder: Path | None = None) -> None:
        """Start to write `file` of the workflow `module:name`. Modules are looked up in
        `folder` first, by default that of the file.
        """
        self._file = file
        self._output = b""
        self._errors = b""
        home = folder or file.parent
        self._process.setWorkingDirectory(str(home))
        words = [
            "--json",
            "--folder",
            str(home),
            "--output",
            str(file),
            "--",
            reference,
        ]
        self._process.start(self._command[0], [*self._command[1:], *words])

    def cancel(self) -> None:
        """Kill the process; `failed` follows if it was running."""
        self._process.kill()

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self.failed.emit(
                f"Python could not be started: {self._process.errorString()}."
            )

    def _on_output(self) -> None:
        self._output = (
            self._output + bytes(self._process.readAllStandardOutput().data())
        )[-MOST_KEPT:]

    def _on_errors(self) -> None:
        self._errors = (
            self._errors + bytes(self._process.readAllStandardError().data())
        )[-MOST_KEPT:]

    def _on_finished(self, code: int, status: QProcess.ExitStatus) -> None:
        self._on_output()
        self._on_errors()
        if status != QProcess.ExitStatus.NormalExit:
            self.failed.emit("The import was ended before it was done.")
        elif code == 0:
            self.done.emit(str(self._file))
        else:
            self.failed.emit(
                _reason(self._output)
                or self._last_words()
                or f"The import ended with exit code {code}."
            )

    def _last_words(self) -> str:
        """Return the last line of stderr, for a command that failed itself."""
        lines = self._errors.decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""


def _reason(output: bytes) -> str:
    """Return the error of the command; "" if its output has none."""
    try:
        return str(orjson.loads(output)["error"]["text"])
    except (orjson.JSONDecodeError, LookupError, TypeError):
        return ""
