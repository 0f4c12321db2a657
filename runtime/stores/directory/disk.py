"""The few operations on files and folders. They follow no link, and what they write is
on the disk when they return.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from runtime.errors import CheckpointStoreError

_BINARY: int = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK: int = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_WAIT = 0.002  # seconds between two attempts to take a lock, less than a save takes


class Disk:
    """Changes of files, one by one, so that a test can end the process between any two
    of them.
    """

    def write(self, path: Path, data: bytes) -> None:
        """Make a new file, durably."""
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(handle, view) :]
            os.fsync(handle)
        finally:
            os.close(handle)

    def move(self, source: Path, target: Path) -> None:
        source.replace(target)

    def remove(self, path: Path) -> None:
        path.unlink(missing_ok=True)

    def sync(self, folder: Path) -> None:
        """Make the names in a folder durable. Windows cannot open folders, and does not
        need it.
        """
        if os.name == "posix":
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


# Bytes of a file: as much as other stores keep in one part. A limit, because a sparse
# file may claim any size.
LARGEST = 1_000_000_000


def read(path: Path | str, most: int | None = None) -> tuple[bytes, int]:
    """Return the bytes of a plain file, at most the first `most`, and its size.

    Raise `OSError` for anything else, and for a file of more than `LARGEST` bytes. Not
    by `runtime.system.bounded_files`, because here no link is followed.
    """
    handle = _open(path, os.O_RDONLY)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise OSError("it is no plain file")
        if status.st_size > LARGEST:
            raise OSError(
                f"it has {status.st_size:,} bytes, and at most {LARGEST:,} are read"
            )
        length = status.st_size if most is None else min(most, status.st_size)
        data = os.read(handle, length)
        while len(data) < length and (more := os.read(handle, length - len(data))):
            data += more
        return data, status.st_size
    finally:
        os.close(handle)


def is_plain_file(path: Path) -> bool:
    """Return whether the file is there. Raise `CheckpointStoreError` if something else
    has its name.
    """
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(mode):
        raise CheckpointStoreError(
            f"{path} is no plain file, and links are not followed. Remove it."
        )
    return True


def check_folder(path: Path) -> None:
    """Raise `CheckpointStoreError` if something else has the name of the folder. A
    missing folder is fine, because an empty one is easily lost.
    """
    with suppress(FileNotFoundError):
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise CheckpointStoreError(
                f"{path} is no folder, and links are not followed. Remove it."
            )


@contextmanager
def locked(path: Path, patience: float) -> Iterator[None]:
    """Hold the lock file alone, among all threads and processes. The system releases it
    when the process ends in any way.

    Raise `CheckpointStoreError` if somebody else has held it for `patience` seconds.
    """
    deadline = time.monotonic() + patience
    while (handle := _try_lock(path)) is None:
        if time.monotonic() > deadline:
            raise CheckpointStoreError(
                f"{path.parent} is busy: another process has held it for {patience:g} seconds. Try again later."
            )
        time.sleep(_WAIT)
    try:
        yield
    finally:
        os.close(handle)


def _try_lock(path: Path) -> int | None:
    handle = _open(path, os.O_RDWR | os.O_CREAT)
    if _take(handle):
        return handle
    os.close(handle)
    return None


def _open(path: Path | str, flags: int) -> int:
    if not _NO_LINK and os.path.islink(path):  # noqa: PTH114 - for systems that cannot be told so
        raise OSError(f"{path} is a link, and links are not followed")
    return os.open(path, flags | _BINARY | _NO_LINK, 0o666)


if sys.platform == "win32":
    import msvcrt

    def _take(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _take(handle: int) -> bool:
        try:
            # Not `lockf`, whose locks belong to the process, so that threads would
            # share them.
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def names_in(folder: Path) -> list[str]:
    with suppress(FileNotFoundError):
        return os.listdir(folder)  # noqa: PTH208 - names are wanted, by the thousand
    return []
