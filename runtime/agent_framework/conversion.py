"""Converts checkpoints of the engine to agent-framework's shape, `WorkflowCheckpoint`, and back.

For people and for code that reads checkpoints. The engine keeps a `RunState`; what agent-framework's fields cannot say
of one (what made it, its branch, how often executors ran) is in `metadata`, as JSON values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from runtime.checkpoint import Checkpoint
from runtime.checkpoints.storage import CHECKPOINT_VERSION, WorkflowCheckpoint
from runtime.errors import CheckpointDamagedError, WorkflowCheckpointException
from runtime.events import WorkflowEvent
from runtime.executors.context import answer_schema
from runtime.message import Message, MessageType, Request, WorkflowMessage
from runtime.state import ExecutorRecord, RunState, owner_of

EXECUTOR_STATE = "_executor_state"
EDGE_STATE = "_edge_state"
# In the state of an executor that wraps a workflow: its runs, by their key.
CHILDREN = "sub_workflow_checkpoints"
# What `metadata` says of a checkpoint; every other key of it is the caller's own, and kept.
_SAID = frozenset(
    {
        *(
            "cause",
            "status",
            "branch",
            "run_id",
            "sequence",
            "tags",
            "note",
            "executor_runs",
            "waited",
        ),
        *("damaged", "not_decoded", "stepwell_record"),
    }
)
# In the definition part of a checkpoint that was made by hand: the caller's own keys, and `said_beside`.
_OWN = "metadata"
_BESIDE = "beside"
_OUR_JOIN = "fan_in:"
_THEIR_JOIN = "FanInEdgeGroup:"


# --- from a checkpoint --------------------------------------------------------------------------------------------


def shown(checkpoint: Checkpoint) -> WorkflowCheckpoint:
    """A checkpoint in agent-framework's shape. It shares values with the checkpoint, which the caller gives away."""
    header = checkpoint.header
    made = _shown_state(checkpoint.state, header.workflow, header.signature, header.id)
    made.previous_checkpoint_id = header.parent
    made.timestamp = datetime.fromtimestamp(header.time, UTC).isoformat()
    made.metadata |= {
        "cause": header.cause.value,
        "status": header.status,
        "branch": header.branch,
        "run_id": header.run_id,
        "sequence": header.sequence,
        "tags": list(header.tags),
        "note": header.note,
    }
    definition = checkpoint.definition or {}
    try:
        made.metadata |= own_metadata(definition.get(_OWN, {}))
        _tell_beside(made, definition.get(_BESIDE, {}), checkpoint.state.queue)
    except (TypeError, ValueError, AttributeError, StopIteration) as error:
        raise CheckpointDamagedError(
            header.id, f"what stands beside its state has a wrong shape ({error})"
        ) from error
    return made


def own_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that a caller put there."""
    return {key: value for key, value in metadata.items() if key not in _SAID}


# --- what a checkpoint that was made by hand says, and the state of a run does not --------------------------------


def definition_of(
    checkpoint: WorkflowCheckpoint, parent: str | None
) -> dict[str, Any] | None:
    """What stands in place of a definition, if there is something to keep; `parent` is the one that is in the store."""
    parts = {
        _OWN: own_metadata(checkpoint.metadata),
        _BESIDE: said_beside(checkpoint, parent),
    }
    kept = {name: part for name, part in parts.items() if part}
    return kept or None


def said_beside(checkpoint: WorkflowCheckpoint, parent: str | None) -> dict[str, Any]:
    """What the fields say and neither a `RunState` nor a header can: a parent that is elsewhere, a version, under which
    keys the messages stand and where they were traced, executors with an empty state.
    """
    said: dict[str, Any] = {}
    if checkpoint.previous_checkpoint_id != parent:
        said["previous"] = checkpoint.previous_checkpoint_id
    if checkpoint.version != CHECKPOINT_VERSION:
        said["version"] = checkpoint.version
    if not _is_plainly_sorted(checkpoint.messages):
        said["messages"] = [
            [
                key,
                [
                    [message.trace_contexts, message.source_span_ids]
                    for message in messages
                ],
            ]
            for key, messages in checkpoint.messages.items()
        ]
    empty = [
        key
        for key, state in checkpoint.state.get(EXECUTOR_STATE, {}).items()
        if state == {}
    ]
    return said | ({"empty": empty} if empty else {})


def _is_plainly_sorted(messages: Mapping[str, list[WorkflowMessage]]) -> bool:
    """Whether all messages stand under their senders, and say nothing of tracing: so `by_source` sorts them."""
    return all(
        of_key
        and all(
            message.source_id == key
            and not message.trace_contexts
            and not message.source_span_ids
            for message in of_key
        )
        for key, of_key in messages.items()
    )


def _tell_beside(
    made: WorkflowCheckpoint, said: Mapping[str, Any], queue: Iterable[Message]
) -> None:
    """Put what `said_beside` gave back into the fields."""
    made.previous_checkpoint_id = said.get("previous", made.previous_checkpoint_id)
    made.version = said.get("version", made.version)
    for key in said.get("empty", ()):
        made.state.setdefault(EXECUTOR_STATE, {}).setdefault(key, {})
    if "messages" in said:
        rest = iter(queue)
        made.messages = {}
        for key, rows in said["messages"]:
            made.messages[key] = messages = [_shown_message(next(rest)) for _ in rows]
            for message, (contexts, spans) in zip(messages, rows, strict=True):
                message.trace_contexts = contexts
                message.source_span_ids = spans


def _shown_state(
    state: RunState, workflow: str, signature: str, checkpoint_id: str
) -> WorkflowCheckpoint:
    executors: dict[str, Any] = {
        key: dict(record.state)
        for key, record in state.executors.items()
        if record.state
    }
    for key, child in state.children.items():
        inner = _shown_state(child, key, "", f"{checkpoint_id}/{key}")
        executors.setdefault(owner_of(key), {}).setdefault(CHILDREN, {})[key] = inner
    buffers = {
        key.replace(_OUR_JOIN, _THEIR_JOIN, 1): {"buffer": by_source(messages)}
        for key, messages in state.buffers.items()
    }
    values = dict(state.shared)
    values |= {EXECUTOR_STATE: executors} if executors else {}
    values |= {EDGE_STATE: buffers} if buffers else {}
    return WorkflowCheckpoint(
        workflow,
        signature,
        checkpoint_id,
        messages=by_source(state.queue),
        state=values,
        pending_request_info_events={
            key: WorkflowEvent.of_request(one) for key, one in state.requests.items()
        },
        iteration_count=state.superstep,
        metadata={
            "executor_runs": {
                key: [one.runs, one.last_superstep]
                for key, one in state.executors.items()
            }
        }
        | ({"waited": state.waited} if state.waited else {}),
    )


def by_source(messages: Iterable[Message]) -> dict[str, list[WorkflowMessage]]:
    """The messages in agent-framework's shape, by sender."""
    found: dict[str, list[WorkflowMessage]] = {}
    for message in messages:
        found.setdefault(message.source_id, []).append(_shown_message(message))
    return found


def _shown_message(message: Message) -> WorkflowMessage:
    request = message.request
    return WorkflowMessage(
        message.data,
        message.source_id,
        message.target_id,
        MessageType.STANDARD if request is None else MessageType.RESPONSE,
        original_request_info_event=None
        if request is None
        else WorkflowEvent.of_request(request),
    )


# --- and back -----------------------------------------------------------------------------------------------------


def state_in(checkpoint: WorkflowCheckpoint) -> RunState:
    """The run that a checkpoint in agent-framework's shape describes; it shares values with the checkpoint.

    Messages of different sources come in the order in which the sources stand in `messages`.
    Raises `WorkflowCheckpointException` if a field has another shape.
    """
    try:
        return _state(checkpoint)
    except (TypeError, ValueError, AttributeError, LookupError) as error:
        raise WorkflowCheckpointException(
            f"Checkpoint {checkpoint.checkpoint_id} is no checkpoint of a workflow: {error}. Its fields must have the "
            "shapes that a storage gives."
        ) from error


def _state(checkpoint: WorkflowCheckpoint) -> RunState:
    superstep = checkpoint.iteration_count
    shared = dict(checkpoint.state)
    states: dict[str, dict[str, Any]] = {
        key: dict(one) for key, one in shared.pop(EXECUTOR_STATE, {}).items()
    }
    buffers = shared.pop(EDGE_STATE, {})
    children = {
        key: _state(child)
        for one in states.values()
        for key, child in one.pop(CHILDREN, {}).items()
    }
    runs: Mapping[str, list[int]] = checkpoint.metadata.get("executor_runs", {})
    ids = dict.fromkeys((*runs, *(key for key, one in states.items() if one)))
    return RunState(
        superstep,
        tuple(
            _message(one, superstep)
            for messages in checkpoint.messages.values()
            for one in messages
        ),
        {
            key.replace(_THEIR_JOIN, _OUR_JOIN, 1): tuple(
                _message(message, superstep)
                for messages in one["buffer"].values()
                for message in messages
            )
            for key, one in buffers.items()
        },
        {
            key: ExecutorRecord(states.get(key, {}), *runs.get(key, [1, superstep]))
            for key in ids
        },
        shared,
        {
            key: _request(event, superstep, ordinal)
            for ordinal, (key, event) in enumerate(
                checkpoint.pending_request_info_events.items()
            )
        },
        children,
        checkpoint.metadata.get("waited", 0),
    )


def _message(message: WorkflowMessage, superstep: int) -> Message:
    event = message.original_request_info_event
    request = None if event is None else _request(event, superstep, 0)
    return Message(message.data, message.source_id, message.target_id, request)


def _request(event: WorkflowEvent, superstep: int, ordinal: int) -> Request:
    return Request(
        event.request_id,
        event.source_executor_id,
        event.data,
        event.response_type,
        superstep,
        ordinal,
        answer_schema(event.data, event.response_type),
    )
