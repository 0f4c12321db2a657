"""The SQLite store keeps the contract across threads, processes and crashes, and leaves
no file nobody asked for.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from runtime.checkpoint import Cause
from runtime.checkpoints.archive import Archive
from runtime.errors import (
    CheckpointDamagedError,
    CheckpointNotFoundError,
    CheckpointStoreError,
)
from runtime.state import RunState, Trace
from runtime.stores import open_store
from runtime.stores.sqlite import SqliteStore
from runtime.stores.sqlite.database import _PLACE, Database
from runtime.stores.sqlite.link import Reading, Writing
from runtime.stores.sqlite.schema import FORMAT
from runtime.testing.conformance import (
    DamageConformance,
    MarkedConformance,
    NeverEmptyConformance,
    ProcessConformance,
    StoreConformance,
    StoreFactory,
    ids,
    opened,
    record_of,
    save,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


@pytest.fixture
def open_(file: Path) -> StoreFactory:
    return lambda: open_store(f"sqlite:{file}")


class TestSqlite(StoreConformance):
    @pytest.fixture
    def open_(self, file: Path) -> StoreFactory:
        return lambda: open_store(f"sqlite:{file}")


@pytest.mark.slow
class TestSqliteProcesses(ProcessConformance):
    @pytest.fixture
    def url(self, file: Path) -> str:
        return f"sqlite:{file}"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def change(file: Path, statement: str, *values: Any) -> None:
    with sqlite3.connect(file) as db:
        db.execute(statement, values)
    db.close()


@pytest.mark.parametrize(
    "spoiling",
    [
        "UPDATE checkpoint SET manifest = substr(manifest, 1, length / 2) WHERE id = ?",
        "UPDATE checkpoint SET manifest = x'' WHERE id = ?",
        "UPDATE checkpoint SET manifest = 'text' WHERE id = ?",
        "UPDATE checkpoint SET manifest = 5 WHERE id = ?",
        "UPDATE checkpoint SET cause = 999 WHERE id = ?",
        "UPDATE checkpoint SET cause = workflow WHERE id = ?",
        "UPDATE checkpoint SET tags = '{' WHERE id = ?",
        "UPDATE checkpoint SET workflow = 999 WHERE id = ?",
        "UPDATE checkpoint SET workflow = 'flow' WHERE id = ?",
    ],
)
class TestDamage(DamageConformance):
    @pytest.fixture
    def open_(self, file: Path) -> StoreFactory:
        return lambda: open_store(f"sqlite:{file}")

    @pytest.fixture
    def damage(self, file: Path, spoiling: str) -> Callable[[str], None]:
        return lambda checkpoint_id: change(file, spoiling, checkpoint_id)


# What a row has beside what its indexes tell too. That no text stands in `parent`,
# `tags`, `note` or `base` is sound.
COLUMNS = ("workflow", "superstep", "cause", "signature", "time", "format", "status", "queued", "buffered",
           "requests", "stalled", "size", "new_size", "length", "seal", "manifest")  # fmt: skip
EVERY_COLUMN = (*COLUMNS, "id", "run", "branch", "parent", "tags", "note", "base")


def lose(
    file: Path, columns: Iterable[str], checkpoint_id: str, *, indexed: bool = False
) -> None:
    """Make columns of a row NULL, as one bit of damage does: also those that are
    declared NOT NULL. Its indexes still tell what it was, unless they are `indexed` as
    they are now.
    """
    schema = "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema"
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        entries = db.execute(schema).fetchall()
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', '')")
        if not indexed:
            db.execute("UPDATE sqlite_schema SET sql = replace(sql, 'UNIQUE', '')")
            db.execute("DELETE FROM sqlite_schema WHERE type = 'index'")
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        lost = ", ".join(f"{column} = NULL" for column in columns)
        db.execute(f"UPDATE checkpoint SET {lost} WHERE id = ?", (checkpoint_id,))  # noqa: S608 - constants
        db.execute("PRAGMA writable_schema = ON")
        db.execute("DELETE FROM sqlite_schema")
        db.executemany("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", entries)


class TestColumnsThatAreLost(DamageConformance):
    @pytest.fixture
    def open_(self, file: Path) -> StoreFactory:
        return lambda: open_store(f"sqlite:{file}")

    @pytest.fixture(params=COLUMNS)
    def damage(
        self, file: Path, request: pytest.FixtureRequest
    ) -> Callable[[str], None]:
        return lambda checkpoint_id: lose(file, [request.param], checkpoint_id)


class TestRowsThatAreLost(MarkedConformance):
    """As in a file that is cut inside of its last page."""

    pytestmark = pytest.mark.asyncio

    @pytest.fixture
    def open_(self, file: Path) -> StoreFactory:
        return lambda: open_store(f"sqlite:{file}")

    @pytest.fixture
    def damage(self, file: Path) -> Callable[[str], None]:
        return lambda checkpoint_id: lose(file, EVERY_COLUMN, checkpoint_id)


class TestColumnsThatTheIndexLostToo(MarkedConformance):
    pytestmark = pytest.mark.asyncio

    @pytest.fixture
    def open_(self, file: Path) -> StoreFactory:
        return lambda: open_store(f"sqlite:{file}")

    @pytest.fixture(params=["run", "branch"])
    def damage(
        self, file: Path, request: pytest.FixtureRequest
    ) -> Callable[[str], None]:
        return lambda checkpoint_id: lose(
            file, [request.param], checkpoint_id, indexed=True
        )


@pytest.mark.parametrize(
    "spoiling",
    [
        "UPDATE checkpoint SET run = 999 WHERE id = ?",
        "UPDATE checkpoint SET branch = x'ff' WHERE id = ?",
        "DELETE FROM run WHERE id = (SELECT run FROM checkpoint WHERE id = ?)",
        "UPDATE run SET run_id = x'ff' WHERE id = (SELECT run FROM checkpoint WHERE id = ?)",
        "UPDATE run SET run_id = CAST(x'ff' AS TEXT) WHERE id = (SELECT run FROM checkpoint WHERE id = ?)",
        "UPDATE run SET run_id = 'rum' WHERE id = (SELECT run FROM checkpoint WHERE id = ?)",
        "UPDATE word SET text = x'ff' WHERE id = (SELECT workflow FROM checkpoint WHERE id = ?)",
        "UPDATE word SET text = CAST(x'ff' AS TEXT) WHERE id = (SELECT workflow FROM checkpoint WHERE id = ?)",
        "UPDATE word SET text = 'another' WHERE id = (SELECT workflow FROM checkpoint WHERE id = ?)",
        "UPDATE word SET text = 5 WHERE id = (SELECT branch FROM checkpoint WHERE id = ?)",
        "UPDATE word SET text = 'another' WHERE id = (SELECT branch FROM checkpoint WHERE id = ?)",
    ],
)
class TestDamageOfWhatManyShare(NeverEmptyConformance):
    pytestmark = pytest.mark.asyncio

    @pytest.fixture
    def open_(self, file: Path) -> StoreFactory:
        return lambda: open_store(f"sqlite:{file}")

    @pytest.fixture
    def damage(self, file: Path, spoiling: str) -> Callable[[str], None]:
        return lambda checkpoint_id: change(file, spoiling, checkpoint_id)


@pytest.mark.parametrize(
    "spoiling",
    [
        "UPDATE checkpoint SET superstep = superstep + 1 WHERE id = 'a'",
        "UPDATE checkpoint SET manifest = zeroblob(length) WHERE id = 'a'",
        "UPDATE checkpoint SET base = 999 WHERE id = 'a'",
        "UPDATE checkpoint SET manifest = CAST(replace(CAST(manifest AS TEXT), 'k', 'l') AS BLOB) WHERE id = 'a'",
    ],
)
async def test_case_73_a_row_that_is_not_what_was_saved_is_refused(
    file: Path, open_: StoreFactory, spoiling: str
) -> None:
    async with opened(open_) as store:
        await save(store, "a")
    change(file, spoiling)
    async with opened(open_) as store:
        with pytest.raises(CheckpointDamagedError, match="Checkpoint a is damaged"):
            await store.load("a")


@pytest.mark.parametrize(
    "damage",
    [
        *(
            "id = x'ff'",
            "superstep = 'two'",
            "time = 'now'",
            "size = 1.5",
            "note = x'ff'",
            "tags = '[1]'",
            "tags = '{}'",
        ),
        *(
            "id = CAST(x'ff' AS TEXT)",
            "note = CAST(x'ff' AS TEXT)",
            "parent = CAST(x'ff' AS TEXT)",
        ),
    ],
)
async def test_case_73_a_value_of_another_type_is_listed_as_damaged(
    file: Path, open_: StoreFactory, damage: str
) -> None:
    async with opened(open_) as store:
        await save(store, "a")
        await save(store, "b")
    with closing(sqlite3.connect(file)) as db, db:
        db.execute(f"UPDATE checkpoint SET {damage} WHERE sequence = 2")  # noqa: S608 - constants of this test
    async with opened(open_) as store:
        sound, damaged = await store.headers()
        assert (sound.damaged, damaged.sequence) == ("", 2)
        assert "header cannot be read" in damaged.damaged
        assert all(
            type(text) is str
            for text in (damaged.id, damaged.run_id, damaged.note, *damaged.tags)
        )


@pytest.mark.parametrize("read_only", [True, False])
async def test_damaged_tables_of_which_sqlite_cannot_speak_are_said_in_words(
    file: Path, open_: StoreFactory, read_only: bool
) -> None:
    async with opened(open_) as store:
        await save(store, "a")
    file.write_bytes(file.read_bytes().replace(b"CREATE TABLE", b"CREATE T\xce\xffLE"))
    damaged = file.read_bytes()
    with pytest.raises(CheckpointStoreError, match="the file is damaged"):
        SqliteStore(str(file), read_only=read_only)
    assert file.read_bytes() == damaged


async def test_case_73_a_record_whose_run_is_lost_is_listed_as_damaged(
    file: Path, open_: StoreFactory
) -> None:
    async with opened(open_) as store:
        await save(store, "a")
    change(file, "DELETE FROM run")
    async with opened(open_) as store:
        assert [
            (header.id, bool(header.damaged)) for header in await store.headers()
        ] == [("a", True)]
        assert [summary.latest.id for summary in await store.runs()] == ["a"]
        with pytest.raises(CheckpointDamagedError, match="its run"):
            await store.load("a")


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="no limit for files here")
async def test_a_medium_without_room_fails_with_a_remedy_and_goes_on_when_there_is(
    file: Path, open_: StoreFactory
) -> None:
    import resource

    async with opened(open_) as store:
        await save(store, "a")
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(
            resource.RLIMIT_FSIZE, (file.stat().st_size + 100_000, limits[1])
        )
        try:
            with pytest.raises(CheckpointStoreError, match="has room"):
                await store.save(
                    *record_of("b", {"k": os.urandom(1_000_000)}, parent="a")
                )
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert await ids(store) == ["a"]
        await store.save(*record_of("b", {"k": os.urandom(1_000_000)}, parent="a"))
        assert await ids(store) == ["a", "b"]


async def test_case_73_a_record_that_another_one_builds_on_is_checked_too(
    file: Path, open_: StoreFactory
) -> None:
    async with opened(open_) as store:
        parts = {f"k{number}": b"%d" % number for number in range(20)}
        await store.save(*record_of("a", parts))
        await store.save(*record_of("b", {**parts, "k0": b"new"}, parent="a"))
    change(
        file,
        "UPDATE checkpoint SET manifest = CAST(replace(manifest, 'k5', 'k6') AS BLOB) WHERE id = 'a'",
    )
    async with opened(open_) as store:
        for checkpoint_id in "ab":
            with pytest.raises(CheckpointDamagedError, match="not what was saved"):
                await store.load(checkpoint_id)


@pytest.mark.parametrize(
    "spoiling",
    [
        "UPDATE part SET data = substr(data, 2)",
        "UPDATE part SET data = 'text'",
        "DELETE FROM part",
        "",
    ],
)
async def test_case_127_a_part_that_does_not_match_its_digest_is_refused(
    file: Path, open_: StoreFactory, spoiling: str
) -> None:
    async with opened(open_) as store:
        record, parts = record_of("a", {"k": b"abc"})
        await store.save(record, parts)
    if spoiling:
        change(file, spoiling)
    else:
        change(file, "UPDATE part SET data = ?", b"\x80\x04cos\nsystem\n(S'true'\ntR.")
    async with opened(open_) as store:
        with pytest.raises(CheckpointDamagedError):
            await store.parts(list(parts))


# --- several at once ----------------------------------------------------------------------------------------------


async def test_case_85_a_lock_that_is_held_too_long_says_busy(file: Path) -> None:
    store = SqliteStore(file, patience=0.05)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(CheckpointStoreError, match="busy"):
        await save(store, "a")
    assert await ids(store) == []
    other.execute("ROLLBACK")
    other.close()
    await save(store, "a")
    assert await ids(store) == ["a"]
    await store.close()


# --- files --------------------------------------------------------------------------------------------------------


async def test_closing_leaves_one_file(file: Path, open_: StoreFactory) -> None:
    async with opened(open_) as store:
        await save(store, "a")
    assert names(file.parent) == ["runs.db"]


async def test_a_store_that_is_forgotten_ends_its_thread(file: Path) -> None:
    store = SqliteStore(file)
    await save(store, "a")
    thread = store._worker._thread
    del store
    thread.join(timeout=30)
    assert not thread.is_alive()


async def test_case_122_a_newer_format_is_refused_by_number_and_untouched(
    file: Path, open_: StoreFactory
) -> None:
    async with opened(open_) as store:
        await save(store, "a")
    change(file, "PRAGMA user_version = 7")
    before = file.read_bytes()
    for read_only in (False, True):
        with pytest.raises(
            CheckpointStoreError, match=rf"has format 7.*up to {FORMAT}.*untouched"
        ):
            open_store(f"sqlite:{file}", read_only)
    assert file.read_bytes() == before


def test_a_file_of_another_program_is_refused_and_untouched(
    file: Path, tmp_path: Path
) -> None:
    change(file, "CREATE TABLE theirs (x)")
    text = tmp_path / "text.db"
    text.write_text("not a database, but long enough to look at" * 100)
    for path, reason in ((file, "another program"), (text, "no SQLite file")):
        before = path.read_bytes()
        for read_only in (False, True):
            with pytest.raises(CheckpointStoreError, match=reason):
                open_store(f"sqlite:{path}", read_only)
        assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content", [b"x", b"my notes", b"\0" * 99, b"SQLite format 3\0", b"x" * 100]
)
def test_a_file_too_short_to_be_a_database_is_no_empty_one(
    tmp_path: Path, content: bytes
) -> None:
    notes = tmp_path / "notes.db"
    notes.write_bytes(content)
    for read_only in (False, True):
        with pytest.raises(CheckpointStoreError, match="no SQLite file"):
            open_store(f"sqlite:{notes}", read_only)
    assert names(tmp_path) == ["notes.db"]
    assert notes.read_bytes() == content


def test_reading_what_is_not_there_creates_nothing(tmp_path: Path) -> None:
    for name in ("none.db", "folder/none.db"):
        with pytest.raises(CheckpointStoreError, match="There is no file"):
            open_store(f"sqlite:{tmp_path}/{name}", read_only=True)
    assert names(tmp_path) == []
    empty = tmp_path / "empty.db"
    empty.touch()
    with pytest.raises(CheckpointStoreError, match="is empty"):
        open_store(f"sqlite:{empty}", read_only=True)
    assert empty.stat().st_size == 0


def test_what_cannot_be_opened_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CheckpointStoreError, match="Check the path"):
        open_store(f"sqlite:{tmp_path}/file/runs.db")
    with pytest.raises(CheckpointStoreError, match="cannot be opened"):
        open_store(f"sqlite:{tmp_path}")


@pytest.fixture
def sealed(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "sealed"
    folder.mkdir()
    yield folder
    folder.chmod(0o755)


async def test_case_198_a_copy_in_a_folder_that_cannot_be_written_is_read(
    file: Path, sealed: Path, open_: StoreFactory
) -> None:
    async with opened(open_) as store:
        await save(store, "a")
    shutil.copy(file, sealed)
    sealed.chmod(0o555)
    async with opened(
        lambda: open_store(f"sqlite:{sealed}/runs.db", read_only=True)
    ) as store:
        assert await ids(store) == ["a"]
        assert (await store.load("a")).header.id == "a"
        with pytest.raises(CheckpointStoreError, match="reading only"):
            await save(store, "b")
        assert names(sealed) == ["runs.db"]


async def test_a_store_in_a_folder_that_cannot_be_written_refuses_a_writer_and_says_what_to_do(
    file: Path, sealed: Path, open_: StoreFactory
) -> None:
    async with opened(open_) as store:
        await save(store, "a")
    shutil.copy(file, sealed)
    sealed.chmod(0o555)
    with pytest.raises(
        CheckpointStoreError, match=r"folder is read-only.*save the workflow in another"
    ):
        open_store(f"sqlite:{sealed}/runs.db")
    assert names(sealed) == ["runs.db"]


async def test_a_reader_follows_a_writer_that_comes_and_goes(
    file: Path, open_: StoreFactory
) -> None:
    """A file that nobody has open is read without locks; what a writer does is seen all
    the same.
    """
    async with opened(open_) as writer:
        await save(writer, "a")
    async with opened(lambda: open_store(f"sqlite:{file}", read_only=True)) as reader:
        assert await ids(reader) == ["a"]
        assert names(file.parent) == ["runs.db"]
        async with opened(open_) as writer:
            await save(writer, "b", workflow="new")
            assert await ids(reader) == ["a", "b"]
            await save(writer, "c")
            assert await ids(reader) == ["a", "b", "c"]
            await writer.delete_run("run")
            await save(writer, "d", workflow="newer")
        assert [(header.id, header.workflow) for header in await reader.headers()] == [
            ("d", "newer")
        ]
        with pytest.raises(CheckpointNotFoundError):
            await reader.load("a")


@pytest.mark.parametrize("lost", ["runs.db", "runs.db-wal"])
async def test_a_file_that_is_removed_or_replaced_under_way_takes_no_more_checkpoints(
    file: Path, open_: StoreFactory, lost: str
) -> None:
    async with opened(open_) as store:
        await save(store, "a")
        file.with_name(lost).unlink()
        with pytest.raises(
            CheckpointStoreError, match=f"{lost} was removed or replaced"
        ):
            await store.save(*record_of("b", parent="a"))
        file.with_name(lost).touch()
        with pytest.raises(
            CheckpointStoreError, match=f"{lost} was removed or replaced"
        ):
            await store.save(*record_of("b", parent="a"))


async def test_a_reader_by_way_of_a_link_sees_what_is_in_the_log(
    file: Path, open_: StoreFactory
) -> None:
    link = file.parent / "elsewhere" / "link.db"
    link.parent.mkdir()
    link.symlink_to(file)
    async with opened(open_) as store:
        await save(store, "a")
        async with opened(
            lambda: open_store(f"sqlite:{link}", read_only=True)
        ) as reader:
            assert await ids(reader) == ["a"]
            await save(store, "b")
            assert await ids(reader) == ["a", "b"]
        async with opened(lambda: open_store(f"sqlite:{link}")) as another:
            await save(another, "c")
            assert await ids(store) == ["a", "b", "c"]


@pytest.mark.parametrize("read_only", [False, True])
async def test_what_a_relative_path_means_does_not_change_with_the_working_directory(
    file: Path, open_: StoreFactory, monkeypatch: pytest.MonkeyPatch, read_only: bool
) -> None:
    async with opened(open_) as store:
        await save(store, "a")
    monkeypatch.chdir(file.parent)
    async with opened(lambda: open_store(f"sqlite:{file.name}", read_only)) as store:
        monkeypatch.chdir("/")
        assert await ids(store) == ["a"]


@pytest.mark.parametrize(
    "name", [":memory:", "file:x?mode=memory", "file:y", "a#b?c%20.db"]
)
async def test_a_file_is_called_as_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened(lambda: open_store(f"sqlite:{name}")) as store:
        await save(store, "a")
    assert names(tmp_path) == [name]
    async with opened(lambda: open_store(f"sqlite:{name}", read_only=True)) as store:
        assert await ids(store) == ["a"]


async def test_a_reader_asks_again_when_the_file_changed_meanwhile(
    file: Path, open_: StoreFactory
) -> None:
    async with opened(open_) as store:
        await save(store, "a")
    reader = Reading(file, "url", 1.0)
    asked: list[str] = []

    def question(database: Database) -> str:
        asked.append(database.load("a").header.note)
        if len(asked) == 1:
            change(file, "UPDATE checkpoint SET note = 'changed'")
        return asked[-1]

    assert reader.run(question) == "changed"
    assert asked == ["", "changed"]
    reader.close()


def test_case_90_setting_up_waits_for_another_process_that_does_the_same(
    file: Path,
) -> None:
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.1, other.close)
    release.start()
    Writing(file, "url", 5.0).close()
    release.join()


def test_what_was_remembered_in_a_transaction_that_failed_is_forgotten(
    file: Path,
) -> None:
    class Full:
        """A connection whose next commit fails."""

        def __init__(self, db: sqlite3.Connection) -> None:
            self.db = db
            self.fails = True

        def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
            if statement == "COMMIT" and self.fails:
                self.fails = False
                raise sqlite3.OperationalError("database or disk is full")
            return self.db.execute(statement, *values)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.db, name)

    Writing(file, "url", 1.0).close()
    connection: Any = Full(sqlite3.connect(file, isolation_level=None))
    database = Database(connection)
    first = record_of("a", {f"k{i}": b"%d" % i for i in range(20)}, workflow="new")
    with pytest.raises(sqlite3.OperationalError):
        database.save(*first)
    assert (
        database.headers(
            run_id=None, workflow=None, branch=None, tag=None, after=0, limit=None
        )
        == []
    )
    database.save(*first)
    second = record_of(
        "b", {f"k{i}": b"%d" % (i // 19) for i in range(20)}, workflow="new", parent="a"
    )
    database.save(*second)
    for record, _ in (first, second):
        loaded = database.load(record.header.id)
        assert (loaded.manifest, loaded.header.workflow) == (record.manifest, "new")
    database.close()


def test_what_is_removed_while_another_is_read_makes_it_look_no_different(
    file: Path,
) -> None:
    """The record that another builds on goes after its row was read, and before that of
    the base.
    """

    class Between:
        """Calls somebody else before the third query."""

        def __init__(
            self, db: sqlite3.Connection, others: Callable[[], object]
        ) -> None:
            self.db = db
            self.others = others
            self.asked = 0

        def execute(self, *statement: Any) -> sqlite3.Cursor:
            self.asked += "SELECT" in statement[0]
            if self.asked == 3:
                self.others()
            return self.db.execute(*statement)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.db, name)

    Writing(file, "url", 1.0).close()
    writer = Database(sqlite3.connect(file, isolation_level=None))
    parts = {f"k{number}": b"%d" % number for number in range(20)}
    records = [
        record_of(
            str(at), {**parts, "k0": b"%d" % at}, parent=str(at - 1) if at else None
        )
        for at in range(3)
    ]
    for record, data in records:
        writer.save(record, data)
    connection: Any = Between(
        sqlite3.connect(file, isolation_level=None), lambda: writer.delete(["0"])
    )
    reader = Database(connection)
    assert reader.load("1").manifest == records[1][0].manifest
    assert connection.asked > 3
    assert (
        reader.load("1").manifest == writer.load("1").manifest == records[1][0].manifest
    )
    reader.close()
    writer.close()


ACTIONS: dict[str, Callable[[Database], object]] = {
    "delete": lambda database: database.delete(["0", "2", "3"]),
    "delete run": lambda database: database.delete_run("run"),
    "annotate": lambda database: database.annotate("1", ("t",), "n"),
}


@pytest.mark.parametrize("action", ACTIONS)
def test_case_93_a_removal_that_fails_in_the_middle_changes_nothing(
    file: Path, action: str
) -> None:
    """The medium fails at each statement in turn; what is remembered afterwards is
    right, too.
    """

    class Failing:
        def __init__(self, db: sqlite3.Connection) -> None:
            self.db = db
            self.left = 10**9

        def execute(self, *statement: Any) -> sqlite3.Cursor:
            return self._count(self.db.execute, statement)

        def executemany(self, *statement: Any) -> sqlite3.Cursor:
            return self._count(self.db.executemany, statement)

        def _count(
            self, call: Callable[..., sqlite3.Cursor], statement: tuple[Any, ...]
        ) -> sqlite3.Cursor:
            self.left -= 1
            if self.left == 0 and statement[0] != "ROLLBACK":
                raise sqlite3.OperationalError("disk I/O error")
            return call(*statement)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.db, name)

    Writing(file, "url", 1.0).close()
    connection: Any = Failing(sqlite3.connect(file, isolation_level=None))
    database = Database(connection)
    parts = {f"k{number}": b"%d" % number for number in range(20)}
    for number in range(6):
        parts[f"k{number}"] = b"new %d" % number
        database.save(
            *record_of(str(number), parts, parent=str(number - 1) if number else None)
        )

    def dump() -> list[str]:
        return list(connection.db.iterdump())

    before = dump()
    for step in range(1, 200):
        connection.left = step
        try:
            ACTIONS[action](database)
        except sqlite3.OperationalError:
            assert dump() == before
            continue
        break
    assert step > 5
    assert dump() != before
    connection.left = 10**9
    database.save(
        *record_of("next", parts, parent=None if action == "delete run" else "5")
    )
    assert database.load("next").manifest == record_of("next", parts)[0].manifest
    database.close()


# --- cost ---------------------------------------------------------------------------------------------------------


async def test_a_checkpoint_of_many_keys_costs_little(
    file: Path, open_: StoreFactory
) -> None:
    """One small key of a hundred changes: less than a kilobyte of the file for each
    checkpoint.
    """
    from runtime.checkpoints.archive import Archive

    async with opened(open_) as store:
        archive = Archive(store)
        shared: dict[str, Any] = {f"key {number}": "x" * 50 for number in range(100)}
        parent = None
        sizes = []
        for half in range(2):
            for step in range(200):
                shared = {**shared, "key 50": half * 1000 + step}
                parent = await archive.save(
                    RunState(step, shared=shared), Trace(), run_id="run", workflow="w", cause=Cause.SUPERSTEP,
                    parent=parent, branch="main",
                )  # fmt: skip
            change(file, "PRAGMA wal_checkpoint(TRUNCATE)")
            sizes.append(file.stat().st_size)
        assert (sizes[1] - sizes[0]) / 200 < 1024


async def test_the_head_of_a_branch_is_found_by_an_index(
    file: Path, open_: StoreFactory
) -> None:
    """Each save asks for it: the table is never walked."""
    async with opened(open_) as store:
        await save(store, "a")
    with sqlite3.connect(file) as db:
        plan = [
            row[3]
            for row in db.execute(
                f"EXPLAIN QUERY PLAN {_PLACE}", ("run", "b", "a", "main")
            )
        ]
    db.close()
    assert "SEARCH checkpoint USING INDEX checkpoint_run (run=?)" in plan
    # Of the highest sequences only the last entry is looked at.
    assert {step for step in plan if step.startswith("SCAN")} <= {"SCAN CONSTANT ROW"}


async def test_a_record_with_its_parts_is_what_the_two_are_one_by_one(
    open_: StoreFactory, file: Path
) -> None:
    async with opened(open_) as store:
        assert isinstance(store, SqliteStore)
        header = await Archive(store).save(
            RunState(shared={"a": [1], "b": [1]}), Trace(), run_id="r", workflow="w", cause=Cause.INPUT, parent=None,
            branch="main",
        )  # fmt: skip
        record = await store.load(header.id)
        # two values of one text are one part
        assert len(record.digests) < len(record.manifest)
        assert await store.whole(header.id) == (
            record,
            await store.parts(record.digests),
        )
        with pytest.raises(CheckpointNotFoundError):
            await store.whole("unknown")
        change(file, "UPDATE part SET data = x'00'")
        with pytest.raises(CheckpointDamagedError):
            await store.whole(header.id)
        with pytest.raises(CheckpointDamagedError) as caught:
            await Archive(store).load(header.id)
        assert caught.value.checkpoint_id == header.id


@pytest.mark.parametrize(
    "statement",
    [
        (
            "DROP TABLE word; CREATE VIEW word AS WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n) "
            "SELECT v AS id, 'x' AS text FROM n"
        ),
        "CREATE TRIGGER t AFTER INSERT ON part BEGIN DELETE FROM run; END",
        "ALTER TABLE checkpoint ADD COLUMN bomb TEXT AS (hex(zeroblob(900000000)))",
        "ALTER TABLE checkpoint ADD COLUMN bomb TEXT AS/**/(hex(zeroblob(900000000)))",
        "DROP TABLE word; CREATE VIRTUAL TABLE word USING fts5(id, text)",
    ],
)
async def test_a_file_in_which_a_query_runs_what_somebody_else_wrote_is_refused(
    file: Path, open_: StoreFactory, statement: str
) -> None:
    """A view in the place of a table has rows without end."""
    async with opened(open_) as store:
        await save(store, "a")
    with closing(sqlite3.connect(file)) as db:
        db.executescript(statement)
    for url in (f"sqlite:{file}", f"sqlite:{file}?mode=ro"):
        with pytest.raises(CheckpointStoreError, match="no plain table of a store"):
            await open_store(url.partition("?")[0], "mode" in url).headers()
