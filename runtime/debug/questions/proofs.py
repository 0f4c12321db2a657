"""Restore proofs at the host: it lets a process of their own make them, and hands on what
that process finds. The run that the host drives is left alone.
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
    ProofRequest,
    ProvedBody,
    VerifyArguments,
    VerifyBody,
    VerifyStopArguments,
)
from runtime.debug.session.notices import Notices
from runtime.debug.session.session import Session
from runtime.errors import CheckpointNotFoundError, WorkflowRunnerException

COMMAND = (sys.executable, "-P", "-X", "utf8", "-m", "runtime.debug.verify")
# Bytes of one line that the process may write.
LONGEST_LINE = 64 * 1024 * 1024
Start = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]


class Proofs:
    """At most one proof at a time. `start` starts the task that reads it."""

    def __init__(self, session: Session, notices: Notices, start: Start) -> None:
        self._session = session
        self._notices = notices
        self._start = start
        self._present: _Making | None = None
        # What came of failed advances, as long as the store is open.
        self._kept: TemporaryDirectory[str] | None = None

    def forget(self) -> None:
        """Check nothing further, because another store is opened or the host ends."""
        self._end()
        if self._kept is not None:
            self._kept.cleanup()
            self._kept = None

    def _end(self) -> None:
        if self._present is not None:
            self._present.end()
            self._present = None

    async def verify(self, arguments: VerifyArguments) -> VerifyBody:
        """Begin to prove checkpoints. Raise `CheckpointNotFoundError` for an id that is
        not in the run, and `WorkflowRunnerException` for a store that another process
        cannot read.
        """
        session = self._session
        url = session.store.url
        if url.startswith("memory:"):
            raise WorkflowRunnerException(
                "The store is in the memory of this process, and a proof has a process of its own. "
                "Save the checkpoints in a file."
            )
        headers = await session.store.headers(run_id=arguments.run_id)
        known = {header.id for header in headers}
        for checkpoint_id in arguments.checkpoints:
            if checkpoint_id not in known:
                raise CheckpointNotFoundError(checkpoint_id)
        self._end()
        if self._kept is None:
            self._kept = TemporaryDirectory(
                prefix="stepwell-", ignore_cleanup_errors=True
            )
        code = session.code_reference
        request = ProofRequest(
            store=url,
            # One file each, because an open one is not written by another process.
            kept=f"sqlite:{Path(self._kept.name) / arguments.id}.db",
            arguments=arguments,
            reference="" if code is None else code.reference,
            folder=session.folder if code is None else code.folder,
        )
        self._present = _Making(request, self._notices)
        self._start(self._present.relay())
        number = len(arguments.checkpoints) or len(headers)
        return VerifyBody(id=arguments.id, of=number, kept=request.kept)

    async def stop(self, arguments: VerifyStopArguments) -> None:
        """Check no further checkpoint. What was found was sent."""
        if self._present is not None and self._present.id == arguments.id:
            self._end()


class _Making:
    """The process that makes some proofs."""

    def __init__(self, request: ProofRequest, notices: Notices) -> None:
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
            text = f"The process of the proof ended with exit code {code}."
            self._send(ProvedBody(id=self.id, failed=text))
        finally:
            self.end()
            await process.wait()

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        """Read up to the end of what the process writes."""
        if process.stdin is None or process.stdout is None:
            return
        with suppress(BrokenPipeError, ConnectionResetError):
            process.stdin.write(self._request.model_dump_json().encode())
            await process.stdin.drain()
        process.stdin.close()
        async for line in process.stdout:
            with suppress(ValidationError):
                self._send(ProvedBody.model_validate_json(line))

    def _send(self, body: ProvedBody) -> None:
        if not self._is_over:
            self._notices.send_now("proved", body)
            self._is_over = body.done or bool(body.failed)
