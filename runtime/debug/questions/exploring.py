"""Explorations of supersteps: the host lets a process of their own make them, and hands
on what that process finds. The run that the host drives is left alone.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import ValidationError

from runtime.debug.protocol import (
    ExploreArguments,
    ExploredBody,
    ExploreRequest,
    ExploreStopArguments,
)
from runtime.debug.session.notices import Notices
from runtime.debug.session.session import Session
from runtime.errors import WorkflowRunnerException

COMMAND = (sys.executable, "-P", "-X", "utf8", "-m", "runtime.debug.explore")
# Bytes of one line that the process may write.
LONGEST_LINE = 64 * 1024 * 1024
Start = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]


class Explorations:
    """At most one exploration at a time. `start` starts the task that reads it."""

    def __init__(self, session: Session, notices: Notices, start: Start) -> None:
        self._session = session
        self._notices = notices
        self._start = start
        self._present: _Exploration | None = None
        # Where the outcomes are kept, so that they can be compared.
        self._folder: TemporaryDirectory[str] | None = None
        self._number = 0

    def close(self) -> None:
        """End the exploration, and remove the outcomes of all."""
        self.forget()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def forget(self) -> None:
        """End the exploration, because another store is opened or the host ends."""
        if self._present is not None:
            self._present.end()
            self._present = None

    async def explore(self, arguments: ExploreArguments) -> None:
        """Begin an exploration. Raise `WorkflowRunnerException` for a store that another
        process cannot read.
        """
        session = self._session
        url = session.store.url
        if url.startswith("memory:"):
            raise WorkflowRunnerException(
                "The store is in the memory of this process, and an exploration has a process of its own. "
                "Save the checkpoints in a file."
            )
        if self._folder is None:
            self._folder = TemporaryDirectory(
                prefix="stepwell-outcomes-", ignore_cleanup_errors=True
            )
        self._number += 1
        outcomes = Path(self._folder.name) / f"{self._number}.db"
        definition = session.definition
        request = ExploreRequest(
            store=url,
            arguments=arguments,
            document=None if definition is None else definition.model_dump(mode="json"),
            folder=session.folder,
            outcomes=f"sqlite:{outcomes}",
        )
        self.forget()
        self._present = _Exploration(request, self._notices)
        self._start(self._present.relay())

    async def explore_stop(self, arguments: ExploreStopArguments) -> None:
        """End an exploration. What was found was sent."""
        if self._present is not None and self._present.id == arguments.id:
            self.forget()


class _Exploration:
    """One exploration and its process."""

    def __init__(self, request: ExploreRequest, notices: Notices) -> None:
        self._request = request
        self._notices = notices
        self._process: asyncio.subprocess.Process | None = None
        self._is_over = False

    @property
    def id(self) -> str:
        return self._request.arguments.id

    def end(self) -> None:
        """Send nothing further, and end the process. Its task then ends by itself."""
        self._is_over = True
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.kill()

    async def relay(self) -> None:
        """Send what the process finds."""
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
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
            self._fail(f"The process of the exploration ended with exit code {code}.")
        finally:
            self.end()
            await process.wait()

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        """Read up to the end of what the process writes."""
        if process.stdin is None or process.stdout is None:
            return
        with suppress(BrokenPipeError, ConnectionResetError):
            # It stays open, because the process ends with it.
            process.stdin.write(self._request.model_dump_json().encode() + b"\n")
            await process.stdin.drain()
        async for line in process.stdout:
            with suppress(ValidationError):
                self._send(ExploredBody.model_validate_json(line))

    def _fail(self, text: str) -> None:
        arguments = self._request.arguments
        self._send(
            ExploredBody(
                id=arguments.id, checkpoint_id=arguments.checkpoint_id, failed=text
            )
        )

    def _send(self, body: ExploredBody) -> None:
        if not self._is_over:
            self._notices.send_now("explored", body)
            self._is_over = body.done or bool(body.failed)
