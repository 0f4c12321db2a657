"""`Message`, which travels between executors, and `Request`, a question of an executor
to the outside.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from runtime.values.records import record


def internal_source_id(executor_id: str) -> str:
    """Return the source id of messages from outside the graph: the input of a run, and
    answers to requests.
    """
    return f"internal:{executor_id}"


@dataclass(frozen=True, slots=True)
class Request:
    """A question to the outside that waits for an answer.

    ordinal  numbers the requests of one executor in one superstep
    schema   the JSON Schema of the answer. A form is made from it and an answer is checked against it, so that neither
             needs the code of the workflow
    """

    id: str
    executor_id: str
    data: Any
    response_type: Any
    superstep: int
    ordinal: int = 0
    schema: Any = None

    # The names of a `request_info` event, because code that gets a request of a
    # sub-workflow knows these.

    @property
    def type(self) -> str:
        return "request_info"

    @property
    def request_id(self) -> str:
        return self.id

    @property
    def source_executor_id(self) -> str:
        return self.executor_id

    @property
    def request_type(self) -> Any:
        return self.data.__class__


@record
class Message:
    """A payload on its way. On an answer, `request` is the question that it answers."""

    data: Any
    source_id: str
    target_id: str | None = None
    request: Request | None = None


@record
class ExecutorFailure:
    """What goes along an error edge: how an executor failed, and on which message.

    executor_id  the failed executor as the edge sees it: for a failure in a sub-workflow, its `WorkflowExecutor`
    path         the place in the sub-workflow, as `child#1/executor`; empty if the executor itself failed
    error        the text of the last error, after so many `attempts`
    message      the argument of the handler; for a join the whole list
    traceback    its lines, without those of the engine
    """

    executor_id: str
    handler: str
    error_type: str
    error: str
    attempts: int
    superstep: int
    message: Any = None
    traceback: tuple[str, ...] = ()
    path: str = ""


def is_failure_of_source(message: Message) -> bool:
    """Return True for a message that only error edges carry. A failure that another
    executor sends on is none.
    """
    data = message.data
    return data.__class__ is ExecutorFailure and data.executor_id == message.source_id


class MessageType(Enum):
    """Whether a message comes from an executor, or answers a request."""

    STANDARD = "standard"
    RESPONSE = "response"


@dataclass
class WorkflowMessage:
    """A message in agent-framework's shape: checkpoints in its shape list them, and
    `can_handle` and `run` take them.

    The engine itself sends `Message`. `trace_contexts` and `source_span_ids` are kept,
    and not used.
    """

    data: Any
    source_id: str
    target_id: str | None = None
    type: MessageType = MessageType.STANDARD
    trace_contexts: list[dict[str, str]] | None = None
    source_span_ids: list[str] | None = None
    original_request_info_event: Any = None

    @property
    def request(self) -> Any:
        """The question that is answered, as `Message` calls it."""
        return self.original_request_info_event

    @property
    def trace_context(self) -> dict[str, str] | None:
        return self.trace_contexts[0] if self.trace_contexts else None

    @property
    def source_span_id(self) -> str | None:
        return self.source_span_ids[0] if self.source_span_ids else None

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__} | {
            "type": self.type.value
        }

    @staticmethod
    def from_dict(data: dict[str, Any]) -> WorkflowMessage:
        """Return the message of a dict. Raise `KeyError` without `data` or `source_id`."""
        for name in ("data", "source_id"):
            if name not in data:
                raise KeyError(f"Missing '{name}' field in WorkflowMessage dictionary.")
        known = {
            name: value
            for name, value in data.items()
            if name in WorkflowMessage.__dataclass_fields__
        }
        return WorkflowMessage(
            **known | {"type": MessageType(data.get("type", "standard"))}
        )
