"""Restore proofs at the host: it lets a process of their own make them, and hands on what
that process finds. The run that the host drives is left alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from runtime.debug.protocol import (
    ProofRequest,
    ProvedBody,
    VerifyArguments,
    VerifyBody,
    VerifyStopArguments,
)
from runtime.debug.questions.child_process import ChildProcess, command_of
from runtime.debug.session.notices import Notices
from runtime.debug.session.session import Session
from runtime.errors import CheckpointNotFoundError, WorkflowRunnerException

COMMAND = command_of("runtime.debug.verify")
Start = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]


class Proofs:
    """At most one proof at a time. `start` starts the task that reads it."""

    def __init__(self, session: Session, notices: Notices, start: Start) -> None:
        self._session = session
        self._notices = notices
        self._start = start
        self._present: ChildProcess[ProvedBody] | None = None
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
        self._present = ChildProcess(
            COMMAND,
            request,
            self._notices,
            "proved",
            ProvedBody(id=arguments.id),
            what="proof",
        )
        self._start(self._present.relay())
        number = len(arguments.checkpoints) or len(headers)
        return VerifyBody(id=arguments.id, of=number, kept=request.kept)

    async def stop(self, arguments: VerifyStopArguments) -> None:
        """Check no further checkpoint. What was found was sent."""
        if self._present is not None and self._present.id == arguments.id:
            self._end()
