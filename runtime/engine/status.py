"""The status of a run at a barrier. Everything here follows from its state alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from runtime.edges.join import HeldJoin
from runtime.engine.commit import is_active, is_asking
from runtime.engine.join_history import NO_HISTORY, History
from runtime.engine.joins import held_joins
from runtime.engine.sub_runs import Path, sub_workflow
from runtime.events import WorkflowRunState
from runtime.message import Request
from runtime.state import RunState, owner_of

if TYPE_CHECKING:
    from runtime.graph.workflow_graph import WorkflowGraph

_NO_FAILURES: Mapping[Path, Mapping[str, str]] = MappingProxyType({})


def status_of(state: RunState) -> WorkflowRunState:
    """Return the status at a barrier: under way, waiting for answers, at rest with
    stalled joins, or at rest.
    """
    if is_active(state):
        if state.requests:
            return WorkflowRunState.IN_PROGRESS_PENDING_REQUESTS
        return WorkflowRunState.IN_PROGRESS
    if state.requests:
        return WorkflowRunState.IDLE_WITH_PENDING_REQUESTS
    if _has_stalled_join(state):
        return WorkflowRunState.IDLE_WITH_STALLED_JOINS
    return WorkflowRunState.IDLE


def _has_stalled_join(state: RunState) -> bool:
    if state.buffers:
        return True
    # In a child that asks, the answer may still lead to the missing messages.
    return any(
        _has_stalled_join(child)
        for child in state.children.values()
        if not child.requests
    )


def stalled_joins(
    workflow: WorkflowGraph, state: RunState, history: History = NO_HISTORY
) -> list[HeldJoin]:
    """Return the stalled joins: they hold messages, are not complete, and the run is at
    rest and asks nothing.
    """
    if status_of(state) is not WorkflowRunState.IDLE_WITH_STALLED_JOINS:
        return []
    return all_held_joins(workflow, state, history)


def count_stalled(state: RunState, status: WorkflowRunState) -> int:
    """Return how many joins are stalled in a state of this status."""
    if status is WorkflowRunState.IDLE_WITH_STALLED_JOINS:
        return _count_held(state)
    return 0


def _count_held(state: RunState) -> int:
    return len(state.buffers) + sum(map(_count_held, state.children.values()))


def left_over(workflow: WorkflowGraph, state: RunState) -> Iterator[str]:
    """Yield what executors that gather still hold when the run rests, because nothing
    will come that sends it on.
    """
    for executor_id, record in state.executors.items():
        if not (record.state and record.runs):
            continue
        text = workflow.executors[executor_id].engine_left_over(record.state)
        if text:
            yield f"'{executor_id}' {text}"


def discarded_joins(workflow: WorkflowGraph, state: RunState) -> list[HeldJoin]:
    """Return the joins whose messages a new run on the same instance does not carry
    over.
    """
    if not state.buffers and not state.children:
        return []
    ended = {
        key: child for key, child in state.children.items() if not is_asking(child)
    }
    return all_held_joins(workflow, replace(state, children=ended))


def all_held_joins(
    workflow: WorkflowGraph,
    state: RunState,
    history: History = NO_HISTORY,
    failed: Mapping[Path, Mapping[str, str]] = _NO_FAILURES,
    path: Path = (),
) -> list[HeldJoin]:
    """Return the joins that hold messages, in the whole tree. `failed` as for
    `held_joins`, by path.
    """
    own_joins = held_joins(
        workflow, state, history.of(path), whole=history.whole, failed=failed.get(path)
    )
    joins = [join._replace(path=path) for join in own_joins]
    for key, child in state.children.items():
        inner = sub_workflow(workflow, owner_of(key))
        joins += all_held_joins(inner, child, history, failed, (*path, key))
    return joins


def unanswered(state: RunState, path: Path = ()) -> Iterator[tuple[Path, Request]]:
    """Yield the questions that sub-workflows have asked of executors around them, which
    have not answered, each with the path of the run that asked. Questions to the
    outside are not among them.
    """
    for key, child in state.children.items():
        for request in child.requests.values():
            if request.id not in state.requests:
                yield (*path, key), request
        yield from unanswered(child, (*path, key))
