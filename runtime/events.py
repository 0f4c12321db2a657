"""What a run tells: `WorkflowEvent` to its caller, in agent-framework's shape, and `RunEvent` to an observer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


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
