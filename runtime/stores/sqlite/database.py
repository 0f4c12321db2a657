"""What is changed in a store file over one connection; everything here blocks."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from runtime.checkpoint import CheckpointHeader, Part, Record
from runtime.errors import PartsMissingError
from runtime.stores import common
from runtime.stores import manifest as manifests
from runtime.stores.manifest import Base, Manifest
from runtime.stores.sqlite import removing
from runtime.stores.sqlite.reader import BY_SEQUENCE, Reader, seal_of

_INSERT = """
    INSERT INTO checkpoint (sequence, id, run, workflow, superstep, cause, parent, branch, signature, time, format,
        status, queued, buffered, requests, stalled, size, new_size, tags, note, base, length, seal, manifest)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_PART = "INSERT OR IGNORE INTO part (digest, run, data) VALUES (?, ?, ?)"
# Where a new checkpoint stands: its run if known, its sequence, whether its id is taken, whether its parent is there,
# the head of its branch, and which removal was the last. The head is looked for from the newest of the run backwards: a
# run that goes on is at it.
_PLACE = """
    SELECT
        (SELECT id FROM run WHERE run_id = ?1),
        1 + max((SELECT coalesce(max(sequence), 0) FROM checkpoint),
                (SELECT coalesce(max(sequence), 0) FROM deleted)),
        EXISTS (SELECT 1 FROM checkpoint WHERE id = ?2),
        ?3 IS NULL OR EXISTS (SELECT 1 FROM checkpoint WHERE id = ?3),
        (SELECT id FROM checkpoint
         WHERE run = (SELECT id FROM run WHERE run_id = ?1) AND branch = (SELECT id FROM word WHERE text = ?4)
         ORDER BY sequence DESC LIMIT 1),
        (SELECT max(rowid) FROM deleted)
"""
# More runs than anybody writes to at once over one connection.
_MAX_RUNS = 32


@dataclass(slots=True)
class _Last:
    """The manifest of a run that was saved last, and the row that has the whole one which it differs from."""

    sequence: int
    base: Base
    manifest: Manifest


class Database(Reader):
    """One connection that writes, with what it remembers: the words, and the last manifests of the runs it wrote to."""

    def __init__(self, db: sqlite3.Connection) -> None:
        super().__init__(db)
        self._words: dict[str, int] = {}
        self._lasts: dict[int, _Last] = {}
        self._removal: int | None = None  # the last one that what is remembered knows of

    def save(self, record: Record, given: Mapping[str, bytes]) -> CheckpointHeader:
        with self._transaction():
            return self._save(record.header, tuple(record.manifest), given)

    def _save(self, header: CheckpointHeader, manifest: Manifest, given: Mapping[str, bytes]) -> CheckpointHeader:
        run, sequence = self._place(header)
        last = self._lasts.get(run)
        fresh = manifest if last is None else manifests.others(manifest, last.manifest)
        common.check_texts(*[part.name for part in fresh])
        self._put_parts(header.id, run, fresh, given)
        data = None if last is None else last.base.difference(manifest, len(fresh))
        if last is not None and data is not None:
            self._insert(sequence, header, run, last.sequence, data)
            last.manifest = manifest
        else:
            data = manifests.to_bytes(manifest)
            self._insert(sequence, header, run, None, data)
            self._remember(run, _Last(sequence, Base(manifest, len(data)), manifest))
        return common.with_sequence(header, sequence)

    def _remember(self, run: int, last: _Last) -> None:
        self._lasts[run] = last
        if len(self._lasts) > _MAX_RUNS:
            del self._lasts[next(iter(self._lasts))]

    def _place(self, header: CheckpointHeader) -> tuple[int, int]:
        """The run, made if it is new, and the sequence. Asked each time, since other processes write too."""
        db = self._db
        values = (header.run_id, header.id, header.parent, header.branch)
        run, sequence, taken, parent, head, removal = db.execute(_PLACE, values).fetchone()
        if taken:
            raise common.id_taken(header.id)
        if not parent:
            raise common.parent_unknown(header.id, str(header.parent))
        common.check_head(header, head)
        if removal != self._removal:
            # A base, or parts of the manifest that was saved last, may be gone.
            self._lasts.clear()
            self._removal = removal
        if run is None:
            run = db.execute("INSERT INTO run (run_id) VALUES (?)", (header.run_id,)).lastrowid
        return int(run), int(sequence)

    def _put_parts(self, checkpoint_id: str, run: int, parts: Iterable[Part], given: Mapping[str, bytes]) -> None:
        """Keep the parts that are given and new, and note for the others that this run uses them."""
        db = self._db
        missing = []
        keys = {part.digest: common.key_of(part.digest) for part in parts}
        rows = [(key, run, given[digest]) for digest, key in keys.items() if digest in given]
        if db.executemany(_INSERT_PART, rows).rowcount == len(keys):
            return  # all are given and new, as nearly always
        for digest, key in keys.items():
            row = db.execute("SELECT id, run FROM part WHERE digest = ?", (key,)).fetchone()
            if row is None:
                missing.append(digest)
            elif row[1] != run:
                db.execute("INSERT OR IGNORE INTO share (part, run) VALUES (?, ?)", (row[0], run))
        if missing:
            raise PartsMissingError(checkpoint_id, missing)

    def _insert(self, sequence: int, header: CheckpointHeader, run: int, base: int | None, data: bytes) -> None:
        word, h = self._word, header
        values = (
            sequence, h.id, run, word(h.workflow), h.superstep, word(h.cause.value), h.parent, word(h.branch),
            word(h.signature),
            h.time, h.format, word(h.status), h.queued, h.buffered, h.requests, h.stalled, h.size, h.new_size,
            json.dumps(h.tags) if h.tags else None, h.note or None, base, len(data), seal_of(h, base, data), data,
        )  # fmt: skip
        self._db.execute(_INSERT, values)

    def annotate(self, checkpoint_id: str, tags: Sequence[str] | None, note: str | None) -> CheckpointHeader:
        with self._transaction() as db:
            sequence = self.load(checkpoint_id).header.sequence
            if tags is not None:
                db.execute("UPDATE checkpoint SET tags = ? WHERE sequence = ?", (json.dumps(list(tags)), sequence))
            if note is not None:
                db.execute("UPDATE checkpoint SET note = ? WHERE sequence = ?", (note, sequence))
            return self._header(self._one(BY_SEQUENCE, sequence))

    def delete(self, checkpoint_ids: Sequence[str]) -> int:
        with self._transaction() as db:
            return removing.remove(self, db, checkpoint_ids)

    def delete_run(self, run_id: str) -> int:
        with self._transaction() as db:
            return removing.remove_run(db, run_id)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All of it or nothing. It begins as a writer, so that it never waits in the middle."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield self._db
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            # What was remembered may have been written in the transaction that is no more.
            self._lasts.clear()
            self._words.clear()
            self._texts.clear()
            raise

    # --- words ---

    def _word(self, text: str) -> int:
        number = self._words.get(text)
        if number is None:
            db = self._db
            db.execute("INSERT OR IGNORE INTO word (text) VALUES (?)", (text,))
            number = int(db.execute("SELECT id FROM word WHERE text = ?", (text,)).fetchone()[0])
            self._words[text] = number
        return number
