"""The order is that of saving, and a branch is a line."""
# ruff: noqa: S101 - these are tests

from __future__ import annotations

import asyncio

import pytest

from runtime.checkpoint import CheckpointStore, digest_of
from runtime.errors import (
    BranchMovedError,
    CheckpointConflictError,
    CheckpointDamagedError,
)
from runtime.testing.conformance.base import Conformance
from runtime.testing.records import StoreFactory, ids, opened, record_of, save


class LineageConformance(Conformance):
    """Sequences, parents, branches, heads and runs."""

    async def test_case_71_order_is_that_of_saving_and_never_of_clocks(
        self, store: CheckpointStore
    ) -> None:
        for checkpoint_id, time in (("a", 5.0), ("b", 5.0), ("c", 1.0)):
            await save(store, checkpoint_id, time=time)
        assert await ids(store) == ["a", "b", "c"]
        latest = await store.latest()
        assert latest is not None
        assert latest.id == "c"
        sequences = [header.sequence for header in await store.headers()]
        assert sequences == sorted(set(sequences))

    async def test_case_71_with_a_frozen_clock_the_child_is_the_latest(
        self, store: CheckpointStore
    ) -> None:
        """A child that comes before its parent is refused, so no order makes it the
        older one.
        """
        with pytest.raises(CheckpointConflictError, match="follows parent"):
            await save(store, "child", parent="parent", time=7.0)
        await save(store, "parent", time=7.0)
        child = await save(store, "child", time=7.0)
        assert (
            await store.latest()
            == await store.latest(run_id="run", branch="main")
            == child
        )
        assert await ids(store) == ["parent", "child"]

    async def test_case_81_a_fork_is_listed_where_it_was_saved(
        self, open_: StoreFactory
    ) -> None:
        async with opened(open_) as store:
            parent = None
            for number in range(1, 6):
                parent = (await save(store, str(number), parent=parent)).id
            await save(store, "fork", parent="2", branch="fork 1")
            listed = await store.headers()
        assert [header.id for header in listed] == ["1", "2", "3", "4", "5", "fork"]
        assert (listed[-1].parent, listed[-1].branch) == ("2", "fork 1")
        async with opened(open_) as store:
            assert await store.headers() == listed

    async def test_case_176_each_branch_has_its_own_latest(
        self, store: CheckpointStore
    ) -> None:
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
            latest = await store.latest(**filters)
            assert latest is not None
            assert latest.id == expected
        assert await store.latest(run_id="run", branch="none") is None
        assert await store.latest(run_id="run", workflow="second") is None

    async def test_a_branch_is_a_line(self, store: CheckpointStore) -> None:
        """A save that goes on from another checkpoint than the head is refused, learns
        the head, and may fork.
        """
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

    async def test_of_many_who_go_on_from_one_checkpoint_one_is_saved(
        self, store: CheckpointStore
    ) -> None:
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

    async def test_runs_are_summed_up_newest_first(
        self, store: CheckpointStore
    ) -> None:
        await save(store, "a", run_id="one")
        await save(store, "b", run_id="two", workflow="second")
        await save(store, "c", run_id="one", parent="a", branch="fork")
        runs = await store.runs()
        assert [
            (run.run_id, run.workflow, run.checkpoints, run.branches, run.latest.id)
            for run in runs
        ] == [
            ("one", "flow", 2, 2, "c"),
            ("two", "second", 1, 1, "b"),
        ]
