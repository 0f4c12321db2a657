"""A checkpoint is saved completely, or not at all."""
# ruff: noqa: S101 - these are tests

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from runtime.checkpoint import Cause, CheckpointStore, Part, Record, digest_of
from runtime.checkpoints.archive import Archive
from runtime.errors import (
    BranchMovedError,
    CheckpointConflictError,
    CheckpointDamagedError,
    CheckpointStoreError,
    EncodeError,
    PartsMissingError,
)
from runtime.state import RunState, Trace
from runtime.testing.conformance.base import Conformance
from runtime.testing.records import StoreFactory, ids, opened, record_of, save

_PLACE: dict[str, Any] = {
    "run_id": "run",
    "workflow": "flow",
    "cause": Cause.SUPERSTEP,
    "branch": "main",
}


class KeepingConformance(Conformance):
    """Saving, loading, annotating, opening and closing."""

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

    async def test_parts_are_shared_and_need_not_be_given_again(
        self, store: CheckpointStore
    ) -> None:
        record, parts = record_of("a", {"k": b"same", "l": b"old"})
        await store.save(record, parts)
        second, second_parts = record_of("b", {"k": b"same", "l": b"new"}, parent="a")
        await store.save(
            second,
            {digest: data for digest, data in second_parts.items() if data == b"new"},
        )
        third, all_of_them = record_of("c", {"k": b"same", "l": b"new"}, parent="b")
        await store.save(third, all_of_them)
        assert (await store.load("b")).manifest == second.manifest
        assert await store.parts(list(second_parts)) == second_parts

    async def test_a_manifest_keeps_its_order_and_its_repetitions(
        self, store: CheckpointStore
    ) -> None:
        """Pieces of one part are entries of one name, and kinds and names are any
        texts.
        """
        data = {digest_of(bytes([i])): bytes([i]) for i in range(4)}
        a, b, c, d = data
        manifests = [
            (Part("shared", "k", a), Part("shared", "k", b), Part("shared", "k", a)),
            (Part("shared", "k", b), Part("shared", "k", a), Part("own kind", "", c)),
            (
                Part("s", "x", d),
                Part(":s", "x", a),
                Part("shared", "k", b),
                Part("shared", "k", a),
            ),
            (),
            (Part("child", '["a","b"]', d), Part("shared", "k", b)),
            (Part("queue", "", d), Part("shared", "\0", b)),
        ]
        for number, manifest in enumerate(manifests):
            header = record_of(str(number), parent=str(number - 1) if number else None)[
                0
            ].header
            await store.save(Record(header, manifest), data)
        assert [
            (await store.load(str(number))).manifest for number in range(len(manifests))
        ] == manifests

    async def test_long_runs_with_many_keys_load_whole(
        self, store: CheckpointStore
    ) -> None:
        names = [f"key{i}" for i in range(40)]
        values = dict.fromkeys(names, b"0")
        manifests = {}
        for number in range(120):
            values[names[number % 40]] = str(number).encode()
            if number % 30 == 29:
                del values[names[number % 40]]
            record, parts = record_of(
                f"c{number}", dict(values), parent=f"c{number - 1}" if number else None
            )
            await store.save(record, parts)
            manifests[f"c{number}"] = record.manifest
        for checkpoint_id, manifest in manifests.items():
            assert (await store.load(checkpoint_id)).manifest == manifest

    async def test_an_id_is_taken_once(self, store: CheckpointStore) -> None:
        await save(store, "a")
        with pytest.raises(CheckpointConflictError) as caught:
            await store.save(*record_of("a", {"k": b"other"}))
        assert caught.value.checkpoint_id == "a"
        with pytest.raises(CheckpointConflictError):
            await save(store, "b", parent="unknown")
        assert await ids(store) == ["a"]

    async def test_a_save_that_fails_leaves_no_trace(
        self, store: CheckpointStore
    ) -> None:
        await save(store, "a")
        record, parts = record_of(
            "b", {"k": b"given", "l": b"not given"}, run_id="new", workflow="new"
        )
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

    async def test_case_75_what_cannot_be_encoded_leaves_the_latest_as_it_was(
        self, store: CheckpointStore
    ) -> None:
        archive = Archive(store)
        good = await archive.save(
            RunState(shared={"k": 1}), Trace(), parent=None, **_PLACE
        )
        with pytest.raises(EncodeError, match=r"^state\['k'\]"):
            await archive.save(
                RunState(1, shared={"k": object()}), Trace(), parent=good, **_PLACE
            )
        assert await store.latest() == good
        assert await store.headers() == [good]
        again = await archive.save(
            RunState(1, shared={"k": 2}), Trace(), parent=good, **_PLACE
        )
        assert (await archive.load(again.id)).state.shared == {"k": 2}

    async def test_case_91_a_nul_in_texts_and_keys_comes_back(
        self, store: CheckpointStore
    ) -> None:
        archive = Archive(store)
        shared = {"t": "a\x00b", "k\x00": 1}
        header = await archive.save(
            RunState(shared=shared), Trace(), parent=None, **_PLACE
        )
        assert (await archive.load(header.id)).state.shared == shared
        noted = await store.annotate(header.id, note="n\x00", tags=("t\x00",))
        assert await store.headers(tag="t\x00") == [noted]

    async def test_tags_and_note_are_replaced(self, store: CheckpointStore) -> None:
        await save(store, "a")
        await save(store, "b", tags=("old",), note="old")
        assert (await store.annotate("b", tags=["x", "y"])).tags == ("x", "y")
        assert (await store.annotate("b", note="new")).note == "new"
        header = (await store.load("b")).header
        assert (header.tags, header.note) == (("x", "y"), "new")
        assert await store.annotate("b", tags=(), note="") == dataclasses.replace(
            header, tags=(), note=""
        )
        assert await ids(store) == ["a", "b"]
        assert (await store.headers())[0].tags == ()

    async def test_a_closed_store_says_so(self, open_: StoreFactory) -> None:
        store = open_()
        await store.close()
        await store.close()
        with pytest.raises(CheckpointStoreError, match="closed"):
            await store.headers()
        with pytest.raises(CheckpointStoreError, match="closed"):
            await save(store, "a")

    async def test_what_is_kept_is_there_after_opening_again(
        self, open_: StoreFactory
    ) -> None:
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
