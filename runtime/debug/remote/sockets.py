"""Sockets that listen at an address, and who is at their other end."""

from __future__ import annotations

import os
import socket
import struct
import sys
from pathlib import Path

from runtime.errors import AddressError
from runtime.system.listeners import PRIVATE_FILE, Address

_BACKLOG = 8


def listening_socket(address: Address) -> socket.socket:
    try:
        if address.path:
            return _bound_to_path(address.path)
        family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
        server = socket.socket(family, socket.SOCK_STREAM)
        try:
            if os.name != "nt":
                server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server.bind((address.host, address.port))
            server.listen(_BACKLOG)
        except BaseException:
            server.close()
            raise
        return server
    except OSError as error:
        reason = error.strerror or str(error)
        raise AddressError(
            f"Nothing can listen at {address}: {reason}. Choose another address."
        ) from error


def _bound_to_path(path: str) -> socket.socket:
    if not hasattr(socket, "AF_UNIX"):
        raise AddressError(
            "This system has no Unix sockets. Give a port such as 127.0.0.1:0."
        )
    if Path(path).is_socket() and not _answers(path):
        Path(path).unlink()  # a killed program left it
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        server.bind(path)
        # Before it listens nobody can connect, so nobody else ever could.
        Path(path).chmod(PRIVATE_FILE)
        server.listen(_BACKLOG)
    except BaseException:
        server.close()
        raise
    return server


def _answers(path: str) -> bool:
    """Return whether somebody listens at a socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(path)
        except OSError:
            return False
        return True


def bound_address(server: socket.socket, address: Address) -> Address:
    """Return the address with the port that the system chose for port 0."""
    if address.path:
        return address
    return Address(host=address.host, port=server.getsockname()[1])


def is_same_user(connection: socket.socket) -> bool:
    """Return whether the other end of a Unix socket is a process of this user, or of
    root; true where the system cannot tell, because the permissions of the socket say
    so too.
    """
    user = peer_of(connection)
    return user is None or user in (os.getuid(), 0)


def peer_of(connection: socket.socket) -> int | None:
    """Return the user at the other end of a Unix socket; None if the system cannot
    tell.
    """
    try:
        if sys.platform == "linux":
            credentials = connection.getsockopt(
                socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")
            )
            return int(struct.unpack("3i", credentials)[1])
        if sys.platform == "darwin":
            credentials = connection.getsockopt(0, 1, struct.calcsize("2I"))
            return int(struct.unpack("2I", credentials)[1])
    except OSError:
        pass
    return None
