"""The line to the process in which a run lives: packets out, packets and console lines in, and it can always be cut.

Reading is sliced: one turn of the event loop decodes for at most `SLICE` seconds and leaves the rest to the next turn,
so that a flood of packets never stalls the window.
"""

from __future__ import annotations

import json
import math
import signal
import sys
import time
from collections import deque
from functools import partial
from pathlib import Path
from typing import Any

import orjson
from PySide6.QtCore import (
    QCoreApplication,
    QObject,
    QProcess,
    QProcessEnvironment,
    QTimer,
    Signal,
)

from runtime.debug import protocol
from runtime.debug.lines import KEPT, LONGEST, Line, UnreadableLineError, packet_in
from runtime.system.bounded_files import TooDeepError

SLICE = 0.008
CONSOLE_LINES = 500
CONSOLE_BYTES = 8_000
UNREADABLE = "Unreadable"  # `error_type` of a reply that could not be read
# s of reading what a process said that was ended: it may have said more than anybody can take in
LAST = 0.3
_PATIENCE = 500


class Link(QObject):
    """What a session needs of its line. A link that closed can be started again."""

    packet = Signal(object)  # dict
    console = Signal(str, str)  # category, text
    closed = Signal(str)  # why, for people; once per start

    @property
    def is_open(self) -> bool:
        """True from `start` until `closed`."""
        raise NotImplementedError

    def start(self) -> None:
        raise NotImplementedError

    def send(self, packet: dict[str, Any]) -> None:
        """Never blocks. What is sent over a closed link is lost: its sender has heard `closed`. Raises `ValueError` for
        what cannot be sent.
        """
        raise NotImplementedError

    def kill(self, patience: int = 0) -> None:
        """End the other side, now or after `patience` milliseconds if it does not end by itself.

        `closed` follows when what had arrived was read; of a flood only the beginning is.
        """
        raise NotImplementedError


class ProcessLink(Link):
    """A link to `python -m runtime.debug`, or to another command that speaks JSON lines."""

    def __init__(
        self,
        command: list[str] | None = None,
        *,
        turn: float = SLICE,
        longest: int = LONGEST,
        last: float = LAST,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._slice = turn  # seconds of reading for each turn of the event loop
        self._longest = longest  # bytes of a line
        self._last = last  # seconds of reading after `kill`
        self._until = math.inf
        # -P: a module of the working folder can never stand in for one of ours.
        self._command = command or [
            sys.executable,
            "-P",
            "-X",
            "utf8",
            "-m",
            "runtime.debug",
        ]
        self._lines: deque[Line] = deque()
        self._rest = bytearray()
        self._is_too_long = False
        self._errors = _Console()
        self._ending = ""
        self._open = False
        self._turn = QTimer(self, interval=0, singleShot=True)
        self._turn.timeout.connect(self._drain)
        self._process = QProcess(self)
        self._process.setProcessEnvironment(child_environment())
        self._process.readyReadStandardOutput.connect(self._on_output)
        self._process.readyReadStandardError.connect(self._on_errors)
        self._process.errorOccurred.connect(self._on_error)
        self._process.finished.connect(self._on_finished)
        self.destroyed.connect(partial(bury, self._process))
        if (app := QCoreApplication.instance()) is not None:
            # a method, which Qt disconnects when the link goes
            app.aboutToQuit.connect(self._on_quit)

    def _on_quit(self) -> None:
        _end(self._process)

    @property
    def is_open(self) -> bool:
        return self._open

    def start(self) -> None:
        if self._process.state() != QProcess.ProcessState.NotRunning:
            _end(self._process)
        self._lines.clear()
        self._rest.clear()
        self._is_too_long = False
        self._errors = _Console()
        self._ending = ""
        self._until = math.inf
        self._open = True
        self._process.start(self._command[0], self._command[1:])

    def send(self, packet: dict[str, Any]) -> None:
        line = _encode(packet)
        if self._open and not self._ending:
            self._process.write(line + b"\n")

    def kill(self, patience: int = 0) -> None:
        if patience and self._process.state() != QProcess.ProcessState.NotRunning:
            self._process.closeWriteChannel()
            self._process.waitForFinished(patience)
        self._ending = self._ending or "The process of the run was ended."
        self._until = min(self._until, time.perf_counter() + self._last)
        if patience:
            _end(self._process)
        else:
            # `finished` follows; waiting for it here would stall the window
            self._process.kill()

    def _on_output(self) -> None:
        self._split(bytes(self._process.readAllStandardOutput().data()))
        if not self._turn.isActive():
            self._turn.start()

    def _split(self, data: bytes) -> None:
        first, *others = data.split(b"\n")
        self._add(first)
        for part in others:
            self._lines.append(Line(bytes(self._rest), is_too_long=self._is_too_long))
            self._rest.clear()
            self._is_too_long = False
            self._add(part)

    def _add(self, part: bytes) -> None:
        """Of a line that is too long only the beginning is kept."""
        if not self._is_too_long:
            self._rest += part
            if len(self._rest) > self._longest:
                self._is_too_long = True
                del self._rest[KEPT:]

    def _drain(self) -> None:
        end = time.perf_counter() + self._slice
        while self._lines and time.perf_counter() < self._until:
            self._read(self._lines.popleft())
            if time.perf_counter() >= end:
                break
        if self._lines and time.perf_counter() >= self._until:
            self.console.emit(
                "stdout",
                f"… {len(self._lines):,} more messages were left out: the run was ended.",
            )
            self._lines.clear()
        self._tell_errors()
        if self._lines:
            self._turn.start()
        elif (
            self._ending
            and self._open
            and self._process.state() == QProcess.ProcessState.NotRunning
        ):
            self._open = False
            self.closed.emit(self._ending)

    def _read(self, line: Line) -> None:
        if not line.content.strip():
            return
        try:
            packet = packet_in(line, "request_seq")
        except UnreadableLineError as error:
            self.console.emit(
                "stderr", line.content[:CONSOLE_BYTES].decode("utf-8", "replace")
            )
            if error.number:  # somebody waits for it
                reason = f"The run's process answered what cannot be read. {error}"
                self.packet.emit(
                    protocol.Reply.failure(
                        error.number, reason, UNREADABLE
                    ).model_dump()
                )
            return
        self.packet.emit(packet)

    def _on_errors(self) -> None:
        self._errors.feed(bytes(self._process.readAllStandardError().data()))
        if not self._turn.isActive():
            self._turn.start()

    def _tell_errors(self) -> None:
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
    """Splits what came on stderr into lines, and keeps only so many between two turns. What the process prints comes
    there too: lines that it wrote as errors have a mark.
    """

    def __init__(self) -> None:
        self.last = ""
        self._rest = b""
        self._kept: list[tuple[str, str]] = []
        self._left_out = 0

    def feed(self, data: bytes) -> None:
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest[-CONSOLE_BYTES:]
        room = CONSOLE_LINES - len(self._kept)
        self._kept += [_told(line) for line in lines[:room]]
        self._left_out += max(0, len(lines) - room)
        self.last = next(
            (line for _, line in reversed(self._kept) if line.strip()), self.last
        )

    def end(self) -> None:
        """No more comes: an unfinished last line is a line."""
        if self._rest:
            self.feed(b"\n")

    def take(self) -> list[tuple[str, str]]:
        """The lines since the last time, each with its category."""
        lines = self._kept
        self._kept = []
        if self._left_out:
            lines.append(
                (
                    "stdout",
                    f"… {self._left_out:,} more lines were left out: too many at once.",
                )
            )
            self._left_out = 0
        return lines


def _told(line: bytes) -> tuple[str, str]:
    category = "stderr" if line.startswith(protocol.ERROR_MARK) else "stdout"
    text = (
        line.removeprefix(protocol.ERROR_MARK)[:CONSOLE_BYTES]
        .decode("utf-8", "replace")
        .rstrip("\r")
    )
    return category, text


def _encode(packet: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(packet)
    except (
        TypeError
    ):  # an integer beyond 64 bits or half a surrogate pair, which JSON allows
        pass
    try:
        return json.dumps(packet, allow_nan=False).encode()
    except RecursionError:
        raise TooDeepError from None
    except TypeError as error:
        raise ValueError(str(error)) from None


def child_environment() -> QProcessEnvironment:
    """Ours, with the folder that `runtime` lies in first: also a checkout that was never installed works."""
    environment = QProcessEnvironment.systemEnvironment()
    root = str(Path(protocol.__file__).resolve().parents[2])
    path = environment.value("PYTHONPATH")
    environment.insert(
        "PYTHONPATH",
        f"{root}{':' if sys.platform != 'win32' else ';'}{path}" if path else root,
    )
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
    """Kill and reap. A killed process ends at once, so the wait is a matter of a millisecond."""
    if process.state() != QProcess.ProcessState.NotRunning:
        process.kill()
        process.waitForFinished(_PATIENCE)


def bury(process: QProcess, *_: object) -> None:
    """Whoever listened is going: nobody is left to be told."""
    process.blockSignals(True)
    _end(process)
