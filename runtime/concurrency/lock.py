"""`CrossLoopLock`: a lock whose waiters may run in several event loops, each perhaps in
a thread of its own.

Needed by executors that keep their state in attributes: workflows that share such an
instance may run in different loops. `asyncio.Lock` cannot do that, because it belongs
to the first loop in which somebody has to wait for it, and is not safe between threads.
`threading.Lock` cannot do it either, because waiting for it would block the loop.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque

_Waiter = tuple[asyncio.AbstractEventLoop, "asyncio.Future[None]"]


class CrossLoopLock:
    """Use it as `async with lock:`. Waiters get the lock in the order of asking. A copy
    is another lock.
    """

    def __init__(self) -> None:
        # Held for moments only, to change the two fields below together.
        self._guard = threading.Lock()
        self._is_held = False
        self._waiters: deque[_Waiter] = deque()

    def __reduce__(self) -> tuple[type[CrossLoopLock], tuple[()]]:
        return CrossLoopLock, ()

    async def __aenter__(self) -> None:
        with self._guard:
            if not self._is_held:
                self._is_held = True
                return
            loop = asyncio.get_running_loop()
            waiter = loop, loop.create_future()
            self._waiters.append(waiter)
        try:
            await waiter[1]
        except BaseException:
            self._give_up(waiter)
            raise

    def _give_up(self, waiter: _Waiter) -> None:
        """Remove a cancelled waiter. If it has been given the lock already, pass the
        lock on.
        """
        with self._guard:
            is_waiting = waiter in self._waiters
            if is_waiting:
                self._waiters.remove(waiter)
        if not is_waiting:
            self._pass_on()

    async def __aexit__(self, *_: object) -> None:
        self._pass_on()

    def _pass_on(self) -> None:
        """Give the lock to the next waiter, or release it. It stays held in between, so
        that no newcomer overtakes.
        """
        while True:
            with self._guard:
                if not self._waiters:
                    self._is_held = False
                    return
                loop, future = self._waiters.popleft()
            try:
                loop.call_soon_threadsafe(_wake, future)
            except RuntimeError:
                # That loop is closed, and its waiter gone with it.
                continue
            return


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
