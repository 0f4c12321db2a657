"""The session of a host that watches a program, which made its workflow in code.

The program's own run is driven while a call of `Workflow.run` waits for it. What the
window starts or restores gets a runner of its own, and the program's run stands
meanwhile. Once the call has returned, its runner belongs to the program again: going on
from there happens on a branch of its own.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticSchemaGenerationError

from runtime.checkpoint import CheckpointHeader, CheckpointStore
from runtime.debug.protocol import (
    AttachBody,
    OpenArguments,
    OpenBody,
    RestoreArguments,
)
from runtime.debug.session.activity import Activity
from runtime.debug.session.notices import Notices
from runtime.debug.session.session import Session
from runtime.errors import DefinitionError, WorkflowRunnerException
from runtime.stores.common import masked
from runtime.values.type_matching import describe
from runtime.values.unset import UNSET

if TYPE_CHECKING:
    from runtime.concurrency.cancellation import StopSignal
    from runtime.engine.runner import Runner
    from runtime.workflow.workflow import Workflow


class Call:
    """A call of `Workflow.run` that waits for its run.

    error  what the run failed with
    """

    def __init__(self, runner: Runner, activity: Activity) -> None:
        self.runner = runner
        self.activity = activity
        self.error: BaseException | None = None
        self.rests = asyncio.Event()


class ProgramSession(Session):
    """The workflow of a program, its store, and one run: that of the program, or one of
    the window.

    A host in the program's event loop and one in a thread use it, one after the other.
    """

    def __init__(
        self,
        notices: Notices,
        workflow: Workflow | None,
        store: CheckpointStore | None,
        name: str = "",
        message: Any = UNSET,
    ) -> None:
        """`message` is the input of a run that the window starts without one."""
        super().__init__(notices)
        self.name = name or program_name()
        self._message = message
        # Whether the program saves on its own branches, which the window leaves alone.
        self.forks = True
        self._workflow = workflow
        self._store = store
        self._call: Call | None = None
        # The runner of the call that returned last, as long as nobody went on from it.
        self._returned: Runner | None = None

    @property
    def workflow_name(self) -> str:
        return self._workflow.name if self._workflow is not None else ""

    @property
    def is_called(self) -> bool:
        """Whether a call of the program waits for its run."""
        return self._call is not None

    # --- the run of the program -------------------------------------------------------

    def begin(self, runner: Runner) -> Call:
        """Watch the run of a call of the program, which has begun."""
        activity = Activity(self.notices)
        runner.observe(activity)
        self._call = Call(runner, activity)
        self._returned = None
        self._workflow = runner.workflow  # type: ignore[assignment]
        if runner.store is not None:
            self._store = runner.store
        self._show(self._call)
        if runner.header is not None:
            self.note_head()
        self._report()
        return self._call

    def end(self) -> None:
        """The call returns: its runner belongs to the program again."""
        call = self._call
        self._call = None
        if call is None:
            return
        call.runner.observe(None)
        if self._runner is call.runner:
            self._returned = call.runner
        self.notices.send_now("program", self._description())

    def _show(self, call: Call) -> None:
        self._runner = call.runner
        self.activity = call.activity

    @property
    def is_followed(self) -> bool:
        return self._call is not None and self._runner is self._call.runner

    async def follow(self) -> None:
        """Leave a run of the window for that of the program, which stands where it was.
        Raise `WorkflowRunnerException` if no call is under way.
        """
        if self._call is None:
            raise WorkflowRunnerException(
                "No call of the program is under way, so there is no run to follow."
            )
        self._show(self._call)
        self._report()

    def _report(self) -> None:
        """Tell the client which run is moved, and where it is."""
        if self._runner is not None and self._runner.header is not None:
            self.notices.add_header(self._runner.header)
        self.notices.send_now("program", self._description())

    async def advance(self, stop: StopSignal) -> bool:
        call = self._call
        if call is None or not self.is_followed:
            return await super().advance(stop)
        try:
            has_moved = await call.runner.advance(stop)
        except asyncio.CancelledError:
            call.error = None
            raise
        except BaseException as error:
            call.error = error
            raise
        call.error = None
        return has_moved

    def on_stop(self) -> None:
        """Let the call return once its run has failed or rests."""
        call = self._call
        if call is None or not self.is_followed:
            return
        if call.error is not None or not call.runner.is_active:
            call.rests.set()

    async def before_move(self) -> None:
        """Go on from the end of a call that has returned in a run of the window."""
        returned = self._returned
        if returned is None or self._runner is not returned:
            return
        if returned.header is None:
            raise WorkflowRunnerException(
                "The program's call has returned, and no checkpoint of its run was saved."
            )
        await self.restore(RestoreArguments(checkpoint_id=returned.header.id))

    async def restore(self, request: RestoreArguments) -> CheckpointHeader:
        forks = request.fork or self.forks
        header = await super().restore(request.model_copy(update={"fork": forks}))
        self.notices.send_now("program", self._description())
        return header

    # --- what the window asks for -----------------------------------------------------

    async def attach(self) -> AttachBody:
        return self._description()

    def _description(self) -> AttachBody:
        nodes = tuple(self._workflow.executors) if self._workflow is not None else ()
        return AttachBody(
            program=self.name,
            pid=os.getpid(),
            workflow=self.workflow_name,
            nodes=nodes,
            store=masked(str(getattr(self.store, "url", ""))),
            is_called=self.is_called,
            is_followed=self.is_followed,
            can_start=self._message is not UNSET,
        )

    async def open(self, arguments: OpenArguments) -> OpenBody:
        raise WorkflowRunnerException(
            "A program that listens runs its own workflow only. Send `attach`."
        )

    async def start(self, message: Any) -> None:
        if message is None:
            message = self._message
        if message is UNSET:
            raise DefinitionError(
                "The program starts its runs itself. To start one here, give an input."
            )
        await super().start(typed_input(self._runnable(), message))
        self.notices.send_now("program", self._description())

    def note_head(self) -> CheckpointHeader:
        header = self.runner.header
        if header is None:
            raise WorkflowRunnerException(
                "No checkpoint of this run could be saved, so it cannot be debugged. The log of the program says why."
            )
        return super().note_head()

    def _runnable(self) -> Workflow:
        if self._workflow is None:
            raise DefinitionError(
                "The program has run no workflow yet. Wait until it does."
            )
        return self._workflow

    async def close(self) -> None:
        """Keep the run and the store, which are the program's."""


def program_name() -> str:
    """Return the name of the program that runs here: its file, or its module."""
    main = sys.modules.get("__main__")
    spec = getattr(main, "__spec__", None)
    if spec is not None and spec.name:
        return str(spec.name).removesuffix(".__main__")
    return Path(sys.argv[0]).name or "python"


def typed_input(workflow: Workflow, value: Any) -> Any:
    """Return a JSON value as the start executor takes it: as it is, or validated for one
    of its types. Raise `DefinitionError` if it fits none.
    """
    start = workflow.get_start_executor()
    if start.handler_for(value) is not None:
        return value
    for expected in start.input_types:
        try:
            converted = TypeAdapter(expected).validate_python(value)
        except (ValidationError, PydanticSchemaGenerationError, TypeError):
            continue
        if start.handler_for(converted) is not None:
            return converted
    expected_types = " or ".join(map(describe, start.input_types)) or "no message"
    raise DefinitionError(
        f"The start executor '{start.id}' takes {expected_types}, and this input is no such value. Give another one."
    )
