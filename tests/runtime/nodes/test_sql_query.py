"""SQL query: values are bound and never pasted, reading is all that is allowed unasked,
and limits hold.
"""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from runtime.errors import DefinitionError, NodeError
from runtime.expressions.sql_parameters import parse_statement
from tests.runtime.nodes.single import one_node, outputs, problems

TYPE = "sql_query"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection, connection:
        connection.execute("CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT)")
        connection.executemany(
            "INSERT INTO people VALUES (?, ?)", [(1, "Ada"), (2, "Bob"), (3, "Cleo")]
        )
    return tmp_path


async def ask(folder: Path, message: Any, statement: str, **params: Any) -> Any:
    (found,) = await outputs(
        TYPE,
        message,
        folder,
        **{"database": "shop.db", "statement": statement, **params},
    )
    return found


# --- the text -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("select :a, x::int, :b, :a", ("a", "b")),
        (
            "select ':a', \":b\", $$ :c ; $$, $t$ ; :d $t$ -- ; :e\n, /* ; :f */ :g;",
            ("g",),
        ),
        ("select e'it\\'s :a', 'it''s :b', arr[1:2], ARRAY[x, :c]", ("c",)),
        ("select 1; -- the end", ()),
    ],
)
def test_parameters_are_found_outside_of_texts_and_comments(
    text: str, names: tuple[str, ...]
) -> None:
    assert parse_statement(text).names == names


def test_a_statement_for_postgresql_escapes_its_percent_signs() -> None:
    assert (
        parse_statement("select '100%', :a % 2").percent == "select '100%%', %(a)s %% 2"
    )


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("", "is empty"),
        ("-- nothing", "is empty"),
        ("select 1; drop table people", "more than one statement"),
        ("select\n'open", "line 2: what begins with"),
        ("select 1 /* open", "has no end"),
    ],
)
def test_check_refuses_what_is_not_one_statement(statement: str, words: str) -> None:
    (problem,) = problems(TYPE, database="shop.db", statement=statement)
    assert words in problem.message
    with pytest.raises(DefinitionError, match=words):
        one_node(TYPE, database="shop.db", statement=statement)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"database": ""}, "is empty"),
        ({"database": "postgresql://me:pass@host/db"}, "holds credentials"),
        ({"database": "postgresql://host/db?password=x"}, "holds a password"),
        ({"parameters": {"id": "id"}}, "write a place such as message.id"),
    ],
)
def test_check_refuses_secrets_in_the_document_and_malformed_places(
    params: dict[str, Any], words: str
) -> None:
    (problem,) = problems(
        TYPE, **{"database": "shop.db", "statement": "select 1", **params}
    )
    assert words in problem.message


# --- SQLite -------------------------------------------------------------------------------------------------------


async def test_rows_come_as_maps_and_values_are_bound(folder: Path) -> None:
    assert await ask(folder, {"id": 2}, "SELECT * FROM people WHERE id = :id") == [
        {"id": 2, "name": "Bob"}
    ]
    hostile = "x' OR '1'='1"
    assert (
        await ask(folder, hostile, "SELECT * FROM people WHERE name = :message") == []
    )
    assert await ask(
        folder,
        {"who": [{"n": "Ada"}]},
        "SELECT id FROM people WHERE name = :n",
        parameters={"n": "message.who[0].n"},
    ) == [{"id": 1}]


async def test_values_that_sqlite_does_not_have_are_kept_as_text(folder: Path) -> None:
    message = {
        "d": date(2026, 1, 2),
        "m": Decimal("1.50"),
        "l": [1],
        "n": None,
        "b": b"\xff",
    }
    assert await ask(
        folder, message, "SELECT :d AS d, :m AS m, :l AS l, :n AS n, :b AS b"
    ) == [{"d": "2026-01-02", "m": "1.50", "l": "[1]", "n": None, "b": b"\xff"}]


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM people",
        "CREATE TABLE t (a)",
        "ATTACH 'other.db' AS o",
        "VACUUM INTO 'copy.db'",
    ],
)
async def test_a_statement_only_reads_unless_writing_is_allowed(
    folder: Path, statement: str
) -> None:
    with pytest.raises(NodeError, match=r"Node 'it': the statement failed"):
        await ask(folder, 0, statement)
    assert [one.name for one in folder.iterdir()] == ["shop.db"]
    assert len(await ask(folder, 0, "SELECT * FROM people")) == 3


async def test_writing_says_how_many_rows_it_changed(folder: Path) -> None:
    assert await ask(
        folder, 0, "DELETE FROM people WHERE id > 1", allow_writes=True
    ) == {"changed": 2}
    assert await ask(
        folder,
        "Di",
        "INSERT INTO people (name) VALUES (:message) RETURNING id",
        allow_writes=True,
    ) == [{"id": 2}]
    assert len(await ask(folder, 0, "SELECT * FROM people")) == 2
    with pytest.raises(NodeError, match="not authorized"):
        await ask(folder, 0, "ATTACH 'other.db' AS o", allow_writes=True)


@pytest.mark.parametrize(
    ("statement", "params", "words"),
    [
        ("SELECT * FROM people", {"max_rows": 2}, "more than 2 rows"),
        ("SELECT id, id FROM people", {}, "two columns are called 'id'"),
        ("SELECT * FROM nobody", {}, "no such table: nobody"),
        ("SELECT :gone", {}, ":gone has no value"),
        ("SELECT 1", {"database": "gone.db"}, "is no file"),
        ("SELECT 1", {"database": "../gone.db"}, "leads out"),
        ("SELECT 1", {"database": "mysql://host/db"}, "no path of a SQLite file"),
        (ENDLESS, {"timeout": 0.05}, r"longer than 0\.05 s"),
    ],
)
async def test_what_goes_wrong_is_said(
    folder: Path, statement: str, params: dict[str, Any], words: str
) -> None:
    with pytest.raises(NodeError, match=words):
        await ask(folder, {}, statement, **params)


async def test_a_statement_that_fails_changes_nothing(folder: Path) -> None:
    with pytest.raises(NodeError, match="more than 1 rows"):
        await ask(
            folder,
            0,
            "UPDATE people SET name = 'x' RETURNING id",
            allow_writes=True,
            max_rows=1,
        )
    assert await ask(
        folder, 0, "SELECT count(*) AS n FROM people WHERE name = 'x'"
    ) == [{"n": 0}]


async def test_stop_ends_a_statement_and_its_lock(folder: Path) -> None:
    reading = one_node(
        TYPE, folder, database="shop.db", statement=f"{ENDLESS}, people", timeout=3600.0
    )

    async def write(seconds: float) -> None:
        await ask(
            folder,
            0,
            "UPDATE people SET name = name",
            allow_writes=True,
            timeout=seconds,
        )

    async def write_until_the_reader_has_begun() -> None:
        while True:
            await write(0.001)

    async with asyncio.TaskGroup() as group:
        task = group.create_task(reading.run(0))
        with pytest.raises(NodeError, match="is locked"):
            await write_until_the_reader_has_begun()
        task.cancel()
    assert task.cancelled()
    await write(30.0)


# --- PostgreSQL ---------------------------------------------------------------------------------------------------


@pytest.fixture
def server(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("DATABASE_URL", postgres_url)
    return "{env.DATABASE_URL}"


async def test_postgresql_reads_and_writes_as_sqlite_does(
    server: str, tmp_path: Path
) -> None:
    async def ask_server(message: Any, statement: str, **params: Any) -> Any:
        return await ask(tmp_path, message, statement, database=server, **params)

    create = "CREATE TABLE people (id int, name text, data jsonb, at inet)"
    assert await ask_server(0, create, allow_writes=True) == {"changed": 0}
    insert = "INSERT INTO people VALUES (:id, :name, :data, '10.0.0.1')"
    for number, name in ((1, "Ada"), (2, "x' OR '1'='1")):
        message = {"id": number, "name": name, "data": {"n": [number]}}
        assert await ask_server(message, insert, allow_writes=True) == {"changed": 1}
    row = {"id": 1, "name": "Ada", "data": {"n": [1]}, "at": "10.0.0.1"}
    assert await ask_server("Ada", "SELECT * FROM people WHERE name = :message") == [
        row
    ]
    assert await ask_server(
        [1, 2], "SELECT count(*) AS n FROM people WHERE id = ANY(:message)"
    ) == [{"n": 2}]
    assert await ask_server(
        0, "SELECT 1 AS one WHERE 5 % 2 = 1 AND 'a%' LIKE '%%'"
    ) == [{"one": 1}]
    with pytest.raises(NodeError, match="more than 5 rows"):
        await ask_server(0, "SELECT generate_series(1, 100000000)", max_rows=5)
    with pytest.raises(
        NodeError, match="read-only transaction: switch on 'Allow writes'"
    ):
        await ask_server(0, "DELETE FROM people")
    with pytest.raises(NodeError, match='relation "nobody" does not exist'):
        await ask_server(0, "SELECT * FROM nobody")
    with pytest.raises(NodeError, match=r"longer than 0\.2 s"):
        await ask_server(0, "SELECT pg_sleep(600)", timeout=0.2)


async def test_a_server_that_is_not_there_is_named_without_its_passphrase(
    monkeypatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://me:very-secret@127.0.0.1:1/db")
    with pytest.raises(NodeError, match="refused") as caught:
        await ask(tmp_path, 0, "SELECT 1", database="{env.DATABASE_URL}")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("SELECT ?", "write each value as :name"),
        ("SELECT @a", "write each value as :name"),
        ("SELECT CAST(x'ff' AS TEXT) AS a", "take them as bytes"),
        ("VACUUM", "a transaction of its own"),
        ("SELECT :n", "send a larger one as text"),
    ],
)
async def test_the_words_of_sqlite_come_with_what_to_do(
    folder: Path, statement: str, words: str
) -> None:
    with pytest.raises(NodeError, match=words) as caught:
        await ask(folder, {"n": 2**70}, statement, allow_writes=True)
    assert not str(caught.value).endswith("..")


async def test_a_new_database_is_made_with_its_folder_and_a_folder_is_none(
    tmp_path: Path,
) -> None:
    made = {"database": "data/new.db", "allow_writes": True}
    assert await ask(tmp_path, 0, "CREATE TABLE t (a)", **made) == {"changed": 0}
    assert (tmp_path / "data" / "new.db").is_file()
    with pytest.raises(NodeError, match="data is a folder"):
        await ask(tmp_path, 0, "CREATE TABLE t (a)", **{**made, "database": "data"})
