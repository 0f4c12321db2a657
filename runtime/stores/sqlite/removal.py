"""Removing checkpoints from a store file, inside a transaction of the caller.

The rest stays whole: a manifest that was a difference from a removed one is written
again, and a part is removed when neither its own run nor another one uses it. Only
manifests say which parts a run uses. So while one manifest of a run cannot be read, the
parts of that run stay, until the run is deleted.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from runtime.checkpoint import CheckpointHeader, Record
from runtime.errors import CheckpointDamagedError, CheckpointKeptError
from runtime.stores import common
from runtime.stores import manifest as manifests
from runtime.stores.manifest import Manifest
from runtime.stores.sqlite.reader import Reader, seal_of

Bases = dict[int, Manifest]

# Notes the highest sequence that was ever given. The new row also says that something
# was removed.
_NOTE = (
    """INSERT INTO deleted SELECT max(sequence)
       FROM (SELECT sequence FROM deleted UNION ALL SELECT max(sequence) FROM checkpoint)""",
    "DELETE FROM deleted WHERE rowid < (SELECT max(rowid) FROM deleted)",
)
_REMOVE_PARTS = (
    "DELETE FROM share WHERE run = ?1",
    # Parts that other runs use are handed to one of them.
    """UPDATE part SET run = (SELECT min(run) FROM share WHERE part = part.id)
       WHERE run = ?1 AND EXISTS (SELECT 1 FROM share WHERE part = part.id)""",
    "DELETE FROM part WHERE run = ?1",
    "DELETE FROM run WHERE id = ?1",
)
_REMOVE_PART = (
    "DELETE FROM share WHERE run = ?1 AND part = (SELECT id FROM part WHERE digest = ?2)",
    """UPDATE part SET run = (SELECT min(run) FROM share WHERE part = part.id)
       WHERE digest = ?2 AND run = ?1 AND EXISTS (SELECT 1 FROM share WHERE part = part.id)""",
    "DELETE FROM part WHERE digest = ?2 AND run = ?1",
)


def remove_run(db: sqlite3.Connection, run_id: str) -> int:
    run = _run_of(db, run_id)
    if run is None:
        return 0
    _note(db)
    number = db.execute("DELETE FROM checkpoint WHERE run = ?", (run,)).rowcount
    for statement in _REMOVE_PARTS:
        db.execute(statement, (run,))
    return number


def remove(
    reader: Reader, db: sqlite3.Connection, checkpoint_ids: Sequence[str]
) -> int:
    """Remove checkpoints, as `CheckpointStore.delete` says."""
    bases: Bases = {}
    records = [
        reader.record(header, bases)
        for key in checkpoint_ids
        if (header := reader.find(key))
    ]
    for run_id in dict.fromkeys(record.header.run_id for record in records):
        headers = reader.headers(
            run_id=run_id, workflow=None, branch=None, tag=None, after=0, limit=None
        )
        removed = {
            record.header.sequence: record
            for record in records
            if record.header.run_id == run_id
        }
        common.check_removable(headers, removed)
        run = _run_of(db, run_id)
        used = _detach(
            reader,
            db,
            run,
            [header for header in headers if header.sequence not in removed],
            removed,
            bases,
        )
        _note(db)
        db.executemany(
            "DELETE FROM checkpoint WHERE sequence = ?",
            [(sequence,) for sequence in removed],
        )
        if used is not None:
            unused = {
                part.digest for record in removed.values() for part in record.manifest
            } - used
            for statement in _REMOVE_PART:
                db.executemany(
                    statement, [(run, common.key_of(digest)) for digest in unused]
                )
    return len(records)


def _detach(
    reader: Reader,
    db: sqlite3.Connection,
    run: int | None,
    remaining: Iterable[CheckpointHeader],
    removed: Mapping[int, Record],
    bases: Bases,
) -> set[str] | None:
    """Make the remaining checkpoints independent of those that are removed. Return the
    parts that they use, or None if one of them cannot tell.
    """
    base_of = dict(
        db.execute("SELECT sequence, base FROM checkpoint WHERE run = ?", (run,))
    )
    used: set[str] = set()
    all_tell = True
    orphans: dict[int, list[Record]] = {}
    for header in remaining:
        base = base_of.get(
            header.sequence, -1
        )  # because a row that lost its run is listed too
        try:
            record = reader.record(header, bases)
        except CheckpointDamagedError:
            if base in removed:
                reason = f"checkpoint {header.id}, which is damaged, is kept as what differs from it"
                raise CheckpointKeptError(removed[base].header.id, reason) from None
            all_tell = False
            continue
        used.update([part.digest for part in record.manifest])
        if base in removed:
            orphans.setdefault(base, []).append(record)
    for group in orphans.values():
        _rebase(db, group)
    return used if all_tell else None


def _rebase(db: sqlite3.Connection, orphans: Sequence[Record]) -> None:
    """Make the first manifest whole and the others differences from it, or whole where
    a difference is not much smaller.
    """
    first = orphans[0]
    first_data = manifests.to_bytes(first.manifest)
    _rewrite(db, first.header, None, first_data)
    positions = {part: position for position, part in enumerate(first.manifest)}
    for header, manifest in [
        (record.header, record.manifest) for record in orphans[1:]
    ]:
        data, _ = manifests.difference(first.manifest, positions, manifest)
        if len(data) * 4 > len(first_data) * 3:
            _rewrite(db, header, None, manifests.to_bytes(manifest))
        else:
            _rewrite(db, header, first.header.sequence, data)


def _rewrite(
    db: sqlite3.Connection, header: CheckpointHeader, base: int | None, data: bytes
) -> None:
    values = (base, len(data), seal_of(header, base, data), data, header.sequence)
    db.execute(
        "UPDATE checkpoint SET base = ?, length = ?, seal = ?, manifest = ? WHERE sequence = ?",
        values,
    )


def _note(db: sqlite3.Connection) -> None:
    for statement in _NOTE:
        db.execute(statement)


def _run_of(db: sqlite3.Connection, run_id: str) -> int | None:
    try:
        row = db.execute("SELECT id FROM run WHERE run_id = ?", (run_id,)).fetchone()
    except UnicodeEncodeError:
        return None  # a lone surrogate, which no text in a store has
    return None if row is None else int(row[0])
