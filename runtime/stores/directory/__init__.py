"""A store in a folder: one file per checkpoint, and one per part, named by its digest.
Easy to read, copy and sync.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from runtime.errors import CheckpointStoreError
from runtime.stores import common
from runtime.stores.directory.disk import Disk
from runtime.stores.directory.folder import Folder
from runtime.stores.threaded import Medium, ThreadedStore
from runtime.stores.worker import Worker

_T = TypeVar("_T")


class DirectoryStore(ThreadedStore):
    """Keeps checkpoints in a folder; see `CheckpointStore`. Safe from several tasks,
    threads and processes at once.

    All work is done in one thread of the store. `patience` is how many seconds to wait
    for another process that writes.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        read_only: bool = False,
        patience: float = 5.0,
        disk: Disk | None = None,
    ) -> None:
        name = os.fspath(folder)
        if not name or "\0" in name:
            raise CheckpointStoreError(
                f"'dir:{name}' names no folder: write dir:FOLDER."
            )
        self.url = url = f"dir:{name}"
        self._read_only = read_only
        with _Translating(url):
            self._worker = Worker(
                lambda: Folder(
                    Path(name), url, read_only=read_only, patience=patience, disk=disk
                ),
                name=f"store {name}",
            )

    async def close(self) -> None:
        await self._worker.close()

    async def _run(self, job: Callable[[Medium], _T]) -> _T:
        if self._worker.closed:
            raise common.closed(self.url)
        with _Translating(self.url):
            return await self._worker.run(job)


class _Translating:
    """Turns what the system raises into an error that says what to do."""

    __slots__ = ("_url",)

    def __init__(self, url: str) -> None:
        self._url = url

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: object, error: BaseException | None, trace: object
    ) -> None:
        if isinstance(error, OSError):
            raise CheckpointStoreError(
                f"{self._url} failed: {error}. Make sure that the disk has room, and check the path and the "
                "permissions; what was saved before is intact."
            ) from error
