"""A local socket at which one client at a time speaks the protocol.

Everything that waits for a client is done in threads of this module, so that the
program never does: one accepts connections, one for each connection greets it and reads
its commands, and the thread of its `Wire` writes. What a client can make the program
keep is bounded: a line, the commands without a reply, and the unread packets. A client
that stops reading is dropped.
"""

from __future__ import annotations

import hmac
import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ValidationError

from runtime.debug.host.host import Packet
from runtime.debug.protocol import Command, Reply
from runtime.debug.remote.client import Client
from runtime.debug.remote.sockets import bound_address, is_same_user, listening_socket
from runtime.debug.wire.greeting import (
    LONGEST_GREETING,
    PROTOCOL_VERSION,
    Hello,
    Refused,
    Welcome,
)
from runtime.debug.wire.lines import Line, UnreadableLineError, command_in, lines_of
from runtime.system.bounded_files import MEGABYTE
from runtime.system.listeners import Address

# Bytes of a command. Only an input or an answer can be long.
LONGEST_COMMAND = 16 * MEGABYTE
# Seconds that a connection may take to greet, and how many may do it at once.
GREETING_PATIENCE = 5.0
MOST_GREETINGS = 8
# Seconds that a client which has just left may take to be gone, before the next one is
# refused.
LEAVING_PATIENCE = 0.5
# Seconds for which a client may leave many packets unread, before it is dropped.
READING_PATIENCE = 5.0
TOO_LONG = f"A command is longer than {LONGEST_COMMAND // MEGABYTE} MB."


class Server:
    """Listens at an address until `close`.

    welcome    returns the answer to a greeting
    arrived    is called when a client is attached, and `receive` with each of its commands
    left       is called when it is not attached any more; its argument says whether it said so
    All three are called in threads of the server.
    patience seconds for which a client may leave many packets unread before it is dropped
    """

    def __init__(
        self,
        address: Address,
        token: str,
        *,
        welcome: Callable[[], Welcome],
        arrived: Callable[[], None],
        receive: Callable[[Command], None],
        left: Callable[[bool], None],
        clock: Callable[[], float] = time.monotonic,
        patience: float = READING_PATIENCE,
    ) -> None:
        """Raise `AddressError` if nothing can listen there."""
        self._token = token
        self._welcome = welcome
        self._arrived = arrived
        self._receive = receive
        self._left = left
        self._clock = clock
        self.patience = patience
        self._behind_since: float | None = None
        self._lock = threading.Lock()
        self._client: Client | None = None
        # From the arrival of a client until `left` has been told that it has gone.
        self._is_taken = False
        self._is_free = threading.Condition(self._lock)
        self._greetings = threading.Semaphore(MOST_GREETINGS)
        self._connections: set[socket.socket] = set()
        self._closed = False
        self._path = address.path
        self._socket = listening_socket(address)
        self.address = bound_address(self._socket, address)
        self._thread = threading.Thread(
            target=self._accept, daemon=True, name="stepwell accepts"
        )
        self._thread.start()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._leave_child)

    @property
    def is_attached(self) -> bool:
        return self._client is not None

    # --- what the program sends -------------------------------------------------------

    def send(self, packet: Packet) -> None:
        """Send a packet to the client, if there is one; never waits for it."""
        with self._lock:
            client = self._client
        if client is not None:
            client.send(packet)

    def is_behind(self) -> bool:
        """Whether the client has many packets to read. One that leaves them unread for
        too long is dropped, so that no run waits for it for ever.
        """
        client = self._client
        if client is None or not client.wire.is_behind():
            self._behind_since = None
            return False
        now = self._clock()
        if self._behind_since is None:
            self._behind_since = now
        if now - self._behind_since <= self.patience:
            return True
        self._behind_since = None
        client.close()
        return False

    def drop(self) -> None:
        """Close the connection of the client."""
        client = self._client
        if client is not None:
            client.close()

    def finish(self, seconds: float) -> None:
        """Wait until the client has everything, but no longer than this."""
        client = self._client
        if client is not None:
            client.wire.finish(seconds)

    def close(self) -> None:
        """Listen no more, and close all connections."""
        with self._lock:
            self._closed = True
            connections = list(self._connections)
        with suppress(OSError):
            # Which wakes a thread that waits in `accept`.
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self.drop()
        for connection in connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        if self._path:
            with suppress(OSError):
                Path(self._path).unlink()
        self._thread.join(1.0)

    def _leave_child(self) -> None:
        """A process that the program forks is not the program: nobody reaches it by
        these sockets, and the client sees the end of the program even if a child lives
        on.
        """
        self._socket.close()
        for connection in list(self._connections):
            connection.close()
        self._client = None

    # --- connections ------------------------------------------------------------------

    def _accept(self) -> None:
        while not self._closed:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                if self._closed:
                    return
                continue
            if not self._greetings.acquire(blocking=False):
                connection.close()
                continue
            with self._lock:
                self._connections.add(connection)
            threading.Thread(
                target=self._serve,
                args=(connection,),
                daemon=True,
                name="stepwell commands",
            ).start()

    def _serve(self, connection: socket.socket) -> None:
        client = None
        try:
            try:
                client = self._greet(connection)
            finally:
                self._greetings.release()
            if client is not None:
                self._read(connection, client)
        except OSError:
            pass  # the connection is lost, which `left` tells
        finally:
            self._end(connection, client)

    def _end(self, connection: socket.socket, client: Client | None) -> None:
        if client is not None:
            client.close()
            with self._lock:
                self._client = None
                self._behind_since = None
            self._left(client.has_left)
            with self._lock:
                self._is_taken = False
                self._is_free.notify_all()
        with self._lock:
            self._connections.discard(connection)
        connection.close()

    def _greet(self, connection: socket.socket) -> Client | None:
        """Return the client if it may attach; tell it why otherwise."""
        reason = self._why_not(connection)
        if not reason:
            with self._lock:
                self._is_free.wait_for(
                    lambda: not self._is_taken or self._closed, LEAVING_PATIENCE
                )
                if not self._is_taken and not self._closed:
                    self._is_taken = True
                    client = Client(connection)
                    client.wire.send(self._welcome())
                    self._client = client
                    return client
            reason = "Somebody else is attached. Detach there first, then try again."
        _refuse(connection, reason)
        return None

    def _why_not(self, connection: socket.socket) -> str:
        """Return why the other end may not attach; "" if it may."""
        if self._path and not is_same_user(connection):
            return "This program is another user's."
        hello = self._hello(connection)
        if hello is None or not hmac.compare_digest(
            hello.token.encode(), self._token.encode()
        ):
            return (
                "The token is wrong. The right one is the program's `listener.token`."
            )
        if hello.protocol != PROTOCOL_VERSION:
            return f"The program speaks version {PROTOCOL_VERSION} of the protocol, not {hello.protocol}."
        return ""

    def _hello(self, connection: socket.socket) -> Hello | None:
        """Return the greeting of a client; None if it sends none in time, or another
        line.
        """
        end = time.monotonic() + GREETING_PATIENCE
        line = bytearray()
        while not line.endswith(b"\n"):
            remaining = end - time.monotonic()
            if remaining <= 0 or len(line) > LONGEST_GREETING:
                return None
            connection.settimeout(remaining)
            # One byte at a time, because what follows the line is a command. A greeting
            # is short, and comes once.
            byte = connection.recv(1)
            if not byte:
                return None
            line += byte
        connection.settimeout(None)
        try:
            return Hello.model_validate_json(bytes(line))
        except ValidationError:
            return None

    def _read(self, connection: socket.socket, client: Client) -> None:
        self._arrived()
        with connection.makefile("rb") as stream:
            for line in lines_of(stream, LONGEST_COMMAND):
                if not client.expect():
                    return
                command = _command(line, client)
                if command is None:
                    continue
                if command.command == "shutdown":
                    client.has_left = True
                    client.send(_done(command))
                    client.wire.finish(1.0)
                    return
                self._receive(command)


def _command(line: Line, client: Client) -> Command | None:
    """Return the command of a line; None for another line, which is answered."""
    try:
        return command_in(line)
    except UnreadableLineError as error:
        reason = TOO_LONG if line.is_too_long else str(error)
        client.send(Reply.failure(error.number, reason, type(error).__name__))
        return None


def _done(command: Command) -> Reply:
    return Reply(request_seq=command.seq, command=command.command, success=True)


def _refuse(connection: socket.socket, reason: str) -> None:
    with suppress(OSError):
        connection.settimeout(1.0)
        _say(connection, Refused(reason=reason))


def _say(connection: socket.socket, line: BaseModel) -> None:
    connection.sendall(line.model_dump_json().encode() + b"\n")
