"""How a store file is opened, for writing and for reading only.

A file that is only read must not get new files beside it. But SQLite makes a `-wal` and
a `-shm` file beside a database in write-ahead mode even to read it, and fails in a
folder that cannot be written. So a file that nobody has open, which has no `-wal`, is
read as immutable, without any lock. A writer may come and go meanwhile: the stamp of
the file shows that, and the query is run again.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from runtime.errors import CheckpointStoreError
from runtime.stores.sqlite import schema
from runtime.stores.sqlite.database import Database
from runtime.system.user_folders import is_sealed

_T = TypeVar("_T")
_TRIES = 20
# Bytes. No database is shorter, and SQLite takes a shorter file for an empty one, and
# writes over it.
_HEADER = 100
# Nanoseconds. Two changes within one tick of the kernel's clock have the same time, and
# a tick has at most 10 ms. Where times are kept in whole seconds, none is taken for
# exact.
_TICK = 50_000_000
_SECOND = 1_000_000_000
_Stamp = tuple[bool, int, int, int]


class Writing:
    """A connection that writes, and makes the file when it is not there."""

    def __init__(self, path: Path, url: str, patience: float) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        _check_length(path, url)
        if is_sealed(path):
            raise CheckpointStoreError(
                f"{url} cannot be written: it or its folder is read-only. Its runs can be looked at. To run, make both "
                "writable, choose another store, or save the workflow in another folder."
            )
        # The absolute path, because SQLite has names of its own (`:memory:`, `file:…`).
        real = _real(path)
        db = sqlite3.connect(real, timeout=patience, isolation_level=None)
        try:
            schema.prepare(db, url, patience)
            # So that a checkpoint is on the disk when `save` returns.
            db.execute("PRAGMA synchronous = FULL")
        except BaseException:
            db.close()
            raise
        self._database = Database(db)
        self._url = url
        self._files = Names(real, _log_of(real))

    def run(self, job: Callable[[Database], _T]) -> _T:
        lost_file = self._files.lost()
        if lost_file is not None:
            raise CheckpointStoreError(
                f"{self._url} failed: {lost_file.name} was removed or replaced while it was open, and what is "
                f"saved now "
                "would be lost. Put it back if it was only moved, or open the store again."
            )
        return job(self._database)

    def close(self) -> None:
        self._database.close()


class Names:
    """Open files of one folder, and whether their names still lead to them, because
    SQLite goes on writing into a file that was removed.

    A look at the files themselves before each job costs 20 µs of CPU time per
    checkpoint (`python -m tests.benchmarks --only w6`), because Linux makes the next
    write note the exact times of a file whose times were read. So the folder is looked
    at: whenever a name in it comes, goes or leads to another file, its ctime changes,
    which nobody can set. `clock` is there for tests.
    """

    def __init__(self, *files: Path, clock: Callable[[], int] = time.time_ns) -> None:
        self._folder = files[0].parent
        self._clock = clock
        self._files = {file: _identity(file) for file in files}
        # The stamp of the folder when all names were right.
        self._settled: tuple[int, int, int] | None = None

    def lost(self) -> Path | None:
        """Return a file that was removed or replaced, or None."""
        try:
            status = self._folder.stat()
        except FileNotFoundError:
            return next(iter(self._files))
        stamp = status.st_dev, status.st_ino, status.st_ctime_ns
        if stamp == self._settled:
            return None
        lost_file = next(
            (
                file
                for file, identity in self._files.items()
                if _identity(file) != identity
            ),
            None,
        )
        is_exact = (
            status.st_ctime_ns % _SECOND != 0
            and self._clock() - status.st_ctime_ns > _TICK
        )
        self._settled = stamp if lost_file is None and is_exact else None
        return lost_file


class Reading:
    """A connection that changes nothing. It is opened again when the file changes
    between open and closed.
    """

    def __init__(self, path: Path, url: str, patience: float) -> None:
        if path.is_dir():
            raise CheckpointStoreError(
                f"{path} is a folder, and an SQLite store is a file. Write dir:{path}"
            )
        if not path.is_file():
            raise CheckpointStoreError(
                f"There is no file {path}. A store is made by the first run that is saved in it."
            )
        _check_length(path, url)
        self._path = _real(path)
        self._url = url
        self._patience = patience
        self._log = _log_of(self._path)
        self._stamp: _Stamp | None = None
        self._database: Database | None = None
        self.run(lambda _: None)

    def run(self, job: Callable[[Database], _T]) -> _T:
        for _ in range(_TRIES):
            stamp = self._read_stamp()
            try:
                result = job(self._connected(stamp))
            except sqlite3.DatabaseError:
                if stamp == self._read_stamp():
                    raise
            else:
                if stamp[0] or stamp == self._read_stamp():
                    return result
        raise CheckpointStoreError(
            f"{self._url} is busy: it changes all the time. Try again."
        )

    def close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def _read_stamp(self) -> _Stamp:
        """Return whether the file is open somewhere, and if it is not, a stamp that
        changes with the file.
        """
        status = self._path.stat()
        if self._log.exists():
            return (True, status.st_ino, 0, 0)
        return (False, status.st_ino, status.st_size, status.st_mtime_ns)

    def _connected(self, stamp: _Stamp) -> Database:
        database = self._database
        if database is None or stamp != self._stamp or database.is_outdated():
            self.close()
            mode = "mode=ro" if stamp[0] else "mode=ro&immutable=1"
            database = self._database = self._open(mode)
            self._stamp = stamp
        return database

    def _open(self, mode: str) -> Database:
        # Without SQLite, because a file of /proc says that it is empty, and reading it
        # may wait for ever.
        if self._path.stat().st_size == 0 and not self._log.exists():
            raise self._is_empty()
        uri = f"{self._path.as_uri()}?{mode}"
        db = sqlite3.connect(
            uri, uri=True, timeout=self._patience, isolation_level=None
        )
        try:
            file_format = schema.format_of(db, self._url)
            if file_format == 0:
                raise self._is_empty()
        except BaseException:
            db.close()
            raise
        return Database(db, file_format)

    def _is_empty(self) -> CheckpointStoreError:
        return CheckpointStoreError(
            f"{self._url} is empty. A store is made by the first run that is saved in it."
        )


def _real(path: Path) -> Path:
    """Return where the file is, also if the working directory changes later. SQLite
    puts the log beside the file, not beside a link.
    """
    return Path(os.path.realpath(path))


def _log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _identity(file: Path) -> tuple[int, int] | None:
    """Return which file has this name now."""
    try:
        status = file.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _check_length(path: Path, url: str) -> None:
    if path.is_file() and 0 < path.stat().st_size < _HEADER:
        raise CheckpointStoreError(
            f"{url} failed: it is no SQLite file. Choose another one; it was left untouched."
        )
