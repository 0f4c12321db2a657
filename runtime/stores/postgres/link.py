"""One connection of one event loop: made when it is first needed, and again after it
was lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from psycopg import AsyncConnection, errors
from psycopg.pq import TransactionStatus

from runtime.errors import CheckpointStoreError
from runtime.stores import common
from runtime.stores.postgres import schema
from runtime.stores.postgres.address import Address

Connection = AsyncConnection[tuple[Any, ...]]

_GONE = (
    "its tables are gone: somebody has removed them. Open the store again to make new ones; where only some are gone, "
    "restore them from a copy, or drop the schema before"
)
_REMEDIES: dict[type[psycopg.Error], str] = {
    errors.LockNotAvailable: "it is busy: another process has held it for too long. Try again later",
    errors.DiskFull: "its disk is full. Make room; what was saved before is intact",
    errors.TooManyConnections: "it has no connection left. Close some, or raise its max_connections",
    errors.InsufficientPrivilege: "the user may not do this ({error}). Grant the right, or name another ?schema=",
    errors.ReadOnlySqlTransaction: "it takes no writes: it is a standby, or set to read only. Name the primary server",
    errors.UndefinedTable: _GONE,
    errors.UndefinedFunction: _GONE,
}
_LOST = (
    "the connection was lost ({error}). What was being saved is there whole or not at all; "
    "the next call connects again"
)


class Link:
    """One connection, whose uses follow each other."""

    def __init__(self, address: Address, *, read_only: bool) -> None:
        self._address = address
        self._read_only = read_only
        self._lock = asyncio.Lock()
        self._connection: Connection | None = None
        self._ended = False

    @asynccontextmanager
    async def use(self) -> AsyncIterator[Connection]:
        """Give the connection to one user alone. Raise `CheckpointStoreError` for all
        errors of PostgreSQL.

        Without a transaction of its own, each statement is one. However a use ends,
        also by a cancellation, the connection is outside of any transaction afterwards,
        or given up, which ends the transaction as well.
        """
        async with self._lock:
            if self._ended:
                raise common.closed(self._address.url)
            try:
                connection = await self._connected()
            except psycopg.Error as error:
                raise self._cannot_connect(error) from error
            try:
                yield connection
            except psycopg.Error as error:
                raise self._failed(error) from error
            finally:
                # Because psycopg 3.2 leaves a transaction open that is cancelled while
                # it begins.
                if connection.info.transaction_status != TransactionStatus.IDLE:
                    self._drop()

    async def close(self) -> None:
        """Close the connection when all waiting users have had their turn."""
        async with self._lock:
            self.end()

    def end(self) -> None:
        self._ended = True
        self._drop()

    def _drop(self) -> None:
        """Give the connection up. This does not block, and the server ends what it was
        doing.
        """
        connection = self._connection
        self._connection = None
        if connection is not None:
            connection.pgconn.finish()

    async def _connected(self) -> Connection:
        if self._connection is not None and _is_alive(self._connection):
            return self._connection
        self._drop()
        connection = await AsyncConnection.connect(
            **self._address.options, autocommit=True, client_encoding="UTF8"
        )
        self._connection = connection
        try:
            await schema.prepare(connection, self._address, read_only=self._read_only)
        except BaseException:
            self._drop()
            raise
        return connection

    def _cannot_connect(self, error: psycopg.Error) -> CheckpointStoreError:
        if isinstance(error, psycopg.OperationalError) and not isinstance(
            error, errors.LockNotAvailable
        ):
            return CheckpointStoreError(
                f"{self._address.url} cannot be reached: {_text(error)}. Check the URL, and that the server runs."
            )
        return self._failed(error)

    def _failed(self, error: psycopg.Error) -> CheckpointStoreError:
        if self._connection is None or self._connection.closed:
            remedy = _LOST
        else:
            remedy = next(
                (text for kind, text in _REMEDIES.items() if isinstance(error, kind)),
                "{error}",
            )
        return CheckpointStoreError(
            f"{self._address.url} failed: {remedy.format(error=_text(error))}."
        )


def _is_alive(connection: Connection) -> bool:
    """Return whether the server has not ended the connection. It says so when it ends,
    and that stays unread until now.
    """
    if connection.closed:
        return False
    try:
        connection.pgconn.consume_input()
        # Because the first attempt may have read only the last message of the server.
        connection.pgconn.consume_input()
    except psycopg.OperationalError:
        return False
    return not connection.closed


def _text(error: psycopg.Error) -> str:
    lines = [
        line for line in str(error).splitlines() if "Is the server running" not in line
    ]
    return " ".join(" ".join(lines).split()).rstrip(".") or type(error).__name__
