"""Commit: merges what a superstep did into the next state. Pure; no task, no clock, no
store.

Effects are merged in the order of the definition, then of deliveries, never in the
order in which tasks finished. So a replay comes to the same state, whatever the timing
was.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from runtime.engine.route import Routing, route
from runtime.errors import RequestError, StateConflictError
from runtime.executors.delivery import Delivery
from runtime.executors.effects import DELETED, Reducer, TurnResult
from runtime.message import Message, Request, internal_source_id
from runtime.state import EMPTY, ExecutorRecord, Output, RunState, Write, owner_of
from runtime.values.copies import copy_for_state, isolate
from runtime.values.records import maker_of, record
from runtime.values.sealed import shared_state, stored_values, unseal
from runtime.values.user_failures import blame

if TYPE_CHECKING:
    from runtime.graph.workflow_graph import WorkflowGraph

_make_state = maker_of(RunState)
_NO_WRITES: tuple[Write, ...] = ()
_NEVER_RAN = ExecutorRecord()

__all__ = [
    "Delivery",
    "Merged",
    "Routing",
    "TurnResult",
    "advance",
    "answered",
    "first_state",
    "is_active",
    "route",
]


@record
class Merged:
    """The next state, with what the caller and the trace need to know of the way there.

    withdrawn  ids of questions of sub-workflows that have ended because an executor in them failed
    """

    state: RunState
    outputs: tuple[Output, ...] = ()
    writes: tuple[Write, ...] = ()
    asked: tuple[Request, ...] = ()
    answered: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()


def without_requests(merged: Merged, withdrawn: tuple[str, ...]) -> Merged:
    """Return the same with these questions withdrawn."""
    requests = {
        key: request
        for key, request in merged.state.requests.items()
        if key not in withdrawn
    }
    return replace(
        merged, state=replace(merged.state, requests=requests), withdrawn=withdrawn
    )


def first_state(workflow: WorkflowGraph, message: Any, entry: str = "") -> RunState:
    """Return the state of a run that has its input and has done nothing. It enters at
    `entry`, or at the start.
    """
    start = entry or workflow.start_executor_id
    queue = (Message(isolate(message), internal_source_id(start), start),)
    return _make_state(0, queue, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, 0)


def carried_over(
    workflow: WorkflowGraph, previous: RunState, first: RunState
) -> RunState:
    """Return the first state of a new run on the same instance, with the state and the
    open questions of the previous run. Messages in joins are not carried over.

    A sub-workflow with an open question is kept as it is, because the answer must find
    it. Its executor keeps its count of runs, because the keys of later runs are made
    from that.
    """
    children = {
        key: child for key, child in previous.children.items() if is_asking(child)
    }
    owners = {owner_of(key) for key in children}
    executors: dict[str, ExecutorRecord] = {}
    for executor_id, before in previous.executors.items():
        is_owner = executor_id in owners
        # An empty state says nothing, unless hooks gave it: that differs from the state
        # before the first message.
        if before.state or is_owner or workflow.executors[executor_id].has_hooks:
            runs = before.runs if is_owner else 0
            executors[executor_id] = ExecutorRecord(before.state, runs)
    return _make_state(
        first.superstep,
        first.queue,
        first.buffers,
        executors,
        previous.shared,
        previous.requests,
        children,
        0,
    )


def without_questions(state: RunState, request_ids: Container[str]) -> RunState:
    """Return the state without these questions, here and in the sub-workflows that ask
    them.

    A sub-workflow that only waited for their answers is removed. So is an answer that
    is still queued because its handler has failed.
    """
    cancelled = {
        key: request for key, request in state.requests.items() if key in request_ids
    }
    if not cancelled:
        return state
    children = {}
    for key, child in state.children.items():
        owner = owner_of(key)
        ids_of_child = [
            request.id for request in cancelled.values() if request.executor_id == owner
        ]
        new_child = without_questions(child, ids_of_child)
        if new_child is child or is_alive(new_child):
            children[key] = new_child
    requests = {
        key: request for key, request in state.requests.items() if key not in cancelled
    }
    queue = tuple(
        [
            message
            for message in state.queue
            if message.request is None or message.request.id not in cancelled
        ]
    )
    return replace(state, queue=queue, requests=requests, children=children)


def is_alive(state: RunState) -> bool:
    """Return True if the run of a sub-workflow stays: it is active, asks, or a join in
    it holds messages.
    """
    return bool(state.requests or state.buffers or state.children) or is_active(state)


def is_asking(state: RunState) -> bool:
    """Return True if a question is open, here or in a sub-workflow."""
    return bool(state.requests) or any(map(is_asking, state.children.values()))


def is_active(state: RunState) -> bool:
    """Return True if a superstep would do something: a message is queued, here or in a
    sub-workflow.
    """
    return bool(state.queue) or (
        bool(state.children)
        and any(is_active(child) for child in state.children.values())
    )


def answered(state: RunState, answers: Mapping[str, tuple[Request, Any]]) -> RunState:
    """Return the state with the answers queued for the executors that asked. An answer
    that is queued already is replaced.
    """
    queue = [
        message
        for message in state.queue
        if message.request is None or message.request.id not in answers
    ]
    for request, answer in answers.values():
        target = request.executor_id
        queue.append(
            Message(isolate(answer), internal_source_id(target), target, request)
        )
    requests = {
        key: request for key, request in state.requests.items() if key not in answers
    }
    return replace(state, queue=tuple(queue), requests=requests)


def advance(
    workflow: WorkflowGraph,
    state: RunState,
    routing: Routing,
    results: Sequence[TurnResult],
    children: Mapping[str, RunState] | None = None,
) -> Merged:
    """Return the state after the superstep. `children` are the sub-workflow runs as
    this superstep leaves them.

    Raise `StateConflictError`, and `RequestError` if two executors asked under one id.
    """
    number = state.superstep + 1
    queue: list[Message] = []
    outputs: list[Output] = []
    new_requests: list[Request] = []
    answered_ids: list[str] = []
    has_writes = False
    for result in results:
        executor_id = result.executor_id
        answered_ids += result.answered
        for effects in result.effects:
            queue += effects.sent
            new_requests += effects.requests
            has_writes = has_writes or bool(effects.writes)
            if effects.outputs and workflow.output_kind(executor_id) == "output":
                outputs += [Output(executor_id, value) for value in effects.outputs]
    # Parts that nothing changed stay the same objects, because a checkpoint recognizes
    # unchanged parts by identity.
    shared = state.shared
    writes = _NO_WRITES
    requests = state.requests
    if has_writes:
        shared, writes = merge_writes(
            shared, results, workflow.reducers, workflow.state_conflicts
        )
    if answered_ids or new_requests:
        requests = _open_requests(requests, answered_ids, new_requests)
    executors = _records(state.executors, results, number)
    children = state.children if children is None else children
    waited = state.waited if state.queue else state.waited + 1
    next_state = _make_state(
        number,
        tuple(queue),
        routing.buffers,
        executors,
        shared,
        requests,
        children,
        waited,
    )
    return Merged(
        next_state, tuple(outputs), writes, tuple(new_requests), tuple(answered_ids)
    )


def _records(
    records: Mapping[str, ExecutorRecord], results: Sequence[TurnResult], number: int
) -> Mapping[str, ExecutorRecord]:
    new_records = dict(records)
    for result in results:
        if result.deliveries:
            before = new_records.get(result.executor_id, _NEVER_RAN)
            state = before.state if result.record is None else result.record
            new_records[result.executor_id] = ExecutorRecord(
                state, before.runs + result.deliveries, number
            )
    return new_records


def _open_requests(
    requests: Mapping[str, Request],
    answered_ids: Sequence[str],
    new_requests: Sequence[Request],
) -> Mapping[str, Request]:
    open_requests = {
        key: request for key, request in requests.items() if key not in answered_ids
    }
    for request in new_requests:
        if request.id in open_requests:
            raise RequestError(
                f"The request id '{request.id}' of executor '{request.executor_id}' is in use by executor "
                f"'{open_requests[request.id].executor_id}'. Use another one.",
                request.id,
            )
        open_requests[request.id] = request
    return open_requests


# --- shared state -------------------------------------------------------------------------------------------------


def merge_writes(
    shared: Mapping[str, Any],
    results: Sequence[TurnResult],
    reducers: Mapping[str, Reducer],
    conflicts: str,
) -> tuple[Mapping[str, Any], tuple[Write, ...]]:
    """Return the shared state after all writes, and which executor wrote what.

    Raise `StateConflictError` if two executors wrote different values for a key, unless
    `conflicts` is "last".
    """
    # Key -> the executor that wrote it last, with the value; (key, executor) -> whether
    # that was a deletion.
    written: dict[str, tuple[str, Any]] = {}
    writes: dict[tuple[str, str], bool] = {}
    before = stored_values(shared)
    for result in results:
        executor_id = result.executor_id
        for effects in result.effects:
            for key, value in effects.writes.items():
                new_value = value
                if key in reducers:
                    if key in written:
                        present = written[key][1]
                    else:
                        present = before.get(key, DELETED)
                    new_value = _reduce(key, present, value, reducers[key], executor_id)
                elif conflicts != "last" and key in written:
                    _refuse_conflict(key, written[key], executor_id, value)
                written[key] = executor_id, new_value
                writes[key, executor_id] = value is DELETED
    if not written:
        return shared, ()
    # Changed keys keep their place, so that the order of keys is the order of their
    # first writes.
    values = dict(before)
    for key, (_, value) in written.items():
        if value is DELETED:
            values.pop(key, None)
        else:
            values[key] = value
    all_writes = [
        Write(key, executor_id, is_deletion)
        for (key, executor_id), is_deletion in writes.items()
    ]
    return shared_state(values), tuple(all_writes)


def _reduce(
    key: str,
    present: Any,
    contributions: Sequence[Any],
    reducer: Callable[[Any, Any], Any],
    executor_id: str,
) -> Any:
    # Copied before and after, because a reducer may change what it is given
    # (`operator.iadd`) and keep what it returns.
    value = present if present is DELETED else isolate(present)
    try:
        for contribution in contributions:
            value = contribution if value is DELETED else reducer(value, contribution)
    except BaseException as error:
        blame(
            error,
            "A reducer",
            f"in the reducer of state key '{key}', for what executor '{executor_id}' contributed",
        )
        raise
    return copy_for_state(value, present)


def _refuse_conflict(
    key: str, first: tuple[str, Any], second_id: str, second: Any
) -> None:
    if first[0] != second_id and not same(unseal(first[1]), unseal(second)):
        raise StateConflictError(key, first[0], second_id)


def same(first: Any, second: Any) -> bool:
    """Return True for equal values of one type. Values whose comparison fails are
    different.
    """
    if first is second:
        return True
    if type(first) is not type(second):
        return False
    try:
        return bool(first == second)
    except Exception:  # noqa: BLE001 - an array's == is no truth value
        return False
