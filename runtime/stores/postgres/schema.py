"""The tables of a store in PostgreSQL: how they are made and lifted to a newer format,
and which are refused.

Texts are kept as UTF-8 in `bytea`, because the text type of PostgreSQL holds no NUL and
depends on the encoding and the collation of the database. A text is searched by an
index of its SHA-256, because an index entry has 2,700 bytes at most.

A manifest is `steps` from a whole one, which is a part like all others and named by
`base`. So a checkpoint can be removed without the one after it, and a small difference
costs little. `used` says which runs use a part.

Every save changes `last_sequence`, and its row is the lock of the whole store: a save
takes its number and becomes visible before the next one gets a number. So a reader who
asks for all after a sequence misses none. The numbers of a SEQUENCE are given in one
order and become visible in another.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg import AsyncConnection, errors, sql

from runtime.errors import CheckpointStoreError
from runtime.stores.postgres.address import Address

_TABLES = """
CREATE TABLE store (format integer NOT NULL, last_sequence bigint NOT NULL);
INSERT INTO store VALUES (0, 0);
CREATE TABLE run (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run_id bytea NOT NULL);
CREATE UNIQUE INDEX run_by_id ON run (sha256(run_id));
CREATE TABLE line (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run bigint NOT NULL,
    branch bytea NOT NULL,
    head bigint NOT NULL
);
CREATE UNIQUE INDEX line_by_branch ON line (run, sha256(branch));
CREATE TABLE checkpoint (
    sequence bigint PRIMARY KEY,
    id bytea NOT NULL,
    run bigint NOT NULL,
    line bigint NOT NULL,
    workflow bytea NOT NULL,
    tags bytea[] NOT NULL,
    note bytea NOT NULL,
    header bytea NOT NULL,
    base bytea NOT NULL,
    steps bytea NOT NULL,
    seal bytea NOT NULL
);
CREATE UNIQUE INDEX checkpoint_by_id ON checkpoint (sha256(id));
CREATE INDEX checkpoint_by_run ON checkpoint (run, sequence);
CREATE TABLE part (digest bytea PRIMARY KEY, data bytea NOT NULL);
CREATE TABLE used (digest bytea, run bigint, PRIMARY KEY (digest, run));
"""

# One round trip and one transaction. All checks and writes come after the first
# statement, which takes the lock, and each statement sees the present state.
# `parent_at` is the sequence of the parent as the caller knows it, if the caller left
# out what the parent has. `given` are the new parts with their bytes, `relied` those
# that must be here already.
_SAVE = """
CREATE FUNCTION save(
    new_id bytea, run_text bytea, branch_text bytea, workflow_text bytea, new_tags bytea[], new_note bytea,
    new_header bytea, new_base bytea, new_steps bytea, new_seal bytea, parent_id bytea, parent_at bigint,
    relied bytea[], given bytea[], bytes_given bytea[],
    OUT outcome text, OUT new_sequence bigint, OUT detail bytea[]
) LANGUAGE plpgsql AS $$
DECLARE
    own_run bigint;
    own_line bigint;
    head_id bytea;
    found_at bigint;
BEGIN
    UPDATE store SET last_sequence = last_sequence + 1 RETURNING last_sequence INTO new_sequence;
    IF EXISTS (SELECT FROM checkpoint WHERE sha256(id) = sha256(new_id)) THEN
        outcome := 'taken';
        RETURN;
    END IF;
    IF parent_id IS NOT NULL THEN
        SELECT sequence INTO found_at FROM checkpoint WHERE sha256(id) = sha256(parent_id);
        IF found_at IS NULL THEN
            outcome := 'orphan';
            RETURN;
        END IF;
    END IF;
    SELECT number INTO own_run FROM run WHERE sha256(run_id) = sha256(run_text);
    SELECT number, id INTO own_line, head_id FROM line LEFT JOIN checkpoint ON sequence = head
        WHERE line.run = own_run AND sha256(branch) = sha256(branch_text);
    IF own_line IS NOT NULL AND head_id IS NULL THEN  -- somebody else removed its row
        SELECT id INTO head_id FROM checkpoint WHERE line = own_line ORDER BY sequence DESC LIMIT 1;
    END IF;
    IF head_id IS NOT NULL AND head_id IS DISTINCT FROM parent_id THEN
        outcome := 'moved';
        detail := ARRAY[head_id];
        RETURN;
    END IF;
    IF parent_at <> found_at THEN
        outcome := 'stale';
        RETURN;
    END IF;
    SELECT array_agg(wanted) INTO detail FROM unnest(relied) AS wanted
        WHERE NOT EXISTS (SELECT FROM part WHERE digest = wanted);
    IF detail IS NOT NULL THEN
        outcome := 'missing';
        RETURN;
    END IF;
    IF own_run IS NULL THEN
        INSERT INTO run (run_id) VALUES (run_text) RETURNING number INTO own_run;
    END IF;
    IF own_line IS NULL THEN
        INSERT INTO line (run, branch, head) VALUES (own_run, branch_text, new_sequence) RETURNING number INTO own_line;
    ELSE
        UPDATE line SET head = new_sequence WHERE number = own_line;
    END IF;
    INSERT INTO part SELECT * FROM unnest(given, bytes_given) ON CONFLICT DO NOTHING;
    INSERT INTO used SELECT wanted, own_run FROM unnest(relied || given) AS wanted ON CONFLICT DO NOTHING;
    INSERT INTO checkpoint VALUES (new_sequence, new_id, own_run, own_line, workflow_text, new_tags, new_note,
        new_header, new_base, new_steps, new_seal);
    outcome := 'saved';
END $$;
"""

# The statements that lift a store by one format each, the first from nothing. What has
# been released is never changed.
STEPS: tuple[str, ...] = (_TABLES + _SAVE,)

_LOCK = 0x5374657077656C6C  # "Stepwell": held while tables are made or changed
_PATIENCE = "30s"

_SESSION = """
SELECT set_config('search_path', %(path)s, false),
    -- Unless the URL or the server says something else: options=-c%%20lock_timeout%%3D1s
    CASE WHEN current_setting('lock_timeout') = '0' THEN set_config('lock_timeout', %(patience)s, false) END,
    set_config('default_transaction_isolation', 'read committed', false),
    set_config('default_transaction_read_only', %(read_only)s, false),
    -- A checkpoint is on the disk when `save` returns, whatever the server's default is.
    CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', false) END
"""
# Not by `to_regclass`, because it answers from a cache that may not have what another
# process has made.
_HAS_TABLES = """
SELECT EXISTS (
    SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = %s AND relname = 'store'
)
"""
_HAS_SCHEMA = "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = %s)"


async def prepare(
    connection: AsyncConnection[Any],
    address: Address,
    *,
    read_only: bool,
    steps: Sequence[str] = STEPS,
) -> None:
    """Make a fresh connection ready: its settings, and the tables in the newest format.

    Raise `CheckpointStoreError` for a format newer than `steps`, and, to read only, for
    a missing or older store.
    """
    path = sql.Identifier(address.schema).as_string(connection)
    values = {
        "path": path,
        "patience": _PATIENCE,
        "read_only": "on" if read_only else "off",
    }
    await connection.execute(_SESSION, values)
    try:
        stored_format = await _format(connection, address.schema)
        _check(stored_format, len(steps), address.url, read_only)
        if stored_format < len(steps):
            await _lift(connection, address, steps)
    except (
        errors.UndefinedColumn,
        errors.DuplicateTable,
        errors.DuplicateFunction,
        errors.WrongObjectType,
    ):
        raise CheckpointStoreError(
            f"The schema {address.schema} in {address.url} has tables of another program. "
            "Choose another one with ?schema=NAME; it was left untouched."
        ) from None


async def _lift(
    connection: AsyncConnection[Any], address: Address, steps: Sequence[str]
) -> None:
    """Make the tables or lift them to the newest format. Several processes may do so at
    once: the first does it. `CREATE … IF NOT EXISTS` alone fails in such a race.
    """
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        stored_format = await _format(connection, address.schema)
        _check(stored_format, len(steps), address.url, read_only=False)
        # Asked first, because IF NOT EXISTS requires the right to make schemas even if
        # it makes none.
        if not await _value(connection, _HAS_SCHEMA, address.schema):
            await connection.execute(
                sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(address.schema))
            )
        for step in steps[stored_format:]:
            await connection.execute(step.encode())
        await connection.execute("UPDATE store SET format = %s", (len(steps),))


def _check(stored_format: int, known: int, url: str, read_only: bool) -> None:
    if stored_format > known:
        raise CheckpointStoreError(
            f"{url} has format {stored_format}, and this program knows formats up to {known}. "
            "Open it with a newer version of Stepwell; it was left untouched."
        )
    if read_only and stored_format == 0:
        raise CheckpointStoreError(
            f"There is no store in {url}. It is made by the first run that is saved in it."
        )
    if read_only and stored_format < known:
        raise CheckpointStoreError(
            f"{url} has format {stored_format}, and this program reads format {known}. Open it once for writing "
            f"to lift it."
        )


async def _format(connection: AsyncConnection[Any], schema: str) -> int:
    """Return the format of the tables, 0 if there are none."""
    if not await _value(connection, _HAS_TABLES, schema):
        return 0
    return int(await _value(connection, "SELECT coalesce(max(format), 0) FROM store"))


async def _value(connection: AsyncConnection[Any], query: str, *values: Any) -> Any:
    row = await (await connection.execute(query.encode(), values)).fetchone()
    assert row is not None  # noqa: S101 - each of these queries has one row
    return row[0]
