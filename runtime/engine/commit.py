"""The barrier: what a superstep did, merged into the next state in a fixed order. Pure; no task, no clock, no store.

    route     where the queued messages go                       (runtime.engine.route)
    advance   effects of all deliveries -> the next `RunState`

Effects are merged in the order of the definition, then of deliveries, never in the order in which tasks finished.
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
    """The next state, and what the caller and a trace want to know of the way there.

    withdrawn  questions of sub-workflows that ended as an executor in them failed
    """

    state: RunState
    outputs: tuple[Output, ...] = ()
    writes: tuple[Write, ...] = ()
    asked: tuple[Request, ...] = ()
    answered: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()


def without_requests(merged: Merged, withdrawn: tuple[str, ...]) -> Merged:
    """The same, with these questions withdrawn."""
    requests = {
        key: request
        for key, request in merged.state.requests.items()
        if key not in withdrawn
    }
    return replace(
        merged, state=replace(merged.state, requests=requests), withdrawn=withdrawn
    )


def first_state(workflow: WorkflowGraph, message: Any, entry: str = "") -> RunState:
    """A run that has got its input and done nothing yet. It enters at `entry`, or where the workflow starts."""
    start = entry or workflow.start_executor_id
    queue = (Message(isolate(message), internal_source_id(start), start),)
    return _make_state(0, queue, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, 0)


def carried_over(workflow: WorkflowGraph, old: RunState, new: RunState) -> RunState:
    """A new run on the same instance: state and open questions of the one before go on, its joins do not.

    Whoever asks goes on too: a sub-workflow with an open question is kept as it stands, and its executor keeps its
    count of runs, from which the keys of later ones are made. A record without a state would say nothing, unless hooks
    made it: that is not the state before the first message.
    """
    children = {key: child for key, child in old.children.items() if is_asking(child)}
    owners = {owner_of(key) for key in children}
    executors = {
        key: ExecutorRecord(record.state, record.runs if key in owners else 0)
        for key, record in old.executors.items()
        if record.state or key in owners or workflow.executors[key].has_hooks
    }
    return _make_state(
        new.superstep,
        new.queue,
        new.buffers,
        executors,
        old.shared,
        old.requests,
        children,
        0,
    )


def without_questions(state: RunState, request_ids: Container[str]) -> RunState:
    """The state without these questions, here and in the sub-workflows that ask them. A sub-workflow that only waited
    for their answers is let go. So is an answer that still waits, as its handler has failed.
    """
    gone = {
        key: request for key, request in state.requests.items() if key in request_ids
    }
    if not gone:
        return state
    children = {}
    for key, child in state.children.items():
        theirs = [one.id for one in gone.values() if one.executor_id == owner_of(key)]
        kept = without_questions(child, theirs)
        if kept is child or is_alive(kept):
            children[key] = kept
    requests = {
        key: request for key, request in state.requests.items() if key not in gone
    }
    queue = tuple(
        [
            message
            for message in state.queue
            if message.request is None or message.request.id not in gone
        ]
    )
    return replace(state, queue=queue, requests=requests, children=children)


def is_alive(state: RunState) -> bool:
    """A finished sub-workflow is let go; one that asks, or whose join holds messages, stays to be seen."""
    return bool(state.requests or state.buffers or state.children) or is_active(state)


def is_asking(state: RunState) -> bool:
    """True when a question is open, here or in a sub-workflow."""
    return bool(state.requests) or any(map(is_asking, state.children.values()))


def is_active(state: RunState) -> bool:
    """True when a superstep would do something: a message is queued, here or in a sub-workflow."""
    return bool(state.queue) or (
        bool(state.children)
        and any(is_active(child) for child in state.children.values())
    )


def answered(state: RunState, answers: Mapping[str, tuple[Request, Any]]) -> RunState:
    """The state with the answers queued for those who asked. An answer that is queued already is replaced."""
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
    done: Sequence[TurnResult],
    children: Mapping[str, RunState] | None = None,
) -> Merged:
    """The state after the superstep. `children` are the sub-workflow runs as this superstep leaves them.

    Raises `StateConflictError`, and `RequestError` if two executors asked under one id.
    """
    number = state.superstep + 1
    queue: list[Message] = []
    outputs: list[Output] = []
    asked: list[Request] = []
    answered_ids: list[str] = []
    has_writes = False
    for one in done:
        answered_ids += one.answered
        for effects in one.effects:
            queue += effects.sent
            asked += effects.requests
            has_writes = has_writes or bool(effects.writes)
            if effects.outputs and workflow.output_kind(one.executor_id) == "output":
                outputs += [Output(one.executor_id, value) for value in effects.outputs]
    shared = state.shared
    writes = _NO_WRITES
    requests = state.requests
    if has_writes:
        shared, writes = merge_writes(
            shared, done, workflow.reducers, workflow.state_conflicts
        )
    if answered_ids or asked:
        requests = _open_requests(requests, answered_ids, asked)
    executors = _records(state.executors, done, number)
    children = state.children if children is None else children
    waited = state.waited if state.queue else state.waited + 1
    merged = _make_state(
        number,
        tuple(queue),
        routing.buffers,
        executors,
        shared,
        requests,
        children,
        waited,
    )
    return Merged(merged, tuple(outputs), writes, tuple(asked), tuple(answered_ids))


def _records(
    records: Mapping[str, ExecutorRecord], done: Sequence[TurnResult], number: int
) -> Mapping[str, ExecutorRecord]:
    made = dict(records)
    for one in done:
        if one.deliveries:
            old = made.get(one.executor_id, _NEVER_RAN)
            own = old.state if one.record is None else one.record
            made[one.executor_id] = ExecutorRecord(
                own, old.runs + one.deliveries, number
            )
    return made


def _open_requests(
    requests: Mapping[str, Request],
    answered_ids: Sequence[str],
    asked: Sequence[Request],
) -> Mapping[str, Request]:
    made = {
        key: request for key, request in requests.items() if key not in answered_ids
    }
    for request in asked:
        if request.id in made:
            raise RequestError(
                f"The request id '{request.id}' of executor '{request.executor_id}' is in use by executor "
                f"'{made[request.id].executor_id}'. Use another one.",
                request.id,
            )
        made[request.id] = request
    return made


# --- shared state -------------------------------------------------------------------------------------------------


def merge_writes(
    shared: Mapping[str, Any],
    done: Sequence[TurnResult],
    reducers: Mapping[str, Reducer],
    conflicts: str,
) -> tuple[Mapping[str, Any], tuple[Write, ...]]:
    """The shared state after all writes, and who wrote what. Raises `StateConflictError` unless the last shall win."""
    written: dict[str, tuple[str, Any]] = {}
    writes: dict[tuple[str, str], bool] = {}
    before = stored_values(shared)
    for one in done:
        for effects in one.effects:
            for key, value in effects.writes.items():
                new = value
                if key in reducers:
                    if key in written:
                        present = written[key][1]
                    else:
                        present = before.get(key, DELETED)
                    new = _reduced(key, present, value, reducers[key], one.executor_id)
                elif conflicts != "last" and key in written:
                    _refuse_conflict(key, written[key], one.executor_id, value)
                written[key] = one.executor_id, new
                writes[key, one.executor_id] = value is DELETED
    if not written:
        return shared, ()
    made = {
        key: value
        for key, value in before.items()
        if key not in written or written[key][1] is not DELETED
    }
    made.update(
        {key: value for key, (_, value) in written.items() if value is not DELETED}
    )
    return shared_state(made), tuple(
        [
            Write(key, executor_id, deleted)
            for (key, executor_id), deleted in writes.items()
        ]
    )


def _reduced(
    key: str,
    present: Any,
    contributions: Sequence[Any],
    reducer: Callable[[Any, Any], Any],
    executor_id: str,
) -> Any:
    # A reducer may change what it is given (`operator.iadd`), and keep what it returns: a state holds neither.
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


def same(one: Any, other: Any) -> bool:
    """Equal values of one type; values that cannot say whether they are equal are not."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001 - an array's == is no truth value
        return False
