"""A damaged record is marked, never hidden, and nothing writes over it."""
# ruff: noqa: S101 - these are tests

from __future__ import annotations

from collections.abc import Callable

import pytest

from runtime.errors import BranchMovedError, CheckpointConflictError, CheckpointDamagedError, CheckpointKeptError
from runtime.pruning import prune
from runtime.testing.records import StoreFactory, ids, opened, save


class DamageConformance:
    """For stores whose records can be damaged from outside. Give it fixtures `open_`, and `damage`, which spoils the
    record of a checkpoint id where it lies: cut at half, of a wrong type, empty.
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

    async def test_case_73_a_damaged_record_is_never_written_over_or_removed_by_the_way(
        self, open_: StoreFactory, damage: Callable[[str], None]
    ) -> None:
        async with opened(open_) as store:
            for checkpoint_id in "abcde":
                await save(store, checkpoint_id)
        damage("b")
        damage("e")
        async with opened(open_) as store:
            before = await store.headers()
            with pytest.raises(CheckpointConflictError):
                await save(store, "e", parent="d", branch="fork")
            with pytest.raises(BranchMovedError):
                await save(store, "next", parent="d")
            for change in (store.annotate("e", note="n"), store.annotate("b", tags=()), store.delete(["a", "b"])):
                with pytest.raises(CheckpointDamagedError):
                    await change
            # The newest that can be read is what there is to go on from.
            with pytest.raises(CheckpointKeptError, match="head"):
                await store.delete(["a", "d"])
            assert await store.headers() == before
            assert {header.id for header in await prune(store, keep=1)} <= {"a", "c"}
            kept = [header for header in before if header.id in "bde"]
            assert [header for header in await store.headers() if header.id in "bde"] == kept
            assert await store.load("d")
            count = len(await ids(store))
            assert await store.delete_run("run") == count
