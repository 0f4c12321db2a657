"""The client of a server: its packets, and its commands without a reply."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

from runtime.debug.host.host import Packet
from runtime.debug.protocol import Reply
from runtime.debug.remote.transport import Wire

# Commands without a reply. Further ones are not read until there are fewer.
MOST_PENDING = 64


class SocketWire(Wire):
    """Writes packets to a socket."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        super().__init__(connection.fileno())

    def is_behind(self) -> bool:
        return super().is_behind() and not self._broken

    def _put(self, data: memoryview) -> int:
        return self._connection.send(data)

    def wait_for_room(self) -> None:
        """Wait until the client has read most of what was sent."""
        with self._changed:
            self._changed.wait_for(lambda: self._broken or not self.is_behind())

    def close(self) -> None:
        """Write nothing more, and end the thread."""
        with self._changed:
            self._broken = True
            self._changed.notify_all()
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)


class Client:
    """The one client that is attached."""

    def __init__(self, connection: socket.socket) -> None:
        self.wire = SocketWire(connection)
        self.has_left = False  # it said that it goes
        self._pending = 0
        self._changed = threading.Condition()
        self._closed = False

    def expect(self) -> bool:
        """Wait until another command may be read, and count it. Return whether the
        client is still there.
        """
        self.wire.wait_for_room()
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._pending < MOST_PENDING)
            self._pending += 1
            return not self._closed

    def send(self, packet: Packet) -> None:
        self.wire.send(packet)
        if isinstance(packet, Reply):
            with self._changed:
                self._pending -= 1
                self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self.wire.close()
