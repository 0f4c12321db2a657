"""One run of the tree of runs while a patch is applied to it. Each change is made whole
or refused, and what stands in the original is never changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from runtime.checkpoint import is_text
from runtime.codec import TypeRegistry, encode
from runtime.errors import EncodeError
from runtime.message import Message, internal_source_id
from runtime.patches.inner_value import (
    inner_value,
    with_inner_value,
    without_inner_value,
)
from runtime.patches.json_form import as_json, typed
from runtime.patches.message_values import (
    Receivers,
    checked,
    copy_of,
    fitting,
    of_type,
    question_of,
    receivers_of,
    receivers_of_join,
)
from runtime.patches.patch import PatchChange, Spot
from runtime.patches.refused import PathStep, Refused, path_words
from runtime.patches.waiting import Waiting
from runtime.state import EMPTY, ExecutorRecord, RunState
from runtime.values.coercion import coerce
from runtime.values.copies import copy_for_state, isolate
from runtime.values.sealed import shared_state, stored_values
from runtime.values.unset import UNSET

if TYPE_CHECKING:
    from runtime.edges.join import JoinEdgeGroup
    from runtime.graph.workflow_graph import WorkflowGraph

_OTHER_VALUE = "The value is another one than the one that the patch was made for."


class RunDraft:
    """What becomes of one run. `changes` are those of the patch for this run, from which
    the messages are known that they mean. `is_same` says that the patch was made for this
    very checkpoint, so that its places need no guard. `made` has the values that changes
    set or add, by their ids.
    """

    def __init__(
        self,
        workflow: WorkflowGraph,
        state: RunState,
        changes: Sequence[PatchChange],
        types: TypeRegistry,
        *,
        is_same: bool,
    ) -> None:
        self.made: dict[str, Any] = {}
        self._is_same = is_same
        self._workflow = workflow
        self._state = state
        self._types = types
        self._changes = changes
        self._joins = {join.key: join for join in workflow.joins}
        self._shared: dict[str, Any] | None = None
        self._records: dict[str, ExecutorRecord] = {}
        self._queue: Waiting | None = None
        self._buffers: dict[str, Waiting] = {}

    def apply(self, change: PatchChange) -> list[str]:
        """Make one change. Return warnings about it. Raise `Refused`; then nothing has
        changed.
        """
        match change.section:
            case "state":
                return self._change_state(change)
            case "executors":
                return self._change_record(change)
            case "queue":
                return self._change_queue(change)
            case "buffers":
                return self._change_buffer(change)
            case _:
                raise Refused("Questions are changed for all runs together.")

    # --- values ---------------------------------------------------------------------------------------------------

    def _change_state(self, change: PatchChange) -> list[str]:
        if not change.key or not is_text(change.key):
            raise Refused("Say which key of the shared state is meant, as proper text.")
        shared = self._shared
        if shared is None:
            shared = dict(stored_values(self._state.shared))
        before = shared.get(change.key, UNSET)
        original = stored_values(self._state.shared).get(change.key, UNSET)
        warnings = self._compare(change, original)
        if change.do == "remove" and not change.path:
            if before is UNSET:
                raise Refused(f"There is no key '{change.key}'.")
            del shared[change.key]
        else:
            value = self._changed_value(change, before)
            self._check_savable(value, change.path)
            present = None if before is UNSET else before
            shared[change.key] = copy_for_state(value, present)
        self._shared = shared
        return warnings

    def _change_record(self, change: PatchChange) -> list[str]:
        executor_id = change.key
        if executor_id not in self._workflow.executors:
            raise Refused(f"There is no executor '{executor_id}'.")
        original = self._state.executors.get(executor_id, ExecutorRecord())
        record = self._records.get(executor_id, original)
        state = dict(record.state)
        warnings = self._compare(change, dict(original.state))
        new_state: Any = EMPTY
        if change.do == "set" or change.path:
            new_state = self._changed_value(change, state)
        if not isinstance(new_state, Mapping):
            raise Refused("The state of an executor is a mapping of names to values.")
        self._check_savable(dict(new_state), change.path)
        self._records[executor_id] = replace(record, state=isolate(new_state))
        return warnings

    def _changed_value(self, change: PatchChange, before: Any) -> Any:
        """Return the value after a change at its path."""
        path = change.path
        if before is UNSET and path:
            raise Refused(f"There is no key '{change.key}' to change inside.")
        if change.do == "remove":
            return without_inner_value(before, path, self._types)
        like = None if before is UNSET else before

        def make(present: Any) -> Any:
            if change.type:
                return of_type(change.value, change.type, iter(()), self._types)
            return typed(change.value, present, self._types)

        value = with_inner_value(like, path, make, self._types)
        self.made[change.id] = inner_value(value, path, self._types)
        return value

    def _compare(self, change: PatchChange, before: Any) -> list[str]:
        """Return a warning if something else stands there than in the original."""
        if change.was is None:
            return []
        try:
            present = inner_value(before, change.path, self._types)
            is_same = as_json(present, self._types) == change.was
        except (Refused, EncodeError):
            is_same = False
        return [] if is_same else [_OTHER_VALUE]

    def _check_savable(self, value: Any, path: Sequence[PathStep]) -> None:
        try:
            encode(value, self._types)
        except EncodeError as error:
            raise Refused(
                f"The value cannot be saved: {error}.", path_words(path)
            ) from None

    # --- messages -------------------------------------------------------------------------------------------------

    def _spots(self, section: str, key: str = "") -> list[Spot]:
        return [
            change.spot
            for change in self._changes
            if change.spot is not None
            and change.section == section
            and (section == "queue" or change.key == key)
        ]

    def _change_queue(self, change: PatchChange) -> list[str]:
        queue = self._queue
        if queue is None:
            queue = self._queue = Waiting(
                self._state.queue,
                self._spots("queue"),
                self._types,
                "in the queue",
                is_same=self._is_same,
            )
        if change.do == "add":
            return self._add(queue, change, None)
        return self._change_message(queue, change, None)

    def _change_buffer(self, change: PatchChange) -> list[str]:
        join = self._joins.get(change.key)
        if join is None:
            joins = self._joins.values()
            known = ", ".join(
                f"'{each.id}' before '{each.target_id}'" for each in joins
            )
            raise Refused(
                f"There is no join '{change.key}'. There are: {known or 'none'}."
            )
        waiting_messages = self._buffers.get(join.key)
        if waiting_messages is None:
            held = self._state.buffers.get(join.key, ())
            where = f"in the join before '{join.target_id}'"
            spots = self._spots("buffers", join.key)
            waiting_messages = Waiting(
                held, spots, self._types, where, is_same=self._is_same
            )
            self._buffers[join.key] = waiting_messages
        if change.do == "add":
            return self._add(waiting_messages, change, join)
        return self._change_message(waiting_messages, change, join)

    def _change_message(
        self, messages: Waiting, change: PatchChange, join: JoinEdgeGroup | None
    ) -> list[str]:
        waiting, warning = messages.find(change.spot)
        warnings = [warning] if warning else []
        message = waiting.message
        match change.do:
            case "drop":
                messages.drop(waiting, change.id)
            case "remove" if not change.path:
                raise Refused("A whole message is dropped: use 'drop'.")
            case "set" | "remove":
                if not warning:
                    warnings += self._compare(change, waiting.original.data)
                messages.replace(waiting, self._with_value(message, change, join))
            case "duplicate":
                if question_of(message):
                    raise Refused("A question takes one answer only.")
                messages.duplicate(waiting, copy_of(message), change.id)
            case "move":
                if change.to is None or change.to < 0:
                    raise Refused("Say to which place the message moves, from 0 on.")
                messages.move(waiting, change.to)
            case _:
                messages.replace(waiting, self._addressed(message, change, join))
        if join is None and change.do in ("set", "remove", "address"):
            warning = checked(self._workflow, waiting.message)
            warnings += [warning] if warning else []
        return warnings

    def _with_value(
        self, message: Message, change: PatchChange, join: JoinEdgeGroup | None
    ) -> Message:
        receivers = self._receivers(message, join)
        if change.path or change.do == "remove":
            data = self._changed_value(change, message.data)
        elif message.request is not None:
            plain = typed(change.value, message.data, self._types)
            data = coerce(plain, message.request.response_type)
        else:
            data = fitting(
                change.value, message.data, change.type, receivers, self._types
            )
        message = self._checked(replace(message, data=data), join, change.path)
        if not change.path:
            self.made[change.id] = message.data
        return message

    def _receivers(self, message: Message, join: JoinEdgeGroup | None) -> Receivers:
        if join is not None:
            return receivers_of_join(self._workflow, join)
        if message.request is not None:
            return Receivers(self._workflow, ())
        return receivers_of(self._workflow, message)

    def _addressed(
        self, message: Message, change: PatchChange, join: JoinEdgeGroup | None
    ) -> Message:
        if message.request is not None:
            raise Refused("An answer goes to the executor that asked.")
        source = message.source_id if change.source is None else change.source
        target = change.target
        if join is not None:
            if target not in (None, join.target_id):
                raise Refused(
                    f"A message in this join goes to '{join.target_id}'. Drop it, and add one elsewhere."
                )
            return self._checked(replace(message, source_id=source), join)
        was_input = message.source_id == internal_source_id(message.target_id or "")
        if was_input and change.source is None and target is not None:
            source = internal_source_id(target)
        return self._checked(replace(message, source_id=source, target_id=target), None)

    def _add(
        self, messages: Waiting, change: PatchChange, join: JoinEdgeGroup | None
    ) -> list[str]:
        if change.to is not None and change.to < 0:
            raise Refused("A place is 0 or more.")
        source = change.source
        if source is None:
            if join is not None or change.target is None:
                raise Refused("Say from which executor the message comes.")
            # From outside, as the input of a run.
            source = internal_source_id(change.target)
        if join is not None and change.target not in (None, join.target_id):
            raise Refused(f"A message in this join goes to '{join.target_id}'.")
        target = None if join is not None else change.target
        message = Message(change.value, source, target)
        receivers = self._receivers(message, join)
        data = fitting(change.value, None, change.type, receivers, self._types)
        message = self._checked(replace(message, data=data), join)
        self.made[change.id] = message.data
        messages.add(message, change.id, change.to)
        warning = "" if join is not None else checked(self._workflow, message)
        return [warning] if warning else []

    def _checked(
        self,
        message: Message,
        join: JoinEdgeGroup | None,
        path: Sequence[PathStep] = (),
    ) -> Message:
        """Return a message of its own that can wait here, be saved and be routed."""
        if join is None:
            try:
                checked(self._workflow, message)
            except Refused as refused:
                raise Refused(refused.text, path_words(path)) from refused
        else:
            self._check_held(message, join)
        self._check_savable(message.data, path)
        return copy_of(message)

    def _check_held(self, message: Message, join: JoinEdgeGroup) -> None:
        if message.source_id not in join.source_ids:
            sources = ", ".join(f"'{source}'" for source in join.source_ids)
            raise Refused(
                f"'{message.source_id}' is no source of this join. It takes messages of {sources}."
            )
        receivers = receivers_of_join(self._workflow, join)
        if not receivers.take(message.data):
            raise Refused(
                f"'{join.target_id}' takes no {type(message.data).__name__} from this join."
            )

    # --- the result -----------------------------------------------------------------------------------------------

    def result(self) -> RunState:
        """Return the run with its changes. What no change has touched is the same
        object.
        """
        state = self._state
        fields: dict[str, Any] = {}
        if self._shared is not None:
            fields["shared"] = shared_state(self._shared)
        if self._records:
            fields["executors"] = {**state.executors, **self._records}
        queue = state.queue
        if self._queue is not None and self._queue.is_changed:
            queue = self._queue.result()
        changed = {
            key: waiting.result()
            for key, waiting in self._buffers.items()
            if waiting.is_changed
        }
        if changed:
            buffers = {**state.buffers, **changed}
            fields["buffers"], released = self._with_complete_joins(buffers, changed)
            # First, because they came before everything that is queued.
            queue = (*released, *queue)
        if queue is not state.queue:
            fields["queue"] = queue
        return replace(state, **fields) if fields else state

    def _with_complete_joins(
        self, buffers: dict[str, tuple[Message, ...]], changed: Mapping[str, Any]
    ) -> tuple[dict[str, tuple[Message, ...]], list[Message]]:
        """Return what joins hold, and messages that are queued for them again: a join
        is asked only when a message comes, so one that a change has completed would
        wait for ever.
        """
        released: list[Message] = []
        for key in changed:
            join = self._joins[key]
            held = buffers[key]
            if held and join.release(held)[0]:
                last = self._last_of_one_way(join, held)
                if last is not None:
                    held = tuple(message for message in held if message is not last)
                    released.append(replace(last, target_id=join.target_id))
            buffers[key] = held
            if not held:
                del buffers[key]
        return buffers, released

    def _last_of_one_way(
        self, join: JoinEdgeGroup, held: Sequence[Message]
    ) -> Message | None:
        """Return the message of the join that is queued again: the last one of a source
        that leads to the target by this join alone, so that it goes nowhere else.
        """
        last_by_source = {message.source_id: message for message in held}
        for source, message in last_by_source.items():
            groups = self._workflow.outgoing.get(source, ())
            ways = [group for group in groups if join.target_id in group.targets]
            if len(ways) == 1:
                return message
        return None
