"""The host as a child process: JSON lines over the descriptors that it was started
with, and nothing else on them.

The protocol's descriptors are taken out of reach first. What user code, or C code under
it, prints then arrives on stderr, which the parent reads as console; what it reads from
stdin is empty. So that what is printed can be told from what is an error, lines of
`sys.stderr` begin with `ERROR_MARK`.

The host freezes its modules for Python's garbage collector, for the benchmark `python
-m tests.benchmarks.window --only scrub`: see `_freeze_modules`.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import gc
import io
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import cache
from typing import Any

import orjson
from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from runtime.debug.host.host import DebugHost, Packet
from runtime.debug.protocol import ERROR_MARK, SAID_LIMIT, Command, Notice, Reply
from runtime.debug.session.notices import Notices
from runtime.debug.session.session import Session
from runtime.debug.values.shapes import clean
from runtime.debug.wire.lines import UnreadableLineError, command_in, lines_of

MakeSession = Callable[[Notices], Session]
# Seconds that a process without a parent, or after `shutdown`, may take to end by
# itself.
GRACE = 2.0
PUMP_EVERY = 0.04
# Bytes that may wait for a parent which does not read, before the run waits too.
MOST_UNREAD = 256_000


def take_descriptors() -> tuple[int, int]:
    """Return the descriptors of the protocol, (in, out), and replace them for all
    other code: stdin is empty, stdout is stderr.
    """
    incoming = os.dup(0)
    outgoing = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return incoming, outgoing


class _Marking(io.RawIOBase):
    """Write to a descriptor, with the mark of an error at the beginning of each
    line.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._begins = True

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def write(self, data: Any) -> int:
        written = bytes(data)
        lines = written.splitlines(keepends=True)
        marks = [self._begins, *(line.endswith(b"\n") for line in lines)]
        marked = b"".join(
            ERROR_MARK + line if begins else line
            for begins, line in zip(marks, lines, strict=False)
        )
        self._begins = marks[-1]
        unwritten = memoryview(marked)
        while unwritten:
            unwritten = unwritten[os.write(self._descriptor, unwritten) :]
        return len(written)


def mark_errors(descriptor: int = 2) -> io.TextIOWrapper:
    """Return a `sys.stderr` that marks its lines, so that they can be told apart from
    printed ones.
    """
    raw = io.BufferedWriter(_Marking(descriptor))
    return io.TextIOWrapper(
        raw, encoding="utf-8", errors="backslashreplace", line_buffering=True
    )


class Wire:
    """Write packets, whole and in order: any thread hands them over, one thread of its
    own writes them.

    So a parent that does not read cannot keep the host from hearing its commands.
    Unread packets are bounded, because the run waits while there are many: see
    `Drive`.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._changed = threading.Condition()
        self._unwritten: deque[bytes] = deque()
        self._size = 0
        self._broken = False
        threading.Thread(target=self._write_all, daemon=True, name="wire").start()

    def is_behind(self) -> bool:
        """Whether the parent has many packets to read."""
        return self._size > MOST_UNREAD

    def send(self, packet: Packet | BaseModel) -> None:
        line = _line(packet)
        with self._changed:
            if not self._broken:
                self._unwritten.append(line)
                self._size += len(line)
                self._changed.notify_all()

    def finish(self, seconds: float) -> None:
        """Wait until everything is written, but no longer than this."""
        with self._changed:
            self._changed.wait_for(lambda: self._broken or not self._unwritten, seconds)

    def leave(self) -> None:
        """Write nothing more, and let others close the connection. For a
        forked child, which has no other thread.
        """
        self._broken = True
        os.close(self._descriptor)

    def _write_all(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._broken or bool(self._unwritten))
            if self._broken:
                return
            self._write(self._unwritten[0])
            with self._changed:
                self._size -= len(self._unwritten.popleft())
                self._changed.notify_all()

    def _put(self, data: memoryview) -> int:
        """Write what can be written at once, and return how many bytes that is."""
        return os.write(self._descriptor, data)

    def _write(self, line: bytes) -> None:
        data = memoryview(line)
        try:
            while data:
                data = data[self._put(data) :]
        except OSError:
            # Nobody reads any more; the end of stdin says so too, and ends the process.
            self._broken = True


def _line(packet: Packet | BaseModel) -> bytes:
    try:
        return packet.model_dump_json(by_alias=True).encode() + b"\n"
    except (
        PydanticSerializationError
    ):  # a text from user code that is no proper text, or a value that is no JSON
        try:
            line = orjson.dumps(
                _proper(packet.model_dump(mode="json", by_alias=True, fallback=str))
            )
        except (ValueError, TypeError, RecursionError) as error:
            return _line(_instead(packet, error))
        return line + b"\n"


def _instead(packet: Packet | BaseModel, error: Exception) -> Packet:
    """Return the reply that replaces a packet that cannot be sent, so that no
    caller waits for ever.
    """
    reason = clean(f"This cannot be sent to the window: {error}.")[:SAID_LIMIT]
    if isinstance(packet, Reply):
        return _failure(packet.request_seq, clean(packet.command), reason, error)
    return Notice(event="console", body={"category": "stderr", "text": reason})


def _failure(number: int, command: str, reason: str, error: Exception) -> Reply:
    return Reply.failure(number, clean(reason), type(error).__name__, command)


def _proper(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {_proper(key): _proper(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_proper(item) for item in value]
    return value


@cache
def _freeze_modules() -> None:
    """Let the garbage collector skip all objects that exist when the first document is
    open.

    Most are parts of modules by then, and never garbage. Python's full collection would
    go over them during one answer in thirty while a user scrubs along the timeline, and
    take five times as long as the answer. It is done only once, because the documents
    that are opened later may become garbage.
    """
    gc.freeze()


async def serve(
    incoming: int, wire: Wire, make_session: MakeSession | None = None
) -> None:
    """Serve commands until `shutdown` or the end of the input, about documents or with
    another session.
    """
    loop = asyncio.get_running_loop()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: _leave_child(wire, loop))

    def send(packet: Packet) -> None:
        wire.send(packet)
        if isinstance(packet, Reply) and packet.command == "open":
            _freeze_modules()

    session = None
    if make_session is not None:
        session = make_session(Notices(send, is_behind=wire.is_behind))
    async with DebugHost(send, is_behind=wire.is_behind, session=session) as host:
        threading.Thread(
            target=_read,
            args=(incoming, wire, loop, host),
            daemon=True,
            name="commands",
        ).start()
        threading.Thread(
            target=_pump, args=(host,), daemon=True, name="notices"
        ).start()
        await host.closed.wait()
        # Threads of user code must not keep the host alive after its shutdown.
        threading.Thread(target=_end_after_grace, daemon=True, name="end").start()


def _leave_child(wire: Wire, loop: asyncio.AbstractEventLoop) -> None:
    """Prepare a process that user code forks. It is not the host: it must not
    write packets, and it ends when its handler does, because the loop's
    descriptors are the host's.
    """
    wire.leave()
    loop.call_soon(os._exit, 1)


def _read(
    incoming: int, wire: Wire, loop: asyncio.AbstractEventLoop, host: DebugHost
) -> None:
    with os.fdopen(incoming, "rb") as lines:
        for line in lines_of(lines):
            try:
                command = command_in(line)
            except UnreadableLineError as error:
                wire.send(_failure(error.number, "", str(error), error))
                continue
            _hand_over(loop, host, command)
    # The parent has gone or wants no more: end in order, and if a handler keeps the
    # loop busy, without it.
    _hand_over(loop, host, Command(seq=0, command="shutdown"))
    _end_after_grace()


def _hand_over(
    loop: asyncio.AbstractEventLoop, host: DebugHost, command: Command
) -> None:
    # the loop is closed: the process ends just now
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(host.receive, command)


def _end_after_grace() -> None:
    time.sleep(GRACE)
    os._exit(1)


def _pump(host: DebugHost) -> None:
    """Send what is due, even while a handler keeps the loop busy."""
    while True:
        time.sleep(PUMP_EVERY)
        host.send_due()


def main(make_session: MakeSession | None = None) -> None:
    """The process: `python -m runtime.debug`."""
    incoming, outgoing = take_descriptors()
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    sys.stderr = mark_errors()
    faulthandler.enable()
    # Ctrl+C in the terminal of the parent is the parent's business.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    wire = Wire(outgoing)
    asyncio.run(serve(incoming, wire, make_session))
    wire.finish(GRACE)
