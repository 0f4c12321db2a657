"""What is done to a store file over one connection; everything here blocks."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import orjson

from runtime.checkpoint import Cause, CheckpointHeader, Part, Record, RunSummary, digest_of
from runtime.errors import CheckpointDamagedError, CheckpointNotFoundError, CheckpointStoreError, PartsMissingError
from runtime.stores import common
from runtime.stores.sqlite import manifest as manifests
from runtime.stores.sqlite.manifest import Manifest

_HEADERS = """
    SELECT checkpoint.sequence, checkpoint.id, run.run_id, workflow, superstep, cause, parent, branch, signature, time,
        format, status, queued, buffered, requests, stalled, size, new_size, tags, note,
        typeof(manifest) = 'blob' AND length(manifest) = length
    FROM checkpoint LEFT JOIN run ON run.id = checkpoint.run
"""
_BY_ID = f"{_HEADERS} WHERE checkpoint.id = ?"
_BY_SEQUENCE = f"{_HEADERS} WHERE sequence = ?"
_CONDITIONS = {
    "after": "sequence > :after",
    "run_id": "checkpoint.run = (SELECT id FROM run WHERE run_id = :run_id)",
    "branch": "branch = (SELECT id FROM word WHERE text = :branch)",
    "workflow": "workflow = (SELECT id FROM word WHERE text = :workflow)",
}
_INSERT = """
    INSERT INTO checkpoint (sequence, id, run, workflow, superstep, cause, parent, branch, signature, time, format,
        status, queued, buffered, requests, stalled, size, new_size, tags, note, base, length, seal, manifest)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_PART = "INSERT OR IGNORE INTO part (digest, run, data) VALUES (?, ?, ?)"
# Where a new checkpoint stands: its run if known, its sequence, whether its id is taken, whether its parent is there,
# and the head of its branch. That is looked for from the newest of the run backwards: a run that goes on is at it.
_PLACE = """
    SELECT
        (SELECT id FROM run WHERE run_id = ?1),
        1 + max((SELECT coalesce(max(sequence), 0) FROM checkpoint),
                (SELECT coalesce(max(sequence), 0) FROM deleted)),
        EXISTS (SELECT 1 FROM checkpoint WHERE id = ?2),
        ?3 IS NULL OR EXISTS (SELECT 1 FROM checkpoint WHERE id = ?3),
        (SELECT id FROM checkpoint
         WHERE run = (SELECT id FROM run WHERE run_id = ?1) AND branch = (SELECT id FROM word WHERE text = ?4)
         ORDER BY sequence DESC LIMIT 1)
"""
_DELETE_PARTS = (
    "DELETE FROM share WHERE run = ?1",
    # Parts that other runs use go to one of them.
    """UPDATE part SET run = (SELECT min(run) FROM share WHERE part = part.id)
       WHERE run = ?1 AND EXISTS (SELECT 1 FROM share WHERE part = part.id)""",
    "DELETE FROM part WHERE run = ?1",
    "DELETE FROM run WHERE id = ?1",
)
_CAUSES = {cause.value: cause for cause in Cause}
_MANY = 500  # bound values of one query; SQLite takes 32,766 at most
# More runs than anybody writes to at once over one connection.
_MAX_BASES = 32


@dataclass(slots=True)
class _Base:
    """The whole manifest that later ones of the run are differences to, and the last manifest that was saved."""

    sequence: int
    manifest: Manifest
    size: int
    last: Manifest
    surplus: int = 0  # entries that were written only because the base has grown old
    positions: dict[Part, int] = field(init=False)

    def __post_init__(self) -> None:
        self.positions = {part: position for position, part in enumerate(self.manifest)}

    def difference(self, manifest: Manifest, fresh: int) -> bytes | None:
        """The bytes of a manifest as a difference, or None when it is time for a whole one.

        `fresh` is how many of its entries the last manifest did not have. A base is given up when the entries repeated
        because of it would make up a whole manifest: then neither wholes nor repetitions cost more than twice what they
        must.
        """
        data, entries = manifests.difference(self.manifest, self.positions, manifest)
        self.surplus += max(0, entries - fresh)
        return None if self.surplus > len(manifest) or len(data) * 4 > self.size * 3 else data


class Database:
    """One connection to a store file, with what it remembers: the words, and the bases of the runs it wrote to."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._words: dict[str, int] = {}
        self._texts: dict[int, str] = {}
        self._bases: dict[int, _Base] = {}

    def close(self) -> None:
        self._db.close()

    # --- reading ---

    def load(self, checkpoint_id: str) -> Record:
        row = self._one(_BY_ID, checkpoint_id)
        if row is None:
            raise CheckpointNotFoundError(checkpoint_id)
        header = self._header(row)
        if header.damaged:
            raise CheckpointDamagedError(checkpoint_id, header.damaged)
        try:
            return Record(header, self._manifest(header))
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
            raise CheckpointDamagedError(checkpoint_id, f"its list of parts cannot be read ({error})") from None

    def _manifest(self, header: CheckpointHeader) -> Manifest:
        base, seal, data = self._db.execute(
            "SELECT base, seal, manifest FROM checkpoint WHERE sequence = ?", (header.sequence,)
        ).fetchone()
        if _seal(header, base, data) != seal:
            raise ValueError("it is not what was saved")
        if base is None:
            return manifests.from_bytes(data)
        row = self._one(_BY_SEQUENCE, base)
        if row is None or base >= header.sequence:
            raise LookupError("the record it builds on is missing")
        return manifests.from_bytes(data, self._manifest(self._header(row)))

    def parts(self, digests: Sequence[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for start in range(0, len(digests), _MANY):
            wanted = [_key(digest) for digest in digests[start : start + _MANY]]
            marks = ", ".join("?" * len(wanted))
            query = f"SELECT digest, data FROM part WHERE digest IN ({marks})"  # noqa: S608 - marks only
            found.update((digest.hex(), data) for digest, data in self._db.execute(query, wanted))
        for digest in digests:
            data = found.get(digest)
            if type(data) is not bytes or digest_of(data) != digest:
                raise CheckpointDamagedError("", f"part {digest} is {'missing' if data is None else 'not intact'}")
        return found

    def headers(
        self, *, run_id: str | None, workflow: str | None, after: int, limit: int | None
    ) -> list[CheckpointHeader]:
        where = _where(after=after, run_id=run_id, workflow=workflow)
        query = f"{_HEADERS}{where} ORDER BY sequence LIMIT :limit"
        values = {
            "after": min(after, common.MAX_INTEGER),
            "run_id": run_id,
            "workflow": workflow,
            "limit": -1 if limit is None else limit,
        }
        return [self._header(row) for row in self._all(query, values)]

    def latest(self, *, run_id: str | None, branch: str | None, workflow: str | None) -> CheckpointHeader | None:
        where = _where(run_id=run_id, branch=branch, workflow=workflow)
        values = {"run_id": run_id, "branch": branch, "workflow": workflow}
        rows = self._all(f"{_HEADERS}{where} ORDER BY sequence DESC LIMIT 1", values)
        return self._header(rows[0]) if rows else None

    def runs(self) -> list[RunSummary]:
        groups = self._db.execute(
            "SELECT count(*), count(DISTINCT branch), max(sequence) FROM checkpoint GROUP BY run ORDER BY 3 DESC"
        ).fetchall()
        out = []
        for checkpoints, branches, sequence in groups:
            latest = self._header(self._one(_BY_SEQUENCE, sequence))
            out.append(RunSummary(latest.run_id, latest.workflow, checkpoints, branches, latest))
        return out

    def _one(self, query: str, value: Any) -> Any:
        rows = self._all(query, (value,))
        return rows[0] if rows else None

    def _all(self, query: str, values: Any) -> list[Any]:
        try:
            return self._db.execute(query, values).fetchall()
        except UnicodeEncodeError:
            return []  # a lone surrogate, which nothing in a store has

    def _header(self, row: Any) -> CheckpointHeader:
        try:
            return _made(row, self._texts)
        except (ValueError, TypeError, LookupError):
            # Perhaps only a word that another process has added.
            self._texts = dict(self._db.execute("SELECT id, text FROM word"))
        try:
            return _made(row, self._texts)
        except (ValueError, TypeError, LookupError) as error:
            reason = f"its header cannot be read ({error})"
            return CheckpointHeader(str(row[1]), row[2] or "", "", 0, Cause.SUPERSTEP, sequence=row[0], damaged=reason)

    # --- writing ---

    def save(self, record: Record, given: Mapping[str, bytes]) -> CheckpointHeader:
        with self._transaction():
            return self._save(record.header, tuple(record.manifest), given)

    def _save(self, header: CheckpointHeader, manifest: Manifest, given: Mapping[str, bytes]) -> CheckpointHeader:
        run, sequence = self._place(header)
        # A run that was deleted and made again has a new number, so a base that is remembered is there.
        base = self._bases.get(run)
        fresh = manifest if base is None else manifests.others(manifest, base.last)
        common.check_texts(*[part.name for part in fresh])
        self._put_parts(header.id, run, fresh, given)
        data = None if base is None else base.difference(manifest, len(fresh))
        if base is not None and data is not None:
            self._insert(sequence, header, run, base.sequence, data)
            base.last = manifest
        else:
            data = manifests.to_bytes(manifest)
            self._insert(sequence, header, run, None, data)
            self._remember(run, _Base(sequence, manifest, len(data), manifest))
        return common.with_sequence(header, sequence)

    def _remember(self, run: int, base: _Base) -> None:
        self._bases[run] = base
        if len(self._bases) > _MAX_BASES:
            del self._bases[next(iter(self._bases))]

    def _place(self, header: CheckpointHeader) -> tuple[int, int]:
        """The run, made if it is new, and the sequence. Asked each time, since other processes write too."""
        db = self._db
        values = (header.run_id, header.id, header.parent, header.branch)
        run, sequence, taken, parent, head = db.execute(_PLACE, values).fetchone()
        if taken:
            raise common.id_taken(header.id)
        if not parent:
            raise common.parent_unknown(header.id, str(header.parent))
        common.check_head(header, head)
        if run is None:
            run = db.execute("INSERT INTO run (run_id) VALUES (?)", (header.run_id,)).lastrowid
        return int(run), int(sequence)

    def _put_parts(self, checkpoint_id: str, run: int, parts: Iterable[Part], given: Mapping[str, bytes]) -> None:
        """Keep the parts that are given and new, and note for the others that this run uses them."""
        db = self._db
        missing = []
        for digest in dict.fromkeys([part.digest for part in parts]):
            key = _key(digest)
            if digest in given and db.execute(_INSERT_PART, (key, run, given[digest])).rowcount:
                continue
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
            json.dumps(h.tags) if h.tags else None, h.note or None, base, len(data), _seal(h, base, data), data,
        )  # fmt: skip
        self._db.execute(_INSERT, values)

    def annotate(self, checkpoint_id: str, tags: Sequence[str] | None, note: str | None) -> CheckpointHeader:
        with self._transaction() as db:
            row = self._one(_BY_ID, checkpoint_id)
            if row is None:
                raise CheckpointNotFoundError(checkpoint_id)
            sequence = row[0]
            if tags is not None:
                db.execute("UPDATE checkpoint SET tags = ? WHERE sequence = ?", (json.dumps(list(tags)), sequence))
            if note is not None:
                db.execute("UPDATE checkpoint SET note = ? WHERE sequence = ?", (note, sequence))
            return self._header(self._one(_BY_SEQUENCE, sequence))

    def delete_run(self, run_id: str) -> int:
        with self._transaction() as db:
            row = self._one("SELECT id FROM run WHERE run_id = ?", run_id)
            if row is None:
                return 0
            db.execute("INSERT INTO deleted SELECT max(sequence) FROM checkpoint")
            number = db.execute("DELETE FROM checkpoint WHERE run = ?", row).rowcount
            for statement in _DELETE_PARTS:
                db.execute(statement, row)
        self._bases.pop(row[0], None)
        return number

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
            self._bases.clear()
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


def _made(row: Any, texts: Mapping[int, str]) -> CheckpointHeader:
    """The header of a row. By position: a timeline asks for thousands."""
    (sequence, checkpoint_id, run_id, workflow, superstep, cause, parent, branch, signature, time, format_, status,
     queued, buffered, requests, stalled, size, new_size, tags, note, whole) = row  # fmt: skip
    if run_id is None:
        raise LookupError("its run")
    return CheckpointHeader(
        checkpoint_id, run_id, texts[workflow], superstep, _CAUSES[texts[cause]], parent, texts[branch], sequence,
        texts[signature], time, format_, texts[status], queued, buffered, requests, stalled, size, new_size,
        tuple(json.loads(tags)) if tags else (), note or "", "" if whole else "its list of parts is cut or empty",
    )  # fmt: skip


def _where(**filters: Any) -> str:
    """Constant text: which conditions there are, never their values."""
    used = [_CONDITIONS[name] for name, value in filters.items() if value is not None]
    return f"WHERE {' AND '.join(used)}" if used else ""


def _key(digest: str) -> bytes:
    try:
        return bytes.fromhex(digest)
    except ValueError:
        raise CheckpointStoreError(f"{digest!r} is no digest: use runtime.checkpoint.digest_of") from None


def _seal(header: CheckpointHeader, base: int | None, data: bytes) -> bytes:
    """Eight bytes that tell whether a row is still what was saved; tags and note may change."""
    h = header
    fields = orjson.dumps(
        [h.id, h.run_id, h.workflow, h.superstep, h.cause, h.parent, h.branch, h.signature, h.time, h.format, h.status,
         h.queued, h.buffered, h.requests, h.stalled, h.size, h.new_size, base]
    )  # fmt: skip
    return blake2b(fields + data, digest_size=8).digest()
