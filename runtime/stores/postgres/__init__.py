"""A store in a PostgreSQL database: one round trip and one transaction for each
checkpoint. Needs psycopg 3.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from runtime.checkpoint import CheckpointHeader, Record, RunSummary
from runtime.errors import CheckpointDamagedError, CheckpointNotFoundError
from runtime.stores import common
from runtime.stores.postgres import removal
from runtime.stores.postgres.address import parse
from runtime.stores.postgres.link import Connection, Link
from runtime.stores.postgres.rows import (
    COLUMNS,
    FIRST_FIELDS,
    JOINS,
    WHOLE,
    Entry,
    to_bytes,
    to_header,
)
from runtime.stores.postgres.save import Saver

_FROM = f"FROM checkpoint {JOINS}"
_BY_ID = "WHERE sha256(checkpoint.id) = sha256(%(id)s)"
_LOAD = f"""
    SELECT {COLUMNS}, checkpoint.base, checkpoint.steps, part.data {_FROM}
    LEFT JOIN part ON part.digest = checkpoint.base {_BY_ID}
"""
# Rows are chosen first and joined afterwards. With the join first the server made a
# plan that took a minute for 100,000 rows, because its statistics come later than the
# checkpoints of a run.
_LIST = f"""
    SELECT {COLUMNS} FROM (
        {{chosen}} ORDER BY {{order}} LIMIT {{limit}}
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
_TEXT = r'"(?:[^"\\]|\\.)*"'  # of JSON


def _says(name: str) -> str:
    """Return a condition for rows whose sealed header has a value. It looks for a text
    of JSON as it is written.
    """
    pattern = rf"^\[(?:{_TEXT},){{{FIRST_FIELDS.index(name)}}}({_TEXT})"
    return f"""CASE WHEN {WHOLE} THEN
        substring(convert_from(checkpoint.header, 'UTF8') from '{pattern}') = %({name}_json)s
        ELSE false END"""


# A row that has lost its run, branch or workflow may be of any, so every filter lets it
# through: a row whose reference is missing or leads nowhere, and a row whose sealed
# header, which has all names again, has the value of the filter. The runs of all
# checkpoints are found by going from one to the next in their index. Without a cast to
# JSON, because that of the server has no NaN, and a time may be one.
_CONDITIONS = {
    "after": "checkpoint.sequence > %(after)s",
    "run_id": "checkpoint.run = (SELECT number FROM run WHERE sha256(run_id) = sha256(%(run_id)s))",
    "a lost run": """checkpoint.run = ANY(ARRAY(
        WITH RECURSIVE used (number) AS (
            SELECT min(run) FROM checkpoint
            UNION ALL
            SELECT (SELECT min(run) FROM checkpoint WHERE run > used.number) FROM used WHERE used.number IS NOT NULL
        )
        SELECT number FROM used WHERE number IS NOT NULL EXCEPT SELECT number FROM run
    ))""",
    "no run": "checkpoint.run IS NULL",
    "run_id in header": _says("run_id"),
    "branch": f"""(
        checkpoint.line IN (SELECT number FROM line WHERE sha256(branch) = sha256(%(branch)s))
        OR checkpoint.line IS NULL OR checkpoint.line NOT IN (SELECT number FROM line)
        OR {_says("branch")}
    )""",  # noqa: S608 - constant text
    "workflow": f"(checkpoint.workflow = %(workflow)s OR checkpoint.workflow IS NULL OR {_says('workflow')})",
    "tag": "(%(tag)s = ANY(checkpoint.tags) OR checkpoint.tags IS NULL)",
}
_RUN_OR_LOST = ("run_id", "a lost run", "no run")


class PostgresStore:
    """Keeps checkpoints in one schema of a database; see `CheckpointStore`. Safe from
    several tasks, event loops and processes at once.

    Each event loop has one connection, made with its first call, which raises what is
    wrong with the server. `url` has the passphrase masked.
    """

    def __init__(self, url: str, *, read_only: bool = False) -> None:
        self._address = parse(url.removeprefix("postgresql:").removeprefix("postgres:"))
        self.url = self._address.url
        self._read_only = read_only
        self._closed = False
        self._lock = threading.Lock()
        self._links: dict[asyncio.AbstractEventLoop, tuple[Link, Saver]] = {}

    async def save(
        self, record: Record, parts: Mapping[str, bytes]
    ) -> CheckpointHeader:
        self._check_writable()
        common.check_header(record.header)
        copies = {digest: bytes(data) for digest, data in parts.items()}
        link, saver = self._link()
        async with link.use() as connection:
            return await saver.save(connection, record, copies)

    async def load(self, checkpoint_id: str) -> Record:
        rows = await self._rows(_LOAD, id=to_bytes(checkpoint_id))
        if not rows:
            raise CheckpointNotFoundError(checkpoint_id)
        *row, base_manifest = rows[0]
        entry = Entry.of(row)
        return entry.record(
            {} if base_manifest is None else {entry.base: base_manifest}
        )

    async def parts(self, digests: Sequence[str]) -> dict[str, bytes]:
        rows = await self._rows(
            _PARTS, digests=[common.key_of(digest) for digest in digests]
        )
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
        filters = {"run_id": run_id, "workflow": workflow, "branch": branch, "tag": tag}
        after = max(0, min(after, common.MAX_INTEGER))
        return await self._listed(filters, after, order="sequence", limit=limit)

    async def latest(
        self,
        *,
        run_id: str | None = None,
        branch: str | None = None,
        workflow: str | None = None,
    ) -> CheckpointHeader | None:
        filters = {"run_id": run_id, "workflow": workflow, "branch": branch}
        headers = await self._listed(filters, 0, order="sequence DESC", limit=1)
        return headers[0] if headers else None

    async def _listed(
        self,
        filters: Mapping[str, str | None],
        after: int,
        *,
        order: str,
        limit: int | None,
    ) -> list[CheckpointHeader]:
        chosen_filters = {
            name: value for name, value in filters.items() if value is not None
        }
        values: dict[str, Any] = {
            name: to_bytes(value) for name, value in chosen_filters.items()
        }
        values |= {
            f"{name}_json": json.dumps(value) for name, value in chosen_filters.items()
        }
        for chosen in _choices(chosen_filters, order, is_whole=not after):
            query = _LIST.format(chosen=chosen, order=order, limit="%(limit)s::bigint")
            if rows := await self._rows(query, **values, after=after, limit=limit):
                return [to_header(row) for row in rows]
        return []

    async def runs(self) -> list[RunSummary]:
        out = []
        for *row, checkpoints, branches in await self._rows(_RUNS):
            latest = to_header(row)
            out.append(
                RunSummary(
                    latest.run_id, latest.workflow, checkpoints, branches, latest
                )
            )
        return out

    async def annotate(
        self,
        checkpoint_id: str,
        *,
        tags: Sequence[str] | None = None,
        note: str | None = None,
    ) -> CheckpointHeader:
        common.check_texts(*(tags or ()), note or "")
        values = {
            "id": to_bytes(checkpoint_id),
            "tags": None if tags is None else [to_bytes(tag) for tag in tags],
            "note": None if note is None else to_bytes(note),
        }
        async with self._transaction() as connection:
            row = await (
                await connection.cursor(binary=True).execute(_ANNOTATE.encode(), values)
            ).fetchone()
            if row is None:
                raise CheckpointNotFoundError(checkpoint_id)
            header = to_header(row)
            if header.damaged:
                raise CheckpointDamagedError(checkpoint_id, header.damaged)
        return header

    async def delete(self, checkpoint_ids: Sequence[str]) -> int:
        unique_ids = list(dict.fromkeys(checkpoint_ids))
        async with self._transaction() as connection:
            return await removal.delete(connection, unique_ids)

    async def delete_run(self, run_id: str) -> int:
        async with self._transaction() as connection:
            return await removal.delete_run(connection, run_id)

    async def close(self) -> None:
        self._closed = True
        with self._lock:
            links = self._links
            self._links = {}
        own_link = links.pop(asyncio.get_running_loop(), None)
        for loop, (link, _) in links.items():
            if loop.is_running():
                loop.call_soon_threadsafe(link.end)
            else:
                link.end()
        if own_link is not None:
            await own_link[0].close()

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
        """Return the connection of the running loop. A connection belongs to the loop
        that waits for it.
        """
        if self._closed:
            raise common.closed(self.url)
        loop = asyncio.get_running_loop()
        link_and_saver = self._links.get(loop)
        if link_and_saver is None:
            with self._lock:  # because threads have loops of their own
                for ended in [other for other in self._links if other.is_closed()]:
                    self._links.pop(ended)[0].end()
                link_and_saver = self._links[loop] = (
                    Link(self._address, read_only=self._read_only),
                    Saver(),
                )
        return link_and_saver


def _choices(names: Iterable[str], order: str, *, is_whole: bool) -> Iterator[str]:
    """Yield queries for the rows of a listing, by the names of its filters. The next
    one is used if one finds nothing. They are constant text, and the values are sent
    beside them.
    """
    others = [name for name in ("after", *names) if name != "run_id"]
    if "run_id" not in names:
        yield _chosen(others)
        return
    # In queries of their own, because only the rows of one run come in the order of
    # their index.
    of_each = [
        f"({_chosen([run, *others])} ORDER BY {order} LIMIT %(limit)s::bigint)"
        for run in _RUN_OR_LOST
    ]
    yield f"SELECT * FROM ({' UNION ALL '.join(of_each)}) AS checkpoint"  # noqa: S608
    if is_whole:
        yield _chosen(["run_id in header", *others])  # reads every row of the store


def _chosen(names: Iterable[str]) -> str:
    return f"SELECT * FROM checkpoint WHERE {' AND '.join(_CONDITIONS[name] for name in names)}"  # noqa: S608
