"""Which store and which checkpoint the words of a command mean."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from runtime.checkpoint import CheckpointHeader, CheckpointStore
from runtime.definition import FILE_SUFFIX
from runtime.errors import CheckpointStoreError, CommandError
from runtime.places import runs_file

LATEST = "latest"
# Two letters at least: one is a drive of Windows.
_URL = re.compile(r"[A-Za-z][A-Za-z+.-]+:")


@asynccontextmanager
async def opened(text: str, *, read_only: bool = False) -> AsyncIterator[CheckpointStore]:
    """Open the store of a URL, of a bare path, which means an SQLite file, or of a workflow file; close it again.

    Raises `CommandError` for what cannot be opened.
    """
    from runtime.stores import open_store

    url = text if _URL.match(text) else f"sqlite:{runs_file(Path(text)) if text.endswith(FILE_SUFFIX) else text}"
    if read_only and url == "memory:":
        raise CommandError("A store in memory ends with its process: there is nothing to look at or to go on from.")
    try:
        store = open_store(url, read_only)
    except CheckpointStoreError as error:
        raise CommandError(str(error)) from error
    try:
        yield store
    finally:
        await store.close()


async def find(store: CheckpointStore, wanted: str) -> CheckpointHeader:
    """The header of `latest`, an id, or an unambiguous start of one. Raises `CommandError`."""
    if wanted == LATEST:
        newest = await store.latest()
        if newest is None:
            raise CommandError(f"The store {store.url} holds no checkpoint yet: stepwell run FILE --store {store.url}")
        return newest
    found = [header for header in await store.headers() if wanted and header.id.startswith(wanted)]
    exact = [header for header in found if header.id == wanted]
    if len(found) > 1 and not exact:
        raise CommandError(f"{len(found)} checkpoints begin with {wanted!r}: give more of the id.")
    if not found:
        raise CommandError(f"No checkpoint begins with {wanted!r}. See: stepwell timeline {store.url}")
    return (exact or found)[0]
