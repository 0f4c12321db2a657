"""Removing checkpoints, with the parts that nothing else uses, inside one transaction
of the caller.

The first statement takes the lock that every save takes, so no save relies meanwhile on
a part that is removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

from runtime.checkpoint import Record
from runtime.errors import CheckpointDamagedError
from runtime.stores import common
from runtime.stores.postgres.link import Connection
from runtime.stores.postgres.rows import COLUMNS, JOINS, Entry, to_bytes

_LOCK = "SELECT FROM store FOR UPDATE"
# Locked as well, so that none is pinned between the check and the removal.
_WANTED = "SELECT sequence, run FROM checkpoint WHERE sha256(id) = ANY(%s::bytea[]) ORDER BY sequence FOR UPDATE"
_RUN = f"""
    SELECT {COLUMNS}, checkpoint.base, checkpoint.steps FROM checkpoint {JOINS}
    WHERE checkpoint.run = %s ORDER BY checkpoint.sequence
"""  # noqa: S608 - constant text
_BASES = "SELECT digest, data FROM part WHERE digest IN (SELECT base FROM checkpoint WHERE run = %s)"
_DELETE = "DELETE FROM checkpoint WHERE sequence = ANY(%s::bigint[])"
_DELETE_USES = "DELETE FROM used WHERE run = %s AND digest = ANY(%s::bytea[])"
_DELETE_PARTS = """
    DELETE FROM part WHERE digest = ANY(%s::bytea[]) AND NOT EXISTS (SELECT FROM used WHERE used.digest = part.digest)
"""
_RUN_NUMBER = "SELECT number FROM run WHERE sha256(run_id) = sha256(%s)"
_DELETE_RUN = (
    """DELETE FROM part WHERE digest IN (SELECT digest FROM used WHERE run = %(run)s)
       AND NOT EXISTS (SELECT FROM used WHERE used.digest = part.digest AND used.run <> %(run)s)""",
    "DELETE FROM used WHERE run = %(run)s",
    "DELETE FROM line WHERE run = %(run)s",
    "DELETE FROM run WHERE number = %(run)s",
)
_DELETE_OF_RUN = "DELETE FROM checkpoint WHERE run = %s"


async def delete(connection: Connection, checkpoint_ids: Sequence[str]) -> int:
    await connection.execute(_LOCK)
    keys = [
        sha256(to_bytes(checkpoint_id)).digest() for checkpoint_id in checkpoint_ids
    ]
    rows = await _all(connection, _WANTED, keys)
    sequences = {sequence for sequence, _ in rows}
    for run in dict.fromkeys(run for _, run in rows):
        entries = [Entry.of(row) for row in await _all(connection, _RUN, run)]
        common.check_removable([entry.header for entry in entries], sequences)
        bases = dict(await _all(connection, _BASES, run))
        unused = _unused(entries, sequences, bases)
        await connection.execute(_DELETE_USES, (run, unused))
        await connection.execute(_DELETE_PARTS, (unused,))
    await connection.execute(_DELETE, (list(sequences),))
    return len(sequences)


async def delete_run(connection: Connection, run_id: str) -> int:
    await connection.execute(_LOCK)
    rows = await _all(connection, _RUN_NUMBER, to_bytes(run_id))
    if not rows:
        return 0
    run = rows[0][0]
    for statement in _DELETE_RUN:
        await connection.execute(statement.encode(), {"run": run})
    return (await connection.execute(_DELETE_OF_RUN, (run,))).rowcount


def _unused(
    entries: Iterable[Entry], removed_sequences: set[int], bases: dict[bytes, bytes]
) -> list[bytes]:
    """Return the parts that the removed checkpoints of a run use and its other
    checkpoints do not.
    """
    digests_removed: set[bytes] = set()
    digests_kept: set[bytes] = set()
    unreadable = False
    for entry in entries:
        if entry.header.sequence in removed_sequences:
            digests_removed |= _used(entry, entry.record(bases))
            continue
        try:
            digests_kept |= _used(entry, entry.record(bases))
        except CheckpointDamagedError:
            unreadable = True
    # The parts of a damaged record are not known, so everything stays until the run is
    # deleted.
    return [] if unreadable else list(digests_removed - digests_kept)


def _used(entry: Entry, record: Record) -> set[bytes]:
    return {entry.base, *(common.key_of(part.digest) for part in record.manifest)}


async def _all(connection: Connection, query: str, value: Any) -> list[tuple[Any, ...]]:
    cursor = connection.cursor(binary=True)
    return await (await cursor.execute(query.encode(), (value,))).fetchall()
