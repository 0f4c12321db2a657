"""A damaged record is marked, never hidden, and never written over."""
# ruff: noqa: S101 - these are tests

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest

from runtime.agent_framework.storages import StoreCheckpointStorage
from runtime.errors import (
    BranchMovedError,
    CheckpointConflictError,
    CheckpointDamagedError,
    CheckpointKeptError,
)
from runtime.stores import prune
from runtime.testing.records import StoreFactory, ids, opened, save

_PLACE = {"run_id": "run", "workflow": "flow", "branch": "main", "tag": "good"}
# Every filter, alone and together with the others.
_FILTERS: list[dict[str, Any]] = [
    dict(chosen)
    for number in range(len(_PLACE) + 1)
    for chosen in combinations(_PLACE.items(), number)
]


class NeverEmptyConformance:
    """A store with a damaged record never answers as if it were empty. Needs the
    fixtures of `DamageConformance`, and holds for worse damage too: of a row or a file
    that many records share.
    """

    @pytest.fixture
    def damage(self) -> Callable[[str], None]:
        raise NotImplementedError(
            "give the fixture damage: a function that spoils the record of an id"
        )

    async def test_a_damaged_store_never_looks_empty(
        self, open_: StoreFactory, damage: Callable[[str], None]
    ) -> None:
        """No filter hides what is damaged now, because a caller who gets nothing starts
        afresh.
        """
        async with opened(open_) as store:
            await save(store, "b", tags=("good",))
            await save(
                store,
                "a",
                run_id="other",
                workflow="other flow",
                branch="other branch",
                tags=("other",),
            )
        damage("b")
        async with opened(open_) as store:
            for filters in _FILTERS:
                assert "b" in await ids(store, **filters), filters
                assert await ids(store, **filters, limit=1), filters
                latest = await store.latest(
                    **{name: value for name, value in filters.items() if name != "tag"}
                )
                assert latest is not None, filters
                assert latest.id == "b" or not filters.keys() - {"tag"}, filters
            assert "a" in await ids(
                store,
                run_id="other",
                workflow="other flow",
                branch="other branch",
                tag="other",
            )
            assert "b" in [run.latest.id for run in await store.runs()]
            await self._check_storage(StoreCheckpointStorage(store))

    async def _check_storage(self, storage: StoreCheckpointStorage) -> None:
        for read in (storage.get_latest(workflow_name="flow"), storage.load("b")):
            with pytest.raises(CheckpointDamagedError):
                await read
        assert "b" in await storage.list_checkpoint_ids(workflow_name="flow")
        listed = {
            checkpoint.checkpoint_id: checkpoint
            for checkpoint in await storage.list_checkpoints(workflow_name="flow")
        }
        assert listed["b"].metadata["damaged"]


class MarkedConformance(NeverEmptyConformance):
    """For damage to one record alone, however little remains of it. Needs the fixtures
    of `DamageConformance`.
    """

    async def test_case_73_a_damaged_record_is_listed_and_never_skipped(
        self, open_: StoreFactory, damage: Callable[[str], None]
    ) -> None:
        async with opened(open_) as store:
            for checkpoint_id in "abc":
                await save(store, checkpoint_id)
        damage("c")
        async with opened(open_) as store:
            assert await ids(store) == ["a", "b", "c"]
            assert [bool(header.damaged) for header in await store.headers()] == [
                False,
                False,
                True,
            ]
            latest = await store.latest()
            assert latest is not None
            assert (latest.id, bool(latest.damaged)) == ("c", True)
            with pytest.raises(CheckpointDamagedError) as caught:
                await store.load("c")
            assert caught.value.checkpoint_id == "c"
            assert (await store.load("b")).header.id == "b"
            assert sum(run.checkpoints for run in await store.runs()) == 3

    async def test_a_damaged_record_is_marked_by_every_filter(
        self, open_: StoreFactory, damage: Callable[[str], None]
    ) -> None:
        async with opened(open_) as store:
            for checkpoint_id in "abc":
                await save(store, checkpoint_id, tags=("good",))
            await save(
                store, "d", run_id="other", workflow="other flow", branch="other branch"
            )
        damage("c")
        async with opened(open_) as store:
            for filters in _FILTERS:
                headers = await store.headers(**filters)
                assert [header.id for header in headers if header.damaged] == ["c"], (
                    filters
                )
                assert [header.id for header in headers if header.id != "d"] == [
                    "a",
                    "b",
                    "c",
                ], filters
                names = {
                    name: value for name, value in filters.items() if name != "tag"
                }
                latest = await store.latest(**names)
                assert latest is not None, filters
                assert (latest.id, bool(latest.damaged)) == (
                    ("c", True) if names else ("d", False)
                ), filters


class DamageConformance(MarkedConformance):
    """For stores whose records can be damaged from outside. Give it fixtures `open_`,
    and `damage`, which spoils the record of a checkpoint id where it lies: cut at half,
    of a wrong type, empty.
    """

    async def test_case_73_a_damaged_record_is_never_written_over_or_removed_by_the_way(
        self, open_: StoreFactory, damage: Callable[[str], None]
    ) -> None:
        async with opened(open_) as store:
            for checkpoint_id in "abcde":
                await save(store, checkpoint_id)
        damage("b")
        damage("e")
        async with opened(open_) as store:
            assert [run.checkpoints for run in await store.runs()] == [5]
            before = await store.headers()
            with pytest.raises(CheckpointConflictError):
                await save(store, "e", parent="d", branch="fork")
            with pytest.raises(BranchMovedError):
                await save(store, "next", parent="d")
            for change in (
                store.annotate("e", note="n"),
                store.annotate("b", tags=()),
                store.delete(["a", "b"]),
            ):
                with pytest.raises(CheckpointDamagedError):
                    await change
            # The newest readable one is the head from now on.
            with pytest.raises(CheckpointKeptError, match="head"):
                await store.delete(["a", "d"])
            assert await store.headers() == before
            assert {header.id for header in await prune(store, keep=1)} <= {"a", "c"}
            remaining = [header for header in before if header.id in "bde"]
            assert [
                header for header in await store.headers() if header.id in "bde"
            ] == remaining
            assert await store.load("d")
            count = len(await ids(store))
            assert await store.delete_run("run") == count
