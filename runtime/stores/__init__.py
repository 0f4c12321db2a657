"""Stores of checkpoints, by URL: `memory:`, `memory:NAME`, `sqlite:FILE`, `dir:FOLDER`,
`postgresql://…`.

A new store is one module that fulfils `runtime.checkpoint.CheckpointStore`, and one
line in `STORES`. A program may add a store to its own process: `STORES["mine"] = lambda
rest, read_only: MyStore(rest)`.
"""

from __future__ import annotations

from collections.abc import Callable

from runtime.checkpoint import CheckpointStore
from runtime.errors import CheckpointStoreError
from runtime.stores.common import masked
from runtime.stores.retention import prune as prune
from runtime.stores.retention import store_behind as store_behind

# Opens a store from the part of its URL after the scheme; True to read only.
Opener = Callable[[str, bool], CheckpointStore]


def _memory(name: str, read_only: bool) -> CheckpointStore:
    from runtime.stores.memory import open_memory

    return open_memory(name, read_only)


def _sqlite(file: str, read_only: bool) -> CheckpointStore:
    from runtime.stores.sqlite import SqliteStore

    return SqliteStore(file, read_only=read_only)


def _directory(folder: str, read_only: bool) -> CheckpointStore:
    from runtime.stores.directory import DirectoryStore

    return DirectoryStore(folder, read_only=read_only)


def _postgres(server: str, read_only: bool) -> CheckpointStore:
    try:
        from runtime.stores.postgres import PostgresStore
    except ImportError as error:
        raise CheckpointStoreError(
            f"PostgreSQL needs psycopg, which cannot be imported ({error}): pip install 'stepwell[postgres]'"
        ) from error

    return PostgresStore(server, read_only=read_only)


STORES: dict[str, Opener] = {
    "memory": _memory,
    "sqlite": _sqlite,
    "dir": _directory,
    "postgresql": _postgres,
    "postgres": _postgres,
}


def open_store(url: str, read_only: bool = False) -> CheckpointStore:
    """Open the store of a URL. Whoever opens it closes it.

    memory:       a new store of this process, gone when nothing refers to it any more
    memory:NAME   the store of that name in this process, the same for everybody who names it
    sqlite:FILE   a file, created when it is not there, with the folders it lies in
    dir:FOLDER    a folder of files, created in the same way; an empty one will do, one with other files is refused
    postgresql://USER@HOST:PORT/DATABASE   tables in the schema `stepwell` of a database, or in that of `?schema=NAME`,
                  created when they are not there. Other options are libpq's. Needs `pip install 'stepwell[postgres]'`
                  It connects with its first call, which raises what is wrong with the server

    With `read_only` nothing is created or changed, and a store that is not there is an
    error. Opening one takes a few milliseconds of file work. Raise
    `CheckpointStoreError` for an unknown scheme, a missing or foreign file, a format
    newer than this program's, and a file that another process keeps busy.
    """
    scheme, colon, location = url.partition(":")
    opener = STORES.get(scheme) if colon else None
    if opener is None:
        known = ", ".join(f"{name}:" for name in STORES)
        if colon or not url:
            file = ""
        else:
            file = f". For a file write sqlite:{url}, for a folder dir:{url}"
        raise CheckpointStoreError(
            f"'{masked(url)}' is no URL of a store. It begins with one of {known}{file}"
        )
    return opener(location, read_only)
