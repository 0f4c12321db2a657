"""Reads the lines that the user writes, in a thread, so that what happens meanwhile is
printed at once.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from contextlib import suppress


class Prompt:
    """Lines of standard input, each after a prompt. In a script, which is no terminal,
    they are printed as well.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._wanted = threading.Semaphore(0)
        self._text = ""
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._is_terminal = sys.stdin.isatty()
        if self._is_terminal:
            # For history and editing. Windows has another one built in.
            with suppress(ImportError):
                import readline  # noqa: F401
        threading.Thread(target=self._read, daemon=True, name="prompt").start()

    async def line(self, text: str) -> str | None:
        """Return the next line; None at the end of the input."""
        self._text = text
        self._wanted.release()
        line = await self._lines.get()
        if line is not None and not self._is_terminal:
            print(f"{text}{line}", flush=True)  # noqa: T201 - a transcript has both sides
        return line

    def _read(self) -> None:
        while True:
            self._wanted.acquire()
            line = self._next()
            self._loop.call_soon_threadsafe(self._lines.put_nowait, line)

    def _next(self) -> str | None:
        if self._is_terminal:
            try:
                return input(self._text)
            except EOFError:
                return None
        line = sys.stdin.readline()
        return line.rstrip("\n") if line else None
