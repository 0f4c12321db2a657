"""What a connection remembers of a file between two saves never makes it answer
differently from a new one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.checkpoint import CheckpointHeader
from runtime.errors import (
    BranchMovedError,
    CheckpointConflictError,
    WorkflowCheckpointException,
)
from runtime.stores.sqlite.database import Database
from runtime.stores.sqlite.link import Writing
from runtime.testing.conformance import record_of

_RUNS = ("run", "other")
_BRANCHES = ("main", "fork")
_KEYS = [f"k{number}" for number in range(12)]


def connect(file: Path) -> Database:
    db = sqlite3.connect(file, isolation_level=None)
    db.execute("PRAGMA synchronous = OFF")
    return Database(db)


def saved(database: Database, checkpoint_id: str, **header: Any) -> CheckpointHeader:
    return database.save(
        *record_of(checkpoint_id, {"k": checkpoint_id.encode()}, **header)
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    Writing(tmp_path / "runs.db", "url", 1.0).close()
    return tmp_path / "runs.db"


def test_a_branch_that_another_connection_moved_is_not_split_after_a_save_elsewhere(
    file: Path,
) -> None:
    """The save of another run has seen that the file changed; that must not make the
    old head look true.
    """
    with closing(connect(file)) as mine, closing(connect(file)) as theirs:
        saved(mine, "a")
        saved(theirs, "b", parent="a")
        assert saved(mine, "x", run_id="other").sequence == 3
        with pytest.raises(BranchMovedError):
            saved(mine, "c", parent="a")


def test_an_id_is_taken_also_when_nothing_needs_to_be_asked(file: Path) -> None:
    with closing(connect(file)) as database:
        saved(database, "a")
        saved(database, "b", parent="a")
        with pytest.raises(CheckpointConflictError, match="checkpoint a already"):
            saved(database, "a", parent="b")
        assert saved(database, "c", parent="b").sequence == 3


def test_a_run_that_goes_on_asks_nothing_but_whether_somebody_else_wrote(
    file: Path,
) -> None:
    asked: list[str] = []
    with closing(connect(file)) as database:
        saved(database, "a")
        database._db.set_trace_callback(asked.append)
        saved(database, "b", parent="a")
    assert [text.strip() for text in asked if "SELECT" in text or "PRAGMA" in text] == [
        "PRAGMA data_version"
    ]


def test_nothing_builds_on_what_the_connection_itself_has_removed(file: Path) -> None:
    with closing(connect(file)) as database:
        records = [
            record_of(
                str(at),
                {**dict.fromkeys(_KEYS, b"same"), "k0": b"%d" % at},
                parent=str(at - 1) if at else None,
            )
            for at in range(3)
        ]
        for at, (record, parts) in enumerate(records):
            if at == 2:
                database.delete(["0"])
            database.save(record, parts)
        assert database.load("2").manifest == records[2][0].manifest


def test_nothing_follows_what_the_connection_itself_has_removed(file: Path) -> None:
    with closing(connect(file)) as database:
        saved(database, "a")
        database.delete_run("run")
        with pytest.raises(CheckpointConflictError, match="follows a"):
            saved(database, "b", parent="a")


# --- law ----------------------------------------------------------------------------------------------------------

_AT = st.sampled_from([0, 0, 0, 1, 2])
_ACTIONS = st.one_of(
    # Mostly from the last checkpoint that somebody saved there: the way that asks
    # nothing.
    st.tuples(
        st.just("save"),
        st.sampled_from(_RUNS),
        st.sampled_from(_BRANCHES),
        st.integers(-1, 3),
        st.booleans(),
    ),
    st.tuples(st.just("delete"), st.lists(st.integers(0, 30), min_size=1, max_size=3)),
    st.tuples(st.just("delete run"), st.sampled_from(_RUNS)),
    st.tuples(st.just("annotate"), st.integers(0, 30)),
)


class Story:
    """The same calls as one after the other come, with what of the header does not
    depend on the store.
    """

    def __init__(self) -> None:
        self.ids: dict[tuple[str, str], list[str]] = {}
        self.number = 0

    def call(self, action: tuple[Any, ...]) -> Callable[[Database], Any]:
        kind, *rest = action
        if kind == "save":
            return self.save(*rest)
        if kind == "delete":
            return lambda database: database.delete([str(number) for number in rest[0]])
        if kind == "delete run":
            return lambda database: database.delete_run(rest[0])
        return lambda database: database.annotate(str(rest[0]), ("t",), "note")

    def save(
        self, run: str, branch: str, back: int, again: bool
    ) -> Callable[[Database], Any]:
        line = self.ids.setdefault((run, branch), [])
        parent = line[-1 - max(back, 0)] if len(line) > max(back, 0) else None
        checkpoint_id = str(self.number // 2 if again else self.number)
        parts = {
            key: f"{key} {self.number if key == _KEYS[self.number % 12] else 0}".encode()
            for key in _KEYS
        }
        record, data = record_of(
            checkpoint_id, parts, run_id=run, branch=branch, parent=parent
        )
        self.number += 1
        line.append(checkpoint_id)
        return lambda database: (
            database.save(record, data),
            database.load(checkpoint_id).manifest == record.manifest,
        )


def outcome(call: Callable[[Database], Any], database: Database) -> Any:
    try:
        return call(database)
    except WorkflowCheckpointException as error:
        return type(error), str(error)


def listed(database: Database) -> list[CheckpointHeader]:
    return [
        replace(database.load(header.id).header, time=0.0)
        for header in database.headers(
            run_id=None, workflow=None, branch=None, tag=None, after=0, limit=None
        )
    ]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(_AT, _ACTIONS), max_size=25))
def test_connections_that_remember_answer_as_those_that_were_just_opened(
    actions: list[tuple[int, tuple[Any, ...]]],
) -> None:
    with TemporaryDirectory() as folder:
        kept = Path(folder, "kept.db")
        fresh = Path(folder, "fresh.db")
        for file in (kept, fresh):
            Writing(file, "url", 1.0).close()
        story = Story()
        databases = [connect(kept) for _ in range(3)]
        try:
            for at, action in actions:
                call = story.call(action)
                with closing(connect(fresh)) as opened:
                    expected = outcome(call, opened)
                assert outcome(call, databases[at]) == expected
            with closing(connect(fresh)) as opened:
                assert listed(databases[0]) == listed(opened)
        finally:
            for database in databases:
                database.close()
