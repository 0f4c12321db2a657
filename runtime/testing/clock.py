"""A clock for tests of waits and limits: time passes only when a test says so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from runtime.concurrency.clock import Timer


class _Timer:
    def __init__(self, due: float, callback: Callable[[], object]) -> None:
        self.due = due
        self.callback = callback
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True


class ManualClock:
    """Stands still until `advance`. With `skips_waits`, a wait takes its seconds at
    once.

    waits    the seconds of all waits that were asked for, in order
    limits   the seconds of all timers that were set
    waiting  set once somebody waits
    """

    def __init__(self, *, skips_waits: bool = True) -> None:
        self.now = 0.0
        self.waits: list[float] = []
        self.limits: list[float] = []
        self.waiting = asyncio.Event()
        self._skips_waits = skips_waits
        self._timers: list[_Timer] = []

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.waiting.set()
        if self._skips_waits:
            self.now += seconds
            await asyncio.sleep(0)
            return
        over = asyncio.Event()
        timer = self._timer(seconds, over.set)
        try:
            await over.wait()
        finally:
            timer.cancel()

    def call_later(self, seconds: float, callback: Callable[[], object]) -> Timer:
        self.limits.append(seconds)
        return self._timer(seconds, callback)

    def _timer(self, seconds: float, callback: Callable[[], object]) -> _Timer:
        timer = _Timer(self.now + seconds, callback)
        self._timers.append(timer)
        return timer

    def advance(self, seconds: float) -> None:
        """Let time pass: call the timers that become due, in their order."""
        self.now += seconds
        due = sorted(
            (timer for timer in self._timers if timer.due <= self.now),
            key=lambda timer: timer.due,
        )
        self._timers = [timer for timer in self._timers if timer not in due]
        for timer in due:
            if not timer.is_cancelled:
                timer.callback()
