"""What is asked of a store file over one connection; everything here blocks."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import blake2b
from itertools import islice, product
from typing import Any

import orjson

from runtime.checkpoint import Cause, CheckpointHeader, Record, RunSummary
from runtime.errors import CheckpointDamagedError, CheckpointNotFoundError
from runtime.stores import common, manifest
from runtime.stores.manifest import Manifest
from runtime.system.bounded_files import from_json

_HEADERS = """
    SELECT checkpoint.sequence, checkpoint.id, run.run_id, workflow, superstep, cause, parent, branch, signature, time,
        format, status, queued, buffered, requests, stalled, size, new_size, tags, note,
        typeof(manifest) = 'blob' AND length(manifest) = length AND typeof(seal) = 'blob'
    FROM checkpoint LEFT JOIN run ON run.id = checkpoint.run
"""
BY_ID = f"{_HEADERS} WHERE checkpoint.id = ?"
BY_SEQUENCE = f"{_HEADERS} WHERE sequence = ?"
# By a scan of the one index that has the ids, not by the row.
_ID_IN_INDEX = "SELECT id FROM checkpoint WHERE +sequence = ?"
_RUNS = """
    SELECT count(*), count(DISTINCT branch), max(sequence), (SELECT run_id FROM run WHERE run.id = checkpoint.run)
    FROM checkpoint GROUP BY run ORDER BY 3 DESC
"""
# The runs of all checkpoints are found by going from one to the next in their index: most have many checkpoints.
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
# What the columns of a row may be: SQLite keeps a value of any type in any of them, and one bit of damage gives all
# that follow it another one. Not `IS NULL`, which SQLite takes for false where a column is declared NOT NULL.
_TYPES = {
    "text": ("id",),
    "integer": (
        *(
            "run",
            "workflow",
            "superstep",
            "cause",
            "branch",
            "signature",
            "format",
            "status",
        ),
        *("queued", "buffered", "requests", "stalled", "size", "new_size", "length"),
    ),
    "real": ("time",),
    "blob": ("seal", "manifest"),
}
_MISSHAPEN = " OR ".join(
    [
        f"typeof(checkpoint.{column}) <> '{type_}'"
        for type_, columns in _TYPES.items()
        for column in columns
    ]
    + [
        f"typeof(checkpoint.{column}) NOT IN ('text', 'null')"
        for column in ("parent", "tags", "note")
    ]
)
# A misshapen row, and one that refers to a text that is lost, may be of any run, branch or workflow, so every filter
# lets it through. That of a run is found in its index, which damage to a row leaves as it was.
_CONDITIONS: dict[str, str] = {
    "after": "sequence > :after",
    "run_id": "checkpoint.run = (SELECT id FROM run WHERE run_id = :run_id)",
    "run_id or lost": f"""(typeof(checkpoint.run) <> 'integer'
        OR checkpoint.run IN (SELECT id FROM run WHERE run_id = :run_id UNION ALL {_LOST_RUNS}))""",  # noqa: S608
    "branch": f"""(branch = (SELECT id FROM word WHERE text = :branch)
        OR branch NOT IN (SELECT id FROM word WHERE typeof(text) = 'text') OR {_MISSHAPEN})""",  # noqa: S608
    "workflow": f"""(workflow = (SELECT id FROM word WHERE text = :workflow)
        OR workflow NOT IN (SELECT id FROM word WHERE typeof(text) = 'text') OR {_MISSHAPEN})""",  # noqa: S608
    "tag": f"(tags IS NOT NULL OR {_MISSHAPEN})",
}
# The newest row of each run, or of each workflow and branch.
_NEWEST_OF_RUNS = (
    f"{_HEADERS} WHERE sequence IN (SELECT max(sequence) FROM checkpoint GROUP BY run)"  # noqa: S608
)
_NEWEST_OF_WORDS = f"{_HEADERS} WHERE sequence IN (SELECT max(sequence) FROM checkpoint GROUP BY workflow, branch)"  # noqa: S608
_CAUSES = {cause.value: cause for cause in Cause}
# The same of the columns of a header.
_TEXT_OR_NONE = (str, type(None))
_SHAPES = frozenset(
    (int, str, str, *[int] * 3, parent, int, int, float, *[int] * 8, tags, note, int)
    for parent, tags, note in product(_TEXT_OR_NONE, repeat=3)
)
_MANY = 500  # bound values of one query; SQLite takes 32,766 at most


class Reader:
    """One connection to a store file, with the words that it remembers."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._texts: dict[int, str] = {}

    def close(self) -> None:
        self._db.close()

    def load(self, checkpoint_id: str) -> Record:
        with self._snapshot():
            header = self.find(checkpoint_id)
            if header is None:
                raise CheckpointNotFoundError(checkpoint_id)
            return self.record(header, {})

    def find(self, checkpoint_id: str) -> CheckpointHeader | None:
        row = self._one(BY_ID, checkpoint_id)
        return None if row is None else self._header(row)

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        """Several questions about one and the same moment: others write meanwhile, and remove."""
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
        """A record whole. `bases` keeps the manifests that others are differences to."""
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
            row = self._one(BY_SEQUENCE, base)
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
            query = f"{_HEADERS}{self._where(filters)} ORDER BY sequence LIMIT :limit"
            headers = [self._header(row) for row in self._all(query, values)]
            if not headers and not after:
                headers = self._spoiled(run_id, branch, workflow)
        if tag is None:
            return headers[:limit]
        # SQLite's own JSON functions cut a text at a NUL.
        return list(islice(common.matching(headers, tag=tag), limit))

    def latest(
        self, *, run_id: str | None, branch: str | None, workflow: str | None
    ) -> CheckpointHeader | None:
        filters = {"run_id": run_id, "branch": branch, "workflow": workflow}
        with self._snapshot():
            rows = self._all(
                f"{_HEADERS}{self._where(filters)} ORDER BY sequence DESC LIMIT 1",
                filters,
            )
            headers = [self._header(row) for row in rows] or self._spoiled(
                run_id, branch, workflow
            )
        return headers[-1] if headers else None

    def _where(self, filters: Mapping[str, Any]) -> str:
        """Constant text: which conditions there are, never their values."""
        names = [name for name, value in filters.items() if value is not None]
        if "run_id" in names and self._all(_LOST_RUNS, ()):
            # looks in several places, and so cannot follow an index
            names[names.index("run_id")] = "run_id or lost"
        if names:
            return f"WHERE {' AND '.join(_CONDITIONS[name] for name in names)}"
        return ""

    def _spoiled(
        self, run_id: str | None, branch: str | None, workflow: str | None
    ) -> list[CheckpointHeader]:
        """What may have been meant by filters that find nothing: the name of a run, a branch or a workflow may have
        become another one, and then the seals of its rows do not fit. The newest row of each tells.
        """
        if run_id is branch is workflow is None:
            return []
        newest = _NEWEST_OF_WORDS if run_id is None else _NEWEST_OF_RUNS
        headers = [
            self._judged(self._header(row))
            for row in self._all(f"{newest} ORDER BY sequence", ())
        ]
        damaged = [header for header in headers if header.damaged]
        return list(
            common.matching(damaged, run_id=run_id, branch=branch, workflow=workflow)
        )

    def _judged(self, header: CheckpointHeader) -> CheckpointHeader:
        """The header, marked as damaged if its seal does not fit: then none of its names can be trusted."""
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
                latest = self._header(self._one(BY_SEQUENCE, sequence))
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
            return []  # a lone surrogate, which nothing in a store has
        except sqlite3.OperationalError as error:
            if "UTF-8" not in str(error):
                raise
        # A text of some row is spoiled: that row is damaged, and the others are read.
        self._db.text_factory = _text
        try:
            return self._db.execute(query, values).fetchall()
        finally:
            self._db.text_factory = str

    def _header(self, row: Any) -> CheckpointHeader:
        try:
            return _made(row, self._texts)
        except (ValueError, TypeError, LookupError):
            # Perhaps only a word that another process has added.
            words = self._all("SELECT id, text FROM word", ())
            self._texts = {word: text for word, text in words if type(text) is str}
        try:
            return _made(row, self._texts)
        except (ValueError, TypeError, LookupError) as error:
            header = _damaged(row, self._texts, f"its header cannot be read ({error})")
            if row[1] is not None:
                return header
            return replace(header, id=self._id_in_index(header.sequence))

    def _id_in_index(self, sequence: int) -> str:
        """The id of a row that has lost it: the index of the ids still tells it."""
        row = self._one(_ID_IN_INDEX, sequence)
        return row[0] if row is not None and type(row[0]) is str else f"lost-{sequence}"


def _text(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def _made(row: Any, texts: Mapping[int, str]) -> CheckpointHeader:
    """The header of a row. By position: a timeline asks for thousands."""
    (sequence, checkpoint_id, run_id, workflow, superstep, cause, parent, branch, signature, time, format_, status,
     queued, buffered, requests, stalled, size, new_size, tags, note, is_whole) = row  # fmt: skip
    if run_id is None:
        raise LookupError("its run")
    if tuple(map(type, row)) not in _SHAPES:
        raise TypeError("a value of another type")
    return common.header_of(
        checkpoint_id, run_id, texts[workflow], superstep, _CAUSES[texts[cause]], parent, texts[branch], sequence,
        texts[signature], time, format_, texts[status], queued, buffered, requests, stalled, size, new_size,
        _tags(tags) if tags else (), note or "", "" if is_whole else "its list of parts is cut or empty",
    )  # fmt: skip


def _tags(text: str) -> tuple[str, ...]:
    tags = from_json(text)
    if type(tags) is not list or not all(type(tag) is str for tag in tags):
        raise TypeError("its tags")
    return tuple(tags)


def _damaged(row: Any, texts: Mapping[int, str], reason: str) -> CheckpointHeader:
    """What is left of a row."""
    sequence, checkpoint_id, run_id, workflow, _, _, parent, branch, *_ = row
    return CheckpointHeader(
        str(checkpoint_id), run_id if type(run_id) is str else "", texts.get(workflow, ""), 0, Cause.SUPERSTEP,
        parent if type(parent) is str else None, texts.get(branch, ""), sequence, damaged=reason,
    )  # fmt: skip


def seal_of(header: CheckpointHeader, base: int | None, data: bytes) -> bytes:
    """Eight bytes that tell whether a row is still what was saved; tags and note may change."""
    h = header
    fields = orjson.dumps(
        [h.id, h.run_id, h.workflow, h.superstep, h.cause, h.parent, h.branch, h.signature, h.time, h.format, h.status,
         h.queued, h.buffered, h.requests, h.stalled, h.size, h.new_size, base]
    )  # fmt: skip
    return blake2b(fields + data, digest_size=8).digest()
