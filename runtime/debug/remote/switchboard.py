"""Which host gets the commands of a client: that of a thread, or that in the event loop
of a run of the program, while there is one.

Hosts come and go; the client does not notice. Commands that arrive in between wait for
the next one, each gets exactly one reply, and the breakpoints are handed on.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from runtime.debug.host.host import DebugHost, Packet
from runtime.debug.protocol import Command, Reply

OURS = 0  # the number of commands that no client has sent: their replies go nowhere
LOST = "The run ended before this was done. Try again."
_BREAKPOINTS = "breakpoints"


class Switchboard:
    """Called from any thread, except where a method says otherwise."""

    def __init__(self, send: Callable[[Packet], None]) -> None:
        self._send = send
        self._lock = threading.RLock()
        self._host: DebugHost | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: deque[Command] = deque()
        # Commands that a host has and that have no reply, by number.
        self._pending: dict[int, str] = {}
        self._breakpoints: dict[str, Any] | None = None

    def receive(self, command: Command) -> None:
        """Hand a command to the host, as soon as there is one."""
        with self._lock:
            if command.command == _BREAKPOINTS:
                self._breakpoints = command.arguments
            if not self._hand_over(command):
                self._waiting.append(command)

    def send(self, packet: Packet) -> None:
        """Send what a host sends, except replies to our own commands."""
        if isinstance(packet, Reply):
            if packet.request_seq == OURS:
                return
            with self._lock:
                self._pending.pop(packet.request_seq, None)
        self._send(packet)

    def connect(self, host: DebugHost) -> None:
        """Let a host in the running event loop get the commands."""
        with self._lock:
            self._host = host
            self._loop = asyncio.get_running_loop()
            if self._breakpoints is not None:
                arguments = self._breakpoints
                host.receive(
                    Command(seq=OURS, command=_BREAKPOINTS, arguments=arguments)
                )
            while self._waiting and self._hand_over(self._waiting[0]):
                self._waiting.popleft()

    async def disconnect(self, host: DebugHost) -> None:
        """Let a host do what it has got, and give it nothing more. In its event loop."""
        with self._lock:
            if self._host is host:
                self._host = self._loop = None
        # A turn of the loop, in which it gets what was handed over before.
        await asyncio.sleep(0)
        await host.handle(Command(seq=OURS, command="shutdown"))

    def give_up(self, host: DebugHost) -> None:
        """A host has ended: answer what it has left unanswered."""
        with self._lock:
            if self._host is host:
                self._host = self._loop = None
            if self._host is not None:
                return
            lost = dict(self._pending)
            self._pending.clear()
        for number, command in lost.items():
            self._send(Reply.failure(number, LOST, "RunEnded", command))

    def forget(self) -> None:
        """The client has left: drop its commands, its breakpoints and its holds."""
        with self._lock:
            self._waiting.clear()
            self._pending.clear()
            if self._breakpoints is not None:
                self._breakpoints = None
                self.order(_BREAKPOINTS, breakpoints=[])
            if self._host is not None and self._loop is not None:
                with suppress(RuntimeError):  # the loop has ended
                    self._loop.call_soon_threadsafe(self._host.hold_nothing)

    def order(self, command: str, **arguments: Any) -> None:
        """Hand a command of our own to the host, if there is one."""
        with self._lock:
            self._hand_over(Command(seq=OURS, command=command, arguments=arguments))

    def send_due(self) -> None:
        """Send the notices that are due."""
        host = self._host
        if host is not None:
            host.send_due()

    def _hand_over(self, command: Command) -> bool:
        if self._host is None or self._loop is None:
            return False
        try:
            self._loop.call_soon_threadsafe(self._host.receive, command)
        except RuntimeError:
            # The program has closed its event loop without ending its run.
            self._host = self._loop = None
            return False
        if command.seq != OURS:
            self._pending[command.seq] = command.command
        return True
