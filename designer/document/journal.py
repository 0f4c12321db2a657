"""What a window had not saved when it died: its design in a file of its own, and who wrote it. Knows no Qt.

A journal is the whole design, not a list of edits: it is small, it needs nothing to be read, and replacing a file in
one step leaves the old or the new one, whatever happens in between. It is a workflow file with one more key, so that it
can be opened by hand, should it come to that.
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
    """Whose design it is. `born` tells a process from a later one with the same number, where the system says when a
    process began.
    """

    model_config = ConfigDict(frozen=True)

    path: Path | None
    name: str
    pid: int = Field(ge=1)
    born: str
    time: float


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """What a dead window left: its design, the file it had open (None for a drawing never saved), a name for people,
    and when it last changed it, in seconds since 1970.
    """

    file: Path
    path: Path | None
    name: str
    pid: int
    time: float
    design: Design

    def discard(self) -> None:
        """Give it up: remove the file."""
        self.file.unlink(missing_ok=True)


class Journal:
    """The recovery file of one open document."""

    def __init__(
        self, folder: Path, write: Callable[[Path, bytes], None] = write_bytes
    ) -> None:
        self._write = write
        self.file = folder / FOLDER / f"{uuid4().hex}.json"

    def write(self, design: Design, path: Path | None, name: str) -> None:
        """Keep this design; replaces what was kept. Raises `OSError` if the folder cannot be written, and
        `DefinitionError` for a value that JSON does not have.
        """
        pid = os.getpid()
        where = place_of(path) if path else None
        origin = _Origin(
            path=where, name=name, pid=pid, born=_born(pid), time=time.time()
        )
        # A drawing may hold what is nobody else's business.
        self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = to_file(design).model_copy(update={_KEY: origin.model_dump(mode="json")})
        # while somebody draws: there is no time for beauty
        self._write(self.file, serialise(file, indent=None))

    def clear(self) -> None:
        """Everything is saved, or given up."""
        self.file.unlink(missing_ok=True)


def recoverable(
    folder: Path, tell: Callable[[str], object] = _log.warning
) -> list[JournalEntry]:
    """The journals in a data folder whose windows are dead, the newest first. One that cannot be read is told of, and
    left as it is.
    """
    for leftover in (folder / FOLDER).glob(".*.tmp"):
        sweep(leftover.with_name(leftover.name[1:].rsplit(".", 2)[0]))
    found = (_entry(file, tell) for file in sorted((folder / FOLDER).glob("*.json")))
    return sorted((entry for entry in found if entry), key=lambda entry: -entry.time)


def _entry(file: Path, tell: Callable[[str], object]) -> JournalEntry | None:
    try:
        content = read_file(file)
        extra = dict(content.model_extra or {})
        origin = _Origin.model_validate(extra.pop(_KEY, None))
        design = replace(to_design(content), extra=extra)
    except FileNotFoundError:
        return None  # its window has just ended properly
    except (OSError, ValidationError, DefinitionError) as error:
        tell(f"The recovery file {file} cannot be read and is left as it is: {error}")
        return None
    if _is_alive(origin.pid, origin.born):
        return None
    return JournalEntry(file, origin.path, origin.name, origin.pid, origin.time, design)


def _is_alive(pid: int, born: str) -> bool:
    return _exists(pid) and _born(pid) == born


def _born(pid: int) -> str:
    """When a process began, in the system's own units; empty where /proc does not tell."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return ""
    # The second field is the program's name in parentheses, and may hold any of both; field 22 is the start.
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
