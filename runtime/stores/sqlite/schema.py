"""The tables of a store file, and the checks before any of them is touched.

A checkpoint is one row. Texts that repeat are in `word`, and the manifest is whole or a
difference from that of another row of the same run (`base`). A part belongs to the run
that brought it; `share` names the other runs that use it, so that a run can be deleted
without a count that could be wrong. `deleted` keeps sequence numbers from being used
again.

Every index is a page more that each save writes. So there is none for rare queries:
parts by run (to delete one), and checkpoints by workflow, whose newest one is near the
end.
"""

from __future__ import annotations

import sqlite3
import time

from runtime.errors import CheckpointStoreError
from runtime.stores.sqlite.columns import ADDED_COLUMNS, definition

# Bytes of a page in new files. A piece of a large part has up to 4 KB, which leaves no
# room for anything else in a page of 4 KB: a checkpoint that changes one piece takes
# 9.3 KB there and 7.2 KB here (`python -m tests.benchmarks --only w6k`). In pages of 1
# KB it takes 6.1 KB, but long states take a fifth more time to write and to read.
_PAGE = 2048
_APPLICATION = 0x53746570  # "Step": marks the file as ours

_TABLES = """
CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE run (id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL UNIQUE);
CREATE TABLE checkpoint (
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    run INTEGER NOT NULL,
    workflow INTEGER NOT NULL,
    superstep INTEGER NOT NULL,
    cause INTEGER NOT NULL,
    parent TEXT,
    branch INTEGER NOT NULL,
    signature INTEGER NOT NULL,
    time REAL NOT NULL,
    format INTEGER NOT NULL,
    status INTEGER NOT NULL,
    queued INTEGER NOT NULL,
    buffered INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    stalled INTEGER NOT NULL,
    size INTEGER NOT NULL,
    new_size INTEGER NOT NULL,
    tags TEXT,
    note TEXT,
    base INTEGER,
    length INTEGER NOT NULL,
    seal BLOB NOT NULL,
    manifest BLOB NOT NULL
);
CREATE INDEX checkpoint_run ON checkpoint (run, sequence, branch);
CREATE TABLE part (
    id INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    run INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE TABLE deleted (sequence INTEGER NOT NULL);
CREATE TABLE share (part INTEGER NOT NULL, run INTEGER NOT NULL, PRIMARY KEY (part, run)) WITHOUT ROWID;
"""

# The statements that lift a file by one format each, the first from nothing. What has
# been released is never changed: the columns of the first format are written out here,
# and each field that was added later is a step of its own.
STEPS: tuple[str, ...] = (
    _TABLES,
    *[
        f"ALTER TABLE checkpoint ADD COLUMN {definition(column)}"
        for column in ADDED_COLUMNS
    ],
)
FORMAT = len(STEPS)  # in the file's user_version

# In one query, because another process may make the tables between two.
_STATE = """
    SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version),
        (SELECT count(*) FROM sqlite_schema),
        (SELECT name FROM sqlite_schema AS entry WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%'
            OR EXISTS (SELECT 1 FROM pragma_table_xinfo(entry.name) WHERE hidden <> 0) LIMIT 1)
"""


def format_of(db: sqlite3.Connection, url: str) -> int:
    """Return the format of the tables in the file, 0 for an empty file.

    Raises `CheckpointStoreError` for a file that is not ours, or newer, or in which a
    query would run what somebody else wrote, because a view, a trigger, a virtual table
    or a computed column may take for ever.
    """
    application, version, entries, foreign = db.execute(_STATE).fetchone()
    if application == 0 and version == 0 and not entries:
        return 0
    if application != _APPLICATION:
        raise CheckpointStoreError(
            f"{url} is a database of another program. Choose another file."
        )
    if foreign is not None:
        raise CheckpointStoreError(
            f"{url} has '{foreign}' in it, which is no plain table of a store. Choose another file."
        )
    if version > FORMAT:
        raise CheckpointStoreError(
            f"{url} has format {version}, and this program knows formats up to {FORMAT}. "
            "Open it with a newer version of Stepwell; it was left untouched."
        )
    return int(version)


def prepare(db: sqlite3.Connection, url: str, patience: float) -> None:
    """Make the tables in an empty file, or lift those of an earlier format.

    Several processes may do so at once: the first does it.
    """
    file_format = format_of(db, url)
    if file_format == FORMAT:
        return
    if file_format == 0:
        db.execute(f"PRAGMA page_size = {_PAGE}")  # no effect once there is a table
        _switch_to_log(db, patience)
    db.execute("BEGIN IMMEDIATE")
    try:
        steps = STEPS[format_of(db, url) :]
        for step in steps:
            for statement in step.strip().split(";\n"):
                db.execute(statement)
        if steps:
            db.execute(f"PRAGMA application_id = {_APPLICATION}")
            db.execute(f"PRAGMA user_version = {FORMAT}")
        db.execute("COMMIT")
    except BaseException:
        # If SQLite has ended it already, a second error would hide the first.
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _switch_to_log(db: sqlite3.Connection, patience: float) -> None:
    """Switch to write-ahead mode. SQLite does not wait here if another process does the
    same, so this does.
    """
    deadline = time.monotonic() + patience
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if (
                error.sqlite_errorcode != sqlite3.SQLITE_BUSY
                or time.monotonic() > deadline
            ):
                raise
            time.sleep(0.01)
