"""A connection that carries packets as lines of JSON, and how it is read.

One turn of the event loop decodes packets for at most `SLICE` seconds and leaves the
others to the next turn, so that a flood of packets never stalls the window.
"""

from __future__ import annotations

import json
import math
import time
from collections import deque
from typing import Any

import orjson
from PySide6.QtCore import QObject, QTimer, Signal

from runtime.debug import protocol
from runtime.debug.wire.lines import KEPT, Line, UnreadableLineError, packet_in
from runtime.system.bounded_files import TooDeepError

SLICE = 0.008
CONSOLE_BYTES = 8_000
UNREADABLE = "Unreadable"  # `error_type` of a reply that could not be read
# s of reading what has arrived after `kill`, because it may be too much to read all
LAST = 0.3


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

    @property
    def owns_process(self) -> bool:
        """Whether the other side is a process of the window's own, which may be killed."""
        return True

    def kill(self, patience: int = 0) -> None:
        """End the other side, now or after `patience` milliseconds if it does not end
        by itself.

        `closed` follows after the packets that had arrived; of a flood only the first
        are read.
        """
        raise NotImplementedError


class LineLink(Link):
    """The part of a link that reads lines. Another class moves the bytes.

    turn     seconds of reading for each turn of the event loop
    longest  bytes of a line
    last     seconds of reading after `kill`
    """

    def __init__(
        self, turn: float, longest: int, last: float, parent: QObject | None
    ) -> None:
        super().__init__(parent)
        self._slice = turn
        self._longest = longest
        self._last = last
        self._until = math.inf
        self._lines: deque[Line] = deque()
        self._unfinished = bytearray()
        self._is_too_long = False
        self._ending = ""
        self._open = False
        self._turn = QTimer(self, interval=0, singleShot=True)
        self._turn.timeout.connect(self._drain)

    @property
    def is_open(self) -> bool:
        return self._open

    def _begin(self) -> None:
        """Be open, and forget what the connection before has left."""
        self._lines.clear()
        self._unfinished.clear()
        self._is_too_long = False
        self._ending = ""
        self._until = math.inf
        self._open = True

    def _end_reading(self, reason: str) -> None:
        """Read no longer than `last` from now on, for this reason."""
        self._ending = self._ending or reason
        self._until = min(self._until, time.perf_counter() + self._last)

    def _is_over(self) -> bool:
        """Return whether the other side has ended, so that nothing comes any more."""
        raise NotImplementedError

    def _emit_others(self) -> None:
        """Emit what has arrived beside the packets."""

    def _schedule(self) -> None:
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
        self._emit_others()
        if self._lines:
            self._turn.start()
        elif self._ending and self._open and self._is_over():
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


def encode(packet: dict[str, Any]) -> bytes:
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
