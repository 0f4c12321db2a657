"""The stores that faults are tried on, each in a fresh place."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests import postgres

STORES = ("memory", "dir", "sqlite", "postgresql")
# A disk in memory, where there is one: what is tried here is the end of a process, not
# that of the power.
_MEMORY = Path("/dev/shm")  # noqa: S108 - folders in it are made with names of their own
_FOLDER = _MEMORY if os.access(_MEMORY, os.W_OK) else None


@contextmanager
def folder() -> Iterator[Path]:
    """An empty folder, gone with the block."""
    with tempfile.TemporaryDirectory(prefix="stepwell-faults-", dir=_FOLDER) as made:
        yield Path(made)


@contextmanager
def server(stores: Iterable[str]) -> Iterator[str]:
    """A PostgreSQL server for the block, if it is among the stores; else nothing is
    started.
    """
    if "postgresql" in stores:
        with postgres.server() as url:
            yield url
    else:
        yield ""


@contextmanager
def place(kind: str, server: str = "") -> Iterator[str]:
    """The URL of an empty store of a kind, gone with the block; `server` is that of
    PostgreSQL, if it is there.
    """
    if kind == "postgresql":
        with postgres.database(server) as url:
            yield url
    elif kind == "memory":
        yield "memory:"
    else:
        with folder() as made:
            yield f"{kind}:{made / 'runs'}"
