"""The records of a store as its folder lists them; everything here blocks.

The folder is the truth, and is listed again for each query. Headers are remembered,
each with a stamp that changes when its file does. Paid for by `python -m
tests.benchmarks --only w7-dir`: a list of 2,000 headers takes 10 ms, and 55 ms if every
file is read again.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from operator import attrgetter

from runtime.checkpoint import Cause, CheckpointHeader, Record, digest_of
from runtime.errors import CheckpointDamagedError, CheckpointNotFoundError
from runtime.stores.directory import names as naming
from runtime.stores.directory.disk import names_in, read
from runtime.stores.directory.names import Entry
from runtime.stores.directory.place import Place
from runtime.stores.directory.record import UnreadableError, header_of, record_of

_Stamp = tuple[int, int, int, int]
_FIRST = 4096  # bytes that hold the header of nearly every record


class Shelf:
    """The records of a folder. `entries` is in the order of their sequence, and
    `leftover` has those that are deleted already.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self._seen: set[str] = set()
        self._headers: dict[str, tuple[_Stamp, CheckpointHeader]] = {}
        self._by_key: dict[str, Entry] = {}
        self.entries: list[Entry] = []
        self.leftover: list[Entry] = []
        self.deleted: list[tuple[int, str]] = []
        self.removed: dict[str, list[str]] = {}
        self._ends: dict[str, int] = {}
        self._taken: set[str] = set()

    @property
    def last_sequence(self) -> int:
        """Return the highest number that was ever given."""
        ends = [entry.sequence for entry in self.entries[-1:]] + [
            sequence for sequence, _ in self.deleted
        ]
        return max(ends, default=0)

    def refresh(self) -> None:
        self._place.check_folders()
        names = set(names_in(self._place.records))
        if names == self._seen:
            return
        known = {entry.name: entry for entry in self.entries}
        listed = []
        for name in names:
            # Names are parsed once, because a folder has thousands and mostly one is
            # new.
            entry = known.get(name) or naming.as_record(name)
            if entry is not None:
                listed.append(entry)
        self._read_deletions(names)
        self.leftover = [entry for entry in listed if self._is_deleted(entry)]
        leftover = set(self.leftover)
        self.entries = [entry for entry in listed if entry not in leftover]
        self.entries.sort(key=attrgetter("sequence", "name"))
        self._by_key = {entry.key: entry for entry in reversed(self.entries)}
        self._headers = {
            name: header for name, header in self._headers.items() if name in names
        }
        self._seen = names

    def _read_deletions(self, names: set[str]) -> None:
        deleted = [naming.as_deleted(name) for name in names]
        self.deleted = sorted(filter(None, deleted))
        self.removed = {}
        for name in names:
            removed_records = self._list_of(name)
            if removed_records:
                self.removed[name] = removed_records
        # A run may be deleted twice, and then the higher number counts.
        self._ends = {run: sequence for sequence, run in self.deleted}
        self._taken = {name for listed in self.removed.values() for name in listed}

    def _is_deleted(self, entry: Entry) -> bool:
        end = self._ends.get(entry.run, 0)
        return entry.sequence <= end or entry.name in self._taken

    def _list_of(self, name: str) -> list[str]:
        """Return the names of the records that a file lists as removed. A file that is
        not intact lists none.
        """
        digest = naming.as_removed(name)
        if digest is None:
            return []
        try:
            data = read(f"{self._place.records}{os.sep}{name}")[0]
        except OSError:
            return []  # removed meanwhile, and its records too
        return data.decode().split() if digest_of(data) == digest else []

    def add(self, entry: Entry) -> None:
        """Add a record that this store has written a moment ago."""
        self.entries.append(entry)
        self._by_key[entry.key] = entry
        self._seen.add(entry.name)

    def find(self, checkpoint_id: str) -> Entry | None:
        """Return the entry of an id, or of the name of its file, under which a damaged
        record may be listed.
        """
        return self._by_key.get(naming.key_of(checkpoint_id)) or (
            self._by_key.get(checkpoint_id) if checkpoint_id.startswith("__") else None
        )

    def load(self, checkpoint_id: str) -> tuple[Entry, Record]:
        entry = self.find(checkpoint_id)
        if entry is None:
            raise CheckpointNotFoundError(checkpoint_id)
        try:
            return entry, self.record(entry)
        except FileNotFoundError:
            raise CheckpointNotFoundError(checkpoint_id) from None
        except (OSError, UnreadableError) as error:
            raise CheckpointDamagedError(checkpoint_id, _reason(error)) from None

    def record(self, entry: Entry) -> Record:
        """Raise `OSError`, or `UnreadableError`."""
        try:
            record = record_of(read(self._path(entry))[0])
        except (ValueError, TypeError) as error:
            raise UnreadableError(str(error)) from None
        _check_name(entry, record.header)
        return record

    def headers(self, run: str | None, after: int = 0) -> Iterator[CheckpointHeader]:
        """Yield the headers of all runs or of one. A header that cannot be read takes
        its names from the nearest record of its run.
        """
        before: dict[str, CheckpointHeader | None] = {}
        for position in range(
            bisect_right(self.entries, after, key=attrgetter("sequence")),
            len(self.entries),
        ):
            entry = self.entries[position]
            if run is not None and entry.run != run:
                continue
            header = self._header(entry)
            if header is not None and header.damaged:
                if entry.run not in before:
                    before[entry.run] = self._near(position)
                header = _told_by(before[entry.run], header)
            if header is not None:
                before[entry.run] = header
                yield header

    def newest(
        self, run: str | None, matches: Callable[[CheckpointHeader], bool]
    ) -> CheckpointHeader | None:
        for entry in reversed(self.entries):
            if run is not None and entry.run != run:
                continue
            header = self._header(entry)
            if header is not None and header.damaged:
                return next(filter(matches, reversed(list(self.headers(run)))), None)
            if header is not None and matches(header):
                return header
        return None

    def _near(self, position: int) -> CheckpointHeader | None:
        """Return the last readable header of the same run before a position, or else
        the first after it.
        """
        run = self.entries[position].run
        for entry in chain(
            reversed(self.entries[:position]), self.entries[position + 1 :]
        ):
            if entry.run != run:
                continue
            header = self._header(entry)
            if header is not None and (header.workflow or not header.damaged):
                return header
        return None

    def _header(self, entry: Entry) -> CheckpointHeader | None:
        """Return the header, perhaps as a damaged one, or None if the file is gone by
        now.
        """
        path = self._path(entry)
        try:
            status = os.lstat(path)
            stamp = (
                status.st_ino,
                status.st_size,
                status.st_mtime_ns,
                status.st_ctime_ns,
            )
            known = self._headers.get(entry.name)
            if known is not None and known[0] == stamp:
                return known[1]
            header = _read_header(path)
            _check_name(entry, header)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError) as error:
            return _damaged(entry, _reason(error))
        if header.damaged:
            return header
        self._headers[entry.name] = (stamp, header)
        return header

    def _path(self, entry: Entry) -> str:
        return f"{self._place.records}{os.sep}{entry.name}"


def _read_header(path: str) -> CheckpointHeader:
    data, size = read(path, _FIRST)
    if size > _FIRST and data.count(b"\n") < 2:
        data, size = read(path)
    return header_of(data, size)


def _check_name(entry: Entry, header: CheckpointHeader) -> None:
    if not (
        header.sequence == entry.sequence
        and naming.is_key_of(entry.key, header.id)
        and naming.is_key_of(entry.run, header.run_id)
    ):
        raise UnreadableError(
            f"its file has the name of another one: it says that it is {header.id}"
        )


def _damaged(entry: Entry, reason: str) -> CheckpointHeader:
    run = naming.text_of(entry.run)
    key = naming.text_of(entry.key)
    return CheckpointHeader(
        id=key,
        run_id=run,
        workflow="",
        superstep=0,
        cause=Cause.SUPERSTEP,
        branch="",
        sequence=entry.sequence,
        damaged=reason,
    )


def _told_by(
    before: CheckpointHeader | None, damaged: CheckpointHeader
) -> CheckpointHeader:
    if before is None:
        return damaged
    return replace(
        damaged,
        run_id=before.run_id,
        workflow=damaged.workflow or before.workflow,
        branch=damaged.branch or before.branch,
    )


def _reason(error: Exception) -> str:
    return f"it cannot be read ({error})" if isinstance(error, OSError) else str(error)
