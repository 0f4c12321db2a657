"""The store in PostgreSQL: the contract of all stores, and what it does with texts,
tables and formats.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, LiteralString
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql

from runtime.checkpoint import Cause, Record, digest_of
from runtime.checkpoints.archive import Archive
from runtime.errors import (
    BranchMovedError,
    CheckpointDamagedError,
    CheckpointStoreError,
    PartsMissingError,
)
from runtime.state import RunState, Trace
from runtime.stores import open_store
from runtime.stores.postgres.address import parse
from runtime.stores.postgres.schema import STEPS, prepare
from runtime.testing.conformance import (
    HOSTILE,
    DamageConformance,
    MarkedConformance,
    NeverEmptyConformance,
    ProcessConformance,
    StoreConformance,
    StoreFactory,
    check_whole,
    ids,
    opened,
    record_of,
    save,
)
from tests.postgres import database


def ask(url: str, query: LiteralString | sql.Composed, *values: object) -> list[Any]:
    """What somebody else does in the database; its answer, if it has one."""
    with psycopg.connect(url) as connection:
        cursor = connection.execute(query, values or None)
        return cursor.fetchall() if cursor.description else []


def name_of(url: str) -> sql.Identifier:
    return sql.Identifier(urlsplit(url).path[1:])


@pytest.fixture
def open_(postgres_url: str) -> StoreFactory:
    return lambda: open_store(postgres_url)


class InPostgres:
    @pytest.fixture
    def url(self, postgres_url: str) -> str:
        return postgres_url

    @pytest.fixture
    def open_(self, postgres_url: str) -> StoreFactory:
        return lambda: open_store(postgres_url)


class TestPostgres(InPostgres, StoreConformance):
    pass


class TestProcesses(InPostgres, ProcessConformance):
    pass


SPOILINGS: dict[str, LiteralString] = {
    "bad JSON": "UPDATE stepwell.checkpoint SET header = '[' WHERE id = %s",
    "no UTF-8": r"UPDATE stepwell.checkpoint SET workflow = '\xff' WHERE id = %s",
    "a cut list": "UPDATE stepwell.checkpoint SET steps = substr(steps, 2) || 'x' WHERE id = %s",
    "another's record": "UPDATE stepwell.checkpoint SET (header, base, steps, seal) = "
    "(SELECT header, base, steps, seal FROM stepwell.checkpoint WHERE id = 'a') WHERE id = %s",
    "a lost branch": "UPDATE stepwell.checkpoint SET line = line + 1 WHERE id = %s",
    "no branch": "UPDATE stepwell.checkpoint SET line = line + 100 WHERE id = %s",
    "another workflow": "UPDATE stepwell.checkpoint SET workflow = 'floh' WHERE id = %s",
}
SHARED: dict[str, LiteralString] = {
    "a lost run": "UPDATE stepwell.checkpoint SET run = run + 100 WHERE id = %s",
    "no run": "DELETE FROM stepwell.run WHERE number = (SELECT run FROM stepwell.checkpoint WHERE id = %s)",
    "a run of another name": "UPDATE stepwell.run SET run_id = 'rum' "
    "WHERE number = (SELECT run FROM stepwell.checkpoint WHERE id = %s)",
    "no name of a run": r"UPDATE stepwell.run SET run_id = '\xff' "
    "WHERE number = (SELECT run FROM stepwell.checkpoint WHERE id = %s)",
    "no line": "DELETE FROM stepwell.line WHERE number = (SELECT line FROM stepwell.checkpoint WHERE id = %s)",
    "a branch of another name": "UPDATE stepwell.line SET branch = 'mail' "
    "WHERE number = (SELECT line FROM stepwell.checkpoint WHERE id = %s)",
}


class TestDamage(InPostgres, DamageConformance):
    @pytest.fixture(params=SPOILINGS)
    def damage(
        self, request: pytest.FixtureRequest, postgres_url: str
    ) -> Callable[[str], None]:
        return lambda checkpoint_id: (
            ask(postgres_url, SPOILINGS[request.param], checkpoint_id.encode()) and None
        )


class TestColumnsThatAreLost(InPostgres, MarkedConformance):
    """Nothing stands where a row must have something: the server lets that through once
    the column says so.
    """

    pytestmark = pytest.mark.asyncio

    @pytest.fixture(
        params=[
            "run",
            "line",
            "workflow",
            "tags",
            "note",
            "header",
            "base",
            "steps",
            "seal",
        ]
    )
    def damage(
        self, request: pytest.FixtureRequest, postgres_url: str
    ) -> Callable[[str], None]:
        column = sql.Identifier(request.param)

        def lose(checkpoint_id: str) -> None:
            ask(
                postgres_url,
                sql.SQL(
                    "ALTER TABLE stepwell.checkpoint ALTER {} DROP NOT NULL"
                ).format(column),
            )
            update = sql.SQL(
                "UPDATE stepwell.checkpoint SET {} = NULL WHERE id = %s"
            ).format(column)
            ask(postgres_url, update, checkpoint_id.encode())

        return lose


class TestDamageOfWhatManyShare(InPostgres, NeverEmptyConformance):
    pytestmark = pytest.mark.asyncio

    @pytest.fixture(params=SHARED)
    def damage(
        self, request: pytest.FixtureRequest, postgres_url: str
    ) -> Callable[[str], None]:
        return lambda checkpoint_id: (
            ask(postgres_url, SHARED[request.param], checkpoint_id.encode()) and None
        )


# --- damage that is particular ----------------------------------------------------------------------------------------


async def test_case_73_a_record_whose_run_is_lost_is_listed_as_damaged(
    postgres_url, open_
) -> None:
    async with opened(open_) as store:
        await save(store, "a")
        ask(postgres_url, "DELETE FROM stepwell.run")
        assert [
            (header.id, header.workflow, bool(header.damaged))
            for header in await store.headers()
        ] == [("a", "flow", True)]
        assert [run.checkpoints for run in await store.runs()] == [1]


async def test_a_branch_whose_head_was_removed_from_outside_goes_on_from_what_is_left(
    postgres_url, open_
) -> None:
    async with opened(open_) as store:
        for checkpoint_id in "abc":
            await save(store, checkpoint_id)
        ask(postgres_url, "DELETE FROM stepwell.checkpoint WHERE id = 'c'")
        with pytest.raises(BranchMovedError):
            await save(store, "d", parent="a")
        await save(store, "d", parent="b")
        assert await ids(store) == ["a", "b", "d"]


@pytest.mark.parametrize("spoiling", ["DELETE FROM stepwell.part WHERE digest = %s",
                                      "UPDATE stepwell.part SET data = 'x' WHERE digest = %s"])  # fmt: skip
async def test_case_127_a_part_that_does_not_match_its_digest_is_refused(
    postgres_url, open_, spoiling
) -> None:
    """Be it a value, or the list that the lists of later checkpoints are differences
    to.
    """
    async with opened(open_) as store:
        for number in range(3):
            parts = {
                "k": b"kept",
                "l": str(number).encode(),
                **{f"m{i}": b"same" for i in range(10)},
            }
            await store.save(
                *record_of(
                    str(number), parts, parent=str(number - 1) if number else None
                )
            )
        ((base, records),) = ask(
            postgres_url, "SELECT base, count(*) FROM stepwell.checkpoint GROUP BY base"
        )
        assert records == 3
        ask(postgres_url, spoiling, bytes.fromhex(digest_of(b"kept")))
        with pytest.raises(CheckpointDamagedError, match="part"):
            await store.parts([digest_of(b"0"), digest_of(b"kept")])
        ask(postgres_url, spoiling, base)
        for number in range(3):
            with pytest.raises(CheckpointDamagedError, match="missing or not intact"):
                await store.load(str(number))


# --- texts ------------------------------------------------------------------------------------------------------------


async def test_case_91_a_nul_in_a_text_is_kept(open_: StoreFactory) -> None:
    async with opened(open_) as store:
        shared = {"t": "a\0b", "k\0": 1, "n": {"\0": ["\0"]}, "u": "\\u0000"}
        header = await Archive(store).save(
            RunState(shared=shared),
            Trace(),
            run_id="r\0",
            workflow="w\0",
            cause=Cause.INPUT,
            parent=None,
            branch="b\0",
        )
        assert (await Archive(store).load(header.id)).state.shared == shared
        assert await store.headers(run_id="r\0", workflow="w\0", branch="b\0") == [
            header
        ]
        # What an escape could look like is another id.
        for number, name in enumerate(
            ["x\0", "x", "x\\0", "x\\000", "x\\u0000", "x\ufffd", "x\u2400"]
        ):
            await save(store, name, run_id=name, branch=name, tags=(name,), note=name)
            assert (await store.load(name)).header.note == name
            assert await ids(store, tag=name) == await ids(store, branch=name) == [name]
            assert len(await store.runs()) == number + 2


async def test_a_text_of_any_length_and_in_a_database_of_any_encoding_is_kept(
    postgres_server: str,
) -> None:
    """An index entry has 2,700 bytes, and Latin 1 no Vietnamese."""
    long = "".join(hashlib.sha256(bytes([i])).hexdigest() for i in range(200))
    with database(postgres_server, "ENCODING 'LATIN1'") as url:
        async with opened(lambda: open_store(url)) as store:
            for name in (*HOSTILE, long, long + "x"):
                await save(
                    store, name, run_id=name, workflow=name, branch=name, tags=(name,)
                )
            for name in (*HOSTILE, long, long + "x"):
                assert await ids(
                    store, run_id=name, workflow=name, branch=name, tag=name
                ) == [name]


async def test_numbers_of_any_size_are_kept(open_: StoreFactory) -> None:
    async with opened(open_) as store:
        header = await save(
            store,
            "a",
            format=10**40,
            queued=-(2**63) - 1,
            size=2**64,
            time=float("inf"),
        )
        assert await store.headers() == [header]
        assert (header.format, header.queued, header.size, header.time) == (
            10**40,
            -(2**63) - 1,
            2**64,
            float("inf"),
        )
        assert await ids(store, after=-(10**30)) == ["a"]


# --- parts ------------------------------------------------------------------------------------------------------------


async def test_case_93_nothing_is_left_of_what_was_deleted(
    postgres_url: str, open_: StoreFactory
) -> None:
    async with opened(open_) as store:
        for run_id in ("one", "two"):
            for number in range(20):
                branch = "fork" if number == 19 else "main"
                if number == 19:
                    parent = f"{run_id} 3"
                elif number:
                    parent = f"{run_id} {number - 1}"
                else:
                    parent = None
                parts = {"k": b"both", "l": f"{run_id} {number}".encode()}
                record, given = record_of(
                    f"{run_id} {number}",
                    parts,
                    run_id=run_id,
                    branch=branch,
                    parent=parent,
                )
                await store.save(record, given)
        await store.delete([f"one {number}" for number in range(18)])
        # What the two heads use, and the lists that theirs are differences to.
        lists = ask(
            postgres_url,
            "SELECT DISTINCT base FROM stepwell.checkpoint WHERE id LIKE 'one %'",
        )
        used = "SELECT digest FROM stepwell.part JOIN stepwell.used USING (digest) JOIN stepwell.run ON number = run"
        assert {
            digest for (digest,) in ask(postgres_url, used + " WHERE run_id = 'one'")
        } == {
            *(
                bytes.fromhex(digest_of(data))
                for data in (b"both", b"one 18", b"one 19")
            ),
            *(base for (base,) in lists),
        }
        await store.delete_run("one")
        await store.delete_run("two")
        for table in ("run", "line", "checkpoint", "part", "used"):
            assert (
                ask(
                    postgres_url,
                    sql.SQL("SELECT * FROM stepwell.{}").format(sql.Identifier(table)),
                )
                == []
            )


async def test_what_a_damaged_record_may_use_stays_until_its_run_goes(
    postgres_url: str, open_: StoreFactory
) -> None:
    async with opened(open_) as store:
        for checkpoint_id, parent in (("a", None), ("b", "a"), ("c", "b")):
            record, given = record_of(
                checkpoint_id,
                {"k": b"of a and b" if checkpoint_id < "c" else b"c"},
                parent=parent,
            )
            await store.save(record, given)
        ((header,),) = ask(
            postgres_url, "SELECT header FROM stepwell.checkpoint WHERE id = 'b'"
        )
        ask(postgres_url, "UPDATE stepwell.checkpoint SET header = 'x' WHERE id = 'b'")
        assert await store.delete(["a"]) == 1
        ask(
            postgres_url,
            "UPDATE stepwell.checkpoint SET header = %s WHERE id = 'b'",
            header,
        )
        assert [header.id for header in await check_whole(store)] == ["b", "c"]


async def test_what_is_remembered_of_a_parent_is_forgotten_when_that_is_another_one(
    open_: StoreFactory,
) -> None:
    async with opened(open_) as store, opened(open_) as other:
        await store.save(*record_of("a", {"k": b"1"}))
        await other.delete_run("run")
        await other.save(*record_of("a", {"l": b"2"}))
        record, given = record_of("b", {"k": b"1", "l": b"3"}, parent="a")
        with pytest.raises(PartsMissingError):
            await store.save(record, {digest_of(b"3"): b"3"})
        await store.save(record, given)
        assert await other.load("b") == Record(
            (await other.headers())[-1], record.manifest
        )
        assert await other.parts(list(given)) == given


# --- tables -----------------------------------------------------------------------------------------------------------

LONGER = (
    *STEPS,
    "ALTER TABLE checkpoint ADD COLUMN colour text; UPDATE checkpoint SET colour = 'red';",
)


async def prepared(url: str, **options: Any) -> str:
    """The format of the store of a URL for a program that knows one format more."""
    address = parse(url.removeprefix("postgresql:"))
    async with await psycopg.AsyncConnection.connect(
        **address.options, autocommit=True
    ) as connection:
        await prepare(connection, address, **options)
        row = await (await connection.execute("SHOW synchronous_commit")).fetchone()
        return str(row and row[0])


async def test_case_122_a_newer_format_is_refused_by_number_and_untouched(
    postgres_url, open_
) -> None:
    async with opened(open_) as store:
        await save(store, "a")
    await prepared(postgres_url, read_only=False, steps=LONGER)
    before = ask(postgres_url, "SELECT * FROM stepwell.checkpoint, stepwell.store")
    for read_only in (False, True):
        async with opened(
            lambda mode=read_only: open_store(postgres_url, mode)
        ) as store:
            with pytest.raises(
                CheckpointStoreError,
                match="has format 2, and this program knows formats up to 1",
            ):
                await store.headers()
    assert (
        ask(postgres_url, "SELECT * FROM stepwell.checkpoint, stepwell.store") == before
    )


async def test_an_older_format_is_lifted_with_all_that_is_kept_but_not_to_read_only(
    postgres_url, open_
) -> None:
    async with opened(open_) as store:
        await save(store, "a")
    with pytest.raises(
        CheckpointStoreError, match="has format 1, and this program reads format 2"
    ):
        await prepared(postgres_url, read_only=True, steps=LONGER)
    broken = (*STEPS, "ALTER TABLE checkpoint ADD COLUMN colour text; SELECT 1 / 0;")
    with pytest.raises(psycopg.errors.DivisionByZero):
        await prepared(postgres_url, read_only=False, steps=broken)
    await prepared(postgres_url, read_only=False, steps=LONGER)
    assert ask(
        postgres_url,
        "SELECT id, colour, format FROM stepwell.checkpoint, stepwell.store",
    ) == [(b"a", "red", 2)]


async def test_a_save_is_on_the_disk_whatever_the_database_does_by_default(
    postgres_url: str,
) -> None:
    ask(
        postgres_url,
        sql.SQL("ALTER DATABASE {} SET synchronous_commit = off").format(
            name_of(postgres_url)
        ),
    )
    assert await prepared(postgres_url, read_only=False) == "on"


async def test_a_schema_can_be_chosen_and_one_of_another_program_is_left_alone(
    postgres_url: str,
) -> None:
    # one that the owner of the database has made for us
    ask(postgres_url, 'CREATE SCHEMA "a ""b"')
    async with opened(lambda: open_store(f"{postgres_url}?schema=a%20%22b")) as store:
        await save(store, "a")
    async with opened(lambda: open_store(postgres_url)) as store:
        assert await ids(store) == []
    for number, table in enumerate(("store (name text)", "checkpoint (name text)")):
        schema = f"other{number}"
        ask(postgres_url, f"CREATE SCHEMA {schema}; CREATE TABLE {schema}.{table}")
        async with opened(
            lambda name=schema: open_store(f"{postgres_url}?schema={name}")
        ) as store:
            with pytest.raises(CheckpointStoreError, match="another program"):
                await save(store, "a")
        assert (
            len(
                ask(
                    postgres_url,
                    "SELECT 1 FROM pg_tables WHERE schemaname = %s",
                    schema,
                )
            )
            == 1
        )


async def test_to_read_only_nothing_is_made_and_nothing_is_written(
    postgres_url: str, open_: StoreFactory
) -> None:
    async with opened(lambda: open_store(postgres_url, read_only=True)) as reader:
        with pytest.raises(CheckpointStoreError, match="There is no store"):
            await reader.headers()
        assert (
            ask(postgres_url, "SELECT 1 FROM pg_namespace WHERE nspname = 'stepwell'")
            == []
        )
        async with opened(open_) as store:
            header = await save(store, "a")
        assert await reader.headers() == [header]
        for change in (
            reader.save(*record_of("b")),
            reader.annotate("a", note="n"),
            reader.delete(["a"]),
            reader.delete_run("run"),
        ):
            with pytest.raises(CheckpointStoreError, match="for reading only"):
                await change
        assert (await reader.load("a")).header == header
