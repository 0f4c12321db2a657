"""A second store, whose checkpoints are compared with those of the store that a session
has open. It is opened for reading only, and nothing of it is changed.
"""

from __future__ import annotations

from runtime.checkpoint import CheckpointStore, RunSummary
from runtime.checkpoints.archive import Archive
from runtime.debug.timeline.outputs import Outputs


class OtherStore:
    """One store at a time: the last one that was asked about stays open."""

    def __init__(self) -> None:
        self.outputs = Outputs()
        self._url = ""
        self._store: CheckpointStore | None = None

    async def open(self, url: str) -> CheckpointStore:
        """Return the store of a URL. Raise `CheckpointStoreError` if it cannot be
        opened.
        """
        from runtime.stores import open_store

        if self._store is None or url != self._url:
            await self.close()
            self._store = open_store(url, read_only=True)
            self._url = url
        return self._store

    async def archive(self, url: str) -> Archive:
        """Return the archive of a store, as `open` opens it."""
        return Archive(await self.open(url))

    async def runs(self, url: str) -> list[RunSummary]:
        """Return the runs of a store, as it is now."""
        return list(await (await self.open(url)).runs())

    async def close(self) -> None:
        store = self._store
        self._store = None
        self._url = ""
        self.outputs = Outputs()
        if store is not None:
            await store.close()
