"""What travels between executors, and what an executor asks of the outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NewType

ExecutorId = NewType("ExecutorId", str)
EdgeId = NewType("EdgeId", str)


def internal_source_id(executor_id: str) -> str:
    """The source of messages that come from outside the graph: the first input and the answers to requests."""
    return f"internal:{executor_id}"


@dataclass(frozen=True, slots=True)
class Request:
    """A question to the outside that waits for an answer.

    `schema` is the JSON Schema of the answer: what a form is made from and what an answer is checked against, so that
    neither needs the code of the workflow. `ordinal` tells apart the requests of one executor in one superstep.
    """

    id: str
    executor_id: str
    data: Any
    response_type: Any
    superstep: int
    ordinal: int = 0
    schema: Any = None

    # The names of a `request_info` event: a request from a sub-workflow is read by code that knows those.

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


@dataclass(frozen=True, slots=True)
class Message:
    """A payload on its way. `request` is set on an answer, and holds the question that it answers."""

    data: Any
    source_id: str
    target_id: str | None = None
    request: Request | None = None
