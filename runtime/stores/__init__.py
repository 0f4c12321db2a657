"""Places that keep checkpoints, by URL: `memory:`, `memory:NAME`, `sqlite:FILE`, `dir:FOLDER`.

A new store is one module that fulfils `runtime.checkpoint.CheckpointStore`, and one line in `STORES`.
"""

from __future__ import annotations

from collections.abc import Callable

from runtime.checkpoint import CheckpointStore
from runtime.errors import CheckpointStoreError

# Opens a store from what follows the scheme of its URL, and whether it is only read from.
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


STORES: dict[str, Opener] = {"memory": _memory, "sqlite": _sqlite, "dir": _directory}

_NOT_HERE = {
    "postgres": "PostgreSQL comes in a later version, as an extra",
    "postgresql": "PostgreSQL comes in a later version, as an extra",
}


def open_store(url: str, read_only: bool = False) -> CheckpointStore:
    """Open the store of a URL. Whoever opens it closes it.

    memory:       a new store of this process, gone when nothing refers to it any more
    memory:NAME   the store of that name in this process, the same for everybody who names it
    sqlite:FILE   a file, created when it is not there, with the folders it lies in
    dir:FOLDER    a folder of files, created in the same way; an empty one will do, one with other files is refused

    With `read_only` nothing is created or changed, and a store that is not there is an error. Opening one takes a
    few milliseconds of file work. Raises `CheckpointStoreError` for an unknown scheme, a missing or foreign file, a
    format newer than this program's, and a file that another process keeps busy.
    """
    scheme, colon, rest = url.partition(":")
    opener = STORES.get(scheme) if colon else None
    if opener is None:
        known = ", ".join(f"{name}:" for name in STORES)
        later = f" {_NOT_HERE[scheme]}." if scheme in _NOT_HERE else ""
        raise CheckpointStoreError(f"'{url}' names no kind of store that is here.{later} There are: {known}")
    return opener(rest, read_only)
