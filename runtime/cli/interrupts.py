"""Ctrl+C, or the end of the session, during a run: the first cancels the superstep, the
second ends the process.

A handler that blocks, in the loop or in a thread, cannot be cancelled. Everything up to
the last barrier is saved, so the process may end at any moment.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from runtime.cli.exit_codes import ExitCode

# Seconds that handlers have to end after a cancellation.
GRACE = 2.0
# Ctrl+C, the end of a service or a session, the end of the terminal; Windows lacks
# some.
_SIGNALS = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)
)


class Interrupts:
    """Turn signals into the cancellation of a run, around `asyncio.run`. Call
    `last_words` before the process must end at once.
    """

    def __init__(
        self, last_words: Callable[[], None], *, end: Callable[[int], Any] = os._exit
    ) -> None:
        self._last_words = last_words
        self._end = end
        self._cancel: Callable[[], Any] | None = None
        self._timer: threading.Timer | None = None
        self._code: int | None = None
        self._number = signal.SIGINT
        self.is_interrupted = False

    @property
    def code(self) -> int:
        """Return what a shell reports for the signal that came."""
        if self._number is signal.SIGINT:
            return ExitCode.INTERRUPTED
        return 128 + self._number

    @property
    def text(self) -> str:
        return f"Stopped by {'Ctrl+C' if self._number is signal.SIGINT else self._number.name}."

    def end_with(self, code: int) -> None:
        """Let a signal end the process with this code from now on, because
        everything is printed, though a late thread may still run.
        """
        self._code = code

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Listen to signals. Only the main thread can; elsewhere (a test, an
        embedding program) this does nothing.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.getsignal(number) for number in _SIGNALS}
        for number, handler in before.items():
            # nohup ignores SIGHUP, and must go on doing so.
            if number is signal.SIGINT or handler is not signal.SIG_IGN:
                signal.signal(number, self._on_signal)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            if self._timer is not None:
                self._timer.cancel()

    @contextmanager
    def cancelling(self) -> Iterator[None]:
        """Let a signal cancel this task. The cancellation ends here, and
        `is_interrupted` reports it.
        """
        task = asyncio.current_task()
        loop = asyncio.get_running_loop()
        assert task is not None  # noqa: S101 - a running loop has a task
        self._cancel = lambda: loop.call_soon_threadsafe(task.cancel)
        try:
            yield
        except asyncio.CancelledError:
            if not self.is_interrupted:
                raise
            task.uncancel()
        finally:
            self._cancel = None

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.is_interrupted or self._code is not None:
            self._end_process()
            return
        self._number = signal.Signals(number)
        if self._cancel is None:
            if self._number is signal.SIGINT:
                raise KeyboardInterrupt
            self._end(self.code)  # no run has begun, or it has ended: nothing to cancel
            return
        self.is_interrupted = True
        self._cancel()
        self._timer = threading.Timer(GRACE, self._end_process)
        self._timer.daemon = True
        self._timer.start()

    def _end_process(self) -> None:
        if self._code is None:
            self._last_words()
        self._end(self.code if self._code is None else self._code)
