"""The clock of waits and time limits. A test gives the runner another clock, and so
does not have to sleep.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """A call that is due later."""

    def cancel(self) -> None: ...


class Clock(Protocol):
    """Lets seconds pass. Both methods are called in the thread of the loop."""

    async def sleep(self, seconds: float) -> None:
        """Wait. Can be cancelled."""

    def call_later(self, seconds: float, callback: Callable[[], object]) -> Timer:
        """Call a function once, unless the timer is cancelled before."""
        ...


class LoopClock:
    """The clock of the running loop."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def call_later(self, seconds: float, callback: Callable[[], object]) -> Timer:
        return asyncio.get_running_loop().call_later(seconds, callback)

    def __repr__(self) -> str:
        return "LOOP_CLOCK"


LOOP_CLOCK = LoopClock()
