"""Filters match literally and as a whole, limits mean the same everywhere, and reading
leaves no trace.
"""
# ruff: noqa: S101 - these are tests

from __future__ import annotations

import gc
import tracemalloc

import pytest

from runtime.checkpoint import CheckpointStore, digest_of
from runtime.errors import CheckpointDamagedError, CheckpointNotFoundError
from runtime.testing.conformance.base import Conformance
from runtime.testing.records import HOSTILE, ids, save

_UNLIKE = [
    "%",
    "_",
    "r_n",
    "RUN",
    "x') OR 1=1 --",
    "it's",
    'say "hi"',
    "",
    "*",
    "r\0n",
    "\\",
]


def _memory() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


class FilterConformance(Conformance):
    """Listing by run, workflow, branch and tag; pages; what is not there."""

    async def test_case_77_filters_give_exactly_the_own_ones(
        self, store: CheckpointStore
    ) -> None:
        """Three runs of two workflows, whose names are the beginning of others."""
        await save(store, "a", run_id="run", workflow="flow")
        await save(store, "b", run_id="run 2", workflow="flow", tags=("good",))
        await save(store, "c", run_id="ru", workflow="flow 2", tags=("good one", "x"))
        await save(
            store,
            "d",
            run_id="run",
            workflow="flow",
            branch="main 2",
            parent="a",
            tags=("x", "good"),
        )
        for filters, expected in (
            ({"run_id": "run"}, ["a", "d"]),
            ({"run_id": "ru"}, ["c"]),
            ({"run_id": "r"}, []),
            ({"workflow": "flow"}, ["a", "b", "d"]),
            ({"workflow": "flow 2"}, ["c"]),
            ({"branch": "main"}, ["a", "b", "c"]),
            ({"branch": "main 2"}, ["d"]),
            ({"tag": "good"}, ["b", "d"]),
            ({"tag": "x"}, ["c", "d"]),
            ({"tag": "goo"}, []),
            ({"tag": "good", "run_id": "run"}, ["d"]),
            (
                {
                    "tag": "good",
                    "run_id": "run",
                    "workflow": "flow",
                    "branch": "main 2",
                },
                ["d"],
            ),
            ({"tag": "good", "branch": "main"}, ["b"]),
            ({"run_id": "run", "workflow": "flow 2"}, []),
        ):
            assert await ids(store, **filters) == expected, filters
            by_latest = {
                name: value for name, value in filters.items() if name != "tag"
            }
            if by_latest == filters:
                latest = await store.latest(**by_latest)
                assert (latest and latest.id) == (expected[-1] if expected else None)
        assert await ids(store, tag="x", limit=1) == ["c"]
        assert await ids(
            store, tag="x", after=(await store.headers(tag="x"))[0].sequence
        ) == ["d"]

    async def test_case_77_filters_follow_what_is_annotated(
        self, store: CheckpointStore
    ) -> None:
        await save(store, "a", tags=("old",))
        await store.annotate("a", tags=["new"])
        assert (await ids(store, tag="old"), await ids(store, tag="new")) == ([], ["a"])
        await store.annotate("a", tags=())
        assert await ids(store, tag="new") == []

    async def test_case_132_a_filter_is_a_value(self, store: CheckpointStore) -> None:
        """Quotes, wildcards and case match themselves and nothing else."""
        await save(
            store,
            "innocent",
            run_id="run",
            workflow="flow",
            branch="branch",
            tags=("tag",),
        )
        for number, name in enumerate(_UNLIKE):
            await save(
                store,
                str(number),
                run_id=name,
                workflow=name,
                branch=name,
                tags=(name, "every"),
            )
        for number, name in enumerate(_UNLIKE):
            for kind in ("run_id", "workflow", "branch", "tag"):
                assert await ids(store, **{kind: name}) == [str(number)], (kind, name)
        for name in (*HOSTILE, "ru", "tag ", "\ud800"):
            if name not in _UNLIKE:
                for kind in ("run_id", "workflow", "branch", "tag"):
                    assert await ids(store, **{kind: name}) == [], (kind, name)
        assert len(await ids(store, tag="every")) == len(_UNLIKE)

    async def test_case_80_limits_mean_the_same_everywhere(
        self, store: CheckpointStore
    ) -> None:
        for number in range(5):
            await save(store, str(number))
        everything = ["0", "1", "2", "3", "4"]
        for limit, expected in (
            (0, []),
            (1, ["0"]),
            (5, everything),
            (10**9, everything),
            (10**30, everything),
        ):
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
        third = (await store.load("3")).header
        assert await ids(store, run_id="run", after=third.sequence) == ["5"]
        assert await ids(store, after=10**30) == []

    async def test_what_is_not_there_is_said_by_name(
        self, store: CheckpointStore
    ) -> None:
        for checkpoint_id in ("nothing", *HOSTILE, "\ud800"):
            with pytest.raises(CheckpointNotFoundError):
                await store.load(checkpoint_id)
            with pytest.raises(CheckpointNotFoundError):
                await store.annotate(checkpoint_id, note="n")
        assert await store.latest() is None
        assert (
            await store.delete_run("nothing")
            == await store.delete(["nothing", *HOSTILE, "\ud800"])
            == 0
        )
        with pytest.raises(CheckpointDamagedError):
            await store.parts([digest_of(b"nothing")])

    async def test_case_83_reading_creates_nothing(
        self, store: CheckpointStore
    ) -> None:
        """Thousands of reads of missing things leave no memory, no run, no checkpoint."""
        await save(store, "a")

        async def read(first: int, count: int) -> None:
            for number in range(first, first + count):
                name = f"unknown {number}"
                with pytest.raises(CheckpointNotFoundError):
                    await store.load(name)
                assert (
                    await store.headers(
                        run_id=name, branch=name, tag=name, workflow=name
                    )
                    == []
                )
                assert await store.latest(run_id=name, branch=name) is None

        await read(0, 100)
        tracemalloc.start()
        try:
            await read(1000, 100)
            before = _memory()
            await read(2000, 1000)
            grown = _memory() - before
        finally:
            tracemalloc.stop()
        assert grown < 60_000  # a dict with so many names takes three times as much
        assert [run.run_id for run in await store.runs()] == ["run"]
        assert await ids(store) == ["a"]
