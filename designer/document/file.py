"""The file of an open document: whether another program changed it, and which window
has it open.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QLockFile

from runtime.document.files import LARGEST_DOCUMENT
from runtime.errors import UnfitFileError
from runtime.system import user_folders
from runtime.system.bounded_files import read_bytes

FOLDER = "open"  # a lock for each file that is open in a window


class OnDisk(NamedTuple):
    """A file's state when it was read or written. `digest` is of its bytes, None for a
    missing file. `mark` differs when the file was written since, and can be asked for
    without reading.
    """

    modified: float
    digest: bytes | None
    mark: tuple[int, int, int] | None


def on_disk_of(path: Path) -> OnDisk:
    """Return the present state of a file."""
    try:
        mark = mark_of(path)
        modified = path.stat().st_mtime
        return OnDisk(modified, _digest_on(path), mark)
    except OSError:
        return OnDisk(0.0, None, None)


def _digest_on(path: Path) -> bytes | None:
    """Return None for a folder or a pipe, and for a file that is too large for a
    document.
    """
    try:
        return digest_of(read_bytes(path, LARGEST_DOCUMENT))
    except (UnfitFileError, IsADirectoryError):
        return None


def digest_of(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()


def mark_of(path: Path) -> tuple[int, int, int] | None:
    """Return a mark that differs when the file was written; None for a missing file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


class Claim:
    """The lock of the window that has a file open. When that window closes or crashes,
    the next one takes the lock.
    """

    def __init__(self) -> None:
        self._lock: QLockFile | None = None

    @property
    def other_window(self) -> int:
        """The process of another window that has the lock; 0 if there is none."""
        if self._lock is None or self._lock.isLocked() or self._lock.tryLock(0):
            return 0
        # Where locks cannot be written, other windows are unknown.
        if self._lock.error() is not QLockFile.LockError.LockFailedError:
            return 0
        return int(self._lock.getLockInfo()[0])

    def take(self, path: Path | None) -> None:
        """Take the lock of another file, or none."""
        self.release()
        if path is None:
            return
        encoded = os.fsencode(user_folders.place_of(path))
        name = blake2b(encoded, digest_size=12).hexdigest()
        try:
            folder = user_folders.data_dir() / FOLDER
            folder.mkdir(mode=0o700, exist_ok=True)
        except OSError:
            return
        self._lock = QLockFile(str(folder / name))
        # No timeout, because a window may be open for days; a crash is noticed anyway.
        self._lock.setStaleLockTime(0)
        self._lock.tryLock(0)

    def release(self) -> None:
        if self._lock is not None:
            self._lock.unlock()
            self._lock = None
