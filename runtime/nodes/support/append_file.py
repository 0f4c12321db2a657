"""Append to a file without leaving half a row: what a killed process began, the next
one removes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from runtime.system.bounded_files import LARGEST_DATA, opened, read_bytes


class End:
    """The end of a file that no other process appends to meanwhile."""

    def __init__(self, path: Path, stream: BinaryIO) -> None:
        self._path = path
        self._stream = stream
        self._note = path.with_name(f".{path.name[:40]}.adding")

    @property
    def size(self) -> int:
        return os.fstat(self._stream.fileno()).st_size

    @property
    def ends_a_line(self) -> bool:
        with opened(self._path, None) as stream:
            stream.seek(-1, os.SEEK_END)
            return stream.read() in (b"\n", b"\r")

    def add(self, content: bytes) -> None:
        """Append all of it or, after an error or a crash, nothing. Raise
        `OSError`.

        Writing the whole file again would be simpler, but rows that another
        program appends meanwhile would be lost.
        """
        size = self.size
        # half of a note is none: see `take_back`
        self._note.write_bytes(b"%d\n" % size + content)
        try:
            self._stream.write(content)
            self._stream.flush()
            os.fsync(self._stream.fileno())
        except BaseException:
            os.truncate(self._path, size)
            raise
        finally:
            self._note.unlink(missing_ok=True)

    def take_back(self) -> None:
        """Remove what a killed process began. Leave anything else alone,
        because another program may have appended since.
        """
        try:
            begin, _, content = read_bytes(self._note, LARGEST_DATA).partition(b"\n")
        except FileNotFoundError:
            return
        size = int(begin or b"0")
        with opened(self._path, None) as stream:
            stream.seek(size)
            tail = stream.read(len(content) + 1)
        if len(tail) < len(content) and content.startswith(tail):
            os.truncate(self._path, size)
        self._note.unlink(missing_ok=True)


@contextmanager
def end_of(path: Path) -> Iterator[End]:
    """Open the end of a file for this process alone; make the file if it is
    missing. Raise `OSError`.
    """
    with path.open("ab") as stream:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX)  # given back when the file is closed
        end = End(path, stream)
        end.take_back()
        yield end
