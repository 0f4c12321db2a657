"""Converts checkpoints of the engine to agent-framework's shape, `WorkflowCheckpoint`,
and back.

For people and for code that reads checkpoints. The engine keeps a `RunState`; what
agent-framework's fields cannot say of one (what made it, its branch, how often
executors ran) is in `metadata`, as JSON values.
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
# The keys of `metadata` that the conversion writes. Every other key belongs to the
# caller, and is kept.
_OUR_KEYS = frozenset(
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
# Keys in the definition part of a checkpoint that was made by hand: the caller's
# metadata, and `extra_fields`.
_OWN = "metadata"
_BESIDE = "beside"
_OUR_JOIN = "fan_in:"
_THEIR_JOIN = "FanInEdgeGroup:"


# --- from a checkpoint --------------------------------------------------------------------------------------------


def to_workflow_checkpoint(checkpoint: Checkpoint) -> WorkflowCheckpoint:
    """Return a checkpoint in agent-framework's shape. It shares values with the given
    one: do not use that any more.
    """
    header = checkpoint.header
    result = _workflow_checkpoint_of(
        checkpoint.state, header.workflow, header.signature, header.id
    )
    result.previous_checkpoint_id = header.parent
    result.timestamp = datetime.fromtimestamp(header.time, UTC).isoformat()
    result.metadata |= {
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
        result.metadata |= own_metadata(definition.get(_OWN, {}))
        _apply_extra_fields(result, definition.get(_BESIDE, {}), checkpoint.state.queue)
    except (TypeError, ValueError, AttributeError, StopIteration) as error:
        raise CheckpointDamagedError(
            header.id, f"its fields beside the state have a wrong shape ({error})"
        ) from error
    return result


def own_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata that a caller has put there."""
    return {key: value for key, value in metadata.items() if key not in _OUR_KEYS}


# --- fields of a checkpoint made by hand that a `RunState` cannot hold --------------------------------


def definition_of(
    checkpoint: WorkflowCheckpoint, parent: str | None
) -> dict[str, Any] | None:
    """Return what is saved in place of a definition, if there is anything. `parent` is
    the one that is in the store.
    """
    parts = {
        _OWN: own_metadata(checkpoint.metadata),
        _BESIDE: extra_fields(checkpoint, parent),
    }
    non_empty = {name: part for name, part in parts.items() if part}
    return non_empty or None


def extra_fields(checkpoint: WorkflowCheckpoint, parent: str | None) -> dict[str, Any]:
    """Return what the fields hold and neither a `RunState` nor a header can: a parent
    in another store, a version, the keys and the tracing of messages, executors with an
    empty state.
    """
    extra: dict[str, Any] = {}
    if checkpoint.previous_checkpoint_id != parent:
        extra["previous"] = checkpoint.previous_checkpoint_id
    if checkpoint.version != CHECKPOINT_VERSION:
        extra["version"] = checkpoint.version
    if not _is_plainly_sorted(checkpoint.messages):
        extra["messages"] = [
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
    if empty:
        extra["empty"] = empty
    return extra


def _is_plainly_sorted(messages: Mapping[str, list[WorkflowMessage]]) -> bool:
    """Return True if `by_source` gives this too: all messages under their senders, and
    without tracing.
    """
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


def _apply_extra_fields(
    checkpoint: WorkflowCheckpoint, extra: Mapping[str, Any], queue: Iterable[Message]
) -> None:
    """Put what `extra_fields` has returned back into the fields."""
    checkpoint.previous_checkpoint_id = extra.get(
        "previous", checkpoint.previous_checkpoint_id
    )
    checkpoint.version = extra.get("version", checkpoint.version)
    for key in extra.get("empty", ()):
        checkpoint.state.setdefault(EXECUTOR_STATE, {}).setdefault(key, {})
    if "messages" in extra:
        remaining = iter(queue)
        checkpoint.messages = {}
        for key, rows in extra["messages"]:
            messages = [_workflow_message(next(remaining)) for _ in rows]
            checkpoint.messages[key] = messages
            for message, (contexts, spans) in zip(messages, rows, strict=True):
                message.trace_contexts = contexts
                message.source_span_ids = spans


def _workflow_checkpoint_of(
    state: RunState, workflow: str, signature: str, checkpoint_id: str
) -> WorkflowCheckpoint:
    executor_states: dict[str, Any] = {}
    executor_runs: dict[str, list[int]] = {}
    for executor_id, record in state.executors.items():
        executor_runs[executor_id] = [record.runs, record.last_superstep]
        if record.state:
            executor_states[executor_id] = dict(record.state)
    for key, child in state.children.items():
        inner = _workflow_checkpoint_of(child, key, "", f"{checkpoint_id}/{key}")
        owner_state = executor_states.setdefault(owner_of(key), {})
        owner_state.setdefault(CHILDREN, {})[key] = inner
    edge_states = {
        key.replace(_OUR_JOIN, _THEIR_JOIN, 1): {"buffer": by_source(messages)}
        for key, messages in state.buffers.items()
    }
    values = dict(state.shared)
    if executor_states:
        values[EXECUTOR_STATE] = executor_states
    if edge_states:
        values[EDGE_STATE] = edge_states
    metadata: dict[str, Any] = {"executor_runs": executor_runs}
    if state.waited:
        metadata["waited"] = state.waited
    events = {
        key: WorkflowEvent.of_request(request)
        for key, request in state.requests.items()
    }
    return WorkflowCheckpoint(
        workflow,
        signature,
        checkpoint_id,
        messages=by_source(state.queue),
        state=values,
        pending_request_info_events=events,
        iteration_count=state.superstep,
        metadata=metadata,
    )


def by_source(messages: Iterable[Message]) -> dict[str, list[WorkflowMessage]]:
    """Return the messages in agent-framework's shape, by sender."""
    messages_by_source: dict[str, list[WorkflowMessage]] = {}
    for message in messages:
        messages_by_source.setdefault(message.source_id, []).append(
            _workflow_message(message)
        )
    return messages_by_source


def _workflow_message(message: Message) -> WorkflowMessage:
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


def run_state_of(checkpoint: WorkflowCheckpoint) -> RunState:
    """Return the run that a checkpoint in agent-framework's shape describes. It shares
    values with the checkpoint.

    Messages of different sources come in the order of the sources in `messages`. Raise
    `WorkflowCheckpointException` if a field has another shape.
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
    executor_states: dict[str, dict[str, Any]] = {}
    children: dict[str, RunState] = {}
    for executor_id, executor_state in shared.pop(EXECUTOR_STATE, {}).items():
        own_state = dict(executor_state)
        for key, child in own_state.pop(CHILDREN, {}).items():
            children[key] = _state(child)
        executor_states[executor_id] = own_state
    queue = [
        _message(message, superstep)
        for messages in checkpoint.messages.values()
        for message in messages
    ]
    buffers: dict[str, tuple[Message, ...]] = {}
    for key, edge_state in shared.pop(EDGE_STATE, {}).items():
        held = [
            _message(message, superstep)
            for messages in edge_state["buffer"].values()
            for message in messages
        ]
        buffers[key.replace(_THEIR_JOIN, _OUR_JOIN, 1)] = tuple(held)
    runs: Mapping[str, list[int]] = checkpoint.metadata.get("executor_runs", {})
    with_state = [key for key, own_state in executor_states.items() if own_state]
    executors: dict[str, ExecutorRecord] = {}
    for executor_id in dict.fromkeys((*runs, *with_state)):
        count, last_superstep = runs.get(executor_id, [1, superstep])
        executors[executor_id] = ExecutorRecord(
            executor_states.get(executor_id, {}), count, last_superstep
        )
    events = checkpoint.pending_request_info_events
    requests = {
        key: _request(event, superstep, ordinal)
        for ordinal, (key, event) in enumerate(events.items())
    }
    return RunState(
        superstep,
        tuple(queue),
        buffers,
        executors,
        shared,
        requests,
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
