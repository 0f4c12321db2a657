"""A store in a PostgreSQL database: one round trip and one transaction for each checkpoint. Needs psycopg 3."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from runtime.checkpoint import CheckpointHeader, Record, RunSummary
from runtime.errors import CheckpointDamagedError, CheckpointNotFoundError
from runtime.stores import common
from runtime.stores.postgres import removal
from runtime.stores.postgres.address import parse
from runtime.stores.postgres.link import Connection, Link
from runtime.stores.postgres.rows import COLUMNS, JOINS, Entry, to_bytes, to_header
from runtime.stores.postgres.saving import Saver

_FROM = f"FROM checkpoint {JOINS}"
_BY_ID = "WHERE sha256(checkpoint.id) = sha256(%(id)s)"
_LOAD = f"""
    SELECT {COLUMNS}, checkpoint.base, checkpoint.steps, part.data {_FROM}
    LEFT JOIN part ON part.digest = checkpoint.base {_BY_ID}
"""
# Chosen first and joined afterwards. Joined first, a plan was seen that took a minute for 100,000 rows: the server's
# statistics come later than a run's checkpoints.
_LIST = f"""
    SELECT {COLUMNS} FROM (
        SELECT * FROM checkpoint {{where}} ORDER BY {{order}} LIMIT {{limit}}
    ) AS checkpoint {JOINS} ORDER BY checkpoint.{{order}}
"""  # noqa: S608
_PARTS = "SELECT digest, data FROM part WHERE digest = ANY(%(digests)s::bytea[])"
_RUNS = f"""
    SELECT {COLUMNS}, grouped.checkpoints, grouped.branches
    FROM (SELECT count(*) AS checkpoints, count(DISTINCT line) AS branches, max(sequence) AS newest
          FROM checkpoint GROUP BY run) AS grouped
    JOIN checkpoint ON checkpoint.sequence = grouped.newest {JOINS}
    ORDER BY checkpoint.sequence DESC
"""  # noqa: S608
_ANNOTATE = f"""
    WITH checkpoint AS (
        UPDATE checkpoint SET tags = coalesce(%(tags)s::bytea[], tags), note = coalesce(%(note)s::bytea, note)
        {_BY_ID} RETURNING *
    ) SELECT {COLUMNS} {_FROM}
"""  # noqa: S608
_CONDITIONS = {
    "after": "checkpoint.sequence > %(after)s",
    "run_id": "checkpoint.run = (SELECT number FROM run WHERE sha256(run_id) = sha256(%(run_id)s))",
    "branch": "checkpoint.line IN (SELECT number FROM line WHERE sha256(branch) = sha256(%(branch)s))",
    "workflow": "checkpoint.workflow = %(workflow)s",
    "tag": "%(tag)s = ANY(checkpoint.tags)",
}


class PostgresStore:
    """Keeps checkpoints in one schema of a database; see `CheckpointStore`. Safe from several tasks, event loops and
    processes at once.

    Each event loop has one connection, made with its first call: what is wrong with the server is told there. `url` has
    the passphrase masked.
    """

    def __init__(self, url: str, *, read_only: bool = False) -> None:
        self._address = parse(url.removeprefix("postgresql:").removeprefix("postgres:"))
        self.url = self._address.url
        self._read_only = read_only
        self._closed = False
        self._lock = threading.Lock()
        self._links: dict[asyncio.AbstractEventLoop, tuple[Link, Saver]] = {}

    async def save(self, record: Record, parts: Mapping[str, bytes]) -> CheckpointHeader:
        self._check_writable()
        common.check_header(record.header)
        given = {digest: bytes(data) for digest, data in parts.items()}
        link, saver = self._link()
        async with link.use() as connection:
            return await saver.save(connection, record, given)

    async def load(self, checkpoint_id: str) -> Record:
        rows = await self._rows(_LOAD, id=to_bytes(checkpoint_id))
        if not rows:
            raise CheckpointNotFoundError(checkpoint_id)
        *row, whole = rows[0]
        entry = Entry.of(row)
        return entry.record({} if whole is None else {entry.base: whole})

    async def parts(self, digests: Sequence[str]) -> dict[str, bytes]:
        rows = await self._rows(_PARTS, digests=[common.key_of(digest) for digest in digests])
        return common.whole_parts(digests, {key.hex(): data for key, data in rows})

    async def headers(
        self,
        *,
        run_id: str | None = None,
        workflow: str | None = None,
        branch: str | None = None,
        tag: str | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> list[CheckpointHeader]:
        limit = common.checked_limit(limit)
        where, values = _filter(run_id=run_id, workflow=workflow, branch=branch, tag=tag)
        after = max(0, min(after, common.MAX_INTEGER))
        query = _LIST.format(where=where, order="sequence", limit="%(limit)s::bigint")
        return [to_header(row) for row in await self._rows(query, **values, after=after, limit=limit)]

    async def latest(
        self, *, run_id: str | None = None, branch: str | None = None, workflow: str | None = None
    ) -> CheckpointHeader | None:
        where, values = _filter(run_id=run_id, workflow=workflow, branch=branch)
        rows = await self._rows(_LIST.format(where=where, order="sequence DESC", limit="1"), **values, after=0)
        return to_header(rows[0]) if rows else None

    async def runs(self) -> list[RunSummary]:
        out = []
        for *row, checkpoints, branches in await self._rows(_RUNS):
            latest = to_header(row)
            out.append(RunSummary(latest.run_id, latest.workflow, checkpoints, branches, latest))
        return out

    async def annotate(
        self, checkpoint_id: str, *, tags: Sequence[str] | None = None, note: str | None = None
    ) -> CheckpointHeader:
        common.check_texts(*(tags or ()), note or "")
        values = {
            "id": to_bytes(checkpoint_id),
            "tags": None if tags is None else [to_bytes(tag) for tag in tags],
            "note": None if note is None else to_bytes(note),
        }
        async with self._transaction() as connection:
            row = await (await connection.cursor(binary=True).execute(_ANNOTATE.encode(), values)).fetchone()
            if row is None:
                raise CheckpointNotFoundError(checkpoint_id)
            header = to_header(row)
            if header.damaged:
                raise CheckpointDamagedError(checkpoint_id, header.damaged)
        return header

    async def delete(self, checkpoint_ids: Sequence[str]) -> int:
        wanted = list(dict.fromkeys(checkpoint_ids))
        async with self._transaction() as connection:
            return await removal.delete(connection, wanted)

    async def delete_run(self, run_id: str) -> int:
        async with self._transaction() as connection:
            return await removal.delete_run(connection, run_id)

    async def close(self) -> None:
        self._closed = True
        with self._lock:
            links, self._links = self._links, {}
        own = links.pop(asyncio.get_running_loop(), None)
        for loop, (link, _) in links.items():
            if loop.is_running():
                loop.call_soon_threadsafe(link.end)
            else:
                link.end()
        if own is not None:
            await own[0].close()

    async def _rows(self, query: str, **values: Any) -> list[tuple[Any, ...]]:
        link, _ = self._link()
        async with link.use() as connection:
            cursor = connection.cursor(binary=True)
            return await (await cursor.execute(query.encode(), values)).fetchall()

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[Connection]:
        self._check_writable()
        link, _ = self._link()
        async with link.use() as connection, connection.transaction():
            yield connection

    def _check_writable(self) -> None:
        if self._read_only:
            raise common.read_only(self.url)

    def _link(self) -> tuple[Link, Saver]:
        """That of the running loop. A connection belongs to the loop that waits for it."""
        if self._closed:
            raise common.closed(self.url)
        loop = asyncio.get_running_loop()
        found = self._links.get(loop)
        if found is None:
            with self._lock:  # threads come with loops of their own
                for ended in [other for other in self._links if other.is_closed()]:
                    self._links.pop(ended)[0].end()
                found = self._links[loop] = Link(self._address, read_only=self._read_only), Saver()
        return found


def _filter(**filters: str | None) -> tuple[str, dict[str, bytes]]:
    """Constant text: which conditions there are, and their values apart."""
    values = {name: to_bytes(value) for name, value in filters.items() if value is not None}
    return f"WHERE {' AND '.join(_CONDITIONS[name] for name in ('after', *values))}", values
