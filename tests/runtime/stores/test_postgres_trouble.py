"""The store in PostgreSQL when the server, the connection, the caller or the URL fails;
and whole runs on it.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Awaitable, Coroutine, Iterator
from pathlib import Path
from typing import Any, LiteralString, Self

import psycopg
import pytest

from designer.cli.commands import main
from runtime import Workflow, WorkflowBuilder, WorkflowContext, executor
from runtime.errors import CheckpointKeptError, CheckpointStoreError, PartsMissingError
from runtime.stores import open_store
from runtime.stores.common import masked
from runtime.testing.conformance import check_whole, ids, opened, record_of, save
from tests.postgres import Server, own_server
from tests.runtime.command_line import Said, Stepwell, asking, finishing

pytestmark = pytest.mark.slow

WAITING = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
OTHERS = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


@pytest.fixture
def private() -> Iterator[Server]:
    server = own_server()
    yield server
    server.stop()


class Holder:
    """Another process that holds the lock of the store, or another one, so that a save
    stands in the middle.
    """

    def __init__(
        self,
        url: str,
        statement: LiteralString = "SELECT 1 FROM stepwell.store FOR UPDATE",
    ) -> None:
        self._connection = psycopg.connect(url)
        self._connection.execute(statement)
        self._watch = psycopg.connect(url, autocommit=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()
        self._watch.close()

    def commit(self) -> None:
        self._connection.commit()

    async def somebody_waits(self) -> int:
        """The process of the server that waits for the lock."""
        while True:
            await asyncio.sleep(0)
            for (process,) in self._watch.execute(WAITING):
                return int(process)


async def failing(work: Awaitable[object]) -> str:
    with pytest.raises(CheckpointStoreError) as caught:
        await work
    return str(caught.value)


# --- the server and the connection ------------------------------------------------------------------------------------


async def test_a_server_that_is_killed_in_the_middle_of_a_save_loses_nothing_that_was_saved(
    private: Server,
) -> None:
    async with opened(lambda: open_store(private.url)) as store:
        kept = [await save(store, "a"), await save(store, "b")]
        with Holder(private.url) as holder:
            async with asyncio.TaskGroup() as group:
                lost = group.create_task(failing(save(store, "c")))
                await holder.somebody_waits()
                private.crash()
        assert "the connection was lost" in lost.result()
        assert "cannot be reached" in await failing(store.headers())
        assert private.start()
        assert await store.headers() == kept
        assert (await save(store, "c")).sequence > kept[-1].sequence
        assert [header.id for header in await check_whole(store)] == ["a", "b", "c"]


async def test_a_connection_that_is_lost_in_the_middle_is_an_error_and_the_next_call_connects(
    postgres_url,
) -> None:
    async with opened(lambda: open_store(postgres_url)) as store:
        await save(store, "a")
        with Holder(postgres_url) as holder:
            async with asyncio.TaskGroup() as group:
                lost = group.create_task(failing(save(store, "b")))
                terminate(postgres_url, await holder.somebody_waits())
        assert "the connection was lost" in lost.result()
        assert await ids(store) == ["a"]
        await save(store, "b")


async def test_a_connection_that_was_lost_between_two_calls_is_made_again_without_an_error(
    postgres_url: str,
) -> None:
    async with opened(lambda: open_store(postgres_url)) as store:
        await save(store, "a")
        terminate(postgres_url)
        await save(store, "b")
        terminate(postgres_url)
        assert await ids(store) == ["a", "b"]


def terminate(url: str, *processes: int) -> None:
    """End processes of the server, all but the own if none is named, and wait for it."""
    with psycopg.connect(url, autocommit=True) as connection:
        chosen = processes or [pid for (pid,) in connection.execute(OTHERS)]
        for pid in chosen:
            connection.execute("SELECT pg_terminate_backend(%s, 10000)", (pid,))


async def test_case_85_a_lock_that_is_held_too_long_says_busy(
    postgres_url: str,
) -> None:
    async with opened(
        lambda: open_store(f"{postgres_url}?options=-c%20lock_timeout%3D20ms")
    ) as store:
        await save(store, "a")
        with Holder(postgres_url):
            assert "busy" in await failing(save(store, "b", parent="a"))
            assert await ids(store) == ["a"]
        await save(store, "b")


# --- cancellation -----------------------------------------------------------------------------------------------------


async def test_a_save_that_is_cancelled_while_it_waits_is_not_done_and_the_store_goes_on(
    postgres_url: str,
) -> None:
    async with opened(lambda: open_store(postgres_url)) as store:
        await save(store, "a")
        with Holder(postgres_url) as holder:
            saving = asyncio.ensure_future(save(store, "b", parent="a"))
            await holder.somebody_waits()
            saving.cancel()
            with pytest.raises(asyncio.CancelledError):
                await saving
        assert await ids(store) == ["a"]
        await save(store, "b", parent="a")


async def test_a_cancellation_at_any_await_leaves_all_or_nothing(
    postgres_url: str,
) -> None:
    """Of a save, of a note, of a removal, while it connects too; and nothing is left
    open on the server.
    """
    for turns in range(14):
        async with opened(lambda: open_store(postgres_url)) as store:
            async with opened(lambda: open_store(postgres_url)) as other:
                await save(other, f"a{turns}", run_id=f"run {turns}")
                await save(other, f"b{turns}", run_id=f"run {turns}")
            for number, work in enumerate(
                (
                    save(store, f"c{turns}", run_id=f"run {turns}"),
                    store.annotate(f"a{turns}", tags=("t",), note="n"),
                    store.delete([f"a{turns}"]),
                    store.delete_run(f"run {turns}"),
                )
            ):
                await cancelled_after(turns + number, work)
                headers = await check_whole(store)
                assert all(
                    (header.tags, header.note) in (((), ""), (("t",), "n"))
                    for header in headers
                )
    with psycopg.connect(postgres_url) as connection:
        assert (
            connection.execute(
                "SELECT 1 FROM pg_stat_activity WHERE state LIKE 'idle in%'"
            ).fetchall()
            == []
        )


async def test_a_cancellation_while_a_transaction_begins_or_ends_leaves_none_open(
    postgres_url: str,
) -> None:
    async with opened(lambda: open_store(postgres_url)) as store:
        await save(store, "a")
        with psycopg.connect(postgres_url, autocommit=True) as watch:
            for turns in range(150):
                async with asyncio.TaskGroup() as group:
                    task = group.create_task(store.delete(["nothing"]))
                    for _ in range(turns):
                        await asyncio.sleep(0)
                    task.cancel()
                assert (
                    watch.execute(
                        "SELECT 1 FROM pg_stat_activity WHERE state LIKE 'idle in%'"
                    ).fetchall()
                    == []
                )


async def cancelled_after(turns: int, work: Coroutine[Any, Any, object]) -> None:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(work)
        for _ in range(turns):
            # a turn of the loop, and time in which the server may answer
            await asyncio.to_thread(int)
        task.cancel()


# --- loops and threads ------------------------------------------------------------------------------------------------


def sum_up() -> Workflow:
    @executor(id="sum")
    async def sum_up(message: int, ctx: WorkflowContext[int, int]) -> None:
        if message > 1:
            await ctx.send_message(message - 1)
        await ctx.yield_output(message)

    return WorkflowBuilder(start_executor=sum_up).add_edge(sum_up, sum_up).build()


def test_case_49_one_store_serves_one_event_loop_after_another_and_several_threads_at_once(
    postgres_url: str,
) -> None:
    store = open_store(postgres_url)
    found: list[list[int]] = []

    async def run() -> None:
        found.append((await sum_up().run(3, checkpoint_storage=store)).get_outputs())

    asyncio.run(run())
    asyncio.run(run())
    threads = [threading.Thread(target=asyncio.run, args=(run(),)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[3, 2, 1]] * 5

    async def count() -> int:
        headers = await check_whole(store)
        await store.close()
        return len(headers)

    assert asyncio.run(count()) == 5 * 4
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute(OTHERS).fetchall() == []


async def test_a_store_is_closed_for_all_its_loops(postgres_url: str) -> None:
    store = open_store(postgres_url)
    await save(store, "a")
    await store.close()
    await store.close()
    for work in (
        store.load("a"),
        store.parts([]),
        store.runs(),
        store.latest(),
        store.delete([]),
        store.annotate("a"),
    ):
        assert "closed" in await failing(work)


async def test_one_that_is_pinned_while_it_is_being_removed_stays(
    postgres_url: str,
) -> None:
    async with opened(lambda: open_store(postgres_url)) as store:
        await save(store, "a")
        await save(store, "b")
        with Holder(
            postgres_url,
            "UPDATE stepwell.checkpoint SET tags = '{pinned}' WHERE id = 'a'",
        ) as pinning:
            async with asyncio.TaskGroup() as group:
                removal = group.create_task(kept(store.delete(["a"])))
                await pinning.somebody_waits()
                pinning.commit()
        assert "pinned" in removal.result()
        assert await ids(store, tag="pinned") == ["a"]


async def kept(work: Awaitable[object]) -> str:
    with pytest.raises(CheckpointKeptError) as caught:
        await work
    return str(caught.value)


async def test_parts_that_go_while_another_saves_are_missed_or_kept(
    postgres_url: str,
) -> None:
    """Never is a checkpoint saved whose parts are gone."""
    record, given = record_of("gone", {"k": b"common"}, run_id="gone")
    outcomes: set[bool] = set()

    async def coming_and_going() -> None:
        async with opened(lambda: open_store(postgres_url)) as store:
            for _ in range(60):
                await store.save(record, given)
                await store.delete_run("gone")

    async def relying() -> None:
        async with opened(lambda: open_store(postgres_url)) as store:
            for number in range(150):
                relying, _ = record_of(
                    str(number), {"k": b"common"}, run_id=f"run {number}"
                )
                try:
                    await store.save(relying, {})
                except PartsMissingError:
                    outcomes.add(False)
                else:
                    outcomes.add(True)
                    assert await store.parts(list(given)) == given
                    await store.delete_run(f"run {number}")

    async with asyncio.TaskGroup() as group:
        group.create_task(coming_and_going())
        group.create_task(relying())
    assert outcomes == {False, True}


# --- the URL ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:secret@127.0.0.1:1/db",
        "postgresql://127.0.0.1:1/db?user=me&password=secret&schema=s",
        "postgresql://127.0.0.1:1/db?p%61ssword=secret&sslpassword=secret",
        "postgres://me:secret@127.0.0.1:no/db",
        "postgresql://me:sec%zzsecret@127.0.0.1/db",
        "postgresql://me:p@secret@127.0.0.1/db",
        "postgresql://me:p/secret@127.0.0.1/db",
        "postgresql://me:p?secret@127.0.0.1/db",
        "postgresql://me:p#secret@127.0.0.1:1/db",
        "postgresql://me:secret@127.0.0.1/db?schema=",
        "postgresql:me:secret@127.0.0.1/db",
        "postgresql://me:secret@127.0.0.1/db?no=option",
        "postgressql://me:secret@127.0.0.1/db",
    ],
)
async def test_a_passphrase_is_never_shown(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    told = []
    try:
        store = open_store(url)
        told += [store.url, repr(store), str(vars(store)["url"])]
        await store.headers()
    except CheckpointStoreError as error:
        while error is not None:
            told += [str(error), repr(error)]
            error = error.__cause__ or (
                None if error.__suppress_context__ else error.__context__
            )  # type: ignore[assignment]
    assert told
    assert not [text for text in (*told, caplog.text) if "secret" in text]


def test_the_commands_show_no_passphrase(
    postgres_url: str, tmp_path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = postgres_url.replace("stepwell@", "stepwell:secret@")
    file = finishing(tmp_path)
    for words in (
        ["run", file, "--store", url],
        ["timeline", url],
        ["resume", url],
        ["show", url, "zz"],
    ):
        main([str(word) for word in words])
        out, err = capsys.readouterr()
        assert "secret" not in out + err


def test_without_the_extra_the_error_names_it_and_nothing_else_needs_it() -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "import runtime\n"
        "from runtime.stores import open_store\n"
        "open_store('memory:')\n"
        "open_store('postgresql://127.0.0.1/db')\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert ended.stderr.splitlines()[-1].endswith("pip install 'stepwell[postgres]'")
    assert "CheckpointStoreError" in ended.stderr


# --- whole runs -------------------------------------------------------------------------------------------------------


def test_a_run_goes_on_in_another_process_and_every_command_reads_it(
    postgres_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def elsewhere(*words: object) -> Said:
        command = [
            sys.executable,
            "-m",
            "designer.cli.commands",
            *map(str, words),
            "--json",
        ]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        return Said(ended.returncode, ended.stdout, ended.stderr)

    paused = elsewhere("run", asking(tmp_path), "--store", postgres_url)
    assert (paused.code, paused.json["requests"][0]["id"]) == (3, "first:2:0")
    yes = '{"verdict": "yes"}'
    done = elsewhere(
        "resume",
        postgres_url,
        "--answer",
        f"first:2:0={yes}",
        "--answer",
        f"second:4:0={yes}",
    )
    assert (done.code, done.json["run_id"]) == (0, paused.json["run_id"])

    here = Stepwell(capsys)
    newest = done.json["checkpoint"]
    assert here("timeline", postgres_url, "--json").json[-1]["id"] == newest
    assert (
        here("show", postgres_url, "latest", "--json").json["checkpoint"]["id"]
        == newest
    )
    assert (
        here("diff", postgres_url, paused.json["checkpoint"], newest, "--json").json
        != []
    )


async def test_tables_that_are_gone_under_way_are_told_of_and_made_anew_when_it_is_opened_again(
    postgres_url: str,
) -> None:
    async with opened(lambda: open_store(postgres_url)) as store:
        await save(store, "a")
        with psycopg.connect(postgres_url) as connection:
            connection.execute("DROP SCHEMA stepwell CASCADE")
        for call in (
            store.save(*record_of("b", parent="a")),
            store.headers(),
            store.delete_run("run"),
        ):
            with pytest.raises(CheckpointStoreError, match="its tables are gone"):
                await call
    async with opened(lambda: open_store(postgres_url)) as store:
        await save(store, "c")
        assert await ids(store) == ["c"]


@pytest.mark.parametrize(
    "option",
    [
        "password",
        "p%61ssword",
        "sslpassword",
        "oauth_client_secret",
        "scram_client_key",
        "scram_server_key",
    ],
)
def test_no_option_that_libpq_keeps_secret_is_shown(option: str) -> None:
    assert masked(f"postgresql://h/db?schema=s&{option}=hush&sslkey=file") == (
        f"postgresql://h/db?schema=s&{option}=***&sslkey=file"
    )
