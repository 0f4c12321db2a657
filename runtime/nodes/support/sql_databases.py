"""One statement in a SQLite file or a PostgreSQL database, within limits of rows and
time.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import aclosing, closing
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from datetime import time as clock_time
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from runtime.concurrency.threads import in_thread
from runtime.errors import ExtraMissingError
from runtime.expressions.sql_parameters import Statement
from runtime.expressions.template import to_json

if TYPE_CHECKING:
    import sqlite3

_CHECK_EVERY = 5_000  # operations of SQLite's machine between two checks of the clock
_TIMED_OUT = "it took longer than {timeout:g} s. Make it cheaper, or allow more time"
_HINTS = {
    "readonly": "switch on 'Allow writes' to change the database",
    "unable to open": "check the path, and that its folder may be written",
    "locked": "another program uses it; allow more time",
    "inding": "write each value as :name, not as ? or @name",
    "Could not decode": "it holds bytes that are no text; take them as bytes with CAST(… AS BLOB)",
    "within a transaction": "a node's statement is a transaction of its own; do this with a program such as sqlite3",
    "too large to convert": "SQLite's numbers have 64 bits; send a larger one as text",
}
_MESSAGE_TYPES = (
    bool,
    int,
    float,
    str,
    bytes,
    Decimal,
    date,
    clock_time,
    datetime,
    timedelta,
    UUID,
)


class QueryError(Exception):
    """The error in words; the node adds the place."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """`timeout` in seconds, over all; `rows` may be fetched at most."""

    rows: int
    timeout: float
    writes: bool


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The rows by column, or None for a statement without rows; `changed` counts the
    changed rows.
    """

    rows: list[dict[str, Any]] | None
    changed: int


# --- SQLite -------------------------------------------------------------------------------------------------------


async def in_sqlite(
    path: Path, statement: Statement, values: Mapping[str, Any], bounds: Bounds
) -> QueryResult:
    """Run a statement in a SQLite file. Raise `QueryError`. A cancellation ends the
    statement and rolls it back.
    """
    stop = threading.Event()
    try:
        return await in_thread(_sqlite, path, statement, values, bounds, stop)
    except asyncio.CancelledError:
        stop.set()
        raise


def _sqlite(
    path: Path,
    statement: Statement,
    values: Mapping[str, Any],
    bounds: Bounds,
    stop: threading.Event,
) -> QueryResult:
    import sqlite3

    if not bounds.writes and not path.is_file():
        raise QueryError(
            f"{path} is no file. Check the path; a new database is made only where writing is allowed"
        )
    if path.is_dir():
        raise QueryError(f"{path} is a folder. Choose a file in it")
    ends = time.monotonic() + bounds.timeout
    uri = f"{path.as_uri()}?mode={'rwc' if bounds.writes else 'ro'}"
    try:
        if bounds.writes:
            path.parent.mkdir(parents=True, exist_ok=True)
        with closing(
            sqlite3.connect(uri, uri=True, timeout=bounds.timeout, isolation_level=None)
        ) as connection:
            connection.set_authorizer(_allowed)
            connection.set_progress_handler(
                lambda: stop.is_set() or time.monotonic() > ends, _CHECK_EVERY
            )
            bound = {name: _for_sqlite(value) for name, value in values.items()}
            return _run_statement(connection, statement, bound, bounds)
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            raise QueryError(_TIMED_OUT.format(timeout=bounds.timeout)) from error
        raise QueryError(_with_hint(str(error))) from error
    except OSError as error:
        raise QueryError(f"{path.parent} cannot be made: {error.strerror}") from error
    except (sqlite3.Error, sqlite3.Warning, OverflowError, ValueError) as error:
        raise QueryError(_with_hint(str(error))) from error


def _run_statement(
    connection: sqlite3.Connection,
    statement: Statement,
    values: Mapping[str, Any],
    bounds: Bounds,
) -> QueryResult:
    connection.execute("BEGIN")
    cursor = connection.execute(statement.text, values)
    rows = cursor.fetchmany(bounds.rows + 1)
    if cursor.description is None:
        result = None
    else:
        result = _as_maps(
            [column[0] for column in cursor.description], rows, bounds.rows
        )
    if connection.in_transaction:
        connection.execute("COMMIT")
    return QueryResult(result, max(0, cursor.rowcount))


def _allowed(action: int, *_: Any) -> int:
    """Deny ATTACH, because a statement must not reach other files inside or outside of
    the folder.
    """
    import sqlite3

    return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_ATTACH else sqlite3.SQLITE_OK


def _with_hint(text: str) -> str:
    """Return SQLite's words with a remedy."""
    text = text.rstrip(".")
    hint_text = next((hint for word, hint in _HINTS.items() if word in text), "")
    return f"{text}: {hint_text}" if hint_text else text


def _for_sqlite(value: Any) -> Any:
    if value is None or isinstance(value, int | float | str | bytes):
        return value
    if isinstance(value, datetime | date | clock_time):
        return value.isoformat()
    if isinstance(value, Decimal | UUID):
        return str(value)
    return to_json(value)


# --- PostgreSQL ---------------------------------------------------------------------------------------------------


async def in_postgres(
    url: str, statement: Statement, values: Mapping[str, Any], bounds: Bounds
) -> QueryResult:
    """Run a statement in a PostgreSQL database. Raise `QueryError`, and
    `ExtraMissingError` without psycopg. A cancellation ends the statement on the
    server.
    """
    try:
        import psycopg
    except ImportError as error:
        raise ExtraMissingError(
            "A query to PostgreSQL", "psycopg", "postgres"
        ) from error
    bound = {name: _for_postgres(value) for name, value in values.items()}
    try:
        async with asyncio.timeout(bounds.timeout):
            connection = await psycopg.AsyncConnection.connect(
                url, client_encoding="UTF8"
            )
            async with connection, connection.cursor() as cursor:
                await connection.set_read_only(not bounds.writes)
                rows = await _fetch(cursor, statement, bound, bounds.rows + 1)
                if cursor.description is None:
                    return QueryResult(None, max(0, cursor.rowcount))
                names = [column.name for column in cursor.description]
                return QueryResult(
                    _as_maps(names, rows, bounds.rows), max(0, cursor.rowcount)
                )
    except TimeoutError as error:
        raise QueryError(_TIMED_OUT.format(timeout=bounds.timeout)) from error
    except psycopg.errors.ReadOnlySqlTransaction as error:
        raise QueryError(
            f"{_first_line(error)}: switch on 'Allow writes' to change the database"
        ) from error
    except (psycopg.Error, ValueError) as error:
        raise QueryError(_first_line(error)) from error


async def _fetch(
    cursor: Any, statement: Statement, values: Mapping[str, Any], most: int
) -> list[Any]:
    """Return at most so many rows. A read-only statement is streamed row by row,
    because a plain cursor would load the whole table.
    """
    query = statement.percent.encode()
    if not statement.only_reads:
        await cursor.execute(query, values)
        return [] if cursor.description is None else list(await cursor.fetchmany(most))
    rows: list[Any] = []
    async with aclosing(cursor.stream(query, values)) as stream:
        async for row in stream:
            rows.append(row)
            if len(rows) == most:
                break
    return rows


def _for_postgres(value: Any) -> Any:
    from psycopg.types.json import Jsonb

    if value is None or isinstance(value, _MESSAGE_TYPES):
        return value
    if isinstance(value, list | tuple) and all(
        item is None or isinstance(item, _MESSAGE_TYPES) for item in value
    ):
        return list(value)
    return Jsonb(json.loads(to_json(value)))


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")


# --- rows ---------------------------------------------------------------------------------------------------------


def _as_maps(
    names: Sequence[str], rows: Sequence[Sequence[Any]], limit: int
) -> list[dict[str, Any]]:
    if len(rows) > limit:
        raise QueryError(
            f"it finds more than {limit} rows. Add a LIMIT, or raise 'Most rows'"
        )
    double = next(
        (name for index, name in enumerate(names) if name in names[:index]), None
    )
    if double is not None:
        raise QueryError(
            f"two columns are called '{double}'. Rename one of them with AS"
        )
    return [dict(zip(names, map(_message_value, row), strict=True)) for row in rows]


def _message_value(value: Any) -> Any:
    """Return a value that messages may have. Others, such as network addresses and
    ranges, become text.
    """
    if isinstance(value, list):
        return [_message_value(item) for item in value]
    if isinstance(value, dict):
        return {key: _message_value(item) for key, item in value.items()}
    if isinstance(value, memoryview):
        return bytes(value)
    return value if value is None or isinstance(value, _MESSAGE_TYPES) else str(value)
