"""A lock for those who wait in several event loops, each perhaps in a thread of its own.

`asyncio.Lock` belongs to the first loop in which somebody has to wait for it, and is not safe between threads.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque

_Waiter = tuple[asyncio.AbstractEventLoop, "asyncio.Future[None]"]


class Turns:
    """Use it as `async with turns:`. Whoever waits is woken in the order of asking. A copy is another lock."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._held = False
        self._waiting: deque[_Waiter] = deque()

    def __reduce__(self) -> tuple[type[Turns], tuple[()]]:
        return Turns, ()

    async def __aenter__(self) -> None:
        with self._guard:
            if not self._held:
                self._held = True
                return
            loop = asyncio.get_running_loop()
            waiter = loop, loop.create_future()
            self._waiting.append(waiter)
        try:
            await waiter[1]
        except BaseException:
            self._leave(waiter)
            raise

    def _leave(self, waiter: _Waiter) -> None:
        """Somebody waits no more; if it is his turn by now, it is the next one's."""
        with self._guard:
            waits = waiter in self._waiting
            if waits:
                self._waiting.remove(waiter)
        if not waits:
            self._pass_on()

    async def __aexit__(self, *_: object) -> None:
        self._pass_on()

    def _pass_on(self) -> None:
        while True:
            with self._guard:
                if not self._waiting:
                    self._held = False
                    return
                loop, future = self._waiting.popleft()
            try:
                loop.call_soon_threadsafe(_wake, future)
            except RuntimeError:
                continue  # that loop has ended, and whoever waited in it
            return


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
