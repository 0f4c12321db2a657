"""The queries for a store file over one connection; everything here blocks."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from itertools import islice
from typing import Any

import orjson

from runtime.checkpoint import Cause, CheckpointHeader, Record, RunSummary
from runtime.errors import CheckpointDamagedError, CheckpointNotFoundError
from runtime.stores import common, manifest
from runtime.stores.header import POSITIONS, added_values, sealed_values
from runtime.stores.manifest import Manifest
from runtime.stores.sqlite import columns
from runtime.stores.sqlite.schema import FORMAT

# By a scan of the index that has the ids, because the row has lost its own.
_ID_IN_INDEX = "SELECT id FROM checkpoint WHERE +sequence = ?"
_RUNS = """
    SELECT count(*), count(DISTINCT branch), max(sequence), (SELECT run_id FROM run WHERE run.id = checkpoint.run)
    FROM checkpoint GROUP BY run ORDER BY 3 DESC
"""
# The runs of all checkpoints are found by going from one to the next in their index,
# because a run has many.
_LOST_RUNS = """
    SELECT id FROM (
        WITH RECURSIVE used (id) AS (
            SELECT min(run) FROM checkpoint
            UNION ALL
            SELECT (SELECT min(run) FROM checkpoint WHERE run > used.id) FROM used WHERE used.id IS NOT NULL
        )
        SELECT id FROM used WHERE id IS NOT NULL EXCEPT SELECT id FROM run WHERE typeof(run_id) = 'text'
    )
    UNION ALL SELECT run FROM (SELECT run FROM checkpoint ORDER BY run LIMIT 1) WHERE typeof(run) = 'null'
"""
_IS_WHOLE = (
    "typeof(manifest) = 'blob' AND length(manifest) = length AND typeof(seal) = 'blob'"
)


_RUN_OR_LOST = f"""(typeof(checkpoint.run) <> 'integer'
    OR checkpoint.run IN (SELECT id FROM run WHERE run_id = :run_id UNION ALL {_LOST_RUNS}))"""  # noqa: S608
_WORD_BRANCH = "(SELECT id FROM word WHERE text = :branch)"
_WORD_WORKFLOW = "(SELECT id FROM word WHERE text = :workflow)"
_IS_LOST = "NOT IN (SELECT id FROM word WHERE typeof(text) = 'text')"
# The newest row of each run, or of each workflow and branch.
_NEWEST_OF_RUNS = (
    "WHERE sequence IN (SELECT max(sequence) FROM checkpoint GROUP BY run)"
)
_NEWEST_OF_WORDS = (
    "WHERE sequence IN (SELECT max(sequence) FROM checkpoint GROUP BY workflow, branch)"
)


class _Queries:
    """The queries for headers in files of one format, whose columns decide what they
    select.
    """

    def __init__(self, file_format: int) -> None:
        headers = f"""
            SELECT {columns.selected(file_format, _IS_WHOLE)}
            FROM checkpoint LEFT JOIN run ON run.id = checkpoint.run
        """  # noqa: S608 - of names of columns alone
        misshapen = columns.misshapen(file_format)
        self.headers = headers
        self.by_id = f"{headers} WHERE checkpoint.id = ?"
        self.by_sequence = f"{headers} WHERE sequence = ?"
        self.newest_of_runs = f"{headers} {_NEWEST_OF_RUNS}"
        self.newest_of_words = f"{headers} {_NEWEST_OF_WORDS}"
        # A misshapen row, and one that refers to a lost text, may be of any run, branch
        # or workflow, so every filter lets it through. The run of a row is found in an
        # index, which damage to the row leaves as it was.
        self.conditions: dict[str, str] = {
            "after": "sequence > :after",
            "run_id": "checkpoint.run = (SELECT id FROM run WHERE run_id = :run_id)",
            "run_id or lost": _RUN_OR_LOST,
            "branch": f"(branch = {_WORD_BRANCH} OR branch {_IS_LOST} OR {misshapen})",
            "workflow": f"(workflow = {_WORD_WORKFLOW} OR workflow {_IS_LOST} OR {misshapen})",
            "tag": f"(tags IS NOT NULL OR {misshapen})",
        }


_queries_of = cache(_Queries)
_MANY = 500  # bound values of one query; SQLite takes 32,766 at most


class Reader:
    """One connection to a store file, with the words that it remembers."""

    def __init__(self, db: sqlite3.Connection, file_format: int = FORMAT) -> None:
        self._db = db
        self.file_format = file_format
        self._queries = _queries_of(file_format)
        self._texts: dict[int, str] = {}

    def close(self) -> None:
        self._db.close()

    def is_outdated(self) -> bool:
        """Return whether another process has lifted the file to a newer format since it
        was opened here.
        """
        if self.file_format == FORMAT:
            return False
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        return bool(version != self.file_format)

    def load(self, checkpoint_id: str) -> Record:
        with self._snapshot():
            header = self.find(checkpoint_id)
            if header is None:
                raise CheckpointNotFoundError(checkpoint_id)
            return self.record(header, {})

    def find(self, checkpoint_id: str) -> CheckpointHeader | None:
        row = self._one(self._queries.by_id, checkpoint_id)
        return None if row is None else self._header(row)

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        """Hold one state of the file for several queries, because others write and
        remove meanwhile.
        """
        if self._db.in_transaction:
            yield
            return
        self._db.execute("BEGIN")
        try:
            yield
        finally:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")

    def record(self, header: CheckpointHeader, bases: dict[int, Manifest]) -> Record:
        """Return the record of a header. `bases` keeps the manifests from which others
        are differences.
        """
        if header.damaged:
            raise CheckpointDamagedError(header.id, header.damaged)
        try:
            return Record(header, self._manifest(header, bases))
        except (
            ValueError,
            TypeError,
            LookupError,
            AttributeError,
            OverflowError,
        ) as error:
            raise CheckpointDamagedError(
                header.id, f"its list of parts cannot be read ({error})"
            ) from None

    def _manifest(
        self, header: CheckpointHeader, bases: dict[int, Manifest]
    ) -> Manifest:
        base, data = self._sealed(header)
        if base is None:
            return manifest.from_bytes(data)
        if base not in bases:
            row = self._one(self._queries.by_sequence, base)
            if row is None or base >= header.sequence:
                raise LookupError("the record it builds on is missing")
            bases[base] = self._manifest(self._header(row), bases)
        return manifest.from_bytes(data, bases[base])

    def _sealed(self, header: CheckpointHeader) -> tuple[int | None, bytes]:
        base, seal, data = self._db.execute(
            "SELECT base, seal, manifest FROM checkpoint WHERE sequence = ?",
            (header.sequence,),
        ).fetchone()
        if seal_of(header, base, data) != seal:
            raise ValueError("it is not what was saved")
        return base, data

    def parts(self, digests: Sequence[str]) -> dict[str, bytes]:
        stored: dict[str, Any] = {}
        for start in range(0, len(digests), _MANY):
            keys = [common.key_of(digest) for digest in digests[start : start + _MANY]]
            marks = ", ".join("?" * len(keys))
            query = f"SELECT digest, data FROM part WHERE digest IN ({marks})"  # noqa: S608 - marks only
            stored.update(
                (digest.hex(), data) for digest, data in self._db.execute(query, keys)
            )
        return common.whole_parts(digests, stored)

    def headers(
        self,
        *,
        run_id: str | None,
        workflow: str | None,
        branch: str | None,
        tag: str | None,
        after: int,
        limit: int | None,
    ) -> list[CheckpointHeader]:
        filters = {
            "after": after,
            "run_id": run_id,
            "workflow": workflow,
            "branch": branch,
            "tag": tag,
        }
        values = {
            "after": min(after, common.MAX_INTEGER),
            "run_id": run_id,
            "workflow": workflow,
            "branch": branch,
            "limit": -1 if limit is None or tag is not None else limit,
        }
        with self._snapshot():
            query = f"{self._queries.headers}{self._where(filters)} ORDER BY sequence LIMIT :limit"
            headers = [self._header(row) for row in self._all(query, values)]
            if not headers and not after:
                headers = self._spoiled(run_id, branch, workflow)
        if tag is None:
            return headers[:limit]
        # In Python, because the JSON functions of SQLite cut a text at a NUL.
        return list(islice(common.matching(headers, tag=tag), limit))

    def latest(
        self, *, run_id: str | None, branch: str | None, workflow: str | None
    ) -> CheckpointHeader | None:
        filters = {"run_id": run_id, "branch": branch, "workflow": workflow}
        with self._snapshot():
            rows = self._all(
                f"{self._queries.headers}{self._where(filters)} ORDER BY sequence DESC LIMIT 1",
                filters,
            )
            headers = [self._header(row) for row in rows] or self._spoiled(
                run_id, branch, workflow
            )
        return headers[-1] if headers else None

    def _where(self, filters: Mapping[str, Any]) -> str:
        """Return the conditions of filters. They are constant text, without the values."""
        names = [name for name, value in filters.items() if value is not None]
        if "run_id" in names and self._all(_LOST_RUNS, ()):
            # Only if necessary, because a condition on several places cannot follow an
            # index.
            names[names.index("run_id")] = "run_id or lost"
        conditions = [self._queries.conditions[name] for name in names]
        return f"WHERE {' AND '.join(conditions)}" if conditions else ""

    def _spoiled(
        self, run_id: str | None, branch: str | None, workflow: str | None
    ) -> list[CheckpointHeader]:
        """Return the damaged headers that filters which find nothing may have meant.

        The name of a run, a branch or a workflow may have become another one, and then
        the seals of its rows do not fit. The newest row of each shows that.
        """
        if run_id is branch is workflow is None:
            return []
        if run_id is None:
            newest = self._queries.newest_of_words
        else:
            newest = self._queries.newest_of_runs
        headers = [
            self._judged(self._header(row))
            for row in self._all(f"{newest} ORDER BY sequence", ())
        ]
        damaged = [header for header in headers if header.damaged]
        return list(
            common.matching(damaged, run_id=run_id, branch=branch, workflow=workflow)
        )

    def _judged(self, header: CheckpointHeader) -> CheckpointHeader:
        """Return the header, marked as damaged if its seal does not fit, because then
        none of its names can be trusted.
        """
        if header.damaged:
            return header
        try:
            self._sealed(header)
        except (ValueError, TypeError, AttributeError) as error:
            return replace(
                header,
                run_id="",
                branch="",
                workflow="",
                damaged=f"its header cannot be trusted ({error})",
            )
        return header

    def runs(self) -> list[RunSummary]:
        out = []
        with self._snapshot():
            for checkpoints, branches, sequence, name in self._all(_RUNS, ()):
                latest = self._header(self._one(self._queries.by_sequence, sequence))
                run_id = name if type(name) is str else latest.run_id
                out.append(
                    RunSummary(run_id, latest.workflow, checkpoints, branches, latest)
                )
        return out

    def _one(self, query: str, value: Any) -> Any:
        rows = self._all(query, (value,))
        return rows[0] if rows else None

    def _all(self, query: str, values: Any) -> list[Any]:
        try:
            return self._db.execute(query, values).fetchall()
        except UnicodeEncodeError:
            return []  # a lone surrogate, which no text in a store has
        except sqlite3.OperationalError as error:
            if "UTF-8" not in str(error):
                raise
        # The text of some row is spoiled. That row is damaged, and the others are read.
        self._db.text_factory = _text
        try:
            return self._db.execute(query, values).fetchall()
        finally:
            self._db.text_factory = str

    def _header(self, row: Any) -> CheckpointHeader:
        try:
            return columns.to_header(row, self._texts)
        except (ValueError, TypeError, LookupError):
            # Perhaps another process has added a word.
            words = self._all("SELECT id, text FROM word", ())
            self._texts = {word: text for word, text in words if type(text) is str}
        try:
            return columns.to_header(row, self._texts)
        except (ValueError, TypeError, LookupError) as error:
            header = _damaged(row, self._texts, f"its header cannot be read ({error})")
            if row[POSITIONS["id"]] is not None:
                return header
            return replace(header, id=self._id_in_index(header.sequence))

    def _id_in_index(self, sequence: int) -> str:
        """Return the id of a row that has lost it. The index of the ids still has it."""
        row = self._one(_ID_IN_INDEX, sequence)
        return row[0] if row is not None and type(row[0]) is str else f"lost-{sequence}"


def _text(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def _damaged(row: Any, texts: Mapping[int, str], reason: str) -> CheckpointHeader:
    """Return what is left of a row."""
    values = {name: row[position] for name, position in POSITIONS.items()}
    run_id = values["run_id"]
    parent = values["parent"]
    return CheckpointHeader(
        id=str(values["id"]),
        run_id=run_id if type(run_id) is str else "",
        workflow=texts.get(values["workflow"], ""),
        superstep=0,
        cause=Cause.SUPERSTEP,
        parent=parent if type(parent) is str else None,
        branch=texts.get(values["branch"], ""),
        sequence=values["sequence"],
        damaged=reason,
    )


def seal_of(header: CheckpointHeader, base: int | None, data: bytes) -> bytes:
    """Return eight bytes that show whether a row is still what was saved; tags and note
    may change.
    """
    fields = list(sealed_values(header))
    added = added_values(header)
    if added:
        fields.append(added)
    fields.append(base)
    return blake2b(orjson.dumps(fields) + data, digest_size=8).digest()
