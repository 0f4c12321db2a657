"""The recovery file of a document: the unsaved design, and the window that wrote it.
Without Qt.

A journal is the whole design and not a list of edits, because a design is small, can be
read without anything else, and replaces the file atomically. It is a workflow file with
one more key, so that it can be opened by hand.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from designer.model.design import Design
from designer.model.files import to_design, to_file
from runtime.document.files import read_file, serialise, sweep, write_bytes
from runtime.errors import DefinitionError
from runtime.system.user_folders import place_of

FOLDER = "journal"
_KEY = "journal"
_log = logging.getLogger(__name__)


class _Origin(BaseModel):
    """The window of a design. `born` is the start time of its process, where the system
    tells it, because a later process may get the same number.
    """

    model_config = ConfigDict(frozen=True)

    path: Path | None
    name: str
    pid: int = Field(ge=1)
    born: str
    time: float


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """The unsaved design of a crashed window, its file (None for a drawing that was
    never saved), a name for people, and the time of the last change, in seconds since
    1970.
    """

    file: Path
    path: Path | None
    name: str
    pid: int
    time: float
    design: Design

    def discard(self) -> None:
        """Remove the file."""
        self.file.unlink(missing_ok=True)


class Journal:
    """The recovery file of one open document."""

    def __init__(
        self, folder: Path, write: Callable[[Path, bytes], None] = write_bytes
    ) -> None:
        self._write = write
        self.file = folder / FOLDER / f"{uuid4().hex}.json"

    def write(self, design: Design, path: Path | None, name: str) -> None:
        """Write this design in place of the one before.

        Raise `OSError` if the folder cannot be written, and `DefinitionError` for a
        value that JSON does not have.
        """
        pid = os.getpid()
        origin = _Origin(
            path=place_of(path) if path else None,
            name=name,
            pid=pid,
            born=_born(pid),
            time=time.time(),
        )
        # A drawing may hold private data.
        self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = to_file(design).model_copy(update={_KEY: origin.model_dump(mode="json")})
        # Without indentation, because it is written often, while the user draws.
        self._write(self.file, serialise(file, indent=None))

    def clear(self) -> None:
        """Remove the file, because everything is saved or discarded."""
        self.file.unlink(missing_ok=True)


def recoverable(
    folder: Path, tell: Callable[[str], object] = _log.warning
) -> list[JournalEntry]:
    """Return the journals of crashed windows in a data folder, the newest first. `tell`
    gets a text for each that cannot be read; it stays where it is.
    """
    for leftover in (folder / FOLDER).glob(".*.tmp"):
        sweep(leftover.with_name(leftover.name[1:].rsplit(".", 2)[0]))
    entries = []
    for file in sorted((folder / FOLDER).glob("*.json")):
        entry = _entry(file, tell)
        if entry is not None:
            entries.append(entry)
    return sorted(entries, key=lambda entry: -entry.time)


def _entry(file: Path, tell: Callable[[str], object]) -> JournalEntry | None:
    try:
        content = read_file(file)
        extra = dict(content.model_extra or {})
        origin = _Origin.model_validate(extra.pop(_KEY, None))
        design = replace(to_design(content), extra=extra)
    except FileNotFoundError:
        return None  # its window has just closed
    except (OSError, ValidationError, DefinitionError) as error:
        tell(f"The recovery file {file} cannot be read and is left as it is: {error}")
        return None
    if _is_alive(origin.pid, origin.born):
        return None
    return JournalEntry(file, origin.path, origin.name, origin.pid, origin.time, design)


def _is_alive(pid: int, born: str) -> bool:
    return _exists(pid) and _born(pid) == born


def _born(pid: int) -> str:
    """Return the start time of a process in the system's own units; "" without /proc."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return ""
    # Field 22 is the start. Field 2 is the program's name in parentheses, and may
    # contain parentheses and spaces, so count from the last one.
    return stat.rpartition(")")[2].split()[19]


def _exists(pid: int) -> bool:
    if sys.platform == "win32":
        # On Windows, signal 0 is Ctrl+C: asking that way would end the process.
        import ctypes

        query_limited_information = 0x1000
        still_active = 259
        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(query_limited_information, False, pid)
        code = ctypes.c_ulong()
        known = bool(handle) and bool(
            kernel.GetExitCodeProcess(handle, ctypes.byref(code))
        )
        kernel.CloseHandle(handle)
        return known and code.value == still_active
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
