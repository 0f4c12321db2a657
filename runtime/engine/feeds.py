"""Who hears of a run: an observer (`RunEvent`) and the caller of `Workflow.run` (`WorkflowEvent`).

Nothing is built for a listener that is not there. An observer that raises is detached, and the caller is told.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
import traceback
from asyncio import CancelledError
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from runtime.engine.commit import is_alive
from runtime.engine.event_order import HeldEvents
from runtime.engine.fingerprint import Fingerprint
from runtime.engine.status import left_over
from runtime.events import (
    Observer,
    RunEvent,
    RunEventKind,
    WorkflowErrorDetails,
    WorkflowEvent,
    WorkflowEventSource,
    WorkflowRunState,
    engine_event,
    lent_event,
)
from runtime.state import RunState, owner_of
from runtime.values.copies import Shared, isolate
from runtime.values.sealed import stored_values
from runtime.values.type_matching import describe
from runtime.values.user_failures import in_words, text_of

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointHeader
    from runtime.codec import TypeRegistry
    from runtime.edges.join import HeldJoin
    from runtime.engine.commit import Merged
    from runtime.engine.invoke import Job
    from runtime.engine.live_outputs import LiveOutputs
    from runtime.engine.sub_runs import Frame, Path
    from runtime.executors.delivery import Delivery
    from runtime.executors.effects import Effects
    from runtime.message import Message, Request

Emit = Callable[[WorkflowEvent], None]

Kind = RunEventKind
_LOG = logging.getLogger("runtime")
_EXECUTOR = WorkflowEventSource.EXECUTOR
_PENDING = WorkflowRunState.IN_PROGRESS_PENDING_REQUESTS


class Reader(Protocol):
    """Whoever reads the events of a stream, one after the other."""

    async def has_read(self) -> None:
        """Wait until all events have been taken and the next is asked for."""

    def room(self) -> Awaitable[None]:
        """To be awaited by whoever makes events while many are unread."""


class Teller:
    """Turns what happens into events for those who listen."""

    def __init__(
        self, observer: Observer | None = None, types: TypeRegistry | None = None
    ) -> None:
        self.observer = observer
        self._types = types
        self.listening = observer is not None
        self.emit: Emit | None = None
        self.reader: Reader | None = None
        # The outputs of the superstep that runs, where anybody hears of them at once; and how many have counted so far.
        self.live: LiveOutputs | None = None
        self.committed = 0
        self.ordinals = itertools.count(1)  # of all that is yielded
        # What the caller of this run gave as tools; never part of a state.
        self.tools: list[Any] | None = None
        # What each listener was told last: a status is told when it changes.
        self._observed: WorkflowRunState | None = None
        self._told: WorkflowRunState | None = None
        # The status that all who listen now have heard of.
        self.known: WorkflowRunState | None = None
        self._has_asked = False
        self._held = HeldEvents()
        self.superstep = 0
        self.cause = ""
        self._number = 0
        self._said_shared: set[tuple[Path, str, str, type]] = set()
        # Plain functions tell from threads of their own.
        self._one_at_a_time = threading.RLock()

    def observe(self, kind: RunEventKind, path: Path = (), **data: Any) -> None:
        """Tell the observer, if there is one."""
        observer = self.observer
        if observer is None:
            return
        try:
            with self._one_at_a_time:
                self._number += 1
                observer(
                    RunEvent(
                        self._number,
                        time.monotonic(),
                        kind,
                        self.superstep,
                        path,
                        data,
                        self.cause,
                    )
                )
        except (Exception, SystemExit, CancelledError) as error:  # noqa: BLE001 - told and logged; the run is not the observer's
            self.observer = None
            self.listening = self.emit is not None
            _LOG.warning("The observer of a run raised and was detached", exc_info=True)
            self.warn(
                f"The observer raised {in_words(error)}. It was detached; the run goes on."
            )

    def warn(self, text: str) -> None:
        self.observe(Kind.WARNING, text=text)
        if self.emit is not None:
            self.emit(engine_event("warning", text))

    def shared(
        self, path: Path, executor_id: str, how: str, values: Iterable[Shared]
    ) -> None:
        """What could not be copied, once for each executor and type: the executor `how` it (gets, writes)."""
        for cls, error in values:
            key = (path, executor_id, how, cls)
            if key not in self._said_shared:
                self._said_shared.add(key)
                self.warn(
                    f"Executor '{'/'.join((*path, executor_id))}' {how} a value of type {cls.__module__}."
                    f"{cls.__qualname__} that cannot be copied ({in_words(error)}), so it is shared: a change of it is "
                    "seen elsewhere, and a run that is restored may go on otherwise than this one. Let copy.deepcopy "
                    "copy it, or use plain data."
                )

    def listen(self, emit: Emit | None, reader: Reader | None) -> None:
        """Another caller, or none; one that reads a stream is a `reader`."""
        self.emit = emit
        self.reader = reader
        self._has_asked = False
        self._told = self.known = None
        self._said_shared.clear()
        self.listening = emit is not None or self.observer is not None

    def begun(self) -> None:
        """A run of a caller begins, before it is known whether it can."""
        if self.emit is not None:
            self.emit(engine_event("started"))
            self._say(WorkflowRunState.IN_PROGRESS)

    def refused(self, error: BaseException) -> None:
        """What the caller wants cannot begin: for the caller that is a failure, and the run stands where it stood."""
        self.failed(error)
        self._say(WorkflowRunState.FAILED)

    def _say(self, status: WorkflowRunState, data: Any = None) -> None:
        if self.emit is not None and status is not self._told:
            self._told = status
            self.known = None
            self.emit(engine_event("status", data, None, status))

    def thrown_away(self, joins: Sequence[HeldJoin]) -> None:
        """A new run begins with empty joins: what the one before left in them."""
        for join in joins:
            named = "/".join((*join.path, join.group.target_id))
            self.warn(
                f"A new run begins with empty joins: {sum(join.held.values())} message(s) that the join "
                f"'{join.group.id}' held for '{named}' are thrown away."
            )

    def unanswered(self, questions: Iterable[tuple[Path, Request]]) -> None:
        """The run rests, and sub-workflows wait for answers that nobody is going to send."""
        for path, request in questions:
            wrapper = "/".join((*path[:-1], owner_of(path[-1])))
            self.warn(
                f"The sub-workflow '{wrapper}' still waits for the answer to its question '{request.id}': the executor "
                f"that took it has not sent create_response(...) back to '{owner_of(path[-1])}'."
            )

    def status(self, status: WorkflowRunState, joins: Sequence[HeldJoin] = ()) -> None:
        """Where the run stands, to each listener that was told something else last. `joins` are the stalled ones."""
        if status is self._observed and status is self._told:
            return
        if status is not self._observed:
            self._observed = status
            told: dict[str, Any] = {"status": status.value} | (
                {"joins": tuple(joins)} if joins else {}
            )
            self.observe(Kind.STATUS, **told)
        # The caller hears that questions are pending when one is asked, not of those that were open before.
        self._say(
            WorkflowRunState.IN_PROGRESS
            if status is _PENDING and not self._has_asked
            else status,
            tuple(joins) or None,
        )
        self.known = status

    def failed(self, error: BaseException) -> None:
        """The run has failed: the caller hears of it before the error reaches it."""
        self.take_back()
        if self.emit is not None:
            self.give_up_held()
            self.emit(
                engine_event(
                    "failed", details=WorkflowErrorDetails.from_exception(error)
                )
            )

    def cancelled(self) -> None:
        """The superstep that ran, if any did, was given up."""
        self.take_back()
        self.give_up_held()

    def take_back(self) -> None:
        """What the superstep that ran has put out does not count."""
        if self.live is not None:
            live = self.live
            self.live = None
            live.take_back()

    # --- supersteps -----------------------------------------------------------------------------------------------

    def superstep_begins(self, number: int) -> None:
        """To the caller, before conditions are asked, which may raise."""
        if self.emit is not None:
            self.emit(
                engine_event(
                    "superstep_started", None, None, None, number, None, _EXECUTOR
                )
            )

    def superstep_started(self, root: Frame, number: int) -> None:
        self.superstep = number
        self.cause = "superstep"
        if self.observer is None:
            return
        for frame in root:
            self.observe(
                Kind.SUPERSTEP_STARTED,
                frame.path,
                executors=tuple(frame.routing.deliveries),
            )
            for fate in frame.routing.fates:
                self.observe(
                    Kind.MESSAGE,
                    frame.path,
                    fate=fate.kind,
                    source=fate.source_id,
                    target=fate.target_id,
                    edge=fate.edge_id,
                    reason=fate.reason,
                    count=fate.count,
                )
            for one in frame.routing.releases:
                self.observe(
                    Kind.JOIN_RELEASED,
                    frame.path,
                    edge=one.edge_id,
                    target=one.target_id,
                    counts=one.counts,
                )

    def superstep_ended(self, root: Frame, merged: Merged, seconds: float) -> None:
        """Outputs, writes, requests and losses are told here, after the barrier: those of a failed superstep never
        are. Outputs that were told at once count from here on.
        """
        if self.live is not None:
            live = self.live
            self.live = None
            live.commit(root)
        frames = [*root] if root.children else [root]
        for frame in frames:
            if frame.routing.lost:
                self._lost(frame)
            if (
                frame.path
                and frame.merged is not None
                and not is_alive(frame.merged.state)
            ):
                for text in left_over(frame.workflow, frame.merged.state):
                    self.warn(f"In the sub-workflow {'/'.join(frame.path)}, {text}")
        if self.emit is not None:
            self._tell_caller(root, frames, merged, self.emit)
        if self.observer is not None:
            for frame in reversed(frames):
                self._barrier(frame)
            self._sent_below(merged.state, ())
            for frame in reversed(frames):
                self.observe(Kind.SUPERSTEP_ENDED, frame.path, seconds=seconds)

    def _tell_caller(
        self, root: Frame, frames: Sequence[Frame], merged: Merged, emit: Emit
    ) -> None:
        for frame in frames:
            for executor_id, value in frame.progress:
                self.intermediate(frame.path, executor_id, value)
        if self._held.waiting or root.children:
            self._release(root, emit)
        emit(
            engine_event(
                "superstep_completed",
                None,
                None,
                None,
                merged.state.superstep,
                None,
                _EXECUTOR,
            )
        )

    def _release(self, root: Frame, emit: Emit) -> None:
        """What waited for the barrier, and what sub-workflows came to."""
        for executor_id, one in self._held.released(root):
            if isinstance(one, WorkflowEvent):
                emit(one)
            else:
                self._results(root, executor_id, one)

    def _results(self, root: Frame, executor_id: str, effects: Effects) -> None:
        """What an executor yielded, if that is an output of the workflow, and what it asked."""
        if (
            self.emit is not None
            and self.reader is None
            and root.workflow.output_kind(executor_id) == "output"
        ):
            for value in effects.outputs:
                self.emit(lent_event("output", value, executor_id))
        for request in effects.requests:
            self.request(request)

    def give_up_held(self) -> None:
        """A superstep has come to nothing: what waited for its barrier is told without its outputs and requests."""
        for event in self._held.given_up():
            if self.emit is not None:
                self.emit(event)

    def _barrier(self, frame: Frame) -> None:
        merged = frame.merged
        path = frame.path
        if merged is None:
            return
        for write in merged.writes:
            old, new = (
                self._fingerprint(state, write.key)
                for state in (frame.state, merged.state)
            )
            self.observe(
                Kind.STATE_WRITTEN,
                path,
                key=write.key,
                executor=write.executor_id,
                old=old,
                new=new,
            )
        for request in merged.asked:
            self.observe(
                Kind.REQUEST_ASKED,
                path,
                request_id=request.id,
                executor=request.executor_id,
            )
        if path:  # at the root the answer was told when it came in
            for request_id in merged.answered:
                self.observe(
                    Kind.REQUEST_ANSWERED,
                    path,
                    request_id=request_id,
                    executor=_asker(frame, request_id),
                )
        for request_id in merged.withdrawn:
            owner = frame.state.requests[request_id].executor_id
            self.observe(
                Kind.REQUEST_CANCELLED, path, request_id=request_id, executor=owner
            )
        for output in merged.outputs:
            self.observe(
                Kind.OUTPUT,
                path,
                executor=output.executor_id,
                value=isolate(output.data),
            )

    def _sent_below(self, state: RunState, path: Path) -> None:
        """All that is queued after a superstep was sent in it."""
        self.sent(state.queue, path)
        for key, child in state.children.items():
            self._sent_below(child, (*path, key))

    def _fingerprint(self, state: RunState, key: str) -> Fingerprint | None:
        shared = stored_values(state.shared)
        return Fingerprint(key, shared[key], self._types) if key in shared else None

    def sent(self, messages: Sequence[Message], path: Path = ()) -> None:
        """Messages that were queued. Those of one source to one target, or to none, are told once."""
        if self.observer is None:
            return
        # a Counter takes longer for the few that there mostly are
        counts: dict[tuple[str, str | None], int] = {}
        for one in messages:
            way = one.source_id, one.target_id
            counts[way] = counts.get(way, 0) + 1
        for (source, target), count in counts.items():
            self.observe(
                Kind.MESSAGE,
                path,
                fate="sent",
                source=source,
                target=target,
                edge=None,
                reason="",
                count=count,
            )

    def _lost(self, frame: Frame) -> None:
        """A message that goes nowhere is never silent. Many of one kind are told once."""
        for one, count in Counter(frame.routing.lost).items():
            source = "/".join((*frame.path, one.source_id))
            what = "A message" if count == 1 else f"{count} messages"
            why = " and ".join(
                f"'{target}' (edge '{edge}')" for edge, target in one.refusals
            )
            reason = f"no handler for that type in {why}" if why else "no edge leads on"
            if one.error_edges:
                edges = " and ".join(f"'{edge}'" for edge in one.error_edges)
                reason = (
                    f"the condition of error edge {edges} held when '{one.source_id}' had failed, and does not hold "
                    "now. Let it say the same each time that it is asked"
                )
            self.warn(
                f"{what} of type {describe(one.data_type)} that '{source}' sent went nowhere: {reason}."
            )

    def request(self, request: Request) -> None:
        """Announce an open request to the caller, with a copy of what is asked: the run goes on with its own."""
        if self.emit is not None:
            self.emit(
                WorkflowEvent.of_request(replace(request, data=isolate(request.data)))
            )
            if not self._has_asked:
                self._has_asked = True
                self._say(_PENDING)

    # --- handlers -------------------------------------------------------------------------------------------------

    def invoked(
        self, path: Path, delivery: Delivery, attempt: int = 1, attempts: int = 1
    ) -> None:
        """The caller hears of the first attempt only: it ends once."""
        if self.observer is not None:
            several = {"attempt": attempt, "attempts": attempts} if attempts > 1 else {}
            self.observe(
                Kind.HANDLER_STARTED,
                path,
                executor=delivery.target_id,
                messages=delivery.messages,
                **several,
            )
        if self.emit is not None and not path and attempt == 1:
            event = lent_event("executor_invoked", delivery.data, delivery.target_id)
            if not self._held.waiting or not self._held.keeps(
                delivery.target_id, event
            ):
                self.emit(event)

    def completed(
        self,
        path: Path,
        executor_id: str,
        effects: Effects,
        *,
        has_results: bool = False,
    ) -> None:
        """`has_results`: outputs or requests of the handler are told at the barrier, and its end after them."""
        if self.observer is not None:
            self.observe(
                Kind.HANDLER_ENDED, path, executor=executor_id, seconds=effects.seconds
            )
        if self.emit is not None and not path:
            made = [message.data for message in effects.sent]
            made += effects.outputs
            event = lent_event("executor_completed", made or None, executor_id)
            if has_results:
                self._held.keep(executor_id, effects, event)
            elif not self._held.waiting or not self._held.keeps(executor_id, event):
                self.emit(event)

    def attempt_failed(
        self,
        job: Job,
        delivery: Delivery,
        error: BaseException,
        attempt: int,
        attempts: int,
        *,
        wait: float,
    ) -> None:
        """A handler has failed, and will be tried again after so many seconds."""
        path = job.round.path
        executor_id = job.executor_id
        if self.observer is not None:
            self.observe(
                Kind.ATTEMPT_FAILED,
                path,
                executor=executor_id,
                handler=delivery.handler.name,
                attempt=attempt,
                attempts=attempts,
                wait=wait,
                error_type=type(error).__name__,
                error=text_of(error),
                traceback="".join(traceback.format_exception(error)),
            )
        if self.emit is not None:
            named = "/".join((*path, executor_id))
            when = f" in {wait:g} s" if wait else ""
            self.emit(
                engine_event(
                    "warning",
                    f"Attempt {attempt} of {attempts} of executor '{named}' failed: {in_words(error)}. "
                    f"The next begins{when}.",
                )
            )

    def handler_failed(
        self,
        path: Path,
        executor_id: str,
        handler: str,
        error: BaseException,
        *,
        taken: bool = False,
    ) -> None:
        """`taken`: an error edge takes the failure, so the superstep goes on."""
        if self.observer is not None:
            from runtime.engine.user_frames import (
                # here, as most runs never fail: it looks for Python's folders
                own_code_first,
            )

            self.observe(
                Kind.HANDLER_FAILED,
                path,
                executor=executor_id,
                handler=handler,
                error_type=type(error).__name__,
                error=text_of(error),
                traceback=own_code_first(error),
                **({"taken": True} if taken else {}),
            )
        if self.emit is not None:
            if not taken:
                self.give_up_held()
            text = "".join(traceback.format_exception(error))
            extra = {
                "handler": handler,
                "superstep": self.superstep,
                "path": list(path),
            }
            details = WorkflowErrorDetails(
                type(error).__name__, text_of(error), text, executor_id, extra
            )
            self.emit(
                engine_event("executor_failed", details, executor_id, details=details)
            )

    def handler_cancelled(
        self, path: Path, executor_id: str, error: BaseException | None = None
    ) -> None:
        """`error` is what the handler made of it, if it made anything: a consequence, not why the superstep fails."""
        raised = {} if error is None else {"error": in_words(error)}
        self.observe(Kind.HANDLER_CANCELLED, path, executor=executor_id, **raised)
        if self.emit is not None and not path:
            if error is None:
                details = None
            else:
                details = WorkflowErrorDetails.from_exception(
                    error, executor_id=executor_id
                )
            event = engine_event(
                "executor_cancelled", executor_id=executor_id, details=details
            )
            self.emit(event)

    def intermediate(self, path: Path, executor_id: str, value: Any) -> None:
        """Progress on the way, told at once: it is no result, so it may come from a superstep that fails later."""
        self.yielded(path, executor_id, value, next(self.ordinals), is_output=False)
        if self.emit is not None:
            self.emit(
                lent_event(
                    "intermediate", value, owner_of(path[0]) if path else executor_id
                )
            )

    def yielded(
        self, path: Path, executor_id: str, value: Any, ordinal: int, *, is_output: bool
    ) -> None:
        """To the observer: an executor yields a value."""
        if self.observer is not None:
            told = isolate(value)
            self.observe(
                Kind.YIELDED,
                path,
                executor=executor_id,
                value=told,
                ordinal=ordinal,
                output=is_output,
            )

    def told(self, path: Path, executor_id: str, event: WorkflowEvent) -> None:
        """To the observer: code of an executor told something. It may change what is no text afterwards."""
        text = event.data if isinstance(event.data, str) else ""
        self.observe(
            Kind.TOLD, path, executor=executor_id, type=str(event.type), text=text
        )

    # --- checkpoints ----------------------------------------------------------------------------------------------

    def saved(self, header: CheckpointHeader) -> None:
        self.observe(Kind.CHECKPOINT_SAVED, header=header)

    def missed(self, error: Exception) -> None:
        self.observe(Kind.CHECKPOINT_MISSED, error=text_of(error))
        if self.emit is not None:
            text = f"A checkpoint could not be saved, and the run goes on without it: {text_of(error)}"
            self.emit(engine_event("warning", text))


def _asker(frame: Frame, request_id: str) -> str:
    """Who asked what has been answered in this superstep."""
    if request_id in frame.state.requests:
        return frame.state.requests[request_id].executor_id
    answers = (message for message in frame.state.queue if message.request is not None)
    return next(
        (
            one.target_id or ""
            for one in answers
            if one.request and one.request.id == request_id
        ),
        "",
    )
