"""`CallerFeed`: emits what the caller of `Workflow.run` hears, as `WorkflowEvent`.

The order of events of one executor is: invoked, then its outputs and requests, then
completed. Requests are emitted at the barrier, because a failed superstep has none; so
are outputs, unless a stream is read (`runtime.engine.live_outputs` has that case). So
the `executor_completed` of a handler with such results is held until the barrier, and
with it every later event of the same executor in the superstep.

A feed belongs to one call of `run`; the next call has a new one, with nothing emitted
yet.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from runtime.engine.feed import Feed, Reader
from runtime.events import (
    WorkflowErrorDetails,
    WorkflowEvent,
    WorkflowEventSource,
    WorkflowRunState,
    engine_event,
    lent_event,
)
from runtime.state import owner_of
from runtime.values.copies import isolate
from runtime.values.user_failures import in_words, text_of

if TYPE_CHECKING:
    from runtime.edges.join import HeldJoin
    from runtime.engine.commit import Merged
    from runtime.engine.invoke import Job
    from runtime.engine.sub_runs import Frame, Path
    from runtime.executors.delivery import Delivery
    from runtime.executors.effects import Effects
    from runtime.message import Request

Emit = Callable[[WorkflowEvent], None]

_EXECUTOR = WorkflowEventSource.EXECUTOR
_PENDING = WorkflowRunState.IN_PROGRESS_PENDING_REQUESTS


class CallerFeed(Feed):
    """What the caller of a run hears. With a `reader` the events are a stream that
    somebody reads.
    """

    def __init__(self, emit: Emit, reader: Reader | None = None) -> None:
        self.emit = emit
        self.reader = reader
        # The status that the caller heard last, because hearing the same one again
        # would be noise.
        self._status: WorkflowRunState | None = None
        # Whether this call has emitted a request. Until then the caller hears
        # IN_PROGRESS even if requests are pending from an earlier call: a pending
        # status says that there is something new to answer.
        self._has_asked = False
        # Executor id -> events that wait for the barrier, each with the effects that
        # are emitted before it.
        self._held: dict[str, list[WorkflowEvent | Effects]] = {}

    # --- the run ------------------------------------------------------------------------------------------------

    def begun(self) -> None:
        """Emit that the call begins, before it is known whether the run can."""
        self.emit(engine_event("started"))
        self._emit_status(WorkflowRunState.IN_PROGRESS)

    def refused(self) -> None:
        """Emit that the run cannot begin. For the caller that is a failure, although
        the run has not changed.
        """
        self._emit_status(WorkflowRunState.FAILED)

    def _emit_status(self, status: WorkflowRunState, data: Any = None) -> None:
        if status is self._status:
            return
        self._status = status
        self.emit(engine_event("status", data, None, status))

    def warning(self, text: str) -> None:
        self.emit(engine_event("warning", text))

    def status(self, status: WorkflowRunState, joins: Sequence[HeldJoin]) -> None:
        if status is _PENDING and not self._has_asked:
            status = WorkflowRunState.IN_PROGRESS
        self._emit_status(status, tuple(joins) or None)

    def failed(self, error: BaseException) -> None:
        self._emit_held_events()
        details = WorkflowErrorDetails.from_exception(error)
        self.emit(engine_event("failed", details=details))

    def cancelled(self) -> None:
        self._emit_held_events()

    def request_asked(self, request: Request) -> None:
        # With a copy of the question, because the run goes on with its own.
        copied = replace(request, data=isolate(request.data))
        self.emit(WorkflowEvent.of_request(copied))
        if not self._has_asked:
            self._has_asked = True
            self._emit_status(_PENDING)

    def checkpoint_missed(self, error: Exception) -> None:
        self.warning(
            f"A checkpoint could not be saved, and the run goes on without it: {text_of(error)}"
        )

    # --- a superstep --------------------------------------------------------------------------------------------

    def superstep_begins(self, number: int) -> None:
        self.emit(
            engine_event("superstep_started", None, None, None, number, None, _EXECUTOR)
        )

    def superstep_ended(
        self, root: Frame, frames: Sequence[Frame], merged: Merged, seconds: float
    ) -> None:
        if self._held or root.children:
            self._release_held(root)
        number = merged.state.superstep
        self.emit(
            engine_event(
                "superstep_completed", None, None, None, number, None, _EXECUTOR
            )
        )

    def _release_held(self, root: Frame) -> None:
        """Emit what waited for the barrier and what sub-workflows came to, in the order
        of the definition.
        """
        for done in root.all_done():
            from_children = done.effects[done.deliveries :]
            for item in (*self._held.pop(done.executor_id, ()), *from_children):
                if isinstance(item, WorkflowEvent):
                    self.emit(item)
                else:
                    self._emit_results(root, done.executor_id, item)

    def _emit_results(self, root: Frame, executor_id: str, effects: Effects) -> None:
        is_output = root.workflow.output_kind(executor_id) == "output"
        if is_output and self.reader is None:
            for value in effects.outputs:
                self.emit(lent_event("output", value, executor_id))
        for request in effects.requests:
            self.request_asked(request)

    def _emit_held_events(self) -> None:
        """After a failure, emit what waited for the barrier, without outputs and
        requests, which do not count.
        """
        held = self._held
        self._held = {}
        for items in held.values():
            for item in items:
                if isinstance(item, WorkflowEvent):
                    self.emit(item)

    # --- handlers: the caller hears of executors of the workflow itself, not of those inside sub-workflows ---------

    def handler_started(
        self, path: Path, delivery: Delivery, attempt: int, attempts: int
    ) -> None:
        # Of several attempts only the first one is emitted, because there is one end
        # for all.
        if not path and attempt == 1:
            executor_id = delivery.target_id
            event = lent_event("executor_invoked", delivery.data, executor_id)
            self._emit_in_order(executor_id, event)

    def handler_ended(
        self, path: Path, executor_id: str, effects: Effects, has_results: bool
    ) -> None:
        if path:
            return
        values = [message.data for message in effects.sent]
        values += effects.outputs
        event = lent_event("executor_completed", values or None, executor_id)
        if has_results:
            self._held.setdefault(executor_id, []).extend((effects, event))
        else:
            self._emit_in_order(executor_id, event)

    def _emit_in_order(self, executor_id: str, event: WorkflowEvent) -> None:
        if self._held and executor_id in self._held:
            self._held[executor_id].append(event)
        else:
            self.emit(event)

    def attempt_failed(
        self,
        job: Job,
        delivery: Delivery,
        error: BaseException,
        attempt: int,
        attempts: int,
        wait: float,
    ) -> None:
        name = "/".join((*job.round.path, job.executor_id))
        when = f" in {wait:g} s" if wait else ""
        self.warning(
            f"Attempt {attempt} of {attempts} of executor '{name}' failed: {in_words(error)}. "
            f"The next begins{when}."
        )

    def handler_failed(
        self,
        path: Path,
        executor_id: str,
        handler: str,
        error: BaseException,
        superstep: int,
        *,
        taken: bool,
    ) -> None:
        if not taken:
            self._emit_held_events()
        extra = {"handler": handler, "superstep": superstep, "path": list(path)}
        details = WorkflowErrorDetails(
            type(error).__name__,
            text_of(error),
            "".join(traceback.format_exception(error)),
            executor_id,
            extra,
        )
        self.emit(
            engine_event("executor_failed", details, executor_id, details=details)
        )

    def handler_cancelled(
        self, path: Path, executor_id: str, error: BaseException | None
    ) -> None:
        if path:
            return
        details = None
        if error is not None:
            details = WorkflowErrorDetails.from_exception(
                error, executor_id=executor_id
            )
        self.emit(
            engine_event("executor_cancelled", executor_id=executor_id, details=details)
        )

    def intermediate(
        self, path: Path, executor_id: str, value: Any, ordinal: int
    ) -> None:
        owner = owner_of(path[0]) if path else executor_id
        self.emit(lent_event("intermediate", value, owner))

    def custom_event(self, path: Path, executor_id: str, event: WorkflowEvent) -> None:
        self.emit(event)
