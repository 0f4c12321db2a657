"""Explorations of supersteps: the host lets a process of their own make them, and hands
on what that process finds. The run that the host drives is left alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from runtime.debug.protocol import (
    ExploreArguments,
    ExploredBody,
    ExploreRequest,
    ExploreStopArguments,
)
from runtime.debug.questions.child_process import ChildProcess, command_of
from runtime.debug.session.notices import Notices
from runtime.debug.session.session import Session
from runtime.errors import WorkflowRunnerException

COMMAND = command_of("runtime.debug.explore")
Start = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]


class Explorations:
    """At most one exploration at a time. `start` starts the task that reads it."""

    def __init__(self, session: Session, notices: Notices, start: Start) -> None:
        self._session = session
        self._notices = notices
        self._start = start
        self._present: ChildProcess[ExploredBody] | None = None
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
        self._present = ChildProcess(
            COMMAND,
            request,
            self._notices,
            "explored",
            ExploredBody(id=arguments.id, checkpoint_id=arguments.checkpoint_id),
            what="exploration",
            stays_open=True,
        )
        self._start(self._present.relay())

    async def explore_stop(self, arguments: ExploreStopArguments) -> None:
        """End an exploration. What was found was sent."""
        if self._present is not None and self._present.id == arguments.id:
            self.forget()
