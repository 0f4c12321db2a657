"""Runs and checkpoints are removed with their own parts, and everything else stays as
it was.
"""
# ruff: noqa: S101 - these are tests

from __future__ import annotations

import random

import pytest

from runtime.checkpoint import PINNED, Cause, CheckpointStore, Record, digest_of
from runtime.checkpoints.archive import Archive
from runtime.errors import (
    CheckpointConflictError,
    CheckpointDamagedError,
    CheckpointKeptError,
    CheckpointNotFoundError,
    PartsMissingError,
)
from runtime.state import RunState, Trace
from runtime.testing.conformance.base import Conformance
from runtime.testing.records import (
    HOSTILE,
    StoreFactory,
    check_whole,
    ids,
    opened,
    record_of,
    save,
)


async def chain(store: CheckpointStore, count: int, names: int = 12) -> list[Record]:
    """Checkpoints c0, c1, … of many parts, of which each changes one but "same"."""
    parts = {f"key {number}": b"%d" % number for number in range(names)} | {
        "same": b"same"
    }
    records: list[Record] = []
    for number in range(count):
        parts[f"key {number % names}"] = b"changed %d" % number
        if number % 7 == 6:
            del parts[f"key {number % names}"]
        parent = records[-1].header.id if records else None
        record, data = record_of(f"c{number}", parts, parent=parent)
        records.append(Record(await store.save(record, data), record.manifest))
    return records


async def parts_left(store: CheckpointStore, *records: Record) -> set[str]:
    """Return the digests of the parts of these records that are still in the store."""
    digests: set[str] = set()
    for digest in {part.digest for record in records for part in record.manifest}:
        try:
            digests.update(await store.parts([digest]))
        except CheckpointDamagedError:
            continue
    return digests


def used_by(*records: Record) -> set[str]:
    return {part.digest for record in records for part in record.manifest}


class RemovalConformance(Conformance):
    """`delete` and `delete_run`."""

    # --- runs ---

    async def test_case_93_deleting_a_run_removes_it_and_only_it(
        self, store: CheckpointStore
    ) -> None:
        """Twenty checkpoints with a child run, and another run that shares parts with
        them.
        """
        archive = Archive(store)
        records: dict[str, list[Record]] = {"gone": [], "kept": []}
        for run_id, run_records in records.items():
            for number in range(20):
                shared = {"both": "same", "own": f"{run_id} {number}"}
                child = RunState(number, shared={"inner": f"{run_id} child {number}"})
                header = await archive.save(
                    RunState(number, shared=shared, children={"sub": child}), Trace(), run_id=run_id, workflow="w",
                    cause=Cause.SUPERSTEP, parent=run_records[-1].header if run_records else None, branch="main",
                )  # fmt: skip
                run_records.append(await store.load(header.id))
        assert await store.delete_run("gone") == 20
        assert await store.headers() == [record.header for record in records["kept"]]
        assert [run.run_id for run in await store.runs()] == ["kept"]
        assert await parts_left(store, *records["gone"]) == used_by(
            *records["gone"]
        ) & used_by(*records["kept"])
        for record in records["kept"]:
            assert (
                (await archive.load(record.header.id))
                .state.children["sub"]
                .shared["inner"]
                .startswith("kept")
            )
        assert await store.delete_run("kept") == 20
        assert await parts_left(store, *records["gone"], *records["kept"]) == set()

    async def test_parts_outlive_the_run_that_brought_them_while_any_other_uses_them(
        self, store: CheckpointStore
    ) -> None:
        for run_id in ("one", "two", "three"):
            await store.save(*record_of(run_id, {"k": b"common"}, run_id=run_id))
        for run_id in ("one", "three"):
            await store.delete_run(run_id)
            assert await store.parts([digest_of(b"common")]) == {
                digest_of(b"common"): b"common"
            }
        await store.delete_run("two")
        with pytest.raises(CheckpointDamagedError):
            await store.parts([digest_of(b"common")])

    async def test_an_archive_goes_on_after_the_run_it_shared_with_was_deleted(
        self, store: CheckpointStore
    ) -> None:
        archive = Archive(store)
        shared = {"big": list(range(100))}
        for run_id in ("first", "second"):
            header = await archive.save(
                RunState(shared=shared), Trace(), run_id=run_id, workflow="w", cause=Cause.INPUT, parent=None,
                branch="main",
            )  # fmt: skip
            assert (await archive.load(header.id)).state.shared == shared
            await store.delete_run(run_id)

    # --- checkpoints ---

    async def test_what_follows_a_removed_checkpoint_stays_whole(
        self, open_: StoreFactory
    ) -> None:
        async with opened(open_) as store:
            records = await chain(store, 12)
            await save(
                store,
                "fork",
                {"own": b"fork", "same": b"same"},
                parent="c3",
                branch="fork",
            )
            removed = {"c0", "c1", "c4", "c5", "c10"}
            assert await store.delete(sorted(removed)) == 5
            remaining = [
                record for record in records if record.header.id not in removed
            ]
            headers = [
                *[record.header for record in remaining],
                (await store.load("fork")).header,
            ]
            assert await store.headers() == headers
        async with opened(open_) as store:
            assert await store.headers() == headers
            assert (
                await store.headers(limit=2, after=headers[1].sequence) == headers[2:4]
            )
            assert await store.latest(branch="main") == headers[-2]
            (run,) = await store.runs()
            assert (run.checkpoints, run.branches, run.latest) == (8, 2, headers[-1])
            for record in remaining:
                assert await store.load(record.header.id) == record
            await check_whole(store)
            assert await parts_left(store, *records) == used_by(*remaining)
            for checkpoint_id in removed:
                with pytest.raises(CheckpointNotFoundError):
                    await store.load(checkpoint_id)
                with pytest.raises(CheckpointNotFoundError):
                    await store.annotate(checkpoint_id, note="n")

    async def test_any_order_of_removals_leaves_the_rest_as_it_was(
        self, store: CheckpointStore
    ) -> None:
        chance = random.Random(1)  # noqa: S311 - an order, no secret
        records = {
            record.header.id: record for record in await chain(store, 60, names=30)
        }
        removable = list(records)[:-1]
        while removable:
            removed = [
                removable.pop(chance.randrange(len(removable)))
                for _ in range(min(7, len(removable)))
            ]
            assert await store.delete(removed) == len(removed)
            for checkpoint_id in removed:
                del records[checkpoint_id]
            assert await ids(store) == list(records)
            for checkpoint_id, record in records.items():
                assert await store.load(checkpoint_id) == record
            await check_whole(store)

    async def test_what_is_not_there_counts_for_nothing_and_what_is_named_twice_once(
        self, store: CheckpointStore
    ) -> None:
        await chain(store, 3)
        assert await store.delete([]) == 0
        assert await store.delete(["c1", "unknown", "c1", *HOSTILE]) == 1
        assert await ids(store) == ["c0", "c2"]

    async def test_heads_and_pinned_ones_stay_and_then_nothing_is_removed(
        self, store: CheckpointStore
    ) -> None:
        await chain(store, 4)
        await save(store, "fork", parent="c1", branch="fork")
        await store.annotate("c1", tags=["mine", PINNED])
        listed = await store.headers()
        for checkpoint_id, reason in (
            ("c3", "head of branch 'main'"),
            ("fork", "head of branch 'fork'"),
            ("c1", "pinned"),
        ):
            with pytest.raises(CheckpointKeptError, match=reason) as caught:
                await store.delete(["c0", checkpoint_id, "c2"])
            assert caught.value.checkpoint_id == checkpoint_id
        assert await store.headers() == listed
        await check_whole(store)
        await store.annotate("c1", tags=["mine"])
        assert await store.delete(["c0", "c1", "c2"]) == 3
        assert await ids(store) == ["c3", "fork"]

    async def test_a_part_that_another_checkpoint_uses_stays(
        self, store: CheckpointStore
    ) -> None:
        await store.save(
            *record_of("a", {"k": b"in a and in the other run", "own": b"of a"})
        )
        await save(store, "b", {})
        await store.save(
            *record_of("x", {"k": b"in a and in the other run"}, run_id="other")
        )
        await store.delete(["a"])
        shared_digest = digest_of(b"in a and in the other run")
        assert await store.parts([shared_digest]) == {
            shared_digest: b"in a and in the other run"
        }
        with pytest.raises(CheckpointDamagedError):
            await store.parts([digest_of(b"of a")])
        await store.delete_run("other")
        with pytest.raises(CheckpointDamagedError):
            await store.parts([shared_digest])

    async def test_numbers_are_not_given_again_and_the_run_goes_on(
        self, open_: StoreFactory
    ) -> None:
        async with opened(open_) as store:
            last = (await chain(store, 5))[-1].header
            await save(store, "newest", run_id="newest")
            newest = (await store.latest()).sequence  # type: ignore[union-attr]
            await store.delete_run("newest")
            await store.delete(["c0", "c1", "c2", "c3"])
        async with opened(open_) as store:
            after = await save(store, "next", parent=last.id)
            assert after.sequence > newest
            assert await store.delete([last.id]) == 1
            assert await ids(store) == ["next"]
            assert (await save(store, "c0", parent="next")).sequence > after.sequence
            with pytest.raises(CheckpointConflictError):
                await save(store, "fork", parent=last.id, branch="fork")

    # --- two stores in one place ---

    async def test_case_85_two_stores_in_one_place_see_each_other(
        self, open_: StoreFactory
    ) -> None:
        async with opened(open_) as first, opened(open_) as second:
            await save(first, "a")
            assert await ids(second) == ["a"]
            await save(second, "b", parent="a")
            await second.delete_run("run")
            await save(first, "c")
            await save(first, "d", parent="c")
            assert await ids(second) == ["c", "d"]
            assert (await second.load("d")).manifest == record_of("d")[0].manifest
            await save(second, "e", parent="d")
            await second.delete(["c"])
            assert await ids(first) == ["d", "e"]

    async def test_what_one_store_remembers_is_not_what_another_has_removed(
        self, open_: StoreFactory
    ) -> None:
        """Neither the record that others are kept as differences to, nor parts that
        were there a moment ago.
        """
        async with opened(open_) as first, opened(open_) as second:
            records = await chain(first, 3)
            parts = await first.parts([part.digest for part in records[-1].manifest])
            await second.save(*record_of("on", {"same": b"same"}, parent="c2"))
            await second.delete(["c0", "c1", "c2"])
            again = Record(
                record_of("again", parent="on")[0].header, records[-1].manifest
            )
            with pytest.raises(PartsMissingError):
                await first.save(again, {})
            assert await ids(second) == ["on"]
            await first.save(again, parts)
            assert await ids(second) == ["on", "again"]
            await check_whole(second)

    async def test_a_checkpoint_that_was_deleted_and_saved_anew_elsewhere_lends_no_parts(
        self, open_: StoreFactory
    ) -> None:
        """What a store remembers of the parent it saved is not what another store saved
        under the same id.
        """
        async with opened(open_) as first, opened(open_) as second:
            await first.save(*record_of("a", {"k": b"gone"}))
            await second.delete_run("run")
            await second.save(*record_of("a", {"k": b"other"}))
            record, _ = record_of("b", {"k": b"gone"}, parent="a")
            with pytest.raises(PartsMissingError):
                await first.save(record, {})

    async def test_a_run_that_is_deleted_and_saved_again_is_a_new_one(
        self, open_: StoreFactory
    ) -> None:
        for number in range(3):
            async with opened(open_) as store:
                await save(store, str(number), parent=None)
                assert await ids(store, run_id="run") == [str(number)]
                assert await store.delete_run("run") == 1
                assert await store.headers() == []
