"""The changes and queries of a store in its folder; everything here blocks.

A save counts from the renaming of its record, which comes last; a deletion from the
file that lists it, which comes first. So whenever a process ends, its change is done or
not done, and the next writer tidies what it left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from pathlib import Path

from runtime.checkpoint import CheckpointHeader, Record, RunSummary, digest_of
from runtime.errors import (
    CheckpointDamagedError,
    CheckpointStoreError,
    PartsMissingError,
)
from runtime.stores import common
from runtime.stores.directory import names as naming
from runtime.stores.directory.disk import (
    LARGEST,
    Disk,
    is_plain_file,
    locked,
    names_in,
    read,
)
from runtime.stores.directory.names import Entry
from runtime.stores.directory.place import Place
from runtime.stores.directory.record import UnreadableError, to_bytes
from runtime.stores.directory.shelf import Shelf
from runtime.stores.header import with_sequence

_DIGEST = re.compile(r"[0-9a-f]{32}")
_Stamp = tuple[int, int]


class Folder:
    """A folder that is open for writing or for reading; see `ThreadedStore` for what
    the methods mean.
    """

    def __init__(
        self,
        path: Path,
        url: str,
        *,
        read_only: bool,
        patience: float,
        disk: Disk | None = None,
    ) -> None:
        self._place = Place(path, url)
        self._patience = patience
        self._disk = disk or Disk()
        if read_only:
            self._place.check_there()
        else:
            self._place.make(self._disk, patience)
        self._shelf = Shelf(self._place)
        self._last: tuple[Entry | None, frozenset[str], _Stamp] = (
            None,
            frozenset(),
            (0, 0),
        )

    def close(self) -> None:
        """Do nothing, because nothing is held between two calls."""

    # --- reading ---

    def load(self, checkpoint_id: str) -> Record:
        return self._fresh().load(checkpoint_id)[1]

    def parts(self, digests: Sequence[str]) -> dict[str, bytes]:
        self._place.check_folders()
        return {digest: self._part(digest) for digest in digests}

    def _part(self, digest: str) -> bytes:
        path = self._place.parts / _checked(digest)
        try:
            data, _ = read(path)
        except FileNotFoundError:
            raise CheckpointDamagedError("", f"part {digest} is missing") from None
        except OSError as error:
            raise CheckpointDamagedError(
                "", f"part {digest} cannot be read ({error})"
            ) from None
        if digest_of(data) != digest:
            raise CheckpointDamagedError("", f"part {digest} is not intact")
        return data

    def headers(
        self,
        *,
        run_id: str | None,
        workflow: str | None,
        branch: str | None,
        tag: str | None,
        after: int,
        limit: int | None,
    ) -> list[CheckpointHeader]:
        headers = self._fresh().headers(_key(run_id), after)
        return list(
            islice(
                common.matching(headers, workflow=workflow, branch=branch, tag=tag),
                limit,
            )
        )

    def latest(
        self, *, run_id: str | None, branch: str | None, workflow: str | None
    ) -> CheckpointHeader | None:
        def matches(header: CheckpointHeader) -> bool:
            return any(common.matching([header], branch=branch, workflow=workflow))

        return self._fresh().newest(_key(run_id), matches)

    def runs(self) -> list[RunSummary]:
        return common.summed(self._fresh().headers(None))

    def _fresh(self) -> Shelf:
        self._place.check_there()
        self._shelf.refresh()
        return self._shelf

    # --- writing ---

    def save(self, record: Record, parts: Mapping[str, bytes]) -> CheckpointHeader:
        manifest = tuple(record.manifest)
        with self._writing():
            header = with_sequence(record.header, self._place_for(record.header))
            common.check_texts(
                *[text for part in manifest for text in (part.kind, part.name)]
            )
            known = self._known(header.parent)
            new_digests = self._new(
                header.id,
                [part.digest for part in manifest if part.digest not in known],
                parts,
            )
            self._check_sizes(header.id, [parts[digest] for digest in new_digests])
            name = naming.record_name(header.sequence, header.run_id, header.id)
            data = to_bytes(Record(header, manifest))
            self._put(
                {self._place.parts / digest: parts[digest] for digest in new_digests},
                self._place.records / name,
                data,
            )
            entry = naming.as_record(name)
            assert entry is not None  # noqa: S101 - such a name is one
            self._shelf.add(entry)
            self._last = (
                entry,
                frozenset([part.digest for part in manifest]),
                _stamp(self._place.parts),
            )
        return header

    def _known(self, parent: str | None) -> frozenset[str]:
        """Return the parts of the parent if this store saved it last and no part was
        added or removed since.

        A store without this memory would ask for the file of each part, also of those
        that never change.
        """
        entry, digests, stamp = self._last
        is_last = parent is not None and entry == self._shelf.find(parent)
        if is_last and stamp == _stamp(self._place.parts):
            return digests
        return frozenset()

    def _place_for(self, header: CheckpointHeader) -> int:
        """Return the sequence of a new record, once all checks have passed."""
        shelf = self._shelf
        if shelf.find(header.id) is not None:
            raise common.id_taken(header.id)
        if header.parent is not None and shelf.find(header.parent) is None:
            raise common.parent_unknown(header.id, header.parent)
        # A damaged record that may be of any branch is no head, because no branch could
        # go on from it.
        head = shelf.newest(
            naming.key_of(header.run_id), lambda other: other.branch == header.branch
        )
        common.check_head(header, None if head is None else head.id)
        if shelf.last_sequence >= naming.MAX_SEQUENCE:
            raise CheckpointStoreError(
                f"{self._place.url} has no numbers left. Choose another folder."
            )
        return shelf.last_sequence + 1

    def _new(
        self, checkpoint_id: str, digests: Iterable[str], parts: Mapping[str, bytes]
    ) -> list[str]:
        """Return the digests that are not there yet. Raise `PartsMissingError` for
        those that were not given either.
        """
        unique_digests = dict.fromkeys(digests)
        absent = [
            digest
            for digest in unique_digests
            if not is_plain_file(self._place.parts / _checked(digest))
        ]
        if missing := [digest for digest in absent if digest not in parts]:
            raise PartsMissingError(checkpoint_id, missing)
        return absent

    @staticmethod
    def _check_sizes(checkpoint_id: str, parts: Iterable[bytes]) -> None:
        """Refuse a part that is too large to be read again."""
        size = max(map(len, parts), default=0)
        if size > LARGEST:
            raise CheckpointStoreError(
                f"Checkpoint {checkpoint_id} has a part of {size:,} bytes, and at most {LARGEST:,} are kept in one."
            )

    def _put(self, parts: Mapping[Path, bytes], target: Path, data: bytes) -> None:
        """Write parts and then the file that refers to them, or nothing at all."""
        disk = self._disk
        place = self._place
        with ExitStack() as undo:
            moves: list[tuple[Path, Path]] = []
            for path, content in [*parts.items(), (target, data)]:
                moves.append((place.temporary(), path))
                undo.callback(disk.remove, moves[-1][0])
                disk.write(moves[-1][0], content)
            for source, path in moves[:-1]:
                undo.callback(disk.remove, path)
                disk.move(source, path)
            if parts:
                disk.sync(place.parts)
            undo.callback(disk.remove, target)
            disk.move(moves[-1][0], target)
            disk.sync(place.records)
            undo.pop_all()

    def annotate(
        self, checkpoint_id: str, tags: Sequence[str] | None, note: str | None
    ) -> CheckpointHeader:
        with self._writing():
            entry, record = self._shelf.load(checkpoint_id)
            header = common.annotated(record.header, tags, note)
            source = self._place.temporary()
            try:
                self._disk.write(source, to_bytes(Record(header, record.manifest)))
                self._disk.move(source, self._place.records / entry.name)
            except BaseException:
                self._disk.remove(source)
                raise
            self._disk.sync(self._place.records)
        return header

    def delete(self, checkpoint_ids: Sequence[str]) -> int:
        with self._writing():
            shelf = self._shelf
            present = [key for key in checkpoint_ids if shelf.find(key)]
            entries = {shelf.load(key)[0] for key in present}
            for run in {entry.run for entry in entries}:
                common.check_removable(
                    shelf.headers(run), {entry.sequence for entry in entries}
                )
            if entries:
                names = "\n".join(sorted(entry.name for entry in entries)).encode()
                self._put(
                    {},
                    self._place.records / naming.removed_name(digest_of(names)),
                    names,
                )
                shelf.refresh()
                self._tidy()
        return len(entries)

    def delete_run(self, run_id: str) -> int:
        run = naming.key_of(run_id)
        with self._writing():
            number = sum(entry.run == run for entry in self._shelf.entries)
            if number:
                name = naming.deleted_name(self._shelf.last_sequence, run)
                self._put({}, self._place.records / name, b"")
                self._shelf.refresh()
                self._tidy()
        return number

    def _finish_deleting(self) -> None:
        """Remove the parts that no record uses, then the records that are deleted, then
        the files that said so.

        The records go after their parts: as long as one is there, the next writer knows
        that this is not finished.
        """
        shelf = self._shelf
        place = self._place
        self._sweep()
        for entry in shelf.leftover:
            self._disk.remove(place.records / entry.name)
        self._disk.sync(place.records)
        # All but the last, so that the highest number is not given again.
        for sequence, run in shelf.deleted[:-1]:
            self._disk.remove(place.records / naming.deleted_name(sequence, run))
        for name in shelf.removed:
            self._disk.remove(place.records / name)
        shelf.refresh()

    def _sweep(self) -> None:
        """Remove the parts that no record uses. Remove none while there is a record
        that cannot tell what it uses.
        """
        used: set[str] = set()
        for entry in self._shelf.entries:
            try:
                used.update(
                    [part.digest for part in self._shelf.record(entry).manifest]
                )
            except (OSError, UnreadableError):
                return
        for name in names_in(self._place.parts):
            if _DIGEST.fullmatch(name) and name not in used:
                self._disk.remove(self._place.parts / name)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Keep all other writers out, and tidy the folder first."""
        self._place.check_there()
        with locked(self._place.lock, self._patience):
            self._place.check_folders()
            self._place.make_folders()
            self._shelf.refresh()
            self._tidy()
            yield

    def _tidy(self) -> None:
        # A file that cannot be removed, because somebody reads it, is left to the next
        # writer.
        with suppress(OSError):
            self._place.tidy(self._disk)
            if self._shelf.leftover or self._shelf.removed:
                self._finish_deleting()


def _stamp(folder: Path) -> _Stamp:
    """Return a stamp that changes when files come or go, and that differs for another
    folder.
    """
    status = folder.stat()
    return status.st_ino, status.st_mtime_ns


def _key(run_id: str | None) -> str | None:
    return None if run_id is None else naming.key_of(run_id)


def _checked(digest: str) -> str:
    """Return a digest that is safe as the name of a file, or raise
    `CheckpointStoreError`.
    """
    if not _DIGEST.fullmatch(digest):
        raise CheckpointStoreError(
            f"{digest!r} is no digest: use runtime.checkpoint.digest_of"
        )
    return digest
