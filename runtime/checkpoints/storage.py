"""agent-framework's contract of a checkpoint storage: `CheckpointStorage`, and the
`WorkflowCheckpoint` that it keeps.

`runtime.agent_framework` converts between this shape and the engine's; the rooms below
only name these types.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any, Protocol

from runtime.errors import WorkflowCheckpointException
from runtime.events import WorkflowEvent
from runtime.message import WorkflowMessage

CheckpointID = str
CHECKPOINT_VERSION = "1.0"
STORAGE_METHODS = (
    "save",
    "load",
    "list_checkpoints",
    "delete",
    "get_latest",
    "list_checkpoint_ids",
)


@dataclass(slots=True)
class WorkflowCheckpoint:
    """A checkpoint as a caller sees it. A storage gives copies, which the caller may
    change.

    messages         source id -> its pending messages, in send order
    state            the shared state; under `_executor_state` that of executors, under `_edge_state` that of joins
    iteration_count  the number of supersteps done
    metadata         cause, status, branch, run_id, sequence, tags, note, waited, and what else a restore needs
    """

    workflow_name: str
    graph_signature_hash: str
    checkpoint_id: CheckpointID = field(default_factory=lambda: str(uuid.uuid4()))
    previous_checkpoint_id: CheckpointID | None = None
    timestamp: str = field(default_factory=lambda: datetime.now(UTC).isoformat())
    messages: dict[str, list[WorkflowMessage]] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)
    pending_request_info_events: dict[str, WorkflowEvent] = field(default_factory=dict)
    iteration_count: int = 0
    metadata: dict[str, Any] = field(default_factory=dict)
    version: str = CHECKPOINT_VERSION

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name; the values are the same objects."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> WorkflowCheckpoint:
        """Raise `WorkflowCheckpointException` if a field is missing or unknown."""
        try:
            return cls(**data)
        except TypeError as error:
            raise WorkflowCheckpointException(
                f"Failed to create WorkflowCheckpoint from dict: {error}."
            ) from error


class CheckpointStorage(Protocol):
    """Where checkpoints are kept, in agent-framework's shape. Any object with these
    methods works as `checkpoint_storage=`; `runtime.CheckpointStore` is the contract of
    the stores that promise more.
    """

    async def save(self, checkpoint: WorkflowCheckpoint) -> CheckpointID:
        """Keep a copy. Return the id."""
        ...

    async def load(self, checkpoint_id: CheckpointID) -> WorkflowCheckpoint:
        """Return a copy. Raise `WorkflowCheckpointException` if there is none of that
        id.
        """
        ...

    async def list_checkpoints(self, *, workflow_name: str) -> list[WorkflowCheckpoint]:
        """Return copies of all checkpoints of a workflow."""
        ...

    async def delete(self, checkpoint_id: CheckpointID) -> bool:
        """Return True if there was one of that id."""
        ...

    async def get_latest(self, *, workflow_name: str) -> WorkflowCheckpoint | None:
        """Return the newest checkpoint of a workflow."""
        ...

    async def list_checkpoint_ids(self, *, workflow_name: str) -> list[CheckpointID]:
        """Return the ids of all checkpoints of a workflow."""
        ...
