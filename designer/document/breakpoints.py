"""The breakpoints, watches and pinned results of an open document, and their file
beside it.

A change is on disk a moment later, without an undo step and without a save. Two windows
with one document see the changes of each other, because each looks at the file every
few seconds and puts both together.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from designer.document.file import mark_of
from designer.model import inside
from designer.model.breakpoints import NO_NOTES, DebugNotes, Way, renamed, renames_of
from designer.model.debug_file import (
    LARGEST,
    UnreadableError,
    file_name,
    merged,
    parse,
    serialise,
)
from designer.model.design import Design
from designer.model.errors import EditError
from designer.qt.background import Lane, Outcome, outcome_of
from runtime.debug.protocol import Breakpoint, PinnedResult
from runtime.document.files import write_bytes
from runtime.system import user_folders
from runtime.system.bounded_files import read_bytes

PAUSE = 2000  # ms between two looks at the file
FOLDER = "breakpoints"  # in the user's data folder, where none can be kept beside it
_COPIES = 100  # of damaged files, before the last one is replaced


class _Written(NamedTuple):
    """What a file has after a write, and where the damaged one before was copied to."""

    notes: DebugNotes
    mark: tuple[int, int, int] | None
    damaged: Path | None


class _Job(NamedTuple):
    """A write, by its number in the lane. `outcomes` has its outcome once it is done."""

    number: int
    notes: DebugNotes
    outcomes: list[Outcome[_Written]]


class Breakpoints(QObject):
    """`notes` are those of the document. A document without a file has them in memory,
    and its first save writes them.

    changed   `notes`
    failed    why the file cannot be read or written, and what becomes of it
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.notes = NO_NOTES
        self.path: Path | None = None  # the file of the breakpoints
        self._base = NO_NOTES  # what the file had when it was read or written last
        self._mark: tuple[int, int, int] | None = None
        self._job: _Job | None = None  # the write that goes on
        self._complained = ""
        self._lane = Lane("breakpoints")
        self._timer = QTimer(self, interval=PAUSE)
        self._timer.timeout.connect(self.look)

    # --- changes ---

    def put(self, *points: Breakpoint) -> None:
        """Set breakpoints, or change those with the same ids."""
        self.take(self.notes.put(*points))

    def remove(self, ids: Collection[str]) -> None:
        """Delete breakpoints."""
        self.take(self.notes.without(ids))

    def take(self, notes: DebugNotes) -> None:
        """Make these the present ones, and keep them in the file."""
        if notes == self.notes:
            return
        self.notes = notes
        self._write()
        self.changed.emit()

    def pin(self, path: str, result: PinnedResult) -> None:
        """Pin a result for an executor, which a path of node ids names."""
        self.take(self.notes.with_pins(self.notes.pins.put(path, result)))

    def unpin(self, path: str) -> None:
        """Let an executor give its own results again."""
        self.take(self.notes.with_pins(self.notes.pins.without(path)))

    def follow(self, before: Design, after: Design) -> None:
        """Keep breakpoints at what an edit has renamed. What it deleted keeps them too,
        because undo brings it back.
        """
        ways = _levels(self.notes)
        if not ways or before.workflow is after.workflow:
            return
        renames: dict[tuple[Way, str], str] = {}
        for way in ways:
            level_before = _level(before, way)
            level_after = _level(after, _renamed_way(way, renames))
            if level_before is None or level_after is None:
                continue
            changes = renames_of(level_before.workflow, level_after.workflow)
            renames.update({(way, old): new for old, new in changes.items()})
        self.take(renamed(self.notes, renames))

    # --- the file ---

    def open(self, document: Path | None) -> None:
        """Take the breakpoints of another document; none for one without a file."""
        self.finish()
        self.path = _file_of(document)
        self.notes = self._base = NO_NOTES
        self._mark = None
        self._complained = ""
        if self.path is not None:
            self._timer.start()
            self._read()
        else:
            self._timer.stop()
        self.changed.emit()

    def move(self, document: Path) -> None:
        """Keep the breakpoints beside another file, to which the document was saved.
        Breakpoints that are there already stay.
        """
        path = _file_of(document)
        if path == self.path:
            return
        self.finish()
        mine = self.notes
        self.path = path
        self._base = NO_NOTES
        self._mark = None
        self._timer.start()
        self.notes = NO_NOTES
        self._read()
        self.take(merged(NO_NOTES, mine, self.notes))

    def look(self) -> None:
        """Take over what another window has written to the file."""
        if self.path is None or self._job is not None:
            return
        mark = mark_of(self.path)
        if mark is None or mark == self._mark:
            return
        before = self.notes
        self._read()
        if self.notes != before:
            self.changed.emit()
        if self.notes != self._base:
            self._write()

    def finish(self) -> None:
        """Wait until all changes are on disk."""
        while self._job is not None:
            job = self._job
            self._lane.wait()
            self._lane.drop(job.number)
            self._on_written(job.outcomes[0])

    def close(self) -> None:
        """Stop looking at the file, because the document is closed."""
        self._timer.stop()
        self.finish()

    def _read(self) -> None:
        """Read the file, and put what it has together with what is here."""
        if self.path is None:
            return
        self._mark = mark_of(self.path)
        if self._mark is None:
            return
        try:
            theirs = parse(read_bytes(self.path, LARGEST))
        except (OSError, UnreadableError) as error:
            self._complain(
                f"The breakpoints and pinned results in {self.path} cannot be read. "
                f"{error} The file stays as it is until you set or pin something; then "
                "a copy of it is kept beside it."
            )
            return
        self._complained = ""
        self.notes = merged(self._base, self.notes, theirs)
        self._base = theirs

    def _write(self) -> None:
        if self.path is None or self._job is not None:
            return
        outcomes: list[Outcome[_Written]] = []
        replace = partial(_replace, self.path, self._base, self.notes)
        number = self._lane.start(
            self, lambda: outcomes.append(outcome_of(replace)), self._on_done
        )
        self._job = _Job(number, self.notes, outcomes)

    def _on_done(self, _outcome: Outcome[None]) -> None:
        if self._job is not None:
            self._on_written(self._job.outcomes[0])

    def _on_written(self, outcome: Outcome[_Written]) -> None:
        notes = self._job.notes if self._job is not None else self.notes
        self._job = None
        try:
            written = outcome.value()
        except (OSError, ValueError) as error:
            self._complain(
                f"The breakpoints cannot be written to {self.path}: {error}. They stay "
                "in this window until it is closed."
            )
            return
        self._complained = ""
        self._base = written.notes
        self._mark = written.mark
        if written.damaged is not None:
            self._complain(
                f"The file of the breakpoints was damaged. It is kept as "
                f"{written.damaged}."
            )
        present = self.notes
        self.notes = merged(notes, present, written.notes)
        if self.notes != present:
            self.changed.emit()
        if self.notes != self._base:
            self._write()

    def _complain(self, text: str) -> None:
        if text != self._complained:
            self._complained = text
            self.failed.emit(text)


def _file_of(document: Path | None) -> Path | None:
    """Return the file of the breakpoints of a document: beside it, or in the user's
    data folder where nothing can be written beside it.
    """
    if document is None:
        return None
    name = file_name(document.name)
    beside = document.with_name(name)
    is_kept = beside.is_file()
    folder = user_folders.place_of(document).parent
    if not user_folders.is_shipped(document) and (
        is_kept or not user_folders.is_read_only(folder)
    ):
        return beside
    place = os.fsencode(user_folders.place_of(document))
    digest = blake2b(place, digest_size=4).hexdigest()
    return user_folders.data_dir() / FOLDER / f"{digest}-{name}"


def _replace(path: Path, base: DebugNotes, mine: DebugNotes) -> _Written:
    """Write the file. What another window wrote since `base` stays in it; a damaged
    file is copied first.
    """
    unreadable = None
    notes = mine
    if path.is_file():
        before = read_bytes(path, LARGEST)
        try:
            notes = merged(base, mine, parse(before))
        except UnreadableError:
            unreadable = before
    content = serialise(notes)
    if len(content) > LARGEST:
        # Because it could not be read again.
        raise ValueError(
            f"the file would have {len(content):,} bytes, and at most {LARGEST:,} are "
            "read. Unpin a large result"
        )
    damaged = None
    if unreadable is not None:
        damaged = _free_name(path)
        write_bytes(damaged, unreadable)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, content)
    return _Written(notes, mark_of(path), damaged)


def _free_name(path: Path) -> Path:
    names = (
        path.with_name(f"{path.name}.damaged-{number}") for number in range(1, _COPIES)
    )
    free = next((name for name in names if not name.exists()), None)
    return free or path.with_name(f"{path.name}.damaged-{_COPIES}")


def _levels(notes: DebugNotes) -> list[Way]:
    """Return the ways of all levels with breakpoints or pins and those around them, the
    outermost first.
    """
    innermost = {point.inside for point in notes.breakpoints}
    innermost |= {tuple(path.split("/")[:-1]) for path in notes.pins.results}
    ways = {way[:depth] for way in innermost for depth in range(len(way) + 1)}
    return sorted(ways, key=len)


def _level(root: Design, way: Way) -> Design | None:
    try:
        return inside.at(root, way)
    except EditError:
        return None  # the sub-workflow is a file of its own, or it is gone


def _renamed_way(way: Way, renames: dict[tuple[Way, str], str]) -> Way:
    return tuple(
        renames.get((way[:depth], node), node) for depth, node in enumerate(way)
    )
