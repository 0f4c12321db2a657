"""The contract of a checkpoint store as tests, for any implementation. Needs pytest and pytest-asyncio (auto mode).

    class TestMyStore(StoreConformance):
        @pytest.fixture
        def open_(self, tmp_path) -> StoreFactory:
            return lambda: MyStore(tmp_path / "store")

`open_` opens one and the same place each time it is called: opening it again is how what was kept is checked. For
stores whose records can be damaged from outside there is `DamageConformance` too.
"""
# ruff: noqa: S101 - these are tests

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from runtime.archive import Archive
from runtime.checkpoint import Cause, CheckpointHeader, CheckpointStore, Part, Record, digest_of
from runtime.errors import (
    BranchMovedError,
    CheckpointConflictError,
    CheckpointDamagedError,
    CheckpointNotFoundError,
    CheckpointStoreError,
    EncodeError,
    PartsMissingError,
)
from runtime.message import Message, Request
from runtime.state import ExecutorRecord, RunState, Trace

StoreFactory = Callable[[], CheckpointStore]

HOSTILE = [
    "../x", "a/../../x", "/etc/passwd", "..\\x", "x\0y", "a:b", "a?b", "ä b", ".", "..", "x" * 300, "dot.", "space ",
    "x') OR 1=1 --", "it's", 'say "hi"', "%", "_", "", "Đội 😀", "NULL", "memory:",
]  # fmt: skip


def record_of(
    checkpoint_id: str, parts: Mapping[str, bytes] | None = None, *, run_id: str = "run", **fields: Any
) -> tuple[Record, dict[str, bytes]]:
    """A record with the given shared-state parts by name, and the bytes by digest."""
    parts = {"k": checkpoint_id.encode()} if parts is None else parts
    manifest = tuple(Part("shared", name, digest_of(data)) for name, data in parts.items())
    header = CheckpointHeader(checkpoint_id, run_id, fields.pop("workflow", "flow"), 1, Cause.SUPERSTEP, **fields)
    return Record(header, manifest), {digest_of(data): data for data in parts.values()}


@asynccontextmanager
async def opened(open_: StoreFactory) -> AsyncIterator[CheckpointStore]:
    store = open_()
    try:
        yield store
    finally:
        await store.close()


async def save(store: CheckpointStore, checkpoint_id: str, **fields: Any) -> CheckpointHeader:
    """Save a record; without a parent given, after the head of its branch."""
    if "parent" not in fields:
        head = await store.latest(run_id=fields.get("run_id", "run"), branch=fields.get("branch", "main"))
        fields["parent"] = head and head.id
    return await store.save(*record_of(checkpoint_id, **fields))


async def ids(store: CheckpointStore, **filters: Any) -> list[str]:
    return [header.id for header in await store.headers(**filters)]


class StoreConformance:
    """Every rule of `CheckpointStore`. Subclass it, and give it an `open_` fixture."""

    @pytest.fixture
    def open_(self) -> StoreFactory:
        raise NotImplementedError("give the fixture open_: a function that opens the store")

    @pytest.fixture
    async def store(self, open_: StoreFactory) -> AsyncIterator[CheckpointStore]:
        async with opened(open_) as store:
            yield store

    # --- keeping ---

    async def test_what_was_saved_is_loaded(self, store: CheckpointStore) -> None:
        record, parts = record_of("a", {"k": b"1", "l": b"2\0\xff", "m": b""}, branch="b", signature="s", time=1.5,
                                  status="IDLE", queued=1, buffered=2, requests=3, stalled=4, size=5, new_size=6,
                                  tags=("x", "ü"), note="note")  # fmt: skip
        header = await store.save(record, parts)
        assert header == dataclasses.replace(record.header, sequence=header.sequence)
        assert header.sequence > 0
        assert await store.load("a") == Record(header, record.manifest)
        assert await store.headers() == [header]
        assert await store.latest() == header
        assert await store.parts(list(parts)) == parts

    async def test_case_71_order_is_that_of_saving_and_never_of_clocks(self, store: CheckpointStore) -> None:
        for checkpoint_id, time in (("a", 5.0), ("b", 5.0), ("c", 1.0)):
            await save(store, checkpoint_id, time=time)
        assert await ids(store) == ["a", "b", "c"]
        latest = await store.latest()
        assert latest is not None
        assert latest.id == "c"
        sequences = [header.sequence for header in await store.headers()]
        assert sequences == sorted(set(sequences))

    async def test_case_81_a_fork_is_listed_where_it_was_saved(self, store: CheckpointStore) -> None:
        parent = None
        for number in range(1, 6):
            parent = (await save(store, str(number), parent=parent)).id
        await save(store, "fork", parent="2", branch="fork 1")
        assert await ids(store) == ["1", "2", "3", "4", "5", "fork"]
        fork = (await store.headers())[-1]
        assert (fork.parent, fork.branch) == ("2", "fork 1")

    async def test_case_176_each_branch_has_its_own_latest(self, store: CheckpointStore) -> None:
        await save(store, "a")
        await save(store, "b", parent="a")
        await save(store, "c", parent="a", branch="fork")
        await save(store, "d", run_id="other", branch="fork", workflow="second")
        for filters, expected in (
            ({"run_id": "run", "branch": "main"}, "b"),
            ({"run_id": "run", "branch": "fork"}, "c"),
            ({"run_id": "run"}, "c"),
            ({"branch": "fork"}, "d"),
            ({"workflow": "flow"}, "c"),
            ({"workflow": "second", "run_id": "other"}, "d"),
        ):
            found = await store.latest(**filters)
            assert found is not None
            assert found.id == expected
        assert await store.latest(run_id="run", branch="none") is None
        assert await store.latest(run_id="run", workflow="second") is None

    async def test_a_branch_is_a_line(self, store: CheckpointStore) -> None:
        """Who goes on from another checkpoint than the head is refused, told the head, and free to fork."""
        await save(store, "a")
        await save(store, "b")
        for parent in ("a", None):
            record, parts = record_of("c", {"k": b"lost"}, parent=parent)
            with pytest.raises(BranchMovedError) as caught:
                await store.save(record, parts)
            assert (caught.value.checkpoint_id, caught.value.branch) == ("c", "main")
            assert (caught.value.head, caught.value.parent) == ("b", parent)
        assert await ids(store) == ["a", "b"]
        with pytest.raises(CheckpointDamagedError):
            await store.parts([digest_of(b"lost")])
        await save(store, "c", parent="a", branch="fork")
        await save(store, "d", parent="c", branch="fork")
        await save(store, "e", parent="b")
        await save(store, "other", parent="a", run_id="other")
        with pytest.raises(BranchMovedError):
            await save(store, "f", parent="c", branch="fork")
        await store.delete_run("run")
        await save(store, "a", parent=None)

    async def test_of_many_who_go_on_from_one_checkpoint_one_is_saved(self, store: CheckpointStore) -> None:
        await save(store, "a")
        heads: set[str] = set()

        async def attempt(number: int) -> None:
            try:
                await save(store, str(number), parent="a")
            except BranchMovedError as error:
                heads.add(error.head)

        async with asyncio.TaskGroup() as group:
            for number in range(20):
                group.create_task(attempt(number))
        saved = (await ids(store))[1:]
        assert len(saved) == 1
        assert heads == set(saved)

    async def test_sequences_are_never_used_again(self, store: CheckpointStore) -> None:
        first = await save(store, "a")
        second = await save(store, "b", run_id="gone")
        await store.delete_run("gone")
        third = await save(store, "c")
        assert first.sequence < second.sequence < third.sequence

    async def test_parts_are_shared_and_need_not_be_given_again(self, store: CheckpointStore) -> None:
        record, parts = record_of("a", {"k": b"same", "l": b"old"})
        await store.save(record, parts)
        second, new = record_of("b", {"k": b"same", "l": b"new"}, parent="a")
        await store.save(second, {digest: data for digest, data in new.items() if data == b"new"})
        third, all_of_them = record_of("c", {"k": b"same", "l": b"new"}, parent="b")
        await store.save(third, all_of_them)
        assert (await store.load("b")).manifest == second.manifest
        assert await store.parts(list(new)) == new

    async def test_a_manifest_keeps_its_order_and_its_repetitions(self, store: CheckpointStore) -> None:
        """Pieces of one part are entries of one name; kinds and names are any texts."""
        data = {digest_of(bytes([i])): bytes([i]) for i in range(4)}
        a, b, c, d = data
        manifests = [
            (Part("shared", "k", a), Part("shared", "k", b), Part("shared", "k", a)),
            (Part("shared", "k", b), Part("shared", "k", a), Part("own kind", "", c)),
            (Part("s", "x", d), Part(":s", "x", a), Part("shared", "k", b), Part("shared", "k", a)),
            (),
            (Part("child", '["a","b"]', d), Part("shared", "k", b)),
            (Part("queue", "", d), Part("shared", "\0", b)),
        ]
        for number, manifest in enumerate(manifests):
            header = record_of(str(number), parent=str(number - 1) if number else None)[0].header
            await store.save(Record(header, manifest), data)
        assert [(await store.load(str(number))).manifest for number in range(len(manifests))] == manifests

    async def test_long_runs_with_many_keys_load_whole(self, store: CheckpointStore) -> None:
        names = [f"key{i}" for i in range(40)]
        values = dict.fromkeys(names, b"0")
        kept = {}
        for number in range(120):
            values[names[number % 40]] = str(number).encode()
            if number % 30 == 29:
                del values[names[number % 40]]
            record, parts = record_of(f"c{number}", dict(values), parent=f"c{number - 1}" if number else None)
            await store.save(record, parts)
            kept[f"c{number}"] = record.manifest
        for checkpoint_id, manifest in kept.items():
            assert (await store.load(checkpoint_id)).manifest == manifest

    # --- ownership ---

    async def test_case_68_what_was_given_may_be_changed_afterwards(self, store: CheckpointStore) -> None:
        data = bytearray(b"before")
        record, _ = record_of("a", {"k": b"before"})
        given: Any = {digest_of(b"before"): data}
        await store.save(record, given)
        data[:] = b"after!"
        given.clear()
        assert await store.parts([record.manifest[0].digest]) == {record.manifest[0].digest: b"before"}

    async def test_case_68_what_was_returned_may_be_changed_afterwards(self, store: CheckpointStore) -> None:
        record, parts = record_of("a")
        await store.save(record, parts)
        (await store.headers()).clear()
        (await store.parts(list(parts))).clear()
        (await store.runs()).clear()
        assert await ids(store) == ["a"]
        assert await store.parts(list(parts)) == parts
        assert len(await store.runs()) == 1

    async def test_case_69_checkpoints_share_nothing_with_runs_or_with_each_other(self, store: CheckpointStore) -> None:
        history: list[Any] = [{"n": 1}]
        state = RunState(
            1,
            (Message([1], "a"),),
            {"join": (Message([2], "b"),)},
            {"a": ExecutorRecord({"seen": [3]}, 1, 1)},
            {"history": history},
            {"r": Request("r", "a", [4], list, 1)},
        )
        archive = Archive(store)
        header = await archive.save(
            state, Trace(), run_id="run", workflow="flow", cause=Cause.INPUT, parent=None, branch="main"
        )
        history[0]["n"] = 2
        first = await archive.load(header.id)
        values: Any = first.state
        assert values.shared == {"history": [{"n": 1}]}
        for inner in (
            values.shared["history"],
            values.queue[0].data,
            values.buffers["join"][0].data,
            values.executors["a"].state["seen"],
            values.requests["r"].data,
        ):
            inner.append("changed")
        second: Any = (await archive.load(header.id)).state
        assert second.shared == {"history": [{"n": 1}]}
        assert (second.queue[0].data, second.buffers["join"][0].data) == ([1], [2])
        assert (second.executors["a"].state, second.requests["r"].data) == ({"seen": [3]}, [4])

    # --- filters and limits ---

    async def test_case_77_filters_give_exactly_the_own_ones(self, store: CheckpointStore) -> None:
        names = ["run", "run 2", "ru", "RUN", "%", "_", "r_n", "x') OR 1=1 --", "it's", ""]
        for number, name in enumerate(names):
            await save(store, f"by run {number}", run_id=name, workflow="w")
            await save(store, f"by flow {number}", run_id=f"own {number}", workflow=f"flow {name}")
        for number, name in enumerate(names):
            assert await ids(store, run_id=name) == [f"by run {number}"]
            assert await ids(store, workflow=f"flow {name}") == [f"by flow {number}"]
            assert await ids(store, run_id=name, workflow="flow run") == []

    async def test_case_80_limits_mean_the_same_everywhere(self, store: CheckpointStore) -> None:
        for number in range(5):
            await save(store, str(number))
        everything = ["0", "1", "2", "3", "4"]
        for limit, expected in ((0, []), (1, ["0"]), (5, everything), (10**9, everything), (10**30, everything)):
            assert await ids(store, limit=limit) == expected
        assert await ids(store, limit=None) == everything
        with pytest.raises(ValueError, match="limit"):
            await store.headers(limit=-1)

    async def test_pages_follow_each_other(self, store: CheckpointStore) -> None:
        for number in range(7):
            await save(store, str(number), run_id="run" if number % 2 else "other")
        seen: list[str] = []
        after = 0
        while page := await store.headers(after=after, limit=2):
            seen += [header.id for header in page]
            after = page[-1].sequence
        assert seen == [str(number) for number in range(7)]
        assert await ids(store, run_id="run", after=page_start(seen, await store.headers(), "3")) == ["5"]
        assert await ids(store, after=10**30) == []

    async def test_runs_are_summed_up_newest_first(self, store: CheckpointStore) -> None:
        await save(store, "a", run_id="one")
        await save(store, "b", run_id="two", workflow="second")
        await save(store, "c", run_id="one", parent="a", branch="fork")
        runs = await store.runs()
        assert [(run.run_id, run.workflow, run.checkpoints, run.branches, run.latest.id) for run in runs] == [
            ("one", "flow", 2, 2, "c"),
            ("two", "second", 1, 1, "b"),
        ]

    # --- what is not there ---

    async def test_what_is_not_there_is_said_by_name(self, store: CheckpointStore) -> None:
        for checkpoint_id in ("nothing", *HOSTILE, "\ud800"):
            with pytest.raises(CheckpointNotFoundError):
                await store.load(checkpoint_id)
            with pytest.raises(CheckpointNotFoundError):
                await store.annotate(checkpoint_id, note="n")
        assert await store.latest() is None
        assert await store.delete_run("nothing") == 0
        with pytest.raises(CheckpointDamagedError):
            await store.parts([digest_of(b"nothing")])

    async def test_case_83_reading_creates_nothing(self, store: CheckpointStore) -> None:
        await save(store, "a")
        for number in range(50):
            with pytest.raises(CheckpointNotFoundError):
                await store.load(f"unknown {number}")
            assert await ids(store, run_id=f"unknown {number}") == []
            assert await store.latest(run_id=f"unknown {number}") is None
        assert [run.run_id for run in await store.runs()] == ["run"]
        assert await ids(store) == ["a"]

    # --- hostile ids ---

    async def test_case_124_ids_are_data(self, store: CheckpointStore) -> None:
        """No id reaches outside the store, and different ids never meet."""
        for name in HOSTILE:
            await save(store, f"{name}", run_id=name, workflow=name, branch=name, note=name, tags=(name,))
        assert await ids(store) == HOSTILE
        for name in HOSTILE:
            header = (await store.load(name)).header
            assert (header.id, header.run_id, header.workflow, header.branch) == (name, name, name, name)
            assert (header.note, header.tags) == (name, (name,))
            assert await ids(store, run_id=name) == [name]
            assert await store.delete_run(name) == 1
        assert await ids(store) == []

    async def test_a_lone_surrogate_in_a_name_is_refused(self, store: CheckpointStore) -> None:
        for bad in ({"run_id": "\ud800"}, {"workflow": "\ud800"}, {"tags": ("\ud800",)}, {"note": "\ud800"}):
            with pytest.raises(CheckpointStoreError, match="surrogate"):
                await save(store, "a", **bad)
        with pytest.raises(CheckpointStoreError, match="surrogate"):
            await store.save(*record_of("a", {"\ud800": b"1"}))
        assert await ids(store) == []

    # --- conflicts and failures ---

    async def test_an_id_is_taken_once(self, store: CheckpointStore) -> None:
        await save(store, "a")
        with pytest.raises(CheckpointConflictError) as caught:
            await store.save(*record_of("a", {"k": b"other"}))
        assert caught.value.checkpoint_id == "a"
        with pytest.raises(CheckpointConflictError):
            await save(store, "b", parent="unknown")
        assert await ids(store) == ["a"]

    async def test_a_save_that_fails_leaves_no_trace(self, store: CheckpointStore) -> None:
        await save(store, "a")
        record, parts = record_of("b", {"k": b"given", "l": b"not given"}, run_id="new", workflow="new")
        del parts[digest_of(b"not given")]
        with pytest.raises(PartsMissingError) as caught:
            await store.save(record, parts)
        assert caught.value.digests == (digest_of(b"not given"),)
        assert await ids(store) == ["a"]
        assert [run.run_id for run in await store.runs()] == ["run"]
        with pytest.raises(CheckpointDamagedError):
            await store.parts([digest_of(b"given")])
        await save(store, "b", parent="a", run_id="new")
        assert await ids(store) == ["a", "b"]

    async def test_case_75_what_cannot_be_encoded_leaves_the_latest_as_it_was(self, store: CheckpointStore) -> None:
        archive = Archive(store)
        place: Any = {"run_id": "run", "workflow": "flow", "cause": Cause.SUPERSTEP, "branch": "main"}
        good = await archive.save(RunState(shared={"k": 1}), Trace(), parent=None, **place)
        with pytest.raises(EncodeError, match=r"^state\['k'\]"):
            await archive.save(RunState(1, shared={"k": object()}), Trace(), parent=good, **place)
        assert await store.latest() == good
        assert await store.headers() == [good]
        again = await archive.save(RunState(1, shared={"k": 2}), Trace(), parent=good, **place)
        assert (await archive.load(again.id)).state.shared == {"k": 2}

    # --- notes ---

    async def test_tags_and_note_are_replaced(self, store: CheckpointStore) -> None:
        await save(store, "a")
        await save(store, "b", tags=("old",), note="old")
        assert (await store.annotate("b", tags=["x", "y"])).tags == ("x", "y")
        assert (await store.annotate("b", note="new")).note == "new"
        header = (await store.load("b")).header
        assert (header.tags, header.note) == (("x", "y"), "new")
        assert await store.annotate("b", tags=(), note="") == dataclasses.replace(header, tags=(), note="")
        assert await ids(store) == ["a", "b"]
        assert (await store.headers())[0].tags == ()

    # --- deleting ---

    async def test_case_93_deleting_a_run_removes_it_and_only_it(self, store: CheckpointStore) -> None:
        for run_id in ("gone", "kept"):
            parent = None
            for number in range(5):
                parts = {"shared": b"both", "own": f"{run_id} {number}".encode()}
                record, data = record_of(f"{run_id} {number}", parts, run_id=run_id, parent=parent)
                parent = (await store.save(record, data)).id
        assert await store.delete_run("gone") == 5
        assert await ids(store) == [f"kept {number}" for number in range(5)]
        assert [run.run_id for run in await store.runs()] == ["kept"]
        for number in range(5):
            manifest = (await store.load(f"kept {number}")).manifest
            assert len(await store.parts([part.digest for part in manifest])) == 2
            with pytest.raises(CheckpointDamagedError):
                await store.parts([digest_of(f"gone {number}".encode())])
        assert await store.delete_run("kept") == 5
        with pytest.raises(CheckpointDamagedError):
            await store.parts([digest_of(b"both")])

    async def test_parts_outlive_the_run_that_brought_them_while_any_other_uses_them(
        self, store: CheckpointStore
    ) -> None:
        for run_id in ("one", "two", "three"):
            await store.save(*record_of(run_id, {"k": b"common"}, run_id=run_id))
        for run_id in ("one", "three"):
            await store.delete_run(run_id)
            assert await store.parts([digest_of(b"common")]) == {digest_of(b"common"): b"common"}
        await store.delete_run("two")
        with pytest.raises(CheckpointDamagedError):
            await store.parts([digest_of(b"common")])

    async def test_an_archive_goes_on_after_the_run_it_shared_with_was_deleted(self, store: CheckpointStore) -> None:
        archive = Archive(store)
        shared = {"big": list(range(100))}
        for run_id in ("first", "second"):
            header = await archive.save(
                RunState(shared=shared), Trace(), run_id=run_id, workflow="w", cause=Cause.INPUT, parent=None,
                branch="main",
            )  # fmt: skip
            assert (await archive.load(header.id)).state.shared == shared
            await store.delete_run(run_id)

    # --- concurrency ---

    async def test_case_70_many_tasks_save_at_once(self, store: CheckpointStore) -> None:
        async def one_run(run_id: str) -> None:
            parent = None
            for number in range(10):
                parent = (await save(store, f"{run_id}.{number}", run_id=run_id, parent=parent)).id
                await store.headers(run_id=run_id)

        async with asyncio.TaskGroup() as group:
            for number in range(10):
                group.create_task(one_run(f"run {number}"))
        headers = await store.headers()
        assert len({header.sequence for header in headers}) == 100
        for number in range(10):
            assert await ids(store, run_id=f"run {number}") == [f"run {number}.{step}" for step in range(10)]

    async def test_case_70_one_id_saved_by_many_is_saved_once(self, store: CheckpointStore) -> None:
        outcomes: list[bool] = []

        async def attempt(number: int) -> None:
            try:
                await store.save(*record_of("one", {"k": str(number).encode()}))
            except CheckpointConflictError:
                outcomes.append(False)
            else:
                outcomes.append(True)

        async with asyncio.TaskGroup() as group:
            for number in range(20):
                group.create_task(attempt(number))
        assert sum(outcomes) == 1
        manifest = (await store.load("one")).manifest
        assert await store.parts([manifest[0].digest])

    # --- opening and closing ---

    async def test_a_closed_store_says_so(self, open_: StoreFactory) -> None:
        store = open_()
        await store.close()
        await store.close()
        with pytest.raises(CheckpointStoreError, match="closed"):
            await store.headers()
        with pytest.raises(CheckpointStoreError, match="closed"):
            await save(store, "a")

    async def test_what_is_kept_is_there_after_opening_again(self, open_: StoreFactory) -> None:
        async with opened(open_) as store:
            headers = [
                await save(store, "a"),
                await save(store, "b", parent="a", tags=("t",)),
                await save(store, "c", parent="a", branch="fork"),
            ]
            records = [await store.load(header.id) for header in headers]
        async with opened(open_) as store:
            assert await store.headers() == headers
            assert [await store.load(header.id) for header in headers] == records
            with pytest.raises(BranchMovedError):
                await save(store, "d", parent="a")
            more = await save(store, "d", parent="c", branch="fork")
            assert more.sequence > headers[-1].sequence
            assert await store.latest() == more


def page_start(order: list[str], headers: list[CheckpointHeader], checkpoint_id: str) -> int:
    return headers[order.index(checkpoint_id)].sequence


class DamageConformance:
    """For stores whose records can be damaged from outside. Give it fixtures `open_`, and `damage`, which spoils the
    record of a checkpoint id where it lies.
    """

    @pytest.fixture
    def damage(self) -> Callable[[str], None]:
        raise NotImplementedError("give the fixture damage: a function that spoils the record of an id")

    async def test_case_73_a_damaged_record_is_listed_and_never_skipped(
        self, open_: StoreFactory, damage: Callable[[str], None]
    ) -> None:
        async with opened(open_) as store:
            for checkpoint_id in "abc":
                await save(store, checkpoint_id)
        damage("c")
        async with opened(open_) as store:
            assert await ids(store) == ["a", "b", "c"]
            assert [bool(header.damaged) for header in await store.headers()] == [False, False, True]
            latest = await store.latest()
            assert latest is not None
            assert (latest.id, bool(latest.damaged)) == ("c", True)
            with pytest.raises(CheckpointDamagedError) as caught:
                await store.load("c")
            assert caught.value.checkpoint_id == "c"
            assert (await store.load("b")).header.id == "b"
            assert [run.checkpoints for run in await store.runs()] == [3]
