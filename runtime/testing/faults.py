"""Failure injection for tests: a store that misbehaves at a chosen call.

    store = FaultyStore(open_store(url), failing(3, "after"))      # the third call is done, and then raises
    store = FaultyStore(open_store(url), delaying(2))              # every call gives the loop two turns, twice
    store = FaultyStore(open_store(url), killing(5, "before"))     # the process ends as by `kill -9`

Later calls work, so a run that failed can be resumed on the same store.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeVar

from runtime.checkpoint import CheckpointHeader, CheckpointStore, Record, RunSummary
from runtime.errors import CheckpointStoreError

_T = TypeVar("_T")
Moment = Literal["before", "after"]


class Call(NamedTuple):
    """A moment of one call of a store. `number` counts the calls from 1, `of_method`
    those of this method.
    """

    number: int
    of_method: int
    method: str
    moment: Moment


Act = Callable[[Call], Awaitable[None]]


class FaultyStore:
    """Passes every call on to `store`, and awaits `act` before and after it.

    An error of `act` before a call means that nothing was done; after it, that it was
    done but not reported. `calls` counts how often each method was called.
    """

    def __init__(self, store: CheckpointStore, act: Act) -> None:
        self.url = store.url
        self.calls: dict[str, int] = {}
        self._store = store
        self._act = act

    async def _through(self, method: str, call: Callable[[], Awaitable[_T]]) -> _T:
        self.calls[method] = self.calls.get(method, 0) + 1
        numbers = sum(self.calls.values()), self.calls[method]
        await self._act(Call(*numbers, method, "before"))
        result = await call()
        await self._act(Call(*numbers, method, "after"))
        return result

    async def save(
        self, record: Record, parts: Mapping[str, bytes]
    ) -> CheckpointHeader:
        return await self._through("save", lambda: self._store.save(record, parts))

    async def load(self, checkpoint_id: str) -> Record:
        return await self._through("load", lambda: self._store.load(checkpoint_id))

    async def parts(self, digests: Sequence[str]) -> dict[str, bytes]:
        return await self._through("parts", lambda: self._store.parts(digests))

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
        return await self._through(
            "headers",
            lambda: self._store.headers(
                run_id=run_id,
                workflow=workflow,
                branch=branch,
                tag=tag,
                after=after,
                limit=limit,
            ),
        )

    async def latest(
        self,
        *,
        run_id: str | None = None,
        branch: str | None = None,
        workflow: str | None = None,
    ) -> CheckpointHeader | None:
        return await self._through(
            "latest",
            lambda: self._store.latest(run_id=run_id, branch=branch, workflow=workflow),
        )

    async def runs(self) -> list[RunSummary]:
        return await self._through("runs", self._store.runs)

    async def annotate(
        self,
        checkpoint_id: str,
        *,
        tags: Sequence[str] | None = None,
        note: str | None = None,
    ) -> CheckpointHeader:
        return await self._through(
            "annotate",
            lambda: self._store.annotate(checkpoint_id, tags=tags, note=note),
        )

    async def delete(self, checkpoint_ids: Sequence[str]) -> int:
        return await self._through("delete", lambda: self._store.delete(checkpoint_ids))

    async def delete_run(self, run_id: str) -> int:
        return await self._through("delete_run", lambda: self._store.delete_run(run_id))

    async def close(self) -> None:
        await self._store.close()


def failing(
    number: int,
    moment: Moment = "before",
    *,
    method: str = "",
    error: Callable[[], Exception] | None = None,
) -> Act:
    """Raise once: at the call with this number, or at the one of a method with it. By
    default a `CheckpointStoreError`.
    """

    async def act(call: Call) -> None:
        if _is(call, number, moment, method):
            if error is not None:
                raise error()
            raise CheckpointStoreError(f"A fault was injected {moment} call {number}.")

    return act


def killing(number: int, moment: Moment = "before", *, method: str = "") -> Act:
    """End the process at a call, as by `kill -9`: nothing is flushed and nothing is
    closed.
    """

    async def act(call: Call) -> None:
        if _is(call, number, moment, method):
            end_process()

    return act


def delaying(turns: int) -> Act:
    """Give the loop some turns before and after each call, so that a store which never
    waits can be cancelled.
    """

    async def act(_call: Call) -> None:
        for _ in range(turns):
            await asyncio.sleep(0)

    return act


def end_process() -> None:
    """End the process at once, by SIGKILL where there is one."""
    if hasattr(signal, "SIGKILL"):
        os.kill(os.getpid(), signal.SIGKILL)
    os._exit(137)


def _is(call: Call, number: int, moment: Moment, method: str) -> bool:
    return (
        call.moment == moment
        and method in ("", call.method)
        and number == (call.of_method if method else call.number)
    )
