"""What is changed in a store file over one connection; everything here blocks.

Paid for by `python -m tests.benchmarks --only w6`: without what is remembered here a
superstep takes a third more CPU and writes twice the bytes. While nobody else writes to
the file and a run goes on from its last checkpoint, a save asks nothing. It remembers
the last checkpoint of each run, which is the base of the next manifest and the head of
its branch, and the numbers of words. `PRAGMA data_version` shows whether another
connection has written since, and then the heads are asked for again. The highest row of
`deleted` shows a removal.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from runtime.checkpoint import CheckpointHeader, Part, Record
from runtime.errors import PartsMissingError
from runtime.stores import common
from runtime.stores import manifest as manifests
from runtime.stores.header import with_sequence
from runtime.stores.manifest import Base, Manifest
from runtime.stores.sqlite import removal
from runtime.stores.sqlite.columns import (
    COLUMNS,
    RUN_PLACE,
    SEQUENCE_PLACE,
    WORD_PLACES,
    to_row,
)
from runtime.stores.sqlite.reader import Reader, seal_of
from runtime.stores.sqlite.schema import FORMAT

_COLUMNS = [column.name for column in COLUMNS] + ["base", "length", "seal", "manifest"]
_INSERT = f"""
    INSERT INTO checkpoint ({", ".join(_COLUMNS)}) VALUES ({", ".join("?" * len(_COLUMNS))})
"""  # noqa: S608 - of names of columns alone
_INSERT_PART = "INSERT OR IGNORE INTO part (digest, run, data) VALUES (?, ?, ?)"
# The place of a new checkpoint: its run if it is known, its sequence, whether its id is
# taken, whether its parent is there, the head of its branch, and which removal was the
# last. The head is searched from the newest row of the run backwards, because a run
# that goes on does so from there.
_PLACE = """
    SELECT
        (SELECT id FROM run WHERE run_id = ?1),
        1 + max((SELECT coalesce(max(sequence), 0) FROM checkpoint),
                (SELECT coalesce(max(sequence), 0) FROM deleted)),
        EXISTS (SELECT 1 FROM checkpoint WHERE id = ?2),
        ?3 IS NULL OR EXISTS (SELECT 1 FROM checkpoint WHERE id = ?3),
        (SELECT CASE typeof(id) WHEN 'null' THEN '' ELSE id END FROM checkpoint  -- a row without an id is a head too
         WHERE run = (SELECT id FROM run WHERE run_id = ?1) AND branch = (SELECT id FROM word WHERE text = ?4)
         ORDER BY sequence DESC LIMIT 1),
        (SELECT max(rowid) FROM deleted)
"""
# A number that changes when another connection writes. In a transaction that writes
# itself, an unchanged number means that nobody else has written:
# https://www.sqlite.org/pragma.html#pragma_data_version
_VERSION = "PRAGMA data_version"
# More runs than anybody writes to at once over one connection.
_MAX_RUNS = 32


@dataclass(slots=True)
class _Last:
    """The checkpoint of a run that was saved last, by its manifest.

    base           the whole manifest from which those of the run are differences
    base_sequence  the sequence of its row
    head           branch and id, while that checkpoint is known to be the head of its branch
    """

    run: int
    manifest: Manifest
    base: Base
    base_sequence: int
    head: tuple[str, str] | None


class Database(Reader):
    """One connection that writes, with what it remembers: the words, and the last
    checkpoint of each run.
    """

    def __init__(self, db: sqlite3.Connection, file_format: int = FORMAT) -> None:
        super().__init__(db, file_format)
        self._words: dict[str, int] = {}
        self._lasts: dict[str, _Last] = {}
        # Of the file when it was last read. Like `_Last.head` they hold until another
        # connection writes.
        self._version = 0
        self._sequence = 0
        # The last removal before what is remembered was saved.
        self._removal: int | None = None

    def save(self, record: Record, parts: Mapping[str, bytes]) -> CheckpointHeader:
        with self._transaction():
            return self._save(record.header, tuple(record.manifest), parts)

    def _save(
        self, header: CheckpointHeader, manifest: Manifest, parts: Mapping[str, bytes]
    ) -> CheckpointHeader:
        run = self._place(header)
        sequence = self._sequence = self._sequence + 1
        head = (header.branch, header.id)
        last = self._lasts.get(header.run_id)
        fresh = manifest if last is None else manifests.others(manifest, last.manifest)
        common.check_texts(*[part.name for part in fresh])
        data = None if last is None else last.base.difference(manifest, len(fresh))
        if last is not None and data is not None:
            self._insert(sequence, header, run, last.base_sequence, data)
            last.manifest = manifest
            last.head = head
        else:
            data = manifests.to_bytes(manifest)
            self._insert(sequence, header, run, None, data)
            self._remember(
                header.run_id,
                _Last(run, manifest, Base(manifest, len(data)), sequence, head),
            )
        self._put_parts(header.id, run, fresh, parts)
        return with_sequence(header, sequence)

    def _remember(self, run_id: str, last: _Last) -> None:
        self._lasts[run_id] = last
        if len(self._lasts) > _MAX_RUNS:
            del self._lasts[next(iter(self._lasts))]

    def _transaction(self) -> _Transaction:
        return _Transaction(self, self._db)

    def forget(self) -> None:
        """Forget everything, because it may have been written in a transaction that was
        undone.
        """
        self._lasts.clear()
        self._words.clear()
        self._texts.clear()

    def _forget_heads(self) -> None:
        for last in self._lasts.values():
            last.head = None

    def _place(self, header: CheckpointHeader) -> int:
        """Return the number of the run of a new checkpoint, and make the run if it is
        new.

        Nothing is asked while nobody else writes to the file and the checkpoint follows
        the one before it. An id that is taken is found when the row is written.
        """
        version: int = self._db.execute(_VERSION).fetchone()[0]
        if version != self._version:
            self._forget_heads()
            self._version = version
        last = self._lasts.get(header.run_id)
        if last is not None and last.head == (header.branch, header.parent):
            return last.run
        return self._asked_place(header)

    def _asked_place(self, header: CheckpointHeader) -> int:
        db = self._db
        values = (header.run_id, header.id, header.parent, header.branch)
        run, sequence, taken, parent, head, removal = db.execute(
            _PLACE, values
        ).fetchone()
        if taken:
            raise common.id_taken(header.id)
        if not parent:
            raise common.parent_unknown(header.id, str(header.parent))
        common.check_head(header, head)
        if removal != self._removal:
            # Because a base, or parts of the manifest that was saved last, may be gone.
            self._lasts.clear()
            self._removal = removal
        self._sequence = sequence - 1
        if run is None:
            run = db.execute(
                "INSERT INTO run (run_id) VALUES (?)", (header.run_id,)
            ).lastrowid
        return int(run)

    def _put_parts(
        self,
        checkpoint_id: str,
        run: int,
        parts: Iterable[Part],
        contents: Mapping[str, bytes],
    ) -> None:
        """Write the parts that are new, and note for the others that this run uses
        them.
        """
        db = self._db
        missing = []
        keys = {part.digest: common.key_of(part.digest) for part in parts}
        rows = [
            (key, run, contents[digest])
            for digest, key in keys.items()
            if digest in contents
        ]
        if db.executemany(_INSERT_PART, rows).rowcount == len(keys):
            return  # all are new, as nearly always
        for digest, key in keys.items():
            row = db.execute(
                "SELECT id, run FROM part WHERE digest = ?", (key,)
            ).fetchone()
            if row is None:
                missing.append(digest)
            elif row[1] != run:
                db.execute(
                    "INSERT OR IGNORE INTO share (part, run) VALUES (?, ?)",
                    (row[0], run),
                )
        if missing:
            raise PartsMissingError(checkpoint_id, missing)

    def _insert(
        self,
        sequence: int,
        header: CheckpointHeader,
        run: int,
        base: int | None,
        data: bytes,
    ) -> None:
        row = to_row(header)
        row[SEQUENCE_PLACE] = sequence
        row[RUN_PLACE] = run
        words = self._numbers([row[place] for place in WORD_PLACES])
        for place, number in zip(WORD_PLACES, words, strict=True):
            row[place] = number
        values = (*row, base, len(data), seal_of(header, base, data), data)
        try:
            self._db.execute(_INSERT, values)
        except sqlite3.IntegrityError as error:
            if error.sqlite_errorname != "SQLITE_CONSTRAINT_UNIQUE":
                raise
            raise common.id_taken(header.id) from None

    def annotate(
        self, checkpoint_id: str, tags: Sequence[str] | None, note: str | None
    ) -> CheckpointHeader:
        with self._transaction() as db:
            sequence = self.load(checkpoint_id).header.sequence
            if tags is not None:
                db.execute(
                    "UPDATE checkpoint SET tags = ? WHERE sequence = ?",
                    (json.dumps(list(tags)), sequence),
                )
            if note is not None:
                db.execute(
                    "UPDATE checkpoint SET note = ? WHERE sequence = ?",
                    (note, sequence),
                )
            return self._header(self._one(self._queries.by_sequence, sequence))

    def delete(self, checkpoint_ids: Sequence[str]) -> int:
        with self._transaction() as db:
            self._forget_heads()
            return removal.remove(self, db, checkpoint_ids)

    def delete_run(self, run_id: str) -> int:
        with self._transaction() as db:
            self._forget_heads()
            return removal.remove_run(db, run_id)

    # --- words ---

    def _numbers(self, texts: Sequence[str]) -> list[int]:
        words = self._words
        try:
            return [words[text] for text in texts]
        except KeyError:
            return [self._number(text) for text in texts]

    def _number(self, text: str) -> int:
        number = self._words.get(text)
        if number is None:
            db = self._db
            db.execute("INSERT OR IGNORE INTO word (text) VALUES (?)", (text,))
            number = int(
                db.execute("SELECT id FROM word WHERE text = ?", (text,)).fetchone()[0]
            )
            self._words[text] = number
        return number


class _Transaction:
    """A transaction that begins as a writer, because one that becomes a writer later
    may wait in the middle.
    """

    __slots__ = ("_database", "_db")

    def __init__(self, database: Database, db: sqlite3.Connection) -> None:
        self._database = database
        self._db = db

    def __enter__(self) -> sqlite3.Connection:
        self._db.execute("BEGIN IMMEDIATE")
        return self._db

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is not None:
            self._undo()
            return
        try:
            self._db.execute("COMMIT")
        except BaseException:
            self._undo()
            raise

    def _undo(self) -> None:
        self._database.forget()
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")
