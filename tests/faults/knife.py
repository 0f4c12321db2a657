"""Cancelling at every wait: a knife counts all waits of a task and of all tasks below
it, and cancels at the n-th.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from typing import Any


class Knife:
    """Cuts once. With `late` the cancellation comes when what was waited for has been
    done already: between the result of a wait and the one who waits for it.
    """

    def __init__(self, at: int = 0, *, late: bool = False) -> None:
        self.at = at
        self.late = late
        self.seen = 0
        self.has_cut = False
        self._root: asyncio.Task[Any] | None = None

    async def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """What the coroutine returns or raises; it is awaited to its very end, also
        when it is cancelled.

        Raises `asyncio.CancelledError` when it was cut.
        """
        loop = asyncio.get_running_loop()
        before = loop.get_task_factory()
        try:
            async with asyncio.TaskGroup() as group:
                loop.set_task_factory(self._make_task)
                self._root = root = group.create_task(coroutine)
        except BaseExceptionGroup:
            pass  # the task's own error, which is raised below
        finally:
            loop.set_task_factory(before)
        return root.result()

    def _make_task(
        self, loop: Any, coroutine: Any, **options: Any
    ) -> asyncio.Task[Any]:
        return asyncio.Task(_through(coroutine, self), loop=loop, **options)

    def waits(self, future: Any) -> None:
        self.seen += 1
        if self.seen == self.at and self._root is not None and not self._root.done():
            self.has_cut = True
            if self.late and isinstance(future, asyncio.Future):
                future.add_done_callback(lambda _: self._cut())
            else:
                self._cut()

    def _cut(self) -> None:
        if self._root is not None:
            self._root.cancel()


async def _through(coroutine: Any, knife: Knife) -> Any:
    return await _Watched(coroutine, knife)


class _Watched:
    def __init__(self, coroutine: Any, knife: Knife) -> None:
        self._coroutine = coroutine
        self._knife = knife

    def __await__(self) -> Generator[Any, Any, Any]:
        raised: BaseException | None = None
        while True:
            try:
                if raised is None:
                    future = self._coroutine.send(None)
                else:
                    future = self._coroutine.throw(raised)
            except StopIteration as end:
                return end.value
            raised = None
            self._knife.waits(future)
            try:
                yield future
            except BaseException as error:  # noqa: BLE001 - thrown into the coroutine
                raised = error
