"""A store in one SQLite file: write-ahead log, one transaction and one sync to disk for
each checkpoint.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from runtime.errors import CheckpointStoreError
from runtime.stores import common
from runtime.stores.sqlite.link import Reading, Writing
from runtime.stores.threaded import Medium, ThreadedStore
from runtime.stores.worker import Worker

_T = TypeVar("_T")

_REMEDIES = {
    sqlite3.SQLITE_BUSY: "it is busy: another process has held it for {patience:g} seconds. Try again later",
    sqlite3.SQLITE_LOCKED: "it is busy: another connection has locked it. Try again",
    sqlite3.SQLITE_IOERR: (
        "reading or writing failed. Make sure that the disk has room and is sound; what was saved before is intact"
    ),
    sqlite3.SQLITE_FULL: "the disk is full. Make room; what was saved before is intact",
    sqlite3.SQLITE_READONLY: "it cannot be written. Open it with read_only, or change the permissions",
    sqlite3.SQLITE_CANTOPEN: (
        "it cannot be opened. Check the path and the permissions; a file with a '-wal' beside it was not closed, and "
        "its folder must be writable to read it"
    ),
    sqlite3.SQLITE_NOTADB: "it is no SQLite file. Choose another one",
    sqlite3.SQLITE_CORRUPT: "the file is damaged. Restore it from a copy; it was left as it is",
}


class SqliteStore(ThreadedStore):
    """Keeps checkpoints in a file; see `CheckpointStore`. Safe from several tasks,
    threads and processes at once.

    All work is done in one thread of the store. `patience` is how many seconds to wait
    for another process that writes.
    """

    def __init__(
        self,
        file: str | os.PathLike[str],
        *,
        read_only: bool = False,
        patience: float = 5.0,
    ) -> None:
        name = os.fspath(file)
        if not name or "\0" in name:
            raise CheckpointStoreError(
                f"'sqlite:{name}' names no file: write sqlite:FILE."
            )
        self.url = f"sqlite:{name}"
        self._read_only = read_only
        self._patience = patience
        link = Reading if read_only else Writing
        with _Translating(self.url, patience):
            self._worker: Worker[Reading | Writing] = Worker(
                lambda path=Path(name), url=self.url: link(path, url, patience),  # type: ignore[misc]
                name=f"store {name}",
            )

    async def close(self) -> None:
        await self._worker.close()

    async def _run(self, job: Callable[[Medium], _T]) -> _T:
        if self._worker.closed:
            raise common.closed(self.url)
        with _Translating(self.url, self._patience):
            return await self._worker.run(lambda link: link.run(job))


class _Translating:
    """Turns what SQLite and the system raise into an error that says what to do."""

    __slots__ = ("_patience", "_url")

    def __init__(self, url: str, patience: float) -> None:
        self._url = url
        self._patience = patience

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: object, error: BaseException | None, trace: object
    ) -> None:
        if isinstance(error, sqlite3.Error):
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in _REMEDIES:
                remedy = _REMEDIES[code].format(patience=self._patience)
            else:
                remedy = str(error)
            raise CheckpointStoreError(f"{self._url} failed: {remedy}.") from error
        if isinstance(error, UnicodeDecodeError):
            # What SQLite says of damaged tables has a piece of the damage in it.
            remedy = _REMEDIES[sqlite3.SQLITE_CORRUPT]
            raise CheckpointStoreError(f"{self._url} failed: {remedy}.") from error
        if isinstance(error, OSError):
            raise CheckpointStoreError(
                f"{self._url} failed: {error}. Check the path and the permissions."
            ) from error
