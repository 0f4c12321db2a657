"""Small records for tests of stores, and a check that all listed checkpoints are
complete. Needs no pytest.
"""
# ruff: noqa: S101 - these are tests

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from runtime.checkpoint import (
    Cause,
    CheckpointHeader,
    CheckpointStore,
    Part,
    Record,
    digest_of,
)

StoreFactory = Callable[[], CheckpointStore]

HOSTILE = [
    "../x", "a/../../x", "/etc/passwd", "..\\x", "x\0y", "a:b", "a?b", "a/b", "ä b", ".", "..", "x" * 300, "dot.",
    "space ", "x') OR 1=1 --", "it's", 'say "hi"', "%", "_", "", "Đội 😀", "NULL", "memory:", "a\nb", "${HOME}",
]  # fmt: skip


def record_of(
    checkpoint_id: str,
    parts: Mapping[str, bytes] | None = None,
    *,
    run_id: str = "run",
    **fields: Any,
) -> tuple[Record, dict[str, bytes]]:
    """Return a record with the given parts of the shared state by name, and the bytes
    by digest.
    """
    parts = {"k": checkpoint_id.encode()} if parts is None else parts
    manifest = tuple(
        Part("shared", name, digest_of(data)) for name, data in parts.items()
    )
    header = CheckpointHeader(
        id=checkpoint_id,
        run_id=run_id,
        workflow=fields.pop("workflow", "flow"),
        superstep=1,
        cause=Cause.SUPERSTEP,
        **fields,
    )
    return Record(header, manifest), {digest_of(data): data for data in parts.values()}


@asynccontextmanager
async def opened(open_: StoreFactory) -> AsyncIterator[CheckpointStore]:
    store = open_()
    try:
        yield store
    finally:
        await store.close()


async def save(
    store: CheckpointStore,
    checkpoint_id: str,
    parts: Mapping[str, bytes] | None = None,
    **fields: Any,
) -> CheckpointHeader:
    """Save a record; without a parent given, after the head of its branch."""
    if "parent" not in fields:
        head = await store.latest(
            run_id=fields.get("run_id", "run"), branch=fields.get("branch", "main")
        )
        fields["parent"] = head and head.id
    return await store.save(*record_of(checkpoint_id, parts, **fields))


async def ids(store: CheckpointStore, **filters: Any) -> list[str]:
    return [header.id for header in await store.headers(**filters)]


async def check_whole(store: CheckpointStore) -> list[CheckpointHeader]:
    """Return the headers of a store, after loading every one with all its parts."""
    headers = await store.headers()
    sequences = [header.sequence for header in headers]
    assert sequences == sorted(set(sequences))
    for header in headers:
        assert not header.damaged, header
        record = await store.load(header.id)
        assert record.header == header
        digests = {part.digest for part in record.manifest}
        assert set(await store.parts(sorted(digests))) == digests
    return headers
