"""The store that misbehaves where it is told to, and is the store behind it everywhere
else.
"""

from __future__ import annotations

import pytest

from runtime.errors import CheckpointStoreError
from runtime.stores import open_store
from runtime.stores.memory import MemoryStore
from runtime.testing.conformance import (
    StoreConformance,
    StoreFactory,
    ids,
    record_of,
    save,
)
from runtime.testing.faults import FaultyStore, delaying, failing


class TestFaultyStore(StoreConformance):
    @pytest.fixture
    def open_(self, request: pytest.FixtureRequest) -> StoreFactory:
        return lambda: FaultyStore(
            open_store(f"memory:{request.node.nodeid}"), delaying(1)
        )


@pytest.mark.parametrize(("moment", "kept"), [("before", ["a"]), ("after", ["a", "b"])])
async def test_a_call_fails_before_or_after_it_is_done_and_once(
    moment: str, kept: list[str]
) -> None:
    store = FaultyStore(MemoryStore(), failing(2, moment, method="save"))  # type: ignore[arg-type]
    await store.save(*record_of("a"))
    with pytest.raises(CheckpointStoreError, match="injected"):
        await store.save(*record_of("b", parent="a"))
    assert await ids(store) == kept
    await save(store, "c")
    assert await ids(store) == [*kept, "c"]
    assert store.calls == {"save": 3, "headers": 2, "latest": 1}


async def test_without_a_method_all_calls_are_counted() -> None:
    store = FaultyStore(MemoryStore(), failing(2, error=lambda: KeyError("mine")))
    await store.headers()
    with pytest.raises(KeyError, match="mine"):
        await store.latest()
