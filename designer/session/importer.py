"""A workflow in Python is imported by a process of its own: its code never runs in the window."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import orjson
from PySide6.QtCore import QObject, QProcess, Signal

from designer.session.link import bury, child_environment

_IMPORT = [sys.executable, "-P", "-X", "utf8", "-m", "designer.cli", "import"]


class Importer(QObject):
    """Makes one workflow file at a time.

    done    it is there: its path
    failed  why it is not, for people; nothing was written then
    """

    done = Signal(str)
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None, command: list[str] | None = None) -> None:
        super().__init__(parent)
        self._command = command or _IMPORT
        self._file = Path()
        self._process = QProcess(self)
        self._process.setProcessEnvironment(child_environment())
        self._process.errorOccurred.connect(self._on_error)
        self._process.finished.connect(self._on_finished)
        self.destroyed.connect(partial(bury, self._process))

    @property
    def running(self) -> bool:
        return self._process.state() != QProcess.ProcessState.NotRunning

    def start(self, reference: str, file: Path, folder: Path | None = None) -> None:
        """Begin to make `file` of the workflow at `module:name`. Modules are looked up in `folder` first, that of the
        file if none is given.
        """
        self._file = file
        home = folder or file.parent
        self._process.setWorkingDirectory(str(home))
        words = ["--json", "--folder", str(home), "--output", str(file), "--", reference]
        self._process.start(self._command[0], [*self._command[1:], *words])

    def cancel(self) -> None:
        """End the process, and with it the code that it runs; `failed` follows if it was running."""
        self._process.kill()

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self.failed.emit(f"Python could not be started: {self._process.errorString()}.")

    def _on_finished(self, code: int, status: QProcess.ExitStatus) -> None:
        told = bytes(self._process.readAllStandardOutput().data())
        if status != QProcess.ExitStatus.NormalExit:
            self.failed.emit("The import was ended before it was done.")
        elif code == 0:
            self.done.emit(str(self._file))
        else:
            self.failed.emit(_reason(told) or self._last_words() or f"The import ended with exit code {code}.")

    def _last_words(self) -> str:
        """What Python says when even the command failed."""
        lines = bytes(self._process.readAllStandardError().data()).decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""


def _reason(told: bytes) -> str:
    try:
        return str(orjson.loads(told)["error"]["text"])
    except (orjson.JSONDecodeError, LookupError, TypeError):
        return ""
