"""What a run tells: `WorkflowEvent` to its caller, in agent-framework's shape, and `RunEvent` to an observer."""

from __future__ import annotations

import traceback as tracebacks
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from runtime.failures import text_of


class WorkflowRunState(StrEnum):
    """Where a run stands. `IDLE_WITH_STALLED_JOINS` is ours: at rest, but a join still holds messages."""

    STARTED = "STARTED"
    IN_PROGRESS = "IN_PROGRESS"
    IN_PROGRESS_PENDING_REQUESTS = "IN_PROGRESS_PENDING_REQUESTS"
    IDLE = "IDLE"
    IDLE_WITH_PENDING_REQUESTS = "IDLE_WITH_PENDING_REQUESTS"
    IDLE_WITH_STALLED_JOINS = "IDLE_WITH_STALLED_JOINS"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class RunEventKind(StrEnum):
    """What an observer can hear of. The payload of each is in `RunEvent.data`, under the keys named here."""

    STATUS = "status"  # status
    SUPERSTEP_STARTED = "superstep_started"  # executors: ids that will run
    SUPERSTEP_ENDED = "superstep_ended"  # seconds
    HANDLER_STARTED = "handler_started"  # executor, messages
    HANDLER_ENDED = "handler_ended"  # executor, seconds
    HANDLER_FAILED = "handler_failed"  # executor, error_type, error, traceback
    HANDLER_CANCELLED = "handler_cancelled"  # executor
    MESSAGE = "message"  # fate (delivered, buffered, dropped), source, target, edge, reason, count
    JOIN_RELEASED = "join_released"  # edge, target, counts
    STATE_WRITTEN = "state_written"  # key, executor
    REQUEST_ASKED = "request_asked"  # request_id, executor
    REQUEST_ANSWERED = "request_answered"  # request_id, executor
    OUTPUT = "output"  # executor, value
    CHECKPOINT_SAVED = "checkpoint_saved"  # header
    CHECKPOINT_MISSED = "checkpoint_missed"  # error: the save failed and the run went on
    WARNING = "warning"  # text


@dataclass(frozen=True, slots=True)
class RunEvent:
    """Something that happened in a run. `number` grows by one; `time` is monotonic, in seconds; `path` leads to the
    sub-workflow invocation it happened in, and is empty at the root.
    """

    number: int
    time: float
    kind: RunEventKind
    superstep: int
    path: tuple[str, ...] = ()
    data: dict[str, Any] = field(default_factory=dict)


Observer = Callable[[RunEvent], None]


# --- events for the caller of `Workflow.run`, in agent-framework's shape -------------------------------------------


class WorkflowEventSource(StrEnum):
    """Who made an event: the engine, or code of an executor."""

    FRAMEWORK = "FRAMEWORK"
    EXECUTOR = "EXECUTOR"


@dataclass(frozen=True, slots=True)
class WorkflowErrorDetails:
    """An error as data. Unlike agent-framework's, it always has the text and the traceback."""

    error_type: str
    message: str
    traceback: str | None = None
    executor_id: str | None = None
    extra: dict[str, Any] | None = None

    @classmethod
    def from_exception(
        cls, error: BaseException, *, executor_id: str | None = None, extra: dict[str, Any] | None = None
    ) -> WorkflowErrorDetails:
        text = "".join(tracebacks.format_exception(error))
        return cls(type(error).__name__, text_of(error), text, executor_id, extra)


# Only the engine makes events of these types: `ctx.add_event` turns them into a warning.
_ENGINE_TYPES = frozenset(
    {
        *("started", "status", "failed", "output", "intermediate", "request_info"),
        *("superstep_started", "superstep_completed"),
        *("executor_invoked", "executor_completed", "executor_failed", "executor_cancelled"),
    }
)
_REQUEST_FIELDS = ("request_id", "source_executor_id", "request_type", "response_type")


class WorkflowEvent:
    """Something that a run tells its caller. `type` says what; which fields are set depends on it.

    started, status, failed                  `state`; `details` when failed
    superstep_started, superstep_completed   `iteration`, from 1
    executor_invoked                         `executor_id`, `data`: the input
    executor_completed                       `executor_id`, `data`: sent messages, then outputs, or None
    executor_failed, executor_cancelled      `executor_id`, `details`
    output, intermediate                     `executor_id`, `data`
    request_info                             `request_id`, `source_executor_id`, `request_type`, `response_type`, `data`
    warning, error, or any other             `data`
    """

    __slots__ = ("_request", "data", "details", "executor_id", "iteration", "origin", "state", "type")

    def __init__(
        self,
        type: str,
        data: Any = None,
        *,
        origin: WorkflowEventSource = WorkflowEventSource.EXECUTOR,
        state: WorkflowRunState | None = None,
        details: WorkflowErrorDetails | None = None,
        executor_id: str | None = None,
        request_id: str | None = None,
        source_executor_id: str | None = None,
        request_type: Any = None,
        response_type: Any = None,
        iteration: int | None = None,
    ) -> None:
        self.type, self.data, self.origin, self.state, self.details = type, data, origin, state, details
        self.executor_id, self.iteration = executor_id, iteration
        self._request = (request_id, source_executor_id, request_type, response_type)

    def _of_request(self, field_name: str) -> Any:
        if self.type != "request_info":
            raise RuntimeError(f"{field_name} is only there on 'request_info' events, not on '{self.type}'.")
        return self._request[_REQUEST_FIELDS.index(field_name)]

    @property
    def request_id(self) -> str:
        return self._of_request("request_id")  # type: ignore[no-any-return]

    @property
    def source_executor_id(self) -> str:
        return self._of_request("source_executor_id")  # type: ignore[no-any-return]

    @property
    def request_type(self) -> Any:
        return self._of_request("request_type")

    @property
    def response_type(self) -> Any:
        return self._of_request("response_type")

    @classmethod
    def of_request(cls, request: Any) -> WorkflowEvent:
        """The announcement of an open request."""
        return cls(
            "request_info",
            request.data,
            request_id=request.id,
            source_executor_id=request.executor_id,
            request_type=type(request.data),
            response_type=request.response_type,
        )

    def from_user(self) -> WorkflowEvent:
        """The event as code of an executor may emit it."""
        if self.type not in _ENGINE_TYPES:
            return self
        return WorkflowEvent(
            "warning", f"An executor tried to emit an event of type '{self.type}', which is the engine's."
        )

    def __repr__(self) -> str:
        named = {"data": self.data, "executor_id": self.executor_id, "state": self.state, "iteration": self.iteration}
        shown = ", ".join(f"{name}={value!r}" for name, value in named.items() if value is not None)
        return f"WorkflowEvent(type={self.type!r}{', ' if shown else ''}{shown})"


class WorkflowRunResult(list[WorkflowEvent]):
    """The events of one `run`, and what they come to. Status events stand beside the list unless asked for."""

    def __init__(self, events: Iterable[WorkflowEvent] = (), status_events: Iterable[WorkflowEvent] = ()) -> None:
        super().__init__(events)
        self._status_events = list(status_events)

    def get_outputs(self) -> list[Any]:
        return [event.data for event in self if event.type == "output"]

    def get_intermediate_outputs(self) -> list[Any]:
        return [event.data for event in self if event.type == "intermediate"]

    def get_request_info_events(self) -> list[WorkflowEvent]:
        return [event for event in self if event.type == "request_info"]

    def get_final_state(self) -> WorkflowRunState:
        """The last status. Raises `RuntimeError` if the run told none."""
        if not self._status_events or self._status_events[-1].state is None:
            raise RuntimeError("Final state is missing: the run has emitted no status event.")
        return self._status_events[-1].state

    def status_timeline(self) -> list[WorkflowEvent]:
        return list(self._status_events)
