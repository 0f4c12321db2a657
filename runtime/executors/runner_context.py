"""`State` and `InProcRunnerContext`: what an executor works with in a unit test without
a workflow.

The engine needs none of this. Everything happens at once and in the order of the calls:
there is no superstep, so state is seen as it is written, and nothing is dropped when a
handler raises.
"""

from __future__ import annotations

import asyncio
import warnings
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast, runtime_checkable

from runtime.errors import RequestError
from runtime.events import WorkflowEvent
from runtime.executors.effects import DELETED, DONE
from runtime.message import MessageType, WorkflowMessage, internal_source_id
from runtime.values.copies import isolate
from runtime.values.type_matching import describe, is_instance_of

if TYPE_CHECKING:
    from runtime.checkpoints.storage import CheckpointStorage, WorkflowCheckpoint

OutputKind = Literal["output", "intermediate"] | None


class State:
    """Shared state without a run: `get` sees what `set` wrote at once, and
    `export_state` only after `commit`.
    """

    def __init__(self) -> None:
        self._committed: dict[str, Any] = {}
        self._pending: dict[str, Any] = {}

    def set(self, key: str, value: Any) -> None:
        self._pending[key] = isolate(value)

    def get(self, key: str, default: Any = None) -> Any:
        value = self._pending.get(key, self._committed.get(key, DELETED))
        return default if value is DELETED else isolate(value)

    def has(self, key: str) -> bool:
        return self._pending.get(key, self._committed.get(key, DELETED)) is not DELETED

    def delete(self, key: str) -> None:
        """Raise `KeyError` if there is no such key."""
        if not self.has(key):
            raise KeyError(f"Key '{key}' not found in state.")
        self._pending[key] = DELETED

    def keys(self) -> list[str]:
        return [
            key
            for key in dict.fromkeys((*self._committed, *self._pending))
            if self.has(key)
        ]

    def clear(self) -> None:
        self._committed = {}
        self._pending = {}

    def commit(self) -> None:
        self._committed = {key: self.get(key) for key in self.keys()}
        self._pending = {}

    def discard(self) -> None:
        self._pending = {}

    def export_state(self) -> dict[str, Any]:
        """Return a copy of what is committed."""
        return isolate(self._committed)  # type: ignore[no-any-return]

    def import_state(self, state: Mapping[str, Any]) -> None:
        self._committed.update(isolate(dict(state)))


@runtime_checkable
class RunnerContext(Protocol):
    """What an executor works with outside a workflow. `InProcRunnerContext` is one."""

    def send_message(self, message: WorkflowMessage) -> Awaitable[None]: ...
    def add_event(self, event: WorkflowEvent) -> Awaitable[None]: ...
    def add_request_info_event(self, event: WorkflowEvent) -> Awaitable[None]: ...
    def classify_yielded_output(self, executor_id: str) -> OutputKind: ...
    def get_runtime_tools(self) -> list[Any] | None: ...
    def is_streaming(self) -> bool: ...


class InProcRunnerContext:
    """Keeps what an executor sends, emits and asks until it is drained. A workflow only takes its checkpoint storage
    from it.

    `send_message`, `add_event` and `add_request_info_event` act when they are called,
    awaited or not.
    """

    def __init__(self, checkpoint_storage: CheckpointStorage | None = None) -> None:
        self._storage = checkpoint_storage
        self._runtime_storage = cast("CheckpointStorage | None", None)
        self._messages: dict[str, list[WorkflowMessage]] = {}
        self._events: deque[WorkflowEvent] = deque()
        self._added = asyncio.Event()
        self._pending: dict[str, WorkflowEvent] = {}
        self._streaming = False
        self._tools: list[Any] | None = None
        self._classifier: Callable[[str], OutputKind] = lambda _: "output"

    # --- messages and events ----------------------------------------------------------------------------------------

    def send_message(self, message: WorkflowMessage) -> Awaitable[None]:
        self._messages.setdefault(message.source_id, []).append(message)
        return DONE

    async def drain_messages(self) -> dict[str, list[WorkflowMessage]]:
        """Return what was sent since the last call, by sender."""
        drained = self._messages
        self._messages = {}
        return drained

    async def has_messages(self) -> bool:
        return bool(self._messages)

    def add_event(self, event: WorkflowEvent) -> Awaitable[None]:
        self._events.append(event)
        self._added.set()
        return DONE

    async def drain_events(self) -> list[WorkflowEvent]:
        drained = list(self._events)
        self._events.clear()
        return drained

    async def has_events(self) -> bool:
        return bool(self._events)

    async def next_event(self) -> WorkflowEvent:
        """Return the oldest event. Waits for one."""
        while not self._events:
            self._added.clear()
            await self._added.wait()
        return self._events.popleft()

    # --- requests ---------------------------------------------------------------------------------------------------

    def add_request_info_event(self, event: WorkflowEvent) -> Awaitable[None]:
        """Keep an open question, and emit it. Raise `ValueError` for another type of
        event.
        """
        if event.type != "request_info":
            raise ValueError(f"Event type must be 'request_info', not '{event.type}'.")
        self._pending[event.request_id] = event
        return self.add_event(event)

    async def get_pending_request_info_events(self) -> dict[str, WorkflowEvent]:
        return dict(self._pending)

    async def cancel_request_info_events(
        self, request_ids: set[str]
    ) -> dict[str, WorkflowEvent]:
        """Remove the requests that are pending, and return them."""
        return {
            request_id: self._pending.pop(request_id)
            for request_id in list(self._pending)
            if request_id in request_ids
        }

    async def send_request_info_response(self, request_id: str, response: Any) -> None:
        """Queue an answer for the executor that asked.

        Raise `RequestError` if the request is not pending, and `TypeError` for an
        answer of another type: then the request stays pending.
        """
        event = self._pending.get(request_id)
        if event is None:
            raise RequestError(
                f"No pending request found for request_id: {request_id}", request_id
            )
        if not is_instance_of(response, event.response_type):
            raise TypeError(
                f"Response type mismatch for request_id {request_id}: expected {describe(event.response_type)}, "
                f"got {type(response).__name__}."
            )
        del self._pending[request_id]
        target = event.source_executor_id
        self.send_message(
            WorkflowMessage(
                response,
                internal_source_id(target),
                target,
                MessageType.RESPONSE,
                original_request_info_event=event,
            )
        )

    # --- settings ---------------------------------------------------------------------------------------------------

    def set_streaming(self, streaming: bool) -> None:
        self._streaming = streaming

    def is_streaming(self) -> bool:
        return self._streaming

    def set_runtime_tools(self, tools: list[Any] | None) -> None:
        self._tools = tools

    def get_runtime_tools(self) -> list[Any] | None:
        return self._tools

    def clear_runtime_tools(self) -> None:
        self._tools = None

    def set_yield_output_classifier(
        self, classifier: Callable[[str], OutputKind]
    ) -> None:
        self._classifier = classifier

    def classify_yielded_output(self, executor_id: str) -> OutputKind:
        return self._classifier(executor_id)

    def reset_for_new_run(self) -> None:
        """Deprecated, as in agent-framework: `apply_checkpoint` clears what it
        replaces.
        """
        text = "`reset_for_new_run` is deprecated: `apply_checkpoint` clears what it replaces."
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        self._messages = {}
        self._streaming = False
        self._events.clear()

    # --- checkpoints ------------------------------------------------------------------------------------------------

    @property
    def checkpoint_storage(self) -> Any:
        """The storage in use: that of the run, else the one given to the constructor."""
        return self._runtime_storage or self._storage

    def has_checkpointing(self) -> bool:
        return self.checkpoint_storage is not None

    def set_runtime_checkpoint_storage(self, storage: CheckpointStorage) -> None:
        self._runtime_storage = storage

    def clear_runtime_checkpoint_storage(self) -> None:
        self._runtime_storage = None

    async def build_checkpoint(
        self,
        workflow_name: str,
        graph_signature_hash: str,
        state: State,
        previous_checkpoint_id: str | None,
        iteration_count: int,
        metadata: dict[str, Any] | None = None,
    ) -> WorkflowCheckpoint:
        """Return a checkpoint of what is here and committed. It is not saved."""
        from runtime.checkpoints.storage import WorkflowCheckpoint

        return WorkflowCheckpoint(
            workflow_name,
            graph_signature_hash,
            previous_checkpoint_id=previous_checkpoint_id,
            messages={
                source: list(messages) for source, messages in self._messages.items()
            },
            state=state.export_state(),
            pending_request_info_events=dict(self._pending),
            iteration_count=iteration_count,
            metadata=metadata or {},
        )

    async def create_checkpoint(
        self,
        workflow_name: str,
        graph_signature_hash: str,
        state: State,
        previous_checkpoint_id: str | None,
        iteration_count: int,
        metadata: dict[str, Any] | None = None,
    ) -> str:
        """Save a checkpoint as `build_checkpoint` makes it. Raise `ValueError` without
        a storage.
        """
        storage = self._required_storage()
        checkpoint = await self.build_checkpoint(
            workflow_name,
            graph_signature_hash,
            state,
            previous_checkpoint_id,
            iteration_count,
            metadata,
        )
        return str(await storage.save(checkpoint))

    async def load_checkpoint(self, checkpoint_id: str) -> WorkflowCheckpoint:
        return await self._required_storage().load(checkpoint_id)

    def _required_storage(self) -> CheckpointStorage:
        storage: CheckpointStorage | None = self.checkpoint_storage
        if storage is None:
            raise ValueError(
                "Checkpoint storage not configured: give one to InProcRunnerContext."
            )
        return storage

    async def apply_checkpoint(self, checkpoint: WorkflowCheckpoint) -> None:
        """Take over the messages and requests of a checkpoint, and emit the requests.

        Settings (streaming, tools, the storage of the run) stay as they are.
        """
        self._events.clear()
        self._pending = {}
        self._messages = {
            source: list(messages) for source, messages in checkpoint.messages.items()
        }
        for event in checkpoint.pending_request_info_events.values():
            self.add_request_info_event(event)
