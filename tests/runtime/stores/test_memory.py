"""The memory store keeps the contract, and is shared by name."""

from __future__ import annotations

import pytest

from runtime.errors import CheckpointStoreError
from runtime.stores import open_store
from runtime.testing.conformance import (
    StoreConformance,
    StoreFactory,
    ids,
    record_of,
    save,
)


class TestMemory(StoreConformance):
    @pytest.fixture
    def open_(self, request: pytest.FixtureRequest) -> StoreFactory:
        return lambda: open_store(f"memory:{request.node.nodeid}")


async def test_a_store_without_a_name_is_its_openers_alone() -> None:
    first = open_store("memory:")
    second = open_store("memory:")
    await save(first, "a")
    assert await ids(second) == []


async def test_a_store_for_reading_only_is_not_made_and_not_changed() -> None:
    with pytest.raises(CheckpointStoreError, match="no store memory:never"):
        open_store("memory:never", read_only=True)
    with pytest.raises(CheckpointStoreError, match="no store"):
        open_store("memory:never", read_only=True)
    writer = open_store("memory:both")
    await save(writer, "a")
    reader = open_store("memory:both", read_only=True)
    assert await ids(reader) == ["a"]
    with pytest.raises(CheckpointStoreError, match="reading only"):
        await reader.save(*record_of("b"))
    with pytest.raises(CheckpointStoreError, match="reading only"):
        await reader.delete_run("run")
