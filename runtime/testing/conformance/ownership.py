"""Arguments and results belong to the caller."""
# ruff: noqa: S101 - these are tests

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from runtime.checkpoint import Cause, CheckpointStore, Record, digest_of
from runtime.checkpoints.archive import Archive
from runtime.message import Message, Request
from runtime.state import ExecutorRecord, RunState, Trace
from runtime.testing.conformance.base import Conformance
from runtime.testing.records import ids, record_of, save


class OwnershipConformance(Conformance):
    """Both directions, for every method."""

    async def test_case_68_what_was_given_may_be_changed_afterwards(
        self, store: CheckpointStore
    ) -> None:
        data = bytearray(b"before")
        record, _ = record_of("a", {"k": b"before"})
        parts: Any = {digest_of(b"before"): data}
        manifest: Any = list(record.manifest)
        await store.save(Record(record.header, manifest), parts)
        tags = ["mine"]
        await store.annotate("a", tags=tags)
        data[:] = b"after!"
        parts.clear()
        manifest.clear()
        tags.append("not mine")
        assert (await store.load("a")).manifest == record.manifest
        assert (await store.load("a")).header.tags == ("mine",)
        assert await store.parts([record.manifest[0].digest]) == {
            record.manifest[0].digest: b"before"
        }

    async def test_case_68_what_was_returned_may_be_changed_afterwards(
        self, store: CheckpointStore
    ) -> None:
        record, parts = record_of("a")
        await store.save(record, parts)
        (await store.headers()).clear()
        (await store.parts(list(parts))).clear()
        (await store.runs()).clear()
        assert await ids(store) == ["a"]
        assert await store.parts(list(parts)) == parts
        assert len(await store.runs()) == 1

    async def test_case_68_headers_cannot_be_changed_at_all(
        self, store: CheckpointStore
    ) -> None:
        header = await save(store, "a", tags=("t",), note="n")
        latest = await store.latest()
        for returned in (
            header,
            *await store.headers(),
            latest,
            (await store.load("a")).header,
            await store.annotate("a"),
        ):
            assert returned == header
            assert type(returned.tags) is tuple
            with pytest.raises(dataclasses.FrozenInstanceError):
                returned.note = "mine"  # type: ignore[misc]

    async def test_case_69_checkpoints_share_nothing_with_runs_or_with_each_other(
        self, store: CheckpointStore
    ) -> None:
        def state() -> RunState:
            return RunState(
                1,
                (Message([1], "a"),),
                {"join": (Message([2], "b"),)},
                {"a": ExecutorRecord({"seen": [3]}, 1, 1)},
                {"history": [{"n": 1}]},
                {"r": Request("r", "a", [4], list, 1)},
                {"child": RunState(1, shared={"own": [5]})},
            )

        def change(values: Any) -> None:
            for inner in (
                values.queue[0].data, values.buffers["join"][0].data, values.executors["a"].state["seen"],
                values.shared["history"], values.requests["r"].data, values.children["child"].shared["own"],
            ):  # fmt: skip
                inner.append("changed")

        archive = Archive(store)
        original = state()
        header = await archive.save(
            original,
            Trace(),
            run_id="run",
            workflow="flow",
            cause=Cause.INPUT,
            parent=None,
            branch="main",
        )
        change(original)
        for checkpoint_id in (header.id, (await store.headers())[0].id, header.id):
            loaded = (await archive.load(checkpoint_id)).state
            assert loaded == state()
            change(loaded)
