"""The connection to the process of a run: packets out, packets and console lines in. It
can be cut at any time.

One turn of the event loop decodes packets for at most `SLICE` seconds and leaves the
others to the next turn, so that a flood of packets never stalls the window.
"""

from __future__ import annotations

import json
import math
import os
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
# s of reading the output of a process after `kill`, because it may be too much to read
# all
LAST = 0.3
_PATIENCE = 500


class Link(QObject):
    """What a session needs of its connection. A link that closed can be started again."""

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
        """Send a packet without blocking. Over a closed link it is lost, after
        `closed`.

        Raise `ValueError` for a packet that cannot be encoded.
        """
        raise NotImplementedError

    def kill(self, patience: int = 0) -> None:
        """End the other side, now or after `patience` milliseconds if it does not end
        by itself.

        `closed` follows after the packets that had arrived; of a flood only the first
        are read.
        """
        raise NotImplementedError


class ProcessLink(Link):
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
        super().__init__(parent)
        self._slice = turn  # seconds of reading for each turn of the event loop
        self._longest = longest  # bytes of a line
        self._last = last  # seconds of reading after `kill`
        self._until = math.inf
        # -P: a module of the working folder can never replace one of ours.
        self._command = command or [
            sys.executable,
            "-P",
            "-X",
            "utf8",
            "-m",
            "runtime.debug",
        ]
        self._lines: deque[Line] = deque()
        self._unfinished = bytearray()
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
            # A method, because Qt disconnects it when the link is deleted.
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
        self._unfinished.clear()
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
            # `finished` follows; to wait for it here would stall the window.
            self._process.kill()

    def _on_output(self) -> None:
        self._split(bytes(self._process.readAllStandardOutput().data()))
        if not self._turn.isActive():
            self._turn.start()

    def _split(self, data: bytes) -> None:
        first, *others = data.split(b"\n")
        self._add(first)
        for part in others:
            self._lines.append(
                Line(bytes(self._unfinished), is_too_long=self._is_too_long)
            )
            self._unfinished.clear()
            self._is_too_long = False
            self._add(part)

    def _add(self, part: bytes) -> None:
        """Add to the unfinished line. Only the beginning of a line that is too long is
        kept.
        """
        if not self._is_too_long:
            self._unfinished += part
            if len(self._unfinished) > self._longest:
                self._is_too_long = True
                del self._unfinished[KEPT:]

    def _drain(self) -> None:
        end = time.perf_counter() + self._slice
        while self._lines and time.perf_counter() < self._until:
            self._read(self._lines.popleft())
            if time.perf_counter() >= end:
                break
        if self._lines and time.perf_counter() >= self._until:
            self.console.emit(
                "stdout",
                f"… {len(self._lines):,} more messages were left out, because the run was ended.",
            )
            self._lines.clear()
        self._emit_errors()
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
            if error.number:  # a request waits for it
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

    def _emit_errors(self) -> None:
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
    """Return our environment with the folder of `runtime` first, so that a checkout
    works that was never installed.
    """
    environment = QProcessEnvironment.systemEnvironment()
    root = str(Path(protocol.__file__).resolve().parents[2])
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
