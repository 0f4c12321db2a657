"""Ids and names are data: any text is kept apart and has no effect."""
# ruff: noqa: S101 - these are tests

from __future__ import annotations

import pytest

from runtime.checkpoint import CheckpointStore
from runtime.errors import CheckpointStoreError
from runtime.testing.conformance.base import Conformance
from runtime.testing.records import HOSTILE, StoreFactory, ids, opened, record_of, save

# Names that some file systems forbid, cut off, or take for the same.
_AWKWARD = [
    "a:b", "a/b", "a?b", "ä b", ".", "..", "x" * 300, "x" * 301, "dot.", "dot", "space ", "space", "con", "A", "a", "Ä",
    "ä", "a\u0308", "nul.txt", "a*b", "<a>", "a|b", "~", "-x", "日本語" * 60,
]  # fmt: skip


class NameConformance(Conformance):
    """Hostile and awkward ids."""

    async def test_case_97_every_id_is_kept_apart_and_read_back_exactly(
        self, open_: StoreFactory
    ) -> None:
        async with opened(open_) as store:
            for name in _AWKWARD:
                await save(store, name, {"k": name.encode()}, run_id=name, parent=None)
        async with opened(open_) as store:
            assert await ids(store) == _AWKWARD
            for name in _AWKWARD:
                (header,) = await store.headers(run_id=name)
                assert (header.id, header.run_id) == (name, name)
                (part,) = (await store.load(name)).manifest
                assert await store.parts([part.digest]) == {part.digest: name.encode()}

    async def test_case_124_ids_are_data(self, store: CheckpointStore) -> None:
        """No id reaches outside the store, and different ids never meet."""
        for name in HOSTILE:
            await save(
                store,
                f"{name}",
                run_id=name,
                workflow=name,
                branch=name,
                note=name,
                tags=(name,),
            )
        assert await ids(store) == HOSTILE
        for name in HOSTILE:
            header = (await store.load(name)).header
            assert (header.id, header.run_id, header.workflow, header.branch) == (
                name,
                name,
                name,
                name,
            )
            assert (header.note, header.tags) == (name, (name,))
            assert await ids(store, run_id=name) == [name]
            await save(store, f"{name} next", run_id=name, branch=name)
            assert await store.delete([name]) == 1
            assert await ids(store, run_id=name) == [f"{name} next"]
            assert await store.delete_run(name) == 1
        assert await ids(store) == []

    async def test_a_lone_surrogate_in_a_name_is_refused(
        self, store: CheckpointStore
    ) -> None:
        for bad in (
            {"run_id": "\ud800"},
            {"workflow": "\ud800"},
            {"tags": ("\ud800",)},
            {"note": "\ud800"},
        ):
            with pytest.raises(CheckpointStoreError, match="surrogate"):
                await save(store, "a", **bad)
        with pytest.raises(CheckpointStoreError, match="surrogate"):
            await store.save(*record_of("a", {"\ud800": b"1"}))
        assert await ids(store) == []
