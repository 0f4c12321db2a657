"""The arguments of `listen`: where, with which token, into which store."""

from __future__ import annotations

import secrets
from pathlib import Path

from runtime.checkpoint import CheckpointStore
from runtime.errors import AddressError
from runtime.system.listeners import Address, address_of

SHORTEST_TOKEN = 16


def place_of(address: str, default: Path) -> Address:
    import socket

    if address:
        return address_of(address)
    if hasattr(socket, "AF_UNIX"):
        return Address(path=str(default))
    return address_of("127.0.0.1:0")


def token_of(place: Address, token: str) -> str:
    if place.path:
        if token:
            raise AddressError(
                "A Unix socket needs no token, because only its user reaches it. Leave the token out."
            )
        return ""
    if token and len(token) < SHORTEST_TOKEN:
        raise AddressError(
            f"A token has at least {SHORTEST_TOKEN} characters, because whoever has it can run the program's code. "
            "Leave it out for a new one."
        )
    return token or secrets.token_urlsafe(32)


def store_of(store: CheckpointStore | str | None) -> CheckpointStore:
    from runtime.stores import open_store

    if store is None:
        return open_store("memory:", False)
    if isinstance(store, str):
        return open_store(store, False)
    return store
