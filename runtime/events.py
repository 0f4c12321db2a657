"""The events of a run: `WorkflowEvent` for its caller, in agent-framework's shape, and
`RunEvent` for an observer.
"""

from __future__ import annotations

import sys
import threading
import traceback as tracebacks
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from types import GenericAlias
from typing import TYPE_CHECKING, Any, Literal

from runtime.values.copies import isolate
from runtime.values.records import EngineSlots, record
from runtime.values.user_failures import text_of

if TYPE_CHECKING:
    from runtime.edges.join import HeldJoin


class WorkflowRunState(str, Enum):  # noqa: UP042 - its text is agent-framework's, "WorkflowRunState.IDLE"
    """The status of a run. `IDLE_WITH_STALLED_JOINS` is ours: at rest, but a join still
    holds messages.
    """

    STARTED = "STARTED"
    IN_PROGRESS = "IN_PROGRESS"
    IN_PROGRESS_PENDING_REQUESTS = "IN_PROGRESS_PENDING_REQUESTS"
    IDLE = "IDLE"
    IDLE_WITH_PENDING_REQUESTS = "IDLE_WITH_PENDING_REQUESTS"
    IDLE_WITH_STALLED_JOINS = "IDLE_WITH_STALLED_JOINS"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class RunEventKind(StrEnum):
    """The kinds of events for an observer. The payload of each is in `RunEvent.data`,
    under the keys named here.
    """

    STATUS = "status"  # status; joins: for stalled ones, a `HeldJoin` each
    SUPERSTEP_STARTED = "superstep_started"  # executors: ids that will run
    SUPERSTEP_ENDED = "superstep_ended"  # seconds
    # executor, messages; attempt, attempts: where there may be several
    HANDLER_STARTED = "handler_started"
    HANDLER_ENDED = "handler_ended"  # executor, seconds
    # executor, handler, attempt, attempts, wait, error_type, error, traceback
    ATTEMPT_FAILED = "attempt_failed"
    # executor, handler, error_type, error, traceback, taken (an error edge takes it)
    HANDLER_FAILED = "handler_failed"
    HANDLER_CANCELLED = "handler_cancelled"  # executor
    # fate: sent, delivered, buffered or dropped; source, target, edge, reason, count
    MESSAGE = "message"
    JOIN_RELEASED = "join_released"  # edge, target, counts
    # key, executor, old, new: the `Fingerprint`, None where the key is not there
    STATE_WRITTEN = "state_written"
    REQUEST_ASKED = "request_asked"  # request_id, executor
    REQUEST_ANSWERED = "request_answered"  # request_id, executor
    REQUEST_CANCELLED = "request_cancelled"  # request_id, executor
    # executor, value, ordinal, output: emitted at once. With `output` it is followed by
    # OUTPUT when the superstep is done, or else by WITHDRAWN with the same `ordinal`;
    # without, it is progress and not followed up
    YIELDED = "yielded"
    OUTPUT = "output"  # executor, value
    # executor, value, ordinal: an output that does not count, because its superstep
    # failed
    WITHDRAWN = "withdrawn"
    # executor, type, text: an event that code of an executor has made, with its data if
    # that is text
    TOLD = "told"
    CHECKPOINT_SAVED = "checkpoint_saved"  # header
    # error: the save failed and the run went on
    CHECKPOINT_MISSED = "checkpoint_missed"
    WARNING = "warning"  # text


@record
class RunEvent:
    """Something that happened in a run.

    number     grows by one
    time       in seconds, monotonic
    superstep  of the root
    path       leads to the run of the sub-workflow in which it happened; empty at the root
    cause      what the run was doing: input, superstep, response, restore or fork
    """

    number: int
    time: float
    kind: RunEventKind
    superstep: int
    path: tuple[str, ...] = ()
    data: dict[str, Any] = field(default_factory=dict)
    cause: str = ""


Observer = Callable[[RunEvent], None]


# --- events for the caller of `Workflow.run`, in agent-framework's shape -------------------------------------------


class WorkflowEventSource(str, Enum):  # noqa: UP042 - as `WorkflowRunState`
    """The origin of an event: the engine, or code of an executor."""

    FRAMEWORK = "FRAMEWORK"
    EXECUTOR = "EXECUTOR"


@dataclass(frozen=True, slots=True)
class WorkflowErrorDetails:
    """An error as data. Unlike agent-framework's, it always has the text and the
    traceback.
    """

    error_type: str
    message: str
    traceback: str | None = None
    executor_id: str | None = None
    extra: dict[str, Any] | None = None

    @classmethod
    def from_exception(
        cls,
        exc: BaseException,
        *,
        include_sensitive_data: bool = True,
        executor_id: str | None = None,
        extra: dict[str, Any] | None = None,
    ) -> WorkflowErrorDetails:
        """Return the details of an error; without sensitive data its class only."""
        name = type(exc).__name__
        if not include_sensitive_data:
            return cls(name, name, None, executor_id, extra)
        return cls(
            name,
            text_of(exc),
            "".join(tracebacks.format_exception(exc)),
            executor_id,
            extra,
        )


# The types of events that have a meaning of their own; code of executors may emit
# others too. Only agent-framework's orchestrations and functions emit the last four.
WorkflowEventType = Literal[
    "started",
    "status",
    "failed",
    "output",
    "output_withdrawn",
    "intermediate",
    "data",
    "request_info",
    "warning",
    "error",
    "superstep_started",
    "superstep_completed",
    "executor_invoked",
    "executor_completed",
    "executor_failed",
    "executor_cancelled",
    "executor_bypassed",
    "group_chat",
    "handoff_sent",
    "magentic_orchestrator",
]


# Only the engine makes events of these types: `ctx.add_event` turns them into a
# warning.
_ENGINE_TYPES = frozenset(
    {
        *(
            "started",
            "status",
            "failed",
            "output",
            "output_withdrawn",
            "intermediate",
            "request_info",
        ),
        *("superstep_started", "superstep_completed"),
        *(
            "executor_invoked",
            "executor_completed",
            "executor_failed",
            "executor_cancelled",
        ),
    }
)
_FRAMEWORK = WorkflowEventSource.FRAMEWORK
_NO_REQUEST = (None, None, None, None)
_new = object.__new__
_REQUEST_FIELDS = ("request_id", "source_executor_id", "request_type", "response_type")
_NOTHING = object()
# Held when a copy is put into an event, so that two threads that read it first get the
# same one. Not held while the copy is made, because that may run user code.
_FIRST_READ = threading.Lock()


class WorkflowEvent(EngineSlots):
    """Something that the caller of a run hears of. Which fields are set depends on
    `type`.

    started, status, failed                  `state`; `details` when failed
    superstep_started, superstep_completed   `iteration`, from 1
    executor_invoked                         `executor_id`, `data`: the input
    executor_completed                       `executor_id`, `data`: sent messages, then outputs, or None
    executor_failed, executor_cancelled      `executor_id`, `details`
    output, intermediate                     `executor_id`, `data`
    output_withdrawn                         `executor_id`, `data`, `iteration`: the superstep that came to nothing
    request_info                             `request_id`, `source_executor_id`, `request_type`, `response_type`, `data`
    warning, error, or any other             `data`

    `data` belongs to the reader: a value of the engine (`lent_event`) is copied when it
    is read for the first time.

    A stream emits an output while its superstep runs. Then `is_committed` is False
    until the superstep is done. If that fails, it stays False, and an
    `output_withdrawn` follows.
    """

    data: Any
    _request: tuple[str | None, str | None, Any, Any]
    __slots__ = (
        "_request",
        "data",
        "details",
        "executor_id",
        "iteration",
        "origin",
        "state",
        "type",
    )

    def __class_getitem__(cls, parameters: Any) -> GenericAlias:
        return GenericAlias(cls, parameters)

    def __init__(
        self,
        type: str,
        data: Any = None,
        *,
        origin: WorkflowEventSource | None = None,
        state: WorkflowRunState | None = None,
        details: WorkflowErrorDetails | None = None,
        executor_id: str | None = None,
        request_id: str | None = None,
        source_executor_id: str | None = None,
        request_type: Any = None,
        response_type: Any = None,
        iteration: int | None = None,
    ) -> None:
        self.type = type
        self.data = data
        self.state = state
        self.details = details
        self.origin = origin or WorkflowEventSource.EXECUTOR
        self.executor_id = executor_id
        self.iteration = iteration
        self._request = (request_id, source_executor_id, request_type, response_type)

    def __getattr__(self, name: str) -> Any:
        # Called only for a slot that is not set, so only for the first read of `data`.
        if name != "data":
            raise AttributeError(
                f"'{type(self).__name__}' object has no attribute '{name}'",
                name=name,
                obj=self,
            )
        lent = getattr(self, "_lent", _NOTHING)
        if lent is not _NOTHING:
            made = isolate(lent)
            with _FIRST_READ:
                if hasattr(self, "_lent"):
                    self.data = made
                    del self._lent
        return object.__getattribute__(self, "data")

    @property
    def is_committed(self) -> bool:
        """Whether the event counts. False for an output whose superstep is not done."""
        return self.place is not None

    @property
    def place(self) -> int | None:
        """The place of an output that was emitted at once among those that count;
        engine only.
        """
        return getattr(self, "_place", 0)

    def promise(self) -> None:
        """Mark an output that does not count yet; engine only."""
        self._place = None

    def commit(self, place: int) -> None:
        """Let the output count; engine only."""
        self._place = place

    def _of_request(self, field_name: str) -> Any:
        value = self._request[_REQUEST_FIELDS.index(field_name)]
        if self.type != "request_info" or value is None:
            raise RuntimeError(
                f"{field_name} is only available for request_info events, got type={self.type!r}"
            )
        return value

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

    # --- one for each type, as agent-framework has them -------------------------------------------------------------

    @classmethod
    def started(cls, data: Any = None) -> WorkflowEvent:
        return cls("started", data)

    @classmethod
    def status(cls, state: WorkflowRunState, data: Any = None) -> WorkflowEvent:
        return cls("status", data, state=state)

    @classmethod
    def failed(cls, details: WorkflowErrorDetails, data: Any = None) -> WorkflowEvent:
        return cls("failed", data, details=details)

    @classmethod
    def warning(cls, message: str) -> WorkflowEvent:
        return cls("warning", message)

    @classmethod
    def error(cls, exception: Exception) -> WorkflowEvent:
        return cls("error", exception)

    @classmethod
    def emit(cls, executor_id: str, data: Any) -> WorkflowEvent:
        """Deprecated: yield from an executor that is designated in
        `intermediate_output_from`.
        """
        text = "WorkflowEvent.emit() is deprecated: yield from an executor that intermediate_output_from names."
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return cls("data", data, executor_id=executor_id)

    @classmethod
    def request_info(
        cls,
        request_id: str,
        source_executor_id: str,
        request_data: Any,
        response_type: Any,
    ) -> WorkflowEvent:
        return cls(
            "request_info",
            request_data,
            request_id=request_id,
            source_executor_id=source_executor_id,
            request_type=type(request_data),
            response_type=response_type,
        )

    @classmethod
    def superstep_started(cls, iteration: int, data: Any = None) -> WorkflowEvent:
        return cls("superstep_started", data, iteration=iteration)

    @classmethod
    def superstep_completed(cls, iteration: int, data: Any = None) -> WorkflowEvent:
        return cls("superstep_completed", data, iteration=iteration)

    @classmethod
    def executor_invoked(cls, executor_id: str, data: Any = None) -> WorkflowEvent:
        return cls("executor_invoked", data, executor_id=executor_id)

    @classmethod
    def executor_completed(cls, executor_id: str, data: Any = None) -> WorkflowEvent:
        return cls("executor_completed", data, executor_id=executor_id)

    @classmethod
    def executor_failed(
        cls, executor_id: str, details: WorkflowErrorDetails
    ) -> WorkflowEvent:
        return cls("executor_failed", details, executor_id=executor_id, details=details)

    @classmethod
    def executor_bypassed(cls, executor_id: str, data: Any = None) -> WorkflowEvent:
        return cls("executor_bypassed", data, executor_id=executor_id)

    # --- as data ----------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return a request as a dict, with its types by name. Raise `ValueError` for an
        event of another type.
        """
        if self.type != "request_info":
            raise ValueError(
                f"to_dict() only supported for 'request_info' events, got '{self.type}'"
            )
        request_id, source, asked, wanted = self._request
        return {
            "type": self.type,
            "data": self.data,
            "request_id": request_id,
            "source_executor_id": source,
            "request_type": _type_name(asked),
            "response_type": _type_name(wanted),
        }

    @classmethod
    def from_dict(
        cls,
        data: dict[str, Any],
        *,
        allowed_types: Mapping[str, type[Any]] | None = None,
    ) -> WorkflowEvent:
        """Return the request of a dict. Types are looked up in `allowed_types` and in
        loaded modules; none is imported.

        Raise `KeyError` for a missing field, `TypeError` if the data is not of the type
        that it says.
        """
        for name in ("data", *_REQUEST_FIELDS):
            if name not in data:
                raise KeyError(f"Missing '{name}' field in WorkflowEvent dictionary.")
        if _type_named(data["request_type"], allowed_types) is not type(data["data"]):
            raise TypeError(
                f"The data of request '{data['request_id']}' is no {data['request_type']}, as it says it is."
            )
        wanted = _type_named(data["response_type"], allowed_types)
        return cls.request_info(
            data["request_id"], data["source_executor_id"], data["data"], wanted
        )

    @classmethod
    def of_request(cls, request: Any) -> WorkflowEvent:
        """Return the event that announces an open request."""
        return cls.request_info(
            request.id, request.executor_id, request.data, request.response_type
        )

    def from_user(self, executor_id: str) -> WorkflowEvent:
        """Return the event as code of an executor may emit it."""
        if self.type not in _ENGINE_TYPES:
            return self
        if self.type in ("output", "intermediate"):
            reserved = "ctx.yield_output()"
        else:
            reserved = "the engine"
        return WorkflowEvent(
            "warning",
            f"Executor '{executor_id}' attempted to emit a '{self.type}' event, which is reserved for {reserved}. "
            "The event was ignored.",
        )

    def __repr__(self) -> str:
        parts = [f"type={self.type!r}"]
        if self.state is not None:
            parts.append(f"state={self.state.value}")
        request_id = self._request[0]
        named = {
            "executor_id": self.executor_id,
            "iteration": self.iteration,
            "request_id": request_id,
        }
        parts += [
            f"{name}={value!r}"
            for name, value in (named | {"data": self.data}).items()
            if value is not None
        ]
        return f"WorkflowEvent({', '.join(parts)})"


def engine_event(
    type: str,
    data: Any = None,
    executor_id: str | None = None,
    state: WorkflowRunState | None = None,
    iteration: int | None = None,
    details: WorkflowErrorDetails | None = None,
    origin: WorkflowEventSource = WorkflowEventSource.FRAMEWORK,
) -> WorkflowEvent:
    """Return an event that is no request, in a third of the time of the constructor.

    Paid for by `python -m tests.benchmarks --only w2,w4`: a superstep has several
    events, and with the constructor it takes 1.13 (w2) and 1.23 (w4-1000) times the
    CPU.
    """
    event = _new(WorkflowEvent)
    event.type = type
    event.data = data
    event.origin = origin
    event._request = _NO_REQUEST
    event.executor_id = executor_id
    event.state = state
    event.iteration = iteration
    event.details = details
    return event


def lent_event(type: str, value: Any, executor_id: str) -> WorkflowEvent:
    """Return an event with a value that the engine goes on using, and that is never
    changed in place.

    The value is copied when the event's data is read, so a caller that does not read it
    does not pay for a copy.
    """
    event = _new(WorkflowEvent)
    event.type = type
    event._lent = value
    event.origin = _FRAMEWORK
    event._request = _NO_REQUEST
    event.executor_id = executor_id
    event.state = None
    event.iteration = None
    event.details = None
    return event


def _type_name(cls: Any) -> str | None:
    if cls is None:
        return None
    return f"{cls.__module__}.{getattr(cls, '__qualname__', cls)}"


def _type_named(name: str, allowed: Mapping[str, type[Any]] | None) -> Any:
    if allowed is not None and name in allowed:
        return allowed[name]
    module_name, _, type_name = name.rpartition(".")
    module = sys.modules.get(module_name)
    cls = None if module is None else vars(module).get(type_name)
    if not isinstance(cls, type):
        raise TypeError(
            f"'{name}' is no type of a module that is loaded. Import its module, or give allowed_types."
        )
    return cls


class WorkflowRunResult(list[WorkflowEvent]):
    """The events of one `run`, with its results. Status events are kept beside the list
    unless they were asked for.
    """

    def __init__(
        self,
        events: Iterable[WorkflowEvent] = (),
        status_events: Iterable[WorkflowEvent] | None = None,
    ) -> None:
        super().__init__(events)
        self._status_events = list(status_events or ())

    def get_outputs(self) -> list[Any]:
        """Return the outputs that count, in the order of the supersteps and, within
        each, of the definition.
        """
        counting = [
            event for event in self if event.type == "output" and event.is_committed
        ]
        return [
            event.data for event in sorted(counting, key=lambda event: event.place or 0)
        ]

    def get_intermediate_outputs(self) -> list[Any]:
        return [event.data for event in self if event.type == "intermediate"]

    def get_request_info_events(self) -> list[WorkflowEvent]:
        return [event for event in self if event.type == "request_info"]

    def get_final_state(self) -> WorkflowRunState:
        """Return the last status. Raise `RuntimeError` if the run emitted none."""
        if not self._status_events or self._status_events[-1].state is None:
            raise RuntimeError(
                "Final state is unknown because no status event was emitted."
            )
        return self._status_events[-1].state

    def get_stalled_joins(self) -> list[HeldJoin]:
        """Return the stalled joins, each with the sources that it waits for and why;
        none unless the run rests in `IDLE_WITH_STALLED_JOINS`.
        """
        if not self._status_events:
            return []
        last = self._status_events[-1]
        is_stalled = last.state is WorkflowRunState.IDLE_WITH_STALLED_JOINS
        return list(last.data) if is_stalled else []

    def status_timeline(self) -> list[WorkflowEvent]:
        return list(self._status_events)
