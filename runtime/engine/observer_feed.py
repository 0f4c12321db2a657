"""`ObserverFeed`: emits everything that happens in a run to its observer, as
`RunEvent`.

Nothing is emitted of a superstep that failed except what happened in it: its outputs,
writes and requests are emitted after the barrier, so that an observer never hears of
one that did not become part of the run.
"""

from __future__ import annotations

import threading
import time
import traceback
from asyncio import CancelledError
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from runtime.engine.feed import Feed
from runtime.engine.fingerprint import Fingerprint
from runtime.events import (
    Observer,
    RunEvent,
    RunEventKind,
    WorkflowEvent,
    WorkflowRunState,
)
from runtime.state import RunState
from runtime.values.copies import isolate
from runtime.values.sealed import stored_values
from runtime.values.user_failures import in_words, text_of

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointHeader
    from runtime.codec import TypeRegistry
    from runtime.edges.join import HeldJoin
    from runtime.engine.commit import Merged
    from runtime.engine.invoke import Job
    from runtime.engine.sub_runs import Frame, Path
    from runtime.executors.delivery import Delivery
    from runtime.executors.effects import Effects
    from runtime.message import Message, Request

Kind = RunEventKind


class ObserverFeed(Feed):
    """What the observer of a run hears. `on_error` is called with what the observer
    raises, if it does.

    superstep  the one that runs, or that has led to the barrier
    cause      why: "superstep", or what the checkpoint was saved for that no superstep led to
    """

    def __init__(
        self,
        observer: Observer,
        types: TypeRegistry | None,
        on_error: Callable[[BaseException], None],
    ) -> None:
        self._observer = observer
        self._types = types
        self._on_error = on_error
        self.superstep = 0
        self.cause = ""
        self._number = 0
        # Emitted last. An observer lives as long as the run, so a status is emitted
        # again only after another one.
        self._status: WorkflowRunState | None = None
        self._is_detached = False
        # Plain functions yield from threads of their own, and an observer hears one
        # event at a time.
        self._lock = threading.RLock()

    def emit(self, kind: RunEventKind, path: Path = (), **data: Any) -> None:
        if self._is_detached:
            return
        try:
            with self._lock:
                self._number += 1
                event = RunEvent(
                    self._number,
                    time.monotonic(),
                    kind,
                    self.superstep,
                    path,
                    data,
                    self.cause,
                )
                self._observer(event)
        except (Exception, SystemExit, CancelledError) as error:  # noqa: BLE001 - it must not end the run
            self._is_detached = True
            self._on_error(error)

    # --- the run ------------------------------------------------------------------------------------------------

    def warning(self, text: str) -> None:
        self.emit(Kind.WARNING, text=text)

    def status(self, status: WorkflowRunState, joins: Sequence[HeldJoin]) -> None:
        if status is self._status:
            return
        self._status = status
        data: dict[str, Any] = {"status": status.value}
        if joins:
            data["joins"] = tuple(joins)
        self.emit(Kind.STATUS, **data)

    def sent(self, messages: Sequence[Message], path: Path) -> None:
        # Messages of one source to one target, or to none in particular, are one event
        # with a count. Counted by hand, because a Counter takes longer for the few
        # messages that there mostly are.
        counts: dict[tuple[str, str | None], int] = {}
        for message in messages:
            way = message.source_id, message.target_id
            counts[way] = counts.get(way, 0) + 1
        for (source, target), count in counts.items():
            self.emit(
                Kind.MESSAGE,
                path,
                fate="sent",
                source=source,
                target=target,
                edge=None,
                reason="",
                count=count,
            )

    def request_asked(self, request: Request, path: Path = ()) -> None:
        self._emit_request(Kind.REQUEST_ASKED, path, request.id, request.executor_id)

    def request_answered(self, request: Request) -> None:
        self._emit_request(Kind.REQUEST_ANSWERED, (), request.id, request.executor_id)

    def request_cancelled(self, request: Request) -> None:
        self._emit_request(Kind.REQUEST_CANCELLED, (), request.id, request.executor_id)

    def _emit_request(
        self, kind: RunEventKind, path: Path, request_id: str, executor_id: str
    ) -> None:
        self.emit(kind, path, request_id=request_id, executor=executor_id)

    def checkpoint_saved(self, header: CheckpointHeader) -> None:
        self.emit(Kind.CHECKPOINT_SAVED, header=header)

    def checkpoint_missed(self, error: Exception) -> None:
        self.emit(Kind.CHECKPOINT_MISSED, error=text_of(error))

    # --- a superstep --------------------------------------------------------------------------------------------

    def superstep_started(self, root: Frame) -> None:
        for frame in root:
            self.emit(
                Kind.SUPERSTEP_STARTED,
                frame.path,
                executors=tuple(frame.routing.deliveries),
            )
            for fate in frame.routing.fates:
                self.emit(
                    Kind.MESSAGE,
                    frame.path,
                    fate=fate.kind,
                    source=fate.source_id,
                    target=fate.target_id,
                    edge=fate.edge_id,
                    reason=fate.reason,
                    count=fate.count,
                )
            for release in frame.routing.releases:
                self.emit(
                    Kind.JOIN_RELEASED,
                    frame.path,
                    edge=release.edge_id,
                    target=release.target_id,
                    counts=release.counts,
                )

    def superstep_ended(
        self, root: Frame, frames: Sequence[Frame], merged: Merged, seconds: float
    ) -> None:
        # From the innermost run outwards, because an outer run hands on what an inner
        # one yields and asks.
        for frame in reversed(frames):
            if frame.merged is not None:
                self._emit_merged(frame, frame.merged)
        self._emit_queues(merged.state, ())
        for frame in reversed(frames):
            self.emit(Kind.SUPERSTEP_ENDED, frame.path, seconds=seconds)

    def _emit_merged(self, frame: Frame, merged: Merged) -> None:
        path = frame.path
        for write in merged.writes:
            self.emit(
                Kind.STATE_WRITTEN,
                path,
                key=write.key,
                executor=write.executor_id,
                old=self._fingerprint(frame.state, write.key),
                new=self._fingerprint(merged.state, write.key),
            )
        for request in merged.asked:
            self.request_asked(request, path)
        if path:
            # An answer to the run itself was emitted when it came in.
            for request_id in merged.answered:
                asker = _asker(frame, request_id)
                self._emit_request(Kind.REQUEST_ANSWERED, path, request_id, asker)
        for request_id in merged.withdrawn:
            owner = frame.state.requests[request_id].executor_id
            self._emit_request(Kind.REQUEST_CANCELLED, path, request_id, owner)
        for output in merged.outputs:
            self.emit(
                Kind.OUTPUT,
                path,
                executor=output.executor_id,
                value=isolate(output.data),
            )

    def _emit_queues(self, state: RunState, path: Path) -> None:
        # Everything that is queued after a superstep was sent in it.
        self.sent(state.queue, path)
        for key, child in state.children.items():
            self._emit_queues(child, (*path, key))

    def _fingerprint(self, state: RunState, key: str) -> Fingerprint | None:
        stored = stored_values(state.shared)
        return Fingerprint(key, stored[key], self._types) if key in stored else None

    # --- handlers -----------------------------------------------------------------------------------------------

    def handler_started(
        self, path: Path, delivery: Delivery, attempt: int, attempts: int
    ) -> None:
        several = {"attempt": attempt, "attempts": attempts} if attempts > 1 else {}
        self.emit(
            Kind.HANDLER_STARTED,
            path,
            executor=delivery.target_id,
            messages=delivery.messages,
            **several,
        )

    def handler_ended(
        self, path: Path, executor_id: str, effects: Effects, has_results: bool
    ) -> None:
        self.emit(
            Kind.HANDLER_ENDED, path, executor=executor_id, seconds=effects.seconds
        )

    def attempt_failed(
        self,
        job: Job,
        delivery: Delivery,
        error: BaseException,
        attempt: int,
        attempts: int,
        wait: float,
    ) -> None:
        self.emit(
            Kind.ATTEMPT_FAILED,
            job.round.path,
            executor=job.executor_id,
            handler=delivery.handler.name,
            attempt=attempt,
            attempts=attempts,
            wait=wait,
            error_type=type(error).__name__,
            error=text_of(error),
            traceback="".join(traceback.format_exception(error)),
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
        # Imported here, because it looks for Python's folders, and most runs never
        # fail.
        from runtime.engine.user_frames import own_code_first

        data: dict[str, Any] = {
            "executor": executor_id,
            "handler": handler,
            "error_type": type(error).__name__,
            "error": text_of(error),
            "traceback": own_code_first(error),
        }
        if taken:
            data["taken"] = True
        self.emit(Kind.HANDLER_FAILED, path, **data)

    def handler_cancelled(
        self, path: Path, executor_id: str, error: BaseException | None
    ) -> None:
        raised = {} if error is None else {"error": in_words(error)}
        self.emit(Kind.HANDLER_CANCELLED, path, executor=executor_id, **raised)

    def intermediate(
        self, path: Path, executor_id: str, value: Any, ordinal: int
    ) -> None:
        self.yielded(path, executor_id, value, ordinal, is_output=False)

    def yielded(
        self, path: Path, executor_id: str, value: Any, ordinal: int, *, is_output: bool
    ) -> None:
        """Emit a value that an executor has yielded. Whether it counts is decided at
        the barrier.
        """
        self.emit(
            Kind.YIELDED,
            path,
            executor=executor_id,
            value=isolate(value),
            ordinal=ordinal,
            output=is_output,
        )

    def withdrawn(self, path: Path, executor_id: str, value: Any, ordinal: int) -> None:
        """Emit that a yielded value does not count."""
        self.emit(
            Kind.WITHDRAWN,
            path,
            executor=executor_id,
            value=isolate(value),
            ordinal=ordinal,
        )

    def custom_event(self, path: Path, executor_id: str, event: WorkflowEvent) -> None:
        # Only text, because the executor may change any other value afterwards.
        text = event.data if isinstance(event.data, str) else ""
        self.emit(
            Kind.TOLD, path, executor=executor_id, type=str(event.type), text=text
        )


def _asker(frame: Frame, request_id: str) -> str:
    """Return the executor that asked the request that was answered in this superstep."""
    if request_id in frame.state.requests:
        return frame.state.requests[request_id].executor_id
    for message in frame.state.queue:
        if message.request is not None and message.request.id == request_id:
            return message.target_id or ""
    return ""
