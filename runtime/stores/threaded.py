"""The asynchronous half of a store that does its work in a thread of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from runtime.checkpoint import CheckpointHeader, Record, RunSummary
from runtime.errors import CheckpointDamagedError, CheckpointNotFoundError
from runtime.stores import common

_T = TypeVar("_T")


class Medium(Protocol):
    """The work of a store in its thread. The methods are those of `CheckpointStore`."""

    def save(self, record: Record, parts: Mapping[str, bytes]) -> CheckpointHeader: ...

    def load(self, checkpoint_id: str) -> Record: ...

    def parts(self, digests: Sequence[str]) -> dict[str, bytes]: ...

    def headers(
        self,
        *,
        run_id: str | None,
        workflow: str | None,
        branch: str | None,
        tag: str | None,
        after: int,
        limit: int | None,
    ) -> list[CheckpointHeader]: ...

    def latest(
        self, *, run_id: str | None, branch: str | None, workflow: str | None
    ) -> CheckpointHeader | None: ...

    def runs(self) -> list[RunSummary]: ...

    def annotate(
        self, checkpoint_id: str, tags: Sequence[str] | None, note: str | None
    ) -> CheckpointHeader: ...

    def delete(self, checkpoint_ids: Sequence[str]) -> int: ...

    def delete_run(self, run_id: str) -> int: ...


class ThreadedStore(ABC):
    """Checks and copies its arguments at once, and leaves the rest to `_run`."""

    url: str
    _read_only: bool

    @abstractmethod
    async def _run(self, job: Callable[[Medium], _T]) -> _T:
        """Do the job in the thread of the store. Raise `CheckpointStoreError` when the
        medium fails or is closed.
        """

    @abstractmethod
    async def close(self) -> None: ...

    async def save(
        self, record: Record, parts: Mapping[str, bytes]
    ) -> CheckpointHeader:
        common.check_header(record.header)
        copies = {digest: bytes(data) for digest, data in parts.items()}
        return await self._write(lambda medium: medium.save(record, copies))

    async def load(self, checkpoint_id: str) -> Record:
        return await self._run(lambda medium: medium.load(checkpoint_id))

    async def whole(self, checkpoint_id: str) -> tuple[Record, dict[str, bytes]]:
        """Return a record with all its parts, by one job for the thread instead of two.
        Raise as `load` and `parts` do.
        """
        return await self._run(lambda medium: _whole(medium, checkpoint_id))

    async def records(self, checkpoint_ids: Sequence[str]) -> list[Record]:
        """Return the records of these checkpoints, by one job for the thread. Those
        that are missing or damaged are left out.
        """
        ids = list(checkpoint_ids)
        return await self._run(lambda medium: list(_readable(medium, ids)))

    async def parts(self, digests: Sequence[str]) -> dict[str, bytes]:
        unique_digests = list(digests)
        return await self._run(lambda medium: medium.parts(unique_digests))

    async def headers(
        self,
        *,
        run_id: str | None = None,
        workflow: str | None = None,
        branch: str | None = None,
        tag: str | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> list[CheckpointHeader]:
        limit = common.checked_limit(limit)
        return await self._run(
            lambda medium: medium.headers(
                run_id=run_id,
                workflow=workflow,
                branch=branch,
                tag=tag,
                after=after,
                limit=limit,
            )
        )

    async def latest(
        self,
        *,
        run_id: str | None = None,
        branch: str | None = None,
        workflow: str | None = None,
    ) -> CheckpointHeader | None:
        return await self._run(
            lambda medium: medium.latest(
                run_id=run_id, branch=branch, workflow=workflow
            )
        )

    async def runs(self) -> list[RunSummary]:
        return await self._run(lambda medium: medium.runs())

    async def annotate(
        self,
        checkpoint_id: str,
        *,
        tags: Sequence[str] | None = None,
        note: str | None = None,
    ) -> CheckpointHeader:
        common.check_texts(*(tags or ()), note or "")
        own_tags = None if tags is None else tuple(tags)
        return await self._write(
            lambda medium: medium.annotate(checkpoint_id, own_tags, note)
        )

    async def delete(self, checkpoint_ids: Sequence[str]) -> int:
        unique_ids = list(dict.fromkeys(checkpoint_ids))
        return await self._write(lambda medium: medium.delete(unique_ids))

    async def delete_run(self, run_id: str) -> int:
        return await self._write(lambda medium: medium.delete_run(run_id))

    def _write(self, job: Callable[[Medium], _T]) -> Coroutine[Any, Any, _T]:
        if self._read_only:
            raise common.read_only(self.url)
        return self._run(job)


def _readable(medium: Medium, checkpoint_ids: Iterable[str]) -> Iterator[Record]:
    for checkpoint_id in checkpoint_ids:
        with suppress(CheckpointNotFoundError, CheckpointDamagedError):
            yield medium.load(checkpoint_id)


def _whole(medium: Medium, checkpoint_id: str) -> tuple[Record, dict[str, bytes]]:
    record = medium.load(checkpoint_id)
    return record, medium.parts(record.digests)
