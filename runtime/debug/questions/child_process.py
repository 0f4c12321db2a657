"""A process of its own that answers one question: the host sends it the request, and hands
on what it finds. The run that the host drives is left alone.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from runtime.debug.protocol import ExploredBody, ProvedBody
from runtime.debug.session.notices import Notices

# Bytes of one line that the process may write.
LONGEST_LINE = 64 * 1024 * 1024
Body = TypeVar("Body", ProvedBody, ExploredBody)


def command_of(module: str) -> tuple[str, ...]:
    """Return the command that runs a module of ours."""
    return (sys.executable, "-P", "-X", "utf8", "-m", module)


class ChildProcess(Generic[Body]):
    """Runs a command with the request at its standard input.

    notice       the name of the notice that carries what it finds
    empty        a finding that names the question; with its `failed` set it is sent if
                 the process ends without its last finding
    stays_open   whether the input stays open, because the process ends with it
    """

    def __init__(
        self,
        command: Sequence[str],
        request: BaseModel,
        notices: Notices,
        notice: str,
        empty: Body,
        *,
        what: str,
        stays_open: bool = False,
    ) -> None:
        self.id = empty.id
        self._command = command
        self._request = request
        self._notices = notices
        self._notice = notice
        self._empty: Body = empty
        self._what = what
        self._stays_open = stays_open
        self._process: asyncio.subprocess.Process | None = None
        self._is_over = False

    def end(self) -> None:
        """Send nothing further, and end the process. Its task then ends by itself."""
        self._is_over = True
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.kill()

    async def relay(self) -> None:
        """Send what the process finds."""
        process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=LONGEST_LINE,
        )
        self._process = process
        if self._is_over:
            self.end()
        try:
            await self._read(process)
            code = await process.wait()
            text = f"The process of the {self._what} ended with exit code {code}."
            self._send(self._empty.model_copy(update={"failed": text}))
        finally:
            self.end()
            await process.wait()

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        """Read up to the end of what the process writes."""
        if process.stdin is None or process.stdout is None:
            return
        with suppress(BrokenPipeError, ConnectionResetError):
            process.stdin.write(self._request.model_dump_json().encode() + b"\n")
            await process.stdin.drain()
        if not self._stays_open:
            process.stdin.close()
        async for line in process.stdout:
            with suppress(ValidationError):
                self._send(type(self._empty).model_validate_json(line))

    def _send(self, body: Body) -> None:
        if not self._is_over:
            self._notices.send_now(self._notice, body)
            self._is_over = body.done or bool(body.failed)
