"""The connection to the process of a run: packets out, packets and console lines in. It
can be cut at any time.
"""

from __future__ import annotations

import os
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, QProcess, QProcessEnvironment

from designer.session.line_link import (
    CONSOLE_BYTES,
    LAST,
    SLICE,
    LineLink,
    encode,
)
from runtime.debug import protocol
from runtime.debug.wire.lines import LONGEST

CONSOLE_LINES = 500
_PATIENCE = 500


class ProcessLink(LineLink):
    """A link to `python -m runtime.debug`, or to another command that speaks JSON
    lines.
    """

    def __init__(
        self,
        command: list[str] | None = None,
        *,
        turn: float = SLICE,
        longest: int = LONGEST,
        last: float = LAST,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(turn, longest, last, parent)
        # -P: a module of the working folder can never replace one of ours.
        self._command = command or [
            sys.executable,
            "-P",
            "-X",
            "utf8",
            "-m",
            "runtime.debug",
        ]
        self._errors = _Console()
        self._process = QProcess(self)
        self._process.setProcessEnvironment(child_environment())
        self._process.readyReadStandardOutput.connect(self._on_output)
        self._process.readyReadStandardError.connect(self._on_errors)
        self._process.errorOccurred.connect(self._on_error)
        self._process.finished.connect(self._on_finished)
        self.destroyed.connect(partial(bury, self._process))
        if (app := QCoreApplication.instance()) is not None:
            # A method, because Qt disconnects it when the link is deleted.
            app.aboutToQuit.connect(self._on_quit)

    def _on_quit(self) -> None:
        _end(self._process)

    def start(self) -> None:
        if self._process.state() != QProcess.ProcessState.NotRunning:
            _end(self._process)
        self._begin()
        self._errors = _Console()
        self._process.start(self._command[0], self._command[1:])

    def send(self, packet: dict[str, Any]) -> None:
        line = encode(packet)
        if self._open and not self._ending:
            self._process.write(line + b"\n")

    def kill(self, patience: int = 0) -> None:
        if patience and self._process.state() != QProcess.ProcessState.NotRunning:
            self._process.closeWriteChannel()
            self._process.waitForFinished(patience)
        self._end_reading("The process of the run was ended.")
        if patience:
            _end(self._process)
        else:
            # `finished` follows; to wait for it here would stall the window.
            self._process.kill()

    def _on_output(self) -> None:
        self._split(bytes(self._process.readAllStandardOutput().data()))
        self._schedule()

    def _on_errors(self) -> None:
        self._errors.feed(bytes(self._process.readAllStandardError().data()))
        self._schedule()

    def _is_over(self) -> bool:
        return self._process.state() == QProcess.ProcessState.NotRunning

    def _emit_others(self) -> None:
        for category, line in self._errors.take():
            self.console.emit(category, line)

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            self._finish(
                f"'{self._command[0]}' could not be started: {self._process.errorString()}."
            )

    def _on_finished(self, code: int, status: QProcess.ExitStatus) -> None:
        self._on_output()
        self._errors.feed(bytes(self._process.readAllStandardError().data()))
        reason = _reason(code, status)
        self._finish(
            f"{reason} Last line: {self._errors.last}"
            if code and self._errors.last
            else reason
        )

    def _finish(self, reason: str) -> None:
        self._errors.end()
        self._ending = self._ending or reason
        self._turn.start()


class _Console:
    """Splits the process's stderr into lines, and keeps a bounded number between two
    turns.

    The process sends there what it prints too: lines that it wrote as errors have a
    mark.
    """

    def __init__(self) -> None:
        self.last = ""
        self._unfinished = b""
        self._new_lines: list[tuple[str, str]] = []
        self._left_out = 0

    def feed(self, data: bytes) -> None:
        *lines, unfinished = (self._unfinished + data).split(b"\n")
        self._unfinished = unfinished[-CONSOLE_BYTES:]
        room = CONSOLE_LINES - len(self._new_lines)
        self._new_lines += [_categorized(line) for line in lines[:room]]
        self._left_out += max(0, len(lines) - room)
        self.last = next(
            (line for _, line in reversed(self._new_lines) if line.strip()), self.last
        )

    def end(self) -> None:
        """The process ended: an unfinished last line is a line."""
        if self._unfinished:
            self.feed(b"\n")

    def take(self) -> list[tuple[str, str]]:
        """Return the lines since the last call, each with its category."""
        lines = self._new_lines
        self._new_lines = []
        if self._left_out:
            lines.append(
                (
                    "stdout",
                    f"… {self._left_out:,} more lines were left out, because they were too many.",
                )
            )
            self._left_out = 0
        return lines


def _categorized(line: bytes) -> tuple[str, str]:
    category = "stderr" if line.startswith(protocol.ERROR_MARK) else "stdout"
    text = (
        line.removeprefix(protocol.ERROR_MARK)[:CONSOLE_BYTES]
        .decode("utf-8", "replace")
        .rstrip("\r")
    )
    return category, text


def child_environment() -> QProcessEnvironment:
    """Return our environment with the folder of `runtime` first, so that a checkout
    works that was never installed.
    """
    environment = QProcessEnvironment.systemEnvironment()
    root = str(Path(protocol.__file__).resolve().parents[3])
    path = environment.value("PYTHONPATH")
    environment.insert("PYTHONPATH", f"{root}{os.pathsep}{path}" if path else root)
    environment.insert("PYTHONUNBUFFERED", "1")
    return environment


def _reason(code: int, status: QProcess.ExitStatus) -> str:
    if status == QProcess.ExitStatus.NormalExit:
        if code:
            return f"The process of the run ended with exit code {code}."
        return "The process of the run ended."
    try:
        name = signal.Signals(code).name
    except ValueError:
        name = str(code)
    return f"The process of the run was ended by signal {name}."


def _end(process: QProcess, *_: object) -> None:
    """Kill a process, and wait for its end, which takes about a millisecond."""
    if process.state() != QProcess.ProcessState.NotRunning:
        process.kill()
        process.waitForFinished(_PATIENCE)


def bury(process: QProcess, *_: object) -> None:
    """Kill the process of a link that is deleted, without any signal."""
    process.blockSignals(True)
    _end(process)
